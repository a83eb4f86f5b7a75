"""An index with a life: built beside the calls that do not need all of it, kept in step with edits by hand.

It has two stages. Once the names are known, notes can be found and read; once the links are, everything can be asked.
"""

import contextlib
import functools
import gc
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from zkmem.errors import Closed, NoVault
from zkmem.index.catalog import Changes
from zkmem.index.store.database import Cache, cache_file
from zkmem.index.store.snapshot import Derive
from zkmem.index.store.writer import PATIENCE_MS, CacheWriter
from zkmem.index.sync import Index, Progress
from zkmem.names import is_note, name_of
from zkmem.util.locks import Rank, expect, lock
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from zkmem.vault.watch.watcher import Watcher

_SMALL = 5_000  # files of a vault whose links a read waits for
_PATIENCE_S = 2.0  # of such a read, say on a slow disk
_PAUSE_S = 0.0005  # without the pause, the thread that releases the lock would take it again at once
_SLICE = 64  # notes taken in before others get their turn at the lock
_QUIET_S = 2.0  # after a change, before it is saved in the cache: there may be more
_IDLE_S = 60.0  # without any change, after which there is time for what takes longer
_LARGE = 10_000  # files
_TOLD_S = 0.2  # how often one who waits is told how far it is

Listener = Callable[[list[str]], object]
"""Gets the names of notes that changed, in any thread; must not wait for anything."""


class News:
    """The notes that have changed since somebody who derives something from them has looked last."""

    def __init__(self) -> None:
        self._changed: set[str] | None = None

    def add(self, paths: Iterable[str]) -> None:
        """Take note of changes."""
        if self._changed is not None:
            self._changed.update(filter(is_note, paths))

    def take(self) -> set[str] | None:
        """The paths of notes that were added, changed or removed since the last call; None, at first, for all."""
        changed, self._changed = self._changed, set()
        return changed


class Behind(Exception):
    """What is derived from the notes is behind the vault by too much to catch up while the index is held.

    `catch_up` does so without holding a lock for long.
    """

    def __init__(self, catch_up: Callable[[], None]) -> None:
        super().__init__("a table is behind the vault")
        self.catch_up = catch_up


class LiveIndex:
    """An index, its lock, and the threads that fill and refresh it.

    Only this class takes the lock of the index; others use `with_names`, `with_links` and `as_it_is`. So no thread
    can wait until the index is filled while it holds the lock that filling needs.
    """

    def __init__(self, store: Store, prepare: Callable[[], object] = lambda: None) -> None:
        """An index of what is in the store; `prepare` is called once, before anything is read."""
        self.index = Index(store, self.check_open)
        self._lock = lock(Rank.INDEX, reentrant=True)
        self.version = 0  # changes when the index does, whichever thread saw to it
        self._store = store
        self._prepare: Callable[[], object] | None = prepare
        self._named = False
        self._linked = threading.Event()
        self._worth_no_wait = threading.Event()  # the links are known, or the vault is large, or closed
        self._starting, self._preparing, self._loading = lock(Rank.LIFE), lock(Rank.PREPARE), lock(Rank.LOAD)
        self._closed = threading.Event()
        self._starter: threading.Thread | None = None
        self._saver: threading.Thread | None = None
        self._watcher: Watcher | None = None
        self._listeners: list[Listener] = []
        self._afterwards: list[Callable[[], object]] = []
        self._news: list[News] = []
        cache = Cache(functools.partial(cache_file, store.root), PATIENCE_MS)
        self._cache_writer = CacheWriter(self.index, self._lock, cache)
        self._unsaved = threading.Event()
        self._done = (0, 0)  # notes read, and to be read
        self._frozen = False  # the objects that are kept from the collector of cycles

    @property
    def named(self) -> bool:
        """Whether the names are known."""
        return self._named

    def start(self, *, watch: bool, poll: bool = False) -> None:
        """Begin to build the index, and to watch the vault, in threads; returns at once, and may be called again.

        With `poll` the vault is compared now and then, as if it gave no events.
        """
        with self._starting:
            if self._starter is None and not self._closed.is_set():
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
        """Check that the index is not being closed. Long work calls this now and then.

        Raises:
            Closed: when the index is being closed.
        """
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
        """Call `listener` whenever notes have changed, by whoever."""
        self._listeners.append(listener)

    def after_changes(self, work: Callable[[], object]) -> None:
        """Have the watcher's thread do some work after each change of files; it takes part of a second at most."""
        self._afterwards.append(work)

    def follow(self) -> News:
        """What is new in the index, for one who keeps something in step with it; to be read under the lock."""
        news = News()
        self._news.append(news)
        return news

    def prepare(self) -> None:
        """Make the vault fit to be read, if nobody has yet."""
        with self._preparing:
            if self._prepare:
                self._prepare()
                self._prepare = None

    @contextlib.contextmanager
    def with_names(self) -> Iterator[Index]:
        """Hold the index, with at least the names of all files in it."""
        self.need_names()
        with self._lock:
            yield self.index

    @contextlib.contextmanager
    def with_links(self, progress: Progress | None = None) -> Iterator[Index]:
        """Wait until the index is complete (see `need_links`), then hold it."""
        self.need_links(progress)
        with self._lock:
            yield self.index

    @contextlib.contextmanager
    def as_it_is(self) -> Iterator[Index]:
        """Hold the index, filled or not."""
        with self._lock:
            yield self.index

    def pause(self) -> None:
        """Release the index to other threads for a moment. This thread must hold it once, not twice.

        Raises:
            Closed: when the index is being closed.
        """
        self._lock.release()
        time.sleep(_PAUSE_S)
        self._lock.acquire()
        self.check_open()

    def need_names(self) -> Index:
        """Return the index once it holds at least the names of all files."""
        self.prepare()
        with self._lock:
            if not self._named:
                self.index.load_names(self._note_count)
                self._named = True
        return self.index

    def wait_briefly_for_links(self) -> bool:
        """Wait for the links of a small vault; return whether they are known. The vault can be read afterwards."""
        expect(self._loading)
        self.prepare()
        if self._starter:
            self._worth_no_wait.wait(_PATIENCE_S)
        return self._linked.is_set()

    def _note_count(self, files: int) -> None:
        """Take note that the vault has at least so many files."""
        if files > _SMALL:
            self._worth_no_wait.set()

    def need_links(self, progress: Progress | None = None) -> Index:
        """Return the complete index: build it in this thread, or wait for the thread that builds it.

        Must not be called while this thread holds the index. `progress` is called with how far the build is.

        Raises:
            Closed: when the index is closed before it is complete.
        """
        expect(self._loading)
        while not self._linked.is_set():
            self.check_open()
            if self._loading.acquire(timeout=_TOLD_S):
                try:
                    if not self._linked.is_set():
                        self._load(progress)
                finally:
                    self._loading.release()
            elif progress and self._done[1]:
                progress(*self._done)
        return self.index

    def derive(self, name: str, work: Derive) -> None:
        """Keep with each snapshot of the graph what `work` makes of it: see `Index.restored`."""
        self._cache_writer.derive[name] = work

    def refresh(self) -> Changes:
        """Bring the complete index up to the whole vault, and tell listeners what changed."""
        self.need_links()
        parts = list(self._differing())
        return Changes(*([path for part in parts for path in part[field]] for field in range(3)))

    def take_in(self, paths: Iterable[str] | None) -> Changes:
        """Bring the complete index up to some files and folders (None: to all), and tell listeners.

        The calling thread may hold the index already. `refresh` instead lets other threads in between.
        """
        paths = None if paths is None else list(paths)
        ahead = self.index.read_ahead(paths or ())  # a very large note takes seconds: read it before taking the lock
        with self._lock:
            changes = self.index.refresh(paths, ahead)
            self.version += any(changes)
            for news in self._news:
                news.add(changes.all())
            self._note(changes.all())
        names = [name_of(path) for path in changes.all() if is_note(path)]
        for listener in self._listeners if names else ():
            listener(names)
        return changes

    def freeze(self) -> None:
        """Exclude the data of a large vault from garbage collection.

        It has no garbage cycles, and looking for them would stop all threads now and then.
        """
        if len(self.index.catalog.rows) > _LARGE:
            self._frozen = True
            gc.freeze()

    def _start(self, watch: bool, poll: bool) -> None:
        early = False
        if watch:
            from zkmem.vault.watch.watcher import Watcher  # noqa: PLC0415 - only a server needs it

            self._watcher = Watcher(self._store.root, self._follow, poll=poll)
            self._watcher.start()
            with self._lock:
                early = self._named
        with contextlib.suppress(Closed, NoVault):  # a call will say so, and the watcher see the vault come back
            self.need_links()
            if early:  # a call was faster than the watcher: look again for what changed in between
                self._follow()

    def _save(self) -> None:
        while not self._closed.is_set():
            idle = not self._unsaved.wait(_IDLE_S)
            if not (idle or self._closed.wait(_QUIET_S)):
                self._unsaved.clear()
            if not self._closed.is_set() and not self._cache_writer.save(idle=idle):
                self._unsaved.set()

    def _follow(self, paths: Iterable[str] | None = None) -> None:
        """Take in what differs, in a thread that nobody waits for; stop when the index is closed."""
        with contextlib.suppress(Closed):
            self.need_links()
            for _ in self._differing(paths):
                self.check_open()
            for work in self._afterwards:
                work()

    def _differing(self, paths: Iterable[str] | None = None) -> Iterator[Changes]:
        """Take in what differs, a few files at a time, so that others get their turn at the lock."""
        if paths is None:
            suspects = self.index.suspects()  # looks at every file, and needs no lock for it
        else:
            with self._lock:
                suspects = self.index.suspects(paths)
        for start in range(0, len(suspects), _SLICE):
            yield self.take_in(suspects[start : start + _SLICE])

    def _load(self, progress: Progress | None) -> None:
        """Fill the index: nobody changes anything in it before that is done, so it takes no lock."""
        index = self.need_names()
        with no_collector():
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
            self.freeze()
        with self._lock:
            self._note([path for path in saved.rows if path not in index.catalog.rows], stale)
            self._linked.set()
            self._worth_no_wait.set()

    def _note(self, paths: Iterable[str], stale: int | None = None) -> None:
        """Have files saved soon."""
        self._cache_writer.note(paths, stale)
        self._unsaved.set()


@contextlib.contextmanager
def no_collector() -> Iterator[None]:
    """Keep the collector of cycles off what is made, which is much and has none."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
