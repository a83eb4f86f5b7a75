"""Remember how far each reader has read each note, and the latest texts that were read.

A caller who has read only a part of a note must not replace all of it. And an edit that was made from an older text may
have to be merged with later changes.
"""

from collections import OrderedDict
from collections.abc import Hashable

from zkmem.edit.done import Done
from zkmem.edit.plan import LastRead, Plan, Put
from zkmem.past.old_texts import OldText
from zkmem.util.locks import Rank, lock

_MOST_BYTES = 8_000_000
_EACH = 500  # bytes, about, of memory for each text besides its own bytes
_MOST_SHOWN = 20  # older texts of notes, which have at most `_MOST_BYTES` together
_MOST_READS = 50_000  # notes that are known to be read, counted for each reader: some 15 MB


class ReadTracker:
    """How far each reader has read each note. A reader is one session of a client."""

    def __init__(self) -> None:
        self._reads: OrderedDict[str, dict[Hashable, LastRead]] = OrderedDict()  # by path, the latest last
        self._count = 0  # of the reads
        self._texts: OrderedDict[tuple[str, str], bytes] = OrderedDict()  # by path and etag, the latest last
        self._bytes = 0
        self._shown: OrderedDict[tuple[Hashable, str], OldText] = OrderedDict()  # by reader and path, the latest last
        self._lock = lock(Rank.LEAF)  # a note may be read while the index is locked

    def note(self, reader: Hashable, path: str, etag: str, offset: int, next_offset: int | None) -> None:
        """Remember that a note was read from `offset` to `next_offset`, or to its end if that is None."""
        with self._lock:
            last_read = self._reads.get(path, {}).get(reader)
            is_known = last_read is not None and last_read.etag == etag and not last_read.glimpsed
            reached = last_read.reached if last_read and is_known else 0  # the part of another version may have moved
            if reached is not None and offset <= reached:
                reached = None if next_offset is None else max(reached, next_offset)
            self._put(reader, path, LastRead(etag, reached))

    def glimpse(self, reader: Hashable, path: str, etag: str) -> None:
        """Remember that a note was read in the expansion of another one."""
        with self._lock:
            last_read = self._reads.get(path, {}).get(reader)
            if last_read is None or (last_read.etag != etag and last_read.reached is None):
                self._put(reader, path, LastRead(etag, None, glimpsed=True))

    def last(self, reader: Hashable, path: str) -> LastRead | None:
        """Return what a reader has read of a note; None if that is nothing, or forgotten."""
        with self._lock:
            return self._reads.get(path, {}).get(reader)

    def showed(self, reader: Hashable, path: str, text: OldText) -> None:
        """Remember that a reader was shown an older text of the note at a path, until it writes that note."""
        with self._lock:
            self._shown.pop((reader, path), None)
            self._shown[reader, path] = text
            while len(self._shown) > _MOST_SHOWN or sum(len(one.data) for one in self._shown.values()) > _MOST_BYTES:
                self._shown.popitem(last=False)

    def shown(self, reader: Hashable, path: str) -> OldText | None:
        """Return the older text of a note that a reader was shown last; None if there is none, or it is forgotten."""
        with self._lock:
            return self._shown.get((reader, path))

    def edited(self, done: Done, reader: Hashable) -> Done:
        """Update the entries of the edited notes; add a remark if one now has many lines that nobody has read."""
        with self._lock:
            for step in done.plan.steps:
                self._moved(step.path, step.path_after)
                if isinstance(step, Put):
                    self._wrote(reader, step, done.plan)
            if done.merges_much:  # the note has lines that were never read
                self._put(reader, done.plan.path, LastRead("", 0))
                done.remarks.append("many changes of others were merged into it: read it before you replace it")
        return done

    def _wrote(self, reader: Hashable, step: Put, plan: Plan) -> None:
        """Remember an edited note as read to its end by the writer, unless only a part of it was read before.

        What the writer has read of another note that the edit writes, for example to update links, does not change. Nor
        does it for a writer who has added text, or replaced a passage, in a text that others have changed since: the
        answer does not show their changes.
        """
        is_edited = step.path == plan.path
        last_read = self._reads.get(step.path, {}).get(reader, LastRead("", None) if is_edited else None)
        shows_all = not plan.is_part or plan.merged or (last_read and not last_read.etag)
        if last_read and last_read.reached is None and (last_read.etag == step.base or (is_edited and shows_all)):
            self._put(reader, step.path, last_read._replace(etag=step.after))
        if is_edited:
            self._shown.pop((reader, step.path), None)
        if is_edited or last_read:
            self._keep(step.path, step.after, step.data)

    def _put(self, reader: Hashable, path: str, read: LastRead) -> None:
        """Remember what a reader has read of a note; forget the notes that were read longest ago."""
        readers = self._reads.setdefault(path, {})
        self._count += reader not in readers
        readers[reader] = read
        self._reads.move_to_end(path)
        while self._count > _MOST_READS:
            self._count -= len(self._reads.popitem(last=False)[1])

    def _moved(self, path: str, to: str) -> None:
        """Move the entries of a note to its new path."""
        if to == path:
            return
        if path in self._reads:
            self._count -= len(self._reads.get(to, ()))
            self._reads[to] = self._reads.pop(path)
        for old, tag in [key for key in self._texts if key[0] == path]:
            self._texts[to, tag] = self._texts.pop((old, tag))
        for reader, old in [key for key in self._shown if key[1] == path]:
            self._shown[reader, to] = self._shown.pop((reader, old))

    def keep(self, path: str, etag: str, data: bytes) -> None:
        """Remember a text of a note with its etag; forget the oldest texts."""
        with self._lock:
            self._keep(path, etag, data)

    def _keep(self, path: str, etag: str, data: bytes) -> None:
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
