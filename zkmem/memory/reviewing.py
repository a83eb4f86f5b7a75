"""The methods of a memory for a person who reviews edits: the brief, the changes, and the marks of each person."""

import itertools
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from zkmem.edit.preview import Preview  # its type is checked when the page calls
from zkmem.errors import UnknownEdit
from zkmem.index.index import Index
from zkmem.memory.base import MemoryBase
from zkmem.util.waiting import check_may_wait
from zkmem.vault.journal.log import Edit, sitting_with

if TYPE_CHECKING:
    from zkmem.past.brief import Brief
    from zkmem.past.review import NoteEdits
    from zkmem.past.sittings import Review
    from zkmem.recall.changes import ChangedNote, RenderedChanges
    from zkmem.recall.replay import Replay
    from zkmem.vault.journal.seen import Mark

_MOST_CHANGED = 20  # notes whose changes are shown at once
_MOST_BRIEFS = 4  # that are remembered; one of 10,000 edits takes some 10 MB


class Reviewing(MemoryBase):
    """What others did to the notes that a caller may see, and what the person has looked at."""

    def review(
        self, person: str = "", own: Collection[str] = (), *, before: int | None = None, limit: int = 20
    ) -> "Review":
        """Return the last `limit` sittings whose newest edit has a number below `before`, the newest first.

        `person`: the name of the user or the token whose marks are used; `own`: the clients through which that person
        edits.
        """
        from zkmem.past.sittings import review  # noqa: PLC0415
        from zkmem.past.unseen import BriefReader  # noqa: PLC0415

        self._engine.recorder.flush()
        past, reader = self._rights.past, BriefReader(self._engine.seen.by(person), own=own)
        return review(past.changes(), reader, past.texts_of(()), past.compared, before, limit)

    def brief(
        self,
        person: str = "",
        own: Collection[str] = (),
        *,
        kind: str = "",
        client: str = "",
        folder: str = "",
        sitting: int | None = None,
        since: str | None = None,
        viewed: bool = True,
        first: int = 0,
        limit: int = 50,
    ) -> "Brief":
        """Return what the edits did that a person has not seen or, with `sitting`, those of the sitting of an edit.

        `person`, `own`: as for `review`. `kind`, `client`, `folder`: which lines are wanted, by default all; `kind`
        can also be "viewed" or "undone". `viewed`: whether lines that the person has ticked are wanted; those of a
        sitting always are. `since`: the number of an edit or a date, to tell of all later edits, seen or not. The
        lines are those from the one numbered `first` on.

        Raises:
            UnknownEdit: when there is no edit `sitting`. BadArgument: when `since` is neither a number nor a date.
        """
        from zkmem.past.brief import LineFilter, brief, tell  # noqa: PLC0415 - few need it
        from zkmem.past.unseen import BriefReader, seen_until  # noqa: PLC0415

        self._engine.recorder.flush()
        past, seen = self._rights.past, self._engine.seen
        reader = BriefReader(seen.by(person), seen.ticked(person), own)
        if since is not None:
            reader = BriefReader(seen_until(past.changes(), since))
        last, text, briefs = self._engine.journal.last(), past.texts_of(()), past.compared.briefs
        key = self._caller.grant, frozenset(reader.own), tuple(reader.seen.ranges), sitting, last and last.number
        told = briefs.pop(key, None) or tell(past.changes(), reader, sitting)
        briefs[key] = told = told.compared(text, past.compared)
        for old in list(briefs)[:-_MOST_BRIEFS]:  # another thread may do the same
            briefs.pop(old, None)
        return brief(told, reader, text, past.compared, LineFilter(kind, client, folder, viewed), first, limit)

    def replay(
        self, person: str = "", own: Collection[str] = (), *, sitting: int | None = None, since: str | None = None
    ) -> "Replay":
        """Return which notes and links came and went with each edit since the first one that a person has not seen.

        With `sitting`, return it for the edits of the sitting of an edit. `person`, `own`, `since`: as for `brief`. Of
        very many edits, only the last 1,000 have a step.

        Raises:
            UnknownEdit: when there is no edit `sitting`. BadArgument: when `since` is neither a number nor a date.
        """
        from zkmem.past.unseen import BriefReader, ReadEdits, edits_from, seen_until  # noqa: PLC0415
        from zkmem.recall.replay import MOST_STEPS, Replay, replay  # noqa: PLC0415 - only the map needs it

        check_may_wait()
        self._engine.recorder.flush()
        past, reader = self._rights.past, BriefReader(self._engine.seen.by(person), own=own)
        if since is not None:
            reader = BriefReader(seen_until(past.changes(), since))
        read = ReadEdits(past.changes(), reader)
        whole = next(iter(read.sittings_with([sitting]))).edits[::-1] if sitting is not None else None
        first = whole[0].number if whole else read.first_new()
        if first is None:
            return Replay(0, [], [])
        edits = edits_from(past.changes(), first)
        every = whole or edits
        last = every[-MOST_STEPS:]
        edits = [edit for edit in edits if edit.number >= last[0].number]
        index = self._with_links(Index.copied)
        return replay(index, edits, past.words(last), past.texts_of(edits), self._rights.has)._replace(edits=len(every))

    def change(self, note: str | None, edit: int, *, first: int | None = None) -> "RenderedChanges":
        """Return what the edits of a line of a brief did to its note, and to the notes that were extracted from it.

        `first`, `edit`: the numbers of the first and the last edit of the line; by default, it has one edit. Without a
        `note`, return what they did to each note, of at most 20.

        Raises:
            UnknownEdit: when there is no such edit. NoVersion: when these edits did nothing to the note.
        """
        from zkmem.past.lines import LineAddress, changes_between, line_at  # noqa: PLC0415
        from zkmem.recall.changes import RenderedChanges  # noqa: PLC0415

        first, past = edit if first is None else first, self._rights.past
        if note is None:
            changed, edits = changes_between(past.changes(), first, edit, past.texts_of(()), past.compared)
        else:
            one, edits = line_at(past.changes(), LineAddress(note, first, edit))
            changed = [one]
        notes = self._changed_notes(changed, edits)
        return RenderedChanges(notes, sum(len(one.notes) for one in changed) - len(notes))

    def previewed_notes(self, preview: Preview) -> "list[ChangedNote]":
        """Return what an undo or redo would do to each note, of at most 20, with the changed words marked."""
        from zkmem.recall.changes import previewed_notes  # noqa: PLC0415 - only the page needs it

        changes = zip(preview.changes, preview.texts, strict=True)
        files = ((one.path, one.to or one.path, old, new) for one, (old, new) in changes)
        return previewed_notes(files, self._engine.session, self._rights.reaches, _MOST_CHANGED)

    def mark_viewed(self, person: str, lines: Collection[tuple[str, int, int]], *, viewed: bool = True) -> None:
        """Remember that a person has looked at lines of a brief or, unless `viewed`, has not.

        `lines`: the note of each, and the numbers of its first and its last edit. An edit is seen when the person has
        looked at all of its lines.

        Raises:
            UnknownEdit, NoVersion: when there is no such line.
        """
        from zkmem.past.lines import LineAddress, marks_at  # noqa: PLC0415

        marks, needed = marks_at(self._rights.past.changes(), [LineAddress(*line) for line in lines])
        self._engine.seen.tick(person, marks, self._with_hidden(needed), on=viewed)

    def _changed_notes(self, changed: "Iterable[NoteEdits]", edits: Iterable[Edit]) -> "list[ChangedNote]":
        from zkmem.recall.changes import changed_notes  # noqa: PLC0415 - only the page needs it
        from zkmem.recall.outdated import outdated  # noqa: PLC0415

        rights = self._rights

        def still(path: str, old: bytes, new: bytes) -> list[Mapping[str, str]]:
            sentences = outdated(path, old, new, rights.search, self._engine.session, rights.read, rights.has)
            return [one._asdict() for one in sentences]

        text, session = rights.past.texts_of(edits), self._engine.session
        return changed_notes(changed, text, session, rights.reaches, still, 0, _MOST_CHANGED, context=True)

    def mark_seen(self, person: str, edit: int, *, earlier: bool = False) -> list[tuple[int, int]]:
        """Remember that a person has looked at the sitting of an edit, up to that edit.

        With `earlier`, remember it for all earlier edits, too. What the caller may not see stays as it is. Return the
        edits that the person had not seen, as pairs of the first and the last number.

        Raises:
            UnknownEdit: when there is no such edit.
        """
        from zkmem.past.lines import marks_of  # noqa: PLC0415

        sitting, seen = self._sitting(edit), self._engine.seen
        if self._rights.sees_all:
            numbers = [one.number for one in sitting if one.number <= edit]
            return seen.add(person, range(1, edit + 1) if earlier else numbers).ranges
        edits = self._rights.past.changes() if earlier else sitting
        marks = {one.number: marks_of(one) for one in edits if one.number <= edit}
        every, needed = set().union(*marks.values()), self._with_hidden(marks)
        return seen.tick(person, every, needed, on=True, keeps_earlier=True).ranges

    def mark_unseen(self, person: str, edits: Collection[tuple[int, int]]) -> None:
        """Take back what `mark_seen` has marked. `edits`: what it has returned. What was ticked before stays ticked.

        Raises:
            UnknownEdit: when the caller, who may not see all, sees none of them.
        """
        from zkmem.past.lines import marks_of  # noqa: PLC0415
        from zkmem.vault.journal.seen import Ranges  # noqa: PLC0415

        ranges, seen = Ranges(edits), self._engine.seen
        if self._rights.sees_all:
            seen.remove(person, ranges)
            return
        marks = {one.number: marks_of(one) for one in self._rights.past.changes() if one.number in ranges}
        if not marks:
            raise UnknownEdit(max((last for _, last in edits), default=0))
        every = set().union(*marks.values()) - seen.ticked(person)
        seen.tick(person, every, self._with_hidden(marks), on=False)

    def _with_hidden(self, marks: Mapping[int, set["Mark"]]) -> Mapping[int, set["Mark"]]:
        """Add to the marks of some edits, by their numbers, those that the caller may not see.

        A change by another program may be partly in the caller's folder. An edit by a tool is seen as a whole, or not.
        """
        from zkmem.past.lines import marks_of  # noqa: PLC0415

        if self._rights.sees_all or not marks:
            return marks
        first = min(marks)
        entries = itertools.takewhile(lambda one: one.number >= first, self._engine.past.changes())
        hidden = {one.number: marks_of(one) for one in entries if one.outside and one.number in marks}
        return {number: some | hidden.get(number, set()) for number, some in marks.items()}

    def _sitting(self, edit: int) -> list[Edit]:
        """Return the edits of a sitting, the newest first."""
        sitting = sitting_with(self._rights.past.changes(), edit)
        if sitting is None:
            raise UnknownEdit(edit)
        return sitting.edits
