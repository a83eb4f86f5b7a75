"""Claude's memory tool on a folder of the vault: six commands on the paths below `/memories`.

The commands and their texts are those of the package `anthropic` (`memory_20250818`).
"""
