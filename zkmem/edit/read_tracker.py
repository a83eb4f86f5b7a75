"""What this process has served: how far, for a reader of half a note must not replace all of it; and the latest texts.

An edit that was made from one of these may have to be merged with what was saved since.
"""

from collections import OrderedDict

from zkmem.edit.done import Done
from zkmem.edit.plan import Put
from zkmem.util.locks import Rank, lock

_MOST_BYTES = 8_000_000
_EACH = 500  # bytes, about, that it takes to remember a text, besides its own


class ReadTracker:
    """How far each note was served, by path."""

    def __init__(self) -> None:
        self._reached: dict[str, tuple[str, int]] = {}  # of notes served in part: etag, up to where without a gap
        self._whole: dict[str, str] = {}  # etag of notes that were served, or written, to their end
        self._texts: OrderedDict[tuple[str, str], bytes] = OrderedDict()  # by path and etag, the latest last
        self._bytes = 0
        self._lock = lock(Rank.LEAF)  # for the texts: a note may be read while the index is locked

    def note(self, path: str, etag: str, offset: int, next_offset: int | None) -> None:
        """Remember that a note was served from `offset` to `next_offset` (None: to its end)."""
        if self._whole.get(path) == etag:
            return
        known, reached = self._reached.get(path, (etag, 0))
        if known != etag:  # what was read of it may be another part now
            reached = 0
        if next_offset is None and offset <= reached:
            self._reached.pop(path, None)
            self._whole[path] = etag
        else:
            self._reached[path] = etag, max(reached, next_offset or 0) if offset <= reached else reached

    def edited(self, done: Done) -> Done:
        """Remember what readers know of the notes that were written, and say so if they do not know all."""
        for step in done.plan.steps:
            self._moved(step.path, step.path_after)
            if isinstance(step, Put):
                self._wrote(step.path, step.after)
                if step.path == done.plan.path:
                    self.keep(step.path, step.after, step.data)
        if done.merges_much:  # the note holds lines that no reader has seen
            self._whole.pop(done.plan.path, None)
            self._reached[done.plan.path] = "", 0
            done.remarks.append("much had changed meanwhile and is in it now: read it before you replace it")
        return done

    def _wrote(self, path: str, etag: str) -> None:
        """Whoever knew all of a note that a tool changed knows all of it still."""
        if path in self._whole or path not in self._reached:
            self._whole[path] = etag

    def _moved(self, path: str, to: str) -> None:
        """What is known of a note is known under its new path."""
        if path in self._reached:
            self._reached[to] = self._reached.pop(path)
        if path in self._whole:
            self._whole[to] = self._whole.pop(path)
        with self._lock:
            for old, tag in [key for key in self._texts if key[0] == path] if to != path else ():
                self._texts[to, tag] = self._texts.pop((old, tag))

    def in_part(self, path: str) -> bool:
        """Whether the note was served, but never to its end."""
        return path in self._reached

    def keep(self, path: str, etag: str, data: bytes) -> None:
        """Remember the text that a reader was given of a note, with its etag; the eldest are forgotten."""
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
        """The text of a note with an etag, if it is remembered."""
        with self._lock:
            return self._texts.get((path, etag))
