"""Text in, values out; knows no disk."""
