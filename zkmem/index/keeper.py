"""Keeps what an index knows in the cache, for the next process: rows as they change, a snapshot now and then."""

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeVar

from zkmem.index import saved
from zkmem.index.cache import Cache, NoCache, is_busy, writing
from zkmem.index.catalog import Row
from zkmem.index.snapshot import Derive, Snapshot, snapshot_of
from zkmem.index.sync import Index
from zkmem.vault.names import is_note

PATIENCE_MS = 300  # to wait longer for the cache than it takes to do without would be of no use
_FEW = 500  # notes that may differ from the snapshot: to link them anew when it is loaded takes some milliseconds

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


class Loaded(NamedTuple):
    """What the last process has left."""

    rows: dict[str, Row]
    snapshot: Snapshot | None


class Keeper:
    """Loads an index from the cache, and saves it there."""

    def __init__(self, index: Index, lock: threading.RLock, cache: Cache) -> None:
        """Nothing is loaded or saved yet. `lock` is that of the index."""
        self.derive: dict[str, Derive] = {}  # what is saved with the snapshot, by name
        self._index = index
        self._lock = lock
        self._cache = cache
        self._using = threading.Lock()  # the cache
        self._generation = 0  # of the cache, when all but what is unsaved was in it
        self._refused = False  # by the disk
        self._has_snapshot = False
        self._unsaved: set[str] = set()
        self._stale = _FEW + 1  # notes, about, that differ from the snapshot

    def load(self) -> Loaded:
        """What was saved."""

        def load(connection: sqlite3.Connection) -> Loaded:
            try:
                return Loaded(dict(saved.rows(connection)), saved.snapshot(connection))
            except (TypeError, ValueError) as error:
                raise sqlite3.DatabaseError(f"what is in it is damaged: {error}") from error

        with self._using:
            loaded = self._use(load)
            self._generation = self._cache.generation if loaded else 0
            self._has_snapshot = bool(loaded and loaded.snapshot)
        return loaded or Loaded({}, None)

    def note(self, paths: Iterable[str], stale: int | None = None) -> None:
        """These files are not in the cache as they are; to be called under the lock.

        `stale`: how many notes differ from the snapshot, if it was just loaded.
        """
        notes = list(filter(is_note, paths))
        self._unsaved.update(notes)
        self._stale = self._stale + len(notes) if stale is None else stale

    def save(self, *, idle: bool = True) -> bool:
        """Save what is new; whether that is done, or there is no hope of it: another process may write for long.

        A snapshot, which takes as long as there are notes, only if nobody waits (or there is none).
        """
        with self._using:
            with self._lock:
                due = self._index.ready and self._stale > _FEW and (idle or not self._has_snapshot)
                if self._refused or not (self._unsaved or due):
                    return True
                rows = {path: self._index.catalog.rows.get(path) for path in self._unsaved}
                made = self._snapshot() if due else None
                stale, self._stale, self._unsaved = self._stale, 0 if made else self._stale, set()
            done = self._use(lambda connection: self._write(connection, rows, made))
            if not done:
                with self._lock:
                    self._unsaved |= rows.keys()
                    self._stale = max(stale, self._stale)
            return bool(done) or self._refused

    def close(self) -> None:
        """Save what is new, and let go of the cache."""
        self.save()
        with self._using:
            self._cache.close()

    def _use(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """What some work on the cache gives; None if it could not be done."""
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

    def _write(self, connection: sqlite3.Connection, rows: Mapping[str, Row | None], made: Snapshot | None) -> bool:
        anew = self._cache.generation != self._generation
        if anew and made is None and self._index.ready:
            with self._lock:
                made = self._snapshot()
        with writing(connection, PATIENCE_MS):
            saved.save_rows(connection, self._index.catalog.rows.copy() if anew else rows)
            if made:
                saved.save_snapshot(connection, made)
                self._has_snapshot = True
        self._generation = self._cache.generation
        return True

    def _snapshot(self) -> Snapshot:
        return snapshot_of(self._index.catalog.rows, self._index.links, self.derive)
