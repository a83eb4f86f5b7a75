"""A pause in reading the events of the file system, for as long as this process makes an edit.

The index takes in an edit of this process without events. Reading them meanwhile would only slow the edit down, so they
wait in the system's queue.
"""

import contextlib
import threading
import time
from collections.abc import Iterator

_LONGEST_S = 0.25  # of a pause: the system's queue has a bound


class Pause:
    """Makes threads that call `wait` stand still while another one is in `hold`."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._over.set()
        self._until = 0.0

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Make others wait, for at most a quarter of a second."""
        self._until = time.monotonic() + _LONGEST_S
        self._over.clear()
        try:
            yield
        finally:
            self._over.set()

    def wait(self) -> None:
        """Wait until the pause is over, if there is one."""
        if not self._over.is_set():
            self._over.wait(max(0.0, self._until - time.monotonic()))


own_edits = Pause()
"""One for the process, as is the thread that reads the events."""
