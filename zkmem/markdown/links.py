"""The one scanner of links: what counts as a link, and where each of its bytes stands. Rules: LINKS.md 1 and 2.

pulldown-cmark finds links among code, HTML, comments and math; this module corrects it where Obsidian differs.
All offsets are bytes of the file. A byte that is not UTF-8 counts as one unknown character, so offsets hold.
"""

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


class Link(NamedTuple):
    """One link of a note: what it says, and where it says it.

    `start`, `end`: the bytes of the whole link; `path_at`, `path_end`: those of the written path, without blanks
    around it; `show_at`, `show_end`: those of the display text. -1 where the source has no such place: in YAML that
    spells the link with escapes, `start` and `end` are those of the whole string, quotes included.
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
    raw: str = ""  # as written; within quoted YAML, the value
    quote: str = ""  # the quote mark of the YAML string that the link stands in

    @property
    def counts_when_missing(self) -> bool:
        """Whether the link is one to a note even where nothing is found: DESIGN.md section 5."""
        return self.kind == "wiki" or plain.counts(self.target)


def find_links(data: bytes) -> list[Link]:
    """Every link of a note in the order of the file, frontmatter first."""
    if b"[[" not in data and b"](" not in data and b"]:" not in data:
        return []
    first, last, body = frontmatter.split(data)
    return [*_properties(data, first, last), *_body(data, body)]


def targets(data: bytes) -> tuple[dict[str, None], dict[str, None]]:
    """The targets of a note's links: those that count as links even where no note is found, and all others.

    Each stands once, in order of mention, in one of the two.
    """
    if b"]" not in data:
        return {}, {}
    first, last, body = frontmatter.split(data)
    found = plain.targets(data[body:])
    in_body = [(link.target, link.counts_when_missing) for link in _body(data, body)] if found is None else found
    in_properties = [(link.target, link.counts_when_missing) for link in _properties(data, first, last)]
    counted: dict[str, None] = {}
    others: dict[str, None] = {}
    for target, counts in in_properties + in_body:
        (counted if counts else others)[target] = None
    return counted, {target: None for target in others if target not in counted} if others else others


def body_links(body: bytes) -> list[Link]:
    """Every link of a text that has no frontmatter, whatever its first line looks like."""
    return list(_body(body, 0))


def as_text(data: bytes) -> str:
    """The text of a file with exactly one ASCII character for each byte that is not UTF-8, so that offsets hold."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return re.sub("[\udc80-\udcff]", "?", data.decode(errors="surrogateescape"))


def events(text: str, options: pyromark.Options = OPTIONS) -> Iterable[tuple[Any, Any]]:
    """The parser's events for a body, each with its range in bytes."""
    return pyromark.events_with_range(text, options=options, merge_text=True)


def _body(data: bytes, offset: int) -> Iterator[Link]:
    body = data[offset:] if offset else data
    text = as_text(body)
    source = body if text.isascii() and body.isascii() else text.encode()
    masked = _without_dollars_in_links(text, source) if "$" in text else text
    found = list(_parsed(source, masked.encode() if masked is not text else source, events(masked)))
    if b"]:" in source:
        found.extend(_definitions(source, text))
        found.sort(key=lambda link: link.start)
    for link in found:
        if not _is_marker(source, link):
            yield _moved(link, offset)


def _parsed(source: bytes, masked: bytes, parsed: Iterable[tuple[Any, Any]]) -> Iterator[Link]:
    """The links among the parser's events of `masked`, read from `source`, which differs in `$` alone."""
    for event, span in parsed:
        start = event.get("Start") if type(event) is dict else None
        if type(start) is not dict:
            continue
        tag = start.get("Link") or start.get("Image")
        if not tag:
            continue
        kind, at, end = tag["link_type"], span["start"], span["end"]
        if type(kind) is dict:  # {"WikiLink": {...}}
            link = wiki_link(source[at:end], at)
        elif kind == "Inline":
            link = _inline_link(source[at:end], masked[at:end], at, tag["dest_url"], "Image" in start)
        else:  # a use of a reference definition: the definition is the link
            link = None
        if link:
            yield link


def _without_dollars_in_links(text: str, source: bytes) -> str:
    """The text with every `$` inside a link replaced by a letter: a `$` there neither opens nor closes math."""
    spans = [(link.start, link.end) for link in _parsed(source, source, events(text, _NO_MATH))]
    if not any(b"$" in source[start:end] for start, end in spans):
        return text
    masked = bytearray(source)
    for start, end in spans:
        masked[start:end] = masked[start:end].replace(b"$", b"S")
    return masked.decode()


def _is_marker(source: bytes, link: Link) -> bool:
    """Whether the link stands in a line `![[x]]start` or `![[x]]end`, which frames expanded text and links nothing."""
    if not source.startswith((b"start", b"end"), link.end):
        return False
    line_end = source.find(b"\n", link.end)
    rest = source[link.end : len(source) if line_end < 0 else line_end].rstrip(b"\r")
    lead = source[source.rfind(b"\n", 0, link.start) + 1 : link.start]
    return rest in {b"start", b"end"} and (lead == b"!" or (link.embed and lead == b""))


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
    )


def wiki_link(raw: bytes, at: int) -> Link | None:
    r"""The wikilink whose source is `raw`, at offset `at`; None where Obsidian sees none.

    It ends at the first `]]`.
    """
    embed = raw.startswith(b"!")
    opening = 3 if embed else 2
    closing = raw.find(b"]]", opening)
    inner = raw[opening:closing]
    written = None if closing < 0 or b"\n" in inner or b"\r" in inner else plain.wiki_target(inner)
    if not written:
        return None
    path, sub = written
    target = path.strip()
    begin = opening + len(path) - len(path.lstrip())
    show = opening + inner.find(b"|") + 1
    pipe, display = b"|" in inner, inner.partition(b"|")[2]
    return Link(
        kind="wiki",
        start=at,
        end=at + closing + 2,
        target=target.decode().replace("\0", "\ufffd"),  # as CommonMark has it; no file name holds it
        subpath=sub.decode().rstrip(),
        display=display.decode() if pipe else None,
        embed=embed,
        path_at=at + begin,
        path_end=at + begin + len(target),
        show_at=at + show if pipe else -1,
        show_end=at + closing if pipe else -1,
        raw=raw[: closing + 2].decode(),
    )


def _inline_link(raw: bytes, masked: bytes, at: int, url: str, embed: bool) -> Link | None:
    """The Markdown link whose source is `raw` and whose destination the parser read, in `masked`, as `url`."""
    place = destinations.find(masked, masked.rfind(b"]("), b"](", url)
    if place and masked != raw:
        url = destinations.unescaped(raw[place.start : place.end].decode())
    parts = destinations.parts(url)
    if not parts:
        return None
    opening = 2 if embed else 1
    return Link(
        kind="md",
        start=at,
        end=at + len(raw),
        target=parts[0],
        subpath=parts[1],
        display=raw[opening : place.label_end].decode() if place else "",
        embed=embed,
        path_at=at + place.start if place else -1,
        path_end=at + place.path_end if place else -1,
        show_at=at + opening if place else -1,
        show_end=at + place.label_end if place else -1,
        raw=raw.decode(),
    )


def _definitions(source: bytes, text: str) -> Iterator[Link]:
    """The link reference definitions, `[label]: note.md`: each is one link, however often it is used."""
    for label, definition in pyromark.reference_definitions(text, options=OPTIONS).items():
        parts = destinations.parts(definition["dest"])
        if not parts:
            continue
        start, end = definition["span"]["start"], definition["span"]["end"]
        raw = source[start:end]
        place = destinations.find(raw, raw.find(b"]:"), b"]:", definition["dest"])
        if place:
            path_at, path_end = start + place.start, start + place.path_end
            yield Link("ref", start, end, *parts, label, False, path_at, path_end, raw=raw.decode())


def _properties(data: bytes, first: int, last: int) -> Iterator[Link]:
    """The links of the frontmatter: string values that are one link and nothing else."""
    if b"[[" not in data[first:last] and b"](" not in data[first:last]:
        return
    source = as_text(data[first:last])
    for node in frontmatter.strings(frontmatter.compose(source)):
        value = node.value
        if not value.endswith(("]]", ")")):
            continue
        links = list(_body(value.encode(), 0))
        if len(links) != 1 or links[0].raw != value:
            continue
        yield _property(links[0], node, source, first)


def _property(link: Link, node: "yaml.ScalarNode", source: str, first: int) -> Link:
    """The link that a string of the frontmatter is, placed in the file; `first` is where `source` begins in it."""
    begin, end = node.start_mark.index, node.end_mark.index
    quote = node.style if node.style in {"'", '"'} else ""
    inside = source.find(node.value, begin, end)
    if inside >= 0:  # the source spells the value out: its bytes are the link's
        return _moved(link, first + len(source[:inside].encode()))._replace(quote=quote)
    begin = source.find(quote, begin, end) if quote else begin  # after an anchor or a tag
    start = first + len(source[:begin].encode())
    end = start + len(source[begin:end].encode())
    return link._replace(start=start, end=end, path_at=-1, path_end=-1, show_at=-1, show_end=-1, quote=quote)
