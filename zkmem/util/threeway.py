"""Three-way merge of texts by lines. Lines that both sides changed in different ways are a conflict."""

import bisect
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from zkmem.util.alignment import Range, common_ends, shifted
from zkmem.util.hunks import Hunk, applied, divided_hunks, span

_CONTEXT = 3  # lines
_MOST_COMPARED = 1_000_000  # pairs of lines; difflib takes quadratic time
_MOST_LINES, _MOST_PAIRS = 10_000, 200_000


class ConflictingLines(NamedTuple):
    """Lines that both sides changed: the line of the proposal where they begin, and the lines of each side."""

    line: int  # the first line is 1
    mine: list[str]
    theirs: list[str]


class Proposal(NamedTuple):
    """The base with the changes of both sides; where both changed the same lines, it has mine."""

    text: str
    conflicts: list[ConflictingLines]


class Conflict(Exception):
    """Both sides changed the same lines."""

    def __init__(self, proposal: Proposal) -> None:
        super().__init__("both sides changed the same lines")
        self.proposal = proposal


def merged(base: str, mine: str, theirs: str) -> str:
    """Return the base with the changes of both sides."""
    proposal = propose(base, mine, theirs)
    if proposal.conflicts:
        raise Conflict(proposal)
    return proposal.text


def propose(base: str, mine: str, theirs: str) -> Proposal:
    """Merge the changes of both sides; the end of the last line is a change of its own.

    Changes of lines that are neighbours are no conflict (they are with `git merge`: it cannot ask again, we can).
    """
    lines = _lines(base)
    ours, others = divided_hunks(lines, hunks(lines, _lines(mine)), hunks(lines, _lines(theirs)))
    clashes = _clashes(ours, others)
    dropped = {span(right) for _, right in clashes}
    both = {span(hunk): hunk for hunk in others if span(hunk) not in dropped} | {span(hunk): hunk for hunk in ours}
    chosen = [both[span] for span in sorted(both)]  # what both did is done once
    result = applied(lines, chosen, 0, len(lines))
    ended = base.endswith("\n")
    sides = [text.endswith("\n") if text else ended for text in (mine, theirs)]  # an empty text has no last line
    text = "\n".join(result) + "\n" * (bool(result) and (sides[0] if sides[0] != ended else sides[1]))
    return Proposal(text, _places(lines, chosen, clashes))


def _clashes(ours: Sequence[Hunk], others: Sequence[Hunk]) -> list[tuple[Hunk, Hunk]]:
    """Return the pairs of hunks that change the same lines in different ways, in order."""
    starts, ends = [hunk.start for hunk in others], [hunk.end for hunk in others]
    return [
        (left, right)
        for left in ours
        for right in others[bisect.bisect_left(ends, left.start) : bisect.bisect_right(starts, left.end)]
        if left != right and _meet(left, right)
    ]


def _places(
    lines: Sequence[str], chosen: Sequence[Hunk], clashes: Iterable[tuple[Hunk, Hunk]]
) -> list[ConflictingLines]:
    """Return the places where hunks clash; pairs that share a hunk are one place. `chosen`: those of the proposal."""
    places: list[tuple[list[Hunk], list[Hunk]]] = []
    for left, right in clashes:
        if places and places[-1][0][-1] is left:
            places[-1][1].append(right)
        elif places and places[-1][1][-1] is right:
            places[-1][0].append(left)
        else:
            places.append(([left], [right]))
    growth = itertools.accumulate((len(hunk.lines) - (hunk.end - hunk.start) for hunk in chosen), initial=0)
    grown = {span(hunk): lines_more for hunk, lines_more in zip(chosen, growth, strict=False)}  # before the hunk
    changes = []
    for mine, theirs in places:
        start, end = min(mine[0].start, theirs[0].start), max(mine[-1].end, theirs[-1].end)
        sides = [applied(lines, side, start, end) for side in (mine, theirs)]
        changes.append(ConflictingLines(start + grown[span(mine[0])] + 1, *sides))
    return changes


def merged_bytes(base: bytes, mine: bytes, theirs: bytes) -> bytes | None:
    """Return the base with the changes of both sides, for files of any bytes; None if the changes conflict."""
    try:
        return merged(*(data.decode("latin-1") for data in (base, mine, theirs))).encode("latin-1")
    except Conflict:
        return None


def changed_lines(before: str, after: str) -> tuple[str, ...]:
    """Return the lines that differ between two texts: removed lines begin with "-", added lines with "+"."""
    lines = _lines(before)
    return tuple(
        sign + line
        for hunk in hunks(lines, _lines(after))
        for sign, some in (("-", lines[hunk.start : hunk.end]), ("+", hunk.lines))
        for line in some
    )


def unified(before: Sequence[str], after: Sequence[str], names: tuple[str, str]) -> Iterator[str]:
    """Yield the lines of a unified diff, each with its line end; yield nothing if there is no difference."""
    groups: list[list[Hunk]] = []
    for hunk in hunks(before, after):
        if groups and hunk.start - groups[-1][-1].end <= 2 * _CONTEXT:
            groups[-1].append(hunk)
        else:
            groups.append([hunk])
    if groups:
        yield from (f"--- {names[0]}\n", f"+++ {names[1]}\n")
    moved = 0  # lines added before the group, minus lines removed
    for group in groups:
        first, last = max(0, group[0].start - _CONTEXT), min(len(before), group[-1].end + _CONTEXT)
        grown = sum(len(hunk.lines) - (hunk.end - hunk.start) for hunk in group)
        yield f"@@ -{_range(first, last)} +{_range(first + moved, last + moved + grown)} @@\n"
        moved += grown
        for hunk in group:
            yield from (" " + line for line in before[first : hunk.start])
            yield from ("-" + line for line in before[hunk.start : hunk.end])
            yield from ("+" + line for line in hunk.lines)
            first = hunk.end
        yield from (" " + line for line in before[first:last])


def _range(start: int, end: int) -> str:
    """Return a range of lines in the unified format."""
    if end - start == 1:
        return f"{start + 1}"
    return f"{start + (end > start)},{end - start}"


def _lines(text: str) -> list[str]:
    """Split a text at line feeds only: `splitlines` also splits at characters that do not end a line in Markdown."""
    return text.removesuffix("\n").split("\n") if text else []


def hunks(base: Sequence[str], changed: Sequence[str]) -> list[Hunk]:
    """Return the hunks that turn `base` into `changed`.

    A hunk that only adds or only removes lines is as far down as it can be: if `b a` is added to `a b a`, the hunk is
    at the end of the text, not in the middle. For speed, equal lines at the beginning and at the end are not compared.
    """
    first, last = common_ends(base, changed)
    left, right = base[first : len(base) - last], changed[first : len(changed) - last]
    found = [Hunk(a + first, b + first, list(right[c:d])) for a, b, c, d in _differing(left, right)]
    limits = [*(hunk.start - 1 for hunk in found[1:]), len(base)]  # above the next hunk, and not beside it
    return [_lowest(base, *pair) for pair in zip(found, limits, strict=False)]


def _lowest(base: Sequence[str], hunk: Hunk, limit: int) -> Hunk:
    """Return a hunk with the same result that is as far down as it can be, but does not end below the line `limit`."""
    start, end, lines = hunk
    if lines and start < end:
        return hunk
    run, count = lines or base[start:end], 0
    while end + count < limit and base[end + count] == run[count % len(run)]:
        count += 1
    at = count % len(run)
    return Hunk(start + count, end + count, [*lines[at:], *lines[:at]])


def _is_comparable(left: Sequence[str], right: Sequence[str]) -> bool:
    """Return whether difflib compares these lines quickly: there are few lines, or few pairs of equal lines.

    The commonest lines do not count, because difflib leaves them out.
    """
    if len(left) * len(right) <= _MOST_COMPARED:
        return True
    if len(left) + len(right) > _MOST_LINES:
        return False
    counts, common = Counter(right), len(right) // 100 + 1
    return sum(counts[line] for line in left if counts[line] <= common) <= _MOST_PAIRS


def _differing(left: Sequence[str], right: Sequence[str]) -> Iterator[Range]:
    """Yield the ranges of lines that differ.

    Long sequences are first split at their anchors. A part that is still too long to compare counts as different as a
    whole.
    """
    begin = (0, 0)
    is_long = len(left) * len(right) > _MOST_COMPARED
    for a, c in [*(_anchors(left, right) if is_long else ()), (len(left), len(right))]:
        if (a, c) != begin:
            mine, theirs = left[begin[0] : a], right[begin[1] : c]
            codes = _compared(mine, theirs) if _is_comparable(mine, theirs) else [(0, len(mine), 0, len(theirs))]
            yield from shifted(codes, *begin)
        begin = a + 1, c + 1


def _compared(left: Sequence[str], right: Sequence[str]) -> Iterator[Range]:
    """Yield the ranges of lines that differ. Blank lines are matched only where no line with text can be."""
    if set(left).isdisjoint(right):
        yield from _unequal(left, right)
        return
    at, to = 0, 0
    for one, other, size in SequenceMatcher(None, left, right).get_matching_blocks():
        if size == 0 or not all(map(_is_blank, left[one : one + size])):
            for a, b, c, d in _unequal(left[at:one], right[to:other], _is_blank):
                yield from shifted(_unequal(left[at + a : at + b], right[to + c : to + d]), at + a, to + c)
            at, to = one + size, other + size


def _unequal(
    left: Sequence[str], right: Sequence[str], is_junk: Callable[[str], bool] | None = None
) -> Iterator[Range]:
    """Return the ranges of lines that differ. Lines that are junk are matched only beside other equal lines."""
    if set(left).isdisjoint(right):
        return iter([(0, len(left), 0, len(right))] if left or right else ())
    matcher = SequenceMatcher(is_junk, left, right)
    return (code[1:] for code in matcher.get_opcodes() if code[0] != "equal")


def _is_blank(line: str) -> bool:
    return not line.strip()


def _anchors(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Return the longest list of line pairs that occur once in each sequence, in the same order (patience diff)."""
    counts, places = Counter(left), {line: at for at, line in enumerate(right)}
    once = Counter(right)
    pairs = [(at, places[line]) for at, line in enumerate(left) if counts[line] == once[line] == 1]
    ends: list[int] = []  # for each length, where the best rising sequence ends in `right`
    last: list[int] = []  # for each length, the number of the last pair of that sequence
    before: list[int] = []  # for each pair, the number of the pair before it
    for number, (_, at) in enumerate(pairs):
        length = bisect.bisect_left(ends, at)
        ends[length : length + 1] = [at]
        last[length : length + 1] = [number]
        before.append(last[length - 1] if length else -1)
    anchors, number = [], last[-1] if last else -1
    while number >= 0:
        anchors.append(pairs[number])
        number = before[number]
    return anchors[::-1]


def _meet(one: Hunk, other: Hunk) -> bool:
    """Return whether two hunks change the same lines, or insert lines at the same place."""
    if one.start == one.end and other.start == other.end:
        return one.start == other.start
    within = one.start < other.start == other.end < one.end or other.start < one.start == one.end < other.end
    return within or max(one.start, other.start) < min(one.end, other.end)
