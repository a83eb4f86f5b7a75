"""Say what became of each note in some edits."""

from collections.abc import Iterable
from typing import NamedTuple

from zkmem.names import name_of
from zkmem.past.files import EditedFile, edited_files
from zkmem.vault.journal.log import Edit


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


def note_changes(edits: Iterable[Edit], *, with_files: bool = False) -> list[NoteEdits]:
    """Return the notes that some edits, the oldest first, have changed, and what became of each.

    With `with_files`, return other files, such as pictures, too: they are named by their paths.
    Notes that are as before are left out. A note that was merged into another, or extracted from it, is told of with
    the other note. Those in which only links were updated come last.
    """
    every = list(edits)
    files = [file for file in edited_files(*every) if with_files or file.is_note]
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
    """Return what became of a note; None if it is as before, or only these edits wrote it and it is gone."""
    first, last = file.before.path, file.after.path
    changes = [pair for pair in file.segments if pair[0] != pair[1]]
    if not (file.was_there or file.is_there or file.is_shared):
        return None
    if file.was_there and file.is_there and first == last and not changes:
        return None
    name, was = name_of(last if file.is_there else first), name_of(first) if file.was_there else ""
    if not file.is_there:
        return NoteChange(name, was, "deleted")
    if not file.was_there:
        return NoteChange(name, was, "created" if file.before.etag is None else "restored")
    if first != last:
        return NoteChange(name, was, "renamed")
    return NoteChange(name, was, "relinked" if file.is_relinked else "changed")
