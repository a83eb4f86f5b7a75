"""Keep the texts before and after changes by other programs, which overwrite them."""

import heapq
import logging
import threading
import zlib
from collections.abc import Mapping, Sequence

from zkmem.edit.unexplained import Found
from zkmem.errors import ZkError
from zkmem.index.catalog import Row
from zkmem.names import is_note
from zkmem.util.locks import Rank, lock
from zkmem.vault.files import etag
from zkmem.vault.journal.versions import Versions
from zkmem.vault.store import Store

_MOST_BYTES = 16_000_000  # of texts in memory, compressed
_FAST = 1  # the level of compression
_MOST_FIRST = 5_000  # notes whose texts are read after the start, those changed last
_FEW = 20  # notes that are read without a pause
_PAUSE_S = 0.005
_PRIVATE = 0o600  # for the text of a note that is gone, whose permissions are not known any more

_log = logging.getLogger(__name__)


class KeptTexts:
    """The last texts of notes in memory, from which the texts before a change are added to the versions."""

    def __init__(self, store: Store, versions: Versions) -> None:
        self._store = store
        self._versions = versions
        self._texts = _RecentTexts()
        self._stale: set[str] | None = None  # notes whose text in `_texts` is old; None: no text was read yet

    def tag(self, path: str) -> str | None:
        """Return the etag of the text of a note that is in memory; None if there is none."""
        return self._texts.tag(path)

    def add_stale(self, path: str) -> None:
        """Let the next call of `read` read a note, which a tool has changed."""
        if self._stale is not None:
            self._stale.add(path)

    def keep(self, found: Sequence[Found], room: int) -> int:
        """Keep the texts before and after some changes, as far as they are known and `room` is left for their bytes.

        Return how many bytes they have.
        """
        kept = 0
        for path, before, after, _, data, _ in found:
            old = self._texts.text(path, before) if before else None
            texts = {before: old, after: data}
            for tag, text in texts.items():
                if tag is not None and text is not None and kept + len(text) <= room:
                    kept += len(text)
                    try:
                        like = None if data is None else self._store.full(path)
                        self._versions.keep(text, tag, like=like, mode=_PRIVATE)
                    except (OSError, ZkError) as error:
                        _log.warning("a text could not be kept: %s", error)
            if after is None or data is None:
                self._texts.drop(path)
            else:
                self._texts.add(path, after, data)
        return kept

    def read(self, rows: dict[str, Row], closed: threading.Event) -> None:
        """Read the texts of the notes that were changed last or, after the first call, of those that tools changed.

        Stop when `closed` is set.
        """
        stale, self._stale = self._stale, set()
        for number, path in enumerate(_newest(rows.copy()) if stale is None else stale):  # the copy is atomic
            row = rows.get(path)
            if row is None or row.etag in {None, self._texts.tag(path)}:
                continue
            if self._texts.is_full and self._texts.tag(path) is None:
                continue
            if number % _FEW == _FEW - 1 and closed.wait(_PAUSE_S):
                return
            try:
                data = self._store.read(path)[0]
            except (OSError, ZkError):
                continue
            self._texts.add(path, etag(data), data)


def _newest(rows: Mapping[str, Row]) -> list[str]:
    """Return the notes that were changed last, the newest first."""
    return heapq.nlargest(_MOST_FIRST, filter(is_note, rows), key=lambda path: rows[path].stamp.mtime_ns)


class _RecentTexts:
    """The last text of each note, by path, compressed. Of too many, those that were added first are dropped."""

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
