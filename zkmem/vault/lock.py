"""The lock between processes: held while an edit is planned and applied, never while waiting for anybody."""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from zkmem.errors import Busy
from zkmem.vault.files import write_all
from zkmem.vault.state import State, unwritable

if TYPE_CHECKING:
    from filelock import FileLock

_POLL_S = 0.001  # the lock is free for about as long between two edits of a busy process
_LONGEST = 200


class VaultLock:
    """One lock for each vault; the system frees it when its holder dies."""

    def __init__(self, state: State, timeout_s: float) -> None:
        self._state = state
        self._timeout_s = timeout_s
        self._threads = threading.Lock()  # in one process they need not poll for each other
        self._made: FileLock | None = None

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the lock. It cannot be taken twice by the same thread.

        Raises:
            Busy: when another holds it for longer than the timeout. NewerState, Unwritable: see `State.ensure`.
        """
        deadline = time.monotonic() + self._timeout_s
        if not self._threads.acquire(timeout=self._timeout_s):
            raise self._busy()
        try:
            self._acquire(deadline)
            try:
                yield
            finally:
                self._lock().release()
        finally:
            self._threads.release()

    def _acquire(self, deadline: float) -> None:
        from filelock import Timeout  # noqa: PLC0415 - 50 ms that no reader needs

        self._state.ensure()
        try:
            self._lock().acquire(timeout=max(0.0, deadline - time.monotonic()))
        except Timeout:
            raise self._busy() from None
        except OSError as error:  # no flock on this file system, or no right to the file
            raise unwritable(error) from error
        try:
            self._state.ensure()  # a newer zkmem may have held it until now
        except BaseException:
            self._lock().release()
            raise

    def _lock(self) -> "FileLock":
        if self._made is None:
            from filelock import FileLock  # noqa: PLC0415

            self._made = FileLock(
                self._state.path("lock"),
                thread_local=False,
                poll_interval=_POLL_S,
                fallback_to_soft=False,  # a lock that outlives its holder would lock everybody out
                preserve_lock_file=True,
                on_acquired=_sign,
            )
        return self._made

    def _busy(self) -> Busy:
        try:
            with open(self._state.path("lock"), encoding="utf-8", errors="replace") as file:
                holder = file.read(_LONGEST).strip()
        except OSError:
            holder = ""
        return Busy(
            f"Another edit holds the vault for more than {self._timeout_s:g} s ({holder or 'holder unknown'}); nothing "
            "was changed. Try again; if that process hangs, end it."
        )


def _sign(handle: int) -> None:
    """Write into the lock file who holds it."""
    os.ftruncate(handle, 0)
    os.lseek(handle, 0, os.SEEK_SET)
    write_all(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
