"""What others derive from the notes, kept in step with the vault: one table of each kind."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from zkmem.index.live import LiveIndex, News


class Table(Protocol):
    """Something that is derived from every note by itself."""

    def put(self, path: str, data: bytes) -> None:
        """Take in a note that is new or has changed."""

    def drop(self, path: str) -> None:
        """Leave out a note, which may not be in the table."""


AnyTable = TypeVar("AnyTable", bound=Table)


class Tables:
    """Tables over one index. To be used under its lock."""

    def __init__(self, live: LiveIndex, read: Callable[[str], bytes]) -> None:
        self._live = live
        self._read = read
        self._tables: dict[type[Any], tuple[News, Any]] = {}

    def of(self, kind: type[AnyTable]) -> AnyTable:
        """The table of a kind, as the vault is; a note that cannot be read is left out."""
        if kind not in self._tables:
            self._tables[kind] = self._live.follow(), kind()
        news, table = self._tables[kind]
        changed = news.take()
        for path in self._live.index.catalog.notes() if changed is None else sorted(changed):
            table.drop(path)
            try:
                table.put(path, self._read(path))
            except OSError:  # it is gone, or `check` tells of it
                continue
        found: AnyTable = table
        return found
