"""THINK-MEM: raw texts with summaries of their lines, and lists and graphs of raw texts."""
