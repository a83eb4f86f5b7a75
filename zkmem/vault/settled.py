"""Read a file that another program may be saving at this moment.

Some programs first empty a file and then write it. An edit that reads it in between would take the empty text for that
of the person.
"""

import time
from collections.abc import Callable

from zkmem.vault.files import Stamp

_LONGEST_S = 0.2  # an edit waits no longer than this for a program that saves a file
_PAUSE_S = 0.002


def read_settled(
    read: Callable[[str], tuple[bytes, Stamp]], look: Callable[[str], Stamp | None], path: str
) -> tuple[bytes, Stamp]:
    """Return the bytes of a file and its stamp, once no program seems to be saving it, but after `_LONGEST_S` at most.

    No program seems to be saving a file that has not changed within the last tick of the clock, or one that has bytes
    and the same stamp before and after it is read: a program leaves a file empty only until it writes.

    `read` and `look` return the bytes and the stamp of a file. Raises what `read` raises.
    """
    deadline = time.monotonic() + _LONGEST_S
    while True:
        now = time.time_ns()
        data, stamp = read(path)
        if not stamp.is_racy(now) or not stamp.inode:  # a file without an inode is one that this thread will write
            return data, stamp
        if (data and look(path) == stamp) or time.monotonic() > deadline:
            return data, stamp
        time.sleep(_PAUSE_S)
