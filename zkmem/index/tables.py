"""What others make of each note, kept in step with the vault: one table for each function that makes it."""

from collections.abc import Callable, Mapping
from typing import Any

from zkmem.index.live import LiveIndex, News

Parse = Callable[[str, bytes], Any]
"""(path, bytes) -> what is to be kept of the note; None for nothing."""


class Tables:
    """Tables over one index. To be used under its lock."""

    def __init__(self, live: LiveIndex, read: Callable[[str], bytes]) -> None:
        self._live = live
        self._read = read
        self._tables: dict[Parse, tuple[News, dict[str, Any]]] = {}

    def of(self, parse: Parse) -> Mapping[str, Any]:
        """What `parse` makes of each note, by path; a note that cannot be read is left out."""
        if parse not in self._tables:
            self._tables[parse] = self._live.follow(), {}
        news, table = self._tables[parse]
        changed = news.take()
        for path in self._live.index.catalog.notes() if changed is None else changed:
            try:
                value = parse(path, self._read(path))
            except OSError:  # `check` tells of those that are there
                value = None
            if value is None:
                table.pop(path, None)
            else:
                table[path] = value
        return table
