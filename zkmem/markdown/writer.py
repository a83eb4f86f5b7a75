"""Write the parser's events as HTML, with what Obsidian has beyond Markdown: callouts, highlights, tags and the rest.

The HTML is neither safe nor complete: `html.py` sanitises it and replaces the tokens of links. Attributes that the page
acts upon begin with the secret.
"""

import html
import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple
from urllib.parse import quote

from zkmem.markdown.callout_types import CalloutHead, callout_head
from zkmem.markdown.footnotes import Footnotes
from zkmem.markdown.inline import PLACEHOLDER, Piece, pieces
from zkmem.markdown.sections import heading_key, heading_text

_SIMPLE = {"Emphasis": "em", "Strong": "strong", "Strikethrough": "del"}
_EMPHASIS = {"Emphasis", "Strong"}
_SIZE = re.compile(r"(?:(.*)\|)?[ \t]*([0-9]{1,5})(?:x([0-9]{1,5}))?[ \t]*", re.DOTALL)
_SCHEME = re.compile(r"(?!https?:|mailto:)([A-Za-z][A-Za-z0-9+.-]{1,30}):", re.IGNORECASE)
_WEB = re.compile(r"https?://", re.IGNORECASE)
_LITERAL = {"CodeBlock", "HtmlBlock", "Image"}


class Origin(NamedTuple):
    """Where the written source comes from: the body before splicing, and a function from an offset to one there."""

    body: bytes
    at: Callable[[int], int]
    first_line: int | None  # the number of the body's first line in its note; None if its boxes cannot be ticked


class _Open:
    """An element that is open: its kind, what closes it, and the marks in it that may still find their partners."""

    def __init__(self, kind: str, closing: str, at: int, default: str = "") -> None:
        self.kind, self.closing, self.at = kind, closing, at
        self.default = default  # the text of a title that is empty
        self.highlight: int | None = None  # the place in the output of an unpaired `==`
        self.footnote: int | None = None  # that of an unpaired `^[`
        self.brackets = 0  # that are open in it
        self.is_new = True  # whether nothing has been written into it


class Writer:
    """Writes one text. `source` is what the events are of; `secret` begins each attribute of our own.

    `boxes` are the addresses of the images that are blocks of text.
    """

    def __init__(self, source: bytes, secret: str, origin: Origin, boxes: Collection[str]) -> None:
        self._source, self._secret, self._origin, self._boxes = source, secret, origin, boxes
        self._out: list[str] = []
        self._open: list[_Open] = [_Open("", "", 0)]
        self._outer: list[list[str]] = []  # the outputs around a footnote
        self._stretch: list[tuple[str, int, int]] = []  # text that is not written yet, with its range in the source
        self._skipped = 0  # the source before this offset is not text
        self._head: CalloutHead | None = None  # of a callout whose title is not begun yet
        self._inside = {"Link": 0, "Image": 0}  # how many of each are open
        self._footnotes = Footnotes(secret)
        self._line, self._line_at = origin.first_line or 0, 0
        self._aligned: list[str] = []
        self._column = 0

    def written(self, events: Iterable[tuple[Any, Any]]) -> str:
        """Return the HTML of the events."""
        for event, span in events:
            if type(event) is dict and "Text" in event:
                self._stretch.append((event["Text"], span["start"], span["end"]))
                continue
            self._flush(ends_block=_is_block(event))
            if type(event) is str:
                self._plain(event)
            elif "Start" in event:
                self._start(event["Start"], span)
            elif "End" in event:
                self._end()
            else:
                kind, value = next(iter(event.items()))
                self._leaf(kind, value, span["start"])
            self._open[-1].is_new = type(event) is dict and "Start" in event
        return "".join(self._out) + self._footnotes.html()

    # Text

    def _flush(self, *, ends_block: bool) -> None:
        if not self._stretch:
            return
        stretch, self._stretch = self._stretch, []
        if self._in_literal():
            self._put(html.escape("".join(text for text, _, _ in stretch), quote=self._inside["Image"] > 0))
            return
        text, shape = self._shape(stretch)
        if self._inside["Link"]:
            self._put(html.escape(text, quote=False))
            return
        top, start = self._open[-1], stretch[0][1]
        before = self._source[max(0, start - 4) : start].decode(errors="ignore")[-1:]
        before = "" if top.is_new and top.kind in _EMPHASIS else before
        at = 0
        begins_item = top.is_new and "Item" in {top.kind, self._open[-2].kind if top.kind == "Paragraph" else ""}
        for piece in pieces(shape, before, ends_block=ends_block, begins_item=begins_item):
            self._put(html.escape(text[at : piece.start], quote=False))
            self._piece(piece, shape, start, ends_block=ends_block)
            at = piece.end
        self._put(html.escape(text[at:], quote=False))

    def _in_literal(self) -> bool:
        return self._open[-1].kind in _LITERAL or self._inside["Image"] > 0

    def _shape(self, stretch: list[tuple[str, int, int]]) -> tuple[str, str]:
        """Return the text of a stretch, and its shape."""
        texts: list[str] = []
        shapes: list[str] = []
        end_before = stretch[0][1]
        for written, start, end in stretch:
            text = written[self._skipped - start :] if start < self._skipped < end else written
            if end <= self._skipped:
                text = ""
            is_escaped = start > 0 and self._source[start - 1 : start] == b"\\" and (start > end_before or not texts)
            is_entity = end - start != len(written.encode())
            texts.append(text)
            shapes.append(PLACEHOLDER * len(text) if is_entity else PLACEHOLDER + text[1:] if is_escaped else text)
            end_before = end
        return "".join(texts), "".join(shapes)

    def _piece(self, piece: Piece, shape: str, start: int, *, ends_block: bool) -> None:
        top, text = self._open[-1], html.escape(piece.value, quote=True)
        if piece.kind == "highlight":
            self._highlight(shape[piece.start - 1 : piece.start], shape[piece.end : piece.end + 1], ends_block)
        elif piece.kind == "tag":
            href = f"{self._secret}#/tag/{quote(piece.value, safe='')}"
            self._put(f'<a class="{self._secret}tag" data-tag="{self._secret}{text}" href="{href}">#{text}</a>')
        elif piece.kind == "address":
            self._put(f'<a href="{text}">{text}</a>')
        elif piece.kind == "id":
            self._put(f'<span class="{self._secret}block" data-block="{self._secret}{text}"></span>')
        elif piece.kind == "box":
            self._box(start, is_checked=True)
        elif piece.kind == "footnote" and top.footnote is None:
            top.footnote, top.brackets = len(self._out), 0
            self._put("^[")
        elif piece.kind == "close" and top.footnote is not None and not top.brackets:
            self._inline_footnote(top, top.footnote)
        else:
            top.brackets += {"open": 1, "footnote": 1, "close": -1}[piece.kind]
            self._put(text)

    def _highlight(self, before: str, after: str, ends_block: bool) -> None:
        top = self._open[-1]
        if top.highlight is not None and not before.isspace() and top.highlight < len(self._out) - 1:
            self._out[top.highlight] = "<mark>"
            self._put("</mark>")
            top.highlight = None
        else:
            if not after.isspace() and (after or not ends_block):
                top.highlight = len(self._out)
            self._put("==")

    def _inline_footnote(self, top: _Open, at: int) -> None:
        inside = "".join(self._out[at + 1 :])
        del self._out[at:]
        top.footnote = None
        if top.highlight is not None and top.highlight >= at:
            top.highlight = None
        self._put(self._footnotes.inline(inside))

    # Elements

    def _start(self, element: Any, span: Any) -> None:
        about: Any
        kind, about = (element, None) if type(element) is str else next(iter(element.items()))
        if self._head and kind != "Paragraph":
            self._title(self._head)
            self._finish_title()
        if self._inside["Image"]:  # its text is an attribute
            self._push(kind, "", "")
        elif kind in _SIMPLE:
            self._push(kind, f"<{_SIMPLE[kind]}>", f"</{_SIMPLE[kind]}>")
        elif kind == "Paragraph":
            self._paragraph()
        elif kind == "Heading":
            self._heading(about["level"], span)
        elif kind == "BlockQuote":
            self._quote(span["start"])
        elif kind == "CodeBlock":
            language = about.get("Fenced", "").split(" ")[0] if type(about) is dict else ""
            named = f' class="language-{html.escape(language)}"' if language else ""
            self._push(kind, f"<pre><code{named}>", "</code></pre>\n")
        elif kind == "List":
            first = "" if about in (None, 1) else f' start="{about}"'
            self._push(kind, *(("<ul>\n", "</ul>\n") if about is None else (f"<ol{first}>\n", "</ol>\n")))
        elif kind == "Item":
            self._push(kind, '<li dir="auto">', "</li>\n")
        elif kind in {"Link", "Image"}:
            self._link(kind, about)
        elif kind == "FootnoteDefinition":
            self._outer.append(self._out)
            self._out = []
            self._push(f"{kind} {about}", "", "")
        else:
            self._table(kind, about)

    def _paragraph(self) -> None:
        if self._head:
            self._title(self._head)
        else:
            direction = "" if self._open[-1].kind == "Item" else ' dir="auto"'  # that of the item
            self._push("Paragraph", f"<p{direction}>", "</p>\n")

    def _heading(self, level: str, span: Any) -> None:
        start, end = self._origin.at(span["start"]), self._origin.at(span["end"])
        key = html.escape(heading_key(heading_text(self._origin.body[start:end])))
        tag = level.lower()
        self._push("Heading", f'<{tag} dir="auto" data-heading="{self._secret}{key}">', f"</{tag}>\n")

    def _quote(self, start: int) -> None:
        head = callout_head(self._source, start)
        if not head:
            self._push("BlockQuote", "<blockquote>\n", "</blockquote>\n")
            return
        self._head, self._skipped = head, head.end
        tag = "details" if head.fold else "div"
        opened = " open" if head.fold == "+" else ""
        classes = f"{self._secret}callout callout-{head.group}"
        self._push("BlockQuote", f'<{tag} class="{classes}"{opened}>', f"</div></{tag}>\n")

    def _title(self, head: CalloutHead) -> None:
        """Open the title of a callout. It ends with its line."""
        self._head = None
        tag = "summary" if head.fold else "div"
        self._push("Title", f'<{tag} class="{self._secret}callout-title" dir="auto">', f"</{tag}>", head.default_title)

    def _finish_title(self) -> None:
        """Close the title of a callout, and open the box for the rest."""
        title = self._open.pop()
        if not "".join(self._out[title.at :]).strip():
            self._put(html.escape(title.default, quote=False))
        self._put(f'{title.closing}<div class="{self._secret}callout-content">\n')

    def _link(self, kind: str, about: Any) -> None:
        url = about["dest_url"]
        scheme = _SCHEME.match(url)
        if kind == "Image":
            self._push(kind, "", url)
        elif scheme and about["link_type"] != "Email":
            self._push(kind, f'<a class="{self._secret}scheme" data-scheme="{self._secret}{html.escape(url)}">', "</a>")
        else:
            url = f"mailto:{url}" if about["link_type"] == "Email" else url
            title = f' title="{html.escape(about["title"])}"' if about["title"] else ""
            self._push(kind, f'<a href="{html.escape(url)}"{title}>', "</a>")

    def _image(self, alt: str, url: str) -> None:
        if not _WEB.match(url):
            image = f'<img src="{html.escape(url)}" alt="{alt}">'
            if url in self._boxes and self._open[-1].kind == "Paragraph":
                self._between(image)
            else:
                self._put(image)
            return
        shown = image_size(html.unescape(alt))[0] or url  # to load it would show its server who reads the note
        self._put(f'<a href="{html.escape(url)}">{html.escape(shown, quote=False)}</a>')

    def _between(self, image: str) -> None:
        """Write a block: end the paragraph before it, and begin another one after it."""
        top = self._open[-1]
        opening = self._out[top.at - 1]
        if len(self._out) == top.at:
            self._out[-1] = image
        else:
            self._out += [top.closing, image]
        self._out.append(opening)
        top.at, top.highlight, top.footnote = len(self._out), None, None

    def _table(self, kind: str, about: Any) -> None:
        if kind == "Table":
            self._aligned = [one.lower() for one in about]
            self._push(kind, f'<div class="{self._secret}table"><table>', "</tbody></table></div>\n")
        elif kind == "TableHead":
            self._column = 0
            self._push(kind, "<thead><tr>", "</tr></thead><tbody>\n")
        elif kind == "TableRow":
            self._column = 0
            self._push(kind, "<tr>", "</tr>\n")
        elif kind == "TableCell":
            tag = "th" if self._open[-1].kind == "TableHead" else "td"
            aligned = self._aligned[self._column] if self._column < len(self._aligned) else "none"
            align = "" if aligned == "none" else f' align="{aligned}"'
            self._column += 1
            self._push(kind, f'<{tag} dir="auto"{align}>', f"</{tag}>")
        else:  # a block of HTML
            self._push(kind, "", "")

    def _push(self, kind: str, opening: str, closing: str, default: str = "") -> None:
        self._put(opening)
        self._open.append(_Open(kind, closing, len(self._out), default))
        if kind in self._inside:
            self._inside[kind] += 1

    def _pop(self) -> None:
        kind = self._open.pop().kind
        if kind in self._inside:
            self._inside[kind] -= 1

    def _put(self, text: str) -> None:
        if text:
            self._out.append(text)

    def _end(self) -> None:
        top = self._open[-1]
        if top.kind == "Title":
            self._finish_title()
        elif top.kind == "Image":
            self._pop()
            if self._inside["Image"]:
                return
            alt = "".join(self._out[top.at :])
            del self._out[top.at :]
            self._image(alt, top.closing)
        elif top.kind.startswith("FootnoteDefinition"):
            self._pop()
            self._footnotes.define(top.kind.partition(" ")[2], "".join(self._out))
            self._out = self._outer.pop()
        else:
            if self._head and top.kind == "BlockQuote":  # a callout without a paragraph
                self._title(self._head)
                self._finish_title()
            self._pop()
            if top.kind == "Paragraph" and len(self._out) == top.at:
                del self._out[-1]
                return
            if top.kind == "Paragraph" and self._is_lone_id(top):
                self._out[top.at - 1] = f'<p class="{self._secret}lone">'
            self._put(top.closing)

    def _is_lone_id(self, top: _Open) -> bool:
        """Return whether a paragraph has a block id and nothing else."""
        return len(self._out) == top.at + 1 and self._out[-1].startswith(f'<span class="{self._secret}block"')

    # Events without an end

    def _plain(self, event: str) -> None:
        if event == "Rule":
            self._put("<hr>\n")
        elif self._in_literal():
            self._put("\n")
        elif self._open[-1].kind == "Title":
            self._finish_title()
            self._push("Paragraph", '<p dir="auto">', "</p>\n")
        elif self._open[-1].kind != "Paragraph" or len(self._out) > self._open[-1].at:
            self._put("<br>\n")

    def _leaf(self, kind: str, value: Any, start: int) -> None:
        if self._inside["Image"]:
            self._put(html.escape(value) if kind in {"Code", "InlineMath", "DisplayMath"} else "")
        elif kind == "Code":
            self._put(f"<code>{html.escape(value, quote=False)}</code>")
        elif kind in {"InlineMath", "DisplayMath"}:
            shown = "inline" if kind == "InlineMath" else "display"
            self._put(f'<span class="math math-{shown}">{html.escape(value, quote=False)}</span>')
        elif kind == "FootnoteReference":
            self._put(self._footnotes.reference(value))
        elif kind == "TaskListMarker":
            self._box(start, is_checked=value)
        else:  # HTML
            self._put(value)

    def _box(self, at: int, *, is_checked: bool) -> None:
        line = ""
        if self._origin.first_line is not None:
            line = f' data-task="{self._secret}{self._line_of(self._origin.at(at))}"'
        self._put(f'<input type="checkbox"{" checked" if is_checked else ""}{line}> ')

    def _line_of(self, at: int) -> int:
        """Return the number of the line at an offset of the body; boxes come in the order of the text."""
        if at >= self._line_at:
            self._line += self._origin.body.count(b"\n", self._line_at, at)
            self._line_at = at
        return self._line


def image_size(text: str) -> tuple[str, str, str]:
    """Return the text of an image without its size, its width and its height, as in `text|300x200`."""
    match = _SIZE.fullmatch(text)
    return (match[1] or "", match[2], match[3] or "") if match else (text, "", "")


def _is_block(event: Any) -> bool:
    """Return whether an event begins or ends a block, so that the text before it ends one."""
    if type(event) is not dict:
        return bool(event == "Rule")
    element = event.get("Start") or event.get("End")
    kind = element if type(element) is str else next(iter(element or ()), "")
    return bool(kind) and kind not in {*_SIMPLE, "Link", "Image"}
