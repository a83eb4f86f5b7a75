"""Three-way merge of texts by lines: what one side changed is taken from it, what both changed is a conflict."""

from difflib import SequenceMatcher
from typing import NamedTuple


class Hunk(NamedTuple):
    """The lines `start` to `end` of the base became `lines`."""

    start: int
    end: int
    lines: list[str]


class Conflict(Exception):
    """Both sides changed the same lines: the hunks of each."""

    def __init__(self, mine: Hunk, theirs: Hunk) -> None:
        super().__init__("both sides changed the same lines")
        self.mine = mine
        self.theirs = theirs


def merged(base: str, mine: str, theirs: str) -> str:
    """The base with the changes of both sides; the end of the last line is a change of its own.

    Changes of lines that are neighbours are no conflict (they are with `git merge`: it cannot ask again, we can).

    Raises:
        Conflict: when both sides changed one line, or inserted at one place, and not in the same way.
    """
    lines = _lines(base)
    ours, others = _hunks(lines, _lines(mine)), _hunks(lines, _lines(theirs))
    for left in ours:
        for right in others:
            if left != right and _meet(left, right):
                raise Conflict(left, right)
    result, done = [], 0
    for hunk in sorted(ours + [hunk for hunk in others if hunk not in ours], key=lambda one: (one.start, one.end)):
        result += [*lines[done : hunk.start], *hunk.lines]
        done = hunk.end
    result += lines[done:]
    ended, *sides = (text.endswith("\n") for text in (base, mine, theirs))
    return "\n".join(result) + "\n" * (bool(result) and (sides[0] if sides[0] != ended else sides[1]))


def merged_bytes(base: bytes, mine: bytes, theirs: bytes) -> bytes | None:
    """The same for files as they are, whatever is in them; None instead of a conflict."""
    try:
        return merged(*(data.decode("latin-1") for data in (base, mine, theirs))).encode("latin-1")
    except Conflict:
        return None


def changed_lines(before: str, after: str) -> tuple[str, ...]:
    """What changed between two texts: the lines that went, after "-", and those that came, after "+"."""
    lines = _lines(before)
    return tuple(
        sign + line
        for hunk in _hunks(lines, _lines(after))
        for sign, some in (("-", lines[hunk.start : hunk.end]), ("+", hunk.lines))
        for line in some
    )


def _lines(text: str) -> list[str]:
    """Not by `splitlines`, which also breaks at characters that Markdown keeps in a line."""
    return text.removesuffix("\n").split("\n") if text else []


def _hunks(base: list[str], changed: list[str]) -> list[Hunk]:
    """How `changed` differs from `base`; what they share at both ends is not compared, which keeps this fast.

    So does to leave out, in long texts, lines that are there again and again, such as empty ones, as anchors.
    """
    first = 0
    while first < min(len(base), len(changed)) and base[first] == changed[first]:
        first += 1
    last = 0
    while last < min(len(base), len(changed)) - first and base[-1 - last] == changed[-1 - last]:
        last += 1
    left, right = base[first : len(base) - last], changed[first : len(changed) - last]
    codes = SequenceMatcher(None, left, right).get_opcodes()
    return [Hunk(a + first, b + first, right[c:d]) for what, a, b, c, d in codes if what != "equal"]


def _meet(one: Hunk, other: Hunk) -> bool:
    """Whether two hunks are about the same lines, or insert at one place."""
    if one.start == one.end and other.start == other.end:
        return one.start == other.start
    within = one.start < other.start == other.end < one.end or other.start < one.start == one.end < other.end
    return within or max(one.start, other.start) < min(one.end, other.end)
