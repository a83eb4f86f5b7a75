"""Find the bases that a note shows: its code blocks `base`, and the views of `.base` files that its links name."""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from zkmem.errors import BadArgument
from zkmem.markdown.links import Link, as_text, as_utf8, events, find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline, names_part
from zkmem.names import BASE_SUFFIX
from zkmem.recall.bases.base_file import Base, read_base, yaml_fault

_MOST = 100  # code blocks of a note; more would take seconds, and no reader wants so many tables


class Block(NamedTuple):
    """A base in a code block: the byte of the note at which it begins, the number of its line, and its YAML."""

    start: int
    line: int
    source: str


def blocks(data: bytes) -> Iterator[Block]:
    """Yield the code blocks `base` of a note, in order; of very many, the first ones."""
    body = as_utf8(body_of(data))
    before = len(data) - len(body)
    counted, line = 0, 1
    for at, text in itertools.islice(_code_blocks(body), _MOST):
        start = before + at
        line += data.count(b"\n", counted, start)
        counted = start
        yield Block(start, line, text)


def _code_blocks(body: bytes) -> Iterator[tuple[int, str]]:
    """Yield the offset and the text of each code block `base` of a body; of those in quotes and lists, too."""
    pieces: list[str] | None = None
    for event, span in events(as_text(body)) if b"base" in body else ():
        start = event.get("Start") if isinstance(event, dict) else None
        fence = start.get("CodeBlock") if isinstance(start, dict) else None
        if isinstance(fence, dict) and str(fence.get("Fenced")).split()[:1] == ["base"]:
            pieces = []
        elif pieces is not None and isinstance(event, dict) and event.get("End") == "CodeBlock":
            yield span["start"], "".join(pieces)
            pieces = None
        elif pieces is not None and isinstance(event, dict):
            pieces.append(event.get("Text", ""))


def base_in(block: Block) -> Base:
    """Return the base in a code block."""
    try:
        return read_base(block.source)
    except BadArgument as error:
        fault = yaml_fault(block.source, block.line)
        raise BadArgument(fault or f"The code block in line {block.line}: {error}") from error


def links(data: bytes) -> list[Link]:
    """Return the links of a note to `.base` files, in order."""
    return [link for link in find_links(data) if link.target.lower().endswith(BASE_SUFFIX)]


def section(data: bytes, subpath: str) -> range | None:
    """Return the bytes of the part of a note that a subpath leads to; None if it has no such part."""
    body = as_utf8(body_of(data))
    before = len(data) - len(body)
    span = Outline(body).find(subpath) if names_part(subpath) else None
    return range(before + span[0], before + span[1]) if span else None
