"""Merge the lines of two sides so that no line is lost.

Unlike `threeway`, this never refuses a merge, because there is no caller who could decide. Where both sides changed the
same line in different ways, the second side's line stands in the text, and the first side's is kept beside it.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from zkmem.util.hunks import Group, Hunk, applied, divided_hunks, groups
from zkmem.util.insertions import Piece, differences, joined
from zkmem.util.threeway import hunks


def pieces(
    base: Sequence[str], first: Sequence[str], second: Sequence[str], *, levels: Mapping[str, int] | None
) -> list[Piece]:
    """Return the merged text in pieces: see `pieces_of`."""
    return pieces_of(base, hunks(base, first), hunks(base, second), levels=levels)


def pieces_of(
    base: Sequence[str], first: Sequence[Hunk], second: Sequence[Hunk], *, levels: Mapping[str, int] | None
) -> list[Piece]:
    """Return the merged text in pieces. `levels`: the level of each heading; None if the texts are no prose.

    - What only one side changed, or both changed alike, is taken.
    - Where both inserted lines at one place, these are joined: see `insertions.joined`.
    - Lines that one side removed and the other changed stand as changed.
    """
    ours, others = divided_hunks(base, first, second, touching=True)
    result, at = [], 0
    for group in groups(ours, others):
        result.append(Piece(base[at : group.start]))
        result += _merged_group(base, group, levels)
        at = group.end
    return _together(piece for piece in (*result, Piece(base[at:])) if piece.lines)


def _merged_group(base: Sequence[str], group: Group, levels: Mapping[str, int] | None) -> Iterable[Piece]:
    """Return the pieces for the lines of a group."""
    first, second = (applied(base, side, group.start, group.end) for side in group.sides)
    if not group.sides[0] or first == second:
        return [Piece(second)]
    if not group.sides[1]:
        return [Piece(first)]
    if group.start == group.end:
        return joined(base, group.start, first, second, levels)
    if any(_only_removes(side) for side in group.sides):
        return [Piece(_kept_or_changed(base, group))]
    return _contested(first, second)


def _only_removes(side: Iterable[Hunk]) -> bool:
    return not any(hunk.lines for hunk in side)


def _kept_or_changed(base: Sequence[str], group: Group) -> list[str]:
    """Return the lines of a group that no side removed, and the lines that one side put in their place."""
    new: dict[int, list[str]] = defaultdict(list)
    for hunk in itertools.chain(*group.sides):
        new[hunk.start] += hunk.lines
    gone = {number for side in group.sides for hunk in side for number in range(hunk.start, hunk.end)}
    result: list[str] = []
    for number in range(group.start, group.end + 1):
        result += new[number]
        result += base[number : number + 1] if number < group.end and number not in gone else ()
    return result


def _contested(first: Sequence[str], second: Sequence[str]) -> Iterator[Piece]:
    """Yield the pieces for lines that both sides put in the place of others. Equal lines are no part of a conflict."""
    for one, other, equal in differences(first, second):
        yield Piece(other, one) if one and other else Piece(one or other)
        yield Piece(equal)


def _together(found: Iterable[Piece]) -> list[Piece]:
    """Return the pieces. Conflicts without a line between them become one conflict."""
    result: list[Piece] = []
    for piece in found:
        if result and piece.first_lines and result[-1].first_lines:
            lines, first_lines = result[-1]
            result[-1] = Piece([*lines, *piece.lines], [*first_lines, *piece.first_lines])
        else:
            result.append(piece)
    return result
