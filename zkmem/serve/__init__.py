"""The server: MCP over stdio and HTTP, the HTTP API and the page."""
