"""The writing wing: edits as pure plans, and the one place that applies them."""
