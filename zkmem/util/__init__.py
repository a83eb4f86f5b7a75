"""Helpers that do not depend on notes: words, spelling, locks, and the three-way merge of texts."""
