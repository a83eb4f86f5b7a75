"""The log of edits in `.zkmem/versions/log`: one line of JSON for each edit, in the order in which they were made.

Other processes read it to learn which files have changed, and `undo` reads it to learn what to undo. A second log,
`.zkmem/versions/outside`, has the changes that other programs made: see `outside.py`.

A sitting is the edits of one client, or by one kind of other program, without a long pause.
"""

import contextlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zkmem.names import name_of
from zkmem.vault import platform
from zkmem.vault.files import create, read_part, write_all
from zkmem.vault.journal.state import FOLDER, StateFolder
from zkmem.vault.paths import is_hidden

_BLOCK = 65_536
_MOST = 16_000_000  # bytes; a longer log is cut to its newer half
_NO_LOG = (FileNotFoundError, NotADirectoryError, platform.Linked)
_MOST_READ = 4 * _MOST  # bytes at the end of the log: one edit may touch many files, but zkmem writes no longer log
MOST_S = 253_402_300_799.0  # since 1970: the end of the year 9999; times after it have no date in every program
_LONGEST = 300  # characters of a client's name, which the client chooses: a few names must not fill the log

HAND, AWAY = "hand", "away"
GIT = tuple(f"git {verb}" for verb in ("pull", "merge", "checkout", "rebase", "reset", "cherry-pick", "revert", "am"))
OUTSIDE = (HAND, AWAY, *GIT)
"""The origins of a change that no tool made: an editor or another program, one of them while no server ran, or git."""

_IN_WORDS = {HAND: "by hand", AWAY: "while zkmem was not running"}
_VERSION = re.compile(r"(?<=\S) v?\d[\w.+-]*$")  # at the end of a client's name

MALFORMED = (ValueError, TypeError, AttributeError, LookupError, OverflowError, RecursionError)
"""The errors that reading made-up JSON may raise."""


class Change(NamedTuple):
    """The change of one file by an edit: its etag before and after (None: no file), and the path it was moved to."""

    path: str
    before: str | None
    after: str | None
    to: str | None = None


class Pair(NamedTuple):
    """The path of a file, and the path that it was moved to, merged into or extracted to."""

    path: str
    to: str


class Edit(NamedTuple):
    """One edit by a tool, or one change by another program."""

    number: int
    time: float  # seconds since 1970
    tool: str
    client: str
    changes: tuple[Change, ...]
    undoes: tuple[int, ...] = ()  # the numbers of the edits that this one undoes
    merged: tuple[Pair, ...] = ()  # notes whose whole text was added to another note
    extracted: tuple[Pair, ...] = ()  # notes a passage of which was moved to another note
    commit: str = ""  # of a synchronisation: the commit whose files the vault has after the edit
    proposed: str = ""  # the key of the proposed edit that was accepted as this one
    since: tuple[tuple[str, int], ...] = ()  # of a proposed or accepted edit: the last edit that was known, by path
    outside: str = ""  # one of `OUTSIDE` if another program made the change; "" for an edit by a tool
    more: int = 0  # of a change by another program: how many changed notes are not in `changes`
    replaces: int = 0  # the number of an earlier change by another program that is part of this one
    call: str = ""  # the hash of the id that the client gave the call of the tool: see `origins.py`

    def paths(self) -> list[str]:
        """Return every path that the edit touched."""
        return list(dict.fromkeys(path for one in self.changes for path in (one.path, one.to) if path))

    def etags(self) -> dict[str, str | None]:
        """Return the etag that the edit has left at each path; None where no file is left."""
        etags: dict[str, str | None] = {}
        for change in self.changes:
            etags[change.path] = change.after if change.to is None else None
            if change.to is not None:
                etags[change.to] = change.before
        return etags

    @property
    def is_renaming(self) -> bool:
        """Whether the edit only renamed files and updated the links to them."""
        moves = [change for change in self.changes if change.to is not None]
        texts = [change for change in self.changes if change.to is None]
        others = self.undoes or self.merged or self.extracted or self.commit
        return (
            bool(moves)
            and not others
            and not self.outside
            and not any(is_hidden(path) for one in moves for path in (one.path, one.to or ""))
            and all(one.before is not None and one.after is not None for one in texts)
        )

    def relinks(self, change: Change) -> bool:
        """Return whether a change of this edit only updated links, for a note that was renamed, merged or split."""
        if change.to is not None or None in {change.before, change.after}:
            return False
        pairs = () if self.undoes or self.commit else (*self.merged, *self.extracted)
        return self.is_renaming or (bool(pairs) and not any(change.path in pair for pair in pairs))

    def title(self, most: int = 3) -> str:
        """Return a line about the edit: its tool and the first `most` notes that it touched."""
        moves = [
            name_of(one.to) if is_hidden(one.path) else f"{name_of(one.path)} -> {name_of(one.to)}"
            for one in self.changes
            if one.to
        ]
        moved = {path for one in self.changes if one.to for path in (one.path, one.to)}
        others = [name_of(one.path) for one in self.changes if one.path not in moved and not is_hidden(one.path)]
        names = moves + others
        left = max(0, len(names) - most) + self.more
        more = f" and {left} more" if left else ""
        of = f"of {', '.join(map(str, self.undoes))}: " if self.undoes else ""
        verb = self.tool or ("change" if self.outside else "edit")
        return f"{verb} {of}{', '.join(names[:most])}{more}"

    def line(self) -> bytes:
        """Return the edit as a line of JSON."""
        values = {key: value for key, value in self._asdict().items() if value or key not in self._field_defaults}
        return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    @classmethod
    def of(cls, values: dict[str, object]) -> "Edit":
        """Return the edit that a JSON object describes."""
        edit = cls(**values)  # type: ignore[arg-type]
        edit = edit._replace(
            changes=tuple(Change(*one) for one in edit.changes),
            undoes=tuple(edit.undoes),
            merged=tuple(Pair(*one) for one in edit.merged),
            extracted=tuple(Pair(*one) for one in edit.extracted),
            since=tuple((path, number) for path, number in edit.since),
        )
        numbers = (edit.number, edit.more, edit.replaces, *edit.undoes, *(number for _, number in edit.since))
        paths = [path for pair in edit.merged + edit.extracted for path in pair]
        about = (edit.tool, edit.client, edit.commit, edit.outside, edit.proposed, edit.call)
        texts = (*about, *(path for path, _ in edit.since), *(one.path for one in edit.changes), *paths)
        tags = [part for one in edit.changes for part in one[1:] if part is not None]
        if not all(type(one) is int for one in numbers) or not all(type(one) is str for one in (*texts, *tags)):
            raise ValueError("a number or a text is of another type")
        if not all(map(_is_inside, (*edit.paths(), *paths))):
            raise ValueError("a path leads out of the vault")
        if not edit.changes and not edit.undoes:
            raise ValueError("it changes nothing")
        if edit.outside and edit.outside not in OUTSIDE:
            raise ValueError("its origin is unknown")
        if not 0 <= edit.time <= MOST_S:
            raise ValueError("its time is no time")
        return edit._replace(time=float(edit.time))


def origin(outside: str) -> str:
    """Return one of `OUTSIDE` in words."""
    return _IN_WORDS.get(outside, outside)


def _is_inside(path: str) -> bool:
    """Return whether a path leads to a file in the vault, outside `.zkmem/`: a vault, and its log, may be made up."""
    path.encode()
    parts = path.split("/")
    return "\0" not in path and not {"", ".", ".."}.intersection(parts) and parts[0].lower() != FOLDER


class Log:
    """The log of one vault. Writing to it requires the vault's lock."""

    def __init__(self, state: StateFolder, name: str = "log", most: int = _MOST) -> None:
        """Open the log with a name; when it has more than `most` bytes, it is cut to its newer half."""
        self._state = state
        self._name = name
        self._most = most
        self._full = state.path("versions", name)
        self._seen = self._end()
        self._last: tuple[tuple[int, int], Edit | None] = ((0, 0), None)  # the log's end, and its last edit

    def news(self) -> list[Edit] | None:
        """Return the edits since the last call, or since the log was opened; None if the log was cut meanwhile."""
        before, self._seen = self._seen, self._end()
        if before == self._seen:
            return []
        if (before[0] != self._seen[0] and before != (0, 0)) or self._seen[1] - before[1] > _MOST_READ:
            return None
        return list(parsed(self._lines(before[1])))

    def append(self, edits: Sequence[Edit]) -> None:
        """Add at least one edit. Leave out edits that the log has already. `news` does not return the added ones."""
        last = self.last()
        new = [edit for edit in edits if last is None or last.number < edit.number]
        if not new:
            return
        handle = platform.current.opened(self._full, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            status = platform.current.info_of(handle)
            size = status.st_size
            torn = size > 0 and platform.current.read_at(handle, 1, size - 1) != b"\n"  # by a power cut
            lines = b"\n" * torn + b"".join(edit.line() for edit in new)
            try:
                write_all(handle, lines)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.ftruncate(handle, size)  # part of the lines may have been written
                raise
        finally:
            os.close(handle)
        self._seen = self._mark(status.st_ino, size + len(lines))
        if size > self._most:
            with contextlib.suppress(OSError):  # the edits are in the log; the next edit tries to cut it again
                self._cut()
                self._seen = self._end()
        self._last = self._seen, new[-1]

    def last(self) -> Edit | None:
        """Return the last edit, if there is one."""
        end = self._end()
        if self._last[0] != end:
            self._last = end, next(self.backwards(), None)
        return self._last[1]

    def backwards(self) -> Iterator[Edit]:
        """Yield all edits, the last one first."""
        with contextlib.suppress(*_NO_LOG), open(self._full, "rb", opener=platform.current.opened) as file:
            rest, position = b"", file.seek(0, os.SEEK_END)
            first = max(0, position - _MOST_READ)
            while position > first:
                size = min(_BLOCK, position - first)
                position = file.seek(position - size)
                lines = (file.read(size) + rest).split(b"\n")
                rest = lines.pop(0)
                yield from parsed(reversed(lines))
            yield from parsed([rest])

    def size(self) -> int:
        """Return the size of the log in bytes."""
        return self._end()[1]

    def replace(self, edits: Sequence[Edit]) -> None:
        """Replace the content of the log by these edits. The next call of `news` returns None."""
        self._put(b"".join(edit.line() for edit in edits))

    def _lines(self, start: int) -> list[bytes]:
        try:
            with open(self._full, "rb", opener=platform.current.opened) as file:
                file.seek(start)
                return file.read(_MOST_READ).split(b"\n")
        except _NO_LOG:
            return []

    def _end(self) -> tuple[int, int]:
        """Return the inode and the size of the log; zeros if there is no log."""
        try:
            stat = platform.current.info(self._full)
        except _NO_LOG:
            return 0, 0
        return self._mark(stat.st_ino, stat.st_size)

    def _mark(self, inode: int, size: int) -> tuple[int, int]:
        """Return a value that differs for each state of the log; its second part is the size."""
        return inode, size

    def _cut(self) -> None:
        """Keep only the newer half of the log."""
        size = platform.current.info(self._full).st_size
        data, _ = read_part(self._full, max(size // 2, size - _MOST_READ), _MOST_READ)
        self._put(data[data.index(b"\n") + 1 :])

    def _put(self, lines: bytes) -> None:
        temp = self._state.path("journal", self._name)
        with contextlib.suppress(FileNotFoundError):  # a killed process has left it
            platform.current.unlink(temp)
        create(temp, lines, durable=True)
        platform.current.rename(temp, self._full)


def parsed(lines: Iterable[bytes]) -> Iterator[Edit]:
    """Yield the edits in some lines. Skip lines that are torn, or that a later zkmem wrote."""
    for line in lines:
        with contextlib.suppress(*MALFORMED):
            yield Edit.of(json.loads(line))


def undone_numbers(edits: Iterable[Edit]) -> set[int]:
    """Return the numbers of the edits that are undone now, and of the undos that are redone.

    `edits` come newest first.
    """
    undone: set[int] = set()
    for edit in edits:
        if edit.number not in undone:
            undone.update(edit.undoes)
    return undone


def printable_name(name: str) -> str:
    """Return a name as one printable line of limited length: a client, or a commit of others, may have any name."""
    return " ".join("".join(char if char.isprintable() else " " for char in name[:_LONGEST]).split())


def client_name(client: str) -> str:
    """Return the name of a client without its version: `claude-code` for `claude-code 2.1.330`."""
    return _VERSION.sub("", client)


def client_version(*clients: str) -> str:
    """Return the version of a client; those of several, with commas between them: `2.1.330, 2.1.332`."""
    found = map(_VERSION.search, clients)
    return ", ".join(sorted({one[0].strip() for one in found if one}))


def next_edit(
    last: Edit | None,
    tool: str,
    client: str,
    changes: Iterable[Change],
    undoes: Iterable[int] = (),
    merged: Iterable[Pair] = (),
    extracted: Iterable[Pair] = (),
    commit: str = "",
    proposed: str = "",
    since: Iterable[tuple[str, int]] = (),
    call: str = "",
) -> Edit:
    """Return a new edit, numbered after the last one."""
    number, tool, client = last.number + 1 if last else 1, printable_name(tool), printable_name(client)
    about = tuple(undoes), tuple(merged), tuple(extracted), commit, proposed, tuple(since)
    return Edit(number, time.time(), tool, client, tuple(changes), *about, call=call)


PAUSE_S = 900.0
"""The shortest pause that ends a sitting, in seconds."""


class Sitting(NamedTuple):
    """Edits of one client, the newest first."""

    client: str  # its name, without a version
    edits: list[Edit]
    outside: str = ""  # see `Edit`

    @property
    def number(self) -> int:
        """The number of its newest edit."""
        return self.edits[0].number


def sittings(edits: Iterable[Edit]) -> Iterator[Sitting]:
    """Yield the sittings in `edits`, which come newest first. The sitting with the newest edit comes first.

    Clients may work at the same time, so the edits of a sitting need not follow each other.
    """
    unfinished: dict[tuple[str, str], Sitting] = {}  # in the order of their newest edits
    waiting: list[Sitting] = []
    for edit in edits:
        author = client_name(edit.client), edit.outside
        sitting = unfinished.get(author)
        if sitting is not None and abs(sitting.edits[-1].time - edit.time) < PAUSE_S:
            sitting.edits.append(edit)
        else:
            sitting = unfinished[author] = Sitting(author[0], [edit], edit.outside)
            waiting.append(sitting)
        while waiting and waiting[0].edits[-1].time > edit.time + PAUSE_S:  # nothing can be added to it any more
            yield waiting.pop(0)
    yield from waiting


def sitting_with(edits: Iterable[Edit], number: int) -> Sitting | None:
    """Return the sitting that has the edit with this number; None if there is none. `edits` come newest first."""
    for sitting in sittings(edits):
        if any(edit.number == number for edit in sitting.edits):
            return sitting
        if sitting.number < number:
            return None
    return None
