"""A text as a tree of headings, to which lines and parts can be added. Pure."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from zkmem.toolsets.text.sections import ITEM, SECTION, Line, key, lines, split

_DEEPEST = 6


class Part:
    """A heading with its lines up to the next heading, and the parts of deeper headings below it."""

    def __init__(self, level: int, title: str, within: Iterable[Line]) -> None:
        self.level = level
        self.title = title
        self.lines = list(within)
        self.parts: list[Part] = []

    @property
    def name(self) -> tuple[int, str]:
        """The key that equal headings share."""
        return self.level, key(self.title)

    @property
    def below(self) -> list[Line]:
        """The lines without the heading."""
        return self.lines[1:] if self.level else self.lines

    @property
    def empty(self) -> bool:
        """Whether nothing is below the heading."""
        return not self.parts and not any(line.text.strip() for line in self.below)

    @property
    def all_lines(self) -> Iterator[Line]:
        """The lines, and those of the parts below."""
        yield from self.lines
        for part in self.parts:
            yield from part.all_lines

    @property
    def last(self) -> "Part":
        """The part that holds the last line."""
        return self.parts[-1].last if self.parts else self

    @property
    def end(self) -> int:
        """The index at which the blank lines at the end begin."""
        end = len(self.lines)
        while end and not self.lines[end - 1].text.strip():
            end -= 1
        return end

    def close(self, end: int) -> int:
        """End the line before the index `end`, and the block that the line is in. Return the index after that block."""
        if not end:
            return 0
        last = self.lines[end - 1]
        ended = last.text if last.text.endswith("\n") else f"{last.text}\n"
        block = [Line(f"{last.open}\n")] if last.open else []
        after = [Line(line.text) for line in self.lines[end:]]  # blank ones, no longer in the block
        self.lines[end - 1 :] = [Line(ended, last.inside), *block, *after]
        return end + len(block)

    def append(self, added: str) -> None:
        """Add lines before the blank ones at the end."""
        end = self.end
        gap = [Line("\n")] if end and _stand_apart(self, self.lines[end - 1].text, added) else []
        end = self.close(end)
        self.lines[end:end] = [*gap, *lines(added)]

    def insert(self, part: "Part", *, apart: bool) -> None:
        """Insert a part after the last one that is not deeper, so that no part becomes part of another one."""
        at = bisect_right(self.parts, -part.level, key=lambda one: -one.level)
        before = self.parts[at - 1].last if at else self
        end = before.end
        gap = [Line("\n")] if apart and end > (before.level > 1) else []
        end = before.close(end)
        part.lines += before.lines[end:]  # the blank lines stand before what comes next
        before.lines[end:] = gap
        self.parts.insert(at, part)


def tree(text: str) -> list[Part]:
    """Return the sections of a text, each with the parts of deeper headings below it."""
    sections: list[Part] = []
    around: list[Part] = []
    for one in split(text, _DEEPEST):
        part = Part(*one)
        while around and part.level <= max(around[-1].level, SECTION):
            around.pop()
        if part.level > SECTION and not around:
            sections.append(Part(0, "", []))  # every part is in a section
            around.append(sections[0])
        if part.level > SECTION:
            around[-1].parts.append(part)
        else:
            sections.append(part)
        around.append(part)
    return sections


def _stand_apart(part: Part, last: str, added: str) -> bool:
    """Return whether a blank line belongs between the last line of a part and an addition."""
    if part.level and part.end == 1:
        return part.level == 1
    if ITEM.match(added):
        return not (ITEM.match(last) or last[0] in " \t")
    return not (added.startswith("|") and last.lstrip().startswith("|"))  # rows of a table
