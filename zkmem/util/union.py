"""Merge the lines of two sides so that no line is lost.

Unlike `threeway`, this never refuses a merge, because there is no caller who could decide. Where both sides changed the
same line in different ways, the second side's line stands in the text, and the first side's is kept beside it.
"""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.util.alignment import blanks, has_box, is_item, key_of, level_of
from zkmem.util.hunks import Hunk, HunkGroup, applied, divided_hunks, groups
from zkmem.util.threeway import hunks

_STANDS_ALONE = re.compile(r"\s*([-*+]\s|\d+[.)]|\||>)")  # an item, a table row, a quote: it needs no blank line above


class MergedPiece(NamedTuple):
    """Lines of a merged text, and the first side's lines if it changed the same lines in another way."""

    lines: Sequence[str]
    first_lines: Sequence[str] = ()


class _Unit(NamedTuple):
    """A line, with the lines below it if it is a list item, and the line of text above its list."""

    lines: tuple[str, ...]
    above: str


def joined(
    base: Sequence[str], at: int, first: Sequence[str], second: Sequence[str], levels: Mapping[str, int] | None
) -> Iterator[MergedPiece]:
    """Yield the pieces for lines that both sides inserted above line `at`. The first side's stand above the second's.

    `levels`: the level of each heading; None if the texts are no prose. The lines of the section that ends there come
    first, and a deeper section comes before a higher one: below that, it would be a part of it.
    """
    if levels is None:
        yield MergedPiece(with_both(first, second, None))
        return
    (own, *parts), (other, *others) = _parts(first, levels), _parts(second, levels)
    last = base[at - 1] if at else ""
    for piece in _in_section(base, at, own, other):
        yield piece
        last = (last, *piece.lines)[-1]
    there = {*map(tuple, parts)}
    parts += [part for part in others if tuple(part) not in there]
    for part in sorted(parts, key=lambda part: -levels[part[blanks(part)]]):
        yield MergedPiece(part if last.strip() else part[blanks(part) :])
        last = part[-1]


def with_both(first: Sequence[str], second: Sequence[str], above: str | None = "") -> list[str]:
    """Return the lines of both texts, and equal lines once. Paragraphs of the two texts stay apart.

    `above`: the line above the texts; None if they are no prose, so that no line is added between them.
    """
    result: list[str] = []
    for one, other, equal in differences(first, second):
        last = result[-1] if result else above
        if above is not None and (last or "").strip() and _begins_apart(one) and other and not _begins_apart(other):
            result += [*other, *one, *equal]  # the second text begins with lines of the paragraph or the list above
            continue
        is_apart = above is not None and not (last or "").strip() and not _STANDS_ALONE.match((*other, "")[0])
        gap = [""] if is_apart and one and other and one[-1].strip() and other[0].strip() else []
        result += [*one, *gap, *other, *equal]
    return result


def _begins_apart(lines: Sequence[str]) -> bool:
    return bool(lines) and not lines[0].strip()


def differences(
    first: Sequence[str], second: Sequence[str]
) -> Iterator[tuple[Sequence[str], Sequence[str], Sequence[str]]]:
    """Yield each difference of two texts: the lines of the first, those of the second, and the equal lines below both.

    If only blank lines are between two differences, these count as one difference, and each text has the blank lines.
    """
    one, other = list[str](), list[str]()
    at, end = 0, Hunk(len(first), len(first), [])
    for hunk in (*hunks(first, second), end):
        equal = first[at : hunk.start]
        if hunk is end or any(map(str.strip, equal)) or not (one or other):
            yield one, other, equal
            one, other = [], []
        else:
            one, other = [*one, *equal], [*other, *equal]
        one, other = [*one, *first[hunk.start : hunk.end]], [*other, *hunk.lines]
        at = hunk.end


def _parts(lines: Sequence[str], levels: Mapping[str, int]) -> list[Sequence[str]]:
    """Return the lines above the first heading, and then each section that is in no other section."""
    starts, lowest = [0], 7
    for at, line in enumerate(lines):
        if 0 < levels.get(line, 0) <= lowest:
            lowest = levels[line]
            starts.append(at - blanks(lines[starts[-1] : at][::-1]))
    return [lines[start:end] for start, end in itertools.pairwise((*starts, len(lines)))]


def _in_section(base: Sequence[str], at: int, first: Sequence[str], second: Sequence[str]) -> Iterator[MergedPiece]:
    """Yield the pieces for lines without a heading: equal items stand once, and a key that both added has one value."""
    units, others = _units(first), _units(second)
    set_aside = _set_aside(base, at, units, others)
    in_callout = {*set_aside.values()}
    elsewhere = {unit for unit in others if is_item(unit.lines[0])}
    changed = {number for hunk in hunks(first, second) for number in range(hunk.start, hunk.end)}
    numbers = itertools.accumulate((len(unit.lines) for unit in units), initial=0)
    kept = [
        line
        for number, unit in zip(numbers, units, strict=False)
        if unit not in in_callout and not (number in changed and unit in elsewhere)
        for line in unit.lines
    ]
    rest = with_both(kept, second, base[at - 1] if at else "")
    done = 0
    for unit, first_unit in set_aside.items():
        number = rest.index(unit.lines[0], done)
        yield MergedPiece(rest[done:number])
        yield MergedPiece(unit.lines[:1], first_unit.lines)
        done = number + 1
    yield MergedPiece(rest[done:])


def _units(lines: Sequence[str]) -> list[_Unit]:
    """Return the units of some lines. The lines of an item are those below it that are indented more than it."""
    units: list[_Unit] = []
    above = ""
    for line in lines:
        last = units[-1].lines if units else ("",)
        if is_item(last[0]) and line.strip() and _indent(line) > _indent(last[0]):
            units[-1] = units[-1]._replace(lines=(*last, line))
            continue
        units.append(_Unit((line,), above))
        if line.strip() and not is_item(line):
            above = line
    return units


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _set_aside(base: Sequence[str], at: int, first: Sequence[_Unit], second: Sequence[_Unit]) -> dict[_Unit, _Unit]:
    """Return the second side's items whose key the first side added with another value, and the first side's items.

    Left out are keys that may have several values: the section has them already, or a side added them twice.
    """
    keys, others = _by_key(first), _by_key(second)
    both = [key for key in others if key in keys and keys[key].lines[0] != others[key].lines[0]]
    if not both:
        return {}
    around = (itertools.takewhile(lambda line: not level_of(line), lines) for lines in (base[:at][::-1], base[at:]))
    known = {key_of(line) for lines in around for line in lines}
    return {others[key]: keys[key] for key in both if key[0] not in known}


def _by_key(units: Sequence[_Unit]) -> dict[tuple[str, str], _Unit]:
    """Return items by their key and the line above their list. A task has no key; a number or a date is no key."""
    keys = [(key_of(unit.lines[0]), unit.above) for unit in units]
    counts = Counter(keys)
    return {
        key: unit
        for key, unit in zip(keys, units, strict=True)
        if counts[key] == 1 and key[0] and not key[0][0].isdigit()
        if is_item(unit.lines[0]) and not has_box(unit.lines[0])
    }


def pieces(
    base: Sequence[str], first: Sequence[str], second: Sequence[str], *, levels: Mapping[str, int] | None
) -> list[MergedPiece]:
    """Return the merged text in pieces: see `pieces_of`."""
    return pieces_of(base, hunks(base, first), hunks(base, second), levels=levels)


def pieces_of(
    base: Sequence[str], first: Sequence[Hunk], second: Sequence[Hunk], *, levels: Mapping[str, int] | None
) -> list[MergedPiece]:
    """Return the merged text in pieces. `levels`: the level of each heading; None if the texts are no prose.

    - What only one side changed, or both changed alike, is taken.
    - Where both inserted lines at one place, these are joined: see `joined`.
    - Lines that one side removed and the other changed stand as changed.
    """
    ours, others = divided_hunks(base, first, second, touching=True)
    result, at = [], 0
    for group in groups(ours, others):
        result.append(MergedPiece(base[at : group.start]))
        result += _merged_group(base, group, levels)
        at = group.end
    return _together(piece for piece in (*result, MergedPiece(base[at:])) if piece.lines)


def _merged_group(base: Sequence[str], group: HunkGroup, levels: Mapping[str, int] | None) -> Iterable[MergedPiece]:
    """Return the pieces for the lines of a group."""
    first, second = (applied(base, side, group.start, group.end) for side in group.sides)
    if not group.sides[0] or first == second:
        return [MergedPiece(second)]
    if not group.sides[1]:
        return [MergedPiece(first)]
    if group.start == group.end:
        return joined(base, group.start, first, second, levels)
    if any(_only_removes(side) for side in group.sides):
        return [MergedPiece(_kept_or_changed(base, group))]
    return _contested(first, second)


def _only_removes(side: Iterable[Hunk]) -> bool:
    return not any(hunk.lines for hunk in side)


def _kept_or_changed(base: Sequence[str], group: HunkGroup) -> list[str]:
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


def _contested(first: Sequence[str], second: Sequence[str]) -> Iterator[MergedPiece]:
    """Yield the pieces for lines that both sides put in the place of others. Equal lines are no part of a conflict."""
    for one, other, equal in differences(first, second):
        yield MergedPiece(other, one) if one and other else MergedPiece(one or other)
        yield MergedPiece(equal)


def _together(found: Iterable[MergedPiece]) -> list[MergedPiece]:
    """Return the pieces. Conflicts without a line between them become one conflict."""
    result: list[MergedPiece] = []
    for piece in found:
        if result and piece.first_lines and result[-1].first_lines:
            lines, first_lines = result[-1]
            result[-1] = MergedPiece([*lines, *piece.lines], [*first_lines, *piece.first_lines])
        else:
            result.append(piece)
    return result
