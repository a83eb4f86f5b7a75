"""Read one state of the search index without its lock, while others read and update it.

SQLite gives each connection the state at the beginning of its transaction (WAL). A few connections are kept for the
next readers.
"""

import contextlib
import sqlite3
from collections.abc import Iterator

from zkmem.index.store.database import Cache
from zkmem.util.locks import Rank, lock

_KEPT = 4  # connections that nobody uses
_MOST_LOG_BYTES = 50_000_000  # above that, readers wait until those of earlier states have ended


class Snapshots:
    """The connections of the readers of one cache. Thread-safe."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._lock = lock(Rank.LEAF)  # guards the fields below
        self._free: list[sqlite3.Connection] = []
        self._lent = 0
        self._generation = 0  # of the cache, to which the free connections belong
        self._closed = False

    def begin(self) -> "Snapshot | None":
        """Return the present state of the cache; None if only its own connection can read it.

        The caller holds the lock of the cache, so no other thread uses it.
        """
        generation = self._cache.generation
        with self._lock:
            if self._generation != generation:
                self._drop()
                self._generation = generation
            if self._lent and self._cache.log_bytes() > _MOST_LOG_BYTES:
                return None
            connection = self._free.pop() if self._free else None
        connection = connection or self._cache.another()
        if connection is None:
            return None
        try:
            connection.execute("BEGIN")
            connection.execute("SELECT 1 FROM search_notes LIMIT 1").fetchall()  # the state is that of the first read
        except sqlite3.Error:
            connection.close()
            return None
        with self._lock:
            self._lent += 1
        return Snapshot(self, connection, generation)

    def close(self) -> None:
        """Close the connections that nobody uses, and the others once they are not used any more."""
        with self._lock:
            self._closed = True
            self._drop()

    def end(self, connection: sqlite3.Connection, generation: int) -> None:
        """Keep a connection for the next reader, or close it."""
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        with self._lock:
            self._lent -= 1
            is_kept = not self._closed and generation == self._generation and len(self._free) < _KEPT
            if is_kept and not connection.in_transaction:
                self._free.append(connection)
                return
        connection.close()

    def _drop(self) -> None:
        while self._free:
            self._free.pop().close()


class Snapshot:
    """One state of the cache, for one reader."""

    def __init__(self, snapshots: Snapshots, connection: sqlite3.Connection, generation: int) -> None:
        self._snapshots, self._connection, self._generation = snapshots, connection, generation

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection to the block."""
        try:
            yield self._connection
        finally:
            self._snapshots.end(self._connection, self._generation)
