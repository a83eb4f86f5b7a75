"""`python -m zkmem`, and what the command `zkmem` runs."""

from zkmem.cli import main

if __name__ == "__main__":
    main()
