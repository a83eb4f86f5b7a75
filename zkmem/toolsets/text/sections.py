"""A text as lines, as sections, as facts such as `- Location: Kyoto`, and as a tree of headings to add to. Pure.

Sections begin at `##` (and `#`) headings, or deeper ones, outside of code and comments.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

SECTION = 2  # the level of the headings that name sections
_DEEPEST = 6
ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")  # of a list

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HEADING = re.compile(  # a deep one that is further in may belong to an item
    r"(?: {0,3}(?=##?(?!#))| ?(?=###))(#{1,6})(?=[ \t\r\n]|\Z)"
)
_FENCE = re.compile(r" {0,3}(?:`{3,}(?=[^`]*\Z)|~{3,})")
_COMMENT = re.compile(r" {0,3}(<!--|%%)")
_ENDS = {"<!--": "-->", "%%": "%%"}
_NAMED = (  # `Name: value`, also `**Name**: value` and `**Name:** value`
    r"(?P<marks>[*_]{0,3})(?P<name>[^:：\n]{1,80}?)"
    r"(?:(?P=marks)[ \t]*+[:：]|[:：](?P=marks))[ \t]*+(?P<value>[^\r\n]*)"
)  # a run of blanks is read once, `*+`: in a line of blanks, each other way to divide it would be tried, too
FIELD = re.compile(rf"(?P<indent>[ \t]*+)[-*+][ \t]++{_NAMED}")
FACT = re.compile(rf"(?P<indent>[ \t]*+)(?:[-*+][ \t]++)?{_NAMED}")  # the list marker may be missing
MARKS = re.compile(r"[*_]{0,3}")
_NO_KEY = re.compile(r"[.,;!?。，；！？|<`]|.{41}")  # a long or punctuated name is a sentence with a colon in it


class TextLine(NamedTuple):
    """A line of a text, with its line end, and the text that would end the code or the comment around it."""

    text: str
    inside: str = ""  # of the block that the line is in, or begins
    open: str = ""  # that block, if it continues after the line


@dataclass(eq=False, slots=True)
class Section:
    """A heading and the lines up to the next heading; with level 0, the text before the first heading.

    In a tree, `parts` are the sections of deeper headings below it.
    """

    level: int
    title: str
    lines: list[TextLine] = field(default_factory=list)
    parts: "list[Section]" = field(default_factory=list)

    @property
    def text(self) -> str:
        """The source of the lines."""
        return "".join(line.text for line in self.lines)

    @property
    def name(self) -> tuple[int, str]:
        """The key that equal headings share."""
        return self.level, key(self.title)

    @property
    def below(self) -> list[TextLine]:
        """The lines without the heading."""
        return self.lines[1:] if self.level else self.lines

    @property
    def empty(self) -> bool:
        """Whether nothing is below the heading."""
        return not self.parts and not any(line.text.strip() for line in self.below)

    @property
    def all_lines(self) -> Iterator[TextLine]:
        """The lines, and those of the parts below."""
        yield from self.lines
        for part in self.parts:
            yield from part.all_lines

    @property
    def last(self) -> "Section":
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
        block = [TextLine(f"{last.open}\n")] if last.open else []
        after = [TextLine(line.text) for line in self.lines[end:]]  # blank ones, no longer in the block
        self.lines[end - 1 :] = [TextLine(ended, last.inside), *block, *after]
        return end + len(block)

    def append(self, added: str) -> None:
        """Add lines before the blank ones at the end."""
        end = self.end
        gap = [TextLine("\n")] if end and _stand_apart(self, self.lines[end - 1].text, added) else []
        end = self.close(end)
        self.lines[end:end] = [*gap, *lines(added)]

    def insert(self, part: "Section", *, apart: bool) -> None:
        """Insert a part after the last one that is not deeper, so that no part becomes part of another one."""
        at = bisect_right(self.parts, -part.level, key=lambda one: -one.level)
        before = self.parts[at - 1].last if at else self
        end = before.end
        gap = [TextLine("\n")] if apart and end > (before.level > 1) else []
        end = before.close(end)
        part.lines += before.lines[end:]  # the blank lines stand before what comes next
        before.lines[end:] = gap
        self.parts.insert(at, part)


def split(text: str, deepest: int = SECTION) -> list[Section]:
    """Return the sections of a text, in order, by headings down to a level; their texts make up the whole text."""
    sections = [Section(0, "")]
    for line in lines(text):
        if not line.inside and (heading := heading_of(line.text)) and heading[0] <= deepest:
            sections.append(Section(*heading))
        sections[-1].lines.append(line)
    return [one for one in sections if one.lines]


def lines(text: str) -> Iterator[TextLine]:
    """Return the lines of a text, with the blocks of code and the comments that they are in."""
    until = ""
    for match in _LINE.finditer(text):
        source = match[0]
        inside = until or _end_of_block(source)
        ends = bool(inside) and _ends(source, inside.strip(), begins=not until)
        until = "" if ends else inside
        yield TextLine(source, inside, until)


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


class FieldRange(NamedTuple):
    """The range of a field's value: to the end of its line (`end`), or of its continuation lines (`end_below`)."""

    indent: int
    start: int
    end: int
    end_below: int


def fact_in(line: str) -> tuple[str, str] | None:
    """Return the key, normalized, and the value of a fact like `- Location: Kyoto`; None for other lines.

    A key has at most 40 characters and no punctuation, and a blank after its colon, which `12:30` and URLs lack.
    """
    fact = FACT.match(line)
    if not fact or _NO_KEY.search(fact["name"]):
        return None
    colon = line[fact.end("name") : fact.start("value")]
    if fact["value"] and not (colon[-1].isspace() or "：" in colon):
        return None
    name, marks = key(fact["name"].strip("*_ \t")), MARKS.match(fact["name"])
    return (name, fact["value"].rstrip().removesuffix(marks[0] if marks else "")) if name else None


def changed_fact(lines: Sequence[TextLine], value: str) -> str:
    """Return the text of an item that begins with a fact, with a new value.

    Continuation lines of the old value are dropped; items below it stay.
    """
    name, _ = fact_in(lines[0].text) or ("", "")
    return with_value("".join(line.text for line in lines), next(values(lines, 0, name, FACT)), value)


def with_value(text: str, at: FieldRange, value: str) -> str:
    """Return a text with another value in the range `at`."""
    gap = " " if text[at.start - 1] not in " \t：" else ""
    return f"{text[: at.start]}{gap}{value}{text[at.end_below :]}"


def values(lines: Sequence[TextLine], at: int, name: str, pattern: re.Pattern[str]) -> Iterator[FieldRange]:
    """Yield the values of a name in some lines; `at` is the offset of the first line, in characters."""
    for number, line in enumerate(lines):
        field = pattern.match(line.text) if not line.inside else None
        if field and key(field["name"].strip("*_ \t")) == key(name):
            before = MARKS.match(field["name"])  # `- **Name: value**`
            value = field["value"].rstrip().removesuffix(before[0] if before else "")
            start = at + field.start("value")
            below = _going_on(lines[number + 1 :], len(field["indent"]))
            end_below = at + len((line.text + below).rstrip()) if below else start + len(value)
            yield FieldRange(len(field["indent"]), start, start + len(value), end_below)
        at += len(line.text)


def _going_on(lines: Iterable[TextLine], indent: int) -> str:
    """Return the continuation lines of an item: indented lines that begin no item or heading."""
    below = ""
    for line in lines:
        bare = line.text.lstrip(" \t")
        inner = bare.strip() and len(line.text) - len(bare) > indent
        if not inner or line.inside or ITEM.match(line.text) or heading_of(bare):
            break
        below += line.text
    return below


def tree(text: str) -> list[Section]:
    """Return the sections of a text, each with the parts of deeper headings below it."""
    sections: list[Section] = []
    around: list[Section] = []
    for part in split(text, _DEEPEST):
        while around and part.level <= max(around[-1].level, SECTION):
            around.pop()
        if part.level > SECTION and not around:
            sections.append(Section(0, ""))  # every part is in a section
            around.append(sections[0])
        if part.level > SECTION:
            around[-1].parts.append(part)
        else:
            sections.append(part)
        around.append(part)
    return sections


def _stand_apart(part: Section, last: str, added: str) -> bool:
    """Return whether a blank line belongs between the last line of a part and an addition."""
    if part.level and part.end == 1:
        return part.level == 1
    if ITEM.match(added):
        return not (ITEM.match(last) or last[0] in " \t")
    return not (added.startswith("|") and last.lstrip().startswith("|"))  # rows of a table
