"""Merge texts section by section, so that what a side added stays below the heading that it was added to.

Sections with the same heading that both sides added become one section. A heading that one side removed stays if the
other side added lines below it.
"""

import itertools
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.markdown.sections import find_blocks, find_comments, find_headings, heading_key, heading_text
from zkmem.util.alignment import level_of
from zkmem.util.hunks import Hunk, divided_hunks
from zkmem.util.threeway import hunks
from zkmem.util.union import MergedPiece, pieces, pieces_of

_MOST_MOVED = 100  # sections of a note; moving one takes time proportional to the length of the note

_MAY_HIDE = re.compile(rb"```|~~~|%%|\$\$|<|^ +#", re.MULTILINE)
"""What may contain a line that begins with `#` and is no heading: code, a comment, HTML, or a list item."""

_Path = tuple[tuple[int, str], ...]
"""The levels and texts of a heading and of those above it, in the form for comparison; empty for any other line."""


class _Line(NamedTuple):
    """A line of a side. `place`: 2n + 1 if it is line n of the base, 2n if it was inserted above that line."""

    place: int
    text: str
    path: _Path = ()

    @property
    def is_new(self) -> bool:
        """Whether the side inserted the line."""
        return self.place % 2 == 0

    @property
    def level(self) -> int:
        """The level of a heading; 7 for any other line."""
        return self.path[-1][0] if self.path else 7


def pieces_by_section(base: Sequence[str], first: Sequence[str], second: Sequence[str]) -> Iterator[MergedPiece]:
    """Yield the merged text in pieces. An element of the texts may also be several lines without a heading."""
    changes = [hunks(base, lines) for lines in (first, second)]
    changed = (line for hunk in itertools.chain(*changes) for line in (*base[hunk.start : hunk.end], *hunk.lines))
    if not any(map(level_of, changed)):
        yield from pieces_of(base, *changes, levels={})
        return
    paths = [_paths(lines) for lines in (first, second)]
    levels = _levels((first, second), paths)
    one, other = map(_placed, (base, base), divided_hunks(base, *changes, touching=True), paths)
    is_whole = not (_keep_headings(base, one, other) | _keep_headings(base, other, one))
    parts = list(_parts(base, one, other))
    if is_whole and len(parts) == 1:
        yield from pieces_of(base, *changes, levels=levels)
        return
    for part in parts:
        yield from pieces(*part, levels=levels)


def _levels(sides: Sequence[Sequence[str]], paths: Sequence[Mapping[int, _Path]]) -> dict[str, int]:
    """Return the level of each heading, by its line. Leave out a line that is no heading elsewhere, as in code."""
    headings = [(lines[at], path) for lines, some in zip(sides, paths, strict=True) for at, path in some.items()]
    others = Counter(filter(level_of, itertools.chain(*sides))) - Counter(line for line, _ in headings)
    return {line: path[-1][0] for line, path in headings if line not in others}


def _parts(
    base: Sequence[str], first: list[_Line], second: Sequence[_Line]
) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Yield the three texts in parts. Each part but the first begins with a heading that both sides added."""
    head = list[str]()
    at, start, begin = 0, 0, 0
    for place, to, end in (*_together(first, second), (len(base), len(first), len(second))):
        sides = first[start:to], second[begin:end]
        gaps = [_gap(lines[::-1]) if end < len(second) else 0 for lines in sides]
        one, other = (
            [*head, *(line.text for line in lines[: len(lines) - gap])] for lines, gap in zip(sides, gaps, strict=True)
        )
        yield [*head, *base[at:place]], one, other
        at, start, begin = place, to + 1, end + 1
        head = [*[""] * max(gaps), *(line.text for line in second[end : end + 1])]


def _paths(lines: Sequence[str]) -> dict[int, _Path]:
    """Return the path of each heading that begins with `#`, by the number of its line."""
    path: _Path = ()
    paths: dict[int, _Path] = {}
    for at in _headings(lines):
        level = level_of(lines[at])
        heading = (level, heading_key(heading_text(lines[at].encode(errors="replace"))))
        path = paths[at] = (*(each for each in path if each[0] < level), heading)
    return paths


def _headings(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the lines that are headings. Only a text that may hide some is parsed, for speed."""
    marked = [at for at, line in enumerate(lines) if level_of(line)]
    data = [line.encode(errors="replace") for line in lines]
    body = b"\n".join(data)
    if not _MAY_HIDE.search(body):
        yield from marked
        return
    starts = list(itertools.accumulate((len(line) + 1 for line in data), initial=0))
    blocks = find_blocks(body)
    for heading in find_headings(body, blocks, find_comments(body, blocks)):
        at = bisect_right(starts, heading.start) - 1
        if not heading.depth and level_of(lines[at]):
            yield at


def _placed(base: Sequence[str], changes: Iterable[Hunk], paths: Mapping[int, _Path]) -> list[_Line]:
    """Return the lines of a side, which has these hunks and headings."""
    lines: list[tuple[int, str]] = []
    at = 0
    for start, end, new in (*changes, Hunk(len(base), len(base), [])):
        lines += [(2 * number + 1, base[number]) for number in range(at, start)]
        lines += [(2 * end, line) for line in new]
        at = end
    return [_Line(*line, paths.get(number, ())) for number, line in enumerate(lines)]


def _keep_headings(base: Sequence[str], side: list[_Line], other: Sequence[_Line]) -> bool:
    """Put back each heading that a side removed with its section, if the other side added lines below it.

    Return whether there was one.
    """
    count = len(side)
    here, paths = {line.place for line in side}, {line.path for line in side}
    for at, line in enumerate(other):
        if not line.path or line.is_new or line.place in here or line.path in paths:
            continue
        texts = [each for each in other[at + 1 : _end(other, at)] if each.text.strip()]
        if any(each.is_new for each in texts) and here.isdisjoint(each.place for each in texts):
            is_below_blank = line.place > 1 and not base[line.place // 2 - 1].strip() and line.place - 2 not in here
            side += [_Line(line.place - 2, "")] * is_below_blank + [line]
    side.sort(key=lambda line: line.place)
    return len(side) > count


def _together(one: list[_Line], other: Sequence[_Line]) -> list[tuple[int, int, int]]:
    """Return the beginnings of the sections that both sides added: in the base, and in the lines of each side.

    If the first side has a section at another place than the second side, it is moved to that place in the lines `one`.
    """
    counts = Counter(line.path for side in (one, other) for line in side)
    found: list[tuple[int, _Path, int]] = []
    where, at, moved = _where(one), -1, 0
    for end, line in enumerate(other):
        to = where.get(line.path, -1)
        if to < 0 or not line.is_new or not one[to].is_new or counts[line.path] != 2:
            continue
        if to < at or one[to].place != line.place:
            moved += 1
            if moved > _MOST_MOVED or not _move(one, to, line.place, at):
                continue
            where = _where(one)
        at = where[line.path]
        found.append((line.place // 2, line.path, end))
    return [(place, where[path], end) for place, path, end in found]


def _where(lines: Sequence[_Line]) -> dict[_Path, int]:
    """Return the number of the line of each heading."""
    return {line.path: at for at, line in enumerate(lines) if line.path}


def _move(lines: list[_Line], at: int, place: int, above: int) -> bool:
    """Move the section that begins at a line to a place of the base, below another line, if all of it is new.

    Return whether it was moved.
    """
    end, level = _end(lines, at), lines[at].level
    while not lines[end - 1].text.strip():
        end -= 1
    if any(line.place != lines[at].place for line in lines[at:end]):
        return False
    gap = _gap(lines[:at][::-1])
    begin, stop = at - gap, end + (0 if gap else _gap(lines[end:]))
    section = [*lines[end:stop], *lines[begin:end]]
    del lines[begin:stop]
    top = above + 1 - (len(section) if above > at else 0)
    ends = (n for n in range(top, len(lines)) if (lines[n].place, -lines[n].level) >= (place, -level))
    to = next(ends, len(lines))
    to -= _gap(lines[top:to][::-1])
    lines[to:to] = [line._replace(place=place) for line in section]
    return True


def _end(lines: Sequence[_Line], at: int) -> int:
    """Return the end of the section that begins at a line."""
    return next((n for n in range(at + 1, len(lines)) if lines[n].level <= lines[at].level), len(lines))


def _gap(lines: Iterable[_Line]) -> int:
    """Return the number of new blank lines before any other line."""
    return sum(1 for _ in itertools.takewhile(lambda line: line.is_new and not line.text.strip(), lines))
