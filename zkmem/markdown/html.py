"""Render notes as HTML that is safe to show: pyromark renders, this module inserts the links, nh3 sanitises.

In the source, each link is replaced by a Markdown link to a secret token, which the parser carries into the HTML;
there the token is replaced by the real link. Raw HTML in a note loses scripts, styles and events, and cannot imitate
our own tags: attributes that the page acts upon stay only if their value begins with the secret.
"""

import html
import re
import secrets
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple
from urllib.parse import quote

import nh3
import pyromark

from zkmem.markdown.callouts import title_ends
from zkmem.markdown.cuts import MOST_BYTES, part_start
from zkmem.markdown.links import OPTIONS, Link
from zkmem.markdown.sections import BLANK_LINE, Block, find_blocks, hidden
from zkmem.markdown.writer import HtmlWriter, Origin, RawHtml, image_size
from zkmem.util.characters import closed, sets_direction

_RENDERED = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | (OPTIONS ^ pyromark.Options.ENABLE_WIKILINKS)  # only the scanner decides what is a wikilink
)
_DEEPEST = 500  # nested or unclosed elements: the time that nh3 takes is quadratic in them
_MOST_REOPENED = 20_000  # unclosed styles: HTML opens each of them again in every block that follows
_MOST_TRIES = 6  # to find the HTML that hides what follows
_HIDDEN = {"rp", "script", "style"}  # elements whose text no browser shows
_STYLES = ("a", "b", "code", "em", "i", "s", "small", "strong", "u")
_MARKUP = {
    "a", "abbr", "b", "blockquote", "br", "caption", "cite", "code", "dd", "del", "details", "div", "dl", "dt", "em",
    "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "input", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q",
    "rt", "ruby", "s", "samp", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td",
    "tfoot", "th", "thead", "tr", "u", "ul", "var",
}  # fmt: skip
_ATTRIBUTES = {
    "*": {"class", "title", "dir", "lang"},
    "a": {
        "href",
        "data-note",
        "data-subpath",
        "data-file",
        "data-tag",
        "data-scheme",
        "data-jump",
        "data-anchor",
        "data-gone",
    },
    "img": {"src", "alt", "data-file", "width", "height"},
    "details": {"open", "data-note"},
    "div": {"data-etag"},
    "input": {"checked", "data-task"},
    "li": {"value", "data-anchor"},
    "ol": {"start"},
    "span": {"data-block"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan"},
    **{f"h{level}": {"data-heading"} for level in range(1, 7)},
}
_CLASS = re.compile(r"language-[\w+#.-]+|math math-(?:inline|display)")
_SPAN = re.compile("[0-9]{1,2}")  # cells; a browser lays out each column and each row that a cell spans
_OUTER = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_LONE_CR = re.compile(rb"\r(?!\n)")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)")
_VOID = {"br", "hr", "img", "input"}
_OUTGOING = re.compile(r'<a (?=[^<>]*href="(?:https?|mailto):)', re.IGNORECASE)

_REST = "<p>(The rest is too long to be shown here; it is in the text.)</p>"

Kind = Literal["note", "missing", "image", "file", "nothing", "embed", "expansion", "below"]


_BOXES: set[Kind] = {"embed", "expansion", "below"}  # they are blocks, which no paragraph may contain
_MARKERS = re.compile(rb"[ \t>*+\-\d.)]*")  # of quotes and list items, before the text of a line
_MOST_MARKERS = 200  # bytes of them that are looked at, so that a long line costs no more
# how a line that is a block may begin
_BEGINS_BLOCK = re.compile(rb"[ \t]*[^\s\w\[]|[ \t]*\d|(?: {4}| {0,3}\t)[ \t]*\S")
_EMPTY_ELEMENT = b"<span></span>"  # keeps what follows it in a paragraph


class Anchor(NamedTuple):
    """The HTML element that replaces a link.

    `name` is the name of the note, the target of the missing one, or the path of the file. `inside` is the HTML that
    an expansion or an embed shows, from `Renderer.part`. Both replace their link. An expansion `below` a block of text
    has a link of length 0 at the end of that block.
    """

    kind: Kind
    name: str
    inside: str = ""
    etag: str = ""  # of the note that an embed shows


class Renderer:
    """A renderer of one page, part by part."""

    def __init__(self) -> None:
        self._secret, self._mark = secrets.token_hex(8), secrets.token_hex(8)  # of attributes, and of link tokens
        self._token = re.compile(rf"{self._mark}-(\d+)")
        self._opening = re.compile(rf'<a href="{self._mark}-(\d+)">')
        self._image = re.compile(rf'<img src="{self._mark}-(\d+)" alt="([^"]*)">')

    def part(self, body: bytes, links: Sequence[tuple[Link, Anchor]], first_line: int | None = None) -> str:
        """Return the HTML of a text without frontmatter, with these links; `finished` makes it fit to send.

        `first_line` is the number of the text's first line in its note, so that its boxes can be ticked; None if they
        cannot.
        """
        if len(body) > MOST_BYTES:
            return _plain(body[: part_start(body, MOST_BYTES)]) + _REST
        if _LONE_CR.search(body):  # it ends a line for the parser, and not for the page, which counts the lines
            first_line = None
        source, origin = _spliced(body, links, self._mark, first_line)
        text = source.decode(errors="replace")
        boxes = {f"{self._mark}-{number}" for number, (_, one) in enumerate(links) if one.kind in _BOXES}
        hiding: set[int] = set()
        for attempt in range(_MOST_TRIES):
            raw_html = RawHtml(self._mark, self._secret, hiding)
            writer = HtmlWriter(text.encode(), self._secret, origin, boxes, raw_html)
            rendered = writer.written(pyromark.events_with_range(text, options=_RENDERED))
            if _is_deep(rendered):
                break
            clean, more = raw_html.checked(self._cleaned(rendered, finished=False))
            if not more:
                return self._linked(clean, links)
            hiding |= more if attempt == _MOST_TRIES - 2 else {min(more)}  # the first may have hidden the others
        return _plain(body)

    def rest(self, name: str) -> str:
        """Return the line that follows a shortened note: a link to the whole note."""
        return f"<p>(Cut here. Read on: {self._opened(Anchor('note', name))}{_shown(name)}</a>)</p>"

    def finished(self, part: str) -> str:
        """Return a part as a page that can be sent."""
        cleaned = self._cleaned(part, finished=True)
        return _OUTGOING.sub('<a target="_blank" rel="noopener noreferrer" ', cleaned)

    def _linked(self, clean: str, links: Sequence[tuple[Link, Anchor]]) -> str:
        """Return the part with each token replaced by the element of its link."""

        def opening(match: re.Match[str]) -> str:
            link, anchor = links[int(match[1])]
            return self._opened(anchor, link.subpath)

        def image(match: re.Match[str]) -> str:
            link, anchor = links[int(match[1])]
            if anchor.kind in {"expansion", "below"}:
                name = html.escape(anchor.name)
                summary = _shown(anchor.name + link.subpath)
                return (
                    f'<details class="{self._secret}expansion" open data-note="{self._secret}{name}">'
                    f"<summary>{summary}</summary>{anchor.inside}</details>"
                )
            if anchor.kind == "embed":
                return self._embedded(link, anchor)
            if anchor.kind == "image":
                return self._picture(link, anchor.name, html.unescape(match[2]))
            shown = match[2] or _shown(anchor.name)
            if anchor.kind == "nothing":  # nobody sees the picture, so its name says which it is
                alt = image_size(html.unescape(match[2]))[0]
                shown = (
                    f"{html.escape(alt)} ({_shown(anchor.name)})"
                    if alt not in {"", anchor.name}
                    else _shown(anchor.name)
                )
            return f"{self._opened(anchor, link.subpath, is_shown=True)}{shown}</a>"

        def torn(match: re.Match[str]) -> str:  # a token that a table cell, say, has cut off from its label
            return _shown(links[int(match[1])][0].target)

        return self._token.sub(torn, self._image.sub(image, self._opening.sub(opening, clean)))

    def _embedded(self, link: Link, anchor: Anchor) -> str:
        """Return the text of an embed in a frame, below a link to its note; with the etag if it has boxes to tick."""
        title = _shown(" > ".join(filter(None, [anchor.name, *link.subpath.split("#")])))
        opened = self._opened(anchor, link.subpath)
        etag = f' data-etag="{self._secret}{anchor.etag}"' if "data-task" in anchor.inside else ""
        return f'<div class="{self._secret}embed"{etag}>{opened}{title}</a>{anchor.inside}</div>'

    def _picture(self, link: Link, path: str, alt: str) -> str:
        alt, width, height = image_size(link.display or "" if link.kind == "wiki" else alt)
        size = f' width="{self._secret}{width}"' if width else ""
        size += f' height="{self._secret}{height}"' if height else ""
        return f'<img data-file="{self._secret}{html.escape(path)}" alt="{html.escape(alt or path)}"{size}>'

    def _opened(self, anchor: Anchor, subpath: str = "", *, is_shown: bool = False) -> str:
        """Return the opening tag of a link. `is_shown`: the page may show the file in its place, as a player."""
        name = html.escape(anchor.name)
        apart = (
            f' dir="{self._secret}auto"' if sets_direction(anchor.name) else ""
        )  # it has no effect on the text around it
        if anchor.kind == "nothing":
            return f'<a class="{self._secret}gone" data-gone="{self._secret}{name}"{apart}>'
        part = f' data-subpath="{self._secret}{html.escape(subpath)}"' if subpath else ""
        part += apart
        if anchor.kind in {"file", "image"}:
            media = " media" if is_shown else ""
            return f'<a class="{self._secret}file{media}" data-file="{self._secret}{name}"{part}>'
        missing = " missing" if anchor.kind == "missing" else ""
        href = f"{self._secret}#/note/{quote(anchor.name, safe='')}{'?' + quote(subpath, safe='') if subpath else ''}"
        return f'<a class="{self._secret}note{missing}" data-note="{self._secret}{name}"{part} href="{href}">'

    def _cleaned(self, text: str, *, finished: bool) -> str:
        def filtered(tag: str, attribute: str, value: str) -> str | None:
            if not finished and value.startswith(self._mark):
                return value
            if value.startswith(self._secret):
                return value[len(self._secret) :] if finished else value
            return _harmless(tag, attribute, value)

        return nh3.clean(
            text,
            tags=_MARKUP,
            clean_content_tags=_HIDDEN,
            attributes=_ATTRIBUTES,
            attribute_filter=filtered,
            set_tag_attribute_values={"input": {"type": "checkbox", "disabled": ""}},
            url_schemes={"http", "https", "mailto"},
            link_rel=None,
        )


def _harmless(tag: str, attribute: str, value: str) -> str | None:
    """Return the value of an attribute from a note's own HTML; None if a note may not set it."""
    if attribute.startswith("data-") or (tag, attribute) == ("img", "src"):
        return None
    if attribute == "class":
        return value if _CLASS.fullmatch(value) else None
    if attribute == "href":
        return value if _OUTER.match(value) else None
    if attribute in {"colspan", "rowspan"}:
        return value if _SPAN.fullmatch(value) else None
    if attribute == "dir":
        return value if value in {"ltr", "rtl"} else None  # for `auto`, see Output.settle_direction
    return value


def _spliced(
    body: bytes, links: Sequence[tuple[Link, Anchor]], secret: str, first_line: int | None
) -> tuple[bytes, Origin]:
    """Return the source with a token for each link (`secret`, a hyphen, and the link's number), and its origin.

    Comments are left out.
    """
    splices = [
        splice
        for number, (link, anchor) in enumerate(links)
        for splice in _splices(body, link, anchor, f"{secret}-{number}".encode())
    ]
    splices += _reshaped(body, [link for link, _ in links])
    pieces, at = [], 0
    copies, begins, size = [0], [0], 0
    for start, end, new in sorted(splices, key=lambda splice: splice[:2]):
        if start >= at:  # else it is inside a link that is already replaced
            pieces += [body[at:start], new]
            size += start - at + len(new)
            at = end
            copies.append(size)
            begins.append(at)
    return b"".join([*pieces, body[at:]]), Origin(body, copies, begins, first_line)


def _reshaped(body: bytes, links: Sequence[Link]) -> Iterator[tuple[int, int, bytes]]:
    """Yield the replacements that remove comments and give the title of each callout a paragraph of its own."""
    if b"%%" not in body and b"[!" not in body:
        return
    blocks = find_blocks(body)
    yield from _without_comments(body, blocks, links)
    for at, line in title_ends(body, blocks):
        yield at, at, line


def _splices(body: bytes, link: Link, anchor: Anchor, token: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the replacements in the source for one link: start, end and new bytes."""
    if anchor.kind == "expansion":
        yield link.start, link.end, b"![](%s)" % token
    elif anchor.kind == "below":
        yield link.start, link.end, b"\n\n![](%s)\n\n" % token
    elif link.kind == "ref":
        head, tail = body[link.start : link.path_at].removesuffix(b"<"), body[link.start : link.end]
        yield link.start, link.end, head + token + tail[len(tail.rstrip()) :]
    elif link.kind == "md" and link.show_at >= 0:
        yield link.show_end, link.end, b"](%s)" % token
        at = body.find(b"$", link.show_at, link.show_end)
        while at >= 0:  # a `$` in the label must not begin math that ends outside of the link
            yield at - body.startswith(b"\\", at - 1), at + 1, b"&#36;"
            at = body.find(b"$", at + 1, link.show_end)
    else:
        yield link.start, link.end, b"%s[%s](%s)" % (b"!" if link.embed else b"", _label(link).encode(), token)


def _label(link: Link) -> str:
    """Return the display text of a wikilink as Markdown without any markup."""
    shown = (link.display or "").strip() or " > ".join(filter(None, [link.target, *link.subpath.split("#")]))
    shown = closed(shown)
    return "".join(char if char.isalnum() or char == " " else f"&#{ord(char)};" for char in shown)


def _is_deep(rendered: str) -> bool:
    """Return whether too many elements are nested or unclosed."""
    if rendered.count("<") <= _DEEPEST:
        return False
    opened: dict[str, int] = {}
    total = reopened = 0
    for slash, name in _TAG.findall(rendered):
        tag = name.lower()
        if not slash and tag not in _VOID:
            opened[tag] = opened.get(tag, 0) + 1
            total += 1
            if tag not in _STYLES:
                reopened += sum(opened.get(style, 0) for style in _STYLES)
        elif slash and opened.get(tag):
            opened[tag] -= 1
            total -= 1
        if total > _DEEPEST or reopened > _MOST_REOPENED:
            return True
    return False


def _shown(name: str) -> str:
    """Return the name of a note or a file as HTML."""
    return html.escape(closed(name))


def _plain(body: bytes) -> str:
    return f"<pre>{html.escape(body.decode(errors='replace'))}</pre>"


def _without_comments(body: bytes, blocks: list[Block], links: Sequence[Link]) -> Iterator[tuple[int, int, bytes]]:
    """Yield the replacements that remove `%%` comments: start, end and new bytes. The text around keeps its blocks.

    `links`: the links of the body.
    """
    starts = [link.start for link in links]  # in order, but for the expansions below a block
    for start, end in hidden(body, blocks):
        before = bisect_right(starts, start) - 1
        if before < 0 or links[before].end <= start:  # else the mark is inside a link
            yield start, end, _in_place_of_comment(body, start, end)


def _in_place_of_comment(body: bytes, start: int, end: int) -> bytes:
    """Return what takes the place of a comment: a blank line if the comment has one.

    If the text after the comment would begin a block there, an empty element before it prevents that.
    """
    gap = b"\n\n" if BLANK_LINE.search(body, start, end) else b""
    nearest = max(0, start - _MOST_MARKERS)
    line = max(nearest, body.rfind(b"\n", nearest, start) + 1)
    begins_line = gap or _MARKERS.fullmatch(body, line, start)
    return gap + (_EMPTY_ELEMENT if begins_line and _BEGINS_BLOCK.match(body, end) else b"")
