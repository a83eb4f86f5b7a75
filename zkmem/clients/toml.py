"""Set or remove one table of a TOML text; every other byte, and every comment, stays.

A new table is added at the end of the text. A table with a header of its own is removed by lines, since tomlkit would
also remove the comments before the next header. All other changes are made by tomlkit. Each result is parsed and
compared with the expected data.
"""

import copy
import re
import tomllib
from collections.abc import MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

from zkmem.clients.jsonc import NotParsed, newline_of

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_BOM = "\ufeff"
_LINE = re.compile(r"\(at line (\d+)|at end of document")


def put(text: str, path: Sequence[str], data: object) -> str:
    """Set the value at `path` (keys from the root on); a missing table is added at the end."""
    if get(text, path) == data:
        return text
    if isinstance(data, dict):
        text = drop(text, path)
    expected = _parsed(text)
    _set(expected, path, data)
    if isinstance(data, dict):
        added = _appended(text, path, data)
        if _means(added, expected):
            return added
    document = _document(text)
    _set(document, path, data)
    return _held(_like(text, document.as_string()), expected)


def drop(text: str, path: Sequence[str]) -> str:
    """Remove the table at `path`; do nothing if there is none."""
    if get(text, path) is None:
        return text
    expected = _parsed(text)
    del _table(expected, path[:-1])[path[-1]]
    new = _cut(text, path)
    if new == text:
        document = _document(text)
        del _table(document, path[:-1])[path[-1]]
        new = _like(text, document.as_string())
    _prune(expected, path[:-1], _parsed(new))
    return _held(new, expected)


def get(text: str, path: Sequence[str]) -> Any:
    """Return the value at `path`; None if there is none."""
    value: Any = _parsed(text)
    for depth, key in enumerate(path):
        if not isinstance(value, dict):
            raise NotParsed(1, f"{'.'.join(path[:depth])} is not a table")
        if key not in value:
            return None
        value = value[key]
    return value


def _parsed(text: str) -> dict[str, Any]:
    try:
        return _loaded(text)
    except tomllib.TOMLDecodeError as error:
        position = _LINE.search(str(error))
        line = int(position[1]) if position and position[1] else text.count("\n") + 1
        reason = re.sub(r" \(at .*\)$", "", str(error))
        raise NotParsed(line, reason[:1].lower() + reason[1:]) from error


def _loaded(text: str) -> dict[str, Any]:
    """Return the data of a text, with strings for numbers with a fraction: `nan` would not equal itself."""
    try:
        return tomllib.loads(text.removeprefix(_BOM), parse_float=str)
    except RecursionError:
        raise NotParsed(1, "nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # more digits than Python reads
        raise NotParsed(1, "a number is too long") from None


def _document(text: str) -> "TOMLDocument":
    import tomlkit  # noqa: PLC0415 - 6 ms that no other command needs
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    try:
        return tomlkit.parse(text.removeprefix(_BOM))
    except TOMLKitError as error:  # it is stricter than tomllib here and there
        raise NotParsed(1, str(error)) from error


def _set(root: Any, path: Sequence[str], data: object) -> None:
    """Set a value in nested tables, which may be from tomllib or from tomlkit."""
    for key in path[:-1]:
        if key not in root:
            root[key] = {}
        root = root[key]
        if not isinstance(root, MutableMapping):
            raise NotParsed(1, f"{key} is not a table")
    root[path[-1]] = copy.deepcopy(data)


def _table(root: Any, path: Sequence[str]) -> Any:
    for key in path:
        root = root[key]
    return root


def _prune(expected: dict[str, Any], path: Sequence[str], got: dict[str, Any]) -> None:
    """Remove a table that has nothing left and was only implied by the tables below it."""
    if path and not _table(expected, path) and path[0] not in got:
        del expected[path[0]]


def _appended(text: str, path: Sequence[str], data: dict[str, Any]) -> str:
    newline = newline_of(text)
    lines = newline.join([*_dumped(path, data).rstrip("\n").split("\n"), ""])
    if not text.strip(_BOM + "\r\n\t "):
        return text + lines
    return text + (newline if text.endswith("\n") else newline * 2) + lines


def _dumped(path: Sequence[str], data: dict[str, Any]) -> str:
    import tomlkit  # noqa: PLC0415 - see above

    table: Any = data
    for key in reversed(path):
        table = {key: table}
    return tomlkit.dumps(table)


def _cut(text: str, path: Sequence[str]) -> str:
    """Return the text without the tables whose headers are at or below `path`; comments and blanks after them stay."""
    above: list[str] = []
    held: list[str] = []  # after the last line with content of a table that goes
    ours = False
    at = 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        header = _header(line)
        is_below = header[: len(path)] == list(path)
        if header and ours != is_below and _is_whole(text[:at]):
            above += held
            held = []
            ours = is_below
        bare = line.strip()
        if not ours:
            above.append(line)
        elif bare and not bare.startswith("#"):
            held = []
        else:
            held.append(line)
        at += len(line)
    if ours and not any(line.strip() for line in held):  # it was at the end
        while above and not above[-1].strip():
            above.pop()
    return "".join(above + held)


def _header(line: str) -> list[str]:
    """Return the keys of a header; none, if the line is not one."""
    bare = line.strip(_BOM + " \t\r\n")
    if not bare.startswith("["):
        return []
    try:
        value: Any = tomllib.loads(bare)
    except tomllib.TOMLDecodeError:
        return []
    keys = []
    while isinstance(value, dict) and value:
        ((key, value),) = value.items()
        keys.append(key)
    return keys


def _is_whole(text: str) -> bool:
    """Return whether a text is TOML. The text before a line is not if the line is inside a long string."""
    try:
        _loaded(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _like(text: str, new: str) -> str:
    """Return the new text with the byte order mark and, if they are all alike, the line ends of the old one."""
    if "\r\n" in text and not re.search(r"(?<!\r)\n", text):
        new = re.sub(r"(?<!\r)\n", "\r\n", new)
    return _BOM * text.startswith(_BOM) + new


def _means(text: str, expected: dict[str, Any]) -> bool:
    try:
        return _loaded(text) == expected
    except tomllib.TOMLDecodeError:
        return False


def _held(text: str, expected: dict[str, Any]) -> str:
    """Return the text if its data is as expected."""
    if not _means(text, expected):
        raise NotParsed(1, "it is laid out in a way that cannot be edited without harm; edit it by hand")
    return text
