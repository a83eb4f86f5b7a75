"""The JSON API for the page and for programs."""
