"""The brief: what became of each file in the edits that a person has not seen; what destroys text comes first.

Each line is about what one client, or one kind of other program, did to one note in one sitting. Together with a line
go the notes that were merged into its note, and the new notes that were extracted from it.
"""

import functools
import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from zkmem.errors import NoVersion
from zkmem.names import below, fold, name_of
from zkmem.past.review import NoteEdits, note_changes
from zkmem.past.sizes import Compared, SizeReader, Sizes, TextOf, joined, sides_of, words_of
from zkmem.past.unseen import BriefReader, ReadEdits
from zkmem.util.spelling import clock, number_of, quoted
from zkmem.vault.journal.log import GIT, Edit, Sitting, client_version, origin
from zkmem.vault.journal.seen import Mark
from zkmem.vault.journal.words import KINDS, happened

_MOST_COMPARED = 1_000  # notes whose texts are compared for one answer
_MOST_COMPARED_IN_CARD = 100  # notes of a sitting in a list
_MOST_SHOWN = 500  # notes whose words are counted because their lines are shown
_MOST_LISTED = 100  # numbers of edits in a line
_VIEWED, _UNDONE = "viewed", "undone"  # what is settled, in place of what happened
_LEAST_MOVED = 4  # words of a line that counts as moved if another note has it
_MOST_SEARCHED = 200  # notes that are searched for the lines of a note
_MOST_CHARACTERS = 5_000_000  # of these notes


class BriefLine(NamedTuple):
    """What one client did to one note in one sitting."""

    note: str  # its name after the edits; of another file than a note, its path
    is_note: bool
    was: str  # its name before the edits; "" if it was not there
    kind: str  # what destroys most of what happened to it: one of `KINDS`
    kinds: list[str]  # all that happened to it, in the order of `KINDS`
    words: str  # what happened to it, in words
    others: list[str]  # the notes that the words name
    added: int | None  # words; None if its texts are not known
    removed: int | None
    began: float  # when the first and the last edit were made, in seconds since 1970
    ended: float
    client: str
    version: str  # of the client; several are separated by commas
    outside: str  # if another program made the changes, its kind: see `Edit`
    first: int  # the numbers of the first and the last edit
    edit: int
    edits: list[int]  # the newest first, at most 100
    times: int  # how many edits there are
    sitting: int  # the number of the newest edit of its sitting
    synchronised: bool  # whether it came from other machines
    viewed: bool  # whether the person has ticked it
    seen: bool  # whether the person has seen all of its edits
    undone: bool  # whether its edits are undone
    own: bool  # whether the person made them on the page

    @property
    def in_words(self) -> str:
        """The line for a person, in local time."""
        sides = [] if self.kind in {"deleted", "overwritten"} else [(self.added, "added"), (self.removed, "gone")]
        sizes = ", ".join(f"{number_of(words, 'word')} {what}" for words, what in sides if words)
        numbers = f"edit {self.edit}" if self.times == 1 else f"edits {self.first} to {self.edit}"
        about = (self.client or origin(self.outside), clock(self.ended), numbers)
        return f"{self.note}: {'; '.join(filter(None, (self.words, sizes)))} ({', '.join(filter(None, about))})"


class NoteWork(NamedTuple):
    """What some edits together do to one note, in the words of a brief."""

    name: str  # after the edits
    was: str  # its name before the edits; "" if it was not there
    outcome: str  # what destroys most of what happens to it: one of `KINDS`
    words: str  # what happens to it, in words
    added: int | None  # words; None if its texts are not known
    removed: int | None
    first: int  # how many changed notes come before it; those that are extracted from a note follow that note
    notes: int  # how many changed notes it stands for, with those that are extracted from it


class KindCount(NamedTuple):
    """To how many notes something happened.

    In a brief, a line counts once: those that the person has ticked as "viewed", and those that are undone as "undone".
    """

    kind: str
    notes: int


class ClientWork(NamedTuple):
    """Who made edits: a client, or another program."""

    client: str
    version: str
    outside: str
    edits: int
    notes: int  # lines that the person has not ticked


class FolderCount(NamedTuple):
    """How many lines are about notes in a folder of the vault, or below it."""

    folder: str  # "" for notes in no folder
    notes: int


class Brief(NamedTuple):
    """What happened in a vault, for a person who was not there."""

    edits: int  # how many there are with a line that the person has not ticked
    notes: int  # how many lines there are
    more: int  # how many other notes programs have changed that the log does not name
    since: float | None  # the times of the first and the last of these edits; None if there is none
    until: float | None
    clients: list[ClientWork]
    counts: list[KindCount]  # what destroys first, and what is settled last; each is the `total` of its filter
    folders: list[FolderCount]  # the folder with the most lines first
    lines: list[BriefLine]  # some of those that pass the filters
    total: int  # how many pass them
    next: int | None  # the number of the line after these; None if there is none
    last: int  # the number of the newest edit; 0 if there is none
    older: bool  # whether there are older edits that were not looked at
    unread: int  # notes whose texts were not compared

    @property
    def sentence(self) -> str:
        """The brief in a sentence; times are local."""
        if self.since is None:
            return "Nothing is new."
        tools = [one for one in self.clients if not one.outside]
        who = [number_of(len(tools), "client")] if tools else []
        outside = [_by(one.outside) for one in self.clients if one.outside]
        who += [f"changes {' and '.join(outside)}"] if outside else []
        counts = [
            f"{number_of(one.notes, 'note') if one is self.counts[0] else one.notes} {one.kind}" for one in self.counts
        ]
        more = f", and {number_of(self.more, 'more note')} changed" if self.more else ""
        edits = number_of(self.edits, "edit") + (" or more" if self.older else "")
        unread = f" Not compared, so perhaps overwritten: {number_of(self.unread, 'note')}." if self.unread else ""
        return f"{', '.join(who)}, {edits} since {clock(self.since)}: {', '.join(counts)}{more}.{unread}"


def _by(outside: str) -> str:
    """Return who made changes, as the end of a sentence."""
    return f"by {outside}" if outside in GIT else origin(outside)


class LineFilter(NamedTuple):
    """Which lines are wanted; "" stands for all."""

    kind: str = ""  # as it counts: see `KindCount`
    client: str = ""  # or the kind of another program
    folder: str = ""
    viewed: bool = True  # whether lines that the person has ticked are wanted

    def passes(self, line: "_Found", kind: str) -> bool:
        """Return whether a line is wanted. `kind`: as what it counts."""
        return (
            self.kind in ("", kind)
            and (self.viewed or kind != _VIEWED)
            and self.client in ("", line.sitting.client, line.sitting.outside)
            and (not self.folder or below(fold(line.changed.change.name), fold(self.folder.strip("/"))))
        )


EVERY = LineFilter()


class _Found(NamedTuple):
    """A line before its words are counted."""

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


class Told(NamedTuple):
    """All lines of a brief, before some are chosen."""

    found: list[_Found]  # what destroys first
    is_of_sitting: bool  # whether it tells of a sitting, and not of what the person has to look at
    edits: dict[int, Edit]  # those that the brief tells of, by their numbers
    last: int
    older: bool
    unread: int = 0  # lines whose texts were not compared
    left: int | None = None  # of these, the lines that were too many; None if no line was compared yet

    def compared(self, text: TextOf, compared: Compared) -> "Told":
        """Return the lines in order, with those marked whose notes are overwritten; of many, some more each time."""
        if self.left == 0:
            return self
        found, unread, left = _with_overwritten(self.found, text, compared, _MOST_COMPARED)
        found.sort(key=lambda line: (line.undone, KINDS.index(line.kind), -line.edits[-1].number))
        return self._replace(found=found, unread=unread, left=left)


def tell(edits: Iterable[Edit], reader: BriefReader, sitting: int | None = None) -> Told:
    """Return what the edits did that a person has not seen, or those of one sitting.

    What is settled is left out: edits that are undone, and proposed edits that somebody has accepted. `edits`: all
    edits, the newest first, which are read only as far as needed.
    """
    read = ReadEdits(edits, reader)
    if sitting is None:
        found = [line for whose, some in read.unseen() for line in _found(whose, some)]
    else:
        found = [line for whose in read.sittings_with([sitting]) for line in _whole(whose, *read.divided(whose))]
    numbers = {edit.number: edit for line in found for edit in line.edits if sitting or read.is_new(edit)}
    return Told(found, sitting is not None, numbers, read.last, read.older)


def brief(
    told: Told,
    reader: BriefReader,
    text: TextOf,
    compared: Compared,
    wanted: LineFilter = EVERY,
    first: int = 0,
    count: int = 50,
) -> Brief:
    """Return a brief with `count` of the wanted lines, from the one numbered `first` on."""
    kinds = [_counted_kind(line, None if told.is_of_sitting else reader) for line in told.found]
    chosen = [line for line, kind in zip(told.found, kinds, strict=True) if wanted.passes(line, kind)]
    open_lines = [line for line, kind in zip(told.found, kinds, strict=True) if kind != _VIEWED]
    numbers = {edit.number for line in open_lines for edit in line.edits}
    edits = {number: edit for number, edit in told.edits.items() if number in numbers}
    times = [edit.time for edit in edits.values()]
    sizes = SizeReader(compared, text, _MOST_SHOWN)
    return Brief(
        edits=len(edits),
        notes=len(told.found),
        more=sum(edit.more for edit in edits.values()),
        since=min(times, default=None),
        until=max(times, default=None),
        clients=_authors(open_lines, edits.keys()),
        counts=_counts(kinds),
        folders=_folders(told.found),
        lines=[_line(one, reader, sizes.sizes(one.changed.files)) for one in chosen[first : first + count]],
        total=len(chosen),
        next=first + count if len(chosen) > first + count else None,
        last=told.last,
        older=told.older,
        unread=told.unread,
    )


def counts_in(read: ReadEdits, sitting: Sitting, text: TextOf, compared: Compared) -> list[KindCount]:
    """Return what happened to how many notes in the standing edits of a sitting, what destroys first.

    Few texts are compared: of a long sitting, the brief may find more notes that are overwritten.
    """
    lines = list(_found(sitting, read.divided(sitting)[0]))
    found, _, _ = _with_overwritten(lines, text, compared, _MOST_COMPARED_IN_CARD)
    return _counts(line.kind for line in found)


def note_work(edits: Sequence[Edit], text: TextOf, compared: Compared) -> list[NoteWork]:
    """Return what some edits, the oldest first, together do to each note, in the order of `note_changes`."""
    sitting = Sitting("", list(reversed(edits)))
    found, _, _ = _with_overwritten(list(_found(sitting, edits)), text, compared, _MOST_SHOWN)
    reader, works, first = SizeReader(compared, text, _MOST_SHOWN), list[NoteWork](), 0
    for line in found:
        changed = line.changed
        if not changed.file.is_note:
            continue
        sizes, notes = reader.sizes(changed.files), len(changed.notes)
        added, removed = (sizes.added, sizes.removed) if sizes else (None, None)
        name, was = changed.change.name, changed.change.was
        works.append(NoteWork(name, was, line.kind, line.words(sizes), added, removed, first, notes))
        first += notes
    return works


def _counted_kind(line: _Found, reader: BriefReader | None) -> str:
    """Return as what a line counts: what happened to the note, or that this is settled. `reader`: who has to look."""
    if line.undone:
        return _UNDONE
    return _VIEWED if reader and line.is_viewed(reader) else line.kind


def _whole(sitting: Sitting, standing: Sequence[Edit], undone: Sequence[Edit]) -> Iterator[_Found]:
    """Yield the lines about a sitting: those about its standing edits, and those about the others."""
    yield from _found(sitting, standing)
    yield from _found(sitting, undone, undone=True)


def _found(sitting: Sitting, edits: Sequence[Edit], *, undone: bool = False) -> Iterator[_Found]:
    """Yield the lines about some edits of a sitting."""
    for changed in note_changes(edits, with_files=True):
        numbers = {edit.number: edit for file in changed.files for edit, _ in file.changes}
        own = [numbers[number] for number in sorted(numbers)]
        yield _Found(sitting, changed, own, undone, changed.change.outcome)


def _with_overwritten(
    found: Sequence[_Found], text: TextOf, compared: Compared, most: int
) -> tuple[list[_Found], int, int]:
    """Return lines with those marked whose notes are overwritten.

    `most`: how many notes to compare. Also return how many lines were not compared, and how many of these because of
    this bound.
    """
    lines, unread, reader = list[_Found](), 0, SizeReader(compared, text, most)
    together: dict[tuple[int, bool], list[_Found]] = {}  # what an undone edit wrote is not in another note now
    for line in found:
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


def _new_lines(found: Iterable[_Found], text: TextOf) -> set[str]:
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


def _is_lost(line: _Found, text: TextOf, moved: Collection[str]) -> bool:
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


def _counts(kinds: Iterable[str]) -> list[KindCount]:
    counts = Counter(kinds)
    return [KindCount(kind, counts[kind]) for kind in (*KINDS, _VIEWED, _UNDONE) if counts[kind]]


def _folders(found: Iterable[_Found]) -> list[FolderCount]:
    names = (line.changed.change.name for line in found)
    counts = Counter(name.partition("/")[0] if "/" in name else "" for name in names)
    return list(itertools.starmap(FolderCount, counts.most_common()))


def _authors(found: Iterable[_Found], numbers: Collection[int]) -> list[ClientWork]:
    """Return who made edits, the client with the most edits first, and then other programs."""
    by: dict[tuple[str, str], list[_Found]] = {}
    for line in found:
        by.setdefault((line.sitting.client, line.sitting.outside), []).append(line)
    authors = []
    for (client, outside), lines in by.items():
        edits = {edit.number: edit for line in lines for edit in line.edits if edit.number in numbers}
        authors.append(
            ClientWork(
                client, client_version(*(edit.client for edit in edits.values())), outside, len(edits), len(lines)
            )
        )
    return sorted(authors, key=lambda one: (bool(one.outside), -one.edits))


def _line(found: _Found, reader: BriefReader, sizes: Sizes | None) -> BriefLine:
    changed, edits, file, change = found.changed, found.edits, found.changed.file, found.changed.change
    numbers = [edit.number for edit in edits]
    return BriefLine(
        note=change.name,
        is_note=file.is_note,
        was=change.was,
        kind=found.kind,
        kinds=found.kinds,
        words=found.words(sizes),
        others=[*changed.merged_names, *found.extracted, *filter(None, [found.was])],
        added=sizes.added if sizes else None,
        removed=sizes.removed if sizes else None,
        began=edits[0].time,
        ended=edits[-1].time,
        client=found.sitting.client,
        version=client_version(*(edit.client for edit in edits)),
        outside=found.sitting.outside,
        first=numbers[0],
        edit=numbers[-1],
        edits=numbers[: -_MOST_LISTED - 1 : -1],
        times=len(numbers),
        sitting=found.sitting.number,
        synchronised=any(edit.commit for edit in edits),
        viewed=found.is_viewed(reader),
        seen=all(number in reader.seen for number in numbers),
        undone=found.undone,
        own=edits[-1].client in reader.own,
    )


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


def changes_between(edits: Iterable[Edit], first: int, last: int) -> tuple[list[NoteEdits], list[Edit]]:
    """Return what the edits from `first` to `last` of a sitting did to each note, and these edits.

    Raises:
        UnknownEdit: when there is no edit `last`.
    """
    (sitting,) = ReadEdits(edits, BriefReader()).sittings_with([last])
    within = [edit for edit in reversed(sitting.edits) if first <= edit.number <= last]
    return note_changes(within, with_files=True), within


def marks_at(edits: Iterable[Edit], places: Collection[LineAddress]) -> tuple[set[Mark], dict[int, set[Mark]]]:
    """Return what a person ticks with some lines, and all that can be ticked of each of their edits: see `line_at`."""
    read, marks, needed = ReadEdits(edits, BriefReader()), set[Mark](), dict[int, set[Mark]]()
    for sitting in read.sittings_with(place.edit for place in places):
        within = {edit.number for edit in sitting.edits}
        here = [place for place in places if place.edit in within]
        first = min(place.first for place in here)
        lines = list(_found(sitting, [edit for edit in read.divided(sitting)[0] if edit.number >= first]))
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


def _at(read: ReadEdits, sitting: Sitting, place: LineAddress) -> _Found:
    for some in (*read.divided(sitting), sitting.edits[::-1]):
        within = [edit for edit in some if place.first <= edit.number <= place.edit]
        for line in _found(sitting, within):
            if line.changed.change.name == place.note:
                return line
    for line in _whole(sitting, *read.divided(sitting)):  # of a merge, the note with the text may be gone later on
        if LineAddress(line.changed.change.name, line.edits[0].number, line.edits[-1].number) == place:
            return line
    raise NoVersion(f"Edit {place.edit} did nothing to {quoted(place.note)}.")
