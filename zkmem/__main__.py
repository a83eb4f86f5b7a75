"""`python -m zkmem`, and what the command `zkmem` runs."""

from zkmem.util.collector import importing

with importing():  # garbage collection would add a tenth to the time of the imports
    from zkmem.cli.main import main

if __name__ == "__main__":
    main()
