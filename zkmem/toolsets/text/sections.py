"""Split a text into sections at `##` (and `#`) headings, or deeper ones, outside of code and comments. Pure."""

import re
from collections.abc import Iterator
from typing import NamedTuple

SECTION = 2  # the level of the headings that name sections
ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")  # of a list

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HEADING = re.compile(  # a deep one that is further in may belong to an item
    r"(?: {0,3}(?=##?(?!#))| ?(?=###))(#{1,6})(?=[ \t\r\n]|\Z)"
)
_FENCE = re.compile(r" {0,3}(?:`{3,}(?=[^`]*\Z)|~{3,})")
_COMMENT = re.compile(r" {0,3}(<!--|%%)")
_ENDS = {"<!--": "-->", "%%": "%%"}


class Line(NamedTuple):
    """A line of a text, with its line end, and the text that would end the code or the comment around it."""

    text: str
    inside: str = ""  # of the block that the line is in, or begins
    open: str = ""  # that block, if it continues after the line


class Section(NamedTuple):
    """A heading with everything up to the next one; level 0 is the text before the first one."""

    level: int
    title: str
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """The source, heading included."""
        return "".join(line.text for line in self.lines)

    @property
    def below(self) -> tuple[Line, ...]:
        """The lines without the heading."""
        return self.lines[1:] if self.level else self.lines


def split(text: str, deepest: int = SECTION) -> list[Section]:
    """Return the sections of a text, in order, by headings down to a level; their texts make up the whole text."""
    sections: list[tuple[int, str, list[Line]]] = [(0, "", [])]
    for line in lines(text):
        if not line.inside and (heading := heading_of(line.text)) and heading[0] <= deepest:
            sections.append((*heading, []))
        sections[-1][2].append(line)
    return [Section(level, title, tuple(within)) for level, title, within in sections if within]


def lines(text: str) -> Iterator[Line]:
    """Return the lines of a text, with the blocks of code and the comments that they are in."""
    until = ""
    for match in _LINE.finditer(text):
        source = match[0]
        inside = until or _end_of_block(source)
        ends = bool(inside) and _ends(source, inside.strip(), begins=not until)
        until = "" if ends else inside
        yield Line(source, inside, until)


def heading_of(line: str) -> tuple[int, str] | None:
    """Return the level and the title of a heading; None for any other line."""
    match = _HEADING.match(line)
    if not match:
        return None
    title = line[match.end() :].strip()
    bare = title.rstrip("#")  # `## Title ##`
    return len(match[1]), bare.rstrip() if bare != bare.rstrip() or not bare else title


def key(title: str) -> str:
    """Return the form in which titles are compared."""
    return " ".join(title.split()).casefold()


def _end_of_block(line: str) -> str:
    """Return the line that would end a block which begins here; "" if none does."""
    if fence := _FENCE.match(line):
        return fence[0]
    comment = _COMMENT.match(line)
    return _ENDS[comment[1]] if comment else ""


def _ends(line: str, mark: str, *, begins: bool) -> bool:
    """Return whether a block ends in this line, which may be the one that begins it."""
    if mark in _ENDS.values():
        return mark in line.lstrip()[2 if begins else 0 :]
    bare = line.strip()
    return not begins and len(bare) >= len(mark) and set(bare) == {mark[0]} and not line.startswith("    ")
