"""The log of the edits that one client proposes."""

import contextlib
import os
from collections.abc import Collection, Iterator, Mapping, Sequence

from zkmem.util.locks import Rank, lock
from zkmem.vault import platform
from zkmem.vault.journal.log import Edit, Log, parsed
from zkmem.vault.journal.state import StateFolder
from zkmem.vault.overlay import OverlayStore

LARGEST = 8_000_000
"""Bytes of the largest log that is read. A log of this size is never cut, so no proposed edit is lost."""


class _Content:
    """What was read of a log, from its start to the line that ends at `end`."""

    def __init__(self, end: tuple[int, int]) -> None:
        self.end = end
        self.ends_with_line = True  # if it does not, the rest of the last line or a line end may follow
        self.edits = list[Edit]()
        self.since = dict[str, int]()
        self.paths = dict[str, list[str]]()  # by etag

    def add(self, edit: Edit) -> None:
        self.edits.append(edit)
        self.since.update((path, number) for path, number in edit.since if path)
        for path, after in edit.etags().items():
            self.paths.setdefault(after or "", []).append(path)


class LogContent:
    """What was read of the log of a client; several objects of this process may share it."""

    def __init__(self) -> None:
        self.lock = lock(Rank.LEAF)  # guards `read`
        self.read = _Content((0, 0))


class ProposedLog(Log):
    """The log of the proposed edits of one client, which the overlay shows. Each line is read once."""

    def __init__(self, state: StateFolder, store: OverlayStore, known: LogContent | None = None) -> None:
        """`known`: what was read of this log before."""
        self._store, self._format = store, state.path("format")
        self._known = known or LogContent()
        self._shown = _Content((0, 0)), 0  # the content that the overlay shows, and how many of its edits
        super().__init__(state)
        self._show()

    def edits(self) -> list[Edit]:
        """Return the edits, the oldest first. There are none in a log that is larger than zkmem makes it."""
        return self._read().edits.copy()

    def count(self) -> int:
        """Return the number of edits."""
        return len(self._read().edits)

    def since(self) -> Mapping[str, int]:
        """Return the number of the last edit of the vault that the client knew, for each path that it has changed."""
        return self._read().since

    def paths_with(self, tag: str) -> Collection[str]:
        """Return the paths at which an edit has left a file with an etag."""
        return self._read().paths.get(tag, ())

    def backwards(self) -> Iterator[Edit]:
        """Yield the edits, the last one first."""
        return reversed(self.edits())

    def news(self) -> list[Edit] | None:
        """Return the edits since the last call: see `Log.news`."""
        news = super().news()
        if news is None or news:
            self._show()
        return news

    def append(self, edits: Sequence[Edit]) -> None:
        """Add edits: see `Log.append`."""
        super().append(edits)
        self._show()

    def replace(self, edits: Sequence[Edit]) -> None:
        """Replace the content of the log: see `Log.replace`."""
        super().replace(edits)
        os.utime(self._format)
        self._show()

    def _show(self) -> None:
        """Let the overlay show the files as the edits have left them."""
        content = self._read()
        shown, count = self._shown
        edits = content.edits.copy()
        if content is shown:
            self._store.follow_on(edits[count:])
        else:
            self._store.follow(edits)
        self._shown = content, len(edits)

    def _read(self) -> _Content:
        """Return the content of the log. Read only the lines that were added since the last call, if it only grew."""
        with self._known.lock:
            end, content = self._end(), self._known.read
            if end == content.end:
                return content
            if end[0] != content.end[0] or end[1] < content.end[1] or not content.ends_with_line or end[1] > LARGEST:
                content = _Content((end[0], end[1] if end[1] > LARGEST else 0))
            if end[1] <= LARGEST:
                lines = self._lines(content.end[1])
                for edit in parsed(lines):
                    content.add(edit)
                size = sum(map(len, lines)) + max(0, len(lines) - 1)
                content.end, content.ends_with_line = (end[0], content.end[1] + size), not lines or not lines[-1]
            self._known.read = content
            return content

    def _mark(self, inode: int, size: int) -> tuple[int, int]:
        """Return a value that differs for each state of the log.

        A log that is removed and made again may get the same inode, so the value depends on the time of another file.
        """
        with contextlib.suppress(OSError):
            return hash((inode, platform.current.info(self._format).st_mtime_ns)), size
        return inode, size
