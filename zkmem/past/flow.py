"""Follow the words of a text back into the text before an edit: through equal lines, moved lines and changed lines.

Each word of a text has a mark: the numbers of the words of the present note that it became. A line without such words
has no marks.
"""

import itertools
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from zkmem.markdown.links import find_links
from zkmem.util.alignment import Range, changes, words_in
from zkmem.util.hunks import Hunk
from zkmem.util.threeway import hunks

Marks = tuple[tuple[int, ...], ...] | None
"""For each word of a line, the present words that it became; None for a line without any."""

_MOST_PAIRED = 40_000  # pairs of words of a changed passage; difflib takes cubic time in the worst case
_ALIKE = 0.4  # of the words of two passages, for one to be a version of the other
_SHORT = 100  # lines; shorter texts are compared at once
_RUN = 4  # equal lines, after a difference in a long text
_NEAR = sorted(itertools.product(range(25), repeat=2), key=sum)  # how many lines of each text such a difference has
_LEAST_MOVED = 2  # words of a line that counts as moved on its own; others only beside a moved line


class MarkedLine(NamedTuple):
    """A line that an edit has changed."""

    text: str
    key: str  # what is compared
    marks: Marks


class MarkedText:
    """The lines of a text, with their marks."""

    def __init__(self, text: str, like: "MarkedText | None" = None) -> None:
        """`like`: a text that may have the same beginning and the same end, to save work."""
        self.text = text
        self.ends = 0, 0  # how many lines at its beginning and at its end are those of the other text
        if like is None:
            self.lines = text.split("\n")
        else:
            first, last = _common_ends(text, like.text)
            self.ends = text.count("\n", 0, first), text.count("\n", len(text) - last)
            middle = text[first : len(text) - last].split("\n")
            self.lines = [*like.lines[: self.ends[0]], *middle, *like.lines[len(like.lines) - self.ends[1] :]]
        self.keys = self.lines
        self.marks: list[Marks] = [None] * len(self.lines)

    def compare_moved(self) -> None:
        """Compare the lines without the names of linked notes and the marks of headings, which a move changes."""
        data, at, parts = "\n".join(self.lines).encode(errors="surrogateescape"), 0, list[bytes]()
        for link in find_links(data):
            if link.path_at >= at:
                parts.append(data[at : link.path_at])
                at = link.path_end
        keys = b"".join((*parts, data[at:])).decode(errors="surrogateescape").split("\n")
        if len(keys) == len(self.lines):
            self.keys = [key.lstrip("# ") for key in keys]

    def part(self, start: int, end: int) -> list[MarkedLine]:
        """Return some lines."""
        return list(map(MarkedLine, self.lines[start:end], self.keys[start:end], self.marks[start:end]))

    def add(self, at: int, marks: Marks) -> None:
        """Add marks to the line numbered `at`."""
        own = self.marks[at] or ((),) * max(1, len(self.lines[at].split()))
        if marks and len(marks) == len(own):
            self.marks[at] = tuple(map(tuple.__add__, own, marks))
        elif marks:  # a link in the line has got another name: which word became which is not known
            self.marks[at] = (own[0] + tuple(itertools.chain.from_iterable(marks)), *own[1:])

    def add_all(self, other: "MarkedText") -> None:
        """Add the marks of a text with the same lines."""
        for at, marks in enumerate(other.marks):
            self.add(at, marks)


def _common_ends(one: str, other: str) -> tuple[int, int]:
    """Return how many characters of whole lines two texts share at the beginning, and how many others at the end."""
    first = one.rfind("\n", 0, _common(one, other, min(len(one), len(other)))) + 1
    most = min(len(one), len(other)) - first
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        if one[len(one) - middle : len(one) - least] == other[len(other) - middle : len(other) - least]:
            least = middle
        else:
            most = middle - 1
    line_end = one.find("\n", len(one) - least)
    return first, len(one) - line_end if line_end >= 0 else 0


def _common(one: Sequence[str], other: Sequence[str], most: int) -> int:
    """Return how many of the first `most` characters, or lines, two texts share."""
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _differing(old: Sequence[str], new: Sequence[str]) -> Iterator[Hunk]:
    """Yield the hunks that turn some lines into others. Long texts that differ at few places take little time."""
    a = c = 0
    while len(old) - a > _SHORT < len(new) - c:
        steps = ((x, y) for x, y in _NEAR if old[a + x : a + x + _RUN] == new[c + y : c + y + _RUN])
        x, y = next(steps, (len(old), len(new)))
        yield from _hunks(old, new, (a, a + x, c, c + y))
        a, c = a + x, c + y
        same = _common(old[a:], new[c:], min(len(old) - a, len(new) - c))
        a, c = a + same, c + same
    yield from _hunks(old, new, (a, len(old), c, len(new)))


def _hunks(old: Sequence[str], new: Sequence[str], part: Range) -> Iterator[Hunk]:
    """Yield the hunks of a part of two texts."""
    a, b, c, d = part
    return (Hunk(start + a, end + a, lines) for start, end, lines in hunks(old[a:b], new[c:d]))


class StepBack:
    """The way from the text of a file after an edit back to the text before it."""

    def __init__(self, before: MarkedText, after: MarkedText | None) -> None:
        """Give the lines that stayed their marks. `before`: without marks; `after`: None if the file was gone."""
        self.before = before
        self.changes: list[tuple[int, int, list[MarkedLine]]] = []  # the lines before from one to another became these
        self.gone: list[int] = []  # the lines that the edit has removed or changed, as far as none is found elsewhere
        if after is None:
            self.gone = list(range(len(before.lines)))
            return
        at = shift = 0
        first, last = before.ends
        old = before.keys[first : len(before.keys) - last]
        for start, end, new in _differing(old, after.keys[first : len(after.keys) - last]):
            self._keep(at, first + start, shift, after)
            at, begin = first + end, first + start + shift
            self.changes.append((first + start, at, after.part(begin, begin + len(new))))
            self.gone += range(first + start, at)
            shift += len(new) - (end - start)
        self._keep(at, len(before.lines), shift, after)

    def _keep(self, start: int, end: int, shift: int, after: MarkedText) -> None:
        """Give lines that stayed their marks; they were `shift` lines further down after the edit."""
        before = self.before
        before.marks[start:end] = after.marks[start + shift : end + shift]
        for at in range(start, end) if before.keys is not before.lines else ():
            if before.marks[at] and before.lines[at] != after.lines[at + shift]:
                before.marks[at] = None
                before.add(at, after.marks[at + shift])

    @property
    def new(self) -> list[MarkedLine]:
        """The lines with marks that were not there before the edit."""
        return [line for *_, lines in self.changes for line in lines if line.marks]

    def follow_words(self, new: Sequence[MarkedLine]) -> list[MarkedLine]:
        """Follow the words of changed lines among the `new` ones; return the lines with those that are left."""
        left, among, gone = list[MarkedLine](), {id(line) for line in new}, set(self.gone)
        for start, end, lines in self.changes:
            later, old = [line for line in lines if id(line) in among], [at for at in range(start, end) if at in gone]
            texts = [self.before.lines[at] for at in old] if later else []
            counts = Counter(word for line in texts for word in words_in(line))
            for a, b, c, d in changes(texts, [line.text for line in later], "", counts) if later else ():
                left += self._versions(old[a:b], later[c:d])
        return left

    def _versions(self, old: Sequence[int], new: Sequence[MarkedLine]) -> Iterator[MarkedLine]:
        """Follow the words of a changed passage; yield its lines with the words that are left."""
        words = [(at, number, word) for at in old for number, word in enumerate(self.before.lines[at].split())]
        later = [(at, number, word) for at, line in enumerate(new) for number, word in enumerate(line.text.split())]
        marks = [list(line.marks or ()) for line in new]
        for one, other in _equal([word for *_, word in words], [word for *_, word in later]):
            (at, number, _), (line, place, _) = words[one], later[other]
            if place < len(marks[line]) and marks[line][place]:
                own = [tuple[int, ...]()] * len(self.before.lines[at].split())
                own[number], marks[line][place] = marks[line][place], ()
                self.before.add(at, tuple(own))
        return (line._replace(marks=tuple(mark)) for line, mark in zip(new, marks, strict=True) if any(mark))


def _equal(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of the words that two versions of a passage share; none if they are no versions."""
    if not old or not new or len(old) * len(new) > _MOST_PAIRED:
        return
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    if 2 * sum(size for *_, size in blocks) >= _ALIKE * (len(old) + len(new)):
        yield from ((a + step, b + step) for a, b, size in blocks for step in range(size))


def follow_moved(new: Sequence[MarkedLine], steps: Sequence[StepBack]) -> list[MarkedLine]:
    """Find new lines among those that an edit has removed elsewhere; return the others, in order.

    A short line counts only beside another moved line.
    """
    moves = _Moves(new, steps)
    for line, (text, key, _) in enumerate(new):
        if not moves.take_beside(line, -1) and len(text.split()) >= _LEAST_MOVED:
            next((place for place in moves.places.get(key, ()) if moves.take(line, place)), None)
    for line in range(len(new) - 2, -1, -1):
        if line not in moves.taken:
            moves.take_beside(line, 1)
    for line, (number, at) in moves.taken.items():
        steps[number].before.add(at, new[line].marks)
    for number, step in enumerate(steps):
        step.gone = [at for at in step.gone if (number, at) in moves.free]
    return [one for line, one in enumerate(new) if line not in moves.taken]


class _Moves:
    """Which new line was which removed line. A place is the number of a step, and that of a line before it."""

    def __init__(self, new: Sequence[MarkedLine], steps: Sequence[StepBack]) -> None:
        self._new, self._steps = new, steps
        self.places = defaultdict[str, deque[tuple[int, int]]](deque)
        for number, step in enumerate(steps):
            for at in step.gone:
                self.places[step.before.keys[at]].append((number, at))
        self.free = {place for some in self.places.values() for place in some}
        self.taken = dict[int, tuple[int, int]]()

    def take(self, line: int, place: tuple[int, int]) -> bool:
        """Let a new line be the one at a place, if it is equal and free; return whether it is."""
        number, at = place
        is_free = place in self.free and self._steps[number].before.keys[at] == self._new[line].key
        if is_free:
            self.free.discard(place)
            self.taken[line] = place
        return is_free

    def take_beside(self, line: int, way: int) -> bool:
        """Take the place beside that of the line above (`way` -1) or below (1); blank lines do not count."""
        if line + way not in self.taken:
            return False
        number, at = self.taken[line + way]
        keys, at = self._steps[number].before.keys, at - way
        while 0 <= at < len(keys) and not keys[at].strip():
            at -= way
        return self.take(line, (number, at))
