"""A drop-in for the knowledge graph of MCP's reference server: entities are notes, relations are links."""
