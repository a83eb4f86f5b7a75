r"""Texts as lines, and what edits make of them. Pure.

Lines count from 0 and end at `\n` alone. A final newline closes the last line and makes no other; an empty text has
no lines. Ranges are closed on both sides. Where every line ends with `\r\n`, what is put in does too.
"""

from collections.abc import Sequence
from typing import NamedTuple

from zkmem.errors import BadArgument
from zkmem.toolsets.think.replacement import LineEdit


class Change(NamedTuple):
    """Lines from `first` on, before `after`, have given way to so many `lines`."""

    first: int
    after: int
    lines: int


class Edited(NamedTuple):
    """A text after an edit, and what changed in it."""

    text: str
    changes: Sequence[Change]


def lines_of(text: str) -> list[str]:
    """The lines of a text, without their newlines."""
    return text.removesuffix("\n").split("\n") if text else []


def bare_lines_of(text: str) -> list[str]:
    r"""The lines of a text as patterns see them: without `\r\n` too."""
    return [line.removesuffix("\r") for line in lines_of(text)]


class _Text(NamedTuple):
    r"""A text to be edited: its lines, and how they end. The lines of a text of both line ends may end with a `\r`."""

    lines: list[str]
    end: str
    closed: bool  # whether the last line is

    @classmethod
    def of(cls, text: str) -> "_Text":
        count = text.count("\n")
        end = "\r\n" if count and text.count("\r\n") == count else "\n"
        lines = text.removesuffix(end).split(end) if text else []
        return cls(lines, end, text.endswith("\n"))

    def new(self, text: str) -> list[str]:
        """The lines of a text that is put in."""
        return lines_of(text.replace("\r\n", "\n") if self.end == "\r\n" else text) or [""]

    def __str__(self) -> str:
        """The text of the lines. An empty last one is always closed: else it would not be there."""
        lines = self.lines
        return self.end.join(lines) + (self.end if lines and (self.closed or not lines[-1]) else "")


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


def inserted(text: str, at: int, new: str) -> Edited:
    """The text with new lines before line `at`; it ends with a newline or not as it did."""
    there = _Text.of(text)._replace(closed=(text or new).endswith("\n"))
    more, count = there.new(new), len(there.lines)
    if not 0 <= at <= count:
        raise BadArgument(f"There is no line {at}: lineNo must be 0 to {count}, which appends.")
    there.lines[at:at] = more
    return Edited(str(there), [Change(at, at, len(more))])


def deleted(text: str, first: int, last: int) -> Edited:
    """The text without a range."""
    check_range(text, first, last)
    there = _Text.of(text)
    del there.lines[first : last + 1]
    return Edited(str(there), [Change(first, last + 1, 0)])


def replaced(text: str, first: int, last: int, new: str) -> Edited:
    """The text with other lines in the place of a range."""
    check_range(text, first, last)
    there = _Text.of(text)
    more = there.new(new)
    changes = [] if there.lines[first : last + 1] == more else [Change(first, last + 1, len(more))]
    there.lines[first : last + 1] = more
    return Edited(str(there), changes)


def substituted(text: str, first: int, runs: Sequence[LineEdit]) -> Edited:
    """The text with other lines in the place of some; the runs count from line `first`, and are in order."""
    there = _Text.of(text)
    parts, changes, at = list[str](), list[Change](), 0
    for run in runs:
        start, after = run.first + first, run.after + first
        new = _ended_as(there.lines[start:after], run.text.split("\n"))
        parts += [*there.lines[at:start], *new]
        changes.append(Change(start, after, len(new)))
        at = after
    there.lines[:at] = parts
    return Edited(str(there), changes)


def _ended_as(old: Sequence[str], new: Sequence[str]) -> list[str]:
    r"""New lines with the `\r` of those in whose place they come, which a pattern does not see."""
    tails = ["\r" if line.endswith("\r") else "" for line in old]
    return [line + tails[min(at, len(tails) - 1)] for at, line in enumerate(new)]


def rewritten(text: str, new: str) -> Edited:
    """Another text; the lines that both begin and both end with are not changed."""
    before, after = lines_of(text), lines_of(new)
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    tail = next((at for at in range(most - head) if before[-1 - at] != after[-1 - at]), most - head)
    change = Change(head, len(before) - tail, len(after) - tail - head)
    return Edited(new, [] if before == after else [change])
