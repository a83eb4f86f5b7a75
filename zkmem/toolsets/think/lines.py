r"""Split texts into lines, and edit ranges of lines. Pure.

Lines count from 0 and end at `\n` alone. A newline at the end of the text begins no line; an empty text has no
lines. A range includes its first and its last line. If every line ends with `\r\n`, so do the new lines.
"""

from collections.abc import Sequence
from typing import NamedTuple

from zkmem.errors import BadArgument
from zkmem.toolsets.think.replacement import LineEdit


class LineChange(NamedTuple):
    """A change of a text: the lines from `first` to before `after` were replaced by `lines` lines."""

    first: int
    after: int
    lines: int


class EditedText(NamedTuple):
    """A text after an edit, and the changes."""

    text: str
    changes: Sequence[LineChange]


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, without their newlines."""
    return text.removesuffix("\n").split("\n") if text else []


def bare_lines_of(text: str) -> list[str]:
    r"""Return the lines of a text as patterns see them: without `\n` and `\r\n`."""
    return [line.removesuffix("\r") for line in lines_of(text)]


class _Text(NamedTuple):
    r"""A text to edit: its lines and their line end. In a text with both line ends, lines may end with a `\r`."""

    lines: list[str]
    end: str
    closed: bool  # the last line has a line end

    @classmethod
    def of(cls, text: str) -> "_Text":
        count = text.count("\n")
        end = "\r\n" if count and text.count("\r\n") == count else "\n"
        lines = text.removesuffix(end).split(end) if text else []
        return cls(lines, end, text.endswith("\n"))

    def new(self, text: str) -> list[str]:
        """Return the lines of a text to insert."""
        return lines_of(text.replace("\r\n", "\n") if self.end == "\r\n" else text) or [""]

    def __str__(self) -> str:
        """Return the text of the lines. An empty last line always gets a line end, without which it would vanish."""
        lines = self.lines
        return self.end.join(lines) + (self.end if lines and (self.closed or not lines[-1]) else "")


def pieces(text: str) -> list[str]:
    """Return the lines of a text, with their newlines."""
    *closed, rest = text.split("\n")
    return [line + "\n" for line in closed] + ([rest] if rest else [])


def part(text: str, first: int, last: int) -> str:
    """Return the lines of a range, each with its newline."""
    return "".join(pieces(text)[first : last + 1])


def check_range(text: str, first: int, last: int) -> None:
    """Check that a range is in the text."""
    count = len(lines_of(text))
    if not 0 <= first <= last < count:
        has = f"the lines 0 to {count - 1}" if count else "no lines"
        raise BadArgument(f"There are no lines {first} to {last}: the text has {has}, and lineBeg <= lineEnd.")


def inserted(text: str, at: int, new: str) -> EditedText:
    """Return the text with new lines before line `at`. It ends with a newline only if it did before."""
    edited = _Text.of(text)._replace(closed=(text or new).endswith("\n"))
    more, count = edited.new(new), len(edited.lines)
    if not 0 <= at <= count:
        raise BadArgument(f"There is no line {at}: lineNo must be 0 to {count}, which appends.")
    edited.lines[at:at] = more
    return EditedText(str(edited), [LineChange(at, at, len(more))])


def deleted(text: str, first: int, last: int) -> EditedText:
    """Return the text without a range."""
    check_range(text, first, last)
    edited = _Text.of(text)
    del edited.lines[first : last + 1]
    return EditedText(str(edited), [LineChange(first, last + 1, 0)])


def replaced(text: str, first: int, last: int, new: str) -> EditedText:
    """Return the text with a range replaced by other lines."""
    check_range(text, first, last)
    edited = _Text.of(text)
    more = edited.new(new)
    changes = [] if edited.lines[first : last + 1] == more else [LineChange(first, last + 1, len(more))]
    edited.lines[first : last + 1] = more
    return EditedText(str(edited), changes)


def substituted(text: str, first: int, runs: Sequence[LineEdit]) -> EditedText:
    """Return the text with the line edits `runs` applied, which are in order and count from line `first`."""
    edited = _Text.of(text)
    parts, changes, at = list[str](), list[LineChange](), 0
    for run in runs:
        start, after = run.first + first, run.after + first
        new = _ended_as(edited.lines[start:after], run.text.split("\n"))
        parts += [*edited.lines[at:start], *new]
        changes.append(LineChange(start, after, len(new)))
        at = after
    edited.lines[:at] = parts
    return EditedText(str(edited), changes)


def _ended_as(old: Sequence[str], new: Sequence[str]) -> list[str]:
    r"""Return new lines with the `\r` of the lines that they replace, which a pattern does not see."""
    tails = ["\r" if line.endswith("\r") else "" for line in old]
    return [line + tails[min(at, len(tails) - 1)] for at, line in enumerate(new)]


def rewritten(text: str, new: str) -> EditedText:
    """Return the new text. Equal lines at the beginning and the end of both texts count as unchanged."""
    before, after = lines_of(text), lines_of(new)
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    tail = next((at for at in range(most - head) if before[-1 - at] != after[-1 - at]), most - head)
    change = LineChange(head, len(before) - tail, len(after) - tail - head)
    return EditedText(new, [] if before == after else [change])
