"""Questions to a language model, and the endpoint that answers them where a client offers no model."""
