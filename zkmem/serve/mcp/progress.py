"""How far a long call is, told to the client that asked to know."""

import time
from collections.abc import Callable, Coroutine
from typing import Any

import anyio.from_thread

_EVERY_S = 0.5

Report = Callable[[float, float, str], Coroutine[Any, Any, None]]
"""Sends a progress, a total and a message to the client, if it has asked for them."""


class Teller:
    """A progress to call from a worker thread, again and again; what it passes on is seldom, and never goes back."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._next = time.monotonic() + _EVERY_S
        self._before = 0  # steps of what was done earlier in the same call
        self._last = (0, 0)

    def __call__(self, done: int, total: int) -> None:
        """So many of so many notes are done."""
        if (done, total) == self._last:
            return
        if done < self._last[0]:  # it is about something else now
            self._before += self._last[0]
        self._last = (done, total)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _EVERY_S
            what = "Indexing words" if self._before else "Reading notes"  # nothing else is waited for
            self.tell(self._before + done, self._before + total, f"{what}: {done} of {total}")

    def tell(self, done: int, total: int, message: str) -> None:
        """Send it, from a worker thread."""
        anyio.from_thread.run(self._report, done, total, message)
