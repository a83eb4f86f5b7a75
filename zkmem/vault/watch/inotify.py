"""watchdog's observer for Linux, fitted to a vault. It builds on the insides of watchdog 7.1; tests hold it to them.

- What is hidden is not watched: the journal's folder, which comes and goes with each edit, and git's objects would cost
  more events than all notes.
- A move holds back the events after it for a moment only, not for half a second.
- A folder that is unmounted counts as deleted; else nothing would tell.
- No event is read while this process makes an edit: see `zkmem.vault.watch.pause`.
- The thread that reads the events does not die of a KeyError when a folder that was moved out, and whose place another
  one took, is deleted later on.
"""

import contextlib
import os

from watchdog.observers.inotify import InotifyEmitter, InotifyObserver, InotifyWatchGroup
from watchdog.observers.inotify_c import InotifyConstants, InotifyEvent, Mask, WatchDescriptor
from watchdog.observers.inotify_move_event_grouper import InotifyMoveEventGrouper, PathedInotifyEvent

from zkmem.vault.paths import is_hidden
from zkmem.vault.watch.pause import own_edits


class VaultObserver(InotifyObserver):
    """An observer of folders without what is hidden in them."""

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
    delay = 0.01  # where the two halves of a move come apart, they are as good as a removal and a creation


class _WatchGroup(InotifyWatchGroup):
    def __post_init__(self) -> None:
        self._move_event_grouper = _Grouper()
        super().__post_init__()

    def on_event(self, event: InotifyEvent) -> None:
        own_edits.wait()
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
