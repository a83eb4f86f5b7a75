"""Save an index in the cache for the next process: rows soon after they change, a snapshot less often.

Each row is valid on its own, as long as the file has the stamp in the row, whatever other processes have written. The
snapshot is valid for the notes whose etags it holds; the links of other notes are computed again when it is loaded.
"""

import hashlib
import logging
import math
import sqlite3
import sys
import time
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from zkmem.index.catalog import CatalogRow
from zkmem.index.graph import MISSING, UNCOUNTED
from zkmem.index.index import Index
from zkmem.index.store.database import Cache, NoCache, is_busy, writing
from zkmem.index.store.snapshot import Derive, Snapshot, links_of, snapshot_of
from zkmem.markdown.note import NoteFacts
from zkmem.names import is_note
from zkmem.util.locks import Lock, Rank, lock
from zkmem.vault.files import Stamp

PATIENCE_MS = 300  # working without the cache takes about as long, so a longer wait would be of no use
_SLICE = 1_000  # rows in one transaction
_PIECE = 50  # rows that take about a millisecond
_PAUSE_S = 0.002  # after each piece, so that threads which answer calls seldom wait for this one
_AT_THE_END_S = 0.5  # the time for saving when the process is about to end
_FEW = 500  # notes that may differ from the snapshot; computing their links again takes some milliseconds

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_END = "\0"  # the end of a path: no path contains it
_LARGEST = 1 << 63  # one more than a column can hold; a file may be dated after the year 2262


class Loaded(NamedTuple):
    """The rows and the snapshot that an earlier process saved."""

    rows: dict[str, CatalogRow]
    snapshot: Snapshot | None


class CacheWriter:
    """A writer that saves an index in the cache, and loads what an earlier process saved."""

    def __init__(self, index: Index, index_lock: Lock, cache: Cache) -> None:
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
                snapshot = None if self._index.catalog.pages else _saved_snapshot(connection)
                return Loaded(dict(_saved_rows(connection)), snapshot)
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

    def _write(self, connection: sqlite3.Connection, changed: Mapping[str, CatalogRow | None], *, due: bool) -> bool:
        """Write the changed rows, and a snapshot if one is due; return False if time ran out before the end."""
        is_new = self._cache.generation != self._generation
        waiting = list((self._index.catalog.rows.copy() if is_new else changed).items())
        for start in range(0, len(waiting), _SLICE):
            if time.monotonic() > self._end:
                return False
            with writing(connection, PATIENCE_MS):
                for first in range(start, min(start + _SLICE, len(waiting)), _PIECE):
                    _save_rows(connection, dict(waiting[first : first + _PIECE]))
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
                _save_snapshot(connection, made)
        except BaseException:
            with self._lock:
                self._stale += stale
            raise
        self._has_snapshot = True


def _saved_rows(connection: sqlite3.Connection) -> Iterator[tuple[str, CatalogRow]]:
    """Yield the saved notes and their rows, without damaged ones."""
    new = tuple.__new__  # the constructors of named tuples, which are written in Python, would take a fifth of the time
    for path, mtime, ctime, size, inode, *given, etag, racy, checksum in connection.execute("SELECT * FROM notes"):
        facts, unread = new(NoteFacts, given), False
        if checksum == _checksum(*facts, etag):
            yield path, new(CatalogRow, (new(Stamp, (mtime, ctime, size, inode)), facts, unread, etag, bool(racy)))


def _checksum(characters: int, counted: str, uncounted: str, fault: str | None, callouts: str, etag: str | None) -> int:
    """Return a checksum, since SQLite has none. It leaves out the stamp: with a damaged one, a row matches no file."""
    return zlib.crc32(f"{etag} {characters} {fault} {counted}\1{uncounted}\1{callouts}".encode())


def _save_rows(connection: sqlite3.Connection, rows: Mapping[str, CatalogRow | None]) -> None:
    """Save the rows of notes. Delete a note whose row is None, or that must be read again anyway."""
    saved = [
        (path, row, row.facts) for path, row in rows.items() if row and row.facts and row.etag and _fits(row.stamp)
    ]
    gone = rows.keys() - {path for path, _, _ in saved}
    connection.executemany("DELETE FROM notes WHERE path = ?", [(path,) for path in gone])
    connection.executemany(
        "INSERT OR REPLACE INTO notes VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((path, *row.stamp, *facts, row.etag, row.racy, _checksum(*facts, row.etag)) for path, row, facts in saved),
    )


def _fits(stamp: Stamp) -> bool:
    return max(stamp) < _LARGEST and min(stamp) >= -_LARGEST


def _save_snapshot(connection: sqlite3.Connection, snapshot: Snapshot) -> None:
    """Save a snapshot in place of the last one."""
    keys = [[node[1:] for node in nodes] for nodes in (snapshot.missing, snapshot.uncounted)]
    texts = [_END.join([*part, ""]) for part in (snapshot.files, snapshot.etags, *keys)]  # each ends with `_END`
    numbers = [part.tobytes() for part in (snapshot.ends, snapshot.targets, snapshot.source_ends, snapshot.sources)]
    parts: list[str | bytes] = [*texts, *numbers, sys.byteorder]
    digest = _digest(*parts)
    connection.execute("DELETE FROM snapshot")
    connection.execute("DELETE FROM derived")
    connection.execute("INSERT INTO snapshot VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*parts, digest))
    for name, data in snapshot.derived.items():
        connection.execute("INSERT INTO derived VALUES(?, ?, ?)", (name, data, _digest(digest, name, data)))


def _saved_snapshot(connection: sqlite3.Connection) -> Snapshot | None:
    """Return the saved snapshot; None if there is none, or a machine with another byte order saved it."""
    connection.execute("BEGIN")  # so that both tables are read in the same state
    try:
        row = connection.execute("SELECT * FROM snapshot").fetchone()
        derived = connection.execute("SELECT * FROM derived").fetchall()
    finally:
        connection.execute("ROLLBACK")
    if row is None or row[-2] != sys.byteorder:
        return None
    *parts, digest = row
    if _digest(*parts) != digest or any(_digest(digest, name, data) != checksum for name, data, checksum in derived):
        raise sqlite3.DatabaseError("the snapshot in it is damaged")
    texts = [text.split(_END)[:-1] for text in parts[:4]]
    missing, uncounted = [MISSING + key for key in texts[2]], [UNCOUNTED + key for key in texts[3]]
    ends, targets, source_ends, sources = (array("i", part) for part in parts[4:8])
    named = {name: data for name, data, _ in derived}
    return Snapshot(texts[0], texts[1], missing, uncounted, ends, targets, source_ends, sources, named)


def _digest(*parts: str | bytes) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.digest()
