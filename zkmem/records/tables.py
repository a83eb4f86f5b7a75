"""What others derive from the notes, kept in step with the vault: one table of each kind."""

import functools
import logging
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from zkmem.errors import ZkError
from zkmem.index.live import Behind, News, no_collector
from zkmem.index.session import Session

_FEW = 100  # notes that a table may read while its user holds the index
_SLICE = 200  # notes that are read before a pause for other threads
_MANY = 2_000  # notes that are not read in the watcher's thread, which must not miss its events

_log = logging.getLogger(__name__)


class Table(Protocol):
    """Something that is derived from every note by itself."""

    @staticmethod
    def wants(path: str) -> bool:
        """Whether a note could be in the table, as far as its path tells; others are not read."""

    def put(self, path: str, data: bytes) -> None:
        """Take in a note that is new or has changed."""

    def drop(self, path: str) -> None:
        """Leave out a note, which may not be in the table."""


AnyTable = TypeVar("AnyTable", bound=Table)


class _Kept:
    """A table, and the notes that it has not looked at as they are."""

    def __init__(self, table: Any, news: News) -> None:
        self.table = table
        self.news = news
        self.pending: dict[str, object] = {}  # with a mark that changes whenever the note does
        self.is_filled = False  # whether it has looked at all notes once


class Tables:
    """Tables over one index."""

    def __init__(self, session: Session, read: Callable[[str], bytes]) -> None:
        """`read`: returns the bytes of the note at a path."""
        self._session = session
        self._live = session.live
        self._read = read
        self._kept: dict[type[Any], _Kept] = {}
        self._live.after_changes(self._catch_up)

    def of(self, kind: type[AnyTable]) -> AnyTable:
        """Return the up-to-date table of a kind. The calling thread must hold the index.

        A note that cannot be read or parsed is left out.

        Raises:
            Behind: when the table must read many notes first, e.g. when it is used for the first time.
        """
        kept = self._current(kind)
        if len(kept.pending) > _FEW:
            raise Behind(functools.partial(self.fill, kind))
        for path in sorted(kept.pending):
            self._take_in(kept, path, self._read_or_not(path))
        found: AnyTable = kept.table
        return found

    def fill(self, kind: type[AnyTable]) -> None:
        """Make the table of a kind read all notes that it has not seen, with pauses for other threads."""
        with self._session.hold():
            kept = self._current(kind)
            waiting = [(path, kept.pending[path]) for path in sorted(kept.pending)]
        if kept.is_filled:
            self._fill(kept, waiting)
            return
        with no_collector():
            self._fill(kept, waiting)
        kept.is_filled = True
        self._live.freeze()

    def _catch_up(self) -> None:
        """Make the tables in use read what has changed, so that the next call need not wait for that."""
        for kind, kept in tuple(self._kept.items()):
            with self._session.hold():
                behind = len(self._current(kind).pending) if kept.is_filled else 0
            if _FEW < behind < _MANY:
                self.fill(kind)

    def _fill(self, kept: _Kept, waiting: list[tuple[str, object]]) -> None:
        for start in range(0, len(waiting), _SLICE):
            self._live.check_open()
            texts = [(path, mark, self._read_or_not(path)) for path, mark in waiting[start : start + _SLICE]]
            with self._session.hold():
                for path, mark, data in texts:
                    if kept.pending.get(path) is mark:  # else another thread has read it, or it has changed since
                        self._take_in(kept, path, data)

    def _current(self, kind: type[Any]) -> _Kept:
        """Return a table and the notes that it has yet to read."""
        if kind not in self._kept:
            self._kept[kind] = _Kept(kind(), self._live.follow())
        kept = self._kept[kind]
        changed = kept.news.take()
        paths = filter(kind.wants, self._live.index.catalog.notes() if changed is None else changed)
        kept.pending.update(dict.fromkeys(paths, object()))
        return kept

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

    def _take_in(self, kept: _Kept, path: str, data: bytes | None) -> None:
        kept.table.drop(path)
        try:
            if data is not None and path in self._live.index.catalog.rows:  # else it is news once the index has it
                kept.table.put(path, data)
        except (ZkError, RecursionError) as error:
            _log.warning("%r is left out: %s", path, error)
        kept.pending.pop(path, None)  # last: after an error the note must still be pending
