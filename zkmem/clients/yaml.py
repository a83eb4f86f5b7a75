"""Set or remove one entry of a YAML text; every other byte, and every comment, stays.

PyYAML's parser returns the position of each part of the text. Servers that are not on lines of their own (in braces,
with an anchor or a tag) and a second document are refused. Each result is parsed again, and must have the entry as
expected and everything else as before.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from zkmem.clients.jsonc import NotParsed, line_of

_MOST = 100_000  # characters, which PyYAML parses in about a second; no configuration has so many
_DEEPEST = 200  # levels
_PLAIN_KEY = re.compile(r"(?!(?:true|false|yes|no|on|off|null|y|n)$)[a-z][a-z0-9_-]*", re.IGNORECASE)
_JSON_LITERAL = re.compile(r"true|false|null|-?(?:0|[1-9]\d{0,15})")
_COMMENT = re.compile(r"([ ]*)#[^\n]*(?:\n|$)")


class _Node(NamedTuple):
    """A part of the text from `start` to `end` (exclusive), without what follows its last word."""

    kind: str  # map, list, text, alias
    start: int
    end: int
    marks: tuple[str | None, str | None]  # its anchor and its tag
    inline: bool  # in brackets
    text: str = ""
    plain: bool = False  # without quotes
    parts: tuple["_Node", ...] = ()  # of a map: key, value, key, value

    @property
    def is_empty(self) -> bool:
        """Whether it is null, or a pair of brackets with nothing between."""
        return (self.inline and not self.parts) or (self.plain and self.text in {"", "~", "null"})

    @property
    def meaning(self) -> tuple[object, ...]:
        """What a reader gets."""
        return (self.kind, self.marks, self.text, self.plain, *(part.meaning for part in self.parts))

    @property
    def data(self) -> Any:
        """The value in Python, as far as an entry of ours has such values; other plain words are texts."""
        if self.kind == "map":
            keys, values = self.parts[::2], self.parts[1::2]
            return {key.text: value.data for key, value in zip(keys, values, strict=True)}
        if self.kind == "list":
            return [part.data for part in self.parts]
        if self.kind == "alias" or self.is_empty:
            return None
        return json.loads(self.text) if self.plain and _JSON_LITERAL.fullmatch(self.text) else self.text


class _Member(NamedTuple):
    """A member of a map, or an item of a list with a name in it."""

    name: str
    start: int  # of its key, or of the item
    after: int  # the end of its key
    value: _Node
    key: object = None  # the meaning of its key


class Yaml:
    """Texts whose servers are a map by name, or a list of maps that have a `name`."""

    def __init__(self, *, listed: bool = False) -> None:
        """Say whether the servers are a list."""
        self._listed = listed
        self._kind = "list" if listed else "map"

    def get(self, text: str, path: Sequence[str]) -> Any:
        """Return the value at `path` (the key of the servers, a name, a key); None if there is none.

        Raises:
            NotParsed: when the text cannot be read, or a value on the path is not of the expected kind.
        """
        node = _root(text)
        for depth, key in enumerate(path):
            member = self._member(text, node, path[:depth], key)
            if member is None:
                return None
            node = member.value
        if len(path) == 1 and node is not None:
            return {one.name: one.value.data for one in self._members(text, node, path)}
        return node.data if node else None

    def put(self, text: str, path: Sequence[str], data: object) -> str:
        """Set the value at `path`: an entry, which is a dict, or one value of an entry.

        Raises:
            NotParsed: as `get` does, and when the text is laid out in a way that cannot be edited.
        """
        old = self.get(text, path)
        if old == data:
            return text
        if len(path) == 3:
            new = self._with_value(text, path, data)
        else:
            new = self._with_entry(text if old is None else self.drop(text, path), path, data)
        return self._checked(text, new, path, data)

    def drop(self, text: str, path: Sequence[str]) -> str:
        """Remove the entry at `path`; do nothing if there is none."""
        servers = self._member(text, _root(text), (), path[0])
        entry = self._member(text, servers.value, path[:1], path[1]) if servers else None
        if servers is None or entry is None:
            return text
        start = text.rfind("-", 0, entry.start) if self._listed else entry.start
        begin, end = _line_start(text, start), _line_end(text, entry.value.end)
        if servers.value.inline or text[begin:start].strip() or text[start : entry.start].strip("- \r\n"):
            raise _unusual(text, entry.start)
        new = text[:begin] + text[end:]
        if len(self._members(text, servers.value, path[:1])) == 1:
            colon = text.index(":", servers.after) + 1
            new = new[:colon] + (" []" if self._listed else " {}") + new[colon:]
        return self._checked(text, new, path, None)

    def _members(self, text: str, node: _Node, path: Sequence[str]) -> list[_Member]:
        """Return the members of a value at `path`. A null has none."""
        if node.kind == "text" and node.is_empty:
            return []
        listed = self._listed and len(path) == 1
        if node.kind != ("list" if listed else "map"):
            wanted = "a list" if listed else "an object"
            raise NotParsed(line_of(text, node.start), f"{'.'.join(path) or 'the whole'} is not {wanted}")
        if listed:
            return [_item(part) for part in node.parts]
        pairs = zip(node.parts[::2], node.parts[1::2], strict=True)
        return [_Member(key.text, key.start, key.end, value, key.meaning) for key, value in pairs]

    def _member(self, text: str, node: _Node | None, path: Sequence[str], key: str) -> _Member | None:
        """Return the member with this key of a value at `path`."""
        matches = [one for one in self._members(text, node, path) if one.name == key] if node else []
        if len(matches) > 1:
            raise NotParsed(line_of(text, matches[1].start), f"{key} is there twice")
        return matches[0] if matches else None

    def _with_entry(self, text: str, path: Sequence[str], data: object) -> str:
        """Insert an entry that is not there as the last one."""
        root = _root(text)
        servers = self._member(text, root, (), path[0])
        if root is None or servers is None:
            if root is not None and root.kind == "map" and (root.inline or any(root.marks)):
                raise _unusual(text, root.start)
            column = _column(text, root.start) if root and root.kind == "map" else 0
            newline = _newline(text)
            before = text if not text.strip("\ufeff") or text.endswith("\n") else text + newline
            lines = [f"{' ' * column}{path[0]}:", *self._lines(path[1], data, column + 2, 2)]
            return before + "".join(line + newline for line in lines)
        column = _column(text, servers.start)
        value = servers.value
        if any(value.marks) or (value.inline and not value.is_empty):
            raise _unusual(text, value.start)
        if value.is_empty:
            text = text[: value.start].rstrip(" ") + text[value.end :]
            return self._with_lines(text, servers.after, column, self._lines(path[1], data, column + 2, 2))
        own = _column(text, value.start)
        unit = max(own - column, 2)
        return self._with_lines(text, value.end, column, self._lines(path[1], data, own, unit))

    def _lines(self, name: str, data: Any, column: int, unit: int) -> list[str]:
        """Return the lines of an entry."""
        values = [f"{_key(key)}: {_dumped(value)}" for key, value in data.items()]
        if not self._listed:
            return [f"{' ' * column}{_key(name)}:", *(" " * (column + unit) + one for one in values)]
        return [" " * column + ("  " if number else "- ") + one for number, one in enumerate(values)]

    def _with_lines(self, text: str, at: int, column: int, lines: list[str]) -> str:
        """Insert lines after the line of a position, and after the comments below it that are deeper than a column."""
        newline = _newline(text)
        at = _line_end(text, at)
        while (comment := _COMMENT.match(text, at)) and len(comment[1]) > column:
            at = comment.end()
        before = text[:at] if text[:at].endswith("\n") else text[:at] + newline
        return before + "".join(line + newline for line in lines) + text[at:]

    def _with_value(self, text: str, path: Sequence[str], data: object) -> str:
        """Set one value of an entry that is there."""
        servers = self._member(text, _root(text), (), path[0])
        entry = self._member(text, servers.value, path[:1], path[1]) if servers else None
        if entry is None or entry.value.kind != "map" or entry.value.inline or any(entry.value.marks):
            raise _unusual(text, entry.start if entry else 0)
        old = self._member(text, entry.value, path[:2], path[2])
        if old is None:
            column = _column(text, entry.value.start)
            return self._with_lines(text, entry.value.end, column, [f"{' ' * column}{_key(path[2])}: {_dumped(data)}"])
        colon = text.index(":", old.after) + 1
        return text[:colon] + " " + _dumped(data) + text[max(colon, old.value.end) :]

    def _checked(self, old: str, new: str, path: Sequence[str], data: object) -> str:
        """Return the new text if it has the data at `path`, and nothing else means anything else."""
        try:
            is_right = self.get(new, path) == data and self._rest(new, path) == self._rest(old, path)
        except NotParsed:
            is_right = False
        if not is_right:
            raise _unusual(old, 0)
        return new

    def _rest(self, text: str, path: Sequence[str]) -> object:
        """Return the meaning of a text without what is at `path`."""

        def rest(node: _Node, done: Sequence[str]) -> object:
            left = []
            for member in self._members(text, node, done):
                below = (*done, member.name)
                if below == tuple(path):
                    continue
                is_on_path = below == tuple(path[: len(below)])
                value = rest(member.value, below) if is_on_path else member.value.meaning
                left += [(member.key, value)] if value else []
            return (node.marks, left) if left else None

        root = _root(text)
        return rest(root, ()) if root else None


def _item(node: _Node) -> _Member:
    """Return an item of a list, with the name that it has; an empty one if it has none."""
    name = node.data.get("name") if node.kind == "map" else None
    return _Member(name if isinstance(name, str) else "", node.start, node.start, node)


def _root(text: str) -> _Node | None:
    """Parse a text that has one document or none."""
    if len(text) > _MOST:
        raise NotParsed(1, f"it is longer than {_MOST} characters")
    if not text.strip("\ufeff \t\r\n"):
        return None
    import yaml  # noqa: PLC0415 - 15 ms that no other command needs

    try:
        documents = list(_documents(text, yaml.parse(text, Loader=yaml.SafeLoader)))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise NotParsed(mark.line + 1 if mark else 1, error.problem or "it is not YAML") from error
    except yaml.YAMLError as error:
        raise NotParsed(line_of(text, getattr(error, "position", 0)), getattr(error, "reason", str(error))) from error
    if len(documents) > 1:
        raise NotParsed(line_of(text, documents[1].start), "a second document begins")
    return documents[0] if documents else None


def _documents(text: str, events: Iterator[Any]) -> Iterator[_Node]:
    """Yield the root of each document, from the events of the parser."""
    opened: list[tuple[Any, list[_Node]]] = []
    for event in events:
        kind = type(event).__name__
        if kind in {"MappingStartEvent", "SequenceStartEvent"}:
            if len(opened) == _DEEPEST:
                raise NotParsed(event.start_mark.line + 1, "nested too deeply")
            opened.append((event, []))
            continue
        if kind in {"MappingEndEvent", "SequenceEndEvent"}:
            node = _closed(event, *opened.pop())
        elif kind == "ScalarEvent":
            end = event.start_mark.index + len(text[event.start_mark.index : event.end_mark.index].rstrip())
            node = _Node(
                "text", event.start_mark.index, end, (event.anchor, event.tag), False, event.value, event.implicit[0]
            )  # fmt: skip
        elif kind == "AliasEvent":
            node = _Node("alias", event.start_mark.index, event.end_mark.index, (event.anchor, None), False)
        else:
            continue
        if opened:
            opened[-1][1].append(node)
        else:
            yield node


def _closed(end: Any, start: Any, parts: list[_Node]) -> _Node:
    kind = "map" if type(start).__name__ == "MappingStartEvent" else "list"
    inline = bool(start.flow_style)
    last = end.end_mark.index if inline or not parts else parts[-1].end
    return _Node(kind, start.start_mark.index, last, (start.anchor, start.tag), inline, parts=tuple(parts))


def _unusual(text: str, at: int) -> NotParsed:
    return NotParsed(line_of(text, at), "it is laid out in a way that cannot be edited without harm; edit it by hand")


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else json.dumps(key)


def _dumped(data: object) -> str:
    """Return a value on one line, as JSON, which YAML includes."""
    return json.dumps(data, ensure_ascii=False)


def _line_start(text: str, at: int) -> int:
    begin = text.rfind("\n", 0, at) + 1
    return begin + text.startswith("\ufeff", begin)


def _line_end(text: str, at: int) -> int:
    """Return the beginning of the line after a position."""
    return text.find("\n", at) + 1 or len(text)


def _column(text: str, at: int) -> int:
    return at - _line_start(text, at)


def _newline(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
