"""Group the edits into sittings: the edits of one client, or by one kind of other program, without a long pause."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from zkmem.vault.journal.log import Edit

PAUSE_S = 900.0
"""The shortest pause that ends a sitting, in seconds."""


class Sitting(NamedTuple):
    """Edits of one client, the newest first."""

    client: str
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
        author = edit.client, edit.outside
        sitting = unfinished.get(author)
        if sitting is not None and abs(sitting.edits[-1].time - edit.time) < PAUSE_S:
            sitting.edits.append(edit)
        else:
            sitting = unfinished[author] = Sitting(edit.client, [edit], edit.outside)
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
