"""Write stretches of text: the text between two elements of a block, with its highlights, tags, ids and the rest."""

import html
from collections.abc import Callable
from urllib.parse import quote

from zkmem.markdown.footnotes import Footnotes
from zkmem.markdown.inline import PLACEHOLDER, Piece, pieces
from zkmem.markdown.output import Output

_EMPHASIS = {"Emphasis", "Strong"}


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

    def _mark(self, piece: Piece) -> None:
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
