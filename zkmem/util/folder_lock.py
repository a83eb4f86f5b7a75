"""Let processes on one machine take turns: each locks a folder while it works there. No file is made for the lock."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator

_LONGEST_PAUSE_S, _SHORTEST_PAUSE_S = 0.01, 0.001


@contextlib.contextmanager
def locked_folder(folder: str, patience_s: float) -> Iterator[bool]:
    """Keep out the other processes that lock this folder, during the block. Yield whether this had to wait for them.

    Go on without the lock if there is no such folder, if its disk has no locks, or after `patience_s` seconds: another
    process may be stuck with the lock.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        yield False
        return
    try:
        began, waited_s = time.monotonic(), 0.0
        while not _locked(handle) and waited_s < patience_s:
            # who has waited longer tries more often, so that nobody waits much longer than others
            time.sleep(max(_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S / (1 + waited_s)))
            waited_s = time.monotonic() - began
        yield waited_s > 0
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another process has the lock, or the file system has no locks
        return False
    return True
