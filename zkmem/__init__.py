"""A memory for language models that a person can read: Markdown notes in a folder, links between them, MCP."""

__version__ = "0.1.0"
