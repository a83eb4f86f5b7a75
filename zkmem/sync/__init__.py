"""Merge the edits of several machines."""

SYNC = "sync"
"""The name of the tool in the log."""
