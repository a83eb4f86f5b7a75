"""Tables that toolsets derive from the notes, one of each kind, updated when notes change."""

import functools
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from zkmem.errors import ZkError
from zkmem.index.live import Behind, News
from zkmem.index.session import Session
from zkmem.names import is_note
from zkmem.util.collector import no_collector

_FEW = 100  # notes that a table may read while its user holds the index
_SLICE = 200  # notes that are read before a pause for other threads
_MANY = 2_000  # notes that are not read in the watcher's thread, which must not miss its events

_log = logging.getLogger(__name__)


class RecordTable(Protocol):
    """A table with a row for each note, which depends on that note alone."""

    @staticmethod
    def wants(path: str) -> bool:
        """Return whether the file at a path may be in the table: by default, any note. Other files are not read."""
        return is_note(path)

    def put(self, path: str, data: bytes) -> None:
        """Add a note that is new or has changed."""

    def drop(self, path: str) -> None:
        """Remove a note, if it is in the table."""


AnyTable = TypeVar("AnyTable", bound=RecordTable)


@dataclass(eq=False, slots=True)
class _Entry:
    """A table, and the notes that it must still read."""

    table: Any
    news: News
    pending: dict[str, object] = field(
        default_factory=dict
    )  # by path, an object that is replaced whenever the note changes
    is_filled: bool = False  # whether it has looked at all notes once


class Tables:
    """The tables of one index."""

    def __init__(self, session: Session, read: Callable[[str], bytes]) -> None:
        """`read`: returns the bytes of the note at a path."""
        self._session = session
        self._live = session.live
        self._read = read
        self._entries: dict[type[Any], _Entry] = {}
        self._live.after_changes(self._catch_up)

    def of(self, kind: type[AnyTable]) -> AnyTable:
        """Return the up-to-date table of a kind. The calling thread must hold the index.

        A note that cannot be read or parsed is left out.
        """
        entry = self._current(kind)
        if len(entry.pending) > _FEW:
            raise Behind(functools.partial(self.fill, kind))
        for path in sorted(entry.pending):
            self._take_in(entry, path, self._read_or_not(path))
        table: AnyTable = entry.table
        return table

    def fill(self, kind: type[AnyTable]) -> None:
        """Make the table of a kind read all notes that it has not seen, with pauses for other threads."""
        with self._session.hold():
            entry = self._current(kind)
            waiting = [(path, entry.pending[path]) for path in sorted(entry.pending)]
        if entry.is_filled:
            self._fill(entry, waiting)
            return
        with no_collector():
            self._fill(entry, waiting)
        entry.is_filled = True
        self._live.freeze()

    def _catch_up(self) -> None:
        """Make the tables in use read what has changed, so that the next call need not wait for that."""
        for kind, entry in tuple(self._entries.items()):
            with self._session.hold():
                behind = len(self._current(kind).pending) if entry.is_filled else 0
            if _FEW < behind < _MANY:
                self.fill(kind)

    def _fill(self, entry: _Entry, waiting: list[tuple[str, object]]) -> None:
        for start in range(0, len(waiting), _SLICE):
            self._live.check_open()
            texts = [(path, mark, self._read_or_not(path)) for path, mark in waiting[start : start + _SLICE]]
            with self._session.hold():
                for path, mark, data in texts:
                    if entry.pending.get(path) is mark:  # else another thread has read it, or it has changed since
                        self._take_in(entry, path, data)

    def _current(self, kind: type[Any]) -> _Entry:
        """Return a table and the notes that it has yet to read."""
        if kind not in self._entries:
            self._entries[kind] = _Entry(kind(), self._live.follow())
        entry = self._entries[kind]
        changed = entry.news.take()
        paths = filter(kind.wants, self._live.index.catalog.notes() if changed is None else changed)
        entry.pending.update(dict.fromkeys(paths, object()))
        return entry

    def _read_or_not(self, path: str) -> bytes | None:
        """Return the bytes of a note; None if it cannot be read."""
        for _ in range(2):
            try:
                return self._read(path)
            except FileNotFoundError:  # tell the index: the note may come back with its old stamp
                self._live.take_in([path])
            except (OSError, ZkError) as error:  # concerns this note alone; `check` reports most of these
                _log.warning("%r is left out: %s", path, error)
                break
        return None

    def _take_in(self, entry: _Entry, path: str, data: bytes | None) -> None:
        entry.table.drop(path)
        try:
            if data is not None and path in self._live.index.catalog.rows:  # else it is news once the index has it
                entry.table.put(path, data)
        except (ZkError, RecursionError) as error:
            _log.warning("%r is left out: %s", path, error)
        entry.pending.pop(path, None)  # last: after an error the note must still be pending
