"""Merge what was written on several machines."""
