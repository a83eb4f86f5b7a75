"""The language server: a vault in a text editor, over the Language Server Protocol."""
