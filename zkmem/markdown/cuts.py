"""Cut a long text into parts, so that each part is rendered in a bounded time."""

import re

from zkmem.markdown.links import Link, body_links

MOST_BYTES = 500_000  # of one part
MOST_LINKS = 2_000  # of one part

_BRACKETS = re.compile(
    rb"!(?=\[\[)|!?\[+"
)  # no two links begin at one match; "![[" may begin an image with a link in it
_AHEAD = 10_000  # bytes after a cut that are parsed too: a link that begins before the cut may end there


def part_start(body: bytes, offset: int) -> int:
    """Return the start of the character that holds the byte `offset`; an offset outside the body is moved into it."""
    start = max(0, min(offset, len(body)))
    while 0 < start < len(body) and body[start] & 0xC0 == 0x80:
        start -= 1
    return start


def part_end(body: bytes, start: int) -> int:
    """Return the byte at which the part that begins at `start` ends. It is after `start`, unless the body ends there.

    The part has at most `MOST_BYTES` and `MOST_LINKS`. It ends after a blank line if there is one in its second half,
    else after a line, else before a link. It ends inside a link only if that link alone is longer than a part.
    """
    limit = _limit(body, start)
    if limit == len(body):
        return limit
    middle = start + (limit - start) // 2
    blank = body.rfind(b"\n\n", middle, limit)  # no link continues after a blank line
    if blank >= 0:
        return blank + 2
    links = [
        link._replace(start=link.start + start, end=link.end + start)
        for link in body_links(body[start : part_start(body, limit + _AHEAD)], limit - start)
    ]
    line = body.rfind(b"\n", middle, limit) + 1
    for end in (line, limit):
        if end and (outside := _outside(links, end)) > start:
            return outside
    return limit


def _limit(body: bytes, start: int) -> int:
    """Return the last byte at which the part that begins at `start` may end."""
    most = part_start(body, start + MOST_BYTES)
    for number, brackets in enumerate(_BRACKETS.finditer(body, start, most)):
        if number == MOST_LINKS:
            return brackets.start()
    return most


def _outside(links: list[Link], end: int) -> int:
    """Return `end`, or the start of the outermost link if `end` is inside one."""
    return min((link.start for link in links if link.start < end < link.end), default=end)
