"""Changes made by hand: watchdog's events, gathered into batches of paths."""

import logging
import os
import threading
import time
import warnings
from collections.abc import Callable

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.polling import PollingObserver

from zkmem.vault.paths import is_hidden

QUIET_S = 0.05
LATEST_S = 0.5
RESCAN_S = 300.0

# Reading a file is an event too, unless it is left out here: then a large checkout overflows the queue.
_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileClosedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
]
if os.uname().sysname != "Linux":  # no close events there
    _EVENTS.append(FileModifiedEvent)

_log = logging.getLogger(__name__)

OnChange = Callable[[list[str] | None], object]
"""Gets the paths that changed, files and folders; None when events were lost and anything may have."""


def watching(root: str, on_change: OnChange) -> "Watcher":
    """A watcher that has started: a native one, or one that polls where the system gives none."""
    watcher = Watcher(root, on_change)
    try:
        watcher.start()
    except OSError as error:  # the limit of inotify watches, most likely
        _log.warning("no native watch of the vault (%s); polling instead", error)
        watcher = Watcher(root, on_change, poll=True)
        watcher.start()
    return watcher


class Watcher:
    """Watches a vault and hands over what changed, in its own thread, until it is stopped."""

    def __init__(self, root: str, on_change: OnChange, *, poll: bool = False) -> None:
        self._root = root
        self._on_change = on_change
        self._observer = PollingObserver() if poll else Observer()
        self._paths: set[str] = set()
        self._lost = False
        self._first = self._last = 0.0
        self._rescan_at = time.monotonic() + RESCAN_S
        self._wake = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._deliver, name="zkmem-watch", daemon=True)
        self._overflow = _Overflow(self._lose)

    def start(self) -> None:
        """Begin; changes from now on will be seen."""
        # watchdog 7.1 adds some new folders twice, and says so on stderr: harmless, and nothing a user can act on
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        handler = _Handler(self._note)
        self._observer.schedule(handler, self._root, recursive=True, event_filter=_EVENTS)
        logging.getLogger("watchdog.observers.inotify_c").addHandler(self._overflow)
        self._observer.start()
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for both threads."""
        with self._wake:
            self._stopped = True
            self._wake.notify()
        logging.getLogger("watchdog.observers.inotify_c").removeHandler(self._overflow)
        self._observer.stop()
        self._observer.join()
        self._thread.join()

    def _note(self, full: str) -> None:
        path = os.path.relpath(full, self._root).replace(os.sep, "/")
        if path == "." or not is_hidden(path):
            with self._wake:
                self._add("" if path == "." else path)

    def _lose(self) -> None:
        with self._wake:
            self._lost = True
            self._add(None)

    def _add(self, path: str | None) -> None:
        now = time.monotonic()
        if not self._paths and not self._last:
            self._first = now
        self._last = now
        if path is not None:
            self._paths.add(path)
        self._wake.notify()

    def _deliver(self) -> None:
        while True:
            with self._wake:
                if not self._last:
                    self._wake.wait(max(0.0, self._rescan_at - time.monotonic()))
                while self._last and not self._stopped and (rest := self._quiet_in()) > 0:
                    self._wake.wait(rest)
                if self._stopped:
                    return
                if time.monotonic() >= self._rescan_at:  # events can get lost without a sign
                    self._lost, self._rescan_at = True, time.monotonic() + RESCAN_S
                paths = None if self._lost else sorted(self._paths)
                self._paths, self._lost, self._last = set(), False, 0.0
            if paths != []:
                self._hand_over(paths)

    def _quiet_in(self) -> float:
        """Seconds until the batch is due: after a quiet moment, or when its first event is old enough."""
        return min(self._last + QUIET_S, self._first + LATEST_S) - time.monotonic()

    def _hand_over(self, paths: list[str] | None) -> None:
        try:
            self._on_change(paths)
        except Exception:  # noqa: BLE001 - the thread must live on; the vault is compared as a whole next time
            _log.exception("changes could not be taken in; the next ones bring a comparison with the whole vault")
            with self._wake:
                self._lost = True


class _Handler(FileSystemEventHandler):
    """Passes on every path that an event names."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    def on_any_event(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            if path:
                self._note(os.fsdecode(path))


class _Overflow(logging.Handler):
    """watchdog tells of lost events only in its log."""

    def __init__(self, lose: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lose = lose

    def emit(self, _record: logging.LogRecord) -> None:
        self._lose()
