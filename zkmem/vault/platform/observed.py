"""Watch a folder and its subfolders through the events of Linux (inotify) or macOS (FSEvents), with watchdog."""

import logging
import os
import sys
import warnings

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

from zkmem.vault.paths import is_hidden
from zkmem.vault.platform.interface import WatchedChanges

if sys.platform == "linux":
    from zkmem.vault.platform.inotify import VaultObserver as Observer
else:
    from watchdog.observers import Observer

# Events for reading a file are not in this list: with them, a large checkout would overflow the queue.
_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileClosedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
]
if sys.platform != "linux":  # no close events there
    _EVENTS.append(FileModifiedEvent)

_inotify_log = logging.getLogger("watchdog.observers.inotify_c")


class ObservedFolder:
    """A watch, as `Platform.watch` describes it."""

    def __init__(self, root: str, changes: WatchedChanges) -> None:
        """Start the watch."""
        # watchdog 7.1 adds some new folders twice and warns about it on stderr; the user can do nothing about that
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        self._overflow = _Overflow(changes)
        self._observer = Observer()
        self._observer.schedule(_Handler(root, changes), root, recursive=True, event_filter=_EVENTS)
        _inotify_log.addHandler(self._overflow)
        if not _inotify_log.isEnabledFor(logging.WARNING):
            _inotify_log.setLevel(logging.WARNING)
        # it warns about events that come while a watch ends, and about repairs that a new watch makes unnecessary
        logging.getLogger("watchdog.observers.inotify").setLevel(logging.CRITICAL)
        try:
            self._observer.start()
            if sys.platform == "linux":
                self._one_more()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the watch, and wait for watchdog's threads."""
        _inotify_log.removeHandler(self._overflow)
        self._observer.stop()  # an observer that failed to start already has a thread
        if self._observer.is_alive():
            self._observer.join()

    def _one_more(self) -> None:
        """Watch one more folder for a moment. This fails at the system's limit, which watchdog does not report."""
        watch = self._observer.schedule(FileSystemEventHandler(), os.sep, event_filter=[DirDeletedEvent])
        self._observer.unschedule(watch)


class _Handler(FileSystemEventHandler):
    """Passes on every path in an event."""

    def __init__(self, root: str, changes: WatchedChanges) -> None:
        self._root = root
        self._above = root.rstrip(os.sep) + os.sep
        self._changes = changes

    def on_any_event(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            full = os.fsdecode(path)
            if not full:
                continue
            if full == self._root:  # it was deleted: no more events will come
                self._changes.lose()
                continue
            relative = full.removeprefix(self._above).replace(os.sep, "/")
            if is_hidden(relative):
                continue
            # watchdog 7.1 loses track of folders that are moved; a folder moved out of the vault counts as deleted
            if isinstance(event, DirMovedEvent | DirDeletedEvent):
                self._changes.lose()
            self._changes.add(relative)


class _Overflow(logging.Handler):
    """A log handler that notices lost events: watchdog reports them only in its log."""

    def __init__(self, changes: WatchedChanges) -> None:
        super().__init__(logging.WARNING)
        self._changes = changes

    def emit(self, _record: logging.LogRecord) -> None:
        self._changes.lose()
