"""Find where links stand among the blocks of a text, and whether a block can replace a link, or two texts join.

All offsets are bytes of the body, which is UTF-8 without frontmatter.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyromark

from zkmem.markdown.links import OPTIONS, Link, as_text, edge, events

_WITH_TABLES = OPTIONS | pyromark.Options.ENABLE_TABLES
_INLINE = {"Link", "Image", "Emphasis", "Strong"}
_PLAIN = {"Paragraph", "List", "Item"}
_BLANK = b" \t\r\n"
_BREAKS = ("SoftBreak", "HardBreak")  # the ends of lines inside a block
_ENDED_BY_BLANK = {"Heading", "HtmlBlock", "Table"}  # besides text: the blocks that a blank line ends
_DELIMITER_ROW = re.compile(rb"[ \t|:]*-[-|: \t]*(?:\n|\Z)")  # the second line of a table


class Stand(NamedTuple):
    """The position of a link among the blocks of a text."""

    replaceable: bool  # a block can replace the link: it is alone in a paragraph or list item, or an embed in one
    below: int  # the end of the last line of the top-level block that holds it


class _Run(NamedTuple):
    """A stretch of text in which no block begins or ends."""

    start: int
    end: int
    plain: bool  # all blocks around it are paragraphs and lists: no table, quote, heading or footnote
    below: int  # the end of the last line of the top-level block


def stands(body: bytes, links: Sequence[Link]) -> list[Stand]:
    """Return the position of each link of a body; `links` must be in the order of the body."""
    runs = _runs(body)
    run: _Run | None = next(runs, None)
    result = []
    for link in links:
        while run and run.end <= link.start:
            run = next(runs, None)
        if run and run.start <= link.start:
            alone = body[run.start : run.end].strip(_BLANK) == body[link.start : link.end]
            result.append(Stand(run.plain and (alone or link.embed), run.below))
        else:  # a reference definition, which is in no block
            result.append(Stand(replaceable=False, below=last_line_end(body, link.start, link.end)))
    return result


def last_line_end(text: bytes, start: int, end: int) -> int:
    """Return the end, before the newline, of the last line in a range that is not blank."""
    newline = text.find(b"\n", start + len(text[start:end].rstrip(_BLANK)))
    if newline < 0:
        return len(text)
    return newline - (text[newline - 1 : newline] == b"\r")


def would_join(body: bytes, new: bytes) -> bool:
    """Return whether a text that begins below the last line of a body would become one block with that line.

    The answer is yes for a table below any text, since Obsidian needs a blank line above a table. It is no for rows
    below a table, which are meant to continue it.
    """
    last = body.rpartition(b"\n\n")[2]  # of the blocks that can go on, only code has blank lines in it
    head = (body if b"```" in last or b"~~~" in last else last).lstrip(_BLANK)
    first, _, rest = new.partition(b"\n")
    if b"|" in first and head:
        above, mark = head.rstrip(_BLANK), _mark(first)
        if _mark(above.rpartition(b"\n")[2]) == mark and _ends_with_table(above):
            return _DELIMITER_ROW.match(rest.removeprefix(mark)) is not None
        if first.startswith(b"|"):
            return True
    at = len(head)
    return any(
        span["start"] < at <= span["end"] and (event in _BREAKS or (at < span["end"] and _is_ended_by_blank(event)))
        for event, span in events(as_text(head + new.partition(b"\n\n")[0]), _WITH_TABLES)
    )


def _mark(line: bytes) -> bytes:
    """Return the blanks and the marks of quotes at the beginning of a line."""
    return line[: len(line) - len(line.lstrip(b"> \t"))]


def _ends_with_table(text: bytes) -> bool:
    parsed = events(as_text(text), _WITH_TABLES)
    return any(_block_edge(event) == ("Table", True) and span["end"] >= len(text) for event, span in parsed)


def _is_ended_by_blank(event: Any) -> bool:
    of_block = _block_edge(event)
    return of_block is not None and of_block[0] in _ENDED_BY_BLANK


def _runs(body: bytes) -> Iterator[_Run]:
    """Yield the runs of text of a body in order."""
    around: list[str] = []  # the blocks that are open, outer ones first
    begin, below = -1, 0
    for event, span in events(as_text(body), _WITH_TABLES):
        of_block = _block_edge(event)
        if not of_block:
            begin = span["start"] if begin < 0 else begin
            continue
        kind, opens = of_block
        if begin >= 0:
            yield _Run(begin, span["start" if opens else "end"], _PLAIN.issuperset(around), below)
            begin = -1
        if not opens:
            around.pop()
            continue
        if not around:
            below = last_line_end(body, span["start"], span["end"])
        around.append(kind)


def _block_edge(event: Any) -> tuple[str, bool] | None:
    """Return the kind of the block that an event begins or ends, and whether it begins; None for any other event."""
    of_element = edge(event)
    return None if of_element is None or of_element[0] in _INLINE else of_element
