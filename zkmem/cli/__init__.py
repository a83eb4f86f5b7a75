"""The command line: one command for each tool, the server, the check. Thin: arguments, one call, one translation."""
