"""Put the lines of a conflict into a note as a callout that people and models can read, and find such callouts.

> [!conflict] Also written on laptop, 2026-11-22 10:14
> the lines of one side

A callout is a block of its own, because it cannot stand inside a list, a table or code. It usually stands below the
block whose lines are in conflict; if it would not be visible there, at the beginning of the body.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Block, find_blocks, find_comments, is_within

MARK = "> [!conflict]"
ABOVE = -1
"""The line of a conflict that belongs above the text: one about the frontmatter."""


class Conflict(NamedTuple):
    """Lines for a callout, and the number (from 0) of the line of the body below which they belong."""

    line: int
    lines: Sequence[str]


def with_callouts(lines: Sequence[str], conflicts: Sequence[Conflict], title: str) -> list[str]:
    """Return the lines of a body with a callout for each conflict, and this title."""
    if not conflicts:
        return list(lines)
    callouts = [_callout(conflict, title) for conflict in conflicts]
    result: list[str] = []
    firsts: list[int] = []
    places = _places(lines, conflicts)
    for at, end, callout in zip([0, *places], [*places, len(lines)], [[], *callouts], strict=True):
        if callout:
            result += [""] if result and result[-1].strip() else []
            firsts.append(len(result))
            result += callout
            result += [""] if at < len(lines) and lines[at].strip() else []
        result += lines[at:end]
    if _are_visible(result, firsts):
        return result
    return [*(line for callout in callouts for line in (*callout, "")), *lines]


def _callout(conflict: Conflict, title: str) -> list[str]:
    return [f"{MARK} {title}".rstrip(), *(f"> {line}".rstrip() for line in conflict.lines)]


def _places(lines: Sequence[str], conflicts: Sequence[Conflict]) -> list[int]:
    """Return for each conflict the number of the line at which its callout is inserted: below the conflict's block."""
    starts, blocks = _starts(lines), _top_blocks(lines)
    block_starts = [block.start for block in blocks]
    places = []
    for conflict in conflicts:
        below = conflict.line + 1
        number = bisect_right(block_starts, starts[conflict.line]) - 1 if conflict.line != ABOVE else -1
        if number >= 0 and starts[conflict.line] < blocks[number].end:
            below = max(below, bisect_left(starts, blocks[number].end))
        while below > conflict.line + 1 and not lines[below - 1].strip():
            below -= 1
        places.append(below)
    return places


def _are_visible(lines: Sequence[str], firsts: Sequence[int]) -> bool:
    """Return whether a quote of its own begins at each of these lines."""
    starts, data = _starts(lines), _data(lines)
    quotes = {block.start for block in _top_blocks(lines) if block.kind == "BlockQuote"}
    comments = find_comments(data, find_blocks(data))
    return all(starts[first] in quotes and not is_within(comments, starts[first]) for first in firsts)


def _top_blocks(lines: Sequence[str]) -> list[Block]:
    return [block for block in find_blocks(_data(lines), rules=True) if block.depth == 0]


def _data(lines: Sequence[str]) -> bytes:
    return "\n".join(lines).encode(errors="replace")


def _starts(lines: Sequence[str]) -> list[int]:
    """Return the offset in bytes at which each line begins."""
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line.encode(errors="replace")) + 1
    return starts


def conflict_titles(data: bytes) -> list[str]:
    """Return the titles of the conflict callouts in a note, in order."""
    if MARK.encode() not in data.lower():
        return []
    body = body_of(data)
    found = []
    for block in find_blocks(body):
        first, _, _ = body[block.start : block.end].decode(errors="replace").partition("\n")
        if block.kind == "BlockQuote" and first.lower().startswith(MARK):
            found.append(first[len(MARK) :].strip())
    return found
