"""The files of a vault as bytes and paths. Nothing here depends on Markdown."""
