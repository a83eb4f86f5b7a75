"""Texts of notes as they were last seen, compressed in memory: the most recent ones, within a bound."""

import zlib

from zkmem.util.locks import Rank, lock

_MOST_BYTES = 16_000_000  # compressed
_FAST = 1


class Texts:
    """The last text of each note, by path. When there are too many, those that were added first are dropped."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._texts: dict[str, tuple[str | None, bytes]] = {}
        self._lock = lock(Rank.LEAF)

    @property
    def is_full(self) -> bool:
        """True if another text would replace an older one."""
        return self._size > 0.9 * self._most

    def tag(self, path: str) -> str | None:
        """Return the etag of the text of a note; None if there is none."""
        return self._texts.get(path, (None, b""))[0]

    def add(self, path: str, tag: str, data: bytes) -> None:
        """Add the text of a note, or replace it."""
        packed = zlib.compress(data, _FAST)
        with self._lock:
            self._drop(path)
            self._texts[path] = tag, packed
            self._size += len(packed)
            while self._size > self._most:
                self._drop(next(iter(self._texts)))

    def drop(self, path: str) -> None:
        """Remove the text of a note, if there is one."""
        with self._lock:
            self._drop(path)

    def _drop(self, path: str) -> None:
        if path in self._texts:
            self._size -= len(self._texts.pop(path)[1])

    def text(self, path: str, tag: str) -> bytes | None:
        """Return the text of a note if it has this etag."""
        known, packed = self._texts.get(path, ("", b""))
        return zlib.decompress(packed) if known == tag else None
