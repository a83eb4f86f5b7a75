"""Merge the lines of two sides so that no line is lost.

Unlike `threeway`, this never refuses a merge, because there is no caller who could decide. Where both sides changed the
same lines, the second side's lines stand in the text, and the first side's are kept beside them.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zkmem.util.threeway import Hunk, applied, hunks

_STANDS_ALONE = re.compile(r"\s*([-*+]\s|\d+[.)]|\||>)")  # an item, a table row, a quote: it needs no blank line above


class Piece(NamedTuple):
    """Lines of a merged text, and the first side's lines if it changed the same lines in another way."""

    lines: Sequence[str]
    first_lines: Sequence[str] = ()


class _Group(NamedTuple):
    """The lines `start` to `end` of the base, and the hunks of each side there. Hunks of two groups do not meet."""

    start: int
    end: int
    sides: tuple[list[Hunk], list[Hunk]]


def pieces(base: Sequence[str], first: Sequence[str], second: Sequence[str], *, prose: bool = True) -> list[Piece]:
    """Return the merged text in pieces. With `prose`, paragraphs of the two sides stay apart.

    - What only one side changed, or both changed alike, is taken.
    - Where both inserted lines at one place, the first side's lines stand above the second's; equal lines stand once.
    - Lines that one side removed and the other changed stand as changed.
    """
    result, at = [], 0
    for group in _groups(hunks(base, first), hunks(base, second)):
        result.append(Piece(base[at : group.start]))
        result += _merged_group(base, group, prose=prose)
        at = group.end
    return [piece for piece in (*result, Piece(base[at:])) if piece.lines]


def with_both(first: Sequence[str], second: Sequence[str], above: str | None = "") -> list[str]:
    """Return the lines of both texts, and equal lines once. Paragraphs of the two texts stay apart.

    `above`: the line above the texts; None if they are no prose, so that no line is added between them.
    """
    result: list[str] = []
    at = 0
    for hunk in hunks(first, second):
        result += first[at : hunk.start]
        one, other = first[hunk.start : hunk.end], hunk.lines
        apart = above is not None and not (result[-1] if result else above).strip()
        if (
            apart
            and not _STANDS_ALONE.match((*other, "")[0])
            and one
            and other
            and one[-1].strip()
            and other[0].strip()
        ):
            one = [*one, ""]
        result += [*one, *other]
        at = hunk.end
    return [*result, *first[at:]]


def _groups(first: Sequence[Hunk], second: Sequence[Hunk]) -> Iterator[_Group]:
    """Yield groups of hunks, in order."""
    group: _Group | None = None
    both = [(hunk.start, hunk.end, side, hunk) for side, one in enumerate((first, second)) for hunk in one]
    for start, end, side, hunk in sorted(both, key=lambda one: one[:3]):
        if group is None or not (start < group.end or start == end == group.start == group.end):
            if group:
                yield group
            group = _Group(start, end, ([], []))
        group.sides[side].append(hunk)
        group = group._replace(end=max(end, group.end))
    if group:
        yield group


def _merged_group(base: Sequence[str], group: _Group, *, prose: bool) -> list[Piece]:
    """Return the pieces for the lines of a group."""
    first, second = (applied(base, side, group.start, group.end) for side in group.sides)
    if not group.sides[0] or first == second:
        return [Piece(second)]
    if not group.sides[1]:
        return [Piece(first)]
    if group.start == group.end:
        above = base[group.start - 1] if group.start else ""
        return [Piece(with_both(first, second, above if prose else None))]
    if any(_only_removes(side) for side in group.sides):
        return [Piece(_without(base, group))]
    before = _common(first, second)
    after = _common(first[before:][::-1], second[before:][::-1])
    one, other = first[before : len(first) - after], second[before : len(second) - after]
    middle = Piece(other, one) if one and other else Piece(one or other)
    return [Piece(second[:before]), middle, Piece(second[len(second) - after :])]


def _only_removes(side: Iterable[Hunk]) -> bool:
    return not any(hunk.lines for hunk in side)


def _without(base: Sequence[str], group: _Group) -> list[str]:
    """Return the lines of a group that no side removed, and the lines that one side put in their place."""
    new = {hunk.start: hunk.lines for side in group.sides for hunk in side if hunk.lines}
    gone = {number for side in group.sides for hunk in side for number in range(hunk.start, hunk.end)}
    result: list[str] = []
    for number in range(group.start, group.end + 1):
        result += new.get(number, ())
        result += base[number : number + 1] if number < group.end and number not in gone else ()
    return result


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines are equal at the beginning of two texts."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
