"""Report the progress of a long call to a client that has asked for reports."""

import time
from collections.abc import Callable, Coroutine
from typing import Any

import anyio.from_thread

_EVERY_S = 0.5

Report = Callable[[float, float, str], Coroutine[Any, Any, None]]
"""Sends the progress, the total and a message to the client, if it has asked for reports."""


class ProgressReporter:
    """Reports progress from a worker thread, at most twice a second; the reported numbers never fall."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._next = time.monotonic() + _EVERY_S
        self._earlier = 0  # steps of the earlier tasks of the same call
        self._last = (0, 0)

    def __call__(self, done: int, total: int) -> None:
        """Report that `done` of `total` notes are done."""
        if (done, total) == self._last:
            return
        if done < self._last[0]:  # the next task has begun
            self._earlier += self._last[0]
        self._last = (done, total)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _EVERY_S
            task = "Indexing words" if self._earlier else "Reading notes"  # a call waits for these two tasks alone
            self.report(self._earlier + done, self._earlier + total, f"{task}: {done} of {total}")

    def report(self, done: int, total: int, message: str) -> None:
        """Send a report, from a worker thread."""
        anyio.from_thread.run(self._report, done, total, message)
