"""The links of an Obsidian canvas: its file nodes and the links in its text nodes, with byte spans.

A canvas is JSON. The standard library's decoder reads each value, since it returns where the value ends. A canvas is
never serialised again: only the strings that hold a link are replaced.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

_BLANK = " \t\r\n"


class CanvasString(NamedTuple):
    """A string of a canvas that refers to notes.

    `file` holds a path, `subpath` a part of the note beside it (`#Heading`), `text` holds Markdown.
    """

    kind: str
    value: str
    start: int  # bytes, quotes included
    end: int
    beside: str = ""  # for a file, its subpath; for a subpath, its file


def find_strings(data: bytes) -> list[CanvasString]:
    """Return the strings that refer to notes in the nodes of a canvas; none if it is not a canvas in JSON."""
    try:
        source = data.decode()
        source = " " + source[1:] if source.startswith("\ufeff") else source
        canvas = _Reader(source).read()
    except (ValueError, RecursionError, IndexError):  # not a canvas, so it has no links
        return []
    nodes = canvas.get("nodes") if isinstance(canvas, dict) else None
    strings = [string for node in (nodes if isinstance(nodes, list) else []) for string in _strings(node)]
    result, at, offset = [], 0, len(data) - len(source.encode())
    for kind, string, beside in sorted(strings, key=lambda each: each[1].at):
        start = offset + len(source[at : string.at].encode())
        offset = start + len(source[string.at : string.end].encode())
        at = string.end
        result.append(CanvasString(kind, string.value, start, offset, beside))
    return result


def written(value: str) -> bytes:
    """Return a string as canvas JSON. As in Obsidian, non-ASCII stays literal; half a character is escaped."""
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def _strings(node: Any) -> Iterator[tuple[str, "_String", str]]:
    """Yield the strings of a node that refer to notes: kind, string, and `beside` as in `CanvasString`."""
    if not isinstance(node, dict):
        return
    kind, file, subpath, text = (_string(node, key) for key in ("type", "file", "subpath", "text"))
    if kind and kind.value == "text" and text:
        yield "text", text, ""
    elif kind and kind.value == "file" and file:
        yield "file", file, subpath.value if subpath else ""
        if subpath:
            yield "subpath", subpath, file.value


def _string(node: dict[str, Any], key: str) -> "_String | None":
    value = node.get(key)
    return value if isinstance(value, _String) else None


class _String(NamedTuple):
    value: str
    at: int
    end: int


class _Reader:
    """A JSON reader that records the position of every string."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self._decoder = json.JSONDecoder()

    def read(self) -> Any:
        char = self._next()
        if char == '"':
            return self._string()
        if char == "{":
            return dict(self._members())
        if char == "[":
            return list(self._items("]"))
        value, self.at = self._decoder.raw_decode(self.source, self.at)
        return value

    def _next(self) -> str:
        while self.source[self.at] in _BLANK:
            self.at += 1
        return self.source[self.at]

    def _string(self) -> _String:
        start = self.at
        value, self.at = self._decoder.raw_decode(self.source, start)
        return _String(value, start, self.at)

    def _items(self, closing: str) -> Any:
        self.at += 1
        while self._next() != closing:
            yield self.read()
            if self._next() == ",":
                self.at += 1
        self.at += 1

    def _members(self) -> Any:
        for key in self._items("}"):
            if self._next() != ":":
                raise ValueError("no colon after a key")
            self.at += 1
            yield key.value, self.read()
