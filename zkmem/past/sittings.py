"""List the sittings of a vault for a person, with what became of the notes."""

import itertools
from collections.abc import Iterable
from typing import NamedTuple

from zkmem.past.brief import KindCount, counts_in
from zkmem.past.review import NoteChange, note_changes
from zkmem.past.sizes import Compared, TextOf
from zkmem.past.unseen import BriefReader, ReadEdits
from zkmem.vault.journal.log import Edit, Sitting, client_version

MOST_NOTES = 20
"""The most notes that a card names."""


class Card(NamedTuple):
    """A sitting, for a list."""

    edit: int  # the number of its newest edit
    client: str
    version: str  # of the client; several are separated by commas
    began: float  # seconds since 1970
    ended: float
    edits: int  # how many there are
    counts: list[KindCount]  # what happened to how many notes in edits that are not undone; what destroys first
    notes: list[NoteChange]  # the newest, at most `MOST_NOTES`; those that were only relinked come last
    more: int  # how many changed notes are not known by name
    seen: bool  # whether the person has seen all of it
    undone: bool  # whether all of it is undone
    edits_undone: int  # how many of its edits are undone; undos do not count
    synchronised: bool  # whether it came from other machines
    outside: str  # if another program made the changes, its kind: see `Edit`


class Review(NamedTuple):
    """Some sittings, the newest first."""

    sittings: list[Card]
    next: int | None  # the `before` of the sittings that follow; None if there are none


def review(
    edits: Iterable[Edit], reader: BriefReader, text: TextOf, compared: Compared, before: int | None, count: int
) -> Review:
    """Return `count` sittings whose newest edit has a number below `before`.

    Changes by other programs that left every note as it was are left out. `edits`: all edits, the newest first.
    """
    read = ReadEdits(edits, reader)
    chosen = (one for one in read.sittings() if (before is None or one.number < before) and not _is_empty(one))
    shown = list(itertools.islice(chosen, count + 1))
    cards = [_card(one, read, text, compared) for one in shown[:count]]
    return Review(cards, cards[-1].edit if len(shown) > count else None)


def _is_empty(sitting: Sitting) -> bool:
    """Return whether the changes of a sitting by another program left every note as it was."""
    return (
        bool(sitting.outside) and not any(one.more for one in sitting.edits) and not note_changes(sitting.edits[::-1])
    )


def _card(sitting: Sitting, read: ReadEdits, text: TextOf, compared: Compared) -> Card:
    edits, seen, undone = sitting.edits, read.reader.seen, read.undone
    notes = [one.change for one in note_changes(reversed(edits))]
    changed = sum(one.outcome != "relinked" for one in notes)
    return Card(
        edit=sitting.number,
        client=sitting.client,
        version=client_version(*(edit.client for edit in edits)),
        began=edits[-1].time,
        ended=edits[0].time,
        edits=len(edits),
        counts=counts_in(read, sitting, text, compared),
        notes=notes[max(0, changed - MOST_NOTES) :][:MOST_NOTES],
        more=sum(edit.more for edit in edits),
        seen=all(edit.number in seen or edit.proposed for edit in edits),
        undone=all(edit.number in undone or edit.undoes for edit in edits) and not all(edit.undoes for edit in edits),
        edits_undone=sum(edit.number in undone and not edit.undoes for edit in edits),
        synchronised=any(edit.commit for edit in edits),
        outside=sitting.outside,
    )
