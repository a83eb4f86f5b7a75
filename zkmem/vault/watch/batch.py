"""Gather the paths of events into batches, because many events come within a short time."""

import threading
import time

QUIET_S = 0.05
LATEST_S = 0.5


class Batch:
    """A batch of paths. It is due when no path was added for `QUIET_S`, or the first has waited for `LATEST_S`."""

    def __init__(self) -> None:
        self.stopped = False
        self._paths: set[str] = set()
        self._lost = False
        self._first = self._last = 0.0  # when the first and the last path were added; 0 if there is none
        self._news = threading.Condition()

    def add(self, path: str) -> None:
        """Add a path."""
        with self._news:
            self._paths.add(path)
            self._came()

    def lose(self) -> None:
        """Note that paths were lost."""
        with self._news:
            self._lost = True
            self._came()

    def stop(self) -> None:
        """End every wait, now and later."""
        with self._news:
            self.stopped = True
            self._news.notify()

    def take(self, patience: float) -> list[str] | None:
        """Wait for the next batch and return it; None if paths were lost.

        Return an empty list after `patience` seconds without any path.
        """
        with self._news:
            self._news.wait_for(lambda: self._last or self.stopped, patience)
            while self._last and not self.stopped and (rest := self._due_in()) > 0:
                self._news.wait(rest)
            paths = None if self._lost else sorted(self._paths)
            self._paths, self._lost, self._last = set(), False, 0.0
            return paths

    def _came(self) -> None:
        now = time.monotonic()
        if not self._last:
            self._first = now
            self._news.notify()  # later paths of a batch need not wake the waiting thread
        self._last = now

    def _due_in(self) -> float:
        return min(self._last + QUIET_S, self._first + LATEST_S) - time.monotonic()
