"""Save an index in the cache for the next process: rows soon after they change, a snapshot less often."""

import logging
import math
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeVar

from zkmem.index.catalog import Row
from zkmem.index.store import rows
from zkmem.index.store.database import Cache, NoCache, is_busy, writing
from zkmem.index.store.snapshot import Derive, Snapshot, links_of, snapshot_of
from zkmem.index.sync import Index
from zkmem.names import is_note
from zkmem.util.locks import Lock, Rank, lock

PATIENCE_MS = 300  # working without the cache takes about as long, so a longer wait would be of no use
_SLICE = 1_000  # rows in one transaction
_PIECE = 50  # rows that take about a millisecond
_PAUSE_S = 0.002  # after each piece, so that threads which answer calls seldom wait for this one
_AT_THE_END_S = 0.5  # the time for saving when the process is about to end
_FEW = 500  # notes that may differ from the snapshot; computing their links again takes some milliseconds

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


class Loaded(NamedTuple):
    """The rows and the snapshot that an earlier process saved."""

    rows: dict[str, Row]
    snapshot: Snapshot | None


class CacheWriter:
    """A writer that saves an index in the cache, and loads what an earlier process saved."""

    def __init__(self, index: Index, index_lock: Lock, cache: Cache) -> None:
        """Make a writer that has loaded and saved nothing yet."""
        self.derive: dict[str, Derive] = {}  # functions for the data that is saved with the snapshot, by name
        self._index = index
        self._lock = index_lock
        self._cache = cache
        self._using = lock(Rank.CACHE)
        self._generation = 0  # the generation of the cache that holds all rows except the unsaved ones
        self._refused = False  # whether the disk has refused
        self._has_snapshot = False
        self._unsaved: set[str] = set()
        self._end = math.inf  # when saving must end, on the monotonic clock
        self._stale = _FEW + 1  # about how many notes differ from the snapshot

    def load(self) -> Loaded:
        """Return the saved rows and snapshot; empty if there is nothing, or the cache cannot be used."""

        def load(connection: sqlite3.Connection) -> Loaded:
            try:
                snapshot = None if self._index.catalog.pages else rows.snapshot(connection)
                return Loaded(dict(rows.rows(connection)), snapshot)
            except (TypeError, ValueError) as error:
                raise sqlite3.DatabaseError(f"what is in it is damaged: {error}") from error

        with self._using:
            loaded = self._use(load)
            self._generation = self._cache.generation if loaded else 0
            self._has_snapshot = bool(loaded and loaded.snapshot)
        return loaded or Loaded({}, None)

    def note(self, paths: Iterable[str], stale: int | None = None) -> None:
        """Note that these files have changed since they were saved. The caller holds the index's lock.

        `stale`: how many notes differ from the snapshot, if it was just loaded.
        """
        notes = list(filter(is_note, paths))
        self._unsaved.update(notes)
        self._stale = self._stale + len(notes) if stale is None else stale

    def hurry(self) -> None:
        """Let saving take only a moment more, since the process is about to end."""
        self._end = time.monotonic() + _AT_THE_END_S

    def save(self, *, idle: bool = True) -> bool:
        """Save all changes; return False if this should be tried again, because another process is writing.

        A snapshot takes time in proportion to the number of notes, so it is saved only if the process is `idle`, or
        there is none yet.
        """
        with self._using:
            with self._lock:
                due = self._index.ready and self._stale > _FEW and (idle or not self._has_snapshot)
                if self._refused or not (self._unsaved or due):
                    return True
                rows = {path: self._index.catalog.rows.get(path) for path in self._unsaved}
                self._unsaved = set()
            done = self._use(lambda connection: self._write(connection, rows, due=due))
            if not done:
                with self._lock:
                    self._unsaved |= rows.keys()
            return bool(done) or self._refused

    def close(self) -> None:
        """Save all changes, and close the cache."""
        self.save()
        with self._using:
            self._cache.close()

    def _use(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """Return the result of some work on the cache; None if the cache cannot be used now."""
        try:
            return self._cache.use(work)
        except NoCache as error:
            self._refused = True
            self._cache.tell(error)
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise
            _log.info("Another process keeps the cache locked.")
        return None

    def _write(self, connection: sqlite3.Connection, changed: Mapping[str, Row | None], *, due: bool) -> bool:
        """Write the changed rows, and a snapshot if one is due; return False if time ran out before the end."""
        is_new = self._cache.generation != self._generation
        waiting = list((self._index.catalog.rows.copy() if is_new else changed).items())
        for start in range(0, len(waiting), _SLICE):
            if time.monotonic() > self._end:
                return False
            with writing(connection, PATIENCE_MS):
                for first in range(start, min(start + _SLICE, len(waiting)), _PIECE):
                    rows.save_rows(connection, dict(waiting[first : first + _PIECE]))
                    self._pause()
        has_pages = self._index.catalog.pages  # a process without this setting may resolve the same links otherwise
        if (due or (is_new and self._index.ready)) and not has_pages:
            if time.monotonic() > self._end:
                return False
            self._write_snapshot(connection)
        self._generation = self._cache.generation
        return True

    def _pause(self) -> None:
        """Let other threads work, unless the process is about to end."""
        if math.isinf(self._end):
            time.sleep(_PAUSE_S)

    def _write_snapshot(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            taken = links_of(self._index.catalog.rows, self._index.links, self.derive)
            stale, self._stale = self._stale, 0
        try:
            made = snapshot_of(taken, self._pause)
            with writing(connection, PATIENCE_MS):
                rows.save_snapshot(connection, made)
        except BaseException:
            with self._lock:
                self._stale += stale
            raise
        self._has_snapshot = True
