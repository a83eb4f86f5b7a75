"""Query the notes of a vault by their properties, in the language of Obsidian's Bases."""
