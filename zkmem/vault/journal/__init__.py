"""Edits of several files as one: lock, record, steps, log and versions."""
