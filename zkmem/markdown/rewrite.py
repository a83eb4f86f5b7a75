"""The writer of links: it changes the parts of a link without changing its form, and applies splices to a file.

The scanner reads every rewritten file again before it is saved (see edit/relink.py).

Rules: docs/development/links.md, section 6.
"""

from collections.abc import Iterable
from typing import NamedTuple

from zkmem.errors import Inexpressible
from zkmem.markdown import destinations
from zkmem.markdown.frontmatter import in_quotes
from zkmem.markdown.links import Link, as_utf8, body_links


class Splice(NamedTuple):
    """New bytes for the range `start`..`end` of a file."""

    start: int
    end: int
    data: bytes


def apply(data: bytes, splices: Iterable[Splice]) -> bytes:
    """Return the file with the splices applied, which must not overlap; every other byte stays."""
    pieces, at = [], 0
    for splice in sorted(splices):
        pieces += [data[at : splice.start], splice.data]
        at = splice.end
    return b"".join([*pieces, data[at:]])


def offset_after(splices: Iterable[Splice], at: int) -> int:
    """Return the offset of the byte `at` after the splices are applied; none of them may replace it."""
    return at + sum(len(splice.data) - (splice.end - splice.start) for splice in splices if splice.end <= at)


def retarget(
    data: bytes, link: Link, path: str | None, display: str | None = None, subpath: str | None = None
) -> list[Splice]:
    """Return the splices that give `link` a new path, display text or subpath, in its own form and quotes.

    A part that is None stays as it is.
    """
    if link.path_at < 0:
        return _whole_string(data, link, path, display, subpath)
    angle = data[link.path_at - 1 : link.path_at] == b"<"
    splices = []
    if path is not None:
        written = path if link.kind == "wiki" else destinations.encoded(path, angle=angle)
        splices.append(Splice(link.path_at, link.path_end, in_quotes(written, link.quote).encode()))
    if subpath is not None:
        written = subpath if link.kind == "wiki" else destinations.encoded_subpath(subpath, angle=angle)
        splices.append(Splice(link.sub_at, link.sub_end, in_quotes(written, link.quote).encode()))
    if display is not None and link.show_at >= 0:
        splices.append(Splice(link.show_at, link.show_end, in_quotes(display, link.quote).encode()))
    return splices


def _whole_string(data: bytes, link: Link, path: str | None, display: str | None, subpath: str | None) -> list[Splice]:
    """Return the splice that writes a link's whole YAML string again, since its escapes hide the path."""
    mark, source = link.quote.encode(), data[link.start : link.end]
    if not mark or not source.startswith(mark) or as_utf8(source) != source:
        raise Inexpressible(
            f"The link {link.raw} is written in a way that cannot be changed in place; write it plainly."
        )
    value = link.raw.encode()
    (plain,) = body_links(value)
    text = apply(value, retarget(value, plain, path, display, subpath)).decode()
    return [Splice(link.start, link.end, f"{link.quote}{in_quotes(text, link.quote)}{link.quote}".encode())]


def has_bar(data: bytes, at: int) -> bool:
    """Return whether the line at a byte has a bar outside of links, as a row of a table has."""
    begin, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
    line = data[begin : end if end >= 0 else len(data)]
    return b"|" in line and b"|" in apply(line, [Splice(link.start, link.end, b"") for link in body_links(line)])
