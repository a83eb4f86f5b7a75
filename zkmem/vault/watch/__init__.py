"""Watch a vault for changes that other programs make to its files."""
