"""Reads notes: waits for the index as long as that is worth it, and remembers what was read."""

import contextlib
import functools
from collections.abc import Hashable
from typing import TYPE_CHECKING, Protocol

from zkmem.index import lookup
from zkmem.index.session import Freshness, Session
from zkmem.index.sync import Index, Progress
from zkmem.recall.outline import WHOLE
from zkmem.recall.ranking import Ranking
from zkmem.recall.reading import NoteText, read_alone, read_large, read_note
from zkmem.vault.files import LargeFile, Read
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from zkmem.recall.page import NotePage


class Tracker(Protocol):
    """Remembers which notes were read, and how far."""

    def keep(self, path: str, etag: str, data: bytes) -> None:
        """Remember the bytes that a reader got."""

    def note(self, reader: Hashable, path: str, etag: str, offset: int, next_offset: int | None) -> None:
        """Remember that a reader got a note from `offset` to `next_offset` (None: to its end)."""

    def glimpse(self, reader: Hashable, path: str, etag: str) -> None:
        """Remember that a reader got a note in the expansion of another one."""


class Reader:
    """Reads the notes of one vault. A caller's `read` gets the bytes at a path, if the caller may know them."""

    def __init__(
        self, session: Session, store: Store, ranking: Ranking, tracker: Tracker, max_chars: int | None
    ) -> None:
        self._session = session
        self._store = store
        self._ranking = ranking
        self._tracker = tracker
        self._max_chars = max_chars

    def text(
        self, read: Read, name: str, depth: int, offset: int, *, bounded: bool, subpath: str | None, reader: Hashable
    ) -> NoteText:
        """Return the text of a note or of a part of it: see `Memory.read`. `reader`: the key of the session.

        If not even the names are known yet, a note whose exact name is given is read without the index.
        """
        live, most = self._session.live, self._max_chars if bounded else None
        keep, glimpse = self._tracker.keep, functools.partial(self._tracker.glimpse, reader)
        needs_index = live.wait_briefly_for_links() or live.named or self._session.least > Freshness.NAMES
        if not (needs_index or depth or subpath) and (path := lookup.spelled_out(self._store, name)):
            with contextlib.suppress(LargeFile):
                return self._tracked(path, read_alone(read, path, offset=offset, max_chars=most, keep=keep), reader)

        def text(index: Index) -> NoteText:
            target, part = lookup.split(index.catalog, name) if subpath is None else (name, subpath)
            path = lookup.known_note(index.catalog, target)
            try:
                note = read_note(
                    index, read, path, depth=depth, offset=offset, max_chars=most, keep=keep, subpath=part,
                    glimpse=glimpse,
                )  # fmt: skip
            except LargeFile:
                return read_large(index, self._store, path, offset=offset, max_chars=most, subpath=part)
            return self._tracked(path, note, reader)

        return self._session.read(text, Freshness.NAMES)

    def page(
        self, read: Read, name: str, depth: int, offset: int, *, seen: str, progress: Progress | None
    ) -> "NotePage":
        """Return a part of a note as a person reads it: see `Memory.page`. Backlinks are from the folder `seen`."""
        from zkmem.recall.page import page_of, part_of  # noqa: PLC0415 - slow to import, and only a person needs it

        def page(index: Index) -> "NotePage":
            path, weights, most = lookup.known_note(index.catalog, name), self._ranking.weights(), self._max_chars
            try:
                return page_of(
                    index, read, path, depth=depth, offset=offset, max_chars=most, weights=weights,
                    keep=self._tracker.keep, seen=seen,
                )  # fmt: skip
            except LargeFile:
                return part_of(index, self._store, path, offset=offset, max_chars=most, weights=weights, seen=seen)

        return self._session.read(page, Freshness.LINKS, progress)

    def _tracked(self, path: str, note: NoteText, reader: Hashable) -> NoteText:
        """Remember how much of a note was read; add the day of the file's last change."""
        ends = note.ends if note.ends < note.characters else None
        if note.subpath != WHOLE:
            self._tracker.note(reader, path, note.etag, note.begins, ends)
        stamp = self._store.stamp(path)
        return note._replace(changed=stamp.day if stamp else "")
