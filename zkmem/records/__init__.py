"""Notes as records, which toolsets build on: pages, tables, drafts and names."""
