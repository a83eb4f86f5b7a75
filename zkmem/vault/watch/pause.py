"""Pause the reading of file system events while this process makes and answers an edit.

The index does not need events for an edit of this process. Reading them meanwhile would only delay the answer, so they
wait in the system's queue. That queue is limited: a pause is short, and after it events are read for a while in any
case.
"""

import contextlib
import time
from collections.abc import Iterator

_LONGEST_S = 0.25  # the longest that the events wait for edits
_POLL_S = 0.005  # how often the waiting thread checks whether the edit is over
_ANSWER_S = 0.005  # after an edit, while its answer is sent
_READING_S = 0.05  # after a pause, events are read for this time, even if the next edit has begun


class Pause:
    """A pause: the thread that calls `wait` waits while another thread is in `hold`, and shortly after."""

    def __init__(self) -> None:
        self._held = False
        self._ended = self._reads_until = 0.0

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Make the other thread wait during this block and shortly after it."""
        self._held = True
        try:
            yield
        finally:
            self._ended = time.monotonic()
            self._held = False

    def wait(self) -> None:
        """Wait until the pause is over, but for `_LONGEST_S` at most, however many pauses follow each other.

        For a while after it has waited, it returns at once.
        """
        now = time.monotonic()
        latest = now + _LONGEST_S
        if now < self._reads_until or not self._lasts(now):
            return
        while now < latest and self._lasts(now):
            time.sleep(_POLL_S)  # waking this thread would take the interpreter from the thread that sends the answer
            now = time.monotonic()
        self._reads_until = now + _READING_S

    def _lasts(self, now: float) -> bool:
        """Return whether an edit is being made, or its answer is being sent."""
        return self._held or now < self._ended + _ANSWER_S


own_edits = Pause()
"""The only pause of this process, which also has only one thread that reads events."""
