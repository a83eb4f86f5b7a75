"""`python -m zkmem`, and what the command `zkmem` runs."""

from zkmem.cli.main import main

if __name__ == "__main__":
    main()
