"""Store which notes changed last, so that a list of them does not need the time of every note."""

import heapq
from collections.abc import Iterable

from zkmem.names import below, is_note

MOST = 256
"""How many of the latest notes are kept at least, if there are as many."""


class Latest:
    """The notes below a folder that changed last. Its owner reports each change of a file."""

    def __init__(self, folder: str, files: Iterable[tuple[str, int]]) -> None:
        """Read all files of the vault: their paths, and the times of their last changes."""
        self._folder = folder
        self._times: dict[str, int] = {}
        self._before: int | None = None  # the time of the latest note that is left out; None if none is
        self._keep((time, path) for path, time in files if self._has(path))

    def put(self, path: str, time: int) -> None:
        """Record that a file was added, or changed at this time."""
        if not self._has(path):
            return
        if self._before is not None and time <= self._before:
            self._times.pop(path, None)
            return
        self._times[path] = time
        if len(self._times) > 2 * MOST:
            self._keep((time, path) for path, time in self._times.items())

    def remove(self, path: str) -> None:
        """Record that a file was removed."""
        self._times.pop(path, None)

    def first(self, count: int) -> list[str] | None:
        """Return the `count` notes that changed last, the latest first; None if not as many are known."""
        if self._before is not None and len(self._times) < count:
            return None
        return [path for _, path in heapq.nlargest(count, ((time, path) for path, time in self._times.items()))]

    def _keep(self, dated: Iterable[tuple[int, str]]) -> None:
        """Keep the latest of some notes, and forget the others."""
        latest = heapq.nlargest(MOST + 1, dated)
        self._times = {path: time for time, path in latest[:MOST]}
        if len(latest) > MOST:
            self._before = latest[MOST][0]

    def _has(self, path: str) -> bool:
        return below(path, self._folder) and is_note(path)
