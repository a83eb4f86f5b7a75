"""Find the edits, and the changes by other programs, that a caller may see."""

import copy
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Self

from zkmem.past.files import EditedFile, edited_files
from zkmem.vault.journal.log import Change, Edit, Log, client_name
from zkmem.vault.journal.outside import OutsideLog, by_number
from zkmem.vault.paths import TRASH

_MOST_LATEST = 64  # edits that are searched for the client of a change
_MOST_UNSYNCED = 10_000  # entries that are searched for moves by hand


class VisibleEdits:
    """The entries of the two logs of one vault."""

    def __init__(self, log: Log, outside: OutsideLog) -> None:
        """`outside`: the changes by other programs."""
        self._log = log
        self._outside = outside
        self._has: Callable[[str], bool] = lambda _: True
        self._is_whole = True

    def within(self, has: Callable[[str], bool]) -> Self:
        """Return the history for a caller who may see only the paths for which `has` holds, and texts from there."""
        other = copy.copy(self)
        other._has, other._is_whole = has, False  # noqa: SLF001 - it has the same class
        return other

    def edits(self) -> list[Edit]:
        """Return the edits in the log that changed only what the caller may see, the oldest first."""
        return list(self.backwards())[::-1]

    def since(self, number: int) -> list[Edit]:
        """Return all edits after an entry, and the visible changes by other programs, the oldest first."""
        entries = by_number(self._log.backwards(), self._outside_changes())
        return list(itertools.takewhile(lambda one: one.number > number, entries))[::-1]

    def before_moves_by_hand(self, number: int) -> int:
        """Return the moment before the first move by hand that came after the last synchronisation before a moment.

        Return `number` if there is no such move. A commit of an edit leaves out earlier changes by hand, so its text
        may have the older names of the files that were moved.
        """
        entries = (one for one in by_number(self._log.backwards(), self._outside.backwards()) if one.number <= number)
        recent = itertools.islice(itertools.takewhile(lambda one: not one.commit, entries), _MOST_UNSYNCED)
        moves = (one.number - 1 for one in recent if one.outside and any(change.to for change in one.changes))
        return min(moves, default=number)

    def own(self, entries: Sequence[Edit]) -> Sequence[Edit]:
        """Return those of the entries of `since` that the caller may see."""
        return entries if self._is_whole else [one for one in entries if one.outside or self.sees(one)]

    def changes(self) -> Iterator[Edit]:
        """Yield the edits that the caller may see, and the changes by other programs, the newest first."""
        return by_number(self.backwards(), self._outside_changes())

    def visible(self, entries: Mapping[int, Edit]) -> Mapping[int, Edit]:
        """Return those of some entries, by number, that the caller may see, each as `changes` yields it."""
        if self._is_whole or not entries:
            return entries
        since = itertools.takewhile(lambda one: one.number >= min(entries), self.changes())
        return {one.number: one for one in since if one.number in entries}

    def _outside_changes(self) -> Iterator[Edit]:
        """Yield the changes by other programs, each with the files that the caller may see, the newest first."""
        if self._is_whole:
            yield from self._outside.backwards()
            return
        for entry in self._outside.backwards():
            own = {change for one in edited_files(entry) if self._owns_file(one) for _, change in one.changes}
            if own:
                yield entry._replace(changes=tuple(one for one in entry.changes if one in own), more=0)

    def backwards(self) -> Iterator[Edit]:
        """Yield these edits, the newest first."""
        return filter(self.sees, self._log.backwards())

    def sees(self, edit: Edit) -> bool:
        """Return whether the caller may see an edit or, of a change by another program, any of its files."""
        if self._is_whole:
            return True
        if edit.outside:
            return any(map(self._owns_file, edited_files(edit)))
        return self.owns(map(_before_and_after, edit.changes))

    def _owns_file(self, file: "EditedFile") -> bool:
        """Return whether the caller may see all changes of a file by one edit."""
        return self.owns(_before_and_after(change) for _, change in file.changes)

    def owns(self, changes: Iterable[tuple[str, str]], *, trash: bool = False) -> bool:
        """Return whether the caller may see all files of some changes, which are pairs of paths before and after.

        A change from or to the trash needs one such path; with `trash`, it may also be within the trash.
        """
        pairs = ([path for path in pair if not path.startswith(TRASH + "/")] for pair in changes)
        return self._is_whole or all((paths or trash) and all(map(self._has, paths)) for paths in pairs)

    def last_author(self, etags: Mapping[str, str | None]) -> str:
        """Return the client that wrote the present texts of all these files; "" if it is unknown, or there are several.

        `etags` are their present etags by path; None for a file that is gone.
        """
        if not all(map(self._has, etags)):
            return ""
        clients, left = set[str](), dict(etags)
        last = self._log.last()
        edits = itertools.islice(self._log.backwards(), _MOST_LATEST) if len(etags) > 1 else filter(None, [last])
        for edit in edits:
            for path, after in edit.etags().items():
                if path not in left:
                    continue
                if left.pop(path) != after:
                    return ""
                clients.add(client_name(edit.client))
            if not left:
                break
        return clients.pop() if len(clients) == 1 and not left else ""


def _before_and_after(change: Change) -> tuple[str, str]:
    return change.path, change.to or change.path
