"""Find the path of a file at each moment, and the files that were there at a moment.

A moment is the number of an entry of the logs, and means the time right after this entry. A file that no entry names
counts as unchanged.
"""

import bisect
import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from sys import intern, maxsize
from typing import NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.resolve import cleaned, resolve
from zkmem.names import NOTE_SUFFIX, base_of, fold
from zkmem.past.files import BRING_BACK, EditedFile, edited_files, effective
from zkmem.vault.journal.log import AWAY, Edit
from zkmem.vault.paths import is_hidden

NOW = maxsize
"""The moment after all entries."""

_MOST_LATE = 20  # steps at one path that are searched for the place of a change that was found late
_MOST_ARRIVALS = 50  # files of one name that are tried as the target of a link


class NameStep(NamedTuple):
    """What an entry did at one path: the etags before and after; None if there was no file."""

    number: int
    before: str | None
    after: str | None
    source: str | None  # the path of the file before that is there after the entry; None if it is new or gone
    is_late: bool  # whether the change was made at an unknown time before the entry


class PlannedMoves(NamedTuple):
    """The files that a planned edit moves, removes and restores."""

    moves: Mapping[str, str | None] = {}  # old path -> new path; None for a removed file
    restored: Mapping[
        tuple[int, str], str
    ] = {}  # entry that removed a file, and its path -> path at which it comes back


class LinkedFile(NamedTuple):
    """The file that a link meant: its path then, and its path after a planned edit, or its last path if it is gone."""

    was: str
    path: str


class Names:
    """The paths of files at each moment, by the entries of the logs."""

    def __init__(self, entries: Iterable[Edit] = ()) -> None:
        """Take all entries of the logs since the first moment that somebody will ask for, in order."""
        self._steps: dict[str, list[NameStep]] = defaultdict(list)
        self._breaks: dict[str, list[NameStep]] = defaultdict(list)  # those in which a file came to the path or left it
        self._targets: dict[tuple[int, str], str] = {}  # where an entry moved the file at a path
        self._merged: dict[tuple[int, str], str] = {}  # the note into which an entry merged the note at a path
        self._merged_elsewhere: dict[str, int] = {}  # path of such a note -> the entry, which is a synchronisation
        self._named: dict[str, dict[str, None]] = defaultdict(dict)  # the paths of the steps, by folded last component
        self._undone: dict[str, int] = {}  # path -> the last entry that is left out and has taken its file away
        self._left_out: dict[str, str | None] = {}  # path -> the etag there after entries that are left out
        self._away = Counter[str]()  # path -> how many files these entries have taken away from it so far
        # (entry, path): the entry put a file there while entries that are left out had taken away the path's own file
        self._interim: set[tuple[int, str]] = set()
        for entry in entries:
            self.add(entry)

    def add(self, entry: Edit) -> None:
        """Add the next entry."""
        files = edited_files(entry)
        left = {one.before.path: one for one in files if one.before.etag is not None}
        came = {one.after.path: one for one in files if one.after.etag is not None}
        for path in dict.fromkeys([*left, *came]):
            self._take(entry, intern(path), left.get(path), came.get(path))
        if entry.commit:
            # the machine that merged a note may have undone that: the log does not tell the note from a new one
            for path in came.keys() & self._merged_elsewhere.keys():
                del self._merged[self._merged_elsewhere.pop(path), path]
            self._merged_elsewhere.update((one.path, entry.number) for one in entry.merged)
        self._merged.update(((entry.number, one.path), one.to) for one in entry.merged)

    def leave_out(self, entry: Edit) -> None:
        """Add the next entry as one that changed no names. Only its etags count, so that later steps are understood."""
        files = edited_files(entry)
        came = {one.after.path: one.after.etag for one in files if one.after.etag is not None}
        for path, etag in (one.before for one in files if one.before.etag is not None):
            steps = self._steps.get(path)
            was_there = steps[-1].after is not None if steps else self._away[path] >= 0
            if was_there and path not in came:  # the undo brings it back
                self._append(path, NameStep(entry.number, etag, etag, path, is_late=False))
            self._undone[path] = entry.number
            self._away[path] += 1
            self._left_out[path] = None
        self._away.subtract(came.keys())
        self._left_out |= came

    def _take(self, entry: Edit, path: str, left: EditedFile | None, came: EditedFile | None) -> None:
        """Add what an entry did at a path: `left` is the file that was there before, `came` the one after."""
        steps = self._steps[path]
        before, after = left.before.etag if left else None, came.after.etag if came else None
        source = came.before.path if came and (came.before.etag is not None or entry.tool in BRING_BACK) else None
        if entry.replaces and steps and steps[-1].number == entry.replaces and _is_break(steps.pop(), path):
            self._breaks[path].pop()
        known = self._left_out.pop(path, steps[-1].after if steps else before)
        if before is None and self._away[path] > 0:
            self._interim.add((entry.number, path))
        if entry.outside and known != before and (late := _between(steps, before, after)) is not None:
            steps[late] = steps[late]._replace(is_late=True)
            return
        if left and left.after.etag is not None and left.after.path != path:
            self._targets[entry.number, path] = intern(left.after.path)
        before, after, source = (text if text is None else intern(text) for text in (before, after, source))
        self._append(path, NameStep(entry.number, before, after, source, entry.outside == AWAY))

    def _append(self, path: str, step: NameStep) -> None:
        """Add a step at a path."""
        steps = self._steps[path]
        if not steps and not is_hidden(path):
            self._named[base_of(fold(path))][path] = None
        steps.append(step)
        if _is_break(step, path):
            self._breaks[path].append(step)

    def paths(self) -> Collection[str]:
        """Return the paths that any entry has changed."""
        return self._steps.keys()

    @classmethod
    def since(cls, entries: Sequence[Edit], chosen: Collection[int] = ()) -> "Names":
        """Return the names since the first of some entries, for the moments before and after the `chosen` ones.

        If none is chosen, that is only the moment before the first entry. Between these moments, each undo and the
        edits that it has undone are left out.
        """
        kept = {entry.number for entry in effective(entries, chosen)}
        names = cls()
        for entry in entries:
            if entry.number in kept:
                names.add(entry)
            else:
                names.leave_out(entry)
        return names

    # --- where a file was, and is

    def earlier_path(self, path: str, number: int) -> str | None:
        """Return the path that a file had at a moment; None if it was made later.

        `path`: its present path, or its last one if it was deleted.
        """
        end: int | None = None  # the entry before which the file was at `path`
        while True:
            breaks = self._breaks.get(path, ())
            at = len(breaks) if end is None else bisect.bisect_left(breaks, end, key=_number)
            later = itertools.takewhile(lambda one: one.number > number, reversed(breaks[:at]))
            arrival = next((one for one in later if one.after is not None), None)
            if arrival is None:
                return path
            if arrival.source is None:
                return None
            path, end = arrival.source, arrival.number

    def later_path(self, path: str, number: int) -> str | None:
        """Return the present path of the file that was at a path at a moment; None if it was removed.

        The path of a deleted file is that in the trash.
        """
        path, removed = self.last_path(path, number)
        return self._targets.get((removed, path)) if removed else path

    def last_path(self, path: str, number: int) -> tuple[str, int]:
        """Return the last path of the file that was at a path at a moment, and the entry that deleted it, or 0."""
        while (left := self._departure(path, number)) is not None:
            number, target = left.number, self._targets.get((left.number, path))
            if target is None or is_hidden(target):
                again = self._departure(path, number)
                if again is None or again.source != path:
                    return path, left.number
                number, target = again.number, path  # deleted, and then restored
            path = target
        return path, 0

    def heir(self, path: str, number: int, planned: PlannedMoves) -> str:
        """Return the path to which a link leads after the planned edit if it led to a path at a moment.

        Each edit since then counts as having updated the link. A link to a merged note leads to the note that has its
        text. A link to a file that is gone keeps its last path: it leads to a newer file at that path, if there is one.
        """
        while (left := self._departure(path, number)) is not None:
            number, target = left.number, self._targets.get((left.number, path))
            if (number, path) in planned.restored:
                return planned.restored[number, path]
            if target is not None and is_hidden(target):
                back = self._departure(target, number)
                restored = self._targets.get((back.number, target)) if back else planned.moves.get(target)
                if restored is not None and back is None:
                    return restored
                if restored is not None and back is not None and not is_hidden(restored):
                    number, target = back.number, restored
                else:
                    target = None
            if target is None:
                again, target = self._arrival(path, number), self._merged.get((number, path))
                is_out_again = again and again.source == path and (number, path) not in self._targets  # a passage
                if target is None or is_out_again:
                    if again is None:
                        return path
                    number, target = again.number, path
            path = target
        return planned.moves.get(path) or path

    def target(
        self, catalog: Catalog, target: str, source: str, number: int, planned: PlannedMoves
    ) -> LinkedFile | None:
        """Return the file that a link in the file `source` meant at a moment.

        If the link led nowhere then, return the last file to which it would have led earlier. If none is known, return
        the first one to which it would have led since; None if there is none. `catalog`: the present files.
        """
        for moment in (number, *self._other_moments(target, number)):
            path = resolve(FilesThen(self, catalog, moment), target, source).path
            if path is not None:
                return LinkedFile(path, self.heir(path, moment, planned))
        return None

    def _departure(self, path: str, number: int) -> NameStep | None:
        """Return the first step after a moment by which the file at a path left it; if none was there, one came."""
        breaks = self._breaks.get(path, ())
        others = 0  # other files that came and have not left
        for at in range(bisect.bisect_right(breaks, number, key=_number), len(breaks)):
            if (breaks[at].number, path) in self._interim:
                others += 1
            elif not others:
                return breaks[at]
            elif breaks[at].after is None:
                others -= 1
        return None

    def _arrival(self, path: str, number: int) -> NameStep | None:
        """Return the step that brought back the file that an entry removed from a path, or else the first new file."""
        came = [one for one in self._breaks[path] if one.number >= number and one.after is not None]
        back = [one for one in came if one.source == path]
        if not back or back[0] is came[0]:
            return came[0] if came else None
        had = {one.before for one in self._steps[path] if one.number <= number}
        return next((one for one in back if one.after in had), came[0])

    def renamed(self, path: str) -> str | None:
        """Return the present path of the file that was at a path last; None if it was not moved, or was removed."""
        steps = self._steps.get(path)
        last = steps[-1].number if steps else 0
        return self.later_path(path, last - 1) if (last, path) in self._targets else None

    # --- what was at a path

    def steps_until(self, path: str, number: int) -> tuple[NameStep | None, Sequence[NameStep]]:
        """Return the last step at a path up to a moment, if there is one, and the first steps after it."""
        steps = self._steps.get(path, ())
        at = bisect.bisect_right(steps, number, key=_number)
        return steps[at - 1] if at else None, steps[at : at + _MOST_LATE]

    def was_there(self, path: str, number: int) -> bool | None:
        """Return whether there was a file at a path at a moment; None if no entry has changed that since."""
        later = self.steps_until(path, number)[1]
        return later[0].before is not None if later else None

    def named(self, folded: str) -> Collection[str]:
        """Return the paths that any entry has changed and whose last component folds to this one."""
        return self._named.get(folded, ())

    def _other_moments(self, target: str, number: int) -> list[int]:
        """Return moments at which a link could mean a file, the likeliest one first.

        That is the moment before the last file left these paths. If an undo took that file away, and it came back after
        `number`, that is the moment at which it came back. The others are the first moments at which a file came.
        """
        last = base_of(fold(cleaned(target)))
        paths = {*self.named(last), *self.named(last + NOTE_SUFFIX)}
        breaks = sorted((one.number, path, one.after) for path in paths for one in self._breaks.get(path, ()))
        left = {(one, one - 1) for one, _, after in breaks if one <= number and after is None}
        came = {one: path for one, path, after in breaks if one > number and after is not None}
        back = {path: one for one, path in reversed(came.items()) if self._undone.get(path, NOW) <= number}
        left.update((self._undone[path], one) for path, one in back.items())
        return [*(moment for _, moment in sorted(left)[-1:]), *list(came)[:_MOST_ARRIVALS]]


class FilesThen:
    """The files of a vault at a moment, for the resolver."""

    def __init__(self, names: Names, catalog: Catalog, number: int) -> None:
        """`catalog`: the present files."""
        self._names, self._catalog, self._number = names, catalog, number
        self.pages = catalog.pages

    def at(self, folded: str) -> Sequence[str]:
        """Return the paths that folded to this path."""
        return [path for path in self.named(base_of(folded)) if fold(path) == folded]

    def named(self, folded: str) -> Sequence[str]:
        """Return the paths whose last component folded to this one."""
        paths, logged = self._catalog.named(folded), self._names.named(folded)
        if not logged:
            return paths
        present = set(paths)
        was_there = ((path, self._names.was_there(path, self._number)) for path in dict.fromkeys((*paths, *logged)))
        return [path for path, there in was_there if (path in present if there is None else there)]


def _number(one: NameStep) -> int:
    return one.number


def _is_break(step: NameStep, path: str) -> bool:
    """Return whether a file came to a path in a step, or left it."""
    return step.before is None or step.source != path


def _between(steps: Sequence[NameStep], before: str | None, after: str | None) -> int | None:
    """Return the index of the step before which a change that was found late was made; None if there is none."""
    for number in range(len(steps) - 1, max(-1, len(steps) - _MOST_LATE), -1):
        if steps[number].before == after and (number == 0 or steps[number - 1].after == before != after):
            return number
    return None
