"""The changes that other programs made: their log in `.zkmem/versions/outside`, and whether git made them."""

import contextlib
import heapq
import os
import time
from collections.abc import Iterator
from typing import NamedTuple

from zkmem.vault import platform
from zkmem.vault.files import Stamp
from zkmem.vault.journal.log import GIT, Edit, Log
from zkmem.vault.journal.state import StateFolder

_MOST = 8_000_000  # bytes of the log
_MOST_READ = 20_000  # bytes at the end of git's own log
_LOG_S = 1.0  # the longest time between the moments when git replaces its index and when it writes the line in its log


class OutsideLog(Log):
    """The log of the changes that other programs made. Their numbers and those of the edits are one sequence.

    Each save of a note by an editor is a change. A change that continues the last one replaces it.
    """

    def __init__(self, state: StateFolder) -> None:
        super().__init__(state, "outside", _MOST)

    def backwards(self) -> Iterator[Edit]:
        """Yield all changes that no later one replaces, the last one first."""
        replaced = set[int]()
        for change in super().backwards():
            if change.replaces:
                replaced.add(change.replaces)
            if change.outside and change.number not in replaced:
                yield change

    def began(self, change: Edit) -> int:
        """Return the number of the first change that a change continues; its own number if it continues none."""
        number = change.replaces or change.number
        for earlier in super().backwards():
            if earlier.number == number:
                number = earlier.replaces or number
        return number


def newest(*edits: Edit | None) -> Edit | None:
    """Return the edit with the highest number; None if there is none."""
    return max((edit for edit in edits if edit is not None), key=lambda edit: edit.number, default=None)


def by_number(*logs: Iterator[Edit]) -> Iterator[Edit]:
    """Yield the entries of several logs, the highest number first."""
    return heapq.merge(*logs, key=lambda edit: edit.number, reverse=True)


class GitOperation(NamedTuple):
    """An operation of git."""

    name: str  # one of `GIT`
    ended_ns: int  # since 1970


class GitLog:
    """git's own log of the positions of HEAD, for the repository that a vault is in. Reading it does not run git."""

    def __init__(self, root: str) -> None:
        folder = _repository(root)
        self._full = os.path.join(folder, "logs", "HEAD") if folder else ""
        self._lock = os.path.join(folder, "index.lock") if folder else ""
        self._end = self._stamp()
        self._last: GitOperation | None = None

    @property
    def is_busy(self) -> bool:
        """True while git changes files, and until it has written the line about that to its log."""
        if not self._lock:
            return False
        if os.path.lexists(self._lock):
            return True
        index, log = _mtime(self._lock.removesuffix(".lock")), _mtime(self._full)
        return index > log and time.time() - index < _LOG_S

    def last(self) -> GitOperation | None:
        """Return the last operation that changed files since this object was made; None if there was none."""
        before, self._end = self._end, self._stamp()
        if self._end is not None and self._end != before:
            begin = max(before.size if before else 0, self._end.size - _MOST_READ)
            for name in filter(None, map(_operation, self._lines(begin))):
                self._last = GitOperation(name, self._end.mtime_ns)
        return self._last

    def _lines(self, begin: int) -> list[bytes]:
        with contextlib.suppress(OSError), open(self._full, "rb", opener=platform.current.opened) as file:
            file.seek(begin)
            return file.read(_MOST_READ).split(b"\n")
        return []

    def _stamp(self) -> Stamp | None:
        with contextlib.suppress(OSError):
            return Stamp.of(platform.current.info(self._full))
        return None


def _mtime(full: str) -> float:
    with contextlib.suppress(OSError):
        return os.lstat(full).st_mtime
    return 0.0


def _repository(root: str) -> str:
    """Return the folder `.git` of the vault, or of the nearest folder above it that has one; "" if there is none."""
    folder = root
    while True:
        if os.path.isdir(git := os.path.join(folder, ".git")):
            return git
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above


def _operation(line: bytes) -> str:
    """Return the operation in a line of git's log, such as "git pull"; "" if it changes no files."""
    message = line.partition(b"\t")[2].decode(errors="replace")
    operation = f"git {message.split(':', 1)[0].split(' ', 1)[0]}"
    return operation if operation in GIT else ""
