"""MIRIX's four tools over six types of memory: each memory is a note in the folder of its type."""
