"""Read the edits of a vault as a person has seen them: which are new, which stand, and which are undone."""

import itertools
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from zkmem.errors import BadArgument, UnknownEdit
from zkmem.past.moments import begin_of, is_number
from zkmem.util.spelling import quoted
from zkmem.vault.journal.log import Edit, Sitting, sittings
from zkmem.vault.journal.seen import Mark, Ranges

_MOST_EDITS = 10_000  # that are looked at for new ones


class BriefReader(NamedTuple):
    """A person who reads a brief: which edits and notes the person has seen, and through which clients they edit."""

    seen: Ranges = Ranges()
    viewed: Collection[Mark] = frozenset()
    own: Collection[str] = ()


def seen_until(edits: Iterable[Edit], since: str) -> Ranges:
    """Return the numbers of the edits up to the one numbered `since` or, if that is a date, of those before it.

    Raises:
        BadArgument: when it is neither.
    """
    begin = None if is_number(since) else begin_of(since)
    if begin is None and not is_number(since):
        raise BadArgument(
            f"{quoted(since)} is neither the number of an edit nor a date such as 2026-05-01 or yesterday."
        )
    last = int(since) if begin is None else next((edit.number for edit in edits if edit.time < begin), 0)
    return Ranges([(1, last)] if last else [])


def edits_from(edits: Iterable[Edit], number: int) -> list[Edit]:
    """Return the edits whose number is at least this one, in order. `edits`: all edits, the newest first."""
    return list(itertools.takewhile(lambda edit: edit.number >= number, edits))[::-1]


class ReadEdits:
    """The edits as a person has seen them, or not; read from the newest one on, as far as needed."""

    def __init__(self, edits: Iterable[Edit], reader: BriefReader) -> None:
        self._edits = iter(edits)
        self.reader = reader
        self._read: dict[int, Edit] = {}
        self.undone = set[int]()
        self.older = False
        self.last = 0

    def sittings(self) -> Iterator[Sitting]:
        """Yield all sittings, the newest first. Which of their edits are undone is known when they come."""
        return sittings(self._until(0, None))

    def unseen(self) -> Iterator[tuple[Sitting, list[Edit]]]:
        """Yield the sittings with new edits, each with its standing edits from the first new one on, in order."""
        read = list(self._until(self.reader.seen.beginning, _MOST_EDITS))
        for sitting in sittings(read):
            new = [edit.number for edit in sitting.edits if self.is_new(edit)]
            if new:
                standing = (edit for edit in sitting.edits if edit.number >= new[-1] and self._stands(edit))
                yield sitting, list(standing)[::-1]

    def first_new(self) -> int | None:
        """Return the number of the first new edit; None if none is new."""
        return min((edits[0].number for _, edits in self.unseen()), default=None)

    def sittings_with(self, numbers: Iterable[int]) -> Iterator[Sitting]:
        """Yield the sittings that have some edits, the newest first."""
        left = set(numbers)
        for sitting in sittings(self._until(0, None)):
            within = left.intersection(edit.number for edit in sitting.edits)
            if within:
                yield sitting
            left -= within
            if not left or sitting.number < max(left):
                break
        if left:
            raise UnknownEdit(max(left))

    def divided(self, sitting: Sitting) -> tuple[list[Edit], list[Edit]]:
        """Return the standing edits of a sitting, and those that are undone, in order.

        An undo within the sitting is neither.
        """
        within = {edit.number for edit in sitting.edits}
        edits = [edit for edit in reversed(sitting.edits) if not edit.undoes or not within.issuperset(edit.undoes)]
        undone = [edit for edit in edits if edit.number in self.undone and not edit.undoes]
        return [edit for edit in edits if edit.number not in self.undone], undone

    def _until(self, number: int, most: int | None) -> Iterator[Edit]:
        """Yield the edits whose number is at least this one."""
        for edit in self._edits:
            self.last = self.last or edit.number
            if edit.number < number:
                return
            if len(self._read) == most:
                self.older = True
                return
            self._read[edit.number] = edit
            if edit.number not in self.undone:
                self.undone.update(edit.undoes)
            yield edit

    def is_new(self, edit: Edit) -> bool:
        """Return whether an edit is of others, and the person neither has seen it nor has decided about it.

        An undo of a client is new if it has undone what the person knew.
        """
        if edit.number in self.reader.seen or edit.client in self.reader.own:
            return False
        return self._stands(edit) and not edit.proposed

    def _stands(self, edit: Edit) -> bool:
        return edit.number not in self.undone and (not edit.undoes or any(map(self._is_known, edit.undoes)))

    def _is_known(self, number: int) -> bool:
        edit = self._read.get(number)
        return edit is None or number in self.reader.seen or edit.client in self.reader.own
