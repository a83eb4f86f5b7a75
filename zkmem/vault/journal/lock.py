"""The locks between processes.

A process holds the lock of a vault while it plans and applies an edit, and never while it waits.
"""

import contextlib
import functools
import os
import time
from collections.abc import Callable, Iterator

from zkmem.errors import Busy
from zkmem.util.locks import Rank, expect, lock
from zkmem.vault import platform
from zkmem.vault.journal.state import StateFolder, unwritable

_POLL_S = 0.001  # about as long as an edit takes
_TURN_S = 0.01  # until this process may take the lock again without the turn: others get it in between
_LINE = 120  # characters of the line about the holder, padded with blanks


class LockFile:
    """A lock on a file: at most one `LockFile` of any process holds it. The system releases it when the process ends.

    Only one thread at a time may use the object. The file is open only while the lock is held, so that the disk can be
    unmounted. Taking and releasing the lock takes six system calls on Linux and macOS. `filelock` would make 25, which
    would take a tenth of the time of an edit.
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
            # if the file was replaced, other processes lock the new file
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
        flags = os.O_RDWR | platform.current.wait_free  # a FIFO must not hang the process
        try:
            return platform.current.opened(self._full, flags)
        except FileNotFoundError:
            return platform.current.opened(self._full, flags | os.O_CREAT)


class VaultLock:
    """The lock of a vault. The system releases it when its holder ends.

    A process that waits takes a second lock, the *turn*, and holds it until it has this lock. A process with many
    edits in a row must take the turn too, so it cannot keep the others out. The time-out counts from the last edit of
    any process.
    """

    def __init__(self, state: StateFolder, timeout_s: float) -> None:
        self._state = state
        self.timeout_s = timeout_s
        self._threads = lock(Rank.VAULT)  # threads of one process wait here, without polling
        self._turn, self._lock = LockFile(state.path("turn")), LockFile(state.path("lock"))
        self._held = 0
        self._released = -_TURN_S

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the lock in this block. A thread that holds it cannot take it again."""
        self._wait_for(lambda seconds: self._threads.acquire(timeout=seconds))
        try:
            self._acquire()
            try:
                self._state.check_format()  # a newer zkmem may have held the lock until now
                yield
            finally:
                self._lock.release()
                self._released = time.monotonic()
        finally:
            self._threads.release()

    def expect(self) -> None:
        """Check that this thread may take the lock here."""
        expect(self._threads)

    def busy(self) -> Busy:
        """Return the error for an edit that has waited too long."""
        holder = self._holder() or "its holder is not known"
        return Busy(
            f"Another edit has held the vault for more than {self.timeout_s:g} s ({holder}); nothing was changed. "
            "Try again; if that process hangs, end it."
        )

    def _acquire(self) -> None:
        """Take the lock, and write into its file who holds it.

        Take the turn first if this process has just held the lock, or if another one holds it.
        """
        self._state.ensure()
        may_skip_turn = time.monotonic() > self._released + _TURN_S
        try:
            if not (may_skip_turn and self._lock.acquire(0)):
                self._wait_for(self._turn.acquire)
                try:
                    self._wait_for(self._lock.acquire)
                finally:
                    self._turn.release()
            self._sign()
        except OSError as error:  # no locks on this file system, or no right to the file
            raise unwritable(error) from error

    def _sign(self) -> None:
        """Write into the lock file which process holds the lock, and for which edit."""
        self._held += 1
        line = f"process {os.getpid()} on {_host()}, its edit {self._held}".encode()
        try:
            self._lock.write(line[: _LINE - 1].ljust(_LINE - 1) + b"\n")
        except BaseException:
            self._lock.release()
            raise

    def _wait_for(self, acquire: Callable[[float], bool]) -> None:
        """Call `acquire` until it succeeds; give up when no other edit has finished within the time-out."""
        if acquire(0):
            return
        holder = self._holder()
        while not acquire(self.timeout_s):
            before, holder = holder, self._holder()
            if holder == before:
                raise self.busy()

    def _holder(self) -> str:
        """Return which process holds the lock, and for which edit; "" if that is not known."""
        try:
            with open(
                self._state.path("lock"), encoding="utf-8", errors="replace", opener=platform.current.opened
            ) as file:
                return file.read(_LINE).strip()
        except OSError:
            return ""


@functools.cache
def _host() -> str:
    from socket import gethostname  # noqa: PLC0415 - hooks lock files, too, and must start fast

    return gethostname()
