"""Find the files of the vault at an earlier moment: from the logs of edits and the texts that are kept, and from git.

The logs have each edit and, while a server ran, each change by other programs. What they lack is taken from git, if
that is used. A text counts only if the logs or git show that the file had it: nothing is guessed.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from zkmem.errors import BadArgument, NoVersion, UnknownEdit
from zkmem.index.catalog import CatalogRow
from zkmem.names import is_note
from zkmem.past.earlier_texts import UNREAD, EarlierTexts, EarlierVersion, Instant, Moment, Texts, git_errors, not_known
from zkmem.past.logged import Logged, SeenFile
from zkmem.past.moments import end_of, is_ahead, is_number, no_moment
from zkmem.util.spelling import quoted
from zkmem.vault.files import etag
from zkmem.vault.journal.versions import Versions
from zkmem.vault.paths import is_hidden
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from zkmem.vault.git.mirror import Mirror
    from zkmem.vault.git.snapshots import Point, Snapshots

COMMIT = re.compile(r"\w[\w./+-]{0,249}(?:[~^][0-9]{0,9}){0,9}")
"""A commit, a branch or a tag, each also with ~1. git itself also accepts searches, times and paths."""

HASH = re.compile(r"[0-9a-f]{7,64}")
"""The hash of a commit, whole or as git abbreviates it."""

_SURELY_COMMIT = re.compile(r"[0-9a-f]{7,64}|HEAD|.*[~^].*")  # and no other word


class EarlierFiles:
    """The files of one vault at earlier moments. Its methods take no lock that an edit does not allow."""

    def __init__(
        self, store: Store, logged: Logged, versions: Versions, recorder: str, mirror: "Mirror | None" = None
    ) -> None:
        """`recorder`: the path of a file that is there once a server has recorded the changes by other programs."""
        self._store = store
        self.logged = logged
        self._texts = Texts(store, versions)
        self._recorder = recorder
        self._mirror = mirror
        self._snapshots: Snapshots | None = None

    @property
    def _git(self) -> "Snapshots | None":
        if self._snapshots is None and self._mirror is not None:
            from zkmem.vault.git.snapshots import Snapshots  # noqa: PLC0415 - only git needs it

            mirror = self._mirror
            self._snapshots = Snapshots(mirror.history.git, mirror.machine, self._store.most_bytes)
        return self._snapshots

    # --- which moment

    def instant(self, at: str, *, hashes_only: bool = False) -> Instant:
        """Return the moment that a text means: a date, the number of an edit, or a revision of git, in this order.

        `hashes_only`: for a caller who may not see all notes, git has only the hashes of commits.
        """
        at, git = at.strip(), self._git
        self.logged.update()
        if git is None:
            return self._instant(at, None, hashes_only=hashes_only)
        from zkmem.vault.git.command import GitTrouble  # noqa: PLC0415 - only git needs it

        try:
            return self._instant(at, git, hashes_only=hashes_only)
        except GitTrouble as error:  # for example, there is no repository; the log knows most moments, too
            trouble = str(error)
        return self._instant(at, None, hashes_only=hashes_only, trouble=trouble)._replace(trouble=trouble)

    def _instant(self, at: str, git: "Snapshots | None", *, hashes_only: bool, trouble: str = "") -> Instant:
        """Return the moment that a text means, by git unless that is None: see `instant` and `Instant`."""
        if (end := end_of(at)) is not None:
            return self._at_time(end, git, trouble)._replace(is_ahead=is_ahead(at))
        if is_number(at) and (instant := self._at_number(int(at), git, trouble)):
            return instant
        if self._texts.text(at) is not None:
            raise BadArgument(
                f"{quoted(at)} is the etag of a text and no moment; give a date or the number of an edit."
            )
        may_be_commit = (HASH if hashes_only else COMMIT).fullmatch(at) is not None
        point = git.point(at) if git and may_be_commit else None
        if point:
            return self._of_commit(point)
        if is_number(at):
            raise UnknownEdit(int(at))
        if may_be_commit and _SURELY_COMMIT.fullmatch(at) and (git or trouble):
            raise not_known("" if trouble else f"There is no commit {quoted(at)} in this repository.", trouble)
        trouble = trouble if may_be_commit else ""
        raise no_moment(at, git=self._git is not None, hashes_only=hashes_only, trouble=trouble)

    def _at_time(self, end: float, git: "Snapshots | None", trouble: str) -> Instant:
        point = git.at(end) if git else None
        if git and point and point.rev != git.head():
            return self._of_commit(point)
        entry = self.logged.last_before(end)
        if entry.number + 1 < self.logged.first:
            raise self._too_early(trouble)
        moment = Moment(str(entry.number), entry.time, entry.author) if entry.number else Moment("", end, "")
        if point and point.time > entry.time:
            moment = Moment(point.rev, point.time, point.author)
        return Instant(moment, entry.number, point.rev if point else "", end, entry.number)

    def _at_number(self, number: int, git: "Snapshots | None", trouble: str) -> Instant | None:
        """Return the moment right after an edit; None if there is no such edit."""
        entry = self.logged.entry(number)
        if entry is None or number < self.logged.first:
            point = git.of_edit(number, 0.0) if git else None
            if point is None and 0 < number < self.logged.first:
                raise self._too_early(trouble)
            return self._of_commit(point) if point else None
        point = (git.of_edit(number, entry.time) or git.at(entry.time)) if git else None
        return Instant(Moment(str(number), *entry[1:]), number, point.rev if point else "", entry.time, number)

    def _of_commit(self, point: "Point") -> Instant:
        entry = self.logged.last_before(point.time + 1)
        traced = entry.number if point.edit is None else point.edit
        return Instant(Moment(point.rev, point.time, point.author), None, point.rev, point.time, traced)

    def _too_early(self, trouble: str) -> NoVersion:
        begin = self.logged.first
        sentence = f"The notes of that time are not known: the log of edits begins with edit {begin}."
        return not_known(f"{sentence} Give a later moment.", trouble)

    # --- which files

    def versions(self, instant: Instant, rows: Mapping[str, CatalogRow]) -> dict[str, EarlierVersion]:
        """Return the version of each visible file at a moment, by path. `rows`: the files that are there now."""
        tree = self._tree(instant)
        if instant.number is None:
            return {path: EarlierVersion(blob=blob) for path, blob in tree.items()}
        paths = {*rows, *self.logged.names.paths(), *tree}
        then = self._then(instant, rows.get, tree)
        return {path: version for path in paths if not is_hidden(path) and (version := then(path))}

    def version(self, instant: Instant, path: str) -> EarlierVersion | None:
        """Return the version of one file at a moment; None if there was none. This reads the file that is there now."""
        tree = self._tree(instant)
        if instant.number is None:
            return EarlierVersion(blob=tree[path]) if path in tree else None
        return self._then(instant, self._row, tree)(path)

    def _row(self, path: str) -> CatalogRow | None:
        try:
            data, stamp = self._store.read(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            there = self._store.stamp(path)
            return CatalogRow(there) if there else None
        return CatalogRow(stamp, etag=etag(data))

    def _tree(self, instant: Instant) -> Mapping[str, str]:
        with git_errors():
            return self._git.files(instant.commit) if self._git and instant.commit else {}

    def _then(
        self, instant: Instant, row_of: Callable[[str], CatalogRow | None], tree: Mapping[str, str]
    ) -> Callable[[str], EarlierVersion | None]:
        """Return a function for the version of the file at a path. `tree`: the files that the logs may not know."""
        number, until, logged = instant.number or 0, instant.until, self.logged
        is_date = until > instant.moment.time
        watched, known = os.path.lexists(self._recorder), logged.names.paths()

        def version(path: str) -> EarlierVersion | None:
            row = row_of(path)
            if row is None and path not in known:
                return EarlierVersion(blob=tree[path]) if path in tree else None
            seen = SeenFile(row.etag or UNREAD, row.stamp.written, row.stamp.changed) if row else None
            state = logged.state(path, number, seen, until, is_date=is_date, watched=watched)
            if not state.since:
                return EarlierVersion(state.etag) if state.etag else None
            if path in tree:
                return EarlierVersion(blob=tree[path])
            return EarlierVersion(since=state.since) if is_note(path) else None

        return version

    # --- which names

    def places(self, instant: Instant, path: str, *, is_there: bool) -> Iterator[str]:
        """Yield the paths at which the note that `path` means may have been at a moment, the best one first.

        A note that is there now may have had another path; or it is newer, and another note, perhaps a deleted one, was
        at this path. If none is there now, this other note comes first.
        """
        if not is_there:
            yield path
        old = self.earlier_path(instant, path)
        if old is not None and (is_there or old != path):
            yield old
        if is_there and old != path:
            yield path

    def earlier_path(self, instant: Instant, path: str) -> str | None:
        """Return the path that a file had at a moment; None if it is newer. `path`: its present or last one."""
        old = self.logged.names.earlier_path(path, instant.traced)
        if instant.number is not None or old is None:
            return old
        tree = self._tree(instant)
        if old in tree:
            return old
        with git_errors():
            return self._git.earlier_path(path, instant.commit) if self._git else None

    # --- which text

    def texts(self) -> EarlierTexts:
        """Return a reader of texts of earlier moments; use it in a `with` block."""
        return EarlierTexts(self._store, self._texts, self.logged, self._git, self._tree)

    def text(self, instant: Instant, path: str, version: EarlierVersion) -> bytes:
        """Return the bytes of one file at a moment: see `EarlierTexts.text`."""
        with self.texts() as texts:
            return texts.text(instant, path, version)
