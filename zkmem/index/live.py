"""An index with a life: built beside the calls that do not need all of it, kept in step with edits by hand.

It has two stages. Once the names are known, notes can be found and read; once the links are, everything can be asked.
"""

import contextlib
import functools
import gc
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from zkmem.errors import Closed, NoVault
from zkmem.index.cache import Cache, cache_file
from zkmem.index.catalog import Changes
from zkmem.index.keeper import PATIENCE_MS, Keeper
from zkmem.index.snapshot import Derive
from zkmem.index.sync import Index, Progress
from zkmem.vault.names import is_note, name_of
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from zkmem.vault.watch import Watcher

_PATIENCE_S = 0.05  # of a read, for links that are all but known
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


class LiveIndex:
    """An index, its lock, and the threads that fill and refresh it."""

    def __init__(self, store: Store, prepare: Callable[[], object] = lambda: None) -> None:
        """An index of what is in the store; `prepare` is called once, before anything is read."""
        self.index = Index(store)
        self.lock = threading.RLock()
        self.version = 0  # changes when the index does, whichever thread saw to it
        self._store = store
        self._prepare: Callable[[], object] | None = prepare
        self._named = False
        self._linked = threading.Event()
        self._starting, self._preparing, self._loading = threading.Lock(), threading.Lock(), threading.Lock()
        self._closed = threading.Event()
        self._starter: threading.Thread | None = None
        self._saver: threading.Thread | None = None
        self._watcher: Watcher | None = None
        self._listeners: list[Listener] = []
        self._news: list[News] = []
        self._keeper = Keeper(self.index, self.lock, Cache(functools.partial(cache_file, store.root), PATIENCE_MS))
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
        self._keeper.close()
        if self._frozen:
            gc.unfreeze()

    def listen(self, listener: Listener) -> None:
        """Call `listener` whenever notes have changed, by whoever."""
        self._listeners.append(listener)

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

    def need_names(self) -> Index:
        """The index, with at least the names of all files in it."""
        self.prepare()
        with self.lock:
            if not self._named:
                self.index.load_names()
                self._named = True
        return self.index

    def hope_for_links(self) -> bool:
        """Whether the links are known, by now or in a moment; at least the vault is fit to be read then."""
        self.prepare()
        return self._linked.wait(_PATIENCE_S if self._starter else 0)

    def need_links(self, progress: Progress | None = None) -> Index:
        """The index, complete; builds it here and now, or waits for the thread that does, and tells how far it is."""
        while not self._linked.is_set():
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
        self._keeper.derive[name] = work

    def refresh(self, paths: Iterable[str] | None = None) -> Changes:
        """Bring the index up to the vault, for some files and folders or (with None) for all, and tell listeners."""
        self.need_links()
        parts = list(self._differing()) if paths is None else [self._take_in(paths)]
        return Changes(*([path for part in parts for path in part[field]] for field in range(3)))

    def _start(self, watch: bool, poll: bool) -> None:
        early = False
        if watch:
            from zkmem.vault.watch import Watcher  # noqa: PLC0415 - only a server needs it

            self._watcher = Watcher(self._store.root, self._follow, poll=poll)
            self._watcher.start()
            with self.lock:
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
            if not self._closed.is_set() and not self._keeper.save(idle=idle):
                self._unsaved.set()

    def _follow(self, paths: Iterable[str] | None = None) -> None:
        """The same as a refresh, for a thread that nobody waits for; given up when the index is closed."""
        with contextlib.suppress(Closed):
            self.need_links()
            for _ in self._differing(paths):
                if self._closed.is_set():
                    return

    def _differing(self, paths: Iterable[str] | None = None) -> Iterator[Changes]:
        """Take in what differs, a few files at a time, so that others get their turn at the lock."""
        if paths is None:
            suspects = self.index.suspects()  # looks at every file, and needs no lock for it
        else:
            with self.lock:
                suspects = self.index.suspects(paths)
        for start in range(0, len(suspects), _SLICE):
            yield self._take_in(suspects[start : start + _SLICE])

    def _take_in(self, paths: Iterable[str]) -> Changes:
        paths = list(paths)
        ahead = self.index.read_ahead(paths)  # seconds for a very large note, in which others need not wait
        with self.lock:
            changes = self.index.refresh(paths, ahead)
            self.version += any(changes)
            for news in self._news:
                news.add(changes.all())
            self._note(changes.all())
        names = [name_of(path) for path in changes.all() if is_note(path)]
        for listener in self._listeners if names else ():
            listener(names)
        return changes

    def _load(self, progress: Progress | None) -> None:
        """Fill the index: nobody changes anything in it before that is done, so it takes no lock."""
        index = self.need_names()
        with _no_collector():
            saved = self._keeper.load()
            notes = index.take_rows(saved.rows)
            for done in index.read(notes):
                with self.lock:
                    self._keeper.note(notes[self._done[0] : done])
                self._done = (done, len(notes))
                if self._closed.is_set():
                    raise Closed("The server is stopping; nothing was changed.")
                if progress:
                    progress(*self._done)
            stale = index.build_graph(saved.snapshot)
            if len(index.catalog.rows) > _LARGE:
                self._frozen = True
                gc.freeze()  # to look through all of it would stop all threads now and then, and find nothing
        with self.lock:
            self._note([path for path in saved.rows if path not in index.catalog.rows], stale)
            self._linked.set()

    def _note(self, paths: Iterable[str], stale: int | None = None) -> None:
        """Have files saved soon."""
        self._keeper.note(paths, stale)
        self._unsaved.set()


@contextlib.contextmanager
def _no_collector() -> Iterator[None]:
    """Keep the collector of cycles off what is made, which is much and has none."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
