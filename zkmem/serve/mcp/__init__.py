"""The server's side of the Model Context Protocol. Only modules here import `mcp`."""
