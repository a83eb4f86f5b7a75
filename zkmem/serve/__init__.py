"""The faces: how a client reaches the tools."""
