"""What knows nothing of notes: words, spelling, locks, and the three-way merge of texts."""
