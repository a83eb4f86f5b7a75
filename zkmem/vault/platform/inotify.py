"""Adapt watchdog's observer for Linux to a vault. This uses internal classes of watchdog 7.1; tests check it.

- Hidden files and folders are not watched: the journal, which changes with each edit, and git's objects would cause
  more events than all notes.
- A move of a file counts as a removal and a creation. To pair the two events, watchdog takes time quadratic in the
  number of moves.
- A move of a folder delays the events after it by 10 ms only, not by half a second.
- A folder that is unmounted counts as deleted; otherwise no event would report it.
- The reading of events pauses briefly while this process makes an edit: see `Pause` in `zkmem.vault.watch`.
- The thread that reads the events does not die of a KeyError in this case: a folder is moved out of the vault, another
  folder takes its place, and the first one is deleted later.
"""

import contextlib
import os

from watchdog.observers.inotify import InotifyEmitter, InotifyObserver, InotifyWatchGroup
from watchdog.observers.inotify_c import InotifyConstants, InotifyEvent, Mask, WatchDescriptor
from watchdog.observers.inotify_move_event_grouper import InotifyMoveEventGrouper, PathedInotifyEvent

from zkmem.vault.paths import is_hidden
from zkmem.vault.watch import own_edits


class VaultObserver(InotifyObserver):
    """An observer of folders that ignores hidden files and folders in them."""

    def __init__(self) -> None:
        super().__init__()
        self._emitter_class = _Emitter


_FOLDER_DELETED = Mask(InotifyConstants.IN_DELETE | InotifyConstants.IN_ISDIR)


class _Emitter(InotifyEmitter):
    def on_thread_start(self) -> None:
        self._inotify = _WatchGroup(
            self._inotify_fd,
            os.fsencode(self.watch.path),
            is_recursive=self.watch.is_recursive,
            event_mask=self.get_event_mask_from_filter(),
        )


class _Grouper(InotifyMoveEventGrouper):
    delay = 0.01  # if only one half of a move arrives in time, a removal and a creation report the move as well


class _WatchGroup(InotifyWatchGroup):
    def __post_init__(self) -> None:
        self._move_event_grouper = _Grouper()
        super().__post_init__()

    def on_event(self, event: InotifyEvent) -> None:
        own_edits.wait()
        if event.is_moved_from and not event.is_directory:
            event = InotifyEvent(event.wd, InotifyConstants.IN_DELETE, 0, event.name)
        elif event.is_moved_to and not event.is_directory:
            event = InotifyEvent(event.wd, InotifyConstants.IN_CREATE, 0, event.name)
        super().on_event(event)

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        path = self._active_callbacks_by_watch.get(wd)
        super().on_watch_deleted(wd)
        if path is not None:
            self._move_event_grouper.put_event(PathedInotifyEvent(InotifyEvent(wd, _FOLDER_DELETED, 0, b""), path))

    def _add_callback(self, path: bytes) -> None:
        if not is_hidden(os.fsdecode(path[len(self.path) :].lstrip(b"/"))):
            super()._add_callback(path)

    def _remove_watch_internally(self, wd: WatchDescriptor) -> None:
        with contextlib.suppress(KeyError):
            super()._remove_watch_internally(wd)
