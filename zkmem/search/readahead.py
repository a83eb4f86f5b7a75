"""Read the notes that the search index will need next, in other processes, while this one writes to it."""

import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from zkmem.search.entry import IndexEntry, entry_of
from zkmem.util.workers import cores
from zkmem.vault import files, platform
from zkmem.vault.files import Stamp, etag
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from concurrent.futures import Future

_MANY = 3_000  # notes; reading so many takes longer than starting the processes
_SLICE = 50  # notes in one request
_SURE = 2  # entries with a word: the other process does not use an entry if the file has changed meanwhile
_NEEDED = ("pyromark", "yaml", "Stemmer")  # the installed packages that this module imports


class Readahead:
    """Processes that read notes, and what they have read. Not thread-safe."""

    def __init__(self, store: Store) -> None:
        """Start the processes."""
        from zkmem.util.workers import Workers  # noqa: PLC0415 - seldom needed

        self._store = store
        self._workers = Workers(__name__, _NEEDED, _Reader().answer)
        self._requests: dict[str, tuple[Future[Any], int]] = {}  # with the place in the answer

    @staticmethod
    def pays(count: int) -> bool:
        """Return whether it takes less time to read so many notes with other processes."""
        return count >= _MANY and cores() > 1

    def want(self, paths: Sequence[str]) -> None:
        """Begin to read the notes at some paths, if that has not begun."""
        new = [path for path in paths if path not in self._requests]
        for start in range(0, len(new), _SLICE):
            part = new[start : start + _SLICE]
            future = self._workers.submit([(path, self._store.full(path), self._store.most_bytes) for path in part])
            self._requests.update((path, (future, place)) for place, path in enumerate(part))

    def take(self, path: str) -> tuple[IndexEntry, Stamp] | None:
        """Return what the index stores of a note, and its stamp; None if it is not known, or the file has changed."""
        future, place = self._requests.pop(path, (None, 0))
        if future is None or future.cancel():  # all processes are busy: this one reads it sooner
            return None
        note = future.result()[place]
        if note is None:
            return None
        began, stamp, entry = note[0], Stamp._make(note[1]), IndexEntry._make(note[2])
        return (entry, stamp) if self._store.stamp(path) == stamp and not stamp.is_racy(began) else None

    def close(self) -> None:
        """End the processes."""
        self._requests.clear()
        self._workers.close()


class _Reader:
    """Reads notes for another process, and sends no word that it has sent several times already."""

    def __init__(self) -> None:
        self._sent = Counter[str]()
        self._known: set[str] = set()

    def answer(self, request: list[tuple[str, str, int]]) -> list[tuple[object, ...] | None]:
        """Read some notes: their paths, full paths, and the most bytes of each."""
        with platform.current.folders_kept():
            return [self._ahead(*note) for note in request]

    def _ahead(self, path: str, full: str, most: int) -> tuple[object, ...] | None:
        """Read a note. Return when that began (in nanoseconds since 1970), its stamp and its entry; None if it fails.

        The tuples are plain ones, because `marshal` accepts no others.
        """
        began = time.time_ns()
        try:
            data, stamp = files.read(full, most)
        except OSError:
            return None
        entry = entry_of(path, data, etag(data), self._known)
        for word in entry.vocabulary.split():
            self._sent[word] += 1
            if self._sent[word] > _SURE:
                self._known.add(word)
        return began, tuple(stamp), tuple(entry)


def main() -> None:
    """Answer the requests of another process."""
    from zkmem.util.workers import serve  # noqa: PLC0415 - only in a process of its own

    serve(_Reader().answer)
