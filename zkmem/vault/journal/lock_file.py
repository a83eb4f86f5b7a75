"""A lock between processes, on a file of its own.

Taking and releasing it takes six calls of Linux or macOS, which have `flock`. `filelock` takes 25, and a tenth of the
time of an edit.
"""

import os
import time

from zkmem.vault import platform

_POLL_S = 0.001  # about as long as an edit takes


class LockFile:
    """A lock on a file: at most one `LockFile` of any process holds it. The system releases it when the process ends.

    Only one thread at a time may use the object. The file is open only while the lock is held, so that the disk can be
    unmounted.
    """

    def __init__(self, full: str) -> None:
        """Prepare a lock on the file at `full`; `acquire` makes the file if it is missing."""
        self._full = full
        self._handle = -1  # -1 while the lock is not held

    def acquire(self, timeout_s: float) -> bool:
        """Take the lock; return False if another holder still has it after `timeout_s` seconds."""
        deadline = time.monotonic() + timeout_s
        while not self._take():
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_S)
        return True

    def release(self) -> None:
        """Let go of the lock."""
        handle, self._handle = self._handle, -1
        try:
            platform.current.unlock(handle)  # a forked process may have a copy of the handle, and keep it open
        finally:
            os.close(handle)

    def write(self, data: bytes) -> None:
        """Replace the beginning of the file. The lock must be held."""
        platform.current.write_at(self._handle, data, 0)

    def _take(self) -> bool:
        """Take the lock if it is free; return whether that succeeded."""
        handle = self._opened()
        try:
            # a file that was replaced does not count: others lock the new one
            if platform.current.try_lock(handle) and platform.current.is_at(self._full, handle):
                self._handle = handle
        except FileNotFoundError:
            pass
        finally:
            if self._handle != handle:
                os.close(handle)
        return self._handle == handle

    def _opened(self) -> int:
        """Open the file, make it if it is missing, and return its handle."""
        how = os.O_RDWR | platform.current.wait_free  # a FIFO must not hang the process
        try:
            return platform.current.opened(self._full, how)
        except FileNotFoundError:
            return platform.current.opened(self._full, how | os.O_CREAT)
