"""What tools have replaced: files by etag, in `.zkmem/versions/`; in time compressed, the oldest dropped."""

import contextlib
import os
import re
import stat
import time
import zlib
from typing import NamedTuple

from zkmem.vault.files import MOST_BYTES, create, etag, read
from zkmem.vault.journal.state import State
from zkmem.vault.nofollow import info, opened

_FAST = 1  # of zlib: half the size for a tenth of the time of a durable write
_DAY_S = 86_400
_PACKED = ".z"
_NAME = re.compile(r"[0-9a-f]{12}(\.z)?")


class Bounds(NamedTuple):
    """How much is kept."""

    days: int = 30
    megabytes: int = 200


class Versions:
    """Texts of files, by etag. Not durable by itself: a power cut may take the last few, never a note."""

    def __init__(self, state: State, bounds: Bounds, most_bytes: int = MOST_BYTES) -> None:
        """Nothing that has more than `most_bytes`, unpacked, is read."""
        self._state = state
        self._bounds = bounds
        self.most_bytes = most_bytes

    def keep(self, data: bytes, like: str | None = None) -> None:
        """Keep some bytes, as private as the file `like`; the vault's lock is held.

        Raises:
            OSError: when the disk refuses.
        """
        temp = self._state.path("journal", "version")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temp)
        create(temp, data, durable=False)
        if like is not None:
            os.chmod(temp, stat.S_IMODE(info(like).st_mode))
        self.take(temp, etag(data))

    def take(self, full: str, tag: str) -> None:
        """Keep a file that has this etag and is of no use any more, by giving it another name: nothing is written.

        Raises:
            OSError: when the disk refuses.
        """
        there = info(full)
        if there.st_nlink > 1 and there.st_size <= self.most_bytes:  # it has another name, by which it may be written
            data = read(full, self.most_bytes)[0]
            self.keep(data, like=full)
            os.unlink(full)
            return
        os.utime(full)  # its days begin now
        os.replace(full, self._full(tag))

    def text(self, tag: str) -> bytes | None:
        """The bytes that had an etag; None when they are gone, or damaged."""
        if not _NAME.fullmatch(tag):
            return None
        for full, unpacked in ((self._full(tag), bytes), (self._full(tag) + _PACKED, self._unpacked)):
            with contextlib.suppress(OSError, zlib.error):
                data = unpacked(read(full, self.most_bytes)[0])
                if etag(data) == tag:
                    return data
        return None

    def _unpacked(self, data: bytes) -> bytes:
        return zlib.decompressobj().decompress(data, self.most_bytes)

    def tidy(self) -> None:
        """Once a day, drop what is older or more than the bounds say, and compress the rest."""
        marker, now = self._state.path("versions", "tidied"), time.time()
        with contextlib.suppress(FileNotFoundError):
            if info(marker).st_mtime > now - _DAY_S:
                return
        os.close(opened(marker, os.O_WRONLY | os.O_CREAT, 0o666))
        os.utime(marker)
        room = self._bounds.megabytes * 1_000_000
        for mtime, size, full in sorted(self._files(), reverse=True):
            room -= size if full.endswith(_PACKED) or size > self.most_bytes else self._pack(full, mtime)
            if room < 0 or mtime < now - self._bounds.days * _DAY_S:
                for name in (full, full + _PACKED):
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(name)

    def _pack(self, full: str, mtime: float) -> int:
        """Compress a file; the bytes that it takes then."""
        data = zlib.compress(read(full, self.most_bytes)[0], _FAST)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(full + _PACKED)
        create(full + _PACKED, data, durable=False)
        os.chmod(full + _PACKED, stat.S_IMODE(info(full).st_mode))
        os.utime(full + _PACKED, (mtime, mtime))
        os.unlink(full)
        return len(data)

    def _files(self) -> list[tuple[float, int, str]]:
        """Of every text that is kept: since when, its bytes, its file."""
        with os.scandir(self._state.path("versions")) as entries:
            files = [
                (entry.stat(follow_symlinks=False), entry.path) for entry in entries if _NAME.fullmatch(entry.name)
            ]
        return [(found.st_mtime, found.st_size, full) for found, full in files]

    def _full(self, tag: str) -> str:
        return self._state.path("versions", tag)
