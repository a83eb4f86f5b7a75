"""The scanner of links: it finds every link of a note, and the byte range of each part of a link.

Rules: docs/development/links.md, section 1, and docs/development/links.md, section 2.

pulldown-cmark tells links from code, HTML, comments and math; this module corrects it where Obsidian differs.
All offsets are bytes of the file. Each byte that is not UTF-8 is replaced by one byte, so that offsets stay valid.
"""

import heapq
import itertools
import operator
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pyromark

from zkmem.markdown import destinations, frontmatter, plain

if TYPE_CHECKING:
    import yaml

Kind = Literal["wiki", "md", "ref"]  # [[x]], [text](x.md), [label]: x.md

_NO_MATH = pyromark.Options.ENABLE_WIKILINKS | pyromark.Options.ENABLE_FOOTNOTES
OPTIONS = _NO_MATH | pyromark.Options.ENABLE_MATH  # no tables: a GFM cell cuts [[x|y]], which Obsidian does not

MOST_MARKS = 5_000_000  # in one text; the parser takes some eighty bytes for each
_MARKS = b"[]!*_`<>$&\\\n"
_LIST_MARKS = (b". ", b") ", b"- ", b"+ ")
_SHOWN = 1_000  # bytes of a link that are stored as text: nested links can each be as long as the file
_FRAMES = re.compile(rb"(?:start|end)\r*(?:\n|\Z)")


class Link(NamedTuple):
    """One link of a note: its parts and their byte ranges.

    `start`, `end`: the range of the whole link; `path_at`, `path_end`: that of the written path, without blanks
    around it; `sub_at`, `sub_end`: that of the subpath; `show_at`, `show_end`: that of the display text. An offset is
    -1 if the source does not hold the part literally. For a link that YAML spells with escapes, `start` and `end` are
    those of the whole string, quotes included.
    """

    kind: Kind
    start: int
    end: int
    target: str  # the path part: decoded, without subpath and outer blanks
    subpath: str  # "" or "#Heading", "#^block", with the leading "#"
    display: str | None
    embed: bool
    path_at: int = -1
    path_end: int = -1
    show_at: int = -1
    show_end: int = -1
    raw: str = ""  # the link as written, cut if very long; in quoted YAML, the value of the string
    quote: str = ""  # the quote mark of the YAML string that holds the link
    sub_at: int = -1
    sub_end: int = -1

    @property
    def counts_when_missing(self) -> bool:
        """Whether the link counts even if its target is missing (docs/development/links.md, section 3)."""
        return plain.counts(self.target, is_wiki=self.kind == "wiki")


def find_links(data: bytes, until: int | None = None) -> list[Link]:
    """Return the links of a note in the order of the file; from the body, only those before `until`, if given."""
    if b"[[" not in data and b"](" not in data and b"]:" not in data:
        return []
    first, last, body = frontmatter.split(data)
    return [*_properties(data, first, last), *_body(data, body, until)]


def targets(data: bytes) -> tuple[dict[str, None], dict[str, None]]:
    """Return the targets of a note's links: those that count even if no note is found, and the others.

    Each target is in one of the two, once, in the order of the text.
    """
    if b"]" not in data:
        return {}, {}
    first, last, body = frontmatter.split(data)
    simple = plain.targets(data[body:]) if is_parsed(data[body:]) else []
    in_body = ((link.target, link.counts_when_missing) for link in _body(data, body)) if simple is None else simple
    in_properties = ((link.target, link.counts_when_missing) for link in _properties(data, first, last))
    counted: dict[str, None] = {}
    others: dict[str, None] = {}
    for target, counts in itertools.chain(in_properties, in_body):
        (counted if counts else others)[target] = None
    return counted, {target: None for target in others if target not in counted} if others else others


def body_links(body: bytes, until: int | None = None) -> list[Link]:
    """Return the links of a body that begin before `until`, if given. A `---` at its start opens no frontmatter."""
    return list(_body(body, 0, until))


def is_parsed(data: bytes) -> bool:
    """Return whether a text is parsed. One with more than `MOST_MARKS` marks is not: it has no links or headings.

    The marks are brackets, line ends and the like; a text of any size is parsed if it has few of them.
    """
    if len(data) <= MOST_MARKS:
        return True
    marks = len(data) - len(data.translate(None, _MARKS)) + sum(map(data.count, _LIST_MARKS))
    return marks <= MOST_MARKS


def as_text(data: bytes) -> str:
    """Return the text of a file with `?` for each byte that is not UTF-8, so that offsets stay valid."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return re.sub("[\udc80-\udcff]", "?", data.decode(errors="surrogateescape"))


def as_utf8(data: bytes) -> bytes:
    """Return the text of a file in UTF-8, with each character at the same offset as in the file."""
    return data if data.isascii() else as_text(data).encode()


def events(text: str, options: pyromark.Options = OPTIONS) -> Iterable[tuple[Any, Any]]:
    """Return the parser's events for a body, each with its range in bytes; none if the body is not parsed."""
    if len(text) * 4 > MOST_MARKS and not is_parsed(text.encode()):
        return ()
    return pyromark.events_with_range(text, options=options, merge_text=True)


def edge(event: Any) -> tuple[str, bool] | None:
    """Return the kind of the element that an event begins or ends, and whether it begins; None for any other event."""
    element = (event.get("Start") or event.get("End")) if type(event) is dict else None
    if not element:
        return None
    return element if type(element) is str else next(iter(element)), "Start" in event


def _body(data: bytes, offset: int, until: int | None = None) -> Iterator[Link]:
    body = data[offset:] if offset else data
    if not is_parsed(body):
        return
    last = len(body) if until is None else until - offset
    text = as_text(body)
    source = body if text.isascii() and body.isascii() else text.encode()
    ranges = plain.ranges(source)
    links = parsed_links(source, text) if ranges is None else plain_links(source, ranges)
    for link in itertools.takewhile(lambda link: link.start < last, links):
        if not _is_marker(source, link):
            yield _moved(link, offset)


def plain_links(source: bytes, ranges: Iterable[plain.LinkRange]) -> Iterator[Link]:
    """Yield the links in these ranges of a plain text; skip a range that holds no link."""
    for start, end, url in ranges:
        if url:
            link = _inline_link(source, source, range(start, end), url.decode(), source.startswith(b"!", start))
        else:
            link = wiki_link(source, start, end)
        if link:
            yield link


def parsed_links(source: bytes, text: str) -> Iterator[Link]:
    """Yield the links that the parser finds in a text; `source` is `text` in UTF-8."""
    masked = _without_dollars_in_links(text, source) if "$" in text else text
    parsed = _parsed(source, masked.encode() if masked is not text else source, events(masked))
    if b"]:" in source:
        start = operator.attrgetter("start")
        parsed = heapq.merge(parsed, sorted(_definitions(source, text), key=start), key=start)  # stores no links
    return parsed


def _parsed(source: bytes, masked: bytes, parsed: Iterable[tuple[Any, Any]]) -> Iterator[Link]:
    """Yield the links in the parser's events of `masked`, with their text from `source`, which differs in `$` alone."""
    for event, span in parsed:
        start = event.get("Start") if type(event) is dict else None
        if type(start) is not dict:
            continue
        tag = start.get("Link") or start.get("Image")
        if not tag:
            continue
        kind, at, end = tag["link_type"], span["start"], span["end"]
        if type(kind) is dict:  # {"WikiLink": {...}}
            link = wiki_link(source, at, end)
        elif kind == "Inline":
            link = _inline_link(source, masked, range(at, end), tag["dest_url"], "Image" in start)
        else:  # a use of a reference definition: the definition is the link
            link = None
        if link:
            yield link


def _without_dollars_in_links(text: str, source: bytes) -> str:
    """Return the text with a letter for every `$` inside a link: a `$` there neither opens nor closes math."""
    spans = [(link.start, link.end) for link in _parsed(source, source, events(text, _NO_MATH))]
    if not any(b"$" in source[start:end] for start, end in spans):
        return text
    masked = bytearray(source)
    for start, end in spans:
        masked[start:end] = masked[start:end].replace(b"$", b"S")
    return masked.decode()


def _is_marker(source: bytes, link: Link) -> bool:
    """Return whether the link is part of a marker `![[x]]start` or `![[x]]end`, which frames expanded text."""
    if not _FRAMES.match(source, link.end):  # decides most links without a look at the text before
        return False
    lead = source[max(0, link.start - 2) : link.start]
    return lead in {b"!", b"\n!"} or (link.embed and lead[-1:] in {b"", b"\n"})


def _moved(link: Link, by: int) -> Link:
    if not by:
        return link
    return link._replace(
        start=link.start + by,
        end=link.end + by,
        path_at=link.path_at + by,
        path_end=link.path_end + by,
        show_at=link.show_at + by if link.show_at >= 0 else -1,
        show_end=link.show_end + by if link.show_at >= 0 else -1,
        sub_at=link.sub_at + by,
        sub_end=link.sub_end + by,
    )


def wiki_link(source: bytes, at: int, end: int) -> Link | None:
    r"""Return the wikilink that the parser reports at `at`..`end` of a source; None if Obsidian sees no link there.

    A wikilink ends at the first `]]`, and has no `[[` inside.
    """
    embed = source.startswith(b"!", at)
    opening = at + (3 if embed else 2)
    inside = source.find(b"[[", opening, end)  # before `]]`: else many nested links would take quadratic time
    closing = source.find(b"]]", opening, end if inside < 0 else inside)
    if closing < 0 or source.find(b"\n", opening, closing) >= 0:
        return None
    inner = source[opening:closing]
    written = None if b"\r" in inner else plain.wiki_target(inner)
    if not written:
        return None
    path, sub = written
    target, pipe = path.strip(), inner.find(b"|")
    path_at, sub_at = opening + len(path) - len(path.lstrip()), opening + len(path)
    show = opening + pipe + 1 if pipe >= 0 else -1
    return Link(  # positional arguments: names would double the time of this function
        "wiki",
        at,
        closing + 2,
        target.decode().replace("\0", "\ufffd"),  # as in CommonMark; no file name can hold U+0000
        sub.decode().rstrip() if sub else "",
        _shown(source, show, closing) if pipe >= 0 else None,
        embed,
        path_at,
        path_at + len(target),
        show,
        closing if pipe >= 0 else -1,
        _shown(source, at, closing + 2),
        "",  # quote
        sub_at,
        sub_at + len(sub.rstrip()),
    )


def _shown(source: bytes, start: int, end: int) -> str:
    """Return the text of a range of the source, cut if it is very long."""
    if end - start <= _SHOWN:
        return source[start:end].decode()
    return source[start : start + _SHOWN].decode(errors="ignore")


def _inline_link(source: bytes, masked: bytes, span: range, url: str, embed: bool) -> Link | None:
    """Return the Markdown link in a range of the source; `url` is its destination as parsed from `masked`."""
    at, end = span.start, span.stop
    place = destinations.find(masked, span, masked.rfind(b"](", at, end), b"](", url)
    if place and masked is not source:
        url = destinations.unescaped(source[place.start : place.end].decode())
    parts = destinations.parts(url)
    if not parts:
        return None
    opening = at + (2 if embed else 1)
    return Link(
        kind="md",
        start=at,
        end=end,
        target=parts[0],
        subpath=parts[1],
        display=_shown(source, opening, place.label_end) if place else "",
        embed=embed,
        path_at=place.start if place else -1,
        path_end=place.path_end if place else -1,
        show_at=opening if place else -1,
        show_end=place.label_end if place else -1,
        raw=_shown(source, at, end),
        sub_at=place.path_end if place else -1,
        sub_end=place.end if place else -1,
    )


def _definitions(source: bytes, text: str) -> Iterator[Link]:
    """Yield the link reference definitions, `[label]: note.md`: each is one link, however often it is used."""
    for label, definition in pyromark.reference_definitions(text, options=OPTIONS).items():
        parts = destinations.parts(definition["dest"])
        if not parts:
            continue
        start, end = definition["span"]["start"], definition["span"]["end"]
        span = range(start, end)
        place = destinations.find(source, span, source.find(b"]:", start, end), b"]:", definition["dest"])
        if place:
            raw = _shown(source, start, end)
            yield Link(
                "ref", start, end, *parts, label, False, place.start, place.path_end,
                raw=raw, sub_at=place.path_end, sub_end=place.end,
            )  # fmt: skip


def _properties(data: bytes, first: int, last: int) -> Iterator[Link]:
    """Yield the links of the frontmatter: string values that are one link and nothing else."""
    if b"[[" not in data[first:last] and b"](" not in data[first:last]:
        return
    source = as_text(data[first:last])
    done, at = 0, first  # the same position, as a character of the source and as a byte of the file
    for node in frontmatter.strings(frontmatter.compose(source)):
        link = whole_link(node.value)
        if link is None:
            continue
        begin = node.start_mark.index
        done, at = begin, at + len(source[done:begin].encode()) - len(source[begin:done].encode())
        yield _property(link._replace(raw=node.value), node, source, at)


def whole_link(value: str) -> Link | None:
    """Return the link that a value of a property is; None if it is another text."""
    if not value.endswith(("]]", ")")):
        return None
    encoded = value.encode(errors="surrogatepass")  # YAML can spell half a character
    links = list(_body(encoded, 0))
    is_whole = len(links) == 1 and (links[0].start, links[0].end) == (0, len(encoded))
    return links[0] if is_whole else None


def _property(link: Link, node: "yaml.ScalarNode", source: str, at: int) -> Link:
    """Return a link of the frontmatter with its offsets in the file; `at` is where its string begins there."""
    first, end = node.start_mark.index, node.end_mark.index
    quote = node.style if node.style in {"'", '"'} else ""
    inside = source.find(node.value, first, end)
    if inside >= 0:  # the source holds the value literally, so its bytes are those of the link
        return _moved(link, at + len(source[first:inside].encode()))._replace(quote=quote)
    begin = source.find(quote, first, end) if quote else first  # after an anchor or a tag
    start = at + len(source[first:begin].encode())
    end = start + len(source[begin:end].encode())
    return link._replace(
        start=start, end=end, path_at=-1, path_end=-1, show_at=-1, show_end=-1, quote=quote, sub_at=-1, sub_end=-1
    )
