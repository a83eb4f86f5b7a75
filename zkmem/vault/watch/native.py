"""The system's own watch on a folder and all below it, through watchdog."""

import logging
import os
import sys
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

from zkmem.vault.paths import is_hidden

if sys.platform == "linux":
    from zkmem.vault.watch.inotify import VaultObserver as Observer
else:
    from watchdog.observers import Observer

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
if sys.platform != "linux":  # no close events there
    _EVENTS.append(FileModifiedEvent)

_inotify_log = logging.getLogger("watchdog.observers.inotify_c")


class NativeWatch:
    """Calls `note` with each path that an event names, relative to the folder, and `lose` when more may have changed.

    After `lose` a new watch is due. It is about the folder that was at `root` when it began: one that is put there
    later is not watched. Nothing is told of what is hidden.
    """

    def __init__(self, root: str, note: Callable[[str], None], lose: Callable[[], None]) -> None:
        """Begin; changes from now on will be seen.

        Raises:
            OSError: when the folder cannot be watched, or not all below it.
        """
        # watchdog 7.1 adds some new folders twice, and says so on stderr: harmless, and nothing a user can act on
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        self._overflow = _Overflow(lose)
        self._observer = Observer()
        self._observer.schedule(_Handler(root, note, lose), root, recursive=True, event_filter=_EVENTS)
        _inotify_log.addHandler(self._overflow)
        if not _inotify_log.isEnabledFor(logging.WARNING):
            _inotify_log.setLevel(logging.WARNING)
        # of events that come while a watch ends, and of repairs that a new watch makes needless
        logging.getLogger("watchdog.observers.inotify").setLevel(logging.CRITICAL)
        try:
            self._observer.start()
            if sys.platform == "linux":
                self._one_more()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End, and wait for watchdog's threads."""
        _inotify_log.removeHandler(self._overflow)
        self._observer.stop()  # one that failed to start has a thread already
        if self._observer.is_alive():
            self._observer.join()

    def _one_more(self) -> None:
        """Watch one folder more, and no longer: where the limit is reached, watchdog leaves out folders in silence."""
        watch = self._observer.schedule(FileSystemEventHandler(), os.sep, event_filter=[DirDeletedEvent])
        self._observer.unschedule(watch)


class _Handler(FileSystemEventHandler):
    """Passes on every path that an event names."""

    def __init__(self, root: str, note: Callable[[str], None], lose: Callable[[], None]) -> None:
        self._root = root
        self._above = root.rstrip(os.sep) + os.sep
        self._note = note
        self._lose = lose

    def on_any_event(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            full = os.fsdecode(path)
            if not full:
                continue
            if full == self._root:  # it was deleted: no more events will come
                self._lose()
                continue
            relative = full.removeprefix(self._above).replace(os.sep, "/")
            if is_hidden(relative):
                continue
            # watchdog 7.1 loses track where folders are moved about; one that was moved out counts as deleted
            if isinstance(event, DirMovedEvent | DirDeletedEvent):
                self._lose()
            self._note(relative)


class _Overflow(logging.Handler):
    """watchdog tells of lost events only in its log."""

    def __init__(self, lose: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lose = lose

    def emit(self, _record: logging.LogRecord) -> None:
        self._lose()
