"""The configuration files of LLM clients: where they are, and how one entry in them is written and removed."""
