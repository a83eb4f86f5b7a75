"""Watch a folder and its subfolders on Windows, with `ReadDirectoryChangesW`.

watchdog does not say when the system has lost changes, so zkmem reads them itself.
"""

import threading
from collections.abc import Callable

from zkmem.vault.paths import is_hidden
from zkmem.vault.platform import win32
from zkmem.vault.platform.interface import WatchedChanges
from zkmem.vault.platform.win32 import Failed, Pending, Win32
from zkmem.vault.watch import own_edits

_BUFFER = 64_000  # bytes; a network drive takes no more
_PATIENCE_S = 0.05  # how long `stop` waits for the thread before it cancels again


class WindowsWatch:
    """A watch, as `Platform.watch` describes it. `root` is a path as the system takes it."""

    def __init__(
        self,
        calls: Win32,
        root: str,
        is_folder: Callable[[str], bool],
        changes: WatchedChanges,
    ) -> None:
        """Start the watch. `is_folder` says of a path below `root` whether it is a folder."""
        self._calls = calls
        self._is_folder = is_folder
        self._changes = changes
        self._stopped = False
        flags = win32.FOLDER_TOO | win32.OPEN_LINK | win32.OVERLAPPED
        self._handle = calls.create_file(root, win32.READ_DATA, win32.SHARE_ALL, win32.OPEN_EXISTING, flags)
        try:
            pending = calls.begin_changes(self._handle, _BUFFER)
        except Failed:
            calls.close(self._handle)
            raise
        self._thread = threading.Thread(target=self._run, args=(pending,), name="zkmem-changes", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the watch, and wait for its thread."""
        self._stopped = True
        while self._thread.is_alive():  # it may make a new request just after a call of `cancel`
            self._calls.cancel(self._handle)
            self._thread.join(_PATIENCE_S)
        self._calls.close(self._handle)

    def _run(self, pending: Pending) -> None:
        """Read changes until a request fails, as it does after `cancel`: no pending one may be dropped."""
        while True:
            try:
                changes = self._calls.finish_changes(self._handle, pending)
                own_edits.wait()
                pending = self._calls.begin_changes(self._handle, _BUFFER)
            except Failed:
                if not self._stopped:  # the folder is gone, or the system has lost the list
                    self._changes.lose()
                return
            if not changes:  # there were too many
                self._changes.lose()
            for action, name in changes:
                self._take(action, name.replace("\\", "/"))

    def _take(self, action: int, path: str) -> None:
        """Pass on the path of a change, unless it only says that something in a folder has changed."""
        if not is_hidden(path) and not (action == win32.MODIFIED and self._is_folder(path)):
            self._changes.add(path)
