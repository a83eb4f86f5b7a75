"""Where a note's observations and relations stand: items of lists, as lines, amid whatever else a person has written.

Observations are the items above the first heading, or those below `## Observations` if there is such a heading.
Relations are those below `## Relations`. An item goes on in indented lines.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

OBSERVATIONS = "## Observations"
RELATIONS = "## Relations"

_BULLETS = ("-", "*", "+")
_ITEM = re.compile(r"[-*+](?: +|$)")
_HEADING = re.compile(r"#{1,6}(?: |$)")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_INDENT = "  "


class Item(NamedTuple):
    """An item of a list: its lines [start, end) in the body, and its text."""

    start: int
    end: int
    text: str


class Section(NamedTuple):
    """A part of a body that items are in: its lines [start, end), and the line of its heading, if it has one."""

    start: int
    end: int
    items: tuple[Item, ...]
    heading: int | None = None


class Layout(NamedTuple):
    """A body in parts."""

    lines: list[str]
    observations: Section
    relations: Section | None

    @classmethod
    def of(cls, body: str) -> "Layout":
        """The parts of a body."""
        lines = body.split("\n")
        items, headings = _scan(lines)
        top = next(iter(headings), len(lines))
        named = _section(lines, items, headings, OBSERVATIONS)
        free = Section(0, top, tuple(item for item in items if item.start < top))
        return cls(lines, named or free, _section(lines, items, headings, RELATIONS))

    def with_observations(self, texts: Sequence[str]) -> str:
        """The body with observations added, as they are written."""
        return "\n".join(_inserted(self.lines, self.observations, texts))

    def with_relations(self, texts: Sequence[str]) -> str:
        """The body with relations added, as they are written; with a section for them if there is none."""
        if self.relations:
            return "\n".join(_inserted(self.lines, self.relations, texts))
        return _below("\n".join(self.lines), RELATIONS, texts)

    def without(self, items: Iterable[Item]) -> str:
        """The body without some items; a section of relations that is empty then goes too."""
        gone = {number for item in items for number in range(item.start, item.end)}
        section = self.relations
        if section and section.heading is not None and all(item.start in gone for item in section.items):
            rest = [n for n in range(section.start, section.end) if n not in gone and self.lines[n].strip()]
            if not rest:
                gone.update(range(section.heading, section.end - (section.end == len(self.lines))))
                if section.heading and not self.lines[section.heading - 1].strip():
                    gone.add(section.heading - 1)
        return "\n".join(line for number, line in enumerate(self.lines) if number not in gone)

    def bare(self) -> str:
        """The body without anything that this toolset keeps in it."""
        items = [*self.observations.items, *(self.relations.items if self.relations else ())]
        rest = Layout.of(self.without(items))
        section = rest.observations
        if section.heading is None:
            return "\n".join(rest.lines)
        end = section.end - (section.end == len(rest.lines))
        empty = not "".join(rest.lines[section.start : section.end]).strip()
        start = section.heading - (section.heading > 0 and not rest.lines[section.heading - 1].strip())
        return "\n".join([*rest.lines[:start], *rest.lines[end if empty else section.start :]])

    def adopted(self) -> str:
        """The body of a note that is to hold observations: with a section for them, if it has text of its own."""
        section = self.relations
        own = [*self.lines[: section.heading], *self.lines[section.end :]] if section else self.lines
        if self.observations.heading is not None or not "".join(own).strip():
            return "\n".join(self.lines)
        if self.relations and self.relations.heading is not None:
            at = self.relations.heading
            return "\n".join([*self.lines[:at], OBSERVATIONS, "", *self.lines[at:]])
        return _below("\n".join(self.lines), OBSERVATIONS, ())


def _scan(lines: Sequence[str]) -> tuple[list[Item], list[int]]:
    """The items and the lines of the headings; neither is looked for in fenced code."""
    items, headings = [], []
    fence, number = "", 0
    while number < len(lines):
        line = lines[number]
        if not fence and line[:1] in _BULLETS and (lead := _ITEM.match(line)):
            item = _item(lines, number, lead.end())
            items.append(item)
            number = item.end
            continue
        if found := _FENCE.match(line):
            fence = "" if fence == found[1] else fence or found[1]
        elif not fence and _HEADING.match(line):
            headings.append(number)
        number += 1
    return items, headings


def _item(lines: Sequence[str], start: int, lead: int) -> Item:
    end = following = start + 1
    if following < len(lines) and lines[following][:1] in _BULLETS:  # as in most lists, some of them long
        return Item(start, end, lines[start][lead:])
    while following < len(lines) and (lines[following].startswith(_INDENT) or not lines[following].strip()):
        following += 1
        if lines[following - 1].startswith(_INDENT):
            end = following
    text = [lines[start][lead:], *(line.removeprefix(_INDENT) for line in lines[start + 1 : end])]
    return Item(start, end, "\n".join(text))


def _section(lines: Sequence[str], items: Sequence[Item], headings: Sequence[int], title: str) -> Section | None:
    for number, heading in enumerate(headings):
        if lines[heading].rstrip() == title:
            end = headings[number + 1] if number + 1 < len(headings) else len(lines)
            return Section(heading + 1, end, tuple(item for item in items if heading < item.start < end), heading)
    return None


def _inserted(lines: Sequence[str], section: Section, texts: Iterable[str]) -> list[str]:
    """The lines with items added below those of a section."""
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
    """A body with a section at its end."""
    gap = "" if not body.strip() else "\n" if body.endswith("\n") else "\n\n"
    return (body if body.strip() else "") + gap + "\n".join([heading, *texts]) + "\n"
