"""The lock between processes. A process holds it while it plans and applies an edit, and never while it waits."""

import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from zkmem.errors import Busy
from zkmem.util.locks import Rank, expect, lock
from zkmem.vault.journal.state import State, unwritable
from zkmem.vault.nofollow import opened

if TYPE_CHECKING:
    from filelock import FileLock

_POLL_S = 0.001  # about as long as an edit takes
_TURN_S = 0.01  # for so long after it held the lock, this process must take the turn first, so that others get it
_LINE = 120  # characters of the line about the holder, which is padded to this length


class VaultLock:
    """The lock of a vault; the system releases it when its holder dies.

    A process that waits takes a second lock, the *turn*, and holds it until it has this lock. A process with many
    edits in a row must take the turn too, so it cannot keep the others out. The time-out counts from the last edit of
    any process.
    """

    def __init__(self, state: State, timeout_s: float) -> None:
        self._state = state
        self.timeout_s = timeout_s
        self._threads = lock(Rank.VAULT)  # threads of one process wait here, without polling
        self._locks: tuple[FileLock, FileLock] | None = None
        self._held = 0
        self._released = -_TURN_S

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the lock in this block. A thread that holds it cannot take it again.

        Raises:
            Busy: when another edit holds it for longer than the time-out. NewerState, Unwritable: see `State.ensure`.
        """
        self._wait_for(lambda seconds: self._threads.acquire(timeout=seconds))
        try:
            file_lock = self._acquire()
            try:
                self._state.check_format()  # a newer zkmem may have held the lock until now
                yield
            finally:
                file_lock.release()
                self._released = time.monotonic()
        finally:
            self._threads.release()

    def expect(self) -> None:
        """Check that this thread may take the lock here."""
        expect(self._threads)

    def busy(self) -> Busy:
        """Return the error for an edit that has waited too long."""
        who = self._holder() or "its holder is not known"
        return Busy(
            f"Another edit has held the vault for more than {self.timeout_s:g} s ({who}); nothing was changed. "
            "Try again; if that process hangs, end it."
        )

    def _acquire(self) -> "FileLock":
        self._state.ensure()
        turn, wanted = self._made()
        try:
            if time.monotonic() > self._released + _TURN_S and _tried(wanted, 0):
                return wanted
            self._wait_for(lambda seconds: _tried(turn, seconds))
            try:
                self._wait_for(lambda seconds: _tried(wanted, seconds))
            finally:
                turn.release()
        except OSError as error:  # no flock on this file system, or no right to the file
            raise unwritable(error) from error
        return wanted

    def _wait_for(self, acquire: Callable[[float], bool]) -> None:
        """Call `acquire` until it succeeds; give up when no other edit has finished within the time-out."""
        if acquire(0):
            return
        holder = self._holder()
        while not acquire(self.timeout_s):
            before, holder = holder, self._holder()
            if holder == before:
                raise self.busy()

    def _made(self) -> "tuple[FileLock, FileLock]":
        if self._locks is None:
            from filelock import FileLock  # noqa: PLC0415 - 50 ms that no reader needs

            def made(name: str, sign: Callable[[int], None] | None) -> FileLock:
                return FileLock(
                    self._state.path(name),
                    thread_local=False,
                    poll_interval=_POLL_S,
                    fallback_to_soft=False,  # a lock that outlives its holder would keep all processes out
                    preserve_lock_file=True,
                    on_acquired=sign,
                )

            self._locks = made("turn", None), made("lock", self._sign)
        return self._locks

    def _sign(self, handle: int) -> None:
        """Write into the lock file which process holds the lock, and for which edit."""
        self._held += 1
        line = f"process {os.getpid()} on {socket.gethostname()}, its edit {self._held}"
        os.pwrite(handle, line[: _LINE - 1].ljust(_LINE - 1).encode()[: _LINE - 1] + b"\n", 0)

    def _holder(self) -> str:
        try:
            with open(self._state.path("lock"), encoding="utf-8", errors="replace", opener=opened) as file:
                return file.read(_LINE).strip()
        except OSError:
            return ""


def _tried(wanted: "FileLock", seconds: float) -> bool:
    from filelock import Timeout  # noqa: PLC0415 - see above

    try:
        wanted.acquire(timeout=seconds)
    except Timeout:
        return False
    return True
