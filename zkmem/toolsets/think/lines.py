r"""Texts as lines, and what becomes of their summaries when lines change. Pure.

Lines count from 0 and end at `\n` alone. A final newline closes the last line and makes no other; an empty text has
no lines. Ranges are closed on both sides.
"""

import bisect
import itertools
from collections.abc import Sequence
from typing import NamedTuple

from zkmem.errors import BadArgument
from zkmem.toolsets.think.patterns import Pattern

_WORTH_A_SUMMARY = 20  # lines; more of them are


class Summary(NamedTuple):
    """What lines `first` to `last` say, in short."""

    first: int
    last: int
    text: str

    @property
    def data(self) -> dict[str, int | str]:
        """The summary as clients and notes have it."""
        return {"lineBeg": self.first, "lineEnd": self.last, "text": self.text}


class Change(NamedTuple):
    """Lines from `first` on, before `after`, have given way to so many `lines`."""

    first: int
    after: int
    lines: int


class Edited(NamedTuple):
    """A text after an edit, and what changed in it."""

    text: str
    changes: Sequence[Change]


class Reading(NamedTuple):
    """What a reader gets of a range: its text if the summaries do not say it all."""

    text: str | None
    summaries: list[Summary]
    worth_a_summary: bool


def lines_of(text: str) -> list[str]:
    """The lines of a text, without their newlines."""
    return text.removesuffix("\n").split("\n") if text else []


def _text_of(lines: Sequence[str], *, closed: bool) -> str:
    """The text of some lines. An empty last one is always closed: else it would not be there."""
    return "\n".join(lines) + ("\n" if lines and (closed or not lines[-1]) else "")


def pieces(text: str) -> list[str]:
    """The lines of a text, with their newlines."""
    *closed, rest = text.split("\n")
    return [line + "\n" for line in closed] + ([rest] if rest else [])


def part(text: str, first: int, last: int) -> str:
    """The lines of a range, each with its newline."""
    return "".join(pieces(text)[first : last + 1])


def check_range(text: str, first: int, last: int) -> None:
    """Refuse a range that is not in the text.

    Raises:
        BadArgument: with the number of its lines.
    """
    count = len(lines_of(text))
    if not 0 <= first <= last < count:
        has = f"the lines 0 to {count - 1}" if count else "no lines"
        raise BadArgument(f"There are no lines {first} to {last}: the text has {has}, and lineBeg <= lineEnd.")


def read(text: str, summaries: Sequence[Summary], first: int, last: int) -> Reading:
    """A range by its summaries, with the text unless they cover it all."""
    overlapping = [one for one in summaries if one.first <= last and first <= one.last]
    next_line = first
    for one in sorted(overlapping):
        if one.first > next_line:
            break
        next_line = max(next_line, one.last + 1)
    if next_line > last:
        return Reading(None, overlapping, worth_a_summary=False)
    return Reading(part(text, first, last), overlapping, worth_a_summary=last - first + 1 > _WORTH_A_SUMMARY)


def inserted(text: str, at: int, new: str) -> Edited:
    """The text with new lines before line `at`; it ends with a newline or not as it did."""
    lines, more = lines_of(text), lines_of(new) or [""]
    if not 0 <= at <= len(lines):
        raise BadArgument(f"There is no line {at}: lineNo must be 0 to {len(lines)}, which appends.")
    lines[at:at] = more
    return Edited(_text_of(lines, closed=(text or new).endswith("\n")), [Change(at, at, len(more))])


def deleted(text: str, first: int, last: int) -> Edited:
    """The text without a range."""
    check_range(text, first, last)
    lines = lines_of(text)
    del lines[first : last + 1]
    return Edited(_text_of(lines, closed=text.endswith("\n")), [Change(first, last + 1, 0)])


def replaced(text: str, first: int, last: int, new: str) -> Edited:
    """The text with other lines in the place of a range."""
    check_range(text, first, last)
    lines, more = lines_of(text), lines_of(new) or [""]
    changes = [] if lines[first : last + 1] == more else [Change(first, last + 1, len(more))]
    lines[first : last + 1] = more
    return Edited(_text_of(lines, closed=text.endswith("\n")), changes)


def substituted(text: str, first: int, last: int, pattern: Pattern, new: str) -> Edited:
    """The text with every match of a pattern in a range replaced; only lines with a match count as changed."""
    check_range(text, first, last)
    lines = lines_of(text)
    old = "\n".join(lines[first : last + 1])
    parts: list[str] = []
    changes: list[Change] = []
    at, line = 0, first  # how far it has come, in characters and in lines
    for match in pattern.matches(old):
        start, end = match.span()
        by = match.expand(new)
        parts += [old[at:start], by]
        line += old.count("\n", at, start)
        more = old.count("\n", start, end)
        if by != old[start:end]:
            changes.append(Change(line, line + more + 1, by.count("\n") + 1))
        at, line = end, line + more
    if not parts:
        raise BadArgument(f"The pattern matches nothing in the lines {first} to {last}; nothing was changed.")
    lines[first : last + 1] = "".join([*parts, old[at:]]).split("\n")
    return Edited(_text_of(lines, closed=text.endswith("\n")), changes)


def rewritten(text: str, new: str) -> Edited:
    """Another text; the lines that both begin and both end with are not changed."""
    before, after = lines_of(text), lines_of(new)
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    tail = next((at for at in range(most - head) if before[-1 - at] != after[-1 - at]), most - head)
    change = Change(head, len(before) - tail, len(after) - tail - head)
    return Edited(new, [] if before == after else [change])


def moved(summaries: Sequence[Summary], changes: Sequence[Change]) -> list[Summary]:
    """The summaries of lines that have not changed, where these are now; one of lines that were parted is dropped.

    The changes are in order, and may meet in a line.
    """
    ends = [change.after for change in changes]
    growth = [0, *itertools.accumulate(change.lines - (change.after - change.first) for change in changes)]
    kept = []
    for one in summaries:
        above = bisect.bisect_right(ends, one.first)
        if above == len(changes) or changes[above].first > one.last:
            kept.append(Summary(one.first + growth[above], one.last + growth[above], one.text))
    return kept


def without(summaries: Sequence[Summary], first: int, last: int) -> list[Summary]:
    """The summaries but for those that lie within a range."""
    return [one for one in summaries if not (first <= one.first and one.last <= last)]
