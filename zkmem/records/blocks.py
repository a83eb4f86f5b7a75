"""Find the blocks that records are kept in: the list items, the headings and the rules of a body, by line.

The parser of `markdown/sections.py` decides what is a block, so nothing in code, HTML or a `%%` comment is one.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from zkmem.markdown.sections import find_blocks, find_comments, find_headings, is_within

_BULLET = re.compile(r" {0,3}[-*+](?:[ \t]+|\r?$)")
_PLAIN_ITEM = re.compile(r'[-*+] [\w"\[]')
_PLAIN_HEADING = re.compile(r"(#{1,6}) (\w[^#]*)")
_TOP = 0  # the depth of a block that is in no other one
_TOP_ITEM = 1  # the depth of an item in a list that is in no other block


class BulletItem(NamedTuple):
    """An item of a bullet list: its lines [start, end) in the body, and its text."""

    start: int
    end: int
    text: str

    @property
    def lines(self) -> range:
        """The numbers of the lines."""
        return range(self.start, self.end)


class HeadingLine(NamedTuple):
    """A heading: the number of its first line, its level and its text."""

    line: int
    level: int
    text: str


class Blocks(NamedTuple):
    """The lines of a body, and the blocks in it that are in no other block."""

    lines: list[str]
    items: list[BulletItem]
    headings: list[HeadingLine]
    rules: list[int]  # the numbers of the lines `---`
    entries: set[int]  # the numbers of the lines on which an item begins: of any list, nested or not
    is_plain: bool = False  # whether each line is blank, or all of an item or of a heading


def scan(body: str) -> Blocks:
    """Return the blocks of a body. Only a line feed ends a line."""
    return _plain(body) or parsed(body)


def _plain(body: str) -> Blocks | None:
    """Return the blocks of a body of plain items and headings, each on one line; None for any other body.

    Most records have such bodies. This takes a quarter of the time that the parser takes.
    """
    result = Blocks(body.split("\n"), [], [], [], set())
    for number, line in enumerate(result.lines):
        if _PLAIN_ITEM.match(line):
            result.items.append(BulletItem(number, number + 1, line[2:]))
        elif heading := _PLAIN_HEADING.fullmatch(line):
            result.headings.append(HeadingLine(number, len(heading[1]), heading[2].strip()))
        elif line:
            return None
    result.entries.update(item.start for item in result.items)
    return None if "\r" in body else result._replace(is_plain=True)


def parsed(body: str) -> Blocks:
    """Return the blocks that the parser finds in a body."""
    data = body.replace("\r", " ").encode(errors="replace")
    blocks = find_blocks(data, rules=True)
    comments = find_comments(data, blocks)
    headings = {heading.start: heading for heading in find_headings(data, blocks, comments)}
    result = Blocks(body.split("\n"), [], [], [], set())
    line = at = 0
    for kind, start, end, depth in blocks:
        if comments and is_within(comments, start):
            continue
        if kind == "Item":
            line, at = line + data.count(b"\n", at, start), start
            result.entries.add(line)
            if depth == _TOP_ITEM and (lead := _BULLET.match(result.lines[line])):
                source = data[start : _cut(comments, start, end)].rstrip()
                result.items.append(_item(result.lines, line, line + 1 + source.count(b"\n"), lead.end()))
        elif depth == _TOP and (kind == "Rule" or start in headings):
            line, at = line + data.count(b"\n", at, start), start
            if kind == "Rule":
                result.rules.append(line)
            else:
                result.headings.append(HeadingLine(line, headings[start].level, headings[start].raw))
    return result


def _cut(comments: Sequence[tuple[int, int]], start: int, end: int) -> int:
    """Return the end of a block, or the beginning of the first comment in it."""
    after = bisect_right(comments, (start, math.inf))
    return min(end, comments[after][0]) if after < len(comments) else end


def _item(lines: Sequence[str], start: int, end: int, lead: int) -> BulletItem:
    """Return the item on the lines `start` to `end`. Its text begins at the column `lead`."""
    first = lines[start][lead:].rstrip("\r")
    rest = [_unindented(line).rstrip("\r") for line in lines[start + 1 : end]]
    return BulletItem(start, end, "\n".join([first, *rest]) if rest else first)


def _unindented(line: str) -> str:
    return line[1:] if line.startswith("\t") else line.removeprefix("  ")
