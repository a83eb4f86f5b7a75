"""Set or remove one member of an object in a JSON text, or one item of an array; every other byte stays.

A path has keys, and the indexes of items. The index after that of the last item adds an item.
"""

import contextlib
import json
import re
from collections.abc import Sequence
from typing import Any

from zkmem.clients.jsonc import NotParsed, Value, line_of, parse, trivia

_INDENT = re.compile(r"\n([ \t]+)\S")
_DEFAULT = "  "


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
    new = _dumped(data, lead, _unit(text), _newline(text)) if "\n" in text else json.dumps(data, ensure_ascii=False)
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


def _holder(text: str, path: Sequence[str | int]) -> Value | None:
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


def _expect(text: str, node: Value, path: Sequence[str | int], depth: int) -> None:
    """Check that a value can have the next part of the path."""
    kind, name = (list, "array") if isinstance(path[depth], int) else (dict, "object")
    if not isinstance(node.data, kind):
        where = ".".join(map(str, path[:depth])) or "the whole"
        raise NotParsed(line_of(text, node.start), f"{where} is not an {name}")


def _nested(path: Sequence[str | int], data: object) -> object:
    for key in reversed(path):
        data = [data] if isinstance(key, int) else {key: data}
    return data


def _insert(text: str, node: Value, key: str | int, data: object) -> str:
    """Insert a member after the last one, on a line of its own unless the object is on one line."""
    inner = text[node.start : node.end]
    last = node.members[-1] if node.members else None
    if last and "\n" not in inner:
        return _insert_inline(text, node, key, data)
    newline, unit = _newline(text), _unit(text)
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


def _insert_inline(text: str, node: Value, key: str | int, data: object) -> str:
    last = node.members[-1]
    loose = ", " in text[node.start : node.end] or ": " in text[node.start : node.end]
    comma, colon = (", ", ": ") if loose else (",", ":")
    whole = [data] if isinstance(key, int) else {key: data}
    member = json.dumps(whole, ensure_ascii=False, separators=(comma, colon))[1:-1]
    if last.comma is None:
        return text[: last.value.end] + comma + member + text[last.value.end :]
    return text[: last.comma] + comma + member + text[last.comma :]


def _without(text: str, holder: Value, key: str | int) -> str:
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


def _content_end(text: str, node: Value) -> int:
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


def _newline(text: str) -> str:
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
