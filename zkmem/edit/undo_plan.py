"""Plan to undo edits. What came after them stays: the older text is merged with it, by lines."""

from collections.abc import Callable, Collection, Mapping, Sequence

from zkmem.edit.past_files import ACCEPT, PastFile, Segment, Walk, beyond, described, refusal
from zkmem.edit.past_links import PastLinks
from zkmem.edit.plan import Move, Plan, Put, Remove, View
from zkmem.errors import NothingToUndo, NoVersion
from zkmem.index.lookup import name_for
from zkmem.names import fold, name_of
from zkmem.util.threeway import Conflict, Place, merged
from zkmem.vault.files import etag
from zkmem.vault.journal.log import Edit
from zkmem.vault.paths import is_hidden

_MOST_QUOTED = 80  # characters of a line in an error
_MOST_NAMED = 5  # notes in a remark


def plan_undo(
    view: View,
    edits: Sequence[Edit],
    chosen: Collection[int],
    outcome: str,
    foreign: Collection[int] = (),
    etags: Mapping[str, str | None] | None = None,
) -> Plan:
    """Plan to undo the edits with the numbers `chosen`. `edits` are all edits since the first of them, in order.

    A file that has not changed since gets its older bytes again. Links that were written since to a note that gets its
    older name again get that name, too. `foreign` are the numbers of the edits that the caller may not see; `etags`
    are as for `Walk`.

    Raises:
        EditedSince: when a later edit, or a change by hand, is in the way. NoVersion: when an older text is not kept.
        NothingToUndo: when later edits have deleted every file of these edits.
    """

    def is_foreign(file: PastFile) -> bool:
        paths = (path for path in (file.now, file.path, file.deleted_from) if path and not is_hidden(path))
        return any(edit.number in foreign for edit, _ in file.later) or not all(map(view.has, paths))

    walk = Walk(edits, chosen, etags, is_foreign)
    for file in walk.files:
        _check_later(file, is_foreign)
    steps, remarks = _Undo(view, walk).steps()
    shown = tuple(dict.fromkeys(p for step in steps for p in (step.path, step.path_after) if not is_hidden(p)))
    about = next(iter(shown), "") or next((change.path for edit in walk.edits for change in edit.changes), "")
    numbers = tuple(edit.number for edit in walk.edits)
    return Plan(about, outcome, tuple(steps), shown, undoes=numbers, remarks=tuple(remarks))


class _Undo:
    """The steps that undo the chosen changes of some files."""

    def __init__(self, view: View, walk: Walk) -> None:
        self._view, self._walk = view, walk
        self._deleted = [file for file in walk.files if file.is_deleted]
        self._created = [file for file in walk.files if file.is_created and not file.is_deleted]
        self._files = [file for file in walk.files if not file.is_created and not file.is_deleted]
        self._steps: list[Put | Move | Remove] = []

    def steps(self) -> tuple[list[Put | Move | Remove], list[str]]:
        """Return the steps, and remarks for the caller."""
        gone = (file.deleted_from or file.path for file in self._deleted)
        remarks = [f"{name_of(path) if self._view.has(path) else 'a note'} stays deleted" for path in gone]
        self._check_accepted()
        is_undo = any(edit.tool != ACCEPT for edit in self._walk.edits)
        if self._deleted and not self._created and not self._files and is_undo:
            raise NothingToUndo(f"There is nothing left to undo: {', '.join(remarks)}.")
        for file in (*self._created, *self._files):
            _look_up(self._view, file)
        self._check_paths()
        links = PastLinks(self._view, self._walk, self._files)
        sources = links.sources()
        tracked = {file.now for file in self._files}
        self._files += [PastFile(path, path, etag_now=self._view.base(path)) for path in sources if path not in tracked]
        texts = {file.path: self._text(file, links, sources) for file in self._files}
        for file in self._created:
            remarks += self._remove(file)
        bases = {file.path: None if file.now is None else file.etag_now for file in self._files} | self._move(texts)
        for path, data in texts.items():
            if data is not None and etag(data) != bases[path]:
                self._steps.append(Put(path, data, bases[path]))
        return self._steps, remarks

    def _check_accepted(self) -> None:
        """Check that each proposed edit changes a note that is not deleted, or deletes all its notes."""
        for edit in self._walk.edits:
            files = self._walk.touched.get(edit.number, [])
            is_deleting = all(is_hidden(change.path) or change.before is None for change in edit.changes)
            if edit.tool == ACCEPT and files and not is_deleting and all(file.is_deleted for file in files):
                gone = next((file.deleted_from or file.path for file in files), "")
                name = repr(name_of(gone)) if self._view.has(gone) else "its note"
                raise refusal(edit, f"{name} has been deleted since.")

    def _check_paths(self) -> None:
        """Check that no two files would get the same path."""
        paths = set[str]()
        for file in self._files:
            if file.path in paths:
                raise refusal(_newest(file), f"two files called {name_of(file.path)!r} would come back.")
            paths.add(file.path)

    def _text(self, file: PastFile, links: PastLinks, sources: Collection[str]) -> bytes | None:
        """Return the text of a file without the chosen edits; None if it keeps its bytes."""
        view, tag, here = self._view, file.etag_now, file.now or file.path
        data = None if file.now is not None else _version(view, file, tag) if tag else b""
        if file.now is not None and file.now in sources and not file.segments:
            return links.updated(view.read(here), here)
        for segment in file.segments:
            if tag == segment.after:
                data = links.updated(_version(view, file, segment.before), here, segment.previous)
            else:
                present = links.updated(view.read(file.now), here) if data is None and file.now else data or b""
                data = present if segment.is_relinking else self._merged(file, segment, links, present)
            tag = etag(data)
        return data

    def _merged(self, file: PastFile, segment: Segment, links: PastLinks, present: bytes) -> bytes:
        """Return the present text without the changes of a segment."""
        here = file.now or file.path
        after = None if segment.after is None else self._view.version(segment.after)
        if after is None:
            reason = "the note has changed since, and the text that the edit wrote is no longer stored."
            raise refusal(segment.last, reason, file.path)
        after = links.updated(after, here, segment.last.number + 1)
        older = links.updated(_version(self._view, file, segment.before), here, segment.previous)
        return _without(self._view, file, segment, (after, older, present))

    def _remove(self, file: PastFile) -> list[str]:
        """Add the step that removes a file which the chosen edits have created. Return remarks about links to it."""
        if file.now is None:
            return []
        if file.etag_now != file.segments[0].after or len(file.segments) > 1:
            by = _latest(file, file.segments[-1].last.number)
            reason = f"it has created {name_of(file.path)!r}, and {by} has changed that note since."
            raise refusal(file.segments[-1].first, reason)
        self._steps.append(Remove(file.now, file.etag_now or ""))
        view = self._view
        gone = {one.now for one in self._created}
        rewritten = {one.now for one in self._files if one.segments}
        sources = [path for path in view.links.backlinks(file.now) if path not in gone | rewritten and view.has(path)]
        names = [name_for(view.catalog, path) for path in sources]
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        return [f"{name_of(file.now)} is still linked from {', '.join(names[:_MOST_NAMED])}{more}"] if names else []

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
        if path in leaving or not self._view.taken(path):
            return True
        # a disk that ignores case finds a file that leaves under other spellings of its name, too
        return path not in self._view.catalog and fold(path) in map(fold, leaving)


def _check_later(file: PastFile, is_foreign: Callable[[PastFile], bool]) -> None:
    """Check that no later edit is in the way of undoing the changes of a file, whatever its text is.

    Raises:
        EditedSince: when the file was changed together with files that the caller may not see, or when a later edit
            has deleted it although the chosen edits only changed its text: what they took out of it would be lost.
    """
    if not file.segments and not file.moves:  # it was only renamed, and is deleted since: it stays deleted
        return
    if is_foreign(file):
        raise beyond(_newest(file))
    changed = [one for one in file.segments if not one.is_relinking]
    if file.is_deleted and changed and not file.is_created:
        name = name_of(file.deleted_from or file.path)
        raise refusal(_newest(file), f"{described(file.later[0][0])} has deleted {name!r}; undo that first.")


def _look_up(view: View, file: PastFile) -> None:
    """Set the etag of the present text of a file.

    Raises:
        EditedSince: when the file is gone, although no edit has removed it, or when it would be deleted again although
            its text has changed since.
    """
    if file.now is None:
        return
    file.etag_now = view.base(file.now) if view.taken(file.now) else None
    deletion = file.moves[0][1] if file.moves and is_hidden(file.now) else None
    if deletion is not None and file.etag_now != deletion.before:  # somebody has emptied the trash
        file.now, file.etag_now = None, deletion.before
    elif file.etag_now is None:
        raise refusal(_newest(file), f"{name_of(file.now)!r} is gone. It was renamed or deleted by hand.")
    elif is_hidden(file.path) and not is_hidden(file.now) and file.moves:
        expected = file.segments[0].after if file.segments else file.moves[0][1].before
        if file.etag_now != expected:
            reason = f"{_latest(file, _newest(file).number)} has changed {name_of(file.now)!r} since."
            raise refusal(_newest(file), reason)


def _version(view: View, file: PastFile, tag: str | None) -> bytes:
    data = b"" if tag is None else view.version(tag)
    if data is None and file.now is not None and tag == file.etag_now:
        data = view.read(file.now)
    if data is None:
        raise NoVersion(
            f"The text that {name_of(file.path)!r} had (etag {tag}) is no longer stored, so it cannot be given back."
        )
    return data


def _without(view: View, file: PastFile, segment: Segment, texts: tuple[bytes, bytes, bytes]) -> bytes:
    """Merge `texts`, those after the segment, before it and now, into the present text without its changes."""
    after, before, now = (data.decode("utf-8", "surrogateescape") for data in texts)
    if before and after.endswith("\n") and now.endswith("\n") and not before.endswith("\n"):
        before += "\n"  # what came after needs the line end
    try:
        return merged(after, before, now).encode("utf-8", "surrogateescape")
    except Conflict as conflict:
        place = conflict.proposal.conflicts[0]
    with_it = "with" if segment.last.tool == ACCEPT else "without"
    reason = f"{_in_the_way(view, file, segment)} has changed the same lines. {_quoted(place, with_it)}"
    raise refusal(segment.last, reason, file.path)


def _in_the_way(view: View, file: PastFile, segment: Segment) -> str:
    """Return the first later edit that is in the way of undoing a segment, in words."""
    base, older = (_text_of(view, tag) for tag in (segment.after, segment.before))
    for edit, tag in file.later_than(segment.last.number):
        text = _text_of(view, tag)
        if None in (base, older, text):
            continue
        try:
            merged(base or "", older or "", text or "")
        except Conflict:
            return described(edit)
    return _latest(file, segment.last.number) if None in (base, older) else "a change by hand"


def _latest(file: PastFile, number: int) -> str:
    """Return the newest of the later edits of a file, in words."""
    later = [edit for edit, _ in file.later_than(number)]
    return described(later[-1]) if later else "a change by hand"


def _text_of(view: View, tag: str | None) -> str | None:
    data = b"" if tag is None else view.version(tag)
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _newest(file: PastFile) -> Edit:
    """Return the newest chosen edit of a file."""
    edits = [*(edit for edit, _ in file.moves[:1]), *(one.last for one in file.segments[:1])]
    return max(edits, key=lambda edit: edit.number)


def _quoted(place: Place, with_it: str) -> str:
    now, other = (_shown(lines) for lines in (place.theirs, place.mine))
    return f"Around line {place.line} it has {now}; {with_it} the edit it would have {other}."


def _shown(lines: Sequence[str]) -> str:
    first = next(filter(str.strip, lines), "").strip()
    text = first if len(first) <= _MOST_QUOTED else first[: _MOST_QUOTED - 3] + "..."
    return (repr(text) if text else "nothing") + (" and more" if len(lines) > 1 else "")
