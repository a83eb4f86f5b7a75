"""Let a person give a client access with a name and a password: zkmem as its own OAuth authorization server."""
