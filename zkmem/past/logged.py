"""Find what the logs of edits and of changes by other programs have about each path: its etag after each entry.

The logs are read once, and then only their new entries. The first call takes seconds for 100,000 entries, later ones
less than a millisecond.
"""

import bisect
import itertools
import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from zkmem.past.files import EditedFile, by_number, edited_files
from zkmem.util.locks import Rank, lock
from zkmem.vault.journal.log import AWAY, Edit, Log, origin
from zkmem.vault.journal.outside import OutsideLog, newest
from zkmem.vault.paths import is_hidden

_BRING_BACK = {"undo", "redo", "restore"}  # tools after which a file that was gone is the same file again
_MOST_LATE = 20  # steps at one path that are searched for the place of a change that was found late


class Entry(NamedTuple):
    """An entry of the logs."""

    number: int
    time: float  # seconds since 1970
    author: str  # the client, or how another program made the change


class Step(NamedTuple):
    """What an entry did at one path: the etags before and after; None if there was no file."""

    number: int
    before: str | None
    after: str | None
    source: str | None  # the path of the file before that is there after the entry; None if it is new or gone
    is_late: bool  # whether the change was made at an unknown time before the entry


class Seen(NamedTuple):
    """A file as the index has it now."""

    etag: str
    written: float  # when its bytes were written, in seconds since 1970
    changed: float  # when it was written or moved, or got other permissions


class PathState(NamedTuple):
    """What was at a path at an earlier moment."""

    etag: str | None = None  # None if there was no file, or if it is not known
    since: str = ""  # if it is not known: the entry or the time from which on it is


ABSENT = PathState()
NO_ENTRY = Entry(0, 0.0, "")


class Logged:
    """The entries of both logs of one vault, by path."""

    def __init__(self, log: Log, outside: OutsideLog) -> None:
        """`outside`: the changes by other programs."""
        self._log = log
        self._outside = outside
        self._lock = lock(Rank.LEAF)
        self._clear()

    def _clear(self) -> None:
        self.entries: list[Entry] = []
        self.first = 1  # all entries from this one on are known
        self._steps: dict[str, list[Step]] = defaultdict(list)
        self._targets: dict[tuple[int, str], str] = {}  # where an entry moved the file at a path
        self._strings: dict[str, str] = {}  # each etag and path once in memory

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
    def _last(self) -> Entry:
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
        self.entries.append(Entry(edit.number, edit.time, self._once(edit.client or origin(edit.outside))))
        files = edited_files(edit)
        left = {one.before.path: one for one in files}
        came = {one.after.path: one for one in files if one.after.etag is not None}
        for path in dict.fromkeys([*left, *came]):
            self._take(edit, self._once(path), left.get(path), came.get(path))

    def _take(self, edit: Edit, path: str, left: EditedFile | None, came: EditedFile | None) -> None:
        """Add what an entry did at a path: `left` is the file that was there before, `came` the one after."""
        steps = self._steps[path]
        before, after = left.before.etag if left else None, came.after.etag if came else None
        source = came.before.path if came and (came.before.etag is not None or edit.tool in _BRING_BACK) else None
        if edit.replaces and steps and steps[-1].number == edit.replaces:
            steps.pop()
        if edit.outside and (late := _between(steps, before, after)) is not None:
            steps[late] = steps[late]._replace(is_late=True)
            return
        if left and left.after.etag is not None and left.after.path != path:
            self._targets[edit.number, path] = self._once(left.after.path)
        before, after, source = (text if text is None else self._once(text) for text in (before, after, source))
        steps.append(Step(edit.number, before, after, source, edit.outside == AWAY))

    def _once(self, text: str) -> str:
        return self._strings.setdefault(text, text)

    def entry(self, number: int) -> Entry | None:
        """Return the entry with a number."""
        at = bisect.bisect_left(self.entries, number, key=_number)
        return self.entries[at] if at < len(self.entries) and self.entries[at].number == number else None

    def last_before(self, end: float) -> Entry:
        """Return the last entry that was made before a time; `NO_ENTRY` if there is none."""
        return next((one for one in reversed(self.entries) if one.time < end), NO_ENTRY)

    def paths(self) -> Collection[str]:
        """Return the paths that any entry has changed."""
        return self._steps.keys()

    def earlier_path(self, path: str, number: int) -> str | None:
        """Return the path that a file had after an entry; None if it was made later.

        `path`: its present path, or its last one if it was deleted.
        """
        end: int | None = None  # the entry before which the file was at `path`
        while True:
            steps = self._steps.get(path, ())
            at = len(steps) if end is None else bisect.bisect_left(steps, end, key=_number)
            later = itertools.takewhile(lambda one: one.number > number, reversed(steps[:at]))
            arrival = next((one for one in later if one.after is not None and one.source != path), None)
            if arrival is None:
                return path
            if arrival.source is None:
                return None
            path, end = arrival.source, arrival.number

    def later_path(self, path: str, number: int) -> str | None:
        """Return the present path of the file that was at a path after an entry; None if it was removed."""
        while True:
            steps = self._steps.get(path, ())
            first = bisect.bisect_right(steps, number, key=_number)
            departure = next((one for one in steps[first:] if one.source != path), None)
            if departure is None:
                return path
            target = self._targets.get((departure.number, path))
            if target is None or is_hidden(target):
                again = next((one for one in steps if one.number > departure.number), None)
                if again is None or again.source != path:
                    return target
                target = path  # deleted, and then restored
            path, number = target, departure.number

    def later_steps(self, path: str, number: int) -> Sequence[Step]:
        """Return what the first entries after an entry did at a path."""
        steps = self._steps.get(path, ())
        first = bisect.bisect_right(steps, number, key=_number)
        return steps[first : first + _MOST_LATE]

    def left_at(self, path: str, number: int) -> str | None:
        """Return the etag that the last entry up to `number` left at a path; None if it left no file."""
        steps = self._steps.get(path, ())
        at = bisect.bisect_right(steps, number, key=_number)
        return steps[at - 1].after if at else None

    def renamed(self, path: str) -> str | None:
        """Return the present path of the file that was at a path last; None if it was not moved, or was removed."""
        steps = self._steps.get(path)
        last = steps[-1].number if steps else 0
        return self.later_path(path, last - 1) if (last, path) in self._targets else None

    def state(
        self, path: str, number: int, seen: Seen | None, until: float, *, is_date: bool, watched: bool
    ) -> PathState:
        """Return what was at a path after an entry, at the time `until`.

        `seen`: the file that is there now. `is_date`: whether `until` may be later than the entry. `watched`: whether a
        server has recorded the changes by other programs: if none has, the first entry about a file does not show since
        when the file had the text before it.
        """
        steps = self._steps.get(path, ())
        at = bisect.bisect_right(steps, number, key=_number)
        last, following = steps[at - 1] if at else None, steps[at] if at < len(steps) else None
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


def clock(seconds: float) -> str:
    """Return a time since 1970 for a person, in local time."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _number(one: Entry | Step) -> int:
    return one.number


def _between(steps: Sequence[Step], before: str | None, after: str | None) -> int | None:
    """Return the index of the step that came after a change which was found only later; None if there is none."""
    if not steps or steps[-1].after == before:
        return None
    for number in range(len(steps) - 1, max(-1, len(steps) - _MOST_LATE), -1):
        if steps[number].before == after and (number == 0 or steps[number - 1].after == before != after):
            return number
    return None
