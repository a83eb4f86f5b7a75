"""Find the notes that contain words of a query and pass its filters, the best first.

Any word of the query counts; `index.store.relevance` says what makes a note come first. `recall.query` says how a query
is written. The search index is in the cache. Each search first updates it: with the notes that have changed since the
last search or, the first time, by comparing etags. A search waits for that, but does not hold the lock of the index of
links meanwhile.
"""

import logging
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from zkmem.index.lookup import name_for
from zkmem.index.session import Freshness, Session
from zkmem.index.store import fulltext, retrieval
from zkmem.index.store.database import PATIENCE_MS, SpareCache, cache_file, is_busy, reading, writing
from zkmem.index.store.folder_cache import folder_cache
from zkmem.index.store.retrieval import Found, Scope
from zkmem.index.sync import Progress
from zkmem.markdown.note import body_of
from zkmem.names import below, normal
from zkmem.recall.query import Query, matches, read_query
from zkmem.recall.snippet import snippet
from zkmem.util.locks import Rank, lock
from zkmem.util.stems import terms_of
from zkmem.vault.files import etag
from zkmem.vault.store import Store

_SLICE = 1_000  # notes in one transaction; other processes can write after it
_PAUSE_S = 0.005  # between transactions, for other processes
_SOON_MS = 50  # the wait of `find_soon` for another process
_SPARE = 2  # more hits than needed, in case notes were removed after they were indexed

_log = logging.getLogger(__name__)


class Hit(NamedTuple):
    """A note that contains words of the query."""

    path: str
    name: str
    score: float  # higher is better
    snippet: str  # a passage of the note with words of the query: at most ~200 characters, one line, whole words
    words: list[str]  # of the note that match, as the index has them: in lower case and without accents
    date: str  # such as 2026-11-20
    dated: str  # where the date is from: "property", "name", or "file" for the day on which the file was changed


class Hits(list[Hit]):
    """The hits of a search, the best first, and remarks on them for the reader."""

    def __init__(self, hits: Iterable[Hit] = (), remarks: Iterable[str] = ()) -> None:
        """Make a list of hits with remarks, which are sentences."""
        super().__init__(hits)
        self.remarks = list(remarks)


class Search:
    """Search over the notes of a vault, or only over those below one folder. Thread-safe."""

    def __init__(self, session: Session, store: Store, folder: str = "") -> None:
        """Search the notes below `folder`; "" stands for all. The index is made at the first search."""
        self._session = session
        self._live = session.live
        self._store = store
        self._folder = folder
        self._news = session.live.follow()
        self._cache = SpareCache(lambda: folder_cache(store.root, folder) if folder else cache_file(store.root))
        self._within: dict[str, Search] = {}
        self._generation = 0  # of the cache when all etags were last compared
        self._pending: set[str] = set()  # paths of notes that may have changed since they were indexed
        self._lock = lock(Rank.SEARCH)

    def find(
        self,
        query: str,
        *,
        limit: int = 10,
        folders: Collection[str] | None = None,
        without: Collection[str] = (),
        filters: bool = True,
        progress: Progress | None = None,
    ) -> Hits:
        """Return at most `limit` notes that contain any word of the query and pass its filters, the best first.

        Search only below `folders` (None for all folders), and not below the folders `without`. With `filters` False,
        a query is plain text. A query that has filters alone returns the notes with the latest dates first.

        Raises:
            BadArgument: when a filter of the query is wrong.
        """
        text = query.encode(errors="replace").decode()
        asked = read_query(text) if filters else Query(text, [])
        if limit < 1 or not (asked.filters or terms_of(asked.words)):
            return Hits()
        scope = Scope(None if folders is None else list(map(_cleaned, folders)), list(map(_cleaned, without)))

        def find(connection: sqlite3.Connection) -> tuple[list[Found], list[str]]:
            self._refresh(connection, progress)
            with reading(connection):
                return matches(connection, asked, limit + _SPARE, scope)

        self._session.prepare(Freshness.LINKS, progress)
        with self._lock:
            found, remarks = self._cache.use(find)
        return Hits(self._hits(found, limit), remarks)

    def find_soon(self, query: str, limit: int, folder: str) -> list[Hit]:
        """Return hits as `find` does, but quickly: index at most 1,000 changed notes first, and never wait long.

        Return no hits while the index of links is built, or while another thread searches.
        """
        words = terms_of(query.encode(errors="replace").decode())
        scope = Scope([_cleaned(folder)] if folder else None, [])

        def find(connection: sqlite3.Connection) -> list[Found]:
            self._refresh(connection, None, most=_SLICE)
            with reading(connection):
                return retrieval.find(connection, words, limit + _SPARE, scope)

        if not (words and self._live.index.ready and self._lock.acquire(blocking=False)):
            return []
        try:
            found = self._cache.use(find)
        finally:
            self._lock.release()
        return list(self._hits(found, limit))

    def within(self, folder: str) -> "Search":
        """Return a search over the notes below a folder, for callers who may see no others.

        It has a separate index, so that no score and no order depends on a note outside the folder.
        """
        with self._session.hold():
            if folder not in self._within:
                self._within[folder] = Search(self._session, self._store, folder)
            return self._within[folder]

    def close(self) -> None:
        """Close the cache."""
        for part in list(self._within.values()):
            part.close()
        with self._lock:
            self._cache.close()

    def _hits(self, found: Iterable[Found], limit: int) -> Iterator[Hit]:
        for each in found:
            if not limit:
                return
            try:
                data, _ = self._store.read(each.path)
            except OSError:  # it was removed, or replaced by a symbolic link
                continue
            with self._session.hold() as index:
                name = name_for(index.catalog, each.path)
            text = body_of(data).decode(errors="replace")
            yield Hit(each.path, name, each.score, snippet(text, each.words), each.words, *each.dated)
            limit -= 1

    def _refresh(self, connection: sqlite3.Connection, progress: Progress | None, *, most: int | None = None) -> None:
        """Bring the index of words up to date; with `most`, index at most that many notes, and do not wait long."""
        with self._session.hold():
            changed = self._news.take()
            every = changed is None or self._generation != self._cache.generation
            rows = self._etags() if every else {}
        self._pending.update(path for path in changed or () if below(path, self._folder))
        if every:
            indexed = fulltext.etags(connection)
            paths = rows.keys() | indexed.keys()
            self._pending.update(path for path in paths if rows.get(path) != indexed.get(path))
            self._generation = self._cache.generation
        try:
            self._catch_up(connection, progress, most)
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise  # if it is only busy, old results are better than none
            _log.warning("Another process keeps the index of the search locked; some notes in it may be out of date.")

    def _etags(self) -> dict[str, str]:
        """Return the etag of each note that belongs in the index, by path. The thread must hold the index of links."""
        rows = self._live.index.catalog.rows
        return {path: row.etag for path, row in rows.items() if row.etag and below(path, self._folder)}

    def _catch_up(self, connection: sqlite3.Connection, progress: Progress | None, most: int | None) -> None:
        """Index the pending notes; `most` as for `_refresh`."""
        pending = sorted(self._pending, key=fulltext.number_of)[:most]  # in the order of the index, which is fast
        patience_ms = PATIENCE_MS if most is None else _SOON_MS
        for start in range(0, len(pending), _SLICE):
            self._live.check_open()
            part = pending[start : start + _SLICE]
            with writing(connection, patience_ms):
                for path in part:
                    self._take_in(connection, path)
            self._pending.difference_update(part)
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
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # else a copy stays in the log

    def _take_in(self, connection: sqlite3.Connection, path: str) -> None:
        """Index a note as it is on disk, or remove it from the index if it is gone.

        The transaction must be open, so that the text that is read last is also indexed last.
        """
        try:
            data, stamp = self._store.read(path)  # even if the index of links does not have the note yet
        except OSError:
            fulltext.remove(connection, path)
        else:
            fulltext.put(connection, path, etag(data), data, _day(stamp.mtime_ns))


def _day(nanoseconds: int) -> str:
    """Return the local date of a time in nanoseconds since 1970."""
    return time.strftime("%Y-%m-%d", time.localtime(nanoseconds // 1_000_000_000))


def _cleaned(folder: str) -> str:
    return normal(folder).strip("/")
