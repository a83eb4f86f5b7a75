"""Write into commit messages which files an edit moved, merged and extracted from, and read these lines back.

A merge of two histories must know which note became which. git only guesses renames from similar texts, and knows
neither merges nor extractions of notes. The lines are git trailers, for example:

    Zkmem-Moved: people/Ann.md -> people/Ann Smith.md
    Zkmem-Merged: teas.md -> tea.md
    Zkmem-Extracted: tea.md -> green tea.md

A merge has such lines for each of its parents; those for the second begin with `Zkmem-Moved-2` and `Zkmem-Merged-2`.
A line `Zkmem-Kept: tea.md` in a merge names a file that the merge has although its first parent had deleted it, or had
merged it into another; `Zkmem-Kept-2` is about the second parent.
Paths are relative to the top of the repository. Characters that cannot stand in the line are percent-encoded: `%`,
control characters, line separators, unpaired surrogates, a space at either end, and the `>` of an arrow.
"""

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from zkmem.vault.journal.log import Edit, Pair, printable_name
from zkmem.vault.paths import is_hidden, is_inside

_ENCODED = re.compile("[%\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff]|(?<=-)>|^ | $")
_ARROW = " -> "
_LINE = re.compile(r"^Zkmem-(Moved|Merged|Extracted)(?:-(\d))?: (.+)$", re.MULTILINE)
_KEPT = re.compile(r"^Zkmem-Kept(?:-(\d))?: (.+)$", re.MULTILINE)

_TOOL = re.compile(r"^Zkmem-Tool:(.*)$", re.MULTILINE)
_MACHINE = re.compile(r"^Zkmem-Machine: (.+)$", re.MULTILINE)


class Trailers(NamedTuple):
    """The moves, merges and extractions of an edit."""

    moved: tuple[Pair, ...] = ()  # files that got another path
    merged: tuple[Pair, ...] = ()  # notes whose whole text was added to another note
    extracted: tuple[Pair, ...] = ()  # notes a passage of which was moved to another note

    @classmethod
    def of_edit(cls, edit: Edit) -> "Trailers":
        """Return the moves, merges and extractions of an edit by a tool.

        The merges of a synchronisation are left out: it has them from commits.
        """
        moved = (Pair(one.path, one.to) for one in edit.changes if one.to)
        seen = tuple(pair for pair in moved if not any(map(is_hidden, pair)))  # the trash is not committed
        return cls(seen, () if edit.commit else edit.merged, edit.extracted)

    @classmethod
    def since_commit(
        cls, entries: Iterable[Edit], before: Mapping[str, str | None], is_there: Callable[[str], bool]
    ) -> "Trailers":
        """Return the moves and merges since the last commit, as far as the logs know them.

        These are moves by hand that were recorded, and moves and merges by tools: the commit of an edit by a tool
        leaves out a note that also has edits by hand in the same lines; the next commit by hand contains both.
        `entries`: the last ones of the logs, the oldest first; `before`: the etags in the last commit of the files that
        they move; `is_there`: returns whether there is a file at a path now.
        """
        moved: dict[str, str] = {}  # present path -> path in the last commit
        merged: dict[str, str] = {}  # path in the last commit -> present path of the note that has the text
        known: set[str] = set()  # files that had their bytes of the last commit before they were moved or merged
        again: set[str] = set()  # paths that got another file after that
        for entry in entries:
            left = {*merged, *moved.values()}
            new = left - moved.keys()  # paths that can only have other files than the last commit
            known |= {one.path for one in entry.changes if one.path not in left and one.before == before.get(one.path)}
            one = cls.of_edit(entry)
            renames = dict([*one.moved, *one.merged])
            merged = {old: renames.get(to, to) for old, to in merged.items()}
            moved |= {to: moved.pop(old, old) for old, to in one.moved if old not in new}
            merged |= {moved.pop(old, old): to for old, to in one.merged if old not in new}
            left = {*merged, *moved.values()}  # the same edit may have brought other files to these paths
            others = {path: tag for path, tag in entry.etags().items() if path in left and moved.get(path) != path}
            again |= {path for path, tag in others.items() if tag}
            committed = {path for path, tag in others.items() if tag and tag == before.get(path)}
            moved = {new: old for new, old in moved.items() if committed.isdisjoint({new, old})}
            merged = {old: to for old, to in merged.items() if old not in committed}
        pairs = [Pair(old, new) for new, old in moved.items() if new != old and is_there(new)]
        gone = {old for old in before if old in known or (old not in again and not is_there(old))}
        found = (
            [pair for pair in some if pair.path in gone] for some in (pairs, [Pair(*one) for one in merged.items()])
        )
        return cls(*map(tuple, found))

    def lines(self, prefix: str = "", parent: int = 1) -> Iterator[str]:
        """Yield the lines for a commit message, each with its line end; `prefix` is the path of the vault.

        `parent`: the number of the parent since which the files moved; a merge has two.
        """
        for key, pairs in zip(("Moved", "Merged", "Extracted"), self, strict=True):
            for pair in pairs:
                yield f"Zkmem-{key}{_number(parent)}: {_ARROW.join(_encoded(prefix + path) for path in pair)}\n"

    @classmethod
    def of_message(cls, message: str, prefix: str = "", parent: int = 1) -> "Trailers":
        """Return what the last paragraph of a message says about files below `prefix`.

        Skip malformed lines, and paths that lead out of the vault: anybody may have written the message.

        `parent`: the number of the parent since which the files moved.
        """
        pairs: dict[str, list[Pair]] = {"Moved": [], "Merged": [], "Extracted": []}
        for key, number, value in _LINE.findall(_last_paragraph(message)):
            if (number or "1") != str(parent):
                continue
            try:
                paths = [_decoded(part) for part in value.split(_ARROW)]
            except UnicodeDecodeError:
                continue
            inside = [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]
            if len(paths) == len(inside) == len(Pair._fields) and all(map(is_inside, inside)):
                pairs[key].append(Pair(*inside))
        return cls(*map(tuple, pairs.values()))


def extractions(edits: Iterable[Edit]) -> tuple[Pair, ...]:
    """Return the extractions in some edits by tools, oldest first, by the paths that the last edit has left."""
    found: tuple[Pair, ...] = ()
    for one in map(Trailers.of_edit, edits):
        now = dict([*one.moved, *one.merged])
        found = (*(Pair(*(now.get(path, path) for path in pair)) for pair in found), *one.extracted)
    return found


def kept_lines(paths: Iterable[str], prefix: str, parent: int) -> Iterator[str]:
    """Yield the `Zkmem-Kept` lines of a merge about one of its parents, each with its line end."""
    for path in paths:
        yield f"Zkmem-Kept{_number(parent)}: {_encoded(prefix + path)}\n"


def kept_in(message: str, prefix: str, parent: int) -> list[str]:
    """Return the files below `prefix` that the `Zkmem-Kept` lines about a parent name. Skip malformed lines."""
    paths = []
    for number, value in _KEPT.findall(_last_paragraph(message)):
        with contextlib.suppress(UnicodeDecodeError):
            paths += [_decoded(value)] if (number or "1") == str(parent) else []
    return [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]


def _number(parent: int) -> str:
    """Return what follows the key of a line about one of the parents of a merge."""
    return "" if parent == 1 else f"-{parent}"


def machine_trailer(machine: str) -> str:
    """Return the line that names the machine on which a commit was made."""
    return f"Zkmem-Machine: {machine}\n"


def message_by_hand(lines: Iterable[str], machine: str) -> str:
    """Return the message of a commit of edits by hand. `lines`: those of its moves and merges."""
    return f"edits by hand\n\n{''.join(lines)}{machine_trailer(machine)}"


def machine_of(message: str) -> str | None:
    """Return the machine that a commit message names; None if it names none."""
    matches = _MACHINE.findall(_last_paragraph(message))
    return printable_name(matches[-1]) if matches else None


def is_by_zkmem(message: str) -> bool:
    """Return whether a commit message is that of a commit by zkmem."""
    return machine_of(message) is not None


def is_by_tool(message: str) -> bool:
    """Return whether a commit message is that of an edit by a tool. Such an edit updates all links."""
    return tool_of(message) is not None


def tool_of(message: str) -> str | None:
    """Return the tool whose edit a commit message is about; None if it is about none."""
    matches = _TOOL.findall(_last_paragraph(message))
    return matches[-1].strip() if matches else None


def _last_paragraph(message: str) -> str:
    """Return the last paragraph of a message."""
    return message.rstrip(" \t\r\n").rpartition("\n\n")[2]  # a path may end with another kind of blank


def _encoded(path: str) -> str:
    return _ENCODED.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode(errors="surrogatepass")), path)


def _decoded(text: str) -> str:
    return unquote(text, errors="surrogatepass")
