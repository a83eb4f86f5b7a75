"""The configuration files of LLM clients: their paths, and how to write and remove one entry and hooks in them."""
