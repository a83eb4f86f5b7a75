"""The methods of a memory for the history: who changed what, older texts, and undo."""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from zkmem.clients.events import HOOK_CLIENTS
from zkmem.edit.done import Done
from zkmem.edit.plan import Plan, Planner, View
from zkmem.edit.preview import Preview
from zkmem.edit.undo import (
    REDO,
    RESTORE,
    UNDO,
    Undoable,
    plan_redo_edit,
    plan_redo_last,
    plan_restore,
    plan_undo_edit,
    plan_undo_last,
    plan_undo_line,
    plan_undo_session,
    undone_by,
)
from zkmem.errors import BadArgument
from zkmem.index import lookup
from zkmem.markdown.note import read_text
from zkmem.memory.base import MemoryBase
from zkmem.names import name_of, path_of
from zkmem.past.revisions import Revision
from zkmem.recall.as_of import Earlier, EarlierPage
from zkmem.recall.expand import part_of
from zkmem.records.outcome import Edited, Undone
from zkmem.util.spelling import number_of, quoted
from zkmem.util.waiting import check_may_wait
from zkmem.vault.journal.origins import Conversations, session_of
from zkmem.vault.journal.words import with_number

if TYPE_CHECKING:
    from zkmem.past.why import SessionEdit, WrittenPassage


_LINE = re.compile(r"(?P<name>.+):(?P<line>[0-9]{1,9})", re.DOTALL)  # the name of a note cannot have a colon


class PastEdits(MemoryBase):
    """The history of the notes that a caller may see."""

    def log(
        self, name: str | None = None, limit: int = 10, by: str = "all", *, edit: int | None = None
    ) -> list[Revision]:
        """Return the last `limit` edits and changes by other programs, the newest first.

        `name`: of the note that they changed, which may be deleted; `by`: "tools", "others" (by hand or with git), or
        "all"; `edit`: the number of an edit or change, to return only that one.

        Raises:
            UnknownEdit: when there is no edit with this number.
        """
        self._engine.recorder.flush()
        if edit is not None:
            return [self._rights.past.numbered(edit)]
        return self._rights.past.revisions(self._rights.past_path(name) if name else None, limit, by)

    def last_author(self, names: Collection[str]) -> str:
        """Return the client that wrote the present texts of these notes; "" if it is unknown, or there are several."""
        rows = self._engine.live.index.catalog.rows
        paths = map(path_of, names)
        return self._rights.past.last_author({path: row.etag if (row := rows.get(path)) else None for path in paths})

    def why(self, name: str) -> "list[WrittenPassage]":
        """Return the passages of a note, each with the edit that wrote it and, if it is known, the conversation.

        `name`: of the note, or with a heading or the number of a line: `tea#Water`, `tea:12`. Words that were moved
        within a note, or from another one by the same edit, and words that an undo brought back belong to the edit that
        first wrote them.

        Raises:
            UnknownNote, AmbiguousName: when it does not mean exactly one note. NoSection: when the note has no such
                heading. BadArgument: when it has no such line.
        """
        from zkmem.markdown.private import is_private  # noqa: PLC0415 - few need it
        from zkmem.past.why import why  # noqa: PLC0415

        check_may_wait()
        self._engine.recorder.flush()
        rights, place = self._rights, _LINE.fullmatch(name)
        name, subpath = rights.part(place["name"] if place else name, None)
        with rights.errors():
            note, part = self._with_names(lambda index: lookup.split(index.catalog, name))
            path = self._with_names(lambda index: lookup.known_note(index.catalog, note))
            data = rights.read(path)
        lines = _lines_of(data, path, subpath or part, int(place["line"]) if place else None)
        is_told = rights.sees_all and not (self._caller.tools is not None and is_private(path, data))
        conversations = Conversations(self._engine.journal.state) if is_told else None
        return why(rights.past, rights.has, path, data, lines, conversations)

    def edits_of_session(self, session: str) -> "list[SessionEdit]":
        """Return the edits of a conversation with a client, the newest first.

        `session`: the client's own name for it, also with the client and `/` before it, or its hash, as `why` and
        `zkmem log --given` give it.

        Raises:
            Forbidden: when the caller is limited to a folder. BadArgument: when no edit of such a session is known.
        """
        from zkmem.past.why import edits_of  # noqa: PLC0415 - few need it

        self._rights.check_whole()
        known = Conversations(self._engine.journal.state)
        client, _, name = session.partition("/")  # as the property `conversation` of an imported note has it
        names = [session, session_of(client, name), *(session_of(client, session) for client in HOOK_CLIENTS)]
        calls = {call: one for name in names for call, one in known.of_session(name).items()}
        edits = edits_of(self._rights.past, calls)
        if not edits:
            raise BadArgument(f"No edit of a session {quoted(session)} is known; `zkmem why NOTE` names sessions.")
        return edits

    def show(self, name: str, rev: str) -> str:
        """Return the text that a note had in a revision: a date, the number of an edit, an etag or a commit."""
        with self._rights.git_errors():
            path = self._rights.past_path(name)
            text = self._rights.past.text(path, self._rights.revision(path, rev))
        self._engine.read_tracker.showed(self._caller.reader, path, text)
        return read_text(text.data).shown

    def read_earlier(
        self,
        name: str,
        at: str,
        depth: int = 0,
        offset: int = 0,
        *,
        bounded: bool = True,
        subpath: str | None = None,
        then_first: bool = False,
        backlinks: bool = False,
    ) -> Earlier:
        """Return a note as it was at a moment, expanded with the notes that it linked to, as they were then.

        `at`: a date such as `2026-05-01` or `2026-05-01T14:30`, which means its end; the number of an edit; with git
        also a commit, a branch or a tag. `name`: the present name of the note, or the one that it had; `then_first`:
        if two notes have the name, the one now and the other then, return the other. `backlinks`: also return the
        notes that linked to it. The other parameters: as for `read`.

        Raises:
            UnknownThen, AmbiguousName: when there was no such note, or were several. NoVersion: when its text, or the
                moment, is not known. UnknownEdit: when there is no such edit.
        """
        check_may_wait()
        self._engine.recorder.flush()
        rights, query = self._rights, self._rights.name_query(name, subpath, then_first=then_first)
        with rights.git_errors():
            then, text, instant = self._engine.as_of.read(
                query, at, depth, offset, bounded=bounded, backlinks=backlinks
            )
        path = path_of(then.now) if then.now else text.path
        self._engine.read_tracker.showed(self._caller.reader, path, text)
        return then._replace(note=rights.note_text(then.note), moment=rights.moment(at, instant))

    def page_earlier(
        self, name: str, at: str, depth: int = 0, offset: int = 0, *, then_first: bool = False
    ) -> EarlierPage:
        """Return a note for a person as it was at a moment: see `page` and `read_earlier`. All weights are 1."""
        check_may_wait()
        self._engine.recorder.flush()
        rights, query = self._rights, self._rights.name_query(name, then_first=then_first)
        with rights.git_errors():
            then, instant = self._engine.as_of.page(query, at, depth, offset)
        return then._replace(page=rights.note_page(then.page), moment=rights.moment(at, instant))

    def target_earlier(self, target: str, source: str, at: str) -> str | None:
        """Return what the link `[[target]]` in the note `source` meant at a moment: the name that the note had then.

        Of another file, return the path; None if there was no such file. `source`: the name that the note had then, or
        else its present one.
        """
        check_may_wait()
        self._engine.recorder.flush()
        with self._rights.git_errors():
            return self._engine.as_of.target(self._rights.name_query(source, then_first=True), target, at)

    def diff(self, name: str, rev: str | None = None, other: str | None = None) -> str:
        """Return a unified diff of a note, from the revision `rev` to `other`; None stands for the current text.

        If `rev` is None, the diff begins before the last edit of the note.
        """
        with self._rights.git_errors():
            path = self._rights.past_path(name)
            rev, other = (one and self._rights.revision(path, one) for one in (rev, other))
            return self._rights.past.difference(path, rev, other)

    def restore(self, name: str, rev: str) -> Edited:
        """Give a note the text that it had in a revision. Create the note again if it was deleted."""
        rights = self._rights

        def plan(view: View) -> Plan:  # both the note and its older text are found while no other edit is made
            path = rights.past_path_in(view.catalog, name)
            text = rights.past.text(path, rights.revision(path, rev))
            planned = plan_restore(view, path, text, rights.past.since(rights.past.before_moves_by_hand(text.number)))
            now = None if path in view.catalog.rows else rights.past.renamed(path)
            if now is None or now not in view.catalog.rows:
                return planned
            remark = f"the note that was called {name_of(path)} is called {name_of(now)} now, and stays as it is"
            return planned._replace(remarks=(*planned.remarks, remark))

        self._catch_up()
        return self._apply(plan, Edited.by, tool=RESTORE)

    def undo_line(self, note: str, edit: int, *, first: int | None = None, passage: int | None = None) -> Undone:
        """Undo what the edits of a line of a brief did to its note, and to the notes that are told of with it.

        `edit`, `first`: as for `change`; `passage`: the number of a changed block, to undo only that. What later edits
        wrote stays.

        Raises:
            UnknownEdit, NoVersion: when there is no such line. EditedSince: when later changes are in the way.
            NothingToUndo: when it is undone already, or has no such passage.
        """
        self._catch_up()
        return self._apply(self._undoing_line(note, edit, first, passage), self._undone, tool=UNDO)

    def preview_undo_line(
        self, note: str, edit: int, *, first: int | None = None, passage: int | None = None
    ) -> Preview:
        """Return what `undo_line` would change."""
        return self._preview_undone(self._undoing_line(note, edit, first, passage))

    def _undoing_line(self, note: str, edit: int, first: int | None, passage: int | None) -> Planner:
        from zkmem.past.lines import LineAddress  # noqa: PLC0415

        place, past = LineAddress(note, edit if first is None else first, edit), self._rights.past
        return lambda view: plan_undo_line(view, Undoable.of(past), place, passage)

    def undo(
        self,
        count: int = 1,
        edit: int | None = None,
        *,
        sitting: bool = False,
        partial: bool = False,
        session: str | None = None,
    ) -> Undone:
        """Undo the last `count` edits by tools, or the one numbered `edit`, in all their files, as one edit.

        With `sitting`, undo the whole sitting of `edit`: the edits of one client with pauses of less than 15 minutes.
        With `session`, undo all edits of a conversation: see `edits_of_session`. What later edits wrote stays. With
        `partial`, too, the edits of the sitting or session that cannot be undone stay: `left` names them.

        Raises:
            BadArgument: when both `count` and `edit` are given. EditedSince: when later changes are in the way; with
                `partial`, of all edits of the sitting. NothingToUndo, UnknownEdit: when there are no such edits.
        """
        planner = self._undoing(count, edit, sitting=sitting, partial=partial, session=session)
        self._catch_up()
        return self._apply(planner, self._undone, tool=UNDO)

    def preview_undo(
        self,
        count: int = 1,
        edit: int | None = None,
        *,
        sitting: bool = False,
        partial: bool = False,
        session: str | None = None,
    ) -> Preview:
        """Return what `undo` would change."""
        return self._preview_undone(self._undoing(count, edit, sitting=sitting, partial=partial, session=session))

    def redo(self, count: int = 1, edit: int | None = None) -> Undone:
        """Redo what the last `count` undos have undone, or what the undo numbered `edit` has undone."""
        self._catch_up()
        return self._apply(self._redoing(count, edit), self._undone, tool=REDO)

    def preview_redo(self, count: int = 1, edit: int | None = None) -> Preview:
        """Return what `redo` would change."""
        return self._preview_undone(self._redoing(count, edit))

    def _preview_undone(self, planner: Planner) -> Preview:
        self._catch_up()
        preview = self._preview(planner)
        edits = undone_by(preview, self._rights.past)
        return preview._replace(edits=list(map(with_number, edits)))

    def _redoing(self, count: int, edit: int | None) -> Planner:
        past = self._rights.past
        _check_which(count, edit)

        def plan(view: View) -> Plan:
            undoable = Undoable.of(past)
            return plan_redo_last(view, undoable, count) if edit is None else plan_redo_edit(view, undoable, edit)

        return plan

    def _undoing(self, count: int, edit: int | None, *, sitting: bool, partial: bool, session: str | None) -> Planner:
        past = self._rights.past
        _check_which(count, edit)
        if session is not None:
            if edit is not None or count != 1:
                raise BadArgument("Give either a session or edits to undo, not both.")
            numbers = [one.edit for one in self.edits_of_session(session)]
            return lambda view: plan_undo_session(view, Undoable.of(past), numbers, partial=partial)
        if edit is None and sitting:
            raise BadArgument("To undo a sitting, give the number of one of its edits.")
        if partial and not sitting:
            raise BadArgument("Only a sitting or a session can be undone in part; one edit is undone in all its notes.")

        def plan(view: View) -> Plan:
            undoable = Undoable.of(past)
            if edit is None:
                return plan_undo_last(view, undoable, count)
            return plan_undo_edit(view, undoable, edit, sitting=sitting, partial=partial)

        return plan

    def _undone(self, done: Done) -> Undone:
        return Undone.by(done, undone_by(done.plan, self._rights.past))


def _lines_of(data: bytes, path: str, subpath: str | None, line: int | None) -> tuple[int, int]:
    """Return the numbers of the first and the last line of a part of a note, or of its line with a number."""
    text = read_text(data).shown
    last = text.count("\n") + (not text.endswith("\n"))
    if line is not None:
        if not 1 <= line <= last:
            raise BadArgument(f"{quoted(name_of(path))} has no line {line}; it has {number_of(last, 'line')}.")
        return line, line
    if not subpath or subpath == "#":
        return 1, last
    begin, end = part_of(text, path, subpath)
    return text.count("\n", 0, begin) + 1, text.count("\n", 0, max(begin, end - 1)) + 1


def _check_which(count: int, edit: int | None) -> None:
    """Check that not both a number of edits and one edit are given."""
    if edit is not None and count != 1:
        raise BadArgument(f"Give either how many edits, here {count}, or the number of one, here {edit}.")
