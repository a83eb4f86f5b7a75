"""What this process has served only in part: a reader of half a note must not replace all of it."""

from collections import OrderedDict

_MOST = 1_000


class Served:
    """Etags of texts that were served in part, and how far; the oldest are forgotten."""

    def __init__(self) -> None:
        self._reached: OrderedDict[str, int] = OrderedDict()

    def note(self, etag: str, offset: int, next_offset: int | None) -> None:
        """Remember that a text was served from `offset` to `next_offset` (None: to its end)."""
        reached = self._reached.pop(etag, 0)
        if next_offset is None and offset <= reached:
            return
        self._reached[etag] = max(reached, next_offset or 0) if offset <= reached else reached
        if len(self._reached) > _MOST:
            self._reached.popitem(last=False)

    def in_part(self, etag: str) -> bool:
        """Whether the text with this etag was served, but never to its end."""
        return etag in self._reached
