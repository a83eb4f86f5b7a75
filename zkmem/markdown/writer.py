"""Write the parser's events as HTML, with what Obsidian has beyond Markdown: callouts, highlights, tags and the rest.

The HTML is neither safe nor complete: `html.py` sanitises it and replaces the tokens of links. The values of the
attributes that the page acts upon begin with the secret.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from zkmem.markdown.callouts import CalloutHead, callout_head
from zkmem.markdown.inline import Stretch
from zkmem.markdown.links import edge
from zkmem.markdown.output import Footnotes, Output
from zkmem.markdown.sections import heading_key, heading_text

_WHY = "This HTML would hide what follows, so it is shown as text."
_INLINE = {"Emphasis": "em", "Strong": "strong", "Strikethrough": "del"}
_NO_BLOCK = {*_INLINE, "Link", "Image"}
_SIZE = re.compile(r"(?:(.*)\|)?[ \t]*([0-9]{1,5})(?:x([0-9]{1,5}))?[ \t]*", re.DOTALL)
_SCHEME = re.compile(r"(?!https?:|mailto:)([A-Za-z][A-Za-z0-9+.-]{1,30}):", re.IGNORECASE)
_WEB = re.compile(r"https?://", re.IGNORECASE)


class RawHtml:
    """The HTML in one text. Some HTML would hide what follows it, such as `<style>` or `<!--`: it is shown as text.

    HTML changes how a browser reads the text after it. So a sentinel, an empty element with a secret attribute, follows
    each block of the note that has HTML. If sanitising removes it, the HTML of the block is shown as text, with a mark.

    `mark` is the secret of the sentinels, `secret` that of attributes. `hiding` are the numbers of the blocks whose
    HTML is shown as text.
    """

    def __init__(self, mark: str, secret: str, hiding: Collection[int]) -> None:
        self._mark, self._hiding = mark, hiding
        self._opening = f'<mark class="{secret}hiding" title="{_WHY}">'
        self._sentinel = re.compile(rf'<span lang="{mark}-html-([0-9]+)"></span>')
        self._blocks = 0  # the number of blocks with HTML so far
        self._is_pending = False  # whether the current block has HTML

    def block(self) -> tuple[str, str]:
        """Return what opens and closes a block of HTML, such as a `<div>` on a line of its own."""
        return (f"<pre>{self._opening}", "</mark></pre>\n") if self._blocks in self._hiding else ("", "")

    def line(self, source: str) -> str:
        """Return a line of a block of HTML as it is written into the page."""
        self._is_pending = True
        return html.escape(source, quote=False) if self._blocks in self._hiding else source

    def inline(self, source: str) -> str:
        """Return a tag or a comment inside a line as it is written into the page."""
        shown = self.line(source)
        return f"{self._opening}{shown}</mark>" if self._blocks in self._hiding else shown

    def end_of_block(self) -> str:
        """Return the sentinel to write at the end of a block of the note; "" if the block has no HTML."""
        if not self._is_pending:
            return ""
        self._is_pending, number = False, self._blocks
        self._blocks += 1
        return "" if number in self._hiding else f'<span lang="{self._mark}-html-{number}"></span>'

    def checked(self, clean: str) -> tuple[str, set[int]]:
        """Return the sanitised HTML without the sentinels, and the numbers of the blocks whose sentinel is gone."""
        visible = {int(number) for number in self._sentinel.findall(clean)}
        return self._sentinel.sub("", clean), set(range(self._blocks)) - visible - set(self._hiding)


class Origin(NamedTuple):
    """The body that the written source was made from. The source has copies of parts of the body."""

    body: bytes
    copies: Sequence[int]  # where each copy begins in the source
    begins: Sequence[int]  # where the original of each copy begins in the body
    first_line: int | None  # the number of the body's first line in its note; None if its boxes cannot be ticked

    def at(self, offset: int) -> int:
        """Return the offset in the body for one in the source."""
        number = bisect_right(self.copies, offset) - 1
        return self.begins[number] + offset - self.copies[number]


class HtmlWriter:
    """Writes one text. `source` is what the events are of; `secret` begins the value of each attribute of our own.

    `boxes` are the addresses of the images that are blocks of text; `raw_html` writes the HTML of the note itself.
    """

    def __init__(self, source: bytes, secret: str, origin: Origin, boxes: Collection[str], raw_html: RawHtml) -> None:
        self._source, self._secret, self._origin, self._boxes = source, secret, origin, boxes
        self._raw_html, self._auto = raw_html, f' dir="{secret}auto"'
        self._output, self._footnotes = Output(), Footnotes(secret)
        self._stretch = Stretch(self._output, source, secret, self._footnotes, lambda at: self._box(at, True))
        self._head: CalloutHead | None = None  # of a callout whose title is not begun yet
        self._line, self._line_at = origin.first_line or 0, 0
        self._aligned: list[str] = []
        self._column = 0

    def written(self, events: Iterable[tuple[Any, Any]]) -> str:
        """Return the HTML of the events."""
        for event, span in events:
            if type(event) is dict and "Text" in event:
                self._stretch.add(event["Text"], span["start"], span["end"])
                continue
            self._stretch.write(ends_block=_is_block(event))
            if type(event) is str:
                self._plain(event)
            elif "Start" in event:
                self._start(event["Start"], span)
            elif "End" in event:
                self._end()
            else:
                self._leaf(event, span["start"])
            self._output.top.is_new = type(event) is dict and "Start" in event
        return str(self._output) + self._footnotes.html()

    def _start(self, element: Any, span: Any) -> None:
        about: Any
        kind, about = (element, None) if type(element) is str else next(iter(element.items()))
        if self._head and kind != "Paragraph":
            self._begin_title(self._head)
            self._end_title()
        if self._output.is_in_image:
            self._output.push(kind, "", "")
        elif kind in _INLINE:
            self._output.push(kind, f"<{_INLINE[kind]}>", f"</{_INLINE[kind]}>")
        elif kind in {"Link", "Image"}:
            self._link(kind, about)
        elif kind == "FootnoteDefinition":
            self._output.begin_aside(f"{kind} {about}")
        elif kind.startswith("Table"):
            self._table(kind, about)
        else:
            self._block(kind, about, span)

    def _end(self) -> None:
        output, kind = self._output, self._output.top.kind
        if kind not in _NO_BLOCK and not output.is_in_image:
            output.put(self._raw_html.end_of_block())
            output.settle_direction(self._auto)
        if kind == "Title":
            self._end_title()
        elif kind == "Image":
            self._image()
        elif kind == "Paragraph":
            output.close_paragraph(f'<span class="{self._secret}block"')
        elif kind.startswith("FootnoteDefinition"):
            self._footnotes.define(kind.partition(" ")[2], output.end_aside())
        else:
            if self._head and kind == "BlockQuote":  # a callout without a paragraph
                self._begin_title(self._head)
                self._end_title()
            output.put(output.pop().closing)

    # Blocks

    def _block(self, kind: str, about: Any, span: Any) -> None:
        push = self._output.push
        if kind == "Paragraph":
            self._paragraph()
        elif kind == "Heading":
            # a removed comment may follow the line
            ends_line = self._source.endswith(b"\n", span["start"], span["end"])
            start, end = self._origin.at(span["start"]), self._origin.at(span["end"] - ends_line)
            key = html.escape(heading_key(heading_text(self._origin.body[start:end])))
            tag = about["level"].lower()
            push(kind, f'<{tag}{self._auto} data-heading="{self._secret}{key}">', f"</{tag}>\n")
        elif kind == "BlockQuote":
            self._quote(span["start"])
        elif kind == "CodeBlock":
            language = about.get("Fenced", "").split(" ")[0] if type(about) is dict else ""
            named = f' class="language-{html.escape(language)}"' if language else ""
            push(kind, f"<pre><code{named}>", "</code></pre>\n")
        elif kind == "List":
            tag, first = ("ul", "") if about is None else ("ol", "" if about == 1 else f' start="{about}"')
            push(kind, f"<{tag}{first}>\n", f"</{tag}>\n")
        elif kind == "Item":
            push(kind, f"<li{self._auto}>", "</li>\n")
        else:  # a block of HTML
            push(kind, *self._raw_html.block())

    def _paragraph(self) -> None:
        if self._head:
            self._begin_title(self._head)
        else:
            direction = "" if self._output.top.kind == "Item" else self._auto  # that of the item
            self._output.push("Paragraph", f"<p{direction}>", "</p>\n", f'<p class="{self._secret}lone">')

    def _quote(self, start: int) -> None:
        head = callout_head(self._source, start)
        if not head:
            self._output.push("BlockQuote", "<blockquote>\n", "</blockquote>\n")
            return
        self._head = head
        self._stretch.skip_to(head.end)
        tag = "details" if head.fold else "div"
        opened = " open" if head.fold == "+" else ""
        classes = f"{self._secret}callout callout-{head.group}"
        self._output.push("BlockQuote", f'<{tag} class="{classes}"{opened}>', f"</div></{tag}>\n")

    def _begin_title(self, head: CalloutHead) -> None:
        """Open the title of a callout. It ends with its line."""
        self._head = None
        tag = "summary" if head.fold else "div"
        opening = f'<{tag} class="{self._secret}callout-title"{self._auto}>'
        self._output.push("Title", opening, f"</{tag}>", head.default_title)

    def _end_title(self) -> None:
        """Close the title of a callout, and open the box for the rest."""
        title = self._output.pop()
        if not self._output.since(title.at).strip():
            self._output.put(html.escape(title.default, quote=False))
        self._output.put(f'{title.closing}<div class="{self._secret}callout-content">\n')

    def _table(self, kind: str, about: Any) -> None:
        push = self._output.push
        if kind == "Table":
            self._aligned = [one.lower() for one in about]
            push(kind, f'<div class="{self._secret}table"><table>', "</tbody></table></div>\n")
        elif kind == "TableCell":
            tag = "th" if self._output.top.kind == "TableHead" else "td"
            aligned = self._aligned[self._column] if self._column < len(self._aligned) else "none"
            align = "" if aligned == "none" else f' align="{aligned}"'
            self._column += 1
            push(kind, f"<{tag}{self._auto}{align}>", f"</{tag}>")
        else:
            self._column = 0
            is_head = kind == "TableHead"
            push(kind, *(("<thead><tr>", "</tr></thead><tbody>\n") if is_head else ("<tr>", "</tr>\n")))

    # Links and images

    def _link(self, kind: str, about: Any) -> None:
        url, is_mail = about["dest_url"], about["link_type"] == "Email"
        if kind == "Image":
            self._output.push(kind, "", url)
        elif _SCHEME.match(url) and not is_mail:
            opening = f'<a class="{self._secret}scheme" data-scheme="{self._secret}{html.escape(url)}">'
            self._output.push(kind, opening, "</a>")
        else:
            title = f' title="{html.escape(about["title"])}"' if about["title"] else ""
            href = html.escape(f"mailto:{url}" if is_mail else url)
            self._output.push(kind, f'<a href="{href}"{title}>', "</a>")

    def _image(self) -> None:
        output, frame = self._output, self._output.pop()
        if output.is_in_image:  # its text is part of the other one's
            return
        url, alt = frame.closing, output.take(frame.at)
        image = f'<img src="{html.escape(url)}" alt="{alt}">'
        if _WEB.match(url):  # to load it would show its server who reads the note, and when
            shown = image_size(html.unescape(alt))[0] or url
            output.put(f'<a href="{html.escape(url)}">{html.escape(shown, quote=False)}</a>')
        elif url in self._boxes and output.top.kind == "Paragraph":
            output.between(image)
        else:
            output.put(image)

    # Events without an end

    def _plain(self, event: str) -> None:
        output = self._output
        if event == "Rule":
            output.put("<hr>\n")
        elif output.is_literal:
            output.put("\n")
        elif output.top.kind == "Title":
            self._end_title()
            self._paragraph()
        elif output.top.kind != "Paragraph" or not output.is_empty:
            output.put("<br>\n")

    def _leaf(self, event: Any, start: int) -> None:
        kind, value = next(iter(event.items()))
        output = self._output
        if output.is_in_image:
            output.put(html.escape(value) if kind in {"Code", "InlineMath", "DisplayMath"} else "")
        elif kind == "Code":
            output.put(f"<code>{html.escape(value, quote=False)}</code>")
        elif kind in {"InlineMath", "DisplayMath"}:
            shown = "inline" if kind == "InlineMath" else "display"
            output.put(f'<span class="math math-{shown}">{html.escape(value, quote=False)}</span>')
        elif kind == "FootnoteReference":
            output.put(self._footnotes.reference(value))
        elif kind == "TaskListMarker":
            self._box(start, value)
        else:
            output.put(self._raw_html.inline(value) if kind == "InlineHtml" else self._raw_html.line(value))

    def _box(self, at: int, is_checked: bool) -> None:
        """Write the box of a task, with the number of its line; boxes come in the order of the text."""
        line = ""
        if self._origin.first_line is not None:
            here = self._origin.at(at)
            if here >= self._line_at:
                self._line += self._origin.body.count(b"\n", self._line_at, here)
                self._line_at = here
            line = f' data-task="{self._secret}{self._line}"'
        self._output.put(f'<input type="checkbox"{" checked" if is_checked else ""}{line}> ')


def image_size(text: str) -> tuple[str, str, str]:
    """Return the text of an image without its size, its width and its height, as in `text|300x200`."""
    match = _SIZE.fullmatch(text)
    return (match[1] or "", match[2], match[3] or "") if match else (text, "", "")


def _is_block(event: Any) -> bool:
    """Return whether an event begins or ends a block, so that the text before it ends one."""
    of_element = edge(event)
    return event == "Rule" or (of_element is not None and of_element[0] not in _NO_BLOCK)
