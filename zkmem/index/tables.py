"""What others derive from the notes, kept in step with the vault: one table of each kind."""

import logging
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from zkmem.errors import ZkError
from zkmem.index.live import LiveIndex, News

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
        self.pending: set[str] = set()


class Tables:
    """Tables over one index. To be used under its lock."""

    def __init__(self, live: LiveIndex, read: Callable[[str], bytes]) -> None:
        self._live = live
        self._read = read
        self._kept: dict[type[Any], _Kept] = {}

    def of(self, kind: type[AnyTable]) -> AnyTable:
        """The table of a kind, as the vault is; a note that cannot be read, or understood, is left out."""
        if kind not in self._kept:
            self._kept[kind] = _Kept(kind(), self._live.follow())
        kept = self._kept[kind]
        changed = kept.news.take()
        kept.pending.update(filter(kind.wants, self._live.index.catalog.notes() if changed is None else changed))
        for path in sorted(kept.pending):
            kept.table.drop(path)
            try:
                kept.table.put(path, self._read(path))
            except FileNotFoundError:  # it is gone
                pass
            except (OSError, ZkError, RecursionError) as error:  # of this note alone; `check` tells of most
                _log.warning("%r is left out: %s", path, error)
            kept.pending.discard(path)  # not before: what has not been looked at must not be forgotten
        found: AnyTable = kept.table
        return found
