"""Additions to a text: what is not there yet goes to the end of its section, all else stays as it is. Pure."""

import re
import textwrap
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zkmem.errors import BadArgument
from zkmem.toolsets.text.sections import Line, heading_of, key, lines, split

_MARKED = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_BEGINS_A_BLOCK = tuple("#`~<%")
_SECTION, _DEEPEST = 2, 6  # levels of headings
_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_MERE_MARKS = frozenset("-*+_=•·\u115f\u1160\u2800\u3164\uffa0")  # of lists and rules, and letters that show nothing


class _Unit(NamedTuple):
    """What is added or left out as a whole: a line with the indented ones below it, or a block of code."""

    head: str
    rest: frozenset[str]
    text: str


def says_something(text: str) -> bool:
    """Whether there is anything to read in a text, beside blanks and the marks of lists."""
    return any(char not in _MERE_MARKS and unicodedata.category(char) not in _INVISIBLE for char in text)


def clean_title(title: str) -> str:
    """A title as a heading can hold it.

    Raises:
        BadArgument: when it cannot.
    """
    asked = " ".join(title.split())
    if asked.startswith("#") and asked.lstrip("#").startswith(" "):
        asked = asked.lstrip("#").strip()
    if not says_something(asked) or heading_of(f"## {asked}\n") != (2, asked):
        raise BadArgument(f"`section` must be the text of a heading, like Skills, not {title!r:.60}.")
    return asked


def points(text: str) -> str:
    """The lines of a text that say something, as items of a list.

    Those that are items, or are indented below one, stay as they are.
    """
    found: list[str] = []
    for line in tidy(text).split("\n"):
        bare = line.strip()
        below = found and line[:1].isspace() and not bare.startswith(_BEGINS_A_BLOCK)
        if says_something(bare):
            found.append(line if below or _MARKED.match(line) else f"- {bare}")
    return "\n".join(found)


def merged(text: str, content: str, section: str | None = None) -> str:
    """A text with what is new in `content`, each part in the section, and below the deeper heading, that it names.

    What stands before the first heading goes to `section`, or else before the first `##` of the text.
    """
    there = _Outline(text)
    for part in _tree(closed(tidy(content))):
        there.take(part, section)
    return there.text


def tidy(content: str) -> str:
    """A text with plain line ends, at the margin, without blank lines around it."""
    return textwrap.dedent(content.replace("\r\n", "\n").replace("\r", "\n")).strip("\n")


def closed(text: str) -> str:
    """A text with its last line ended, and the block that the line is in."""
    text += "" if not text or text.endswith("\n") else "\n"
    *_, last = (Line(""), *lines(text))
    return f"{text}{last.open}\n" if last.open else text


class _Part:
    """A heading with its lines up to the next heading, and the parts of deeper headings below it."""

    def __init__(self, level: int, title: str, within: Iterable[Line]) -> None:
        self.level = level
        self.title = title
        self.lines = list(within)
        self.parts: list[_Part] = []

    @property
    def name(self) -> tuple[int, str]:
        """What it has in common with its twins."""
        return self.level, key(self.title)

    @property
    def below(self) -> list[Line]:
        """Its lines without the heading."""
        return self.lines[1:] if self.level else self.lines

    @property
    def empty(self) -> bool:
        """Whether nothing is below the heading."""
        return not self.parts and not any(line.text.strip() for line in self.below)

    @property
    def all_lines(self) -> Iterator[Line]:
        """Its lines with those of the parts below it."""
        yield from self.lines
        for part in self.parts:
            yield from part.all_lines

    @property
    def last(self) -> "_Part":
        """The part that its last line is in."""
        return self.parts[-1].last if self.parts else self

    @property
    def end(self) -> int:
        """Where the blank lines at its end begin."""
        end = len(self.lines)
        while end and not self.lines[end - 1].text.strip():
            end -= 1
        return end

    def close(self, end: int) -> int:
        """End the line before a place, and the block that it is in; where the place is then."""
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

    def insert(self, part: "_Part", *, apart: bool) -> None:
        """Put in a part at the end, but where it comes to stand below no other one, nor another one below it."""
        at = bisect_right(self.parts, -part.level, key=lambda one: -one.level)
        before = self.parts[at - 1].last if at else self
        end = before.end
        gap = [Line("\n")] if apart and end > (before.level > 1) else []
        end = before.close(end)
        part.lines += before.lines[end:]  # the blank lines stand before what comes next
        before.lines[end:] = gap
        self.parts.insert(at, part)


class _Place:
    """All that is below one heading, or several of the same name: compared with all, added to the first."""

    def __init__(self, parts: Sequence[_Part], *, made: bool = False) -> None:
        self._parts = parts
        self._made = made
        self._there: dict[str, frozenset[str]] = {}
        self._within: dict[tuple[int, str], list[_Part]] = {}
        self._places: dict[tuple[int, str], _Place] = {}
        for part in parts:
            self._know(_units(part.below))
            for one in part.parts:
                self._within.setdefault(one.name, []).append(one)

    def take(self, new: _Part) -> None:
        """Add what is new in a part, and in those below it."""
        units = _units(_unindented(new.below))
        units = [one for one in units if one.head not in self._there or not one.rest <= self._there[one.head]]
        if added := _texts(units):
            self._parts[0].append(added)
            self._know(units)
        above = new
        for part in new.parts:
            spaced = len(above.lines) > above.end
            self._place(part, apart=spaced or not self._made).take(part)
            above = part.last

    def _place(self, like: _Part, *, apart: bool) -> "_Place":
        """The place of a deeper heading, which is made if it is missing."""
        if like.name not in self._places:
            there = self._within.get(like.name)
            made = _Part(like.level, like.title, like.lines[:1])
            if not there:
                self._parts[0].insert(made, apart=apart)
            self._places[like.name] = _Place(there or [made], made=not there)
        return self._places[like.name]

    def _know(self, units: Iterable[_Unit]) -> None:
        for unit in units:
            self._there[unit.head] = self._there.get(unit.head, frozenset()) | unit.rest


class _Outline:
    """A text as sections that are added to: split once and joined once, however many additions there are."""

    def __init__(self, text: str) -> None:
        self._sections = _tree(text)
        self._named: dict[tuple[int, str], list[_Part]] = {}
        self._places: dict[tuple[int, str], _Place] = {}
        self._above = _Part(0, "", [])  # in case it is needed
        self._stands_alone = not self._sections
        for one in self._sections:
            self._named.setdefault(one.name, []).append(one)

    @property
    def text(self) -> str:
        """The whole text."""
        above = "".join(line.text for line in self._above.all_lines)
        gap = "\n" if above and not self._stands_alone else ""
        below = "".join(line.text for one in self._sections for line in one.all_lines if one is not self._above)
        return f"{above}{gap}{below}"

    def take(self, new: _Part, section: str | None) -> None:
        """Add what is new in a part where it belongs."""
        titled = new.level == 1 and new.name in self._named
        if new.level and not titled:
            heading = "#" * (_SECTION - new.level) + new.lines[0].text.lstrip(" ")
            if new.title or not new.empty:
                self._section(heading).take(new)
        elif new.empty:
            return
        elif section is not None:
            self._section(f"## {section}\n").take(new)
        else:
            self._place((1, key(new.title)) if titled else (0, "")).take(new)

    def _section(self, heading: str) -> _Place:
        """The section of a heading, which is made at the end if it is missing."""
        _, title = heading_of(heading) or (_SECTION, "")
        made = _Part(_SECTION, title, [Line(heading)])
        if made.name in self._named:
            return self._place(made.name)
        if self._sections:
            last = self._sections[-1].last
            end = last.close(len(last.lines))
            last.lines += [Line("\n")] if end and last.lines[-1].text.strip() else []
        self._sections.append(made)
        self._named[made.name] = [made]
        self._places[made.name] = _Place([made], made=True)
        return self._places[made.name]

    def _place(self, name: tuple[int, str]) -> _Place:
        if name not in self._places:
            self._places[name] = _Place(self._named[name]) if name[0] else self._before_sections()
        return self._places[name]

    def _before_sections(self) -> _Place:
        """The text before the first `##`: the title's, first."""
        first = next((at for at, one in enumerate(self._sections) if one.level == _SECTION), len(self._sections))
        there = sorted(self._sections[:first], key=lambda one: not one.level)
        if not there:
            self._sections.insert(0, self._above)
        return _Place(there or [self._above], made=not there)


def _tree(text: str) -> list[_Part]:
    """The sections of a text, each with the parts of deeper headings below it."""
    found: list[_Part] = []
    around: list[_Part] = []
    for one in split(text, _DEEPEST):
        part = _Part(*one)
        while around and part.level <= max(around[-1].level, _SECTION):
            around.pop()
        if part.level > _SECTION and not around:
            found.append(_Part(0, "", []))
            around.append(found[0])
        if part.level > _SECTION:
            around[-1].parts.append(part)
        else:
            found.append(part)
        around.append(part)
    return found


def _stand_apart(part: _Part, last: str, added: str) -> bool:
    """Whether a blank line belongs between the last line of a part and what is added to it."""
    if part.level and part.end == 1:
        return part.level == 1
    if _MARKED.match(added):
        return not (_MARKED.match(last) or last[0] in " \t")
    return not (added.startswith("|") and last.lstrip().startswith("|"))  # rows of a table


def _unindented(new: Sequence[Line]) -> Sequence[Line]:
    """The lines with the first one at the margin: it must not belong to what it comes to stand below."""
    first = next((line for line in new if line.text.strip()), None)
    if first is None or first.text[0] not in " \t":
        return new
    text = "".join(line.text for line in new).lstrip()
    escape = "\\" if text.startswith(_BEGINS_A_BLOCK) and not first.inside else ""
    return list(lines(escape + text))


def _units(below: Iterable[Line]) -> list[_Unit]:
    groups: list[list[Line]] = []
    within = False
    for line in below:
        blank = not line.text.strip()
        if groups and (within or blank or line.text[0] in " \t"):
            groups[-1].append(line)
        elif not blank:
            groups.append([line])
        within = bool(line.open)
    return [_unit(group) for group in groups]


def _unit(group: Sequence[Line]) -> _Unit:
    bare = [line.text.strip() for line in group if line.text.strip()]
    text = "".join(line.text for line in group)
    return _Unit("\n".join(bare), frozenset(), text) if group[0].inside else _Unit(bare[0], frozenset(bare[1:]), text)


def _texts(units: Iterable[_Unit]) -> str:
    """The texts of some units, without the blank lines below the last one."""
    text = "".join(unit.text for unit in units)
    end = text.find("\n", len(text.rstrip()))
    return text[: end + 1]
