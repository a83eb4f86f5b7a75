"""The log of the edits that one client proposes."""

import contextlib
import os
from collections.abc import Collection, Iterator, Sequence

from zkmem.vault.journal.log import Edit, Log
from zkmem.vault.journal.state import State
from zkmem.vault.nofollow import info
from zkmem.vault.overlay import OverlayStore

LARGEST = 4_000_000
"""Bytes of the largest log that is read. A log of this size is never cut, so no proposed edit is lost."""


class ProposedLog(Log):
    """The log of the proposed edits of one client. The overlay follows it."""

    def __init__(self, state: State, store: OverlayStore) -> None:
        self._store, self._format = store, state.path("format")
        self._read: tuple[tuple[int, int], list[Edit]] = (-1, -1), []  # the log's end, and its edits
        self._paths: tuple[tuple[int, int], dict[str, list[str]]] = (-1, -1), {}  # its end, and the paths by etag
        super().__init__(state)
        store.follow(self.edits())

    def edits(self) -> list[Edit]:
        """Return the edits, the oldest first. There are none in a log that is larger than zkmem makes it."""
        end = self._end()
        if self._read[0] != end:
            self._read = end, [] if end[1] > LARGEST else list(super().backwards())[::-1]
        return list(self._read[1])

    def paths_with(self, tag: str) -> Collection[str]:
        """Return the paths at which an edit has left a file with an etag."""
        edits = self.edits()
        if self._paths[0] != self._read[0]:
            paths: dict[str, list[str]] = {}
            for edit in edits:
                for path, after in edit.etags().items():
                    paths.setdefault(after or "", []).append(path)
            self._paths = self._read[0], paths
        return self._paths[1].get(tag, ())

    def backwards(self) -> Iterator[Edit]:
        """Yield the edits, the last one first."""
        return reversed(self.edits())

    def news(self) -> list[Edit] | None:
        """Return the edits since the last call: see `Log.news`."""
        news = super().news()
        if news is None or news:
            self._store.follow(self.edits())
        return news

    def append(self, edits: Sequence[Edit]) -> None:
        """Add edits: see `Log.append`."""
        super().append(edits)
        self._store.follow(self.edits())

    def replace(self, edits: Sequence[Edit]) -> None:
        """Replace the content of the log: see `Log.replace`."""
        super().replace(edits)
        os.utime(self._format)
        self._store.follow(edits)

    def _mark(self, inode: int, size: int) -> tuple[int, int]:
        """Return a value that differs for each state of the log.

        A log that is removed and made again may get the same inode, so the value depends on the time of another file.
        """
        with contextlib.suppress(OSError):
            return hash((inode, info(self._format).st_mtime_ns)), size
        return inode, size
