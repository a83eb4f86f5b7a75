"""Summaries of lines: find the stale ones, read a range through them, and move them after an edit. Pure.

A summary has a hash of the lines that it covers. It is stale if an edit by hand, or by a tool that knows no summaries,
has changed these lines. A summary without a hash (older versions wrote none) counts as good.
"""

import bisect
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

from zkmem.toolsets.think.lines import LineChange, bare_lines_of, part

_WORTH_A_SUMMARY = 20  # lines; a longer range is worth a summary
_BASE, _PRIME = 1_000_003, 2**32 - 5


class LinesSummary(NamedTuple):
    """A summary of the lines `first` to `last`."""

    first: int
    last: int
    text: str
    hash: str = ""  # the hash of the lines when they were summarized
    more: Mapping[str, object] = {}  # other keys that a person has added
    stale: bool = False  # whether the lines have another hash now

    @property
    def data(self) -> dict[str, object]:
        """The summary as data for clients."""
        data: dict[str, object] = {"lineBeg": self.first, "lineEnd": self.last, "text": self.text}
        return data | ({"stale": True} if self.stale else {})

    @property
    def record(self) -> dict[str, object]:
        """The summary as data for the note's frontmatter."""
        record: dict[str, object] = {"lineBeg": self.first, "lineEnd": self.last, "text": self.text}
        return record | ({"hash": self.hash} if self.hash else {}) | dict(self.more)

    @property
    def shown(self) -> str:
        """The summary as text for a reader."""
        note = " (stale: these lines have changed since)" if self.stale else ""
        return f"lines {self.first}-{self.last}{note}: {self.text}"


class Reading(NamedTuple):
    """The answer to a read of a range: summaries, and the text if they do not cover all of it."""

    text: str | None
    summaries: list[LinesSummary]
    worth_a_summary: bool


class LineHashes:
    """Short hashes of ranges of lines. Each line is hashed once, for any number of ranges of any length.

    The hash of a range is a polynomial in the checksums of its lines, the difference of two running sums. Line ends do
    not count, since an editor may change them all.
    """

    def __init__(self, text: str) -> None:
        self._sums = [0]
        for line in bare_lines_of(text):
            checksum = crc32(line.encode())
            self._sums.append((self._sums[-1] * _BASE + checksum + 1) % _PRIME)

    def of(self, first: int, last: int) -> str:
        """Return the hash of a range as 8 hexadecimal digits."""
        before = self._sums[first] * pow(_BASE, last + 1 - first, _PRIME)
        return f"{(self._sums[last + 1] - before) % _PRIME:08x}"


def in_order(summaries: Iterable[LinesSummary]) -> list[LinesSummary]:
    """Return summaries in the order of their lines."""
    return sorted(summaries, key=lambda one: one[:3])


def signed(text: str, summaries: Sequence[LinesSummary]) -> list[LinesSummary]:
    """Return summaries with the current hashes of their lines."""
    hashes = LineHashes(text if summaries else "")
    return [one._replace(hash=hashes.of(one.first, one.last)) for one in summaries]


def checked(text: str, summaries: Sequence[LinesSummary]) -> list[LinesSummary]:
    """Return the summaries whose lines the text has, in order, each marked as stale or not."""
    hashes = LineHashes(text if any(one.hash for one in summaries) else "")
    count = len(bare_lines_of(text))
    present = in_order(one for one in summaries if one.last < count)
    return [one._replace(stale=bool(one.hash) and one.hash != hashes.of(one.first, one.last)) for one in present]


def read(text: str, summaries: Sequence[LinesSummary], first: int, last: int) -> Reading:
    """Return the summaries of a range, with its text unless good summaries cover all of it."""
    overlapping = [one for one in summaries if one.first <= last and first <= one.last]
    next_line = first
    for one in in_order(one for one in overlapping if not one.stale):
        if one.first > next_line:
            break
        next_line = max(next_line, one.last + 1)
    if next_line > last:
        return Reading(None, overlapping, worth_a_summary=False)
    return Reading(part(text, first, last), overlapping, worth_a_summary=last - first + 1 > _WORTH_A_SUMMARY)


def moved(summaries: Sequence[LinesSummary], changes: Sequence[LineChange]) -> list[LinesSummary]:
    """Return the summaries of unchanged lines, with their new positions; drop one whose lines were split or changed.

    The changes are in order, and may touch the same line.
    """
    ends = [change.after for change in changes]
    growth = [0, *itertools.accumulate(change.lines - (change.after - change.first) for change in changes)]
    remaining = []
    for one in summaries:
        above = bisect.bisect_right(ends, one.first)
        if above == len(changes) or changes[above].first > one.last:
            remaining.append(one._replace(first=one.first + growth[above], last=one.last + growth[above]))
    return remaining
