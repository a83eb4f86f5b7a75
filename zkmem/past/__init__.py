"""All that was: what files were called, the texts that they had, and older texts with the names of now."""
