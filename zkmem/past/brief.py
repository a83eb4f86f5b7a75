"""The brief: what became of each file in the edits that a person has not seen; what destroys text comes first.

Each line is about what one client, or one kind of other program, did to one note in one sitting. Together with a line
go the notes that were merged into its note, and the new notes that were extracted from it.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from zkmem.names import below, fold
from zkmem.past.lines import NoteLine, all_lines_of, lines_of, with_overwritten
from zkmem.past.sizes import Compared, SizeReader, Sizes, TextOf
from zkmem.past.unseen import BriefReader, ReadEdits
from zkmem.util.spelling import clock, number_of
from zkmem.vault.journal.log import GIT, Edit, Sitting, client_version, origin
from zkmem.vault.journal.words import KINDS

_MOST_COMPARED = 1_000  # notes whose texts are compared for one answer
_MOST_COMPARED_IN_CARD = 100  # notes of a sitting in a list
_MOST_SHOWN = 500  # notes whose words are counted because their lines are shown
_MOST_LISTED = 100  # numbers of edits in a line
_VIEWED, _UNDONE = "viewed", "undone"  # what settled lines count as, whatever happened


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


class KindCount(NamedTuple):
    """To how many notes something happened.

    In a brief, each line counts once: as "viewed" if the person has ticked it, as "undone" if its edits are undone.
    """

    kind: str
    notes: int


class ClientWork(NamedTuple):
    """Who made edits: a client, or another program."""

    client: str
    version: str
    outside: str
    edits: int
    notes: int  # all lines, as many as the filter shows


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
    clients: list[ClientWork]  # of these edits
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

    def passes(self, line: "NoteLine", kind: str) -> bool:
        """Return whether a line is wanted. `kind`: what it counts as, see `KindCount`."""
        return (
            self.kind in ("", kind)
            and (self.viewed or kind != _VIEWED)
            and self.client in ("", line.sitting.client, line.sitting.outside)
            and (not self.folder or below(fold(line.changed.change.name), fold(self.folder.strip("/"))))
        )


EVERY = LineFilter()


class Told(NamedTuple):
    """All lines of a brief, before some are chosen."""

    found: list[NoteLine]  # what destroys first
    seen: list[NoteLine]  # other lines of the same sittings, all of whose edits the person has seen
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
        found, unread, left = with_overwritten(self.found, text, compared, _MOST_COMPARED, self.seen)
        found.sort(key=lambda line: (line.undone, KINDS.index(line.kind), -line.edits[-1].number))
        return self._replace(found=found, unread=unread, left=left)


def tell(edits: Iterable[Edit], reader: BriefReader, sitting: int | None = None) -> Told:
    """Return what the edits did that a person has not seen, or those of one sitting.

    What is settled is left out: edits that are undone, and proposed edits that somebody has accepted. `edits`: all
    edits, the newest first, which are read only as far as needed.
    """
    read, seen = ReadEdits(edits, reader), list[NoteLine]()
    if sitting is None:
        every = [line for whose, some in read.unseen() for line in lines_of(whose, some)]
        found = [line for line in every if any(map(read.is_new, line.edits))]
        seen = [line for line in every if not any(map(read.is_new, line.edits))]
    else:
        found = [line for whose in read.sittings_with([sitting]) for line in all_lines_of(whose, *read.divided(whose))]
    numbers = {edit.number: edit for line in found for edit in line.edits if sitting or read.is_new(edit)}
    return Told(found, seen, sitting is not None, numbers, read.last, read.older)


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
        clients=_authors(told.found, open_lines, edits.keys()),
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
    lines = list(lines_of(sitting, read.divided(sitting)[0]))
    found, _, _ = with_overwritten(lines, text, compared, _MOST_COMPARED_IN_CARD)
    return _counts(line.kind for line in found)


def _counted_kind(line: NoteLine, reader: BriefReader | None) -> str:
    """Return what a line counts as, see `KindCount`. `reader`: who has to look; None for a sitting, without ticks."""
    if line.undone:
        return _UNDONE
    return _VIEWED if reader and line.is_viewed(reader) else line.kind


def _counts(kinds: Iterable[str]) -> list[KindCount]:
    counts = Counter(kinds)
    return [KindCount(kind, counts[kind]) for kind in (*KINDS, _VIEWED, _UNDONE) if counts[kind]]


def _folders(found: Iterable[NoteLine]) -> list[FolderCount]:
    names = (line.changed.change.name for line in found)
    folders = [name.partition("/")[0] if "/" in name else "" for name in names]
    spelled = {fold(folder): folder for folder in folders}  # a filter compares folders so, too
    return [FolderCount(spelled[folded], lines) for folded, lines in Counter(map(fold, folders)).most_common()]


def _authors(found: Iterable[NoteLine], open_lines: Iterable[NoteLine], numbers: Collection[int]) -> list[ClientWork]:
    """Return who made the edits of `open_lines`, the client with the most edits first, and then other programs."""
    by: dict[tuple[str, str], list[NoteLine]] = {}
    for line in found:
        by.setdefault((line.sitting.client, line.sitting.outside), []).append(line)
    authors = []
    for client, outside in dict.fromkeys((line.sitting.client, line.sitting.outside) for line in open_lines):
        lines = by[client, outside]
        edits = {edit.number: edit for line in lines for edit in line.edits if edit.number in numbers}
        authors.append(
            ClientWork(
                client, client_version(*(edit.client for edit in edits.values())), outside, len(edits), len(lines)
            )
        )
    return sorted(authors, key=lambda one: (bool(one.outside), -one.edits))


def _line(found: NoteLine, reader: BriefReader, sizes: Sizes | None) -> BriefLine:
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
