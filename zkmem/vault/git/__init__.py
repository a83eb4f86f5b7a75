"""Use a vault as a git repository: commit edits, and restrict what git may run."""
