"""Parse JSON with comments and trailing commas, and set or remove one member of an object, or one item of an array.

Every other byte stays. A path has keys, and the indexes of items. The index after that of the last item adds an item.
"""

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

_SPACE = " \t\r\n"
_BOM = "\ufeff"
_DEEPEST = 200  # levels; no configuration has so many
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_INDENT = re.compile(r"\n([ \t]+)\S")
_DEFAULT = "  "


class NotParsed(Exception):
    """A text that cannot be parsed: the number of the line, from 1, and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class Member(NamedTuple):
    """A key of an object, or the index of an item of an array, with its value; `start` is that of the key or item."""

    key: str | int
    start: int
    value: "JsonValue"
    comma: int | None  # the position of the comma after it


class JsonValue(NamedTuple):
    """A value from `start` to `end` (exclusive), as a Python value; an object or an array has members, too."""

    start: int
    end: int
    data: Any
    members: tuple[Member, ...] = ()

    def member(self, key: str | int) -> Member | None:
        """Return the member with this key: the last one, as in other readers."""
        return next((one for one in reversed(self.members) if one.key == key), None)


def parse(text: str) -> JsonValue:
    """Parse a text, and return its value."""
    reader = _Reader(text)
    at = reader.skip(len(_BOM) if text.startswith(_BOM) else 0)
    value = reader.value(at, 0)
    rest = reader.skip(value.end)
    if rest < len(text):
        reader.fail(rest, "there is more after the end")
    return value


def trivia(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of white space and of each comment from `at` on, up to the first other character."""
    while at < len(text):
        end = at
        if text[at] in _SPACE:
            while end < len(text) and text[end] in _SPACE:
                end += 1
        elif text.startswith("//", at):
            end = _line_end(text, at)
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2) + 2
            if end < 2:
                raise NotParsed(line_of(text, at), "a comment has no end")
        else:
            return
        yield at, end
        at = end


def line_of(text: str, at: int) -> int:
    """Return the number of the line that holds a position, from 1."""
    return text.count("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1] == "\r" else end


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, at: int) -> int:
        """Return the first position from `at` on that is neither white space nor in a comment."""
        for _, end in trivia(self._text, at):
            at = end
        return at

    def fail(self, at: int, reason: str) -> NoReturn:
        raise NotParsed(line_of(self._text, at), reason)

    def value(self, at: int, depth: int) -> JsonValue:
        if depth > _DEEPEST:
            self.fail(at, "nested too deeply")
        sign = self._text[at : at + 1]
        if sign == "{":
            return self._object(at, depth)
        if sign == "[":
            return self._array(at, depth)
        if sign == '"':
            text, end = self._string(at)
            return JsonValue(at, end, text)
        plain = _PLAIN.match(self._text, at)
        if plain is None:
            self.fail(at, f"a value is expected, not {sign!r}" if sign else "a value is missing at the end")
        try:
            return JsonValue(at, plain.end(), json.loads(plain[0]))
        except ValueError:  # more digits than Python reads
            self.fail(at, "a number is too long")

    def _string(self, at: int) -> tuple[str, int]:
        string = _STRING.match(self._text, at)
        if string is None:
            self.fail(at, "a text has no closing quote")
        try:
            return json.loads(string[0]), string.end()
        except json.JSONDecodeError as error:  # a line end or a wrong escape in it
            self.fail(at + error.pos, error.msg[0].lower() + error.msg[1:])

    def _array(self, start: int, depth: int) -> JsonValue:
        members: list[Member] = []
        at = self.skip(start + 1)
        while self._text[at : at + 1] != "]":
            value = self.value(at, depth + 1)
            at, comma = self._next(value.end, "]")
            members.append(Member(len(members), value.start, value, comma))
        return JsonValue(start, at + 1, [one.value.data for one in members], tuple(members))

    def _object(self, start: int, depth: int) -> JsonValue:
        members: list[Member] = []
        at = self.skip(start + 1)
        while self._text[at : at + 1] != "}":
            if self._text[at : at + 1] != '"':
                self.fail(at, 'a key in double quotes, or "}", is expected')
            key, end = self._string(at)
            colon = self.skip(end)
            if self._text[colon : colon + 1] != ":":
                self.fail(colon, f'":" is expected after the key {key!r}')
            value = self.value(self.skip(colon + 1), depth + 1)
            begin = at
            at, comma = self._next(value.end, "}")
            members.append(Member(key, begin, value, comma))
        return JsonValue(start, at + 1, {one.key: one.value.data for one in members}, tuple(members))

    def _next(self, end: int, closing: str) -> tuple[int, int | None]:
        """Return the position of the next element or of the closing bracket, and that of the comma before it."""
        at = self.skip(end)
        if self._text[at : at + 1] == ",":
            return self.skip(at + 1), at
        if self._text[at : at + 1] != closing:
            self.fail(at, f'"," or "{closing}" is expected')
        return at, None


def put(text: str, path: Sequence[str | int], data: object) -> str:
    """Set the value at `path` (from the root on). Missing objects are created, and, for the index 0, missing arrays.

    An empty text becomes an object. The new lines are indented like those around them.
    """
    if not text.strip(" \t\r\n\ufeff"):
        return text[: text.startswith("\ufeff")] + _dumped(_nested(path, data), "", _DEFAULT, "\n") + "\n"
    node = parse(text)
    for depth, key in enumerate(path):
        _expect(text, node, path, depth)
        member = node.member(key)
        if member is None:
            return _insert(text, node, key, _nested(path[depth + 1 :], data))
        node = member.value
    if node.data == data:
        return text
    lead = _lead(text, node.start)
    new = _dumped(data, lead, _unit(text), newline_of(text)) if "\n" in text else json.dumps(data, ensure_ascii=False)
    return text[: node.start] + new + text[node.end :]


def drop(text: str, path: Sequence[str | int]) -> str:
    """Remove the member at `path`, and its comma; do nothing if there is none."""
    while (holder := _holder(text, path)) is not None:
        text = _without(text, holder, path[-1])
        if isinstance(holder.data, list):
            break  # the next item has the index now
    return text


def drop_emptied(text: str, path: Sequence[str | int], before: str) -> str:
    """Remove the member at `path` if it is empty, but not if it is empty in the text `before`, too."""
    value = get(text, path)
    # without the last of two equal keys, a reader would take the first one, which may have members of others
    if value not in ([], {}) or is_repeated(text, path):
        return text
    with contextlib.suppress(NotParsed):
        if get(before, path) == value:
            return text
    return drop(text, path)


def get(text: str, path: Sequence[str | int]) -> Any:
    """Return the value at `path`; None if there is none."""
    holder = _holder(text, path)
    member = holder.member(path[-1]) if holder else None
    return member.value.data if member else None


def is_repeated(text: str, path: Sequence[str | int]) -> bool:
    """Return whether the object with the member at `path` has its key more than once."""
    holder = _holder(text, path)
    return holder is not None and sum(one.key == path[-1] for one in holder.members) > 1


def _holder(text: str, path: Sequence[str | int]) -> JsonValue | None:
    """Return the object or array that has the member at `path`."""
    if not text.strip(" \t\r\n\ufeff"):
        return None
    node = parse(text)
    for depth, key in enumerate(path):
        _expect(text, node, path, depth)
        member = node.member(key)
        if member is None:
            return None
        if depth == len(path) - 1:
            return node
        node = member.value
    return None


def _expect(text: str, node: JsonValue, path: Sequence[str | int], depth: int) -> None:
    """Check that a value can have the next part of the path."""
    kind, name = (list, "array") if isinstance(path[depth], int) else (dict, "object")
    if not isinstance(node.data, kind):
        where = ".".join(map(str, path[:depth])) or "the whole"
        raise NotParsed(line_of(text, node.start), f"{where} is not an {name}")


def _nested(path: Sequence[str | int], data: object) -> object:
    for key in reversed(path):
        data = [data] if isinstance(key, int) else {key: data}
    return data


def _insert(text: str, node: JsonValue, key: str | int, data: object) -> str:
    """Insert a member after the last one, on a line of its own unless the object is on one line."""
    inner = text[node.start : node.end]
    last = node.members[-1] if node.members else None
    if last and "\n" not in inner:
        return _insert_inline(text, node, key, data)
    newline, unit = newline_of(text), _unit(text)
    closing = _lead(text, node.start)
    lead = _own_lead(text, last.start) if last else None
    lead = closing + unit if lead is None else lead
    name = "" if isinstance(key, int) else f"{json.dumps(key, ensure_ascii=False)}: "
    member = name + _dumped(data, lead, unit, newline)
    if last is None:
        at = _content_end(text, node)
        rest = text[at : node.end - 1]
        return text[:at] + newline + lead + member + ("" if "\n" in rest else newline + closing) + text[at:]
    if last.comma is None:
        at = _line_rest(text, last.value.end)
        return text[: last.value.end] + "," + text[last.value.end : at] + newline + lead + member + text[at:]
    at = _line_rest(text, last.comma + 1)
    return text[:at] + newline + lead + member + "," + text[at:]


def _insert_inline(text: str, node: JsonValue, key: str | int, data: object) -> str:
    last = node.members[-1]
    loose = ", " in text[node.start : node.end] or ": " in text[node.start : node.end]
    comma, colon = (", ", ": ") if loose else (",", ":")
    whole = [data] if isinstance(key, int) else {key: data}
    member = json.dumps(whole, ensure_ascii=False, separators=(comma, colon))[1:-1]
    if last.comma is None:
        return text[: last.value.end] + comma + member + text[last.value.end :]
    return text[: last.comma] + comma + member + text[last.comma :]


def _without(text: str, holder: JsonValue, key: str | int) -> str:
    """Return the text without the last member of this key."""
    number = max(number for number, one in enumerate(holder.members) if one.key == key)
    member = holder.members[number]
    before = holder.members[number - 1] if number else None
    comma, end = member.comma, member.value.end
    after = text[end:] if comma is None else text[end:comma] + text[comma + 1 :]
    begin = holder.start + 1 if before is None or before.comma is None else before.comma + 1
    cuts = [(_space_before(text, begin, member.start, after), end)]
    if comma is not None:
        cuts.append((comma, comma + 1))
    elif before and before.comma is not None:  # the last of several
        cuts.append((before.comma, before.comma + 1))
    for start, end in sorted(cuts, reverse=True):
        text = text[:start] + text[end:]
    if len(holder.members) == 1:
        text = _closed_up(text, holder.start)
    return text


def _closed_up(text: str, start: int) -> str:
    """Return the text without the white space in an object or array that is empty now."""
    end = start + 1
    while text[end] in " \t\r\n":
        end += 1
    return text[: start + 1] + text[end:] if text[end] in "}]" else text


def _space_before(text: str, begin: int, at: int, after: str) -> int:
    """Return where the white space before a position begins, not before `begin`.

    Return the position itself if the text `after` would otherwise become part of a comment.
    """
    spans = list(trivia(text, begin))
    if not spans or text[spans[-1][0]] == "/":
        return at
    start = spans[-1][0]
    is_line_comment = len(spans) > 1 and text.startswith("//", spans[-2][0])
    return at if is_line_comment and after.lstrip(" \t")[:1] not in {"\n", "\r"} else start


def _content_end(text: str, node: JsonValue) -> int:
    """Return the position after the last comment in an object or array without members, or after its bracket."""
    ends = [end for start, end in trivia(text, node.start + 1) if text[start] == "/"]
    return ends[-1] if ends else node.start + 1


def _line_rest(text: str, at: int) -> int:
    """Return the position after the comments that follow on the same line."""
    for start, end in trivia(text, at):
        if text[start] == "/":
            at = end
        if "\n" in text[start:end]:
            break
    return at


def _lead(text: str, at: int) -> str:
    """Return the white space at the beginning of the line that holds a position."""
    begin = text.rfind("\n", 0, at) + 1
    line = text[begin:at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _own_lead(text: str, at: int) -> str | None:
    """Return the text before a position in its line, if that is white space; None otherwise."""
    lead = text[text.rfind("\n", 0, at) + 1 : at]
    return None if lead.strip(" \t") else lead


def _unit(text: str) -> str:
    """Return the indent of one level."""
    indent = _INDENT.search(text)
    return indent[1] if indent else _DEFAULT


def newline_of(text: str) -> str:
    """Return the line end of a text."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _dumped(data: object, lead: str, unit: str, newline: str) -> str:
    """Return a value as JSON on several indented lines, with each list of plain values on one line."""
    inner = lead + unit
    if isinstance(data, dict) and data:
        names = [f"{json.dumps(key, ensure_ascii=False)}: " for key in data]
        values, ends = list(data.values()), "{}"
    elif isinstance(data, list) and any(isinstance(one, dict) for one in data):
        names, values, ends = [""] * len(data), data, "[]"
    else:
        return json.dumps(data, ensure_ascii=False)
    lines = (inner + name + _dumped(one, inner, unit, newline) for name, one in zip(names, values, strict=True))
    return ends[0] + newline + f",{newline}".join(lines) + newline + lead + ends[1]
