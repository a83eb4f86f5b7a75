"""What became of each file in some edits: a line for each, with the notes that were merged into it or extracted.

A line is about what one client, or one kind of other program, did to one note in one sitting. What a person ticks in a
brief is a line.
"""

import functools
import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from zkmem.errors import NoVersion
from zkmem.names import name_of
from zkmem.past.review import NoteEdits, note_changes
from zkmem.past.sizes import Compared, SizeReader, Sizes, TextOf, joined, sides_of, words_of
from zkmem.past.unseen import BriefReader, ReadEdits
from zkmem.util.spelling import quoted
from zkmem.vault.journal.log import Edit, Sitting
from zkmem.vault.journal.seen import Mark
from zkmem.vault.journal.words import KINDS, happened

_MOST_COMPARED = 500  # notes whose texts are compared for a proposal
_LEAST_MOVED = 4  # words of a line of text that counts as moved if another note has it
_MOST_SEARCHED = 200  # notes that are searched for the text of a note
_MOST_CHARACTERS = 5_000_000  # of these notes


class NoteLine(NamedTuple):
    """What one client did to one note in one sitting."""

    sitting: Sitting
    changed: NoteEdits
    edits: list[Edit]  # the oldest first
    undone: bool
    kind: str

    @property
    def kinds(self) -> list[str]:
        """All that happened to the note, in the order of `KINDS`."""
        file, outcome = self.changed.file, self.changed.change.outcome
        is_other = self.changed.merged or self.changed.extracted or outcome in {"deleted", "relinked"}
        happened = {
            self.kind: True,
            "merged": bool(self.changed.merged),
            "extracted": bool(self.changed.extracted),
            "renamed": file.was_there and file.is_there and file.before.path != file.after.path,
            "created": file.is_there and not file.was_there,
            "changed": file.was_there and bool(file.segments) and not is_other and self.kind != "overwritten",
        }
        return [kind for kind in KINDS if happened.get(kind)]

    @property
    def was(self) -> str:
        """The earlier name of the note, if it has another one now."""
        return self.changed.change.was if "renamed" in self.kinds else ""

    @property
    def extracted(self) -> list[str]:
        """The names of the notes that were extracted from the note."""
        return [name_of(one.after.path) for one in self.changed.extracted]

    def words(self, sizes: Sizes | None) -> str:
        """Return what happened to the note, in words."""
        is_appended, removed = (sizes.is_appended, sizes.removed) if sizes else (False, None)
        others = self.was, self.changed.merged_names, self.extracted
        return happened(self.kinds, *others, removed, len(self.edits), is_appended=is_appended)

    @property
    def marks(self) -> Iterator[Mark]:
        """What a person ticks with the line."""
        for file in self.changed.files:
            yield from ((edit.number, change.to or change.path) for edit, change in file.changes)

    def is_viewed(self, reader: BriefReader) -> bool:
        """Return whether a person has ticked the line."""
        return all(mark in reader.viewed or mark[0] in reader.seen for mark in self.marks)


class NoteWork(NamedTuple):
    """What some edits together do to one note, in the words of a brief."""

    name: str  # after the edits
    was: str  # its name before the edits; "" if it was not there
    outcome: str  # what destroys most of what happens to it: one of `KINDS`
    words: str  # what happens to it, in words
    added: int | None  # words; None if its texts are not known
    removed: int | None
    first: int  # its place among the changed notes, from 0 on; those that are extracted from it follow it
    notes: int  # how many changed notes it stands for: itself, and those that are extracted from it


def note_work(edits: Sequence[Edit], text: TextOf, compared: Compared, most: int) -> tuple[list[NoteWork], int]:
    """Return what some edits, the oldest first, together do to each of the first notes, in the order of `note_changes`.

    `most`: for how many notes this is wanted. Also return how many there are.
    """
    sitting = Sitting("", list(reversed(edits)))
    lines = list(lines_of(sitting, edits))
    of_notes = [line for line in lines if line.changed.file.is_note]
    wanted = of_notes[:most]
    others = [line for line in lines if not line.changed.file.is_note] + of_notes[most:]
    found, _, _ = with_overwritten(wanted, text, compared, _MOST_COMPARED, others)
    reader, works, first = SizeReader(compared, text, _MOST_COMPARED), list[NoteWork](), 0
    for line in found:
        changed = line.changed
        sizes, notes = reader.sizes(changed.files), len(changed.notes)
        added, removed = (sizes.added, sizes.removed) if sizes else (None, None)
        name, was = changed.change.name, changed.change.was
        works.append(NoteWork(name, was, line.kind, line.words(sizes), added, removed, first, notes))
        first += notes
    return works, len(of_notes)


def all_lines_of(sitting: Sitting, standing: Sequence[Edit], undone: Sequence[Edit]) -> Iterator[NoteLine]:
    """Yield the lines about a sitting: those about its standing edits, and those about the others."""
    yield from lines_of(sitting, standing)
    yield from lines_of(sitting, undone, undone=True)


def lines_of(sitting: Sitting, edits: Sequence[Edit], *, undone: bool = False) -> Iterator[NoteLine]:
    """Yield the lines about some edits of a sitting."""
    for changed in note_changes(edits, with_files=True):
        numbers = {edit.number: edit for file in changed.files for edit, _ in file.changes}
        own = [numbers[number] for number in sorted(numbers)]
        yield NoteLine(sitting, changed, own, undone, changed.change.outcome)


def with_overwritten(
    found: Sequence[NoteLine], text: TextOf, compared: Compared, most: int, others: Sequence[NoteLine] = ()
) -> tuple[list[NoteLine], int, int]:
    """Return lines with those marked whose notes are overwritten.

    `most`: how many notes to compare; `others`: other lines of the same sittings, to whose notes text may have moved.
    Also return how many lines were not compared, and how many of these because of this bound.
    """
    lines, unread, reader = list[NoteLine](), 0, SizeReader(compared, text, most)
    together: dict[tuple[int, bool], list[NoteLine]] = {}  # what an undone edit wrote is not in another note now
    for line in (*found, *others):
        together.setdefault((line.sitting.number, line.undone), []).append(line)
    moved = functools.cache(lambda number, undone: _new_lines(together[number, undone], text))
    for line in found:
        file = line.changed.file
        had_text = line.changed.merged or any(before for before, _ in file.segments)
        if file.is_note and had_text and file.is_there and not file.is_relinked:
            sizes = reader.sizes(line.changed.files)
            unread += sizes is None
            may_be = sizes and (sizes.is_overwriting or (line.changed.merged and sizes.is_much_gone))
            if may_be and _is_lost(line, text, moved(line.sitting.number, line.undone)):
                line = line._replace(kind="overwritten")  # noqa: PLW2901
        lines.append(line)
    return lines, unread, reader.missed


def _new_lines(found: Iterable[NoteLine], text: TextOf) -> set[str]:
    """Return the lines of some words that notes have now and did not have before."""
    new, left = set[str](), _MOST_CHARACTERS
    for line in itertools.islice(found, _MOST_SEARCHED):
        sides = [joined(side, text) or "" for side in sides_of(line.changed.files)]
        left -= sum(map(len, sides))
        if left < 0:
            break
        had, has = map(_long_lines, sides)
        new |= has - had
    return new


def _long_lines(text: str) -> set[str]:
    return {line for line in map(str.strip, text.splitlines()) if len(words_of(line)) >= _LEAST_MOVED}


def _is_lost(line: NoteLine, text: TextOf, moved: Collection[str]) -> bool:
    """Return whether a note is overwritten even if its lines that other notes have now are left aside.

    Of a merge, the note is overwritten, too, if that has happened to the text of one of the notes.
    """
    parts = [line.changed.files, *([file] for file in line.changed.files if line.changed.merged)]
    after = joined(sides_of(line.changed.files)[1], text) or ""
    for part in parts:
        before = joined(sides_of(part)[0], text) or ""
        stayed = [one for one in before.splitlines() if one.strip() not in moved]
        if Sizes.of("\n".join(stayed), after).is_overwriting:
            return True
    return False


class LineAddress(NamedTuple):
    """The address of a line: its note, and the numbers of its first and its last edit."""

    note: str
    first: int
    edit: int


def line_at(edits: Iterable[Edit], place: LineAddress) -> tuple[NoteEdits, list[Edit]]:
    """Return what the edits of a line did, and the edits, in order. `edits`: all edits, the newest first.

    Raises:
        UnknownEdit: when there is no such edit. NoVersion: when it and those before it did nothing to the note.
    """
    read = ReadEdits(edits, BriefReader())
    (sitting,) = read.sittings_with([place.edit])
    found = _at(read, sitting, place)
    return found.changed, found.edits


def changes_between(
    edits: Iterable[Edit], first: int, last: int, text: TextOf, compared: Compared
) -> tuple[list[NoteEdits], list[Edit]]:
    """Return what the edits from `first` to `last` of a sitting did to each note, and these edits.

    `text`, `compared`: to know which notes are overwritten; see `with_overwritten`.

    Raises:
        UnknownEdit: when there is no edit `last`.
    """
    (sitting,) = ReadEdits(edits, BriefReader()).sittings_with([last])
    within = [edit for edit in reversed(sitting.edits) if first <= edit.number <= last]
    lines, _, _ = with_overwritten(list(lines_of(sitting, within)), text, compared, _MOST_COMPARED)
    return [line.changed._replace(change=line.changed.change._replace(outcome=line.kind)) for line in lines], within


def marks_at(edits: Iterable[Edit], places: Collection[LineAddress]) -> tuple[set[Mark], dict[int, set[Mark]]]:
    """Return what a person ticks with some lines, and all that can be ticked of each of their edits: see `line_at`."""
    read, marks, needed = ReadEdits(edits, BriefReader()), set[Mark](), dict[int, set[Mark]]()
    for sitting in read.sittings_with(place.edit for place in places):
        within = {edit.number for edit in sitting.edits}
        here = [place for place in places if place.edit in within]
        first = min(place.first for place in here)
        lines = list(lines_of(sitting, [edit for edit in read.divided(sitting)[0] if edit.number >= first]))
        whole = {(line.changed.change.name, line.edits[-1].number): line for line in lines}
        for place in here:
            own = whole.get((place.note, place.edit)) or _at(read, sitting, place)
            marks |= {mark for mark in own.marks if mark[0] >= place.first}
        for mark in marks.union(*(line.marks for line in lines)):
            needed.setdefault(mark[0], set()).add(mark)
    return marks, {number: needed[number] for number, _ in marks}


def marks_of(edit: Edit) -> set[Mark]:
    """Return all that a person can tick of an edit. What it does not name cannot be ticked."""
    unnamed = [(edit.number, "")] if edit.more else []
    return {*((edit.number, change.to or change.path) for change in edit.changes), *unnamed}


def _at(read: ReadEdits, sitting: Sitting, place: LineAddress) -> NoteLine:
    for some in (*read.divided(sitting), sitting.edits[::-1]):
        within = [edit for edit in some if place.first <= edit.number <= place.edit]
        for line in lines_of(sitting, within):
            if line.changed.change.name == place.note:
                return line
    # Of a merge, the note with the text may be gone later on.
    for line in all_lines_of(sitting, *read.divided(sitting)):
        if LineAddress(line.changed.change.name, line.edits[0].number, line.edits[-1].number) == place:
            return line
    raise NoVersion(f"Edit {place.edit} did nothing to {quoted(place.note)}.")
