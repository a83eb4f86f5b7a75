"""Compare the lines of texts by where their links lead, not by how the links are spelled."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from zkmem.markdown.links import Link, find_links
from zkmem.util.threeway import hunks


class Line(NamedTuple):
    """A line of a text: its bytes, the text by which it is compared, and the links that begin in it."""

    data: bytes
    compared: str
    links: list[Link]


Shown = Callable[[Link], str | None]
"""Returns what stands for a link when lines are compared; None for the link as it is spelled."""


def lines_of(data: bytes, shown: Shown) -> list[Line]:
    """Return the lines of a text."""
    links: list[list[Link]] = [[] for _ in range(data.count(b"\n") + 1)]
    compared, at, number = "", 0, 0
    for link in find_links(data):
        number += data.count(b"\n", at, link.start)
        links[number].append(link)
        own = data[max(at, link.start) : link.end]  # no bytes for a link inside of another one
        instead, breaks = shown(link), own.count(b"\n")
        compared += _text(data[at : link.start])
        compared += _text(own) if instead is None else f"\0{instead}\0" + "\n" * breaks
        number += breaks
        at = max(at, link.end)
    texts = (compared + _text(data[at:])).split("\n")
    return [Line(*parts) for parts in zip(data.split(b"\n"), texts, links, strict=True)]


def compared(lines: Sequence[Line]) -> list[str]:
    """Return the texts by which lines are compared."""
    return [line.compared for line in lines]


def pairs_of(old: Sequence[Line], new: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    """Yield the lines that are in both texts, each as it is in the old one and as it is in the new one."""
    at, end = 0, 0
    for hunk in hunks(compared(old), compared(new)):
        size = hunk.start - at
        yield from zip(old[at : hunk.start], new[end : end + size], strict=True)
        at, end = hunk.end, end + size + len(hunk.lines)
    yield from zip(old[at:], new[end:], strict=True)


def pairs_of_links(old: Sequence[Line], new: Sequence[Line]) -> Iterator[tuple[Link, Link]]:
    """Yield the links in the lines that are in both texts, each as it is in the old one and as it is in the new one."""
    for before, after in pairs_of(old, new):
        yield from zip(before.links, after.links, strict=False)


def spelled_like(old: Sequence[Line], new: Sequence[Line]) -> bytes:
    """Return the new text. Lines that differ from the old ones only in the spelling of links are the old ones."""
    spelled = {id(after): before.data for before, after in pairs_of(old, new)}
    return b"\n".join(spelled.get(id(line), line.data) for line in new)


def _text(data: bytes) -> str:
    return data.decode(errors="surrogateescape")
