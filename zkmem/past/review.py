"""Describe the edits of a vault for a person: in sittings, with what became of each note."""

import itertools
from collections.abc import Collection, Iterable
from typing import NamedTuple

from zkmem.names import is_note, name_of
from zkmem.past.files import EditedFile, edited_files
from zkmem.vault.journal.log import Edit, Sitting, sittings, undone_numbers
from zkmem.vault.journal.seen import Ranges
from zkmem.vault.journal.words import as_title

MOST_NOTES = 20
"""The most notes that a card names."""

_MOST_COUNTED = 1_000  # edits that the person has not seen


class NoteChange(NamedTuple):
    """What some edits did to a note."""

    name: str  # after the edits
    was: str  # its name before the edits; "" if it was not there
    outcome: str  # one of `KINDS`, the first that applies; "overwritten" only in a brief, which compares the texts


class NoteEdits(NamedTuple):
    """A note that some edits have changed, and what became of it."""

    file: EditedFile
    change: NoteChange
    merged: tuple[EditedFile, ...] = ()  # the notes whose text it got, and which are gone
    extracted: tuple[EditedFile, ...] = ()  # the new notes that got a passage of it

    @property
    def files(self) -> tuple[EditedFile, ...]:
        """The note, and the other notes of its merges and extractions."""
        return (self.file, *self.merged, *self.extracted)

    @property
    def merged_names(self) -> list[str]:
        """The names that the merged notes had."""
        return [name_of(one.before.path) for one in self.merged]

    @property
    def notes(self) -> list[tuple[EditedFile, NoteChange]]:
        """The notes that are there after the edits, or that were deleted, each with what became of it."""
        new = ((one, NoteChange(name_of(one.after.path), "", "created")) for one in self.extracted)
        return [(self.file, self.change), *new]


class Card(NamedTuple):
    """A sitting, for a list."""

    edit: int  # the number of its newest edit
    client: str
    began: float  # seconds since 1970
    ended: float
    edits: int  # how many there are
    titles: list[str]  # of the newest edits
    notes: list[NoteChange]  # the newest, at most `MOST_NOTES`; those that were only relinked come last
    changed: int  # how many notes there are, without those that were only relinked
    relinked: int  # how many notes were only relinked
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
    unseen: int  # how many edits of others the person has not seen; at most 1,000 are counted


def note_changes(edits: Iterable[Edit]) -> list[NoteEdits]:
    """Return the notes that some edits, the oldest first, have changed, and what became of each.

    Notes that are as before are left out. A note that was merged into another, or extracted from it, is told of with
    the other note. Those in which only links were updated come last.
    """
    every = list(edits)
    files = [file for file in edited_files(*every) if any(map(is_note, (file.before.path, file.after.path)))]
    changes = {id(file): change for file in files if (change := _change(file)) is not None}
    into, parts = _joined(every, files), dict[int, list[EditedFile]]()
    for file in files:
        head = file
        while id(head) in into:
            head = into[id(head)]
        if head is not file and id(head) in changes:
            parts.setdefault(id(head), []).append(file)
            changes.pop(id(file), None)
    changed = [_with_parts(file, changes[id(file)], parts.get(id(file), [])) for file in files if id(file) in changes]
    return sorted(changed, key=lambda one: one.change.outcome == "relinked")


def _joined(edits: Iterable[Edit], files: Iterable[EditedFile]) -> dict[int, EditedFile]:
    """Return the notes that were merged and are gone, or extracted and are new, each (by its id) with the other note.

    A chain of these ends: a merged note is gone, and an extracted one is there and was not there before.
    """
    at = {(edit.number, path): file for file in files for edit, one in file.changes for path in (one.path, one.to)}
    into: dict[int, EditedFile] = {}
    for edit in edits:
        for pair in (*edit.merged, *edit.extracted):
            file, other = at.get((edit.number, pair.path)), at.get((edit.number, pair.to))
            if file is None or other is None or file is other:
                continue
            if not file.is_there and pair in edit.merged:
                into[id(file)] = other
            elif file.is_there and other.is_there and not other.was_there and pair in edit.extracted:
                into[id(other)] = file
    return into


def _with_parts(file: EditedFile, change: NoteChange, parts: Iterable[EditedFile]) -> NoteEdits:
    """Return a changed note with the other notes of its merges and extractions."""
    every = tuple(parts)
    merged = tuple(one for one in every if not one.is_there)
    extracted = tuple(one for one in every if one.is_there)
    outcome = change.outcome
    if every and outcome != "deleted":
        outcome = "merged" if merged else "extracted"
    return NoteEdits(file, change._replace(outcome=outcome), merged, extracted)


def _change(file: EditedFile) -> NoteChange | None:
    """Return what became of a note; None if it is as before, or was there only in between."""
    first, last = file.before.path, file.after.path
    changes = [pair for pair in file.segments if pair[0] != pair[1]]
    if not (file.was_there or file.is_there) or (file.was_there and file.is_there and first == last and not changes):
        return None
    name, was = name_of(last if file.is_there else first), name_of(first) if file.was_there else ""
    if not file.is_there:
        return NoteChange(name, was, "deleted")
    if not file.was_there:
        return NoteChange(name, was, "created" if file.before.etag is None else "restored")
    if first != last:
        return NoteChange(name, was, "renamed")
    return NoteChange(name, was, "relinked" if file.is_relinked else "changed")


def review(edits: Iterable[Edit], seen: Ranges, own: Collection[str], before: int | None, count: int) -> Review:
    """Return `count` sittings whose newest edit has a number below `before`.

    Changes by other programs that left every note as it was are left out.

    `edits`: all edits, the newest first; `seen`: the numbers of those that the person has seen; `own`: the clients
    through which that person edits.
    """
    every = list(edits)
    undone = undone_numbers(every)

    def is_new(edit: Edit) -> bool:
        return edit.number not in seen and edit.client not in own and not _is_settled(edit, undone)

    new = (len(edits) for one in sittings(every) if (edits := list(filter(is_new, one.edits))) and not _is_empty(one))
    unseen = 0
    while unseen < _MOST_COUNTED and (more := next(new, 0)):
        unseen = min(unseen + more, _MOST_COUNTED)
    shown_sittings = (one for one in sittings(every) if (before is None or one.number < before) and not _is_empty(one))
    cards = [_card(one, seen, undone) for one in itertools.islice(shown_sittings, count + 1)]
    return Review(cards[:count], cards[count - 1].edit if len(cards) > count else None, unseen)


def _is_empty(sitting: Sitting) -> bool:
    """Return whether the changes of a sitting by another program left every note as it was."""
    return (
        bool(sitting.outside) and not any(one.more for one in sitting.edits) and not note_changes(sitting.edits[::-1])
    )


def _is_settled(edit: Edit, undone: Collection[int]) -> bool:
    """Return whether a person has decided about an edit: has accepted it, undone it, or made it to undo another."""
    return bool(edit.undoes or edit.proposed) or edit.number in undone


def _card(sitting: Sitting, seen: Ranges, undone: Collection[int]) -> Card:
    edits = sitting.edits
    notes = [one.change for one in note_changes(reversed(edits))]
    relinked = sum(one.outcome == "relinked" for one in notes)
    changed = len(notes) - relinked
    return Card(
        edit=sitting.number,
        client=sitting.client,
        began=edits[-1].time,
        ended=edits[0].time,
        edits=len(edits),
        titles=[as_title(edit) for edit in edits[:3]],
        notes=notes[max(0, changed - MOST_NOTES) :][:MOST_NOTES],
        changed=changed,
        relinked=relinked,
        more=sum(edit.more for edit in edits),
        seen=all(edit.number in seen or edit.proposed for edit in edits),
        undone=all(edit.number in undone or edit.undoes for edit in edits) and not all(edit.undoes for edit in edits),
        edits_undone=sum(edit.number in undone and not edit.undoes for edit in edits),
        synchronised=any(edit.commit for edit in edits),
        outside=sitting.outside,
    )
