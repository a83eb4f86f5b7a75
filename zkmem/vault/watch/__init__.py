"""Changes that others make to the files of a vault."""
