"""What the log of edits tells of the past: who changed what, and which text a note had then."""

import contextlib
import copy
import itertools
import time
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple, Self

from zkmem.errors import NoVersion, Unreadable
from zkmem.markdown.note import read_text
from zkmem.names import NOTE_SUFFIX, fold, name_of
from zkmem.util.threeway import unified
from zkmem.vault.files import etag
from zkmem.vault.git.command import GitTrouble
from zkmem.vault.git.mirror import Mirror
from zkmem.vault.journal.log import Change, Edit, Log
from zkmem.vault.journal.versions import Versions
from zkmem.vault.paths import TRASH, is_hidden
from zkmem.vault.store import Store

_MOST_SEARCHED = 1_000  # edits to search for a deletion
_NOTHING = "nothing"
_SHORTEST_HASH = 7  # of a commit, as git abbreviates it; numbers of edits are shorter


class Revision(NamedTuple):
    """One change of the past: an edit by a tool, or a commit, of which only the first five fields are known."""

    rev: str  # what `show` and `restore` call it
    time: float  # seconds since 1970
    author: str
    what: str
    notes: tuple[str, ...] = ()  # the notes that it touched
    tool: str = ""
    moves: tuple[tuple[str, str], ...] = ()  # the notes that it renamed: old and new name
    undoes: tuple[str, ...] = ()  # the `rev` of each edit that it takes back

    @property
    def line(self) -> str:
        """The revision as a line of a list, in local time."""
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.time))
        return f"{self.rev}  {when}  {self.what}" + (f"  ({self.author})" if self.author else "")


class Past:
    """The past of one vault: from git where it is used, else from the log of edits and the versions."""

    def __init__(self, store: Store, log: Log, versions: Versions, mirror: Mirror | None) -> None:
        self._store = store
        self._log = log
        self._versions = versions
        self._mirror = mirror
        self._has: Callable[[str], bool] = lambda _: True

    def within(self, has: Callable[[str], bool]) -> Self:
        """Return the past for a caller who may know only some notes: their text while they were among these."""
        other = copy.copy(self)
        other._has = has  # noqa: SLF001 - it is one of us
        return other

    def revisions(self, path: str | None, count: int) -> list[Revision]:
        """The last edits, or those of one note under whatever name it had; last first.

        With git these are the commits, and before them the edits that are not committed yet.
        """
        commits: list[Revision] = []
        if self._mirror is not None:
            with contextlib.suppress(GitTrouble):
                found = self._mirror.history.log(path, count)
                commits = [
                    Revision(one.rev[:10], one.time, one.author, one.subject, _notes(one.paths)) for one in found
                ]
        if not commits or self._mirror is None:
            return revisions(self._log.backwards(), path, count)
        return [*revisions(self._mirror.pending(), path, count), *commits][:count]

    def edits(self) -> list[Edit]:
        """All edits that are known, first first."""
        return list(self._log.backwards())[::-1]

    def last_author(self, names: Collection[str]) -> str:
        """Who made the last edit by a tool, if that changed all of these notes; else empty."""
        edit = self._log.last()
        known = {name_of(path) for path in edit.paths() if self._has(path)} if edit else set()
        return edit.client if edit and known.issuperset(names) else ""

    def text(self, path: str, rev: str) -> bytes:
        """The bytes that a note had in a revision.

        Raises:
            NoVersion: when it is not known, or had none.
        """
        data = self._by_number(path, int(rev)) if rev.isdecimal() and len(rev) < _SHORTEST_HASH else None
        if data is None:
            data = self._versions.text(rev)
        if data is None and self._mirror is not None:
            try:
                data = self._mirror.history.text(rev, path, self._has)
            except GitTrouble as error:
                raise NoVersion(f"git does not tell the history: {error}.") from error
        if data is None:
            raise NoVersion(f"{name_of(path)!r} has no revision {rev!r}, or it is not kept any more. See the log.")
        return data

    def _by_number(self, path: str, number: int) -> bytes | None:
        last = self._log.last()
        if last is None or number > last.number:
            return None
        try:
            was, tag = revision(self._log.backwards(), path, number)
        except NoVersion:  # the message of `text` does not say whether there was an edit with this number
            return None
        if not self._has(was):
            return None
        if tag is None:
            before = f", called {name_of(was)!r} before," if was != path else ""
            raise NoVersion(f"{name_of(path)!r}{before} did not exist after edit {number}.")
        texts = (self._now(path, tag), self._now(was, tag), self._versions.text(tag))
        return next((text for text in texts if text is not None), None)

    def deleted(self, path: str) -> Change | None:
        """Return the change that moved the note at `path`, or one whose path ends with it, to the trash.

        None if its file is not in the trash any more, or none of the last edits moved it there.
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
        is_meant = to.startswith(TRASH + "/") and ("/" + fold(change.path)).endswith(ending)
        return is_meant and self._has(change.path) and self._store.stamp(to) is not None

    def version(self, path: str, tag: str) -> bytes | None:
        """The text with an etag that a note had before or after an edit, if it is kept."""
        had = (
            tag in (change.before, change.after) and path in (change.path, change.to)
            for edit in self._log.backwards()
            for change in edit.changes
        )
        return self._versions.text(tag) if any(had) else None

    def _now(self, path: str, tag: str) -> bytes | None:
        """The bytes at a path, if they are those with the etag."""
        try:
            data = self._store.read(path)[0]
        except OSError:
            return None
        return data if etag(data) == tag else None

    def _as_it_is(self, path: str) -> bytes:
        """The bytes of a note now; none, if it is gone.

        Raises:
            Unreadable: when it cannot be read.
        """
        try:
            return self._store.read(path)[0] if self._store.taken(path) else b""
        except OSError as error:
            raise Unreadable(f"{name_of(path)!r} cannot be read: {error.strerror or error}.") from error

    def difference(self, path: str, rev: str | None, other: str | None) -> str:
        """How a note changed from one revision to another (None: to now), in the unified format.

        Without a revision it is what the last edit changed.

        Raises:
            NoVersion: when one of them is not known. Unreadable: when the note as it is cannot be read.
        """
        if rev is None:
            change = last_change(self._log.backwards(), path)
            if change is None or not self._has(change.path):
                raise NoVersion(f"No edit that changed {name_of(path)!r} is known; name a revision.")
            rev = change.before or _NOTHING
        before = b"" if rev == _NOTHING else self.text(path, rev)
        after = self.text(path, other) if other else self._as_it_is(path)
        names = f"{name_of(path)}@{rev}", f"{name_of(path)}@{other}" if other else name_of(path)
        return difference(read_text(before).shown, read_text(after).shown, names)


def revisions(edits: Iterable[Edit], path: str | None, count: int) -> list[Revision]:
    """The last edits, or those of the note that is at `path` now, or was; of all edits, last first."""
    found: list[Revision] = []
    for edit in edits:
        if len(found) == count:
            break
        touched = [change for change in edit.changes if path in (None, change.path, change.to)]
        if touched:
            found.append(_revision_of(edit))
        for change in reversed(edit.changes):
            if path is not None and change.to == path:
                path = change.path
    return found


def _revision_of(edit: Edit) -> Revision:
    return Revision(
        rev=str(edit.number),
        time=edit.time,
        author=edit.client,
        what=edit.title(),
        notes=_notes(edit.paths()),
        tool=edit.tool,
        moves=tuple(
            (name_of(one.path), name_of(one.to))
            for one in edit.changes
            if one.to and _is_note(one.path) and _is_note(one.to)
        ),
        undoes=tuple(map(str, edit.undoes)),
    )


def _notes(paths: Iterable[str]) -> tuple[str, ...]:
    """The names of the notes among some paths."""
    return tuple(name_of(path) for path in paths if _is_note(path))


def _is_note(path: str) -> bool:
    return path.endswith(NOTE_SUFFIX) and not is_hidden(path)


def revision(edits: Iterable[Edit], path: str, number: int) -> tuple[str, str | None]:
    """Where the note at `path` was after the edit `number`, and its etag then (None: there was none).

    It is looked for in all edits, last first.

    Raises:
        NoVersion: when no edit that is known has touched it.
    """
    found: Change | None = None
    for edit in edits:
        for change in reversed(edit.changes):
            if path not in (change.to, change.path):
                continue
            if edit.number <= number:
                return path, change.before if change.to == path else None if change.to else change.after
            found, path = change, change.path
    if found is None:
        raise NoVersion(f"No edit of {name_of(path)!r} is known.")
    return path, found.before


def last_change(edits: Iterable[Edit], path: str) -> Change | None:
    """What the last edit that changed the text of the note at `path` did to it; a move does not."""
    for edit in edits:
        for change in reversed(edit.changes):
            if change.to == path:
                path = change.path
            elif change.path == path and change.to is None:
                return change
    return None


def difference(before: str, after: str, names: tuple[str, str]) -> str:
    """The difference of two texts in the unified format; empty where there is none."""
    lines = unified(before.splitlines(keepends=True), after.splitlines(keepends=True), names)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
