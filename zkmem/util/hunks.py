"""Find where the hunks of two sides that changed one text meet, and divide them there."""

import bisect
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.util.alignment import adds_items, changes, is_entry, level_of, words_in


class Hunk(NamedTuple):
    """The lines `start` to `end` of the base became `lines`."""

    start: int
    end: int
    lines: list[str]


class HunkGroup(NamedTuple):
    """The lines `start` to `end` of the base, and the hunks of each side there. Hunks of two groups do not meet."""

    start: int
    end: int
    sides: tuple[list[Hunk], list[Hunk]]


def divided_hunks(
    base: Sequence[str], first: Sequence[Hunk], second: Sequence[Hunk], *, touching: bool = False
) -> tuple[list[Hunk], list[Hunk]]:
    """Return the hunks of two sides. Those that meet are divided, as far as it is known which line became which.

    Where both sides and the base have equally many lines, these are paired one to one. `touching`: also divide hunks
    that are neighbours.
    """
    counts: Counter[str] = Counter()
    ours, others = list[Hunk](), list[Hunk]()
    for group in groups(first, second, touching=touching):
        one, other = group.sides
        if one and other and one != other and group.start < group.end:
            texts = [applied(base, side, group.start, group.end) for side in group.sides]
            if _keep_places(base[group.start : group.end], texts):
                one, other = (list(_line_by_line(base, group.start, text)) for text in texts)
            else:
                counts = counts or Counter(word for line in base for word in words_in(line))
                one, other = _divided(base, one, other, counts)
        ours += one
        others += other
    return ours, others


def _divided(
    base: Sequence[str], first: Iterable[Hunk], second: Iterable[Hunk], counts: Mapping[str, int]
) -> tuple[list[Hunk], list[Hunk]]:
    """Return the hunks of both sides of a group, divided. `counts`: how many lines of the base have each word."""
    one, other = ([part for hunk in side for part in _parts(base, hunk, counts)] for side in (first, second))
    replaced, by_other = _replaced(base, one), _replaced(base, other)
    one, other = _one_to_one(base, _fused(one, replaced, by_other), _fused(other, by_other, replaced))
    return list(_cut(one, other)), list(_cut(other, one))


def groups(first: Sequence[Hunk], second: Sequence[Hunk], *, touching: bool = False) -> Iterator[HunkGroup]:
    """Yield groups of hunks, in order.

    `touching`: also put neighbours into one group, unless each of them changes one line into another one.
    """
    group: HunkGroup | None = None
    was_line = False
    both = [(hunk.start, hunk.end, side, hunk) for side, one in enumerate((first, second)) for hunk in one]
    for start, end, side, hunk in sorted(both, key=lambda one: one[:3]):
        is_line = end - start == len(hunk.lines) == 1
        limit = start if touching and not (is_line and was_line) else start + 1
        meets = group and (limit <= group.end or start == end == group.start == group.end)
        if group is None or not meets:
            if group:
                yield group
            group = HunkGroup(start, end, ([], []))
        group.sides[side].append(hunk)
        group = group._replace(end=max(end, group.end))
        was_line = is_line
    if group:
        yield group


def _keep_places(lines: Sequence[str], sides: Sequence[Sequence[str]]) -> bool:
    """Return whether both sides have each line at its place: unchanged, or with its rarest words and its level.

    The rarest words of a line are those that the fewest of `lines` have.
    """
    if not len(lines) == len(sides[0]) == len(sides[1]):
        return False
    words = list(map(words_in, lines))
    counts = Counter(itertools.chain(*words))
    for old, known, *both in zip(lines, words, *sides, strict=True):
        least = min((counts[word] for word in known), default=0)
        rarest = {word for word in known if counts[word] == least}
        for new in both:
            if new != old and not (rarest and rarest <= words_in(new) and level_of(new) == level_of(old)):
                return False
    return True


def _line_by_line(base: Sequence[str], start: int, lines: Iterable[str]) -> Iterator[Hunk]:
    """Yield a hunk for each line that differs from the line of the base at its place, from line `start` on."""
    return (Hunk(at, at + 1, [line]) for at, line in enumerate(lines, start) if line != base[at])


def _parts(base: Sequence[str], hunk: Hunk, counts: Mapping[str, int]) -> Iterator[Hunk]:
    """Return the parts of a hunk."""
    start, end, lines = hunk
    both = [*base[start:end], *lines]
    if end - start == len(lines) == 1 and not all(map(is_entry, both)) and not any(map(level_of, both)):
        return iter([hunk])
    below = (*base[end : end + 1], "")[0]
    return (Hunk(start + a, start + b, lines[c:d]) for a, b, c, d in changes(base[start:end], lines, below, counts))


def _replaced(base: Sequence[str], side: Sequence[Hunk]) -> dict[int, bool]:
    """Return the lines that a side replaced by as many others, and whether these are certainly new items."""
    replaced: dict[int, bool] = {}
    for hunk, added in itertools.pairwise(side):
        start, end = span(hunk)
        is_same_place = not hunk.lines and added.start == added.end == end
        if is_same_place and len(added.lines) == end - start and not any(map(level_of, added.lines)):
            are_new = adds_items([*base[start:end], *added.lines], (*base[end : end + 1], "")[0])
            replaced |= dict.fromkeys(range(start, end), are_new)
    return replaced


def _fused(side: Iterable[Hunk], replaced: Mapping[int, bool], by_other: Mapping[int, bool]) -> list[Hunk]:
    """Return the hunks of a side. If both sides replaced a line, the removal and the new lines are one hunk."""
    both = {at for at, are_new in replaced.items() if not (are_new and by_other.get(at, True))} & by_other.keys()
    result: list[Hunk] = []
    for hunk in side:
        last = result[-1] if result else hunk
        if hunk.start == hunk.end == last.end and not both.isdisjoint(range(*span(last))) and not last.lines:
            result[-1] = last._replace(lines=hunk.lines)
        else:
            result.append(hunk)
    return result


def _one_to_one(base: Sequence[str], first: Sequence[Hunk], second: Sequence[Hunk]) -> tuple[list[Hunk], list[Hunk]]:
    """Return the hunks of both sides; where all texts have equally many lines, each line is a hunk of its own."""
    ours, others = list[Hunk](), list[Hunk]()
    for start, end, sides in groups(first, second):
        texts = [applied(base, side, start, end) for side in sides]
        are_pairs = all(sides) and len(texts[0]) == len(texts[1]) == end - start
        for result, side, text in zip((ours, others), sides, texts, strict=True):
            result.extend(_line_by_line(base, start, text) if are_pairs else side)
    return ours, others


def _cut(side: Iterable[Hunk], other: Sequence[Hunk]) -> Iterator[Hunk]:
    """Yield the hunks of a side. A removal is cut where a removal of the other side begins or ends."""
    places = {at for hunk in other if not hunk.lines for at in span(hunk)}
    cuts = sorted(places - {hunk.start for hunk in other if hunk.start == hunk.end})
    for start, end, lines in side:
        inner = () if lines else cuts[bisect.bisect_right(cuts, start) : bisect.bisect_left(cuts, end)]
        yield from (Hunk(*part, lines) for part in itertools.pairwise((start, *inner, end)))


def span(hunk: Hunk) -> tuple[int, int]:
    """Return the lines of the base that a hunk changes."""
    return hunk.start, hunk.end


def applied(base: Sequence[str], changes: Iterable[Hunk], start: int, end: int) -> list[str]:
    """Return the lines from `start` to `end` after some hunks in them, which are in order."""
    result: list[str] = []
    for hunk in changes:
        result += [*base[start : hunk.start], *hunk.lines]
        start = hunk.end
    return [*result, *base[start:end]]
