"""Plan to undo edits. What came after them stays: the older text is merged with it, by lines."""

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence

from zkmem.edit.plan import Move, Plan, Put, Remove, View
from zkmem.edit.relink import Relinker
from zkmem.edit.undo_walk import ACCEPT, PastFile, Segment, UndoWalk, beyond, described, refusal
from zkmem.errors import EditedSince, NothingToUndo, NoVersion, TooLarge
from zkmem.index.lookup import name_for
from zkmem.names import fold, name_of
from zkmem.past.files import FileState
from zkmem.past.names import Names, PlannedMoves
from zkmem.past.present_names import PresentNames
from zkmem.util.threeway import Conflict, ConflictingLines
from zkmem.vault.files import etag
from zkmem.vault.journal.log import Change, Edit, Pair
from zkmem.vault.paths import is_hidden, is_visible_note

_SECOND_NS = 1_000_000_000
_MOST_QUOTED = 80  # characters of a line in an error
_MOST_NAMED = 5  # notes in a remark


def plan_undo(
    view: View,
    edits: Sequence[Edit],
    chosen: Collection[int],
    outcome: str,
    foreign: Collection[int] = (),
    names: Names | None = None,
    taken: Sequence[tuple[Edit, Change]] = (),
    whole: Sequence[Edit] = (),
) -> Plan:
    """Plan to undo the edits with the numbers `chosen`. `edits` are all edits since the first of them, in order.

    A file that has not changed since gets its older bytes again, and its links lead to the files that they meant. The
    links of all other notes still lead to the same files.

    `foreign` are the numbers of the edits that the caller may not see; `names` has the names since the first of the
    edits, by default those of `edits`; `taken` are changes of links in other files, which are taken back where nothing
    is in the way; `whole`: the edits with all of their changes, if some of `edits` have only a part.

    Raises:
        EditedSince: when a later edit, or a change by hand, is in the way. NoVersion: when an older text is not kept.
        NothingToUndo: when later edits have deleted every file of these edits.
    """

    def is_foreign(file: PastFile) -> bool:
        paths = (path for path in (file.now, file.path, file.deleted_from) if path and not is_hidden(path))
        return any(edit.number in foreign for edit, _ in file.later) or not all(map(view.has, paths))

    walk = UndoWalk(edits, chosen, is_foreign, whole)
    for file in walk.files:
        _check_later(file, is_foreign)
    undo = _Undo(view, walk, names or Names.since(edits, chosen))
    steps, remarks = undo.steps(taken)
    shown = tuple(dict.fromkeys(p for step in steps for p in (step.path, step.path_after) if not is_hidden(p)))
    about = next(iter(shown), "") or next((change.path for edit in walk.edits for change in edit.changes), "")
    numbers = tuple(edit.number for edit in walk.edits)
    merges = tuple(Pair(*pair) for pair in undo.merges.items())
    return Plan(about, outcome, tuple(steps), shown, undoes=numbers, remarks=tuple(remarks), merges=merges)


class _Undo:
    """The steps that undo the chosen changes of some files."""

    def __init__(self, view: View, walk: UndoWalk, names: Names) -> None:
        self._view, self._walk, self._names = view, walk, names
        self._deleted = [file for file in walk.files if file.is_deleted]
        self._created = [file for file in walk.files if file.is_created and not file.is_deleted]
        self._files = [file for file in walk.files if not file.is_created and not file.is_deleted]
        for file in (*self._created, *self._files):
            _look_up(view, file)
        moves: dict[str, str | None] = {file.now: _visible(file.path) for file in self._files if file.now}
        moves |= {file.now: None for file in self._created if file.now}
        moves = {old: new for old, new in moves.items() if old != new}
        self.merges = self._merged_again(moves)
        moves |= self.merges
        born = [file.path for file in self._files if not file.now or is_hidden(file.now)]
        visible = {old: new for old, new in moves.items() if not is_hidden(old)}
        deleted = {file.deletion[1].path: file.path for file in self._files if file.deletion and _visible(file.path)}
        back = {old: new for old, new in deleted.items() if old != new and old not in view.catalog.rows}
        self._relinker = Relinker(view, visible, list(filter(_visible, born)), back=back)
        restored = {
            (edit.number, state.path): file.path
            for file in self._files if file.now is None and file.segments and _visible(file.path)
            for edit, state in ((file.segments[0].last, file.segments[0].after), *file.later)
            if state.etag is None
        }  # fmt: skip
        self._links = PresentNames(names, view.catalog, PlannedMoves(moves, restored), self._relinker.after, view.has)
        self._steps: list[Put | Move | Remove] = []

    def _merged_again(self, moves: Mapping[str, str | None]) -> dict[str, str]:
        """Return the notes that the undo merges again: present path -> path of the note that gets the text.

        Two notes are merged again if they were one note before a chosen edit. This edit undid their merge, or extracted
        one of them from the other.
        """
        merges = dict[str, str]()
        removed = {file.now for file in self._created} - {*moves.values()}
        created = sorted(self._created, key=lambda file: file.segments[-1].first.number)
        for file in (*self._files, *created):  # in order: a passage before the passages of it
            parts = [
                (edit, pair.to) for edit, change in file.moves for pair in edit.merged
                if pair.path == change.to and is_hidden(file.path)
            ]  # fmt: skip
            first = file.segments[-1].first if file.is_created else None
            parts += [(first, pair.path) for pair in first.extracted if pair.to == file.path] if first else []
            for edit, path in parts if file.now else ():
                before = edit.number - 1  # when they were one note
                target = self._names.target(self._view.catalog, f"/{path}", "", before, PlannedMoves(moves))
                to = merges.get(target.path) if target and target.path in removed else target and target.path
                merges |= {file.now: to} if file.now and to else {}
        return merges

    def steps(self, taken: Sequence[tuple[Edit, Change]]) -> tuple[list[Put | Move | Remove], list[str]]:
        """Return the steps, and remarks for the caller. `taken`: see `plan_undo`."""
        gone = (file.deleted_from or file.path for file in self._deleted)
        remarks = [f"{name_of(path) if self._view.has(path) else 'a note'} stays deleted" for path in gone]
        is_undo = any(edit.tool != ACCEPT for edit in self._walk.edits)
        if self._deleted and not self._created and not self._files and is_undo:
            raise NothingToUndo(f"There is nothing left to undo: {', '.join(remarks)}.")
        self._check_paths()
        for file in self._files:
            self._check_deleted_again(file)
        others = {
            path: text for path, text in self._relinker.changed().items() if not is_undo or self._has_changed(path)
        }
        for edit, change in taken:
            self._give_back(edit, change, others)
        texts = {file.path: self._text(file, others.pop(file.now or "", None)) for file in self._files}
        self._files += [PastFile(path, path, etag_now=self._view.base(path)) for path in others]
        texts |= others
        for file in self._created:
            remarks += self._remove(file)
        bases = {file.path: None if file.now is None else file.etag_now for file in self._files} | self._move(texts)
        for path, data in texts.items():
            if data is not None and etag(data) != bases[path]:
                self._steps.append(Put(path, data, bases[path]))
        return self._steps, remarks

    def _give_back(self, edit: Edit, change: Change, others: dict[str, bytes]) -> None:
        """Take back an edit's changes of links in a file that no chosen edit changed; put the text into `others`."""
        now = self._names.later_path(change.path, edit.number)
        is_there = now in self._view.catalog.rows and self._view.has(now)
        if now is None or not is_there or now in {file.now for file in self._files}:
            return
        present, before = self._view.read(now), self._view.version(change.before or "")
        after = present if self._view.base(now) == change.after else self._view.version(change.after or "")
        if after is None or before is None:
            return
        after = self._links.text(after, change.path, edit.number, now)
        before = self._links.text(before, change.path, edit.number - 1, now)
        with contextlib.suppress(Conflict):
            others[now] = self._with_change(after, before, others.get(now, present), now)

    def _with_change(self, base: bytes, mine: bytes, theirs: bytes, path: str) -> bytes:
        """Return the text `theirs` with the changes from `base` to `mine`: see `PresentNames.merged`."""
        old, new, now = (data.decode(errors="surrogateescape") for data in (base, mine, theirs))
        return self._links.merged(old, new, now, path).encode(errors="surrogateescape")

    def _has_changed(self, path: str) -> bool:
        """Return whether a file has another text than before the first of the chosen edits, as far as is known.

        If it has the same text, its links must mean the same again: a link that led nowhere must lead nowhere.
        """
        first = self._walk.edits[-1]
        if first.tool == ACCEPT:  # the vault never had the links that the client proposed
            return True
        then = self._names.earlier_path(path, first.number - 1)
        if then is None or then in self._walk.etags_before:
            return then is None or self._walk.etags_before[then] != self._view.base(path)
        stamp = self._view.store.stamp(path)
        return stamp is not None and stamp.mtime_ns > first.time * _SECOND_NS

    def _check_paths(self) -> None:
        """Check that no two files would get the same path."""
        paths = set[str]()
        for file in self._files:
            if file.path in paths:
                raise refusal(_newest(file), f"two files called {name_of(file.path)!r} would come back.")
            paths.add(file.path)

    def _check_deleted_again(self, file: PastFile) -> None:
        """Check that a file which the undo deletes again has no text that was written since."""
        if file.now is None or is_hidden(file.now) or not is_hidden(file.path) or not file.moves:
            return
        change, newest = file.moves[0][1], _newest(file)
        left = file.segments[0].after if file.segments else FileState(change.to or "", change.before)
        data = None if left.etag == file.etag_now else self._view.version(left.etag or "")
        text = None if data is None else self._links.text(data, left.path, newest.number, file.now)
        if left.etag != file.etag_now and (text is None or not self._links.same(text, self._present(file), file.now)):
            raise refusal(newest, f"{_latest(file, newest)} has changed {name_of(file.now)!r} since.")

    def _text(self, file: PastFile, relinked: bytes | None) -> bytes | None:
        """Return the text of a file without the chosen edits; None if it keeps its bytes.

        `relinked`: its present bytes with other links, if some of them change.
        """
        data = relinked if file.deletion is None else self._deleted_text(file, *file.deletion)
        tag = file.etag_now  # the etag of the version that `data` is; "" if it is a merged text
        for segment in file.segments:
            if tag == segment.after.etag and not self._shows_other_names(file, segment):
                data, tag = self._older(file, segment), segment.before.etag
            elif not segment.is_relinking:
                data, tag = self._merged(file, segment, self._present(file) if data is None else data), ""
        return data

    def _shows_other_names(self, file: PastFile, segment: Segment) -> bool:
        """Return whether a client saw other names in the text of a note, before its proposed edit, than the vault has.

        Then only the lines that the client changed are taken.
        """
        if segment.last.tool != ACCEPT or file.now is None or not is_visible_note(file.now):
            return False
        data = self._view.read(file.now)
        seen = self._links.text(data, segment.after.path, segment.last.number, file.path)
        return seen != self._relinker.updated(data, file.now)

    def _deleted_text(self, file: PastFile, edit: Edit, change: Change) -> bytes | None:
        """Return the text that a file had when a chosen edit deleted it, respelled; None if that is the present one."""
        try:
            data = _version(self._view, file, file.etag_now)
        except TooLarge:  # it moves back as it is: no call follows or updates its links
            return None
        text = self._links.text(data, change.path, edit.number - 1, file.path)
        return None if text == data and file.now is not None else text

    def _present(self, file: PastFile) -> bytes:
        """Return the present text of a file; no bytes if it is gone."""
        if file.deletion is not None:
            return _version(self._view, file, file.etag_now)
        return self._relinker.updated(self._view.read(file.now), file.now) if file.now else b""

    def _older(self, file: PastFile, segment: Segment) -> bytes:
        """Return the text before a segment, respelled for its path after the undo."""
        data = _version(self._view, file, segment.before.etag)
        if is_hidden(file.path):  # it is deleted again
            return data
        return self._links.text(data, segment.before.path, segment.first.number - 1, file.path)

    def _merged(self, file: PastFile, segment: Segment, present: bytes) -> bytes:
        """Return the present text without the changes of a segment."""
        tag = segment.after.etag
        after = b"" if tag is None else self._view.version(tag)
        if after is None and file.now is not None and tag == file.etag_now:
            after = self._view.read(file.now)
        if after is None:
            reason = "the note has changed since, and the text that the edit wrote is no longer stored."
            raise refusal(segment.last, reason, file.path)
        after = self._links.text(after, segment.after.path, segment.last.number, file.path)
        older = self._older(file, segment)
        try:
            return self._without(file, after, older, present)
        except Conflict as conflict:
            place = conflict.proposal.conflicts[0]
        with_it = "with" if segment.last.tool == ACCEPT else "without"
        by = self._in_the_way(file, segment, after, older)
        raise refusal(segment.last, f"{by} has changed the same lines. {_quoted(place, with_it)}", file.path)

    def _without(self, file: PastFile, after: bytes, before: bytes, now: bytes) -> bytes:
        """Return a text without the changes of a segment. `after`, `before`: the texts after and before these."""
        if before and now != after and after.endswith(b"\n") and now.endswith(b"\n") and not before.endswith(b"\n"):
            before += b"\n"  # what came after needs the line end
        return self._with_change(after, before, now, file.path)

    def _in_the_way(self, file: PastFile, segment: Segment, after: bytes, older: bytes) -> str:
        """Return the first later edit that is in the way of undoing a segment, in words."""
        for edit, state in file.later_than(segment):
            data = b"" if state.etag is None else self._view.version(state.etag)
            if data is None:
                continue
            try:
                self._without(file, after, older, self._links.text(data, state.path, edit.number, file.path))
            except Conflict:
                return described(edit)
        return "a change by hand"

    def _remove(self, file: PastFile) -> list[str]:
        """Add the step that removes a file which the chosen edits have created. Return remarks about links to it."""
        if file.now is None:
            return []
        if self._has_other_text(file):
            by = _latest(file, file.segments[-1].last)
            reason = f"it has created {name_of(file.path)!r}, and {by} has changed that note since."
            raise refusal(file.segments[-1].first, reason)
        self._steps.append(Remove(file.now, file.etag_now or ""))
        if file.now in self.merges:
            return []
        view = self._view
        gone = {one.now for one in self._created}
        rewritten = {one.now for one in self._files if one.segments}
        sources = [path for path in view.links.backlinks(file.now) if path not in gone | rewritten and view.has(path)]
        names = [name_for(view.catalog, path) for path in sources]
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        return [f"{name_of(file.now)} is still linked from {', '.join(names[:_MOST_NAMED])}{more}"] if names else []

    def _has_other_text(self, file: PastFile) -> bool:
        """Return whether a file has text that the chosen edits did not write."""
        try:
            return bool(self._text(file, None))
        except EditedSince:  # in the same lines
            return True

    def _move(self, texts: dict[str, bytes | None]) -> dict[str, str | None]:
        """Add the steps that move files back. Return the present etag at each path that files exchange with each other.

        Files that exchange their paths cannot be moved, so they get each other's text.
        """
        waiting = [file for file in self._files if file.path != file.now and file.now is not None]
        leaving = {file.now for file in (*waiting, *self._created) if file.now is not None}
        for file in self._files:
            if file.path != file.now and not self._will_be_free(file.path, leaving):
                raise refusal(_newest(file), f"there is another file called {name_of(file.path)!r} now.")
        while True:
            taken = {file.now for file in waiting}
            free = [file for file in waiting if file.path not in taken]
            if not free:
                break
            self._steps += [Move(file.now or "", file.path, file.etag_now or "") for file in free]
            waiting = [file for file in waiting if file.path in taken]
        for file in waiting:
            if texts[file.path] is None:
                texts[file.path] = self._view.read(file.now or "")
        tags = {file.now: file.etag_now for file in waiting}
        return {file.path: tags[file.path] for file in waiting}

    def _will_be_free(self, path: str, leaving: Collection[str]) -> bool:
        """Return whether nothing will be at a path once some files have left their paths."""
        if path in leaving or not self._view.store.taken(path):
            return True
        # a disk that ignores case finds a file that leaves under other spellings of its name, too
        return path not in self._view.catalog and fold(path) in map(fold, leaving)


def _check_later(file: PastFile, is_foreign: Callable[[PastFile], bool]) -> None:
    """Check that no later edit but a change of the text is in the way of undoing the changes of a file."""
    if is_foreign(file):
        raise beyond(_newest(file))
    is_moved = any(not is_hidden(change.path) for _, change in file.moves)
    is_changed = is_moved or not all(one.is_relinking for one in file.segments)
    is_new = file.is_created and not file.segments[-1].first.extracted
    if file.is_deleted and is_changed and not is_new:
        path, by = file.deleted_from or file.path, file.later[0][0]
        verb = "merged" if any(pair.path == path for pair in by.merged) else "deleted"
        raise refusal(_newest(file), f"{described(by)} has {verb} {name_of(path)!r}; undo that first.")


def _visible(path: str) -> str | None:
    """Return a path that is not hidden; None for a hidden one."""
    return None if is_hidden(path) else path


def _look_up(view: View, file: PastFile) -> None:
    """Set the etag of the present text of a file."""
    if file.now is None:
        return
    file.etag_now = view.base(file.now) if view.store.taken(file.now) else None
    deletion = file.moves[0][1] if file.moves and is_hidden(file.now) else None
    if deletion is not None and file.etag_now != deletion.before:  # somebody has emptied the trash
        file.now, file.etag_now = None, deletion.before
    elif file.etag_now is None:
        raise refusal(_newest(file), f"{name_of(file.now)!r} is gone. It was renamed or deleted by hand.")


def _version(view: View, file: PastFile, tag: str | None) -> bytes:
    data = b"" if tag is None else view.version(tag)
    if data is None and file.now is not None and tag == file.etag_now:
        data = view.read(file.now)
    if data is None:
        raise NoVersion(
            f"The text that {name_of(file.path)!r} had (etag {tag}) is no longer stored, so it cannot be given back."
        )
    return data


def _latest(file: PastFile, since: Edit) -> str:
    """Return the last edit of a file that stays, in words, if it came after a chosen edit."""
    last = file.later[0][0] if file.later else None
    return described(last) if last and last.number > since.number else "a change by hand"


def _newest(file: PastFile) -> Edit:
    """Return the newest chosen edit of a file."""
    edits = [*(edit for edit, _ in file.moves[:1]), *(one.last for one in file.segments[:1])]
    return max(edits, key=lambda edit: edit.number)


def _quoted(place: ConflictingLines, with_it: str) -> str:
    now, other = (_shown(lines) for lines in (place.theirs, place.mine))
    return f"Around line {place.line} it has {now}; {with_it} the edit it would have {other}."


def _shown(lines: Sequence[str]) -> str:
    first = next(filter(str.strip, lines), "").strip()
    text = first if len(first) <= _MOST_QUOTED else first[: _MOST_QUOTED - 3] + "..."
    return (repr(text) if text else "nothing") + (" and more" if len(lines) > 1 else "")
