"""What tools have replaced: texts by etag, compressed, in `.zkmem/versions/`; the oldest are dropped."""

import contextlib
import os
import time
import zlib
from typing import NamedTuple

from zkmem.vault.files import create, etag, read
from zkmem.vault.state import State

_FAST = 1  # of zlib: half the size for a tenth of the time of a durable write
_DAY_S = 86_400


class Bounds(NamedTuple):
    """How much is kept."""

    days: int = 30
    megabytes: int = 200


class Versions:
    """Texts of files, by etag. Not durable by itself: a power cut may take the last few, never a note."""

    def __init__(self, state: State, bounds: Bounds) -> None:
        self._state = state
        self._bounds = bounds

    def keep(self, data: bytes) -> None:
        """Keep some bytes; the vault's lock is held.

        Raises:
            OSError: when the disk refuses.
        """
        full = self._full(etag(data))
        with contextlib.suppress(FileNotFoundError):
            os.utime(full)  # its days begin anew
            return
        temp = self._state.path("journal", "version")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temp)
        create(temp, zlib.compress(data, _FAST), durable=False)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        os.replace(temp, full)

    def text(self, tag: str) -> bytes | None:
        """The bytes that had an etag; None when they are gone, or damaged."""
        try:
            data = zlib.decompress(read(self._full(tag))[0])
        except (OSError, zlib.error):
            return None
        return data if etag(data) == tag else None

    def prune(self) -> None:
        """Once a day, drop what is older or more than the bounds say."""
        marker, now = self._state.path("versions", "pruned"), time.time()
        with contextlib.suppress(FileNotFoundError):
            if os.stat(marker).st_mtime > now - _DAY_S:
                return
        os.close(os.open(marker, os.O_WRONLY | os.O_CREAT))
        os.utime(marker)
        room = self._bounds.megabytes * 1_000_000
        for mtime, size, full in sorted(self._files(), reverse=True):
            room -= size
            if room < 0 or mtime < now - self._bounds.days * _DAY_S:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(full)

    def _files(self) -> list[tuple[float, int, str]]:
        found = []
        for folder, _, names in os.walk(self._state.path("versions")):
            if folder != self._state.path("versions"):
                for name in names:
                    full = os.path.join(folder, name)
                    with contextlib.suppress(FileNotFoundError):
                        info = os.stat(full)
                        found.append((info.st_mtime, info.st_size, full))
        return found

    def _full(self, tag: str) -> str:
        return self._state.path("versions", tag[:2], tag[2:])
