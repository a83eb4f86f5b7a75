"""Find what the logs of edits and of changes by other programs have about each path: its etag after each entry.

The logs are read once, and then only their new entries. The first call takes seconds for 100,000 entries, later ones
less than a millisecond.
"""

import bisect
from collections.abc import Sequence
from sys import intern
from typing import NamedTuple

from zkmem.past.names import Names, NameStep
from zkmem.util.locks import Rank, lock
from zkmem.util.spelling import clock
from zkmem.vault.journal.log import Edit, Log, client_name, origin
from zkmem.vault.journal.outside import OutsideLog, by_number, newest


class LogEntry(NamedTuple):
    """An entry of the logs."""

    number: int
    time: float  # seconds since 1970
    author: str  # the client, or how another program made the change


class SeenFile(NamedTuple):
    """A file as the index has it now."""

    etag: str
    written: float  # when its bytes were written, in seconds since 1970
    changed: float  # when it was written or moved, or got other permissions


class PathState(NamedTuple):
    """What was at a path at an earlier moment."""

    etag: str | None = None  # None if there was no file, or if it is not known
    since: str = ""  # if it is not known: the entry or the time from which on it is known


ABSENT = PathState()
NO_ENTRY = LogEntry(0, 0.0, "")


class Logged:
    """The entries of both logs of one vault, and the names of its files by them."""

    def __init__(self, log: Log, outside: OutsideLog) -> None:
        """`outside`: the changes by other programs."""
        self._log = log
        self._outside = outside
        self._lock = lock(Rank.LEAF)
        self._clear()

    def _clear(self) -> None:
        self.names = Names()
        self.entries: list[LogEntry] = []
        self.first = 1  # all entries from this one on are known

    def update(self) -> int:
        """Read the new entries of both logs; return the number of the last entry, 0 if there is none."""
        with self._lock:
            last = newest(self._log.last(), self._outside.last())
            is_other = last is not None and last.number == self._last.number and last.time != self._last.time
            if last is None or last.number < self._last.number or is_other:
                self._clear()  # somebody has removed the logs
            if last is not None and last.number > self._last.number:
                self._read()
            return self._last.number

    @property
    def _last(self) -> LogEntry:
        return self.entries[-1] if self.entries else NO_ENTRY

    def _read(self) -> None:
        new: list[Edit] = []
        for edit in by_number(self._log.backwards(), self._outside.backwards()):
            if new and edit.number > new[-1].number:
                continue  # a log that somebody has made up: numbers only rise
            if edit.number > self._last.number:
                new.append(edit)
            elif (edit.number, edit.time) == self._last[:2] or not new or new[-1].replaces:
                break
            else:  # the logs were removed, and have begun anew
                self._clear()
                new.append(edit)
        for edit in reversed(new):
            self._add(edit)

    def _add(self, edit: Edit) -> None:
        if edit.replaces and edit.replaces == self._last.number:
            self.entries.pop()
        is_next = edit.number == self._last.number + 1 or (edit.replaces and self.entries)
        if not is_next:
            self.first = self._outside.began(edit) if edit.replaces else edit.number  # those before it were cut off
        self.entries.append(LogEntry(edit.number, edit.time, intern(client_name(edit.client) or origin(edit.outside))))
        self.names.add(edit)

    def entry(self, number: int) -> LogEntry | None:
        """Return the entry with a number."""
        at = bisect.bisect_left(self.entries, number, key=_number)
        return self.entries[at] if at < len(self.entries) and self.entries[at].number == number else None

    def last_before(self, end: float) -> LogEntry:
        """Return the last entry that was made before a time; `NO_ENTRY` if there is none."""
        return next((one for one in reversed(self.entries) if one.time < end), NO_ENTRY)

    def later_steps(self, path: str, number: int) -> Sequence[NameStep]:
        """Return what the first entries after an entry did at a path."""
        return self.names.steps_until(path, number)[1]

    def left_at(self, path: str, number: int) -> str | None:
        """Return the etag that the last entry up to `number` left at a path; None if it left no file."""
        last = self.names.steps_until(path, number)[0]
        return last.after if last else None

    def state(
        self, path: str, number: int, seen: SeenFile | None, until: float, *, is_date: bool, watched: bool
    ) -> PathState:
        """Return what was at a path after an entry, at the time `until`.

        `seen`: the file that is there now. `is_date`: whether `until` may be later than the entry. `watched`: whether a
        server has recorded the changes by other programs. If none has, the first entry about a file does not show since
        when the file had the text before that entry.
        """
        last, later = self.names.steps_until(path, number)
        following = later[0] if later else None
        if last is not None and last.number == number and not (is_date and seen and following is None):
            return PathState(last.after)
        if following is not None:
            is_same = last.after == following.before if last else watched or following.before is None
            is_known = is_same and not following.is_late
            return PathState(following.before) if is_known else PathState(since=f"edit {following.number}")
        if seen is None:
            return PathState(since="now") if last and last.after is not None else ABSENT
        time_ = seen.written if watched and last is None else max(seen.written, seen.changed)
        if time_ <= until or (last is not None and last.after == seen.etag):
            return PathState(seen.etag)
        if last is not None and last.number == number:
            return PathState(last.after)
        return PathState(since=clock(time_))


def _number(one: LogEntry) -> int:
    return one.number
