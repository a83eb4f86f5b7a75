"""Build an index in a thread, and update it when files change. Calls that need only a part of it can run meanwhile.

It has two stages. When the names are known, notes can be found and read. When the links are known, it is complete.
"""

import contextlib
import functools
import gc
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from zkmem.errors import Closed, NoVault
from zkmem.index.catalog import CatalogRow, Changes
from zkmem.index.index import Index, Observer, Progress
from zkmem.index.store.database import Cache, cache_file
from zkmem.index.store.snapshot import Derive
from zkmem.index.store.writer import PATIENCE_MS, CacheWriter
from zkmem.names import is_note, name_of
from zkmem.util.collector import give_back, no_collector
from zkmem.util.locks import Rank, expect, lock
from zkmem.util.waiting import WouldWait, check_may_wait, may_wait
from zkmem.vault.files import Stamp
from zkmem.vault.store import Store
from zkmem.vault.watch import Watcher

_SMALL = 5_000  # the most files of a vault in which a read waits for the links
_PATIENCE_S = 2.0  # how long such a read waits at most, for example on a slow disk
_PAUSE_S = 0.0005  # without the pause, the thread that releases the lock would take it again at once
_SLICE = 64  # files to refresh before other threads may take the lock
_QUIET_S = 2.0  # from a change until it is saved in the cache: more changes may follow
_IDLE_S = 60.0  # after this time without a change, a snapshot may be saved
_FEW = 500  # files that are compared at every call, in some 2 ms
_BUSY_S = 1.0  # how long a call waits for a busy index; then it goes on without the newest changes by others
_REST = 10  # how many times as long as a comparison of more files the pause after it is
_FREEZE_FROM = 1_000  # files: garbage collection leaves out the data of vaults with more
_REPORT_S = 0.2  # between two reports of progress to a caller who waits

Listener = Callable[[list[str]], object]
"""A function of the names of changed notes. It is called in any thread, and must not wait for anything."""


class News:
    """The notes that have changed since the last call of `take`, for data that is derived from notes."""

    def __init__(self) -> None:
        self._changed: set[str] | None = None

    def add(self, paths: Iterable[str]) -> None:
        """Add changed files; all but notes are ignored."""
        if self._changed is not None:
            self._changed.update(filter(is_note, paths))

    def take(self) -> set[str] | None:
        """Return the paths of notes that were added, changed or removed since the last call; None on the first call."""
        changed, self._changed = self._changed, set()
        return changed


class Behind(Exception):
    """Data derived from the notes is too far behind the vault to be updated while the index is held.

    `catch_up` updates it without holding a lock for long.
    """

    def __init__(self, catch_up: Callable[[], None]) -> None:
        super().__init__("a table is behind the vault")
        self.catch_up = catch_up


class LiveIndex:
    """An index, its lock, and the threads that fill and refresh it.

    Only this class and its `CacheWriter` take the lock of the index; other code uses a `Session`. Therefore no thread
    can wait until the index is filled while it holds the lock that filling needs.
    """

    def __init__(self, store: Store, prepare: Callable[[], object] = lambda: None, *, pages: bool = False) -> None:
        """Make an empty index of the files in the store; `prepare` is called once, before any file is read.

        `pages`: see `Index`.
        """
        self.index = Index(store, self.check_open, pages=pages)
        self._lock = lock(Rank.INDEX, reentrant=True)
        self.version = 0  # changes whenever the index does
        self._store = store
        self._prepare: Callable[[], object] | None = prepare
        self._named = False
        self._linked = threading.Event()
        self._worth_no_wait = threading.Event()  # set when the links are known, or the vault is not small, or is closed
        self._starting, self._preparing, self._loading = lock(Rank.LIFE), lock(Rank.PREPARE), lock(Rank.LOAD)
        self._closed = threading.Event()
        self._starter: threading.Thread | None = None
        self._saver: threading.Thread | None = None
        self._watcher: Watcher | None = None
        self._watched = False  # whether `start` has been asked to watch the vault
        self.calls = 0  # the number of calls that have begun
        self._compared = 0  # the value of `calls` when the last finished comparison of all files began
        self._next_comparison = 0.0  # when it may begin, on the monotonic clock
        self._listeners: list[Listener] = []
        self._afterwards: list[Callable[[], object]] = []
        self._looks: list[Callable[[], object]] = []
        self._news: list[News] = []
        cache = Cache(functools.partial(cache_file, store.root), PATIENCE_MS)
        self._cache_writer = CacheWriter(self.index, self._lock, cache)
        self._unsaved = threading.Event()
        self._done = (0, 0)  # notes read, and to be read
        self.on_loaded: Observer | None = None  # called with the rows that differ from those an earlier process saved
        self._frozen = False  # whether `freeze` has excluded objects from garbage collection

    @property
    def named(self) -> bool:
        """True if the names of all files are known."""
        return self._named

    def start(self, *, watch: bool, poll: bool = False) -> None:
        """Start the threads that build the index and watch the vault; return at once. Further calls have no effect.

        With `poll` the vault is compared regularly, as if the system reported no events.
        """
        with self._starting:
            if self._starter is None and not self._closed.is_set():
                self._watched = watch
                self._starter = threading.Thread(target=self._start, args=(watch, poll), name="zkmem-load", daemon=True)
                self._saver = threading.Thread(target=self._save, name="zkmem-save", daemon=True)
                self._starter.start()
                self._saver.start()

    def stop(self) -> None:
        """Make long work end soon with `Closed`; return at once. Call `close` afterwards."""
        self._cache_writer.hurry()
        self._closed.set()
        self._worth_no_wait.set()
        self._unsaved.set()

    def check_open(self) -> None:
        """Check that the index is not being closed. Long work calls this regularly."""
        if self._closed.is_set():
            raise Closed("The server is stopping; nothing was changed.")

    def close(self) -> None:
        """Stop building and watching, and wait for the threads."""
        with self._starting:
            self._closed.set()
            self._unsaved.set()
        if self._starter and self._saver:
            self._starter.join()
            self._saver.join()
        if self._watcher:
            self._watcher.stop()
            self._watcher = None
        self._cache_writer.close()
        if self._frozen:
            gc.unfreeze()

    def listen(self, listener: Listener) -> None:
        """Call `listener` whenever any program has changed notes."""
        self._listeners.append(listener)

    def after_changes(self, work: Callable[[], object]) -> None:
        """Call `work` in the watcher's thread after each change of files; it must take less than a second."""
        self._afterwards.append(work)

    def each_second(self, look: Callable[[], object]) -> None:
        """Call `look` in the watcher's thread about once a second; it must be quick, and raise nothing."""
        self._looks.append(look)

    def follow(self) -> News:
        """Return the news of the index, to update derived data. Read them only while holding the index."""
        news = News()
        self._news.append(news)
        return news

    def prepare(self) -> None:
        """Prepare the vault for reading, unless that has been done already."""
        if self._prepare is None:
            return
        check_may_wait()
        with self._preparing:
            if self._prepare is not None:  # another thread may have done it meanwhile
                self._prepare()
                self._prepare = None

    @contextlib.contextmanager
    def as_it_is(self) -> Iterator[Index]:
        """Hold the index, even if it is not filled yet. Only `Session` calls this."""
        if not self._lock.acquire(blocking=may_wait()):
            raise WouldWait
        try:
            yield self.index
        finally:
            self._lock.release()

    def wait_until_free(self) -> None:
        """Wait until no other thread holds the index: a thread that holds it may be about to report a change."""
        with self._lock:
            pass

    def pause(self) -> None:
        """Release the index to other threads for a moment. This thread must hold it once, not twice."""
        self._lock.release()
        time.sleep(_PAUSE_S)
        self._lock.acquire()
        self.check_open()

    def need_names(self) -> Index:
        """Return the index once it holds at least the names of all files."""
        if self._named:
            return self.index
        check_may_wait()
        self.prepare()
        with self._lock:
            if not self._named:
                with self._comparing():
                    self.index.load_names()
                self._named = True
        return self.index

    def look_again(self) -> None:
        """If nobody watches the files, take in what other programs have written before the last call began.

        With more than 500 files, a change may be taken in later: comparing them takes at most a tenth of the time. A
        thread that must not wait takes in nothing, and so does one that cannot have the index for a second, because an
        edit holds it. The caller holds no lock, and the names are known.
        """
        is_recent = self._compared == self.calls or time.monotonic() < self._next_comparison
        if self._watched or is_recent or not may_wait():
            return
        if self._linked.is_set():
            with self._comparing():
                for _ in self._differing(patience_s=_BUSY_S):
                    pass
        elif self._loading.acquire(blocking=False):  # else another thread is reading the files just now
            try:
                with self._comparing():
                    self.take_in(None, patience_s=_BUSY_S)
            finally:
                self._loading.release()

    @contextlib.contextmanager
    def _comparing(self) -> Iterator[None]:
        """Remember which calls had begun before all files were compared in this block, and how long that took."""
        calls, began = self.calls, time.monotonic()
        yield
        ended = time.monotonic()
        self._compared = calls
        is_slow = len(self.index.catalog.rows) > _FEW
        self._next_comparison = ended + _REST * (ended - began) if is_slow else 0.0

    def wait_briefly_for_links(self) -> bool:
        """Prepare the vault for reading, and wait for the links of a small vault; return whether they are known."""
        expect(self._loading)
        if self._linked.is_set():
            return True
        self.prepare()
        check_may_wait()
        if self._starter:
            self._worth_no_wait.wait(_PATIENCE_S)
        return self._linked.is_set()

    def wait_for_links(self, seconds: float) -> bool:
        """Wait for some seconds at most until another thread has read the links; return whether they are known."""
        check_may_wait()
        return self._linked.wait(seconds)

    def need_links(self, progress: Progress | None = None) -> Index:
        """Return the complete index: build it in this thread, or wait for the thread that builds it.

        Do not call this while the thread holds the index. `progress` gets the number of notes read, and the number to
        read.
        """
        expect(self._loading)
        while not self._linked.is_set():
            check_may_wait()
            self.check_open()
            if self._loading.acquire(timeout=_REPORT_S):
                try:
                    if not self._linked.is_set():
                        self._load(progress)
                finally:
                    self._loading.release()
            elif progress and self._done[1]:
                progress(*self._done)
        return self.index

    def derive(self, name: str, work: Derive) -> None:
        """Save the result of `work` with each snapshot of the graph: see `Index.restored`."""
        self._cache_writer.derive[name] = work

    def refresh(self) -> Changes:
        """Update the complete index from the whole vault; call the listeners, and return the changes."""
        self.need_links()
        with self._comparing():
            parts = list(self._differing())
        return Changes(*([path for part in parts for path in part[field]] for field in range(3)))

    def take_in(
        self,
        paths: Iterable[str] | None,
        written: Mapping[str, tuple[bytes, Stamp]] = {},
        *,
        patience_s: float = -1,
    ) -> Changes:
        """Update the index from some files and folders (None: all); call the listeners, return the changes.

        The calling thread may hold the index already. Unlike `refresh`, this does not pause for other threads.
        `written`: the bytes of files that this process has just written, and the stamps that they got then. If another
        thread holds the index for longer than `patience_s` (negative: for ever), nothing is taken in.
        """
        paths = None if paths is None else list(paths)
        unread = [path for path in paths or () if path not in written]
        ahead = self.index.read_ahead(unread)  # a very large note takes seconds: read it before taking the lock
        ahead |= self.index.rows_of(written)
        if not self._lock.acquire(timeout=patience_s):
            return Changes([], [], [])
        try:
            changes = self._refresh(paths, ahead)
            self._note(changes.all())
        finally:
            self._lock.release()
        names = [name_of(path) for path in changes.all() if is_note(path)]
        for listener in self._listeners if names else ():
            listener(names)
        return changes

    def stage(self, staged: Mapping[str, tuple[bytes, Stamp]]) -> None:
        """Update the index with files that this thread has staged; no listener is called before they are written."""
        with self._lock:
            self._refresh(staged, self.index.rows_of(staged))

    def _refresh(self, paths: Iterable[str] | None, ahead: Mapping[str, CatalogRow]) -> Changes:
        changes = self.index.refresh(paths, ahead)
        self.version += any(changes)
        for news in self._news:
            news.add(changes.all())
        return changes

    def freeze(self) -> None:
        """Exclude the data of a large vault from garbage collection.

        It has no reference cycles, and looking for them would repeatedly stop all threads.
        """
        if len(self.index.catalog.rows) > _FREEZE_FROM:
            self._frozen = True
            gc.freeze()

    def _start(self, watch: bool, poll: bool) -> None:
        early = False
        if self._store.has_more_files_than(_SMALL):
            self._worth_no_wait.set()
        if watch:
            self._watcher = Watcher(self._store.watched, self._follow, self._look, poll=poll)
            self._watcher.start()
            with self._lock:
                early = self._named
        with contextlib.suppress(Closed, NoVault):  # a later call raises it; the watcher notices if the vault is back
            self.need_links()
            if early:  # a call read the names before the watch began: find the changes since then
                self._follow()
        give_back()

    def _save(self) -> None:
        while not self._closed.is_set():
            idle = not self._unsaved.wait(_IDLE_S)
            if not (idle or self._closed.wait(_QUIET_S)):
                self._unsaved.clear()
            if not self._closed.is_set() and not self._cache_writer.save(idle=idle):
                self._unsaved.set()

    def _follow(self, paths: Iterable[str] | None = None) -> None:
        """Refresh changed files in the watcher's or the building thread; stop when the index is closed."""
        with contextlib.suppress(Closed):
            self.need_links()
            for _ in self._differing(paths):
                self.check_open()
            for work in self._afterwards:
                work()

    def _look(self) -> None:
        for look in self._looks:
            look()

    def _differing(self, paths: Iterable[str] | None = None, *, patience_s: float = -1) -> Iterator[Changes]:
        """Refresh changed files, a few at a time, so that other threads can take the lock; yield the changes."""
        if paths is None:
            suspects = self.index.suspects()  # scans all files, which needs no lock
        else:
            with self._lock:
                suspects = self.index.suspects(paths)
        for start in range(0, len(suspects), _SLICE):
            yield self.take_in(suspects[start : start + _SLICE], patience_s=patience_s)

    def _load(self, progress: Progress | None) -> None:
        """Fill the index. This needs no lock, because no other thread changes the index before it is filled."""
        with no_collector():
            index = self.need_names()
            saved = self._cache_writer.load()
            notes = index.take_rows(saved.rows)
            for done in index.read(notes):
                with self._lock:
                    self._cache_writer.note(notes[self._done[0] : done])
                self._done = (done, len(notes))
                self.check_open()
                if progress:
                    progress(*self._done)
            stale = index.build_graph(saved.snapshot)
            self._compare(saved.rows, notes)
            self.freeze()
        with self._lock:
            self._note(saved.rows.keys() - index.catalog.rows.keys(), stale)
            self._linked.set()
            self._worth_no_wait.set()

    def _compare(self, saved: Mapping[str, CatalogRow], read: Iterable[str]) -> None:
        """Report which of the notes that were read, or are gone, differ from the saved rows, if there are any."""
        rows = self.index.catalog.rows
        if self.on_loaded:
            paths = [path for path in read if _etag(rows.get(path)) != _etag(saved.get(path))] if saved else []
            self.on_loaded(
                {path: (saved.get(path), rows.get(path)) for path in (*paths, *(saved.keys() - rows.keys()))}
            )

    def _note(self, paths: Iterable[str], stale: int | None = None) -> None:
        """Mark files to be saved soon."""
        self._cache_writer.note(paths, stale)
        self._unsaved.set()


def _etag(row: CatalogRow | None) -> str | None:
    return row.etag if row else None
