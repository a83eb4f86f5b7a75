"""Read the history of notes: their edits with the authors, and their older texts."""

import contextlib
import copy
import functools
import heapq
import itertools
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

from zkmem.errors import BadArgument, NoVersion, UnknownEdit, Unreadable
from zkmem.markdown.note import read_text
from zkmem.names import NOTE_SUFFIX, fold, name_of
from zkmem.util.threeway import unified
from zkmem.vault.files import etag
from zkmem.vault.journal.log import Change, Edit, Log, origin
from zkmem.vault.journal.outside import OutsideLog, newest
from zkmem.vault.journal.versions import Versions
from zkmem.vault.journal.words import as_title
from zkmem.vault.paths import TRASH, is_hidden
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from zkmem.vault.git.commits import Commit
    from zkmem.vault.git.mirror import Mirror

_MOST_SEARCHED = 1_000  # edits to search for a deletion, or for the edits of commits
_MOST_LATEST = 64  # edits that are searched for the client of a change
_NOTHING = "nothing"
_SHORTEST_HASH = 7  # of a commit, as git abbreviates it; numbers of edits are shorter
_HASH = re.compile(rf"[0-9a-f]{{{_SHORTEST_HASH},64}}")
_COMMIT = re.compile(r"\w[\w./+-]{0,249}(?:[~^][0-9]{0,9}){0,9}")  # git also knows searches, times and paths


class Revision(NamedTuple):
    """An edit by a tool, a change by another program, or a commit, for which only the first six fields are known."""

    rev: str  # the name of the revision, for `show` and `restore`
    time: float  # seconds since 1970
    author: str
    what: str  # the tool and the notes, or the subject of the commit
    words: str  # what it did, as a title
    notes: tuple[str, ...] = ()  # the notes that it changed
    tool: str = ""
    moves: tuple[tuple[str, str], ...] = ()  # the notes that it renamed: old and new name
    undoes: tuple[str, ...] = ()  # the `rev` of each edit that it undoes
    outside: str = ""  # if another program made the change, its kind: see `Edit`

    @property
    def line(self) -> str:
        """Return the revision as a line of a list, in local time."""
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.time))
        who = origin(self.outside) or self.author
        return f"{self.rev}  {when}  {self.what}" + (f"  ({who})" if who else "")


def no_revision(path: str, rev: str) -> NoVersion:
    """Return the error about a revision that a note does not have, or whose text is gone.

    A caller who may not know of the revision gets the same error.
    """
    return NoVersion(f"{name_of(path)!r} has no revision {rev!r}, or it is not kept any more. See the log.")


class Past:
    """The history of one vault: from git if that is used, else from the log of edits and the versions."""

    def __init__(
        self, store: Store, log: Log, outside: OutsideLog, versions: Versions, mirror: "Mirror | None"
    ) -> None:
        """`outside`: the changes by other programs."""
        self._store = store
        self._log = log
        self._outside = outside
        self._versions = versions
        self._mirror = mirror
        self._has: Callable[[str], bool] = lambda _: True
        self._is_whole = True

    def within(self, has: Callable[[str], bool]) -> Self:
        """Return the history for a caller who may see only the paths for which `has` holds, and texts from there."""
        other = copy.copy(self)
        other._has, other._is_whole = has, False  # noqa: SLF001 - it has the same class
        return other

    def revisions(self, path: str | None, count: int, by: str = "all") -> list[Revision]:
        """Return the last `count` changes, or those of one note under all its names; the newest first.

        `by`: whose changes: those by "tools", those by "others", which are other programs, or "all". With git, all are
        the edits that are not committed yet, then the commits. A caller who may not see all paths gets the edits that
        changed nothing else.

        Raises:
            BadArgument: when `by` is another word.
        """
        kinds = {"all": self.changes, "tools": self.backwards, "others": self._outside_changes}
        if by not in kinds:
            raise BadArgument(f"Changes by {by!r} cannot be listed; give one of: {', '.join(kinds)}.")
        if by != "all" or not self._is_whole or self._mirror is None:
            return revisions(kinds[by](), path, count)
        commits: list[Revision] = []
        from zkmem.vault.git.command import GitTrouble  # noqa: PLC0415 - only git needs it

        with contextlib.suppress(GitTrouble):
            commits = [
                Revision(one.rev[:10], one.time, self._author(one), one.subject, words, _notes(one.paths))
                for one, words in self._in_words(self._mirror.history.log(path, count))
            ]
        if not commits:
            return revisions(self.changes(), path, count)
        return [*revisions(self._mirror.pending(), path, count), *commits][:count]

    def numbered(self, number: int) -> Revision:
        """Return the edit, or the change by another program, with a number.

        Raises:
            UnknownEdit: when there is none.
        """
        for edit in self.changes():
            if edit.number <= number:
                if edit.number == number:
                    return _revision_of(edit)
                break
        raise UnknownEdit(number)

    def _in_words(self, commits: list["Commit"]) -> Iterator[tuple["Commit", str]]:
        """Yield commits, each with what its edit did, or with its subject if the log does not have that edit."""
        wanted = {one.edit: one.subject for one in commits if one.edit}
        edits = itertools.islice(self._log.backwards(), _MOST_SEARCHED) if wanted else iter(())
        known = {str(edit.number): as_title(edit) for edit in edits if wanted.get(str(edit.number)) == edit.title()}
        return ((one, known.get(one.edit, one.subject)) for one in commits)

    def _author(self, commit: "Commit") -> str:
        """Return the author of a commit, with the machine if it is another one."""
        here = self._mirror.machine if self._mirror is not None else ""
        return f"{commit.author} on {commit.machine}" if commit.machine not in {"", here} else commit.author

    def edits(self) -> list[Edit]:
        """Return the edits in the log that changed only what the caller may see, the oldest first."""
        return list(self.backwards())[::-1]

    def every_change(self) -> list[Edit]:
        """Return what `changes` yields and the edits that the caller may not see, the oldest first."""
        return list(_by_number(self._log.backwards(), self._outside_changes()))[::-1]

    def changes(self) -> Iterator[Edit]:
        """Yield the edits that the caller may see, and the changes by other programs, the newest first."""
        return _by_number(self.backwards(), self._outside_changes())

    def _outside_changes(self) -> Iterator[Edit]:
        """Yield the changes by other programs, each with the files that the caller may see, the newest first."""
        if self._is_whole:
            yield from self._outside.backwards()
            return
        for entry in self._outside.backwards():
            own = {change for one in _files(entry) if self._owns_file(one) for change in one.changes}
            if own:
                yield entry._replace(changes=tuple(one for one in entry.changes if one in own), more=0)

    def backwards(self) -> Iterator[Edit]:
        """Yield these edits, the newest first."""
        return filter(self.sees, self._log.backwards())

    def sees(self, edit: Edit) -> bool:
        """Return whether the caller may see an edit or, of a change by another program, any of its files."""
        if self._is_whole:
            return True
        if edit.outside:
            return any(map(self._owns_file, _files(edit)))
        return self.owns(map(_before_and_after, edit.changes))

    def _owns_file(self, file: "_File") -> bool:
        """Return whether the caller may see all changes of a file by one edit."""
        return self.owns(map(_before_and_after, file.changes))

    def owns(self, changes: Iterable[tuple[str, str]], *, trash: bool = False) -> bool:
        """Return whether the caller may see all files of some changes, which are pairs of paths before and after.

        A change from or to the trash needs one such path; with `trash`, it may also be within the trash.
        """
        pairs = ([path for path in pair if not path.startswith(TRASH + "/")] for pair in changes)
        return self._is_whole or all((paths or trash) and all(map(self._has, paths)) for paths in pairs)

    def last_author(self, etags: Mapping[str, str | None]) -> str:
        """Return the client that wrote the present texts of all these files; "" if it is unknown, or there are several.

        `etags` are their present etags by path; None for a file that is gone.
        """
        if not all(map(self._has, etags)):
            return ""
        clients, left = set[str](), dict(etags)
        last = self._log.last()
        edits = itertools.islice(self._log.backwards(), _MOST_LATEST) if len(etags) > 1 else filter(None, [last])
        for edit in edits:
            for path, after in edit.etags().items():
                if path not in left:
                    continue
                if left.pop(path) != after:
                    return ""
                clients.add(edit.client)
            if not left:
                break
        return clients.pop() if len(clients) == 1 and not left else ""

    def text(self, path: str, rev: str) -> bytes:
        """Return the bytes that a note had in a revision: the number of an edit, an etag, or a revision of git.

        If the revision deleted the note, return the bytes that were deleted.

        Raises:
            NoVersion: when the revision is not known, or the note did not exist then.
        """
        deleted = self._deleted_text(path, rev)
        return self._text(path, rev) if deleted is None else deleted

    def _text(self, path: str, rev: str) -> bytes:
        data = self._by_number(path, int(rev)) if _is_number(rev) else None
        if data is None:
            data = self._versions.text(rev)
        if data is None:
            data = self._in_git(path, rev)
        if data is None:
            raise no_revision(path, rev)
        return data

    def _deleted_text(self, path: str, rev: str) -> bytes | None:
        """Return the bytes that a note had before a revision deleted it; None if the revision did not.

        Raises:
            NoVersion: when they are not kept.
        """
        if not _is_number(rev):
            return self._in_git(path, rev, "~1") if self._is_deleted(path, rev) else None
        tag = self._deleted_etag(path, int(rev))
        data = None if tag is None else self._versions.text(tag)
        if tag is not None and data is None:
            raise NoVersion(f"Change {rev} deleted {name_of(path)!r}, and the text that it had before is not kept.")
        return data

    def _is_deleted(self, path: str, rev: str) -> bool:
        """Return whether a revision may have deleted a note: whether it did not exist after that."""
        if _is_number(rev):
            return self._deleted_etag(path, int(rev)) is not None
        return self._versions.text(rev) is None and self._in_git(path, rev) is None

    def _deleted_etag(self, path: str, number: int) -> str | None:
        """Return the etag of a note before the edit, or change by another program, with a number deleted it."""
        edits = _by_number(self._log.backwards(), self._outside.backwards())
        edit = next(itertools.dropwhile(lambda edit: edit.number > number, edits), None)
        if edit is None or edit.number != number or not self._has(path):
            return None
        return next((one.before.etag for one in _files(edit) if one.before.path == path and one.is_deleted), None)

    def _in_git(self, path: str, rev: str, step: str = "") -> bytes | None:
        """Return the bytes that a note had in a revision of git; None without git, or if it did not exist then.

        `step`: from the revision to another one, such as "~1". A caller who may not see all paths can only give the
        hash of a commit.

        Raises:
            NoVersion: when the revision is written in another way, of which git knows many: some search the messages.
        """
        if self._mirror is None:
            return None
        if not (_COMMIT if self._is_whole else _HASH).fullmatch(rev):
            more = ", a branch, a tag or HEAD, each also with ~1" if self._is_whole else ""
            raise NoVersion(f"{rev!r} is no revision: give a number or commit from the log, an etag{more}.")
        from zkmem.vault.git.command import GitTrouble  # noqa: PLC0415 - only git needs it

        try:
            return self._mirror.history.text(rev + step, path, self._has)
        except GitTrouble as error:
            raise NoVersion(f"git cannot read the history: {error}.") from error

    def _by_number(self, path: str, number: int) -> bytes | None:
        last = newest(self._log.last(), self._outside.last())
        if last is None or number > last.number:
            return None
        changes = _by_number(self._log.backwards(), self._outside.backwards())
        try:
            old_path, old_etag = revision(changes, path, number)
        except NoVersion:  # the message of `text` does not say whether there was an edit with this number
            return None
        if not self._has(old_path):
            return None
        if old_etag is None:
            before = f", called {name_of(old_path)!r} before," if old_path != path else ""
            raise NoVersion(f"{name_of(path)!r}{before} did not exist after edit {number}.")
        texts = (
            self._current_text(path, old_etag),
            self._current_text(old_path, old_etag),
            self._versions.text(old_etag),
        )
        return next((text for text in texts if text is not None), None)

    def deleted(self, path: str) -> Change | None:
        """Return the change that moved the note at `path`, or a note whose path ends with `path`, to the trash.

        Return None if the file is no longer in the trash, or if none of the last 1,000 edits moved it there.
        """
        ending, touched = "/" + fold(path), set[str]()
        for edit in itertools.islice(self._log.backwards(), _MOST_SEARCHED):
            for change in reversed(edit.changes):
                paths = {change.path, change.to or change.path}
                if touched.isdisjoint(paths) and self._is_deletion(change, ending):
                    return change
                touched |= paths
        return None

    def _is_deletion(self, change: Change, ending: str) -> bool:
        """Return whether a change moved a note whose path has this ending to the trash, and its file is still there."""
        to = change.to or ""
        matches = to.startswith(TRASH + "/") and ("/" + fold(change.path)).endswith(ending)
        return matches and self._has(change.path) and self._store.stamp(to) is not None

    def version(self, path: str, old_etag: str) -> bytes | None:
        """Return the text with an etag that the note at this path had before or after an edit; None if not kept."""
        edits = _by_number(self._log.backwards(), self._outside.backwards())
        wanted = _State(path, old_etag)
        is_known = any(wanted in (one.before, one.after) for edit in edits for one in _files(edit))
        return self._versions.text(old_etag) if is_known else None

    def kept(self) -> Callable[[str], bytes | None]:
        """Return a function that returns the bytes with an etag; None if they are not kept, or not for the caller.

        A caller who may not see all paths gets a text if a file had it at a path that the caller may see.
        """
        if self._is_whole:
            return self._versions.text
        may_see = self._may_see(())
        return lambda tag: self._versions.text(tag) if may_see(tag) else None

    def _may_see(self, edits: Iterable[Edit]) -> Callable[[str], bool]:
        """Return a function that tells whether the caller may see the text with an etag: see `kept`.

        The function reads the logs when it gets an etag that is not in `edits`.
        """
        tags = self._tags(edits)

        @functools.cache
        def every_tag() -> set[str | None]:
            return self._tags(_by_number(self._log.backwards(), self._outside.backwards()))

        return lambda tag: tag in tags or tag in every_tag()

    def _tags(self, edits: Iterable[Edit]) -> set[str | None]:
        """Return the etags that files had before or after some edits at paths that the caller may see."""
        states = (state for edit in edits for one in _files(edit) for state in (one.before, one.after))
        return {state.etag for state in states if self._has(state.path)}

    def texts_of(self, edits: Iterable[Edit]) -> Callable[[str, str], bytes | None]:
        """Return a function for the texts before and after some edits that the caller may see.

        It returns the bytes with an etag that the note at a path had; None if they are not kept, or if the caller may
        not see them: see `kept`.
        """
        may_see = (lambda _: True) if self._is_whole else self._may_see(edits)

        def text(path: str, tag: str) -> bytes | None:
            if not may_see(tag):
                return None
            data = self._versions.text(tag)
            return self._current_text(path, tag) if data is None else data

        return text

    def texts(self, path: str, count: int) -> Iterator[bytes]:
        """Yield the texts that the note at a path had before and after its last `count` edits and commits."""
        files = (one for edit in self._log.backwards() for one in _files(edit))
        pairs = ((one.after, one.before) for one in files if path in (one.after.path, one.before.path))
        for pair in itertools.islice(pairs, count):
            for state in pair:
                is_here = state.path == path and state.etag is not None
                if is_here and (data := self._versions.text(state.etag or "")) is not None:
                    yield data
        for one in self.revisions(path, count) if self._mirror else ():
            with contextlib.suppress(NoVersion):
                yield self.text(path, one.rev)

    def _current_text(self, path: str, old_etag: str) -> bytes | None:
        """Return the bytes at a path if they have this etag; else None."""
        try:
            data = self._store.read(path)[0]
        except OSError:
            return None
        return data if etag(data) == old_etag else None

    def _left_by(self, path: str, rev: str) -> bytes:
        """Return the bytes of a note in a revision; none if the revision deleted it."""
        if not self._is_deleted(path, rev):
            return self._text(path, rev)
        if not _is_number(rev) and self._in_git(path, rev, "~1") is None:
            raise no_revision(path, rev)
        return b""

    def _now(self, path: str) -> bytes:
        """Return the bytes of a note on disk; none if it is gone.

        Raises:
            Unreadable: when it cannot be read.
        """
        try:
            return self._store.read(path)[0] if self._store.taken(path) else b""
        except OSError as error:
            raise Unreadable(f"{name_of(path)!r} cannot be read: {error.strerror or error}.") from error

    def difference(self, path: str, rev: str | None, other: str | None) -> str:
        """Return a unified diff of a note, from the revision `rev` to `other`; None stands for the current text.

        If `rev` is None, the diff begins before the last edit of the note.

        Raises:
            NoVersion: when a revision is not known. Unreadable: when the current text cannot be read.
        """
        if rev is None:
            state = _before_last_change(self._log.backwards(), path)
            if state is None or not self._has(state.path):
                raise NoVersion(f"No edit that changed {name_of(path)!r} is known; name a revision.")
            rev = state.etag or _NOTHING
        before = b"" if rev == _NOTHING else self._left_by(path, rev)
        after = self._left_by(path, other) if other else self._now(path)
        names = f"{name_of(path)}@{rev}", f"{name_of(path)}@{other}" if other else name_of(path)
        return difference(read_text(before).shown, read_text(after).shown, names)


def _is_number(rev: str) -> bool:
    """Return whether a revision is the number of an edit."""
    return rev.isdecimal() and len(rev) < _SHORTEST_HASH


class _State(NamedTuple):
    """The path and the etag of a file before or after an edit; no etag if there was no file."""

    path: str
    etag: str | None


@dataclass
class _File:
    """All changes of one file by one edit. What the file was between them, nobody has seen."""

    before: _State
    after: _State
    changes: list[Change]

    @property
    def is_deleted(self) -> bool:
        """Whether the edit moved the file to the trash, or removed it."""
        was_there = self.before.etag is not None and not is_hidden(self.before.path)
        return was_there and (self.after.etag is None or is_hidden(self.after.path))


def _files(edit: Edit) -> list[_File]:
    """Return the files that an edit has changed."""
    at: dict[str, _File] = {}
    files: list[_File] = []
    for change in edit.changes:
        file = at.pop(change.path, None)
        after = _State(change.to or change.path, change.after if change.to is None else change.before)
        if file is None:
            file = _File(_State(change.path, change.before), after, [])
            files.append(file)
        file.after = after
        file.changes.append(change)
        at[after.path] = file
    return files


def _by_number(*logs: Iterator[Edit]) -> Iterator[Edit]:
    """Yield the entries of several logs, the highest number first."""
    return heapq.merge(*logs, key=lambda edit: edit.number, reverse=True)


def revisions(edits: Iterable[Edit], path: str | None, count: int) -> list[Revision]:
    """Return the first `count` of `edits`, which come newest first; with a `path`, only edits of the note there."""
    last: list[Revision] = []
    for edit in edits:
        if len(last) == count:
            break
        if any(path in (None, change.path, change.to) for change in edit.changes):
            last.append(_revision_of(edit))
        for change in reversed(edit.changes):
            if path is not None and change.to == path:
                path = change.path
    return last


def _revision_of(edit: Edit) -> Revision:
    return Revision(
        rev=str(edit.number),
        time=edit.time,
        author=edit.client,
        what=edit.title(),
        words=as_title(edit),
        notes=_notes(edit.paths()),
        tool=edit.tool,
        moves=tuple(
            (name_of(one.path), name_of(one.to))
            for one in edit.changes
            if one.to and _is_note(one.path) and _is_note(one.to)
        ),
        undoes=tuple(map(str, edit.undoes)),
        outside=edit.outside,
    )


def _before_and_after(change: Change) -> tuple[str, str]:
    return change.path, change.to or change.path


def _notes(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the notes among some paths."""
    return tuple(name_of(path) for path in paths if _is_note(path))


def _is_note(path: str) -> bool:
    return path.endswith(NOTE_SUFFIX) and not is_hidden(path)


def revision(edits: Iterable[Edit], path: str, number: int) -> tuple[str, str | None]:
    """Return the path and the etag of the note at `path` after the edit `number`; no etag if it did not exist then.

    `edits` are all edits, the newest first.

    Raises:
        NoVersion: when no edit has changed the note.
    """
    next_change: Change | None = None
    for edit in edits:
        for change in reversed(edit.changes):
            if path not in (change.to, change.path):
                continue
            if edit.number <= number:
                return path, change.before if change.to == path else None if change.to else change.after
            next_change, path = change, change.path
    if next_change is None:
        raise NoVersion(f"No edit of {name_of(path)!r} is known.")
    return path, next_change.before


def _before_last_change(edits: Iterable[Edit], path: str) -> _State | None:
    """Return the note at `path` as it was before the last change of its text; moves do not count. None if unknown."""
    for edit in edits:
        for file in _files(edit):
            if file.after.path != path:
                continue
            if file.before.etag != file.after.etag:
                return file.before
            path = file.before.path
            break
    return None


def difference(before: str, after: str, names: tuple[str, str]) -> str:
    """Return a unified diff of two texts; an empty text if they are equal."""
    lines = unified(before.splitlines(keepends=True), after.splitlines(keepends=True), names)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
