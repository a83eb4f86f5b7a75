"""Full-text search: from a query to the notes that answer it, best first.

Any word of the query counts, by BM25. What is searched is in the cache, and is brought up to the vault before each
search: by what has changed since the last, or at first by comparing etags. Whoever searches waits for that; the lock of
the index is not held meanwhile.
"""

import functools
import logging
import sqlite3
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from zkmem.errors import BadName
from zkmem.index import fulltext
from zkmem.index.cache import SpareCache, cache_file, is_busy, writing
from zkmem.index.fulltext import Found, Scope
from zkmem.index.live import LiveIndex
from zkmem.index.lookup import name_for
from zkmem.index.sync import Progress
from zkmem.markdown.note import body_of
from zkmem.recall.snippet import snippet
from zkmem.vault.files import etag
from zkmem.vault.names import normal
from zkmem.vault.store import Store
from zkmem.words import terms

_SLICE = 1_000  # notes in one transaction: other processes get their turn after it
_PAUSE_S = 0.005  # in which they can
_SPARE = 2  # notes that may be gone since they were indexed

_log = logging.getLogger(__name__)


class Hit(NamedTuple):
    """A note that was found."""

    path: str
    name: str
    score: float  # higher is better
    snippet: str  # a passage of the note with the hit in it: at most ~200 characters, one line, whole words


class Search:
    """Search over the notes of a vault. Thread-safe."""

    def __init__(self, live: LiveIndex, store: Store) -> None:
        """Nothing is built yet."""
        self._live = live
        self._store = store
        self._news = live.follow()
        self._cache = SpareCache(functools.partial(cache_file, store.root))
        self._generation = 0  # of the cache, when it was last looked through
        self._behind: set[str] = set()  # paths that are to be looked at
        self._lock = threading.Lock()

    def find(
        self,
        query: str,
        *,
        limit: int = 10,
        folders: Collection[str] | None = None,
        without: Collection[str] = (),
        progress: Progress | None = None,
    ) -> list[Hit]:
        """The notes that hold any word of the query, best first.

        Only those below `folders` (None: all), and none of those below `without`.
        """
        words = terms(query.encode(errors="replace").decode())
        if not words or limit < 1:
            return []
        scope = Scope(None if folders is None else list(map(_cleaned, folders)), list(map(_cleaned, without)))

        def find(connection: sqlite3.Connection) -> list[Found]:
            self._refresh(connection, progress)
            return fulltext.find(connection, words, limit + _SPARE, scope)

        self._live.need_links(progress)
        with self._lock:
            found = self._cache.use(find)
        return list(self._hits(found, words, limit))

    def close(self) -> None:
        """Let go of the cache."""
        with self._lock:
            self._cache.close()

    def _hits(self, found: Sequence[Found], words: Sequence[str], limit: int) -> Iterator[Hit]:
        for each in found:
            if not limit:
                return
            try:
                text = body_of(self._read(each)).decode(errors="replace")
            except (OSError, BadName):  # it is gone, or a link out of the vault is in its place
                continue
            with self._live.lock:
                name = name_for(self._live.index.catalog, each.path)
            yield Hit(each.path, name, each.score, snippet(text, words))
            limit -= 1

    def _read(self, found: Found) -> bytes:
        """A note as it is now; what is as it was put in need not be shown to be inside the vault, which takes longer.

        Raises:
            OSError: when it cannot be read. BadName: when it was changed, and is outside.
        """
        data, _ = self._store.read_found(found.path)
        return data if etag(data) == found.etag else self._store.read(found.path)[0]

    def _refresh(self, connection: sqlite3.Connection, progress: Progress | None) -> None:
        """Put in, anew or out what differs."""
        with self._live.lock:
            changed = self._news.take()
            every = changed is None or self._generation != self._cache.generation
            rows = {path: row.etag for path, row in self._live.index.catalog.rows.items() if row.etag} if every else {}
        self._behind |= changed or set()
        if every:
            known = fulltext.etags(connection)
            self._behind.update(path for path in rows.keys() | known.keys() if rows.get(path) != known.get(path))
            self._generation = self._cache.generation
        try:
            self._catch_up(connection, progress)
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise  # else, old results are better than none
            _log.warning("Another process keeps the index of the search locked; some notes in it may be out of date.")

    def _catch_up(self, connection: sqlite3.Connection, progress: Progress | None) -> None:
        """Look at what is to be looked at."""
        pending = sorted(self._behind, key=fulltext.number_of)  # in the order of the index, which is fast
        for start in range(0, len(pending), _SLICE):
            part = pending[start : start + _SLICE]
            with writing(connection):
                for path in part:
                    self._take_in(connection, path)
            self._behind.difference_update(part)
            if start + _SLICE < len(pending):
                time.sleep(_PAUSE_S)
            if progress:
                progress(start + len(part), len(pending))
        if len(pending) > _SLICE:
            more = fulltext.merge(connection, begin=True)
            while more:
                time.sleep(_PAUSE_S)
                more = fulltext.merge(connection, begin=False)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # else what was written lies on the disk twice

    def _take_in(self, connection: sqlite3.Connection, path: str) -> None:
        """Make the index hold a note as it is on disk now.

        Read while no other process writes: what is put in last is what was read last.
        """
        try:
            if path in self._live.index.catalog.rows:
                data, _ = self._store.read_found(path)
            elif self._store.stamp(path):  # another process may know it already
                data, _ = self._store.read(path)
            else:
                fulltext.remove(connection, path)
                return
        except (OSError, BadName):
            fulltext.remove(connection, path)
        else:
            fulltext.put(connection, path, etag(data), data)


def _cleaned(folder: str) -> str:
    return normal(folder).strip("/")
