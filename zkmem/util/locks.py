"""The locks of zkmem: between threads, with the one order in which a thread takes them, and between processes.

A thread that holds a lock may only take locks of a higher rank, so two threads can never wait for each other. Tests set
the environment variable `ZKMEM_CHECK_LOCKS` to the path of a file. Each lock then checks the rule when it is taken,
even if no thread holds it: a breach raises `OutOfOrder` and is written to the file.
"""

import contextlib
import enum
import os
import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import NamedTuple, Protocol

from zkmem.util.portable import open_to_lock, try_lock

_LONGEST_PAUSE_S, _SHORTEST_PAUSE_S = 0.01, 0.001


class Rank(enum.IntEnum):
    """The order of the locks: a thread takes them from the top of this list to its end."""

    LIFE = enum.auto()  # starting and closing the index
    GRAPHS = enum.auto()  # the graphs that the API sends
    PAST = enum.auto()  # the index of the vault as it was
    SEARCH = enum.auto()  # the search index
    LOAD = enum.auto()  # filling the index, or waiting until another thread has filled it
    PREPARE = enum.auto()  # recovery, before anything is read
    CACHE = enum.auto()  # the saved index
    VAULT = enum.auto()  # the vault: one edit at a time, in all processes
    INDEX = enum.auto()  # the index in memory
    LEAF = enum.auto()  # a few fields of one object; a thread that holds one takes no other lock


class OutOfOrder(AssertionError):
    """A thread took, or was about to take, a lock while it held one that comes later in the order."""


class Lock(Protocol):
    """The methods of the locks of this module."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock; return False if the time ran out first."""

    def release(self) -> None:
        """Let go of the lock."""

    def __enter__(self) -> bool:
        """Take the lock."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the lock."""


def lock(rank: Rank, *, reentrant: bool = False) -> Lock:
    """Make a lock of a rank. A thread that holds a `reentrant` lock may take it again."""
    plain: Lock = threading.RLock() if reentrant else threading.Lock()
    return _Checked(plain, rank, reentrant=reentrant) if _REPORT else plain


def expect(wanted: Lock) -> None:
    """Check that this thread may take a lock here. Call this in code that takes the lock only sometimes."""
    if isinstance(wanted, _Checked):
        wanted.check()


_REPORT = os.environ.get("ZKMEM_CHECK_LOCKS", "")


class _Checked:
    """A lock that checks the order each time it is taken."""

    def __init__(self, plain: Lock, rank: Rank, *, reentrant: bool) -> None:
        self._plain = plain
        self.rank = rank
        self._reentrant = reentrant

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        self.check()
        taken = self._plain.acquire(blocking, timeout)
        if taken:
            _held.locks.append(self)
        return taken

    def release(self) -> None:
        self._plain.release()
        _held.locks.remove(self)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def check(self) -> None:
        """Raise OutOfOrder, and report it, if this thread may not take the lock now."""
        if self._reentrant and self in _held.locks:
            return
        if later := [held for held in _held.locks if held.rank >= self.rank]:
            sentence = f"{self.rank.name} wanted by a thread that holds {', '.join(one.rank.name for one in later)}"
            error = OutOfOrder(sentence)
            _report(sentence)
            raise error


class _Held(threading.local):
    """The locks that a thread holds, in the order in which it took them."""

    def __init__(self) -> None:
        self.locks: list[_Checked] = []


_held = _Held()


def _report(sentence: str) -> None:
    import traceback  # noqa: PLC0415 - only for a breach

    with open(_REPORT, "a", encoding="utf-8") as file:
        file.write(f"{sentence}\n{''.join(traceback.format_stack()[:-2])}\n")


class Turn(NamedTuple):
    """How many seconds a process waited for a lock, and whether it gave up because another process kept the lock."""

    waited_s: float = 0.0
    has_timed_out: bool = False


@contextlib.contextmanager
def locked_folder(folder: str, patience_s: float) -> Iterator[Turn]:
    """Lock a folder during the block. Other processes that call this function wait. Yield how long this one waited.

    Enter the block without the lock if there is no such folder, if its disk has no locks, or if another process has
    the lock for `patience_s` seconds: it may be stuck.
    """
    try:
        handle = open_to_lock(folder)
    except OSError:
        yield Turn()
        return
    try:
        yield _lock(handle, patience_s)
    finally:
        os.close(handle)


def _lock(handle: int, patience_s: float) -> Turn:
    """Lock a folder. Wait at most `patience_s` seconds, and return how long that was."""
    began, waited_s = time.monotonic(), 0.0
    while waited_s < patience_s:
        try:
            if try_lock(handle):
                return Turn(waited_s)
        except OSError:  # the disk has no locks
            break
        # who has waited longer tries more often, so that nobody waits much longer than others
        time.sleep(max(_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S / (1 + waited_s)))
        waited_s = time.monotonic() - began
    return Turn(waited_s, has_timed_out=waited_s > 0)
