"""Add to a text: new lines go to the end of their section, and no other line changes. Pure.

On request, a fact with a new value replaces the fact with the same key.
"""

import functools
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import NamedTuple

from zkmem.errors import BadArgument
from zkmem.toolsets.text.sections import (
    ITEM,
    SECTION,
    Section,
    TextLine,
    changed_fact,
    fact_in,
    heading_of,
    key,
    lines,
    tree,
)

_BEGINS_A_BLOCK = tuple("#`~<%")
_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_MERE_MARKS = frozenset("-*+_=•·\u115f\u1160\u2800\u3164\uffa0")  # of lists and rules, and letters that show nothing


Head = str | tuple[str, str]
Name = tuple[int, str]
_Keys = Counter[tuple[tuple[Name, ...], str]]
"""How often the new text has each key of a fact below each heading. A heading is the tuple of the names down to it."""


class _Unit(NamedTuple):
    """A unit that is added or left out whole: a line with the indented ones below it, or a block of code."""

    line: str  # the first one, without blanks around it; all lines of a block of code
    rest: frozenset[str]
    text: str
    fact: tuple[str, str] | None = None  # key and value, if facts replace others and the first line is one

    @property
    def head(self) -> Head:
        """What equal units share besides the lines below: a fact may be written in several forms."""
        return self.fact or self.line


@dataclass(eq=False, slots=True)
class _Fact:
    """A fact in a part: its lines, of which the first is its head."""

    part: Section
    lines: slice
    head: Head

    def change(self, new: _Unit) -> None:
        """Set the value of the fact to that of a new one. If the new one has items below it, replace the items, too."""
        old = self.part.lines[self.lines]
        text = "".join(line.text for line in old)
        end = text[len(text.rstrip()) :]
        changed = new.text.rstrip() + end if new.rest else changed_fact(old, new.fact[1] if new.fact else "")
        # keep the number of lines, since the positions of other facts are line numbers
        self.part.lines[self.lines] = [TextLine(changed, "", old[-1].open), *[TextLine("")] * (len(old) - 1)]
        self.head = new.head


def says_something(text: str) -> bool:
    """Return whether a text has characters other than blanks and the marks of lists."""
    return any(char not in _MERE_MARKS and unicodedata.category(char) not in _INVISIBLE for char in text)


def clean_title(title: str) -> str:
    """Return a title as the text of a heading: on one line, without `#` before it."""
    heading = " ".join(title.split())
    if heading.startswith("#") and heading.lstrip("#").startswith(" "):
        heading = heading.lstrip("#").strip()
    if not says_something(heading) or heading_of(f"## {heading}\n") != (2, heading):
        raise BadArgument(f"`section` must be the text of a heading, like Skills, not {title!r:.60}.")
    return heading


def points(text: str) -> str:
    """Return the lines of a text, except blank ones and mere marks, as list items.

    Lines that are items, or are indented below an item, do not change.
    """
    items: list[str] = []
    for line in tidy(text).split("\n"):
        bare = line.strip()
        below = items and line[:1].isspace() and not bare.startswith(_BEGINS_A_BLOCK)
        if says_something(bare):
            items.append(line if below or ITEM.match(line) else f"- {bare}")
    return "\n".join(items)


def merged(text: str, content: str, section: str | None = None, *, by_key: bool = False) -> str:
    """Return a text with the new parts of `content`, each in the section and below the heading that it names.

    Text before the first heading goes to `section`, and so does text below the repeated title of the text. Without a
    section, both go before the first `##` of the text. With `by_key`, a fact like `Location: Kyoto` replaces the one
    with the same key below the same heading. If a key is there several times, or several times below that heading in
    `content`, it is the key of a list, and the fact is added.
    """
    outline = _Outline(text)
    new = tree(closed(tidy(content)))
    if section is not None:
        new = [outline.in_section(part, section) for part in new]
    if by_key:
        outline.count_keys(new)
    for part in new:
        outline.take(part)
    return outline.text


def tidy(content: str) -> str:
    r"""Return a text with `\n` line ends, without common indent and without blank lines around it."""
    return textwrap.dedent(content.replace("\r\n", "\n").replace("\r", "\n")).strip("\n")


def closed(text: str) -> str:
    """Return a text with an end to its last line and to the block that the line is in."""
    text += "" if not text or text.endswith("\n") else "\n"
    *_, last = (TextLine(""), *lines(text))
    return f"{text}{last.open}\n" if last.open else text


class _Place:
    """The parts below the headings of one name. New text is compared with all of them, and added to the first.

    With `keys`, a fact replaces the only fact with the same key. `names`: the names of the heading and of those above
    it.
    """

    def __init__(self, parts: Sequence[Section], keys: _Keys | None, names: tuple[Name, ...], *, is_new: bool) -> None:
        self._parts = parts
        self._keys = keys
        self._names = names
        self._is_new = is_new
        self._present: dict[Head, frozenset[str]] = {}
        self._within: dict[Name, list[Section]] = {}
        self._places: dict[Name, _Place] = {}
        for part in parts:
            self._remember(self._units(part.below))
            for one in part.parts:
                self._within.setdefault(one.name, []).append(one)

    def take(self, new: Section) -> None:
        """Add the new lines of a part, and of the parts below it."""
        units = self._units(_unindented(new.below))
        units = [one for one in units if one.head not in self._present or not one.rest <= self._present[one.head]]
        if self._keys:
            units = [one for one in units if not self._set(one)]
        if added := _texts(units):
            self._parts[0].append(added)
            self._remember(units)
        above = new
        for part in new.parts:
            spaced = len(above.lines) > above.end
            self._place(part, apart=spaced or not self._is_new).take(part)
            above = part.last

    def _place(self, like: Section, *, apart: bool) -> "_Place":
        """Return the place of a deeper heading, which is created if it is missing."""
        if like.name not in self._places:
            parts = self._within.get(like.name)
            created = Section(like.level, like.title, like.lines[:1])
            if not parts:
                self._parts[0].insert(created, apart=apart)
            names = (*self._names, like.name)
            self._places[like.name] = _Place(parts or [created], self._keys, names, is_new=not parts)
        return self._places[like.name]

    def _set(self, new: _Unit) -> bool:
        """Give an existing fact its new value; return whether its key was there exactly once, with another value."""
        if not new.fact or not self._keys or self._keys[self._names, new.fact[0]] > 1:
            return False
        places = self._facts.get(new.fact[0], [])
        if len(places) != 1 or new.head in self._present:
            return False
        del self._present[places[0].head]
        places[0].change(new)
        self._remember([new])
        return True

    @functools.cached_property
    def _facts(self) -> "dict[str, list[_Fact]]":
        """Return the facts that the text had at first, by key."""
        facts: dict[str, list[_Fact]] = {}
        for part in self._parts:
            at = len(part.lines) - sum(map(len, groups := _groups(part.below)))  # below the blank lines
            for group in groups:
                unit = _unit(group, by_key=True)
                if unit.fact:
                    blank = sum(1 for _ in takewhile(lambda line: not line.text.strip(), reversed(group)))
                    of_fact = slice(at, at + len(group) - blank)
                    facts.setdefault(unit.fact[0], []).append(_Fact(part, of_fact, unit.head))
                at += len(group)
        return facts

    def _units(self, below: Iterable[TextLine]) -> list[_Unit]:
        return [_unit(group, by_key=self._keys is not None) for group in _groups(below)]

    def _remember(self, units: Iterable[_Unit]) -> None:
        for unit in units:
            self._present[unit.head] = self._present.get(unit.head, frozenset()) | unit.rest


class _Outline:
    """A text as sections to which many parts can be added. It is split once and joined once."""

    def __init__(self, text: str) -> None:
        self._sections = tree(text)
        self._keys: _Keys | None = None  # None: no fact replaces another one
        self._named: dict[Name, list[Section]] = {}
        self._places: dict[Name, _Place] = {}
        self._above = Section(0, "")  # in case it is needed
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

    def in_section(self, new: Section, section: str) -> Section:
        """Return a new part with the heading of a section, if it has none or only repeats the title."""
        if new.empty or (new.level and not self._is_title(new)):
            return new
        return Section(SECTION, section, [TextLine(f"## {section}\n"), *new.below], new.parts)

    def count_keys(self, new: Iterable[Section]) -> None:
        """Count the keys of all new parts. After this call, new facts replace those with the same key."""
        self._keys = Counter(key for part in new for key in _keys_in(part, (self._name(part),)))

    def take(self, new: Section) -> None:
        """Add the new lines of a part to the section that it belongs to, which is created at the end if missing."""
        if new.empty and not new.title:
            return
        name = self._name(new)
        if name[0] == SECTION and name not in self._named:
            self._add(new)
        self._place(name).take(new)

    def _is_title(self, new: Section) -> bool:
        """Return whether a new part has a `#` heading that the text has."""
        return new.level == 1 and new.name in self._named

    def _name(self, new: Section) -> Name:
        """Return the name of the section that a new part belongs to."""
        return new.name if not new.level or self._is_title(new) else (SECTION, key(new.title))

    def _add(self, new: Section) -> None:
        """Add the section of a new part at the end."""
        heading = "#" * (SECTION - new.level) + new.lines[0].text.lstrip(" ")
        _, title = heading_of(heading) or (SECTION, "")
        section = Section(SECTION, title, [TextLine(heading)])
        if self._sections:
            last = self._sections[-1].last
            end = last.close(len(last.lines))
            last.lines += [TextLine("\n")] if end and last.lines[-1].text.strip() else []
        self._sections.append(section)
        self._named[section.name] = [section]
        self._places[section.name] = _Place([section], self._keys, (section.name,), is_new=True)

    def _place(self, name: Name) -> _Place:
        if name not in self._places:
            parts = self._named[name] if name[0] else self._before_sections()
            self._places[name] = _Place(parts or [self._above], self._keys, (name,), is_new=not parts)
        return self._places[name]

    def _before_sections(self) -> list[Section]:
        """Return the parts before the first `##`, the one with the title first."""
        first = next((at for at, one in enumerate(self._sections) if one.level == SECTION), len(self._sections))
        parts = sorted(self._sections[:first], key=lambda one: not one.level)
        if not parts:
            self._sections.insert(0, self._above)
        return parts


def _unindented(new: Sequence[TextLine]) -> Sequence[TextLine]:
    """Return the lines with the first one unindented, so that it does not belong to the line above."""
    first = next((line for line in new if line.text.strip()), None)
    if first is None or first.text[0] not in " \t":
        return new
    text = "".join(line.text for line in new).lstrip()
    escape = "\\" if text.startswith(_BEGINS_A_BLOCK) and not first.inside else ""
    return list(lines(escape + text))


def _keys_in(new: Section, names: tuple[Name, ...]) -> Iterator[tuple[tuple[Name, ...], str]]:
    """Yield the keys of the facts in a part and in the parts below it, with the names of the headings down to each."""
    for group in _groups(_unindented(new.below)):
        if fact := _unit(group, by_key=True).fact:
            yield names, fact[0]
    for part in new.parts:
        yield from _keys_in(part, (*names, part.name))


def _groups(below: Iterable[TextLine]) -> list[list[TextLine]]:
    """Return the lines of each unit with the blank lines after it, without blank lines before the first unit."""
    groups: list[list[TextLine]] = []
    within = False
    for line in below:
        blank = not line.text.strip()
        if groups and (within or blank or line.text[0] in " \t"):
            groups[-1].append(line)
        elif not blank:
            groups.append([line])
        within = bool(line.open)
    return groups


def _unit(group: Sequence[TextLine], *, by_key: bool) -> _Unit:
    bare = [line.text.strip() for line in group if line.text.strip()]
    text = "".join(line.text for line in group)
    if group[0].inside:
        return _Unit("\n".join(bare), frozenset(), text)
    return _Unit(bare[0], frozenset(_inner(group)), text, fact_in(group[0].text) if by_key else None)


def _inner(group: Sequence[TextLine]) -> list[str]:
    """Return each line below the first one together with its parent lines. A block of code counts as one line."""
    inner: list[str] = []
    around: list[tuple[int, str]] = []
    for before, line in pairwise(group):
        bare = line.text.strip()
        if before.open and inner:
            inner[-1] += f"\n{bare}"
        elif bare:
            wide = line.text.expandtabs(4)
            indent = len(wide) - len(wide.lstrip())
            while around and around[-1][0] >= indent:
                around.pop()
            around.append((indent, bare))
            inner.append("\n".join(text for _, text in around))
    return inner


def _texts(units: Iterable[_Unit]) -> str:
    """Return the texts of some units, without the blank lines below the last one."""
    text = "".join(unit.text for unit in units)
    end = text.find("\n", len(text.rstrip()))
    return text[: end + 1]
