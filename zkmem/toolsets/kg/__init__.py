"""The knowledge graph of MCP's reference server, drop-in: entities are notes, relations are links."""
