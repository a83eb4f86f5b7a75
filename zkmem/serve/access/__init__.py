"""Who a request is from, and what that caller may do."""
