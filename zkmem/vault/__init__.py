"""Bytes and paths; knows no Markdown."""
