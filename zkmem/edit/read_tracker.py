"""Remember how far each note was read, and the latest texts that were read.

A caller who has read only a part of a note must not replace all of it. And an edit that was made from an older text may
have to be merged with later changes.
"""

from collections import OrderedDict

from zkmem.edit.done import Done
from zkmem.edit.plan import Put
from zkmem.util.locks import Rank, lock

_MOST_BYTES = 8_000_000
_EACH = 500  # bytes, about, of memory for each text besides its own bytes


class ReadTracker:
    """How far each note was read, by path."""

    def __init__(self) -> None:
        self._reached: dict[str, tuple[str, int]] = {}  # etag, and how far it was read without a gap
        self._whole: dict[str, str] = {}  # the etag of notes that were read, or written, to their end
        self._texts: OrderedDict[tuple[str, str], bytes] = OrderedDict()  # by path and etag, the latest last
        self._bytes = 0
        self._lock = lock(Rank.LEAF)  # for the texts: a note may be read while the index is locked

    def note(self, path: str, etag: str, offset: int, next_offset: int | None) -> None:
        """Remember that a note was read from `offset` to `next_offset`, or to its end if that is None."""
        if self._whole.get(path) == etag:
            return
        read_etag, reached = self._reached.get(path, (etag, 0))
        if read_etag != etag:  # the part that was read may have moved
            reached = 0
        if next_offset is None and offset <= reached:
            self._reached.pop(path, None)
            self._whole[path] = etag
        else:
            self._reached[path] = etag, max(reached, next_offset or 0) if offset <= reached else reached

    def edited(self, done: Done) -> Done:
        """Update the entries of the edited notes; add a remark if one now has many lines that nobody has read."""
        for step in done.plan.steps:
            self._moved(step.path, step.path_after)
            if isinstance(step, Put):
                self._wrote(step.path, step.after)
                if step.path == done.plan.path:
                    self.keep(step.path, step.after, step.data)
        if done.merges_much:  # the note has lines that were never read
            self._whole.pop(done.plan.path, None)
            self._reached[done.plan.path] = "", 0
            done.remarks.append("many changes of others were merged into it: read it before you replace it")
        return done

    def _wrote(self, path: str, etag: str) -> None:
        """Remember a written note as read to its end, unless only a part of it was read before."""
        if path in self._whole or path not in self._reached:
            self._whole[path] = etag

    def _moved(self, path: str, to: str) -> None:
        """Move the entries of a note to its new path."""
        if path in self._reached:
            self._reached[to] = self._reached.pop(path)
        if path in self._whole:
            self._whole[to] = self._whole.pop(path)
        with self._lock:
            for old, tag in [key for key in self._texts if key[0] == path] if to != path else ():
                self._texts[to, tag] = self._texts.pop((old, tag))

    def in_part(self, path: str) -> bool:
        """Return whether the note was read, but never to its end."""
        return path in self._reached

    def keep(self, path: str, etag: str, data: bytes) -> None:
        """Remember a text of a note with its etag; forget the oldest texts."""
        with self._lock:
            self._forget(self._texts.pop((path, etag), None))
            self._texts[path, etag] = data
            self._bytes += len(data) + _EACH
            while self._bytes > _MOST_BYTES:
                self._forget(self._texts.popitem(last=False)[1])

    def _forget(self, data: bytes | None) -> None:
        if data is not None:
            self._bytes -= len(data) + _EACH

    def text(self, path: str, etag: str) -> bytes | None:
        """Return the text of a note with an etag; None if it is not remembered."""
        with self._lock:
            return self._texts.get((path, etag))
