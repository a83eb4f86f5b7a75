"""Keep the search index of a vault, or of one folder, up to date.

The index is in the cache. Before it is read, it is updated with the notes that have changed since it was last read or,
the first time, by comparing etags. Thousands of notes take seconds; a reader need not wait for all of them, and a
thread goes on with the others. The lock of the index of links is free meanwhile.
"""

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from zkmem.errors import Closed
from zkmem.index.catalog import CatalogRow
from zkmem.index.index import Progress
from zkmem.index.session import Session
from zkmem.index.store.database import (
    PATIENCE_MS,
    Cache,
    NoCache,
    SpareCache,
    cache_file,
    folder_cache,
    is_busy,
    reading,
    writing,
)
from zkmem.names import below
from zkmem.search import fulltext, vocabulary
from zkmem.search.entry import IndexEntry, entry_of
from zkmem.search.readahead import Readahead
from zkmem.util.locks import Rank, lock
from zkmem.vault.files import Stamp, day_of, etag
from zkmem.vault.store import Store

_SLICE = 1_000  # notes in one transaction; other processes can write after it, and other threads can search
_PAUSE_S = 0.005  # between transactions
_SMALL = 2_000  # notes: `peek` waits until so many are compared
_FEW = 10  # notes that `glance` indexes
_SOON_MS = 50  # the wait of `read_soon` for another process

_T = TypeVar("_T")
_log = logging.getLogger(__name__)
_MOST_FREE = 4  # connections that nobody uses
_MOST_LOG_BYTES = 50_000_000  # above that, readers wait until those of earlier states have ended


class IndexBacklog(NamedTuple):
    """How many notes the index has, and how many changed notes it lacks."""

    indexed: int
    left: int


class _Limits(NamedTuple):
    """How much of the index to update at once."""

    patience_ms: int  # how long to wait for another process that is writing
    notes: int | None = None
    deadline: float | None = None  # of the monotonic clock; at least one slice is indexed


ReadState = tuple[sqlite3.Connection, int]
"""A connection that reads one state of the cache, and the generation of the cache."""


class Readers:
    """The connections of those who read a state of the index while others update it. Thread-safe.

    SQLite gives each connection the state at the beginning of its transaction (WAL). A few connections are kept for
    the next readers.
    """

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._lock = lock(Rank.LEAF)  # guards the fields below
        self._free: list[sqlite3.Connection] = []
        self._lent = 0
        self._generation = 0  # of the cache, to which the free connections belong
        self._closed = False

    def begin(self) -> ReadState | None:
        """Return a connection to the present state of the cache; None if only its own connection can read it.

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
        return connection, generation

    def close(self) -> None:
        """Close the connections that nobody uses, and the others once they are not used any more."""
        with self._lock:
            self._closed = True
            self._drop()

    @contextlib.contextmanager
    def reading(self, state: ReadState) -> Iterator[sqlite3.Connection]:
        """Lend the connection to the block."""
        try:
            yield state[0]
        finally:
            self.end(state)

    def end(self, state: ReadState) -> None:
        """Keep a connection for the next reader, or close it."""
        connection, generation = state
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        with self._lock:
            self._lent -= 1
            is_kept = not self._closed and generation == self._generation and len(self._free) < _MOST_FREE
            if is_kept and not connection.in_transaction:
                self._free.append(connection)
                return
        connection.close()

    def _drop(self) -> None:
        while self._free:
            self._free.pop().close()


class SearchIndex:
    """The search index of the notes below a folder. Thread-safe."""

    def __init__(self, session: Session, store: Store, folder: str) -> None:
        """`folder`: "" stands for the whole vault."""
        self._session = session
        self._live = session.live
        self._store = store
        self._folder = folder
        self._news = session.live.follow()
        self._cache = SpareCache(lambda: folder_cache(store.root, folder) if folder else cache_file(store.root))
        self._readers = Readers(self._cache)
        self._generation = 0  # of the cache when all etags were last compared
        self._pending: dict[str, int] = {}  # notes that may have changed since they were indexed: their numbers by path
        self._order: list[str] = []  # these paths by number, the greatest first: they are taken from the end
        self._ahead: Readahead | None = None  # while many notes are indexed
        self._added: set[str] = set()  # words that are already in the vocabulary
        self._unmerged = 0  # notes that were indexed since the segments of the index were last merged
        self._are_merges_postponed = False  # while many notes are indexed
        self._lock = lock(Rank.SEARCH)
        self._builder: threading.Thread | None = None

    def read(
        self, work: Callable[[sqlite3.Connection], _T], progress: Progress | None, wait_s: float | None
    ) -> tuple[_T, IndexBacklog]:
        """Update the index, call `work` on one state of it, and return the result and the backlog.

        `wait_s`: about how long to wait for the update at most; None to wait until it is complete. What is left then is
        indexed in a thread. Other threads can read and update the index during `work`.
        """

        def begin(_: sqlite3.Connection) -> ReadState | None:
            return self._readers.begin()

        limits = _Limits(PATIENCE_MS, deadline=None if wait_s is None else time.monotonic() + wait_s)
        with self._lock:
            state, backlog = self._cache.use(lambda connection: self._updated(connection, begin, progress, limits))
            if backlog.left:
                self._build_rest()
        if state:
            with contextlib.suppress(sqlite3.Error, UnicodeDecodeError), self._readers.reading(state) as connection:
                return work(connection), backlog
        with self._lock:  # the index is in memory alone, or damaged, in which case it is built anew
            return self._cache.use(lambda connection: self._updated(connection, work, progress, limits))

    def read_soon(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """Do what `read` does, but quickly: index at most 1,000 changed notes first, and never wait long.

        Return None while another thread reads or updates the index.
        """
        return self._use_if_free(work, _SLICE)

    def glance(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """Call `work` on the index as it is, and return the result; None while another thread reads or updates it.

        At most a few changed notes are indexed first; a thread indexes the others.
        """
        return self._use_if_free(work, _FEW, build_from=1)

    def peek(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """Do what `glance` does, but in a large vault call `work` on the index without the changed notes.

        In such a vault, the result is None until all notes have been compared once. A thread indexes every few changes.
        """
        if len(self._live.index.catalog.rows) <= _SMALL:
            return self.glance(work)
        if self._generation:
            return self._use_if_free(work, 0, build_from=_FEW)  # to index fewer notes is faster than to start a thread
        if self._lock.acquire(blocking=False):
            try:
                self._build_rest()
            finally:
                self._lock.release()
        return None

    def _use_if_free(
        self, work: Callable[[sqlite3.Connection], _T], most: int, build_from: int | None = None
    ) -> _T | None:
        """Index at most `most` changed notes, call `work`, and return its result; None if another thread has the lock.

        `build_from`: if at least so many changed notes remain, a thread indexes them.
        """
        if not self._lock.acquire(blocking=False):
            return None
        try:
            limits = _Limits(_SOON_MS, notes=most)
            result, backlog = self._cache.use(lambda connection: self._updated(connection, work, None, limits))
            if build_from is not None and backlog.left >= build_from:
                self._build_rest()
            return result
        finally:
            self._lock.release()

    def _build_rest(self) -> None:
        """Start the thread that indexes the changed notes, unless it runs already. The caller holds the lock."""
        if not (self._builder and self._builder.is_alive()):
            self._builder = threading.Thread(target=self._build, name="zkmem-words", daemon=True)
            self._builder.start()

    def close(self) -> None:
        """Wait for the thread, which ends when the index of links is closed, and close the cache."""
        if self._builder:
            self._builder.join()
        with self._lock:
            self._end_readahead()
            self._readers.close()
            self._cache.close()

    def _build(self) -> None:
        """Index the pending notes slice by slice; others can use the index in between."""
        left, limits = 1, _Limits(PATIENCE_MS, notes=_SLICE)
        try:
            while left:
                time.sleep(_PAUSE_S)
                with self._lock:
                    _, (_, left) = self._cache.use(
                        lambda connection: self._updated(connection, lambda _: None, None, limits)
                    )
        except Closed:
            pass  # the next process goes on
        except (sqlite3.Error, NoCache, OSError) as error:
            _log.warning("The search index is not complete: %s. The next search tries again.", error)

    def _updated(
        self,
        connection: sqlite3.Connection,
        work: Callable[[sqlite3.Connection], _T],
        progress: Progress | None,
        limits: _Limits,
    ) -> tuple[_T, IndexBacklog]:
        self._compare(connection)
        try:
            self._catch_up(connection, progress, limits)
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise  # if it is only busy, old results are better than none
            _log.warning("Another process keeps the search index locked; some notes in it may be out of date.")
            return work(connection), IndexBacklog(0, 0)
        with reading(connection):
            indexed = connection.execute("SELECT count(*) FROM search_notes").fetchone()[0] if self._pending else 0
            return work(connection), IndexBacklog(indexed, len(self._pending))

    def _compare(self, connection: sqlite3.Connection) -> None:
        """Find out which notes the index must read again."""
        with self._session.hold():
            changed = self._news.take()
            every = changed is None or self._generation != self._cache.generation
            rows = self._rows() if every else {}
        self._add(path for path in changed or () if below(path, self._folder))
        if every:
            self._are_merges_postponed = fulltext.are_merges_postponed(connection)
            self._add(_differing(connection, rows))
            self._end_readahead()  # it is not known which words this vocabulary has
            self._generation = self._cache.generation

    def _add(self, paths: Iterable[str]) -> None:
        before = len(self._pending)
        self._pending.update((path, fulltext.path_number(path)) for path in paths)
        if len(self._pending) > before:
            self._order = sorted(self._pending, key=self._pending.__getitem__, reverse=True)

    def _rows(self) -> dict[str, CatalogRow]:
        """Return the row of each note that belongs in the index, by path. The thread must hold the index of links."""
        rows = self._live.index.catalog.rows
        return {path: row for path, row in rows.items() if row.etag and below(path, self._folder)}

    def _catch_up(self, connection: sqlite3.Connection, progress: Progress | None, limits: _Limits) -> None:
        """Index the pending notes, within the limits."""
        count = len(self._pending) if limits.notes is None else min(limits.notes, len(self._pending))
        if Readahead.pays(len(self._pending)) and not self._ahead:
            self._ahead = Readahead(self._store)
        try:
            if len(self._pending) > _SLICE and not self._are_merges_postponed:
                with writing(connection, limits.patience_ms):
                    fulltext.postpone_merges(connection)
                self._are_merges_postponed = True
            for done in range(0, count, _SLICE):
                self._live.check_open()
                part = self._next(min(_SLICE, count - done))
                with writing(connection, limits.patience_ms):
                    words = set(" ".join([self._take_in(connection, path) for path in part]).split())
                    vocabulary.add(connection, words - self._added)
                self._added |= words
                self._unmerged += len(part)
                del self._order[-len(part) :]
                for path in part:
                    del self._pending[path]
                if progress:
                    progress(done + len(part), count)
                if limits.deadline is not None and time.monotonic() > limits.deadline:
                    break
                if done + _SLICE < count:
                    time.sleep(_PAUSE_S)
        except BaseException:
            self._end_readahead()
            raise
        if not self._pending:
            self._end_readahead()
            self._merge(connection)

    def _next(self, count: int) -> list[str]:
        """Return the pending notes to index next, and begin to read those after them."""
        part = self._order[: -count - 1 : -1]
        if self._ahead:
            self._ahead.want(self._order[: -count - _SLICE - 1 : -1])
        return part

    def _end_readahead(self) -> None:
        """End the processes that read notes ahead, if there are any."""
        self._added = set()
        if self._ahead:
            self._ahead.close()
            self._ahead = None

    def _merge(self, connection: sqlite3.Connection) -> None:
        """Merge the segments that many notes leave behind."""
        if self._unmerged > _SLICE or self._are_merges_postponed:
            more = fulltext.merge(connection, begin=True)
            while more:
                self._live.check_open()
                time.sleep(_PAUSE_S)
                more = fulltext.merge(connection, begin=False)
            with writing(connection, PATIENCE_MS):
                fulltext.resume_merges(connection)
            self._are_merges_postponed = False
            connection.execute(f"PRAGMA busy_timeout = {_SOON_MS}")  # do not wait for those who read an older state
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # else a copy stays in the log
            connection.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
            self._unmerged = 0

    def _take_in(self, connection: sqlite3.Connection, path: str) -> str:
        """Index a note as it is on disk, or remove it from the index if it is gone; return its words.

        The transaction must be open, so that the text that is read last is also indexed last.
        """
        known = self._ahead.take(path) if self._ahead else None
        try:
            entry, stamp = known or self._entry(path)
        except OSError:
            fulltext.remove(connection, path)
            return ""
        fulltext.put(connection, path, entry, stamp.day)
        return entry.vocabulary

    def _entry(self, path: str) -> tuple[IndexEntry, Stamp]:
        """Read a note, even if the index of links does not have it yet."""
        data, stamp = self._store.read(path)
        return entry_of(path, data, etag(data)), stamp


def _differing(connection: sqlite3.Connection, rows: dict[str, CatalogRow]) -> list[str]:
    """Return the paths of the notes that are not in the index as they are in these rows, which are used up."""
    differing = []
    for path, etag_then, date in fulltext.states(connection):
        row = rows.pop(path, None)
        if row is None or row.etag != etag_then or (date and day_of(row.stamp.mtime_ns) != date):
            differing.append(path)
    return [*differing, *rows]
