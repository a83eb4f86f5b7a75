"""Record the changes that other programs make to notes: by hand in an editor, by git, or while no server runs.

The index reports each note whose text it finds changed. What the log of edits does not explain is added to the log of
changes by other programs. Only a server that watches the vault records, and of several servers only one.
"""

import contextlib
import itertools
import logging
import os
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.edit.journal import Journal
from zkmem.edit.plan import Move, Put, Remove
from zkmem.edit.unexplained import (
    MOST_NAMED,
    KeptTexts,
    PathStep,
    Unexplained,
    continued,
    effects,
    gaps_in,
    with_moves,
)
from zkmem.errors import ZkError
from zkmem.index.catalog import CatalogRow
from zkmem.index.live import LiveIndex
from zkmem.util.locks import Rank, lock
from zkmem.vault.files import etag
from zkmem.vault.journal.lock import LockFile
from zkmem.vault.journal.log import AWAY, HAND, Edit
from zkmem.vault.journal.outside import GitLog, by_number
from zkmem.vault.paths import is_visible_note
from zkmem.vault.store import Store

_QUIET_S = 0.3  # after the first change of several that belong together
_GIT_S = 30.0  # the longest wait until git has finished
_SLICE = 100  # notes that are compared during one hold of the vault's lock
_MOST_TEXTS = 200  # notes whose texts are kept for one change
_MOST_BYTES = 20_000_000  # of these texts
_SECOND_NS = 1_000_000_000

_log = logging.getLogger(__name__)


class _Known(NamedTuple):
    """The last state of a note that is explained: by the logs, or by the index before anything was reported."""

    tag: str | None
    away: bool = False  # whether an earlier process has saved it
    behind: bool = False  # whether entries of the logs that this process has not read may be later


class Recorder:
    """Records the changes by other programs in one vault. Until `start` is called, it does nothing."""

    def __init__(self, store: Store, journal: Journal, live: LiveIndex) -> None:
        self._store = store
        self._journal = journal
        self._live = live
        self._lock = lock(Rank.LEAF)  # guards `_pending`
        self._pending: dict[str, _Known] = {}
        self._steps: dict[str, list[PathStep]] = defaultdict(
            list
        )  # not compared yet, by path; the vault's lock guards it
        self._cursor = 0  # the number of the last entry that is in `_steps`
        self._own: Mapping[str, str | None] = {}  # what edits of this process leave, while the index takes it in
        self._recording = False  # whether the thread is recording
        self._found = list[Unexplained]()  # compared, but not in the log yet; the vault's lock guards it
        self._kept = 0  # bytes of texts that are kept for these changes
        self._has_state = True  # whether the folder `.zkmem` was there at the last look
        self._leads = False  # whether this process is the one that records
        self._leader = LockFile(journal.state.path("recorder"))
        self._texts = KeptTexts(store, journal.versions)
        self._git: GitLog | None = None
        self._changed, self._closed = threading.Event(), threading.Event()
        self.ready = threading.Event()  # set when the changes since the last process and the first texts are known
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start to record, in a thread. The index is not loaded yet. Further calls have no effect."""
        if self._thread is not None or self._closed.is_set():
            return
        last = self._journal.last()
        self._cursor = last.number if last else 0
        self._git = GitLog(self._store.root)
        self._live.index.observer = self._observe
        self._live.on_loaded = self._compare
        self._thread = threading.Thread(target=self._run, name="zkmem-recorder", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Record what is left, and wait for the thread."""
        self._closed.set()
        self._changed.set()
        if self._thread is None:
            return
        self._thread.join()
        self.flush()
        self._thread = None
        if self._leads:
            self._leads = False
            self._leader.release()

    def flush(self) -> None:
        """Record the changes that were reported so far, unless git is busy or the vault cannot be written."""
        if self._thread is None:
            return
        self._live.wait_until_free()
        last = self._journal.last()
        has_news = last is not None and last.number > self._cursor  # a note that it names may have changed unseen
        if (self._pending or has_news or self._recording) and not self._git_is_busy():
            try:
                self._record()
            except ZkError as error:
                _log.info("changes by other programs are not recorded yet: %s", error)

    def before_edit(self, steps: Iterable[Put | Move | Remove]) -> None:
        """Record changes of the notes that an edit is about to change, so that they get lower numbers than the edit.

        The caller holds the vault's lock, and the index.
        """
        if self._thread is None or not self._leads:
            return
        if self._found:  # by a thread that has released the lock meanwhile; the edit may change one of these notes
            self._write_found()
        rows, targets, suspects = self._live.index.catalog.rows, set[str](), list[str]()
        for step in steps:
            path, row = step.path, self._live.index.catalog.rows.get(step.path)
            if is_visible_note(path) and path not in targets and (path in self._pending or _tag(row) != step.base):
                suspects.append(path)
            targets.add(step.path_after)
        if suspects:
            with self._lock:
                for path in suspects:
                    self._pending.setdefault(path, _Known(_tag(rows.get(path))))
            found = self._examined(suspects)
            self._texts.keep(found[:_MOST_TEXTS], _MOST_BYTES)
            self._write(found)

    @contextlib.contextmanager
    def own(self, edits: Iterable[Edit | None]) -> Iterator[None]:
        """Attribute the changes that the index takes in meanwhile to these edits of this process."""
        if self._thread is not None:
            self._own = {path: tag for edit in edits if edit for path, tag in edit.etags().items()}
        try:
            yield
        finally:
            self._own = {}
        if not self._has_state:
            self._changed.set()

    def _observe(self, changes: Mapping[str, tuple[CatalogRow | None, CatalogRow | None]]) -> None:
        self._add(changes, away=False)

    def _compare(self, changes: Mapping[str, tuple[CatalogRow | None, CatalogRow | None]]) -> None:
        """Note what has changed since an earlier process saved its index, and begin to record."""
        self._add(changes, away=True)
        self._changed.set()

    def _add(self, changes: Mapping[str, tuple[CatalogRow | None, CatalogRow | None]], *, away: bool) -> None:
        with self._lock:
            for path, (before, after) in changes.items():
                is_known = before is None or before.etag is not None
                is_own = path in self._own and self._own[path] == _tag(after)
                if is_known and is_visible_note(path) and not is_own:
                    self._pending.setdefault(path, _Known(_tag(before), away, behind=away))
            some = bool(self._pending)
        if some:
            self._changed.set()

    def _run(self) -> None:
        while self._changed.wait() and not self._closed.is_set():
            self._changed.clear()
            if self.ready.is_set():
                self._closed.wait(_QUIET_S)
            until = time.monotonic() + _GIT_S
            while self._git_is_busy() and time.monotonic() < until and not self._closed.wait(_QUIET_S):
                pass
            try:
                self._recording = True  # `flush` then records what this thread has found
                try:
                    self._record()
                finally:
                    self._recording = False
                if self._leads:
                    self._texts.read(self._live.index.catalog.rows, self._closed)
            except ZkError as error:
                _log.info("changes by other programs are not recorded yet: %s", error)
            except Exception:  # noqa: BLE001 - the thread must live on
                _log.exception("changes by other programs could not be recorded")
            self.ready.set()

    def _git_is_busy(self) -> bool:
        return self._git is not None and self._git.is_busy

    def _record(self) -> None:
        """Compare all notes that were reported, and record the changes that nothing explains."""
        self._has_state = os.path.isdir(self._journal.state.folder)
        if not self._has_state:  # no tool has ever edited this vault
            with self._lock:
                self._pending.clear()
            return
        todo = sorted(self._pending)
        for start in range(0, max(1, len(todo)), _SLICE):
            with self._journal.hold():
                if self._lead():
                    found = self._examined(todo[start : start + _SLICE], whole=start == 0)
                    first = found[: max(0, _MOST_TEXTS - len(self._found))]
                    self._kept += self._texts.keep(first, _MOST_BYTES - self._kept)
                    self._found += [one._replace(data=None) for one in found]
                    if start + _SLICE >= len(todo):
                        self._write_found()

    def _lead(self) -> bool:
        """Return whether this process is the one that records; become it if there is none."""
        if not self._leads:
            with contextlib.suppress(OSError):  # no locks on this file system, or no right to the file
                self._leads = self._leader.acquire(0)
            if self._leads:  # another process may have recorded until now
                with self._lock:
                    self._pending = {path: state._replace(behind=True) for path, state in self._pending.items()}
        if not self._leads:
            with self._lock:
                self._pending.clear()
            self._steps.clear()
            last = self._journal.last()
            self._cursor = last.number if last else 0
        return self._leads

    def _examined(self, paths: Iterable[str], *, whole: bool = False) -> list[Unexplained]:
        """Return the changes at some paths that nothing explains; with `whole`, also at the paths that the logs name.

        The caller holds the vault's lock.
        """
        self._take_in_news()
        if whole:
            paths = (*paths, *self._logged_only())
        paths = list(dict.fromkeys(paths))
        behind = [path for path in paths if (state := self._pending.get(path)) and state.behind]
        logged = self._logged(behind) if behind else {}
        return [one for path in paths for one in self._changes_at(path, logged)]

    def _logged_only(self) -> list[str]:
        """Return the paths that only the logs name, and whose entries show a change; forget the other entries."""
        rows, unexplained = self._live.index.catalog.rows, list[str]()
        for path in [path for path in self._steps if path not in self._pending]:
            tag = _tag(rows.get(path))
            if gaps_in(self._steps[path], tag) == ([], tag):
                del self._steps[path]
            else:
                unexplained.append(path)
        return unexplained

    def _changes_at(self, path: str, logged: Mapping[str, str | None]) -> Iterator[Unexplained]:
        steps, state = self._steps.get(path, []), self._pending.get(path)
        if state is None and not steps:
            return
        try:
            data, mtime_ns = self._read(path)
        except (OSError, ZkError):  # it cannot be read, or is too large: what became of it is found later
            return
        self._steps.pop(path, None)
        now = None if data is None else etag(data)
        resumed = state or _Known(_tag(self._live.index.catalog.rows.get(path)))
        kind = AWAY if resumed.away else HAND
        gaps, tag = gaps_in(steps, logged.get(path, resumed.tag))
        yield from (Unexplained(path, before, after, kind) for before, after in gaps)
        if tag != now:
            yield Unexplained(path, tag, now, kind, data, mtime_ns)
        self._settle(path, now)

    def _read(self, path: str) -> tuple[bytes | None, int]:
        """Return the bytes of a note and the time of its last change; None and 0 if it is gone."""
        try:
            data, stamp = self._store.read(path)
        except (FileNotFoundError, NotADirectoryError):
            return None, 0
        return data, stamp.mtime_ns

    def _settle(self, path: str, now: str | None) -> None:
        """Mark the state of a note as explained. The index may not have that state yet."""
        with self._lock:
            if _tag(self._live.index.catalog.rows.get(path)) == now:
                self._pending.pop(path, None)
            else:
                self._pending[path] = _Known(now)

    def _take_in_news(self) -> None:
        """Read the entries of both logs since the last call."""
        last = self._journal.last()
        if last is None or last.number <= self._cursor:
            return
        news = list(itertools.takewhile(lambda entry: entry.number > self._cursor, self._backwards()))
        self._cursor = last.number
        for entry in reversed(news):
            for path, before, after in effects(entry):
                self._steps[path].append(PathStep(before, after, entry))
                self._texts.add_stale(path)

    def _backwards(self) -> Iterator[Edit]:
        return by_number(self._journal.log.backwards(), self._journal.outside.backwards())

    def _logged(self, paths: Iterable[str]) -> dict[str, str | None]:
        """Return the etag of each note before the entries in `_steps`; a note without an earlier entry is left out."""
        wanted, logged = set(paths), dict[str, str | None]()
        first = {path: self._steps[path][0].entry.number for path in wanted if path in self._steps}
        for entry in self._backwards():
            for path, _, after in reversed(list(effects(entry))):
                if path in wanted and entry.number < first.get(path, entry.number + 1):
                    logged[path] = after
                    wanted.discard(path)
            if not wanted:
                break
        return logged

    def _write_found(self) -> None:
        """Add the changes found so far to the log. The caller holds the vault's lock."""
        found, self._found, self._kept = self._found, [], 0
        self._write(found)

    def _write(self, found: Sequence[Unexplained]) -> None:
        """Add changes to the log. The caller holds the vault's lock."""
        by_kind = defaultdict[str, list[Unexplained]](list)
        for one in self._attributed(found):
            by_kind[one.kind].append(one)
        for kind, some in by_kind.items():
            self._write_some(some, kind)

    def _attributed(self, found: Sequence[Unexplained]) -> Iterable[Unexplained]:
        """Return the changes; those that git has just made get its operation as their kind.

        git writes its own log after it has changed the files.
        """
        operation = self._git.last() if self._git else None
        if operation is None or time.time_ns() - operation.ended_ns > _GIT_S * _SECOND_NS:
            return found

        def is_earlier(one: Unexplained) -> bool:
            return one.kind == HAND and one.mtime_ns <= operation.ended_ns

        if not any(one.mtime_ns for one in found if is_earlier(one)):
            return found  # a note that is gone has no time, so nothing shows that git has removed it
        return [one._replace(kind=operation.name) if is_earlier(one) else one for one in found]

    def _write_some(self, found: Sequence[Unexplained], kind: str) -> None:
        changes = with_moves(found)
        if not changes:
            return
        last = self._journal.last()
        number, now = last.number + 1 if last else 1, max(time.time(), last.time if last else 0.0)
        entry = Edit(
            number,
            now,
            "",
            "",
            tuple(changes[:MOST_NAMED]),
            outside=kind,
            more=max(0, len(changes) - MOST_NAMED),
        )
        try:
            self._journal.outside.append([continued(entry, last)])
        except OSError as error:
            _log.warning("changes by other programs could not be recorded: %s", error)
        if number == self._cursor + 1:
            self._cursor = number


def _tag(row: CatalogRow | None) -> str | None:
    return row.etag if row else None
