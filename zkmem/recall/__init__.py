"""The reading wing: expansion, weights, hints and suggestions. Never writes."""
