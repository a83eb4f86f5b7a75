"""Parse and rewrite the text of notes. Nothing here reads or writes files."""
