"""Merge the edits of several machines."""
