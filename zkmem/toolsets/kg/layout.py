"""Find and change the list items that are a note's observations and relations, among the other text of the note.

Observations are the items above the first heading, or those below `## Observations` if there is such a heading. A
heading of level 1 with only blank lines above it is the note's title, and does not count. Relations are the
items below `## Relations`. Both headings count at any level and in any case. These rules start again after each line
`---`, since a merge puts that line between two notes.
"""

import functools
import operator
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from zkmem.records.blocks import Blocks, BulletItem, HeadingLine, scan

OBSERVATIONS = "## Observations"
RELATIONS = "## Relations"
_KINDS = {"observations": OBSERVATIONS, "relations": RELATIONS}  # by the text of a heading in lower case
_Block = TypeVar("_Block", BulletItem, HeadingLine)


class ItemSection(NamedTuple):
    """A part of a body with items: its lines [start, end), and the line of its heading, if it has one."""

    start: int
    end: int
    items: tuple[BulletItem, ...]
    heading: int | None = None


class SectionGroup(NamedTuple):
    """The sections that hold items of one kind."""

    sections: tuple[ItemSection, ...]

    @property
    def items(self) -> list[BulletItem]:
        """The items of all sections."""
        return [item for section in self.sections for item in section.items]

    @property
    def headings(self) -> list[int]:
        """The lines of the headings."""
        return [section.heading for section in self.sections if section.heading is not None]

    def home(self) -> ItemSection:
        """Return the section to add an item to: the last one that has items, else the first."""
        return next((section for section in reversed(self.sections) if section.items), self.sections[0])


class Layout:
    """The lines of a body, and the sections of its observations and relations, which are found when first needed."""

    def __init__(self, blocks: Blocks) -> None:
        """Make the layout of a body from its blocks."""
        self.lines = blocks.lines
        self._blocks = blocks

    @classmethod
    def of(cls, body: str) -> "Layout":
        """Return the layout of a body."""
        return cls(scan(body))

    @functools.cached_property
    def observations(self) -> SectionGroup:
        """The sections of the observations; there is always one."""
        return SectionGroup(_titled(self._blocks, OBSERVATIONS) or _free(self._blocks))

    @functools.cached_property
    def relations(self) -> SectionGroup:
        """The sections of the relations; there may be none."""
        return SectionGroup(_titled(self._blocks, RELATIONS))

    @property
    def is_plain(self) -> bool:
        """Whether the body has nothing but items, each on one line, and the headings of their sections."""
        return self._blocks.is_plain and all(map(_kind, self._blocks.headings))

    def with_observations(self, texts: Sequence[str]) -> str:
        """Return the body with observations added; `texts` are list items."""
        return "\n".join(_inserted(self.lines, self.observations.home(), texts))

    def with_relations(self, texts: Sequence[str]) -> str:
        """Return the body with relations added, in a new section if there is none; `texts` are list items."""
        if self.relations.sections:
            return "\n".join(_inserted(self.lines, self.relations.home(), texts))
        return _below("\n".join(self.lines), RELATIONS, texts)

    def without(self, items: Iterable[BulletItem]) -> str:
        """Return the body without some items, and without a section of relations that becomes empty."""
        left_out = {number for item in items for number in item.lines}
        for section in reversed(self.relations.sections):
            left_out |= self.emptied(section, left_out)
        return "\n".join(line for number, line in enumerate(self.lines) if number not in left_out)

    def bare(self, relations: Iterable[BulletItem]) -> str:
        """Return the body without its observations and these relations."""
        rest = Layout.of(self.without([*self.observations.items, *relations]))
        left_out: set[int] = set()
        for section in reversed(rest.observations.sections):
            left_out |= rest.emptied(section, left_out)
        return "\n".join(line for number, line in enumerate(rest.lines) if number not in left_out)

    def own_texts(self) -> list[tuple[str, bool]]:
        """Return the text of each list item and of each other line, and whether it is an item.

        Blank lines and the relations are left out.
        """
        left_out = {number for section in self.relations.sections for number in _lines(section)}
        left_out.update(self.observations.headings)
        texts = {item.start: item for item in self._blocks.items if item.start not in left_out}
        left_out.update(number for item in texts.values() for number in item.lines[1:])
        return [
            (texts[number].text, True) if number in texts else (line, False)
            for number, line in enumerate(self.lines)
            if number not in left_out and line.strip()
        ]

    def adopted(self) -> str:
        """Return the body with a section for observations, if it has text other than relations; else unchanged."""
        if self.observations.headings or not self.own_texts():
            return "\n".join(self.lines)
        if self.relations.headings:
            at = self.relations.headings[0]
            return "\n".join([*self.lines[:at], OBSERVATIONS, "", *self.lines[at:]])
        return _below("\n".join(self.lines), OBSERVATIONS, ())

    def emptied(self, section: ItemSection, gone: set[int]) -> set[int]:
        """Return the lines to remove if only blank lines are left under the heading of a section; else no lines."""
        if section.heading is None or any(
            self.lines[number].strip() for number in range(section.start, section.end) if number not in gone
        ):
            return set()
        last = section.end == len(self.lines)
        blank_above = section.heading > 0 and not self.lines[section.heading - 1].strip()
        if last:  # the body still ends with a line end
            return {*range(section.heading - blank_above, section.end - 1)}
        return {*range(section.heading, section.end)}


def _lines(section: ItemSection) -> range:
    return range(section.start if section.heading is None else section.heading, section.end)


def _kind(heading: HeadingLine) -> str:
    """Return which section begins at a heading: `OBSERVATIONS`, `RELATIONS`, or "" for any other."""
    return _KINDS.get(heading.text.lower(), "")


def _titled(blocks: Blocks, kind: str) -> tuple[ItemSection, ...]:
    """Return the sections of a kind. Each ends at a heading of its level or higher, another section, or a `---`."""
    sections = []
    ends = [len(blocks.lines)] * 7  # by level: the line at which a section of that level ends
    for heading in reversed(blocks.headings):
        if _kind(heading) == kind:
            rule = bisect_right(blocks.rules, heading.line)
            end = min([ends[heading.level], *blocks.rules[rule : rule + 1]])
            items = _within(blocks.items, heading.line, end)
            sections.append(ItemSection(heading.line + 1, end, tuple(items), heading.line))
        lowest = 1 if _kind(heading) else heading.level
        ends[lowest:] = [heading.line] * (7 - lowest)
    return tuple(reversed(sections))


def _free(blocks: Blocks) -> tuple[ItemSection, ...]:
    """Return the parts above the first heading, apart from the title: at the beginning, and after each line `---`."""
    sections = []
    starts = [0, *(line + 1 for line in blocks.rules)]
    for start, end in zip(starts, [*blocks.rules, len(blocks.lines)], strict=True):
        first = next((number for number in range(start, end) if blocks.lines[number].strip()), end)
        headings = _within(blocks.headings, start, end)
        if headings and headings[0].line == first and headings[0].level == 1 and not _kind(headings[0]):
            headings = headings[1:]  # the title
        top = headings[0].line if headings else end
        sections.append(ItemSection(start, top, tuple(_within(blocks.items, start, top))))
    return tuple(sections)


def _within(blocks: Sequence[_Block], start: int, end: int) -> Sequence[_Block]:
    """Return those blocks, sorted by their lines, that begin on the lines [start, end)."""
    line = operator.itemgetter(0)
    return blocks[bisect_left(blocks, start, key=line) : bisect_left(blocks, end, key=line)]


def _inserted(lines: Sequence[str], section: ItemSection, texts: Iterable[str]) -> list[str]:
    """Return the lines with items added below those of a section."""
    new = [line for text in texts for line in text.split("\n")]
    if section.items:
        at = section.items[-1].end
        return [*lines[:at], *new, *lines[at:]]
    at = section.end
    while at > section.start and not lines[at - 1].strip():
        at -= 1
    above = [""] if at > section.start else []
    below = [""] if at < len(lines) and lines[at].strip() else []
    return [*lines[:at], *above, *new, *below, *lines[at:]]


def _below(body: str, heading: str, texts: Iterable[str]) -> str:
    """Return a body with a new section at its end."""
    gap = "" if not body.strip() else "\n" if body.endswith("\n") else "\n\n"
    return (body if body.strip() else "") + gap + "\n".join([heading, *texts]) + "\n"
