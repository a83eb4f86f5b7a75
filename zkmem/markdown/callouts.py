"""Callouts: how Obsidian reads the head of one, and our own type `conflict`, which has the lines of another machine.

> [!conflict] Also written on laptop, 2026-11-22 10:14 UTC
> the lines of one side

The callout of a conflict is a block of its own, because it cannot stand inside a list, a table or code. It usually
stands below the block whose lines are in conflict; if it would not be visible there, at the beginning of the body.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from zkmem.markdown import frontmatter
from zkmem.markdown.sections import Block, find_blocks, find_comments, is_within
from zkmem.util.words import spaced

_GROUPS = {
    "note": (),
    "abstract": ("summary", "tldr"),
    "info": (),
    "todo": (),
    "tip": ("hint", "important"),
    "success": ("check", "done"),
    "question": ("help", "faq"),
    "warning": ("caution", "attention", "conflict"),  # `conflict` is our own
    "failure": ("fail", "missing"),
    "danger": ("error",),
    "bug": (),
    "example": (),
    "quote": ("cite",),
}
GROUPS = {name: group for group, aliases in _GROUPS.items() for name in (group, *aliases)}
"""The group of each type: its types have the same colour and icon. Another type looks like a note."""

_HEAD = re.compile(rb"[ \t]*>[ \t]*\[!([^\[\]\r\n]{1,100})\]([+-]?)[ \t]*")
_PREFIX = re.compile(rb"[ \t>]*")
MARK = "> [!conflict]"
_MARKED = re.compile(rb"> \[!(?i:conflict)\]")
_GIT_MARKER = re.compile(rb"^(?:<{7} |={7}\r?$|>{7} )", re.MULTILINE)
GIT_MARKERS = "conflict markers of git"
"""What `conflict_titles` returns for lines that begin with `<<<<<<<`, `=======` and `>>>>>>>`, in place of a title."""

ABOVE = -1
"""The `line` of a conflict in the frontmatter: its callout is inserted above the text."""


_ALIKE = 0.6  # the least likeness of two lines that are versions of each other
_MOST_PAIRS, _MOST_CHARACTERS = 1_000, 20_000  # pairs of lines, and characters, that are compared
_WORD = re.compile(r"\w+")


class CalloutHead(NamedTuple):
    """The beginning of a callout: its type as written, its group, how it is folded, and where its title begins."""

    type: str
    group: str
    fold: str  # "+": can be folded, "-": is folded, "": neither
    end: int

    @property
    def default_title(self) -> str:
        """The title of a callout that has none."""
        return self.type.replace("-", " ").capitalize()


def callout_head(source: bytes, at: int) -> CalloutHead | None:
    """Return the beginning of the callout whose quote begins at `at`; None if that is a plain quote."""
    match = _HEAD.match(source, at)
    written = match[1].decode(errors="replace").partition("|")[0].strip() if match else ""
    if not match or not written:
        return None
    return CalloutHead(written, GROUPS.get(written.lower(), "note"), match[2].decode(), match.end())


def title_ends(body: bytes, blocks: Sequence[Block]) -> Iterator[tuple[int, bytes]]:
    """Yield the places where a line must be inserted so that the title of a callout is a paragraph of its own.

    Otherwise, the parser would read the title as a part of a heading or a table below it.
    """
    if b"[!" not in body:
        return
    for block in blocks:
        head = callout_head(body, block.start) if block.kind == "BlockQuote" else None
        newline = body.find(b"\n", head.end) + 1 if head else 0
        if not head or not newline:
            continue
        prefix = body[body.rfind(b"\n", 0, block.start) + 1 : body.rfind(b"[!", 0, head.end)]
        next_prefix = _PREFIX.match(body, newline)
        if next_prefix and next_prefix[0].count(b">") >= prefix.count(b">"):  # else the quote continues lazily
            yield newline, re.sub(rb"[^>\t]", b" ", prefix) + b"\n"


class CalloutLines(NamedTuple):
    """The lines for a callout. The callout belongs below the line `line` of the body, counted from 0."""

    line: int
    lines: Sequence[str]


def with_callouts(lines: Sequence[str], conflicts: Sequence[CalloutLines], title: str) -> list[str]:
    """Return the lines of a body with a callout for each conflict, and this title."""
    if not conflicts:
        return list(lines)
    head = f"{MARK} {title}".rstrip()
    callouts = [[head, *(f"> {line}".rstrip() for line in conflict.lines)] for conflict in conflicts]
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


def _places(lines: Sequence[str], conflicts: Sequence[CalloutLines]) -> list[int]:
    """Return the number of the line at which each conflict's callout is inserted: below the block of the conflict."""
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
    """Return whether a top-level quote begins at each of these lines, outside of comments."""
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


class Callout(NamedTuple):
    """A conflict callout in a body: its title, its own lines, the other side's lines, and the block it stands below.

    `lines` and `block` are numbers of lines of the body. `block` is empty if the callout is not directly below a block.
    """

    title: str
    lines: range
    other: Sequence[str]
    block: range


def find_callouts(lines: Sequence[str]) -> list[Callout]:
    """Return the conflict callouts among the lines of a body, in order."""
    if not any(_begins_callout(line) for line in lines):
        return []
    starts = _starts(lines)
    callouts: list[Callout] = []
    block = range(0)
    for kind, begin, end, _ in _top_blocks(lines):
        first = bisect_right(starts, begin) - 1
        after = _without_blank_end(lines, first, bisect_left(starts, end))
        if kind != "BlockQuote" or not _begins_callout(lines[first]):
            block = range(first, after)
            continue
        after = next((at for at in range(first, after) if not lines[at].lstrip().startswith(">")), after)
        above = callouts[-1].lines.stop if callouts and callouts[-1].lines.start >= block.stop else block.stop
        if "".join(lines[above:first]).strip():  # lines that are in no block: definitions of links, say
            block = range(0)
        title = lines[first].lstrip()[len(MARK) :].replace("\0", "\ufffd").strip()
        other = [line.lstrip()[1:].removeprefix(" ") for line in lines[first + 1 : after]]
        callouts.append(Callout(title, range(first, after), other, block))
    return callouts


def _begins_callout(line: str) -> bool:
    return line.lstrip().lower().startswith(MARK)


def _without_blank_end(lines: Sequence[str], first: int, end: int) -> int:
    while end > first and not lines[end - 1].strip():
        end -= 1
    return end


def lines_here(lines: Sequence[str], callout: Callout) -> range | None:
    """Return which lines of the note are the other version of a callout's lines; None if that is not certain.

    In a block of one line, it is that line. A longer block, such as a list, may have unrelated lines, too. There, the
    function looks for as many lines as the callout has, each of which is similar to the callout's line.
    """
    block, size = callout.block, len(callout.other)
    if not size or len(block) <= 1:
        return block if size and block else None
    windows = range(block.start, block.stop - size + 1)
    characters = sum(len(line) for line in (*lines[block.start : block.stop], *callout.other))
    if len(windows) * size > _MOST_PAIRS or characters > _MOST_CHARACTERS:
        return None
    other = [_words(line) for line in callout.other]
    here = [_words(line) for line in lines[block.start : block.stop]]
    best, best_likeness, is_tie = None, _ALIKE, False
    for at in windows:
        likeness = min(_likeness(*pair) for pair in zip(here[at - block.start :], other, strict=False))
        if likeness >= best_likeness:
            is_tie = best is not None and likeness == best_likeness
            best, best_likeness = range(at, at + size), likeness
    return None if is_tie else best


def _words(line: str) -> list[str]:
    return _WORD.findall(spaced(line))


def _likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """Return how similar two lists of words are: 0 if they have no word in common, 1 if they are equal."""
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def resolved(lines: Sequence[str], number: int, *, other: bool) -> list[str] | None:
    """Return the lines of a body without the callout of this number (from 0); None if that is impossible.

    With `other`, the callout's lines replace their other version in the note. That is impossible where `lines_here`
    returns None.
    """
    callouts = find_callouts(lines)
    if number not in range(len(callouts)):
        return None
    callout = callouts[number]
    start = callout.lines.start
    rest = [*lines[:start], *lines[callout.lines.stop :]]
    if start and not any(line.strip() for line in rest[start - 1 : start + 1]):  # the blank line of the callout
        del rest[start - 1]
    if other:
        here = lines_here(lines, callout)
        if here is None:
            return None
        rest[here.start : here.stop] = callout.other
    return rest


def conflict_titles(data: bytes) -> list[str]:
    """Return the titles of the conflict callouts in a note, in order; also one for conflict markers of git."""
    titles = []
    body = data[frontmatter.split(data)[2] :]
    if _MARKED.search(data):
        titles = [callout.title for callout in find_callouts(body.decode(errors="replace").split("\n"))]
    return [*titles, GIT_MARKERS] if _has_git_markers(body) else titles


def _has_git_markers(body: bytes) -> bool:
    """Return whether a body has, outside of code, a conflict that somebody committed with git's markers."""
    if not all(mark in body for mark in (b"<<<<<<< ", b"\n=======", b"\n>>>>>>> ")):
        return False
    places = [match.start() for match in _GIT_MARKER.finditer(body)]
    marks = b"".join(body[at : at + 1] for at in places)
    code = [block for block in find_blocks(body) if block.kind == "CodeBlock"] if b"<=>" in marks else []
    return any(
        marks[number : number + 3] == b"<=>" and not any(block.start <= at < block.end for block in code)
        for number, at in enumerate(places)
    )


class CalloutRange(NamedTuple):
    """A conflict callout: its number among those of the note, from 0, and its range of bytes."""

    number: int
    start: int
    end: int
    has_place: bool  # whether it is certain which lines of the note it is about


def conflict_at(data: bytes, offset: int) -> CalloutRange | None:
    """Return the conflict callout at a byte of a note; None if there is none."""
    begin = frontmatter.split(data)[2]
    lines = data[begin:].decode(errors="surrogateescape").split("\n")
    starts = _starts([*lines, ""])
    for number, callout in enumerate(find_callouts(lines)):
        start, end = begin + starts[callout.lines.start], begin + starts[callout.lines.stop]
        if start <= offset < end:
            return CalloutRange(number, start, end, lines_here(lines, callout) is not None)
    return None
