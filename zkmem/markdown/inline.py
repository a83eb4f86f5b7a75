"""Find what the parser leaves in a stretch of plain text: highlights, tags, web addresses, inline footnotes, block ids.

A stretch is the text between two elements of a block. Its shape is the same text with a placeholder for each character
that has no meaning, because a backslash stands before it or it is written as an entity.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from zkmem.markdown.sections import BLOCK_ID
from zkmem.markdown.tags import tag_spans

PLACEHOLDER = "\x1a"
Kind = Literal["highlight", "tag", "address", "footnote", "open", "close", "id", "box"]

_MARK = re.compile(
    r"(?<!=)(==)(?!=)|(\^\[)|(\[)|(\])|(?<!\w)(https?://(?:(?!==(?:\W|$))[^\s<>\"\x1a])+)", re.IGNORECASE
)
_ID = re.compile(BLOCK_ID)
_BOX = re.compile(r"\[([^\s\[\]])\][ \t]")
_TRAILING = ".,;:!?'*_~"
_KINDS: tuple[Kind, ...] = ("highlight", "footnote", "open", "close", "address")


class Piece(NamedTuple):
    """A part of a stretch that is not plain text; `value` is the tag, the address, the id or the mark in the box."""

    kind: Kind
    start: int
    end: int
    value: str


def pieces(shape: str, before: str, *, ends_block: bool, begins_item: bool) -> Iterator[Piece]:
    """Yield the pieces of a stretch in order. No two of them overlap.

    `before` is the character before the stretch, "" at the beginning of a block or of emphasized text. `ends_block`:
    nothing of the block follows. `begins_item`: the stretch is the first one of a list item.
    """
    at = 0
    for piece in sorted(_all(shape, before, ends_block, begins_item), key=lambda one: (one.start, -one.end)):
        if piece.start >= at:
            yield piece
            at = piece.end


def _all(shape: str, before: str, ends_block: bool, begins_item: bool) -> Iterator[Piece]:
    if begins_item and (box := _BOX.match(shape)):
        yield Piece("box", 0, box.end(), box[1])
    if ends_block and (block_id := _block_id(shape, before)):
        yield block_id
    shift = len(before)
    for start, end, tag in tag_spans(before + shape) if "#" in shape else ():
        yield Piece("tag", start - shift, end - shift, tag)
    for match in _MARK.finditer(shape):
        kind, text = _KINDS[(match.lastindex or 1) - 1], match[0]
        text = _address(text) if kind == "address" else text
        yield Piece(kind, match.start(), match.start() + len(text), text)


def _block_id(shape: str, before: str) -> Piece | None:
    """Return the block id at the end of a stretch, with the blanks before it."""
    at = shape.rfind("^")
    match = _ID.fullmatch(shape, at) if at >= 0 else None
    if not match or (shape[at - 1 : at] if at else before).strip():
        return None
    return Piece("id", len(shape[:at].rstrip(" \t")), len(shape), match[1].lower())


def _address(text: str) -> str:
    """Return a web address without the punctuation after it, and without a bracket that it does not open."""
    end, unopened = len(text), text.count(")") - text.count("(")
    while end and (text[end - 1] in _TRAILING or (text[end - 1] == ")" and unopened > 0)):
        end -= 1
        unopened -= text[end] == ")"
    return text[:end]
