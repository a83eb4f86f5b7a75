"""The search: an index of the words of the notes, and what finds, scores and shows its hits."""
