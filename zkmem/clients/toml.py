"""Set or remove one table of a TOML text; every other byte, and every comment, stays.

A new table goes to the end of the text, and one with a header of its own is cut out by lines, since tomlkit counts
the comments before the next header to the table and would remove them too; all else is tomlkit's. What comes out is
held against what was meant.
"""

import copy
import re
import tomllib
from collections.abc import MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

from zkmem.clients.jsonc import NotParsed

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_BOM = "\ufeff"
_LINE = re.compile(r"\(at line (\d+)|at end of document")


def put(text: str, path: Sequence[str], data: object) -> str:
    """Set the value at `path` (keys from the root on); a missing table is added at the end.

    Raises:
        NotParsed: when the text is no TOML, or there is something else than a table on the way.
    """
    if get(text, path) == data:
        return text
    if isinstance(data, dict):
        text = drop(text, path)
    wanted = _parsed(text)
    _set(wanted, path, data)
    if isinstance(data, dict):
        added = _appended(text, path, data)
        if _means(added, wanted):
            return added
    document = _document(text)
    _set(document, path, data)
    return _held(_like(text, document.as_string()), wanted)


def drop(text: str, path: Sequence[str]) -> str:
    """Remove the table at `path`; do nothing if there is none.

    Raises:
        NotParsed: as `put` does.
    """
    if get(text, path) is None:
        return text
    wanted = _parsed(text)
    del _table(wanted, path[:-1])[path[-1]]
    new = _cut(text, path)
    if new == text:
        document = _document(text)
        del _table(document, path[:-1])[path[-1]]
        new = _like(text, document.as_string())
    _prune(wanted, path[:-1], _parsed(new))
    return _held(new, wanted)


def get(text: str, path: Sequence[str]) -> Any:
    """Return the value at `path`; None if there is none.

    Raises:
        NotParsed: as `put` does.
    """
    found: Any = _parsed(text)
    for depth, key in enumerate(path):
        if not isinstance(found, dict):
            raise NotParsed(1, f"{'.'.join(path[:depth])} is not a table")
        if key not in found:
            return None
        found = found[key]
    return found


def _parsed(text: str) -> dict[str, Any]:
    try:
        return _loaded(text)
    except tomllib.TOMLDecodeError as error:
        found = _LINE.search(str(error))
        line = int(found[1]) if found and found[1] else text.count("\n") + 1
        reason = re.sub(r" \(at .*\)$", "", str(error))
        raise NotParsed(line, reason[:1].lower() + reason[1:]) from error


def _loaded(text: str) -> dict[str, Any]:
    """Return the data of a text; numbers with a fraction are strings, so that each, `nan` too, equals itself."""
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
    """Set a value in nested tables, those of tomllib or of tomlkit."""
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


def _prune(wanted: dict[str, Any], path: Sequence[str], got: dict[str, Any]) -> None:
    """Remove a table that has nothing left and was only implied by the tables below it."""
    if path and not _table(wanted, path) and path[0] not in got:
        del wanted[path[0]]


def _appended(text: str, path: Sequence[str], data: dict[str, Any]) -> str:
    newline = _newline(text)
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
    kept: list[str] = []
    held: list[str] = []  # after the last line with content of a table that goes
    ours = False
    at = 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        header = _header(line)
        is_below = header[: len(path)] == list(path)
        if header and ours != is_below and _is_whole(text[:at]):
            kept += held
            held = []
            ours = is_below
        bare = line.strip()
        if not ours:
            kept.append(line)
        elif bare and not bare.startswith("#"):
            held = []
        else:
            held.append(line)
        at += len(line)
    if ours and not any(line.strip() for line in held):  # it was at the end
        while kept and not kept[-1].strip():
            kept.pop()
    return "".join(kept + held)


def _header(line: str) -> list[str]:
    """Return the keys of a header; none, if the line is not one."""
    bare = line.strip(_BOM + " \t\r\n")
    if not bare.startswith("["):
        return []
    try:
        found: Any = tomllib.loads(bare)
    except tomllib.TOMLDecodeError:
        return []
    keys = []
    while isinstance(found, dict) and found:
        ((key, found),) = found.items()
        keys.append(key)
    return keys


def _is_whole(text: str) -> bool:
    """Return whether a text is TOML: true of the text before a header, but not before a line in a long string."""
    try:
        _loaded(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _newline(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _like(text: str, new: str) -> str:
    """Return the new text with the byte order mark and, if they are all alike, the line ends of the old one."""
    if "\r\n" in text and not re.search(r"(?<!\r)\n", text):
        new = re.sub(r"(?<!\r)\n", "\r\n", new)
    return _BOM * text.startswith(_BOM) + new


def _means(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return _loaded(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _held(text: str, wanted: dict[str, Any]) -> str:
    """Return the text if its data is as expected."""
    if not _means(text, wanted):
        raise NotParsed(1, "it is laid out in a way that cannot be edited without harm; edit it by hand")
    return text
