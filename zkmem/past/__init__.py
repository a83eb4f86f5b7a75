"""The past of a vault: the earlier paths and texts of its files, and older texts with the present names."""
