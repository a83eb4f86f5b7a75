"""An index with a life: built beside the calls that do not need all of it, kept in step with edits by hand.

It has two stages. Once the names are known, notes can be found and read; once the links are, everything can be asked.
"""

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from zkmem.errors import Closed, NoVault
from zkmem.index.sync import Changes, Index, Progress
from zkmem.vault.names import is_note, name_of
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from zkmem.vault.watch import Watcher

_PATIENCE_S = 0.1
_SLICE = 64  # notes read before others get their turn at the lock

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
        self._prepare = prepare
        self._named = False
        self._linked = threading.Event()
        self._starting, self._loading = threading.Lock(), threading.Lock()
        self._closed = threading.Event()
        self._starter: threading.Thread | None = None
        self._watcher: Watcher | None = None
        self._listeners: list[Listener] = []
        self._news: list[News] = []

    def start(self, *, watch: bool, poll: bool = False) -> None:
        """Begin to build the index, and to watch the vault, in threads; returns at once, and may be called again.

        With `poll` the vault is compared now and then, as if it gave no events.
        """
        with self._starting:
            if self._starter is None and not self._closed.is_set():
                self._starter = threading.Thread(target=self._start, args=(watch, poll), name="zkmem-load", daemon=True)
                self._starter.start()

    def close(self) -> None:
        """Stop building and watching, and wait for the threads."""
        with self._starting:
            self._closed.set()
        if self._starter:
            self._starter.join()
        if self._watcher:
            self._watcher.stop()
            self._watcher = None

    def listen(self, listener: Listener) -> None:
        """Call `listener` whenever notes have changed, by whoever."""
        self._listeners.append(listener)

    def follow(self) -> News:
        """What is new in the index, for one who keeps something in step with it; to be read under the lock."""
        news = News()
        self._news.append(news)
        return news

    def need_names(self) -> Index:
        """The index, with at least the names of all files in it."""
        with self.lock:
            if not self._named:
                self._prepare()
                self.index.load_names()
                self._named = True
        return self.index

    def hope_for_links(self) -> Index:
        """The index, with its names; with its links too if a thread that builds them is all but done."""
        if self._starter:
            self._linked.wait(_PATIENCE_S)
        return self.need_names()

    def need_links(self, progress: Progress | None = None) -> Index:
        """The index, complete; builds it here and now if no thread has."""
        if not self._linked.is_set():
            with self._loading:
                if not self._linked.is_set():
                    self._load(progress)
        return self.index

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
        with self.lock:
            changes = self.index.refresh(paths)
            self.version += any(changes)
            for news in self._news:
                news.add(changes.all())
        names = [name_of(path) for path in changes.all() if is_note(path)]
        for listener in self._listeners if names else ():
            listener(names)
        return changes

    def _load(self, progress: Progress | None) -> None:
        notes = list(self.need_names().catalog.notes())
        for start in range(0, len(notes), _SLICE):
            if self._closed.is_set():
                raise Closed("The server is stopping; nothing was changed.")
            with self.lock:
                for path in notes[start : start + _SLICE]:
                    self.index.read(path)
            if progress:
                progress(min(start + _SLICE, len(notes)), len(notes))
        with self.lock:
            self.index.build_graph()
            self._linked.set()
