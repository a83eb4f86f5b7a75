"""Access over HTTP: identify the caller of each request, and what that caller may do."""
