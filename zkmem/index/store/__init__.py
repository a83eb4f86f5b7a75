"""The index on disk: one SQLite file in the user's cache folder for each vault."""
