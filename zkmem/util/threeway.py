"""Three-way merge of texts by lines. Lines that both sides changed in different ways are a conflict."""

import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_CONTEXT = 3  # lines
_MOST_COMPARED = 1_000_000  # pairs of lines; difflib takes quadratic time
_MOST_LINES, _MOST_PAIRS = 10_000, 200_000


class Hunk(NamedTuple):
    """The lines `start` to `end` of the base became `lines`."""

    start: int
    end: int
    lines: list[str]


class Conflict(Exception):
    """Both sides changed the same lines: one hunk of each side."""

    def __init__(self, mine: Hunk, theirs: Hunk) -> None:
        super().__init__("both sides changed the same lines")
        self.mine = mine
        self.theirs = theirs


def merged(base: str, mine: str, theirs: str) -> str:
    """Return the base with the changes of both sides. The line end of the last line is merged separately.

    Changes to neighbouring lines do not conflict. With `git merge` they do.

    Raises:
        Conflict: when both sides changed a line, or inserted lines at the same place, in different ways.
    """
    lines = _lines(base)
    ours, others = _hunks(lines, _lines(mine)), _hunks(lines, _lines(theirs))
    starts, ends = [hunk.start for hunk in others], [hunk.end for hunk in others]
    for left in ours:
        for right in others[bisect.bisect_left(ends, left.start) : bisect.bisect_right(starts, left.end)]:
            if left != right and _meet(left, right):
                raise Conflict(left, right)
    result, done = [], 0
    both = {(hunk.start, hunk.end): hunk for hunk in ours + others}  # a change made by both sides is applied once
    for hunk in sorted(both.values(), key=lambda one: (one.start, one.end)):
        result += [*lines[done : hunk.start], *hunk.lines]
        done = hunk.end
    result += lines[done:]
    ended, *sides = (text.endswith("\n") for text in (base, mine, theirs))
    return "\n".join(result) + "\n" * (bool(result) and (sides[0] if sides[0] != ended else sides[1]))


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
        for hunk in _hunks(lines, _lines(after))
        for sign, some in (("-", lines[hunk.start : hunk.end]), ("+", hunk.lines))
        for line in some
    )


def unified(before: Sequence[str], after: Sequence[str], names: tuple[str, str]) -> Iterator[str]:
    """Yield the lines of a unified diff, each with its line end; yield nothing if there is no difference."""
    groups: list[list[Hunk]] = []
    for hunk in _hunks(before, after):
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


def _hunks(base: Sequence[str], changed: Sequence[str]) -> list[Hunk]:
    """Return the hunks that turn `base` into `changed`.

    For speed, equal lines at the beginning and at the end are not compared.
    """
    first = 0
    while first < min(len(base), len(changed)) and base[first] == changed[first]:
        first += 1
    last = 0
    while last < min(len(base), len(changed)) - first and base[-1 - last] == changed[-1 - last]:
        last += 1
    left, right = base[first : len(base) - last], changed[first : len(changed) - last]
    return [Hunk(a + first, b + first, list(right[c:d])) for a, b, c, d in _differing(left, right)]


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


def _differing(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the ranges of lines that differ: begin and end in `left`, begin and end in `right`.

    Long sequences are first split at their anchors. A part that is still too long to compare counts as different as a
    whole.
    """
    begin = (0, 0)
    is_long = len(left) * len(right) > _MOST_COMPARED
    for a, c in [*(_anchors(left, right) if is_long else ()), (len(left), len(right))]:
        mine, theirs = left[begin[0] : a], right[begin[1] : c]
        if _is_comparable(mine, theirs):
            codes = [code[1:] for code in SequenceMatcher(None, mine, theirs).get_opcodes() if code[0] != "equal"]
        else:
            codes = [(0, len(mine), 0, len(theirs))]
        for one, two, three, four in codes:
            yield begin[0] + one, begin[0] + two, begin[1] + three, begin[1] + four
        begin = a + 1, c + 1


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
