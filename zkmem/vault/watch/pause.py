"""Pause the reading of file system events while this process makes an edit.

The index does not need events for an edit of this process. Reading them during the edit would only slow it down, so
they wait in the system's queue.
"""

import contextlib
import threading
import time
from collections.abc import Iterator

_LONGEST_S = 0.25  # the longest pause: the system's queue has a bound


class Pause:
    """A pause: a thread that calls `wait` waits while another thread is in `hold`."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._over.set()
        self._until = 0.0

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Make other threads wait, for at most a quarter of a second."""
        self._until = time.monotonic() + _LONGEST_S
        self._over.clear()
        try:
            yield
        finally:
            self._over.set()

    def wait(self) -> None:
        """Wait until the pause is over; return at once if there is none."""
        if not self._over.is_set():
            self._over.wait(max(0.0, self._until - time.monotonic()))


own_edits = Pause()
"""The only pause of this process, which also has only one thread that reads events."""
