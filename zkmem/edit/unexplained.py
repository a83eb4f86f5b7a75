"""Find the changes of notes that no entry of the logs explains, which other programs have made, and keep the texts."""

import heapq
import logging
import threading
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.errors import ZkError
from zkmem.index.catalog import CatalogRow
from zkmem.names import is_note
from zkmem.util.locks import Rank, lock
from zkmem.vault.files import etag
from zkmem.vault.journal.log import GIT, HAND, Change, Edit
from zkmem.vault.journal.versions import Versions
from zkmem.vault.paths import is_visible_note
from zkmem.vault.store import Store

MOST_NAMED = 1_000
"""The most notes that an entry about a change by another program lists."""

_TOGETHER_S = 300.0  # saves of one note within this time are one change
_MOST_BYTES = 16_000_000  # of texts in memory, compressed
_FAST = 1  # the level of compression
_MOST_FIRST = 5_000  # notes whose texts are read after the start, those changed last
_FEW = 20  # notes that are read without a pause
_PAUSE_S = 0.005
_PRIVATE = 0o600  # for the text of a note that is gone, whose permissions are not known any more

_log = logging.getLogger(__name__)


class PathStep(NamedTuple):
    """What an entry of the logs did at one path."""

    before: str | None
    after: str | None
    entry: Edit


class Unexplained(NamedTuple):
    """A change that no entry explains: the etags before and after."""

    path: str
    before: str | None
    after: str | None
    kind: str = HAND
    data: bytes | None = None  # the text after, if it is to be kept
    mtime_ns: int = 0  # 0 if the note is gone


def effects(entry: Edit) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield the paths of the notes that an entry has changed, each with the etags before and after."""
    for change in entry.changes:
        sides = [(change.path, change.before, change.after if change.to is None else None)]
        if change.to is not None:
            sides.append((change.to, None, change.before))
        yield from (side for side in sides if is_visible_note(side[0]))


def gaps_in(steps: Sequence[PathStep], tag: str | None) -> tuple[list[tuple[str | None, str | None]], str | None]:
    """Return the changes between the steps at one path, as etags before and after, and the etag after the last step.

    `tag` is the etag before the steps, or one that the path had between them: then the first step shows no change.
    An edit by a tool has the etag that it found, so it shows a change before it. An entry about another program may
    have replaced an earlier one.
    """
    is_before = all(step.after != tag for step in steps)
    gaps, previous = list[tuple[str | None, str | None]](), None if is_before else steps[0].entry
    for step in steps:
        if step.before != tag and not step.entry.outside and step.entry is not previous:
            gaps.append((tag, step.before))
        tag, previous = step.after, step.entry
    return gaps, tag


def with_moves(found: Sequence[Unexplained]) -> list[Change]:
    """Return some changes in the order of their paths; a note that is gone from one path and new at another has moved.

    If several notes had the same text, the text does not show which of them has moved.
    """
    gone, new = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for one in found:
        if one.before is None and one.after is not None:
            new[one.after].append(one.path)
        if one.after is None and one.before is not None:
            gone[one.before].append(one.path)
    moves = {old[0]: new[tag][0] for tag, old in gone.items() if len(old) == len(new.get(tag, ())) == 1}
    targets = set(moves.values())
    return [
        Change(one.path, one.before, one.before, moves[one.path])
        if one.path in moves
        else Change(one.path, one.before, one.after)
        for one in sorted(found, key=lambda one: one.path)
        if one.path not in targets
    ]


def continued(entry: Edit, last: Edit | None) -> Edit:
    """Return a change, joined with the last entry if that is a recent save of the same note, or if git made both."""
    if last is None or entry.outside != last.outside or entry.time - last.time > _TOGETHER_S:
        return entry
    if entry.outside in GIT:
        return _with_git(entry, last)
    if entry.outside != HAND or len(entry.changes) != 1 or len(last.changes) != 1:
        return entry
    (change,), (earlier,) = entry.changes, last.changes
    is_save = change.path == earlier.path and not change.to and not earlier.to and change.after is not None
    if not is_save or change.before is None or earlier.after != change.before:
        return entry
    return entry._replace(time=last.time, changes=(change._replace(before=earlier.before),), replaces=last.number)


def _with_git(entry: Edit, last: Edit) -> Edit:
    """Return a change by git, joined with the last one if they are about different files."""
    if not set(last.paths()).isdisjoint(entry.paths()):
        return entry
    changes = (*last.changes, *entry.changes)
    more = last.more + entry.more + max(0, len(changes) - MOST_NAMED)
    return entry._replace(time=last.time, changes=changes[:MOST_NAMED], more=more, replaces=last.number)


class KeptTexts:
    """The last texts of notes in memory, from which the texts before a change are added to the versions."""

    def __init__(self, store: Store, versions: Versions) -> None:
        self._store = store
        self._versions = versions
        self._texts = _RecentTexts()
        self._stale: set[str] | None = None  # notes whose text in `_texts` is old; None: no text was read yet

    def tag(self, path: str) -> str | None:
        """Return the etag of the text of a note that is in memory; None if there is none."""
        return self._texts.tag(path)

    def add_stale(self, path: str) -> None:
        """Let the next call of `read` read a note, which a tool has changed."""
        if self._stale is not None:
            self._stale.add(path)

    def keep(self, found: Sequence[Unexplained], room: int) -> int:
        """Keep the texts before and after some changes, as far as they are known and `room` is left for their bytes.

        Return how many bytes they have.
        """
        kept = 0
        for path, before, after, _, data, _ in found:
            old = self._texts.text(path, before) if before else None
            texts = {before: old, after: data}
            for tag, text in texts.items():
                if tag is not None and text is not None and kept + len(text) <= room:
                    kept += len(text)
                    try:
                        like = None if data is None else self._store.full(path)
                        self._versions.keep(text, tag, like=like, mode=_PRIVATE)
                    except (OSError, ZkError) as error:
                        _log.warning("a text could not be kept: %s", error)
            if after is None or data is None:
                self._texts.drop(path)
            else:
                self._texts.add(path, after, data)
        return kept

    def read(self, rows: dict[str, CatalogRow], closed: threading.Event) -> None:
        """Read the texts of the notes that were changed last or, after the first call, of those that tools changed.

        Stop when `closed` is set.
        """
        stale, self._stale = self._stale, set()
        for number, path in enumerate(_newest(rows.copy()) if stale is None else stale):  # the copy is atomic
            row = rows.get(path)
            if row is None or row.etag in {None, self._texts.tag(path)}:
                continue
            if self._texts.is_full and self._texts.tag(path) is None:
                continue
            if number % _FEW == _FEW - 1 and closed.wait(_PAUSE_S):
                return
            try:
                data = self._store.read(path)[0]
            except (OSError, ZkError):
                continue
            self._texts.add(path, etag(data), data)


def _newest(rows: Mapping[str, CatalogRow]) -> list[str]:
    """Return the notes that were changed last, the newest first."""
    return heapq.nlargest(_MOST_FIRST, filter(is_note, rows), key=lambda path: rows[path].stamp.mtime_ns)


class _RecentTexts:
    """The last text of each note, by path, compressed. Of too many, those that were added first are dropped."""

    def __init__(self) -> None:
        self._size = 0
        self._texts: dict[str, tuple[str | None, bytes]] = {}
        self._lock = lock(Rank.LEAF)

    @property
    def is_full(self) -> bool:
        """True if another text would replace an older one."""
        return self._size > 0.9 * _MOST_BYTES

    def tag(self, path: str) -> str | None:
        """Return the etag of the text of a note; None if there is none."""
        return self._texts.get(path, (None, b""))[0]

    def add(self, path: str, tag: str, data: bytes) -> None:
        """Add the text of a note, or replace it."""
        packed = zlib.compress(data, _FAST)
        with self._lock:
            self._drop(path)
            self._texts[path] = tag, packed
            self._size += len(packed)
            while self._size > _MOST_BYTES:
                self._drop(next(iter(self._texts)))

    def drop(self, path: str) -> None:
        """Remove the text of a note, if there is one."""
        with self._lock:
            self._drop(path)

    def _drop(self, path: str) -> None:
        if path in self._texts:
            self._size -= len(self._texts.pop(path)[1])

    def text(self, path: str, tag: str) -> bytes | None:
        """Return the text of a note if it has this etag."""
        known, packed = self._texts.get(path, ("", b""))
        return zlib.decompress(packed) if known == tag else None
