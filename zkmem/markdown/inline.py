"""Write stretches of text, with what the parser leaves in them: highlights, tags, web addresses, footnotes, block ids.

A stretch is the text between two elements of a block. Its shape is the same text with a placeholder for each character
that has no meaning, because a backslash stands before it or it is written as an entity.
"""

import html
import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple
from urllib.parse import quote

from zkmem.markdown.output import Footnotes, Output
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
_EMPHASIS = {"Emphasis", "Strong"}


class InlinePiece(NamedTuple):
    """A part of a stretch that is not plain text; `value` is the tag, the address, the id or the mark in the box."""

    kind: Kind
    start: int
    end: int
    value: str


def pieces(shape: str, before: str, *, ends_block: bool, begins_item: bool) -> Iterator[InlinePiece]:
    """Yield the pieces of a stretch in order. No two of them overlap.

    `before` is the character before the stretch, "" at the beginning of a block or of emphasized text. `ends_block`:
    nothing of the block follows. `begins_item`: the stretch is the first one of a list item.
    """
    at = 0
    for piece in sorted(_all(shape, before, ends_block, begins_item), key=lambda one: (one.start, -one.end)):
        if piece.start >= at:
            yield piece
            at = piece.end


def _all(shape: str, before: str, ends_block: bool, begins_item: bool) -> Iterator[InlinePiece]:
    if begins_item and (box := _BOX.match(shape)):
        yield InlinePiece("box", 0, box.end(), box[1])
    if ends_block and (block_id := _block_id(shape, before)):
        yield block_id
    shift = len(before)
    for start, end, tag in tag_spans(before + shape) if "#" in shape else ():
        yield InlinePiece("tag", start - shift, end - shift, tag)
    for match in _MARK.finditer(shape):
        kind, text = _KINDS[(match.lastindex or 1) - 1], match[0]
        text = _address(text) if kind == "address" else text
        yield InlinePiece(kind, match.start(), match.start() + len(text), text)


def _block_id(shape: str, before: str) -> InlinePiece | None:
    """Return the block id at the end of a stretch, with the blanks before it."""
    at = shape.rfind("^")
    match = _ID.fullmatch(shape, at) if at >= 0 else None
    if not match or (shape[at - 1 : at] if at else before).strip():
        return None
    return InlinePiece("id", len(shape[:at].rstrip(" \t")), len(shape), match[1].lower())


def _address(text: str) -> str:
    """Return a web address without the punctuation after it, and without a bracket that it does not open."""
    end, unopened = len(text), text.count(")") - text.count("(")
    while end and (text[end - 1] in _TRAILING or (text[end - 1] == ")" and unopened > 0)):
        end -= 1
        unopened -= text[end] == ")"
    return text[:end]


class Stretch:
    """Collects the events of text, and writes them when another element comes.

    `box` writes the box of a task whose mark is at an offset of the source.
    """

    def __init__(
        self, output: Output, source: bytes, secret: str, footnotes: Footnotes, box: Callable[[int], None]
    ) -> None:
        self._output, self._source, self._secret, self._footnotes, self._box = output, source, secret, footnotes, box
        self._events: list[tuple[str, int, int]] = []  # text, with its range in the source
        self._begins = 0  # the source before this offset is not text

    def add(self, text: str, start: int, end: int) -> None:
        """Add the text of an event, with its range in the source."""
        self._events.append((text, start, end))

    def skip_to(self, offset: int) -> None:
        """Leave out the text before an offset of the source."""
        self._begins = offset

    def write(self, *, ends_block: bool) -> None:
        """Write what is collected. `ends_block`: nothing of the block follows."""
        if not self._events:
            return
        events, self._events = self._events, []
        output = self._output
        if output.is_literal:
            output.put(html.escape("".join(text for text, _, _ in events), quote=output.is_in_image))
            return
        text, shape = self._shape(events)
        if output.is_in_link:
            output.put(html.escape(text, quote=False))
        else:
            self._write(text, shape, events[0][1], ends_block)

    def _write(self, text: str, shape: str, start: int, ends_block: bool) -> None:
        top, at = self._output.top, 0
        before = self._source[max(0, start - 4) : start].decode(errors="ignore")[-1:]
        before = "" if top.is_new and top.kind in _EMPHASIS else before
        begins_item = top.is_new and "Item" in {top.kind, self._output.outer.kind if top.kind == "Paragraph" else ""}
        for piece in pieces(shape, before, ends_block=ends_block, begins_item=begins_item):
            self._output.put(html.escape(text[at : piece.start], quote=False))
            if piece.kind == "highlight":
                after = shape[piece.end : piece.end + 1]
                may_open = not after.isspace() and (bool(after) or not ends_block)
                self._output.highlight(
                    may_open=may_open, may_close=not shape[max(0, piece.start - 1) : piece.start].isspace()
                )
            elif piece.kind == "box":
                self._box(start)
            else:
                self._mark(piece)
            at = piece.end
        self._output.put(html.escape(text[at:], quote=False))

    def _shape(self, events: list[tuple[str, int, int]]) -> tuple[str, str]:
        """Return the text of a stretch, and its shape."""
        texts: list[str] = []
        shapes: list[str] = []
        end_before = events[0][1]
        for written, start, end in events:
            text = written[max(0, self._begins - start) :] if end > self._begins else ""
            is_escaped = self._source[max(0, start - 1) : start] == b"\\" and (start > end_before or not texts)
            is_entity = end - start != len(written.encode())
            texts.append(text)
            shapes.append(PLACEHOLDER * len(text) if is_entity else PLACEHOLDER + text[1:] if is_escaped else text)
            end_before = end
        return "".join(texts), "".join(shapes)

    def _mark(self, piece: InlinePiece) -> None:
        """Write a piece that is not plain text."""
        output, secret, value = self._output, self._secret, html.escape(piece.value)
        top = output.top
        if piece.kind == "tag":
            href = f"{secret}#/tag/{quote(piece.value, safe='')}"
            output.put(f'<a class="{secret}tag" data-tag="{secret}{value}" href="{href}">#{value}</a>')
        elif piece.kind == "address":
            output.put(f'<a href="{value}">{value}</a>')
        elif piece.kind == "id":
            output.put(f'<span class="{secret}block" data-block="{secret}{value}"></span>')
        elif piece.kind == "footnote" and top.note is None:
            output.begin_note()
        elif piece.kind == "close" and top.note is not None and not top.brackets:
            output.put(self._footnotes.inline(output.end_note(top.note)))
        else:
            top.brackets += -1 if piece.kind == "close" else 1
            output.put(value)
