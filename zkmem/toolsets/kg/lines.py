"""Find the top-level list items, the headings and the lines `---` of a note, outside of code and comments."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_BULLETS = ("-", "*", "+")
_ITEM = re.compile(r"[-*+](?:[ \t]+|$)")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_BREAK = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_NUMBERED = re.compile(r" {0,3}\d{1,9}[.)](?:[ \t]|$)")
_INDENTS = ("  ", "\t")


class Item(NamedTuple):
    """An item of a list: its lines [start, end) in the body, and its text."""

    start: int
    end: int
    text: str

    @property
    def lines(self) -> range:
        """The numbers of the lines."""
        return range(self.start, self.end)


class Heading(NamedTuple):
    """A heading: its line, its level, and its text ("" if it is underlined with `===` or `---`)."""

    line: int
    level: int
    text: str


class Scan(NamedTuple):
    """The items, headings and breaks (lines `---`) of a body, and its number of lines."""

    length: int
    items: list[Item]
    headings: list[Heading]
    breaks: list[int]


def scan(lines: Sequence[str]) -> Scan:
    """Return the items, headings and breaks in the lines of a body."""
    result = Scan(len(lines), [], [], [])
    closing = ""  # the mark that ends the code or comment around the line
    paragraph = False  # the line above is text, so that a line `---` makes it a heading
    number = 0
    while number < len(lines):
        line = lines[number].rstrip("\r")
        if closing:
            closing = "" if _closes(line, closing) else closing
            paragraph = False
        elif not line:
            paragraph = False
        elif line[:1] in _BULLETS and not _BREAK.match(line) and (lead := _ITEM.match(line)):
            result.items.append(_item(lines, number, lead.end()))
            number = result.items[-1].end
            paragraph = False
            continue
        else:
            closing = _opened(line)
            paragraph = _add_line(result, number, line, paragraph) and not closing
        number += 1
    return result


def _add_line(result: Scan, number: int, line: str, paragraph: bool) -> bool:
    """Add a line that begins no item to the result, and return whether it is text."""
    if paragraph and (under := _UNDERLINE.match(line)):
        result.headings.append(Heading(number - 1, 1 if under[1][0] == "=" else 2, ""))
    elif _BREAK.match(line):
        result.breaks.append(number)
    elif heading := _HEADING.match(line):
        result.headings.append(Heading(number, len(heading[1]), heading[2] or ""))
    else:
        return bool(line.strip())
    return False


def _opened(line: str) -> str:
    """Return the mark that will end the code or comment that a line opens; "" if it opens none."""
    if fence := _FENCE.match(line):
        return fence[1]
    start = line.lstrip()
    if start.startswith("%%") and start.count("%%") % 2:
        return "%%"
    return "-->" if start.startswith("<!--") and "-->" not in start else ""


def _closes(line: str, closing: str) -> bool:
    if closing in {"%%", "-->"}:
        return closing in line
    fence = line.strip()
    return len(fence) >= len(closing) and set(fence) == {closing[0]} and len(line) - len(line.lstrip(" ")) <= 3


def _item(lines: Sequence[str], start: int, lead: int) -> Item:
    """Return the item that begins at `start`, with its indented lines, even after blank lines, and its lazy lines."""
    end = following = start + 1
    if following < len(lines) and lines[following][:1] in _BULLETS:  # as in most lists, some of them long
        return Item(start, end, lines[start][lead:].rstrip("\r"))
    while following < len(lines):
        line = lines[following].rstrip("\r")
        if line.startswith(_INDENTS) and line.strip():
            end = following + 1
        elif line.strip():
            if end != following or _is_block(line):
                break
            end = following + 1
        following += 1
    text = [lines[start][lead:], *map(_unindented, lines[start + 1 : end])]
    return Item(start, end, "\n".join(line.rstrip("\r") for line in text))


def _unindented(line: str) -> str:
    return line[1:] if line.startswith("\t") else line.removeprefix("  ")


def _is_block(line: str) -> bool:
    """Return whether a line begins a block, so that it does not continue the text above."""
    start = line.lstrip()
    return bool(
        start[:1] in (*_BULLETS, ">", "#", "|")
        or start.startswith(("<!--", "%%"))
        or _FENCE.match(line)
        or _BREAK.match(line)
        or _NUMBERED.match(line)
    )
