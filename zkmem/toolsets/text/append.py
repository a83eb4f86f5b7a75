"""Additions to a text: what is not there yet goes to the end of its section, all else stays as it is. Pure."""

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from zkmem.errors import BadArgument
from zkmem.toolsets.text.sections import Line, Section, heading_of, key, lines, split

_MARKED = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_BEGINS_A_BLOCK = tuple("#`~<%")


class _Unit(NamedTuple):
    """What is added or left out as a whole: a line with the indented ones below it, or a block of code."""

    head: str
    rest: frozenset[str]
    text: str


def clean_title(title: str) -> str:
    """A title as a heading can hold it.

    Raises:
        BadArgument: when it cannot.
    """
    asked = " ".join(title.split())
    if asked.startswith("#") and asked.lstrip("#").startswith(" "):
        asked = asked.lstrip("#").strip()
    if not asked or heading_of(f"## {asked}\n") != (2, asked):
        raise BadArgument(f"`section` must be the text of a heading, like Skills, not {title!r:.60}.")
    return asked


def points(text: str) -> str:
    """The lines of a text as items of a list; those that are items, or are indented below one, stay as they are."""
    found: list[str] = []
    for line in tidy(text).split("\n"):
        bare = line.strip()
        below = found and line[:1].isspace() and not bare.startswith(_BEGINS_A_BLOCK)
        if bare:
            found.append(line if below or _MARKED.match(line) else f"- {bare}")
    return "\n".join(found)


def merged(text: str, content: str, section: str | None = None) -> str:
    """A text with what is new in `content`, each part in the section that its heading names.

    What stands before the first heading goes to `section`, or else before the first `##` of the text.
    """
    for part in split(closed(tidy(content))):
        there = split(text)
        titled = _titled(there, 1, part.title) if part.level == 1 else []
        if part.level == 2 or (part.level == 1 and not titled):
            text = _in_section(text, "#" * (2 - part.level) + part.lines[0].text.lstrip(" "), part.below)
        elif section is not None:
            text = _in_section(text, f"## {section}\n", part.below)
        else:
            text = _at_end(there, titled or _before_sections(there), part.below)
    return text


def tidy(content: str) -> str:
    """A text with plain line ends, at the margin, without blank lines around it."""
    return textwrap.dedent(content.replace("\r\n", "\n").replace("\r", "\n")).strip("\n")


def closed(text: str) -> str:
    """A text with its last line ended, and the block that the line is in."""
    text += "" if not text or text.endswith("\n") else "\n"
    *_, last = (Line(""), *lines(text))
    return f"{text}{last.open}\n" if last.open else text


def _titled(sections: Sequence[Section], level: int, title: str) -> list[int]:
    """Where the sections with this title are."""
    return [at for at, one in enumerate(sections) if one.level == level and key(one.title) == key(title)]


def _before_sections(sections: Sequence[Section]) -> list[int]:
    """Where the text before the first `##` is: the title's, first."""
    first = next((at for at, one in enumerate(sections) if one.level == 2), len(sections))
    return sorted(range(first), key=lambda at: not sections[at].level)


def _in_section(text: str, heading: str, new: Sequence[Line]) -> str:
    """The text with what is new to a section, which is made at the end if it is missing."""
    there = split(text)
    _, title = heading_of(heading) or (2, "")
    if same := _titled(there, 2, title):
        return _at_end(there, same, new)
    added = _texts(_units(_unindented(new)))
    if not added:
        return text
    before = closed(text)
    gap = "\n" if before.strip() and before.rstrip("\n") + "\n" == before else ""
    return f"{before}{gap}{heading}{added}"


def _at_end(sections: Sequence[Section], places: Sequence[int], new: Sequence[Line]) -> str:
    """The text of the sections, with what is new to those at some places at the end of the first of these."""
    there: dict[str, frozenset[str]] = {}
    for unit in (unit for at in places for unit in _units(sections[at].below)):
        there[unit.head] = there.get(unit.head, frozenset()) | unit.rest
    units = _units(_unindented(new))
    added = _texts(unit for unit in units if unit.head not in there or not unit.rest <= there[unit.head])
    texts = [section.text for section in sections]
    if added and places:
        texts[places[0]] = _with(sections[places[0]], added)
    elif added:
        texts.insert(0, added + ("\n" if texts else ""))
    return "".join(texts)


def _with(section: Section, added: str) -> str:
    """The section's text with more at its end, before the blank lines there."""
    full = [at for at, line in enumerate(section.lines) if line.text.strip()]
    end = full[-1] + 1 if full else 0
    before = closed("".join(line.text for line in section.lines[:end]))
    after = "".join(line.text for line in section.lines[end:])
    gap = "\n" if full and _stand_apart(section, section.lines[end - 1].text, added) else ""
    return f"{before}{gap}{added}{after}"


def _stand_apart(section: Section, last: str, added: str) -> bool:
    """Whether a blank line belongs between the last line of a section and what is added to it."""
    if section.level and last == section.lines[0].text:
        return section.level == 1
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
