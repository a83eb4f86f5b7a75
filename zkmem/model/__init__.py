"""Questions to a language model, and an endpoint that answers them if the client offers no model."""
