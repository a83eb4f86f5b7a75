"""Keep the old versions of changed files by etag, in `.zkmem/versions/`; compress them, and drop the oldest."""

import contextlib
import os
import re
import stat
import time
import zlib
from collections.abc import Callable, Collection
from typing import NamedTuple

from zkmem.vault import platform
from zkmem.vault.files import MOST_BYTES, Stamp, Version, create, etag, read, tag_of
from zkmem.vault.journal.state import StateFolder

_FAST = 1  # zlib's level: half the size for a tenth of the time of a durable write
_DAY_S = 86_400
_PACKED = ".z"
_ROOM_OF_LAST = 200_000_000  # bytes of the texts that the last changes need, whatever the bounds are
_NAME = re.compile(r"[0-9a-f]{12}(\.z)?")


class Bounds(NamedTuple):
    """The bounds on the age and the total size of the versions."""

    days: int = 30
    megabytes: int = 200


KEEP_ALL = Bounds(days=36_500, megabytes=1_000_000)


class Versions:
    """The saved versions of files, by etag. A power cut may lose the last few of them, but never a note."""

    def __init__(self, state: StateFolder, bounds: Bounds, most_bytes: int = MOST_BYTES) -> None:
        """Keep versions within `bounds`; read no version of more than `most_bytes`, uncompressed."""
        self._state = state
        self._bounds = bounds
        self.most_bytes = most_bytes

    def keep(self, data: bytes, tag: str, like: str | None = None, mode: int | None = None) -> None:
        """Save some bytes, which have this etag, with the permissions of the file `like`, else with `mode`.

        The caller holds the vault's lock.
        """
        temp = self._state.path("journal", "version")
        try:
            create(temp, data, durable=False)
        except FileExistsError:  # a killed process has left it
            platform.current.unlink(temp)
            create(temp, data, durable=False)
        if platform.current.has_modes and (like is not None or mode is not None):
            os.chmod(temp, stat.S_IMODE(platform.current.info(like).st_mode) if like is not None else mode or 0)
        platform.current.rename(temp, self._full(tag))

    def take(self, full: str, version: Version | None = None) -> None:
        """Move a file, which nothing uses any more, to the versions. Its bytes are not written again.

        `version`: the version that the file had when it was read last. If the file still has its stamp, it is not read.
        """
        status = platform.current.info(full)
        if status.st_nlink > 1 and status.st_size <= self.most_bytes:  # its other name allows writes
            data = read(full, self.most_bytes)[0]
            self.keep(data, etag(data), like=full)
            platform.current.unlink(full)
            return
        known = version is not None and version.stamp == Stamp.of(status)
        tag = version.tag if version and known else tag_of(full, None)
        platform.current.touch(full)  # its age counts from now
        platform.current.rename(full, self._full(tag))

    def text(self, tag: str) -> bytes | None:
        """Return the bytes with this etag; None if they were dropped, or are damaged."""
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

    def tidy(self, last: Callable[[], Collection[str]] = tuple) -> None:
        """Drop the versions that exceed the bounds, and compress the rest; do this at most once a day.

        `last`: returns the etags of the texts that an undo of the last change of each file needs. They are kept up to
        200 MB, the latest first, even if they exceed the bounds.
        """
        marker, now = self._state.path("versions", "tidied"), time.time()
        with contextlib.suppress(FileNotFoundError):
            if platform.current.info(marker).st_mtime > now - _DAY_S:
                return
        os.close(platform.current.opened(marker, os.O_WRONLY | os.O_CREAT, 0o666))
        os.utime(marker)
        room, room_of_last = self._bounds.megabytes * 1_000_000, _ROOM_OF_LAST
        needed = last()
        for mtime, size, full in sorted(self._files(), reverse=True):
            packed = size if full.endswith(_PACKED) or size > self.most_bytes else self._pack(full, mtime)
            room -= packed
            is_last = os.path.basename(full).removesuffix(_PACKED) in needed
            room_of_last -= packed if is_last else 0
            is_over = room < 0 or mtime < now - self._bounds.days * _DAY_S
            if is_over and not (is_last and room_of_last >= 0):
                for name in (full, full + _PACKED):
                    with contextlib.suppress(FileNotFoundError):
                        platform.current.unlink(name)

    def _pack(self, full: str, mtime: float) -> int:
        """Compress a file; return its new size in bytes."""
        data = zlib.compress(read(full, self.most_bytes)[0], _FAST)
        with contextlib.suppress(FileNotFoundError):
            platform.current.unlink(full + _PACKED)
        create(full + _PACKED, data, durable=False)
        if platform.current.has_modes:
            os.chmod(full + _PACKED, stat.S_IMODE(platform.current.info(full).st_mode))
        os.utime(full + _PACKED, (mtime, mtime))
        platform.current.unlink(full)
        return len(data)

    def _files(self) -> list[tuple[float, int, str]]:
        """Return the time, the size in bytes and the path of every saved version."""
        with os.scandir(self._state.path("versions")) as entries:
            files = [
                (entry.stat(follow_symlinks=False), entry.path) for entry in entries if _NAME.fullmatch(entry.name)
            ]
        return [(status.st_mtime, status.st_size, full) for status, full in files]

    def _full(self, tag: str) -> str:
        return self._state.path("versions", tag)
