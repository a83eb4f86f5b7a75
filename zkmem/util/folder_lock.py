"""Let processes on one machine take turns: each locks a folder while it works there.

No file is made for the lock, except on Windows, which cannot lock a folder.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from typing import NamedTuple

from zkmem.util.portable import open_to_lock, try_lock

_LONGEST_PAUSE_S, _SHORTEST_PAUSE_S = 0.01, 0.001


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
