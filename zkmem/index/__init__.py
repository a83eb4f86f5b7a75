"""The index of a vault: its files and its links, kept up to date."""
