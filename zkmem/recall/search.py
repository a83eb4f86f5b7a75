"""Full-text search: from a query to the notes that answer it, best first.

Any word of the query counts, by BM25. What is searched is in the cache, and is brought up to the vault before each
search: by what has changed since the last, or at first by comparing etags. Whoever searches waits for that; the lock of
the index is not held meanwhile.
"""

import logging
import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from zkmem.index.live import LiveIndex
from zkmem.index.lookup import name_for
from zkmem.index.store import fulltext
from zkmem.index.store.database import PATIENCE_MS, SpareCache, cache_file, is_busy, writing
from zkmem.index.store.folder_cache import folder_cache
from zkmem.index.store.fulltext import Found, Scope
from zkmem.index.sync import Progress
from zkmem.markdown.note import body_of
from zkmem.names import below, normal
from zkmem.recall.snippet import snippet
from zkmem.util.locks import Rank, lock
from zkmem.util.words import terms
from zkmem.vault.files import etag
from zkmem.vault.store import Store

_SLICE = 1_000  # notes in one transaction: other processes get their turn after it
_PAUSE_S = 0.005  # in which they can
_SOON_MS = 50  # that a search which must not last waits for another process
_SPARE = 2  # notes that may be gone since they were indexed

_log = logging.getLogger(__name__)


class Hit(NamedTuple):
    """A note that was found."""

    path: str
    name: str
    score: float  # higher is better
    snippet: str  # a passage of the note with the hit in it: at most ~200 characters, one line, whole words


class Search:
    """Search over the notes of a vault, or only over those below one folder. Thread-safe."""

    def __init__(self, live: LiveIndex, store: Store, folder: str = "") -> None:
        """Nothing is built yet."""
        self._live = live
        self._store = store
        self._folder = folder
        self._news = live.follow()
        self._cache = SpareCache(lambda: folder_cache(store.root, folder) if folder else cache_file(store.root))
        self._within: dict[str, Search] = {}
        self._generation = 0  # of the cache, when it was last looked through
        self._behind: set[str] = set()  # paths that are to be looked at
        self._lock = lock(Rank.SEARCH)

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

    def find_soon(self, query: str, limit: int, folder: str) -> list[Hit]:
        """Return what `find` does below a folder, as far as it is indexed; read a limited number of notes for that.

        Nothing is found while the index of links is built, or while another thread searches.
        """
        words = terms(query.encode(errors="replace").decode())
        scope = Scope([_cleaned(folder)] if folder else None, [])

        def find(connection: sqlite3.Connection) -> list[Found]:
            self._refresh(connection, None, most=_SLICE)
            return fulltext.find(connection, words, limit + _SPARE, scope)

        if not (words and self._live.index.ready and self._lock.acquire(blocking=False)):
            return []
        try:
            found = self._cache.use(find)
        finally:
            self._lock.release()
        return list(self._hits(found, words, limit))

    def within(self, folder: str) -> "Search":
        """Return the search over the notes below a folder, for callers who may know of no others.

        It has an index of its own, so that no score, count or sample in it depends on a note elsewhere.
        """
        with self._live.as_it_is():
            if folder not in self._within:
                self._within[folder] = Search(self._live, self._store, folder)
            return self._within[folder]

    def close(self) -> None:
        """Let go of the cache."""
        for part in list(self._within.values()):
            part.close()
        with self._lock:
            self._cache.close()

    def _hits(self, found: Sequence[Found], words: Sequence[str], limit: int) -> Iterator[Hit]:
        for each in found:
            if not limit:
                return
            try:
                text = body_of(self._store.read(each.path)[0]).decode(errors="replace")
            except OSError:  # it was removed, or replaced by a symbolic link
                continue
            with self._live.as_it_is() as index:
                name = name_for(index.catalog, each.path)
            yield Hit(each.path, name, each.score, snippet(text, words))
            limit -= 1

    def _refresh(self, connection: sqlite3.Connection, progress: Progress | None, *, most: int | None = None) -> None:
        """Put in, anew or out what differs; with `most`, so many notes at most, without a long wait for others."""
        with self._live.as_it_is():
            changed = self._news.take()
            every = changed is None or self._generation != self._cache.generation
            rows = self._etags() if every else {}
        self._behind.update(path for path in changed or () if below(path, self._folder))
        if every:
            known = fulltext.etags(connection)
            self._behind.update(path for path in rows.keys() | known.keys() if rows.get(path) != known.get(path))
            self._generation = self._cache.generation
        try:
            self._catch_up(connection, progress, most)
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise  # else, old results are better than none
            _log.warning("Another process keeps the index of the search locked; some notes in it may be out of date.")

    def _etags(self) -> dict[str, str]:
        """Return the etag of each note that belongs in the index, by path. The thread must hold the index of links."""
        rows = self._live.index.catalog.rows
        return {path: row.etag for path, row in rows.items() if row.etag and below(path, self._folder)}

    def _catch_up(self, connection: sqlite3.Connection, progress: Progress | None, most: int | None) -> None:
        """Look at what is to be looked at."""
        pending = sorted(self._behind, key=fulltext.number_of)[:most]  # in the order of the index, which is fast
        patience_ms = PATIENCE_MS if most is None else _SOON_MS
        for start in range(0, len(pending), _SLICE):
            self._live.check_open()
            part = pending[start : start + _SLICE]
            with writing(connection, patience_ms):
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
                self._live.check_open()
                time.sleep(_PAUSE_S)
                more = fulltext.merge(connection, begin=False)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # else what was written lies on the disk twice

    def _take_in(self, connection: sqlite3.Connection, path: str) -> None:
        """Make the index hold a note as it is on disk now.

        Read while no other process writes: what is put in last is what was read last.
        """
        try:
            data, _ = self._store.read(path)  # though it is not in the index yet: another process may know it already
        except OSError:
            fulltext.remove(connection, path)
        else:
            fulltext.put(connection, path, etag(data), data)


def _cleaned(folder: str) -> str:
    return normal(folder).strip("/")
