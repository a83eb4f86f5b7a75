"""`python -m zkmem`, and what the command `zkmem` runs."""

from zkmem.util.collector import imports

with imports():  # a tenth of the time of the imports
    from zkmem.cli.main import main

if __name__ == "__main__":
    main()
