"""What a hook knows of the tools without importing them: which write, and where they name notes.

A test compares this with the toolsets.
"""

from collections.abc import Mapping
from typing import Any

TOOLS: Mapping[str, tuple[str, str]] = {
    "zettel": ("get_content, from the note hint on", "set_content"),
    "kg": ("search_nodes, open_nodes", "create_entities, add_observations"),
    "think": ("searchMemory", "addRawMemory, writeRaw"),
    "mirix": ("memory_search", "memory_add"),
    "text": ("load_memory", "update_profile, create_topic"),
    "memory": ("memory", "memory"),
    "vault": ("query", "edit_section, daily"),
    "history": ("log", ""),
    "connector": ("search, fetch", ""),
}
"""The tools that read and those that write, by toolset."""

_READ_BY = ("get", "read", "search", "open", "peek", "load", "list", "query", "log", "show", "diff", "fetch")
"""The beginnings of the names of tools that only read."""

_READING = {"memory_search", "memory_get_profile"}
_NAMING = ("name", "new_name", "names", "entityNames", "namePath", "path", "new_path", "id")
_MOST = 50
_LONGEST = 300  # characters of a name


def writes(tool: str, arguments: Mapping[str, Any] = {}) -> bool:
    """Return whether a tool of zkmem changes notes."""
    is_view = tool == "memory" and arguments.get("command") == "view"
    return not (is_view or tool in _READING or tool.startswith(_READ_BY))


def names_in(arguments: Mapping[str, Any]) -> list[str]:
    """Return the names of notes in the arguments of a tool, without headings and without `.md`."""
    values = [value for key in _NAMING if (value := arguments.get(key)) is not None]
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    return [
        name
        for text in texts[:_MOST]
        if isinstance(text, str) and len(text) <= _LONGEST
        if (name := text.partition("#")[0].strip().removeprefix("/").removesuffix(".md"))
    ]
