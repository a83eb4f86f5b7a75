"""Tools, as rows of a table."""
