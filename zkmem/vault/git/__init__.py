"""A vault as a git repository: commits of edits, and what git may run."""
