"""Leave `%%` comments out of a text that is rendered, so that the text around them stays the same blocks."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from zkmem.markdown.links import Link
from zkmem.markdown.sections import BLANK_LINE, Block, hidden

_MARKERS = re.compile(rb"[ \t>*+\-\d.)]*")  # of quotes and list items, before the text of a line
_MOST_MARKERS = 200  # bytes of them that are looked at, so that a long line costs no more
_BLOCK = re.compile(rb"[ \t]*[^\s\w\[]|[ \t]*\d|(?: {4}| {0,3}\t)[ \t]*\S")  # how a line that is a block may begin
_NOTHING = b"<span></span>"  # keeps what follows it in a paragraph


def without_comments(body: bytes, blocks: list[Block], links: Sequence[Link]) -> Iterator[tuple[int, int, bytes]]:
    """Yield the replacements that remove comments: start, end and new bytes. `links`: those of the body."""
    starts = [link.start for link in links]  # in order, but for the expansions below a block
    for start, end in hidden(body, blocks):
        before = bisect_right(starts, start) - 1
        if before < 0 or links[before].end <= start:  # else the mark is inside a link
            yield start, end, _replacement(body, start, end)


def _replacement(body: bytes, start: int, end: int) -> bytes:
    """Return what takes the place of a comment: a blank line if it has one, and something if a block could begin."""
    gap = b"\n\n" if BLANK_LINE.search(body, start, end) else b""
    nearest = max(0, start - _MOST_MARKERS)
    line = max(nearest, body.rfind(b"\n", nearest, start) + 1)
    begins_line = gap or _MARKERS.fullmatch(body, line, start)
    return gap + (_NOTHING if begins_line and _BLOCK.match(body, end) else b"")
