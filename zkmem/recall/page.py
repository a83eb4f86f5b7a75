"""A note for a person to read: its text, its HTML with linked notes expanded, its links and its backlinks.

A note can have very many links and backlinks. Its HTML therefore comes in parts, and its lists are limited: the index
is locked while a page is made, so that must not take long.
"""

import heapq
import itertools
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.graph import MISSING, count_of, counts, is_missing, links_of, written_targets
from zkmem.index.index import Index
from zkmem.index.lookup import name_for
from zkmem.index.resolve import resolve
from zkmem.index.shown_parts import ShownParts
from zkmem.markdown.callouts import find_callouts, lines_here
from zkmem.markdown.cuts import part_end, part_start
from zkmem.markdown.html import Anchor, Kind, Renderer
from zkmem.markdown.links import Link, body_links
from zkmem.markdown.note import NoteFacts, Text, body_of, parse, read_text
from zkmem.markdown.one_line import shown_heading
from zkmem.markdown.properties import parts, typed_properties
from zkmem.markdown.sections import Heading, Outline
from zkmem.names import IMAGES, base_of, below, is_note
from zkmem.recall.expand import grown
from zkmem.recall.property_values import EditableValue, Property, editable_value, property_values, shown_value
from zkmem.recall.reading import Keep, read_bytes, read_part
from zkmem.recall.tree import ExpandedNode, Node
from zkmem.vault.files import Read, etag, is_large
from zkmem.vault.store import Store

_DEEPEST_EMBED = 3  # embeds in embeds
_MOST_EMBEDS = 50  # embeds on a page
_MOST_EMBEDDED_BYTES = 200_000  # bytes of embedded text on a page
_MOST_READ = 2_000_000  # bytes of files: each is parsed once, and the index is locked meanwhile
MOST_LISTED = 1_000  # links, and backlinks
MOST_CONFLICTS = 100
_LONGEST_HEADING = 200  # characters

PlacedLink = tuple[Link, Anchor]


class Embedded(NamedTuple):
    """The text that an embed shows, and the chain of embeds that it is in, itself included."""

    body: bytes
    first_line: int  # the number of its first line in its note
    etag: str  # of that note
    is_cut: bool
    chain: tuple[tuple[str, str], ...]  # path and subpath of each, the page first


class Embeds:
    """The embeds of one page.

    An embed that is too deep, inside itself, or beyond the limits of the page stays a link. An embed with more bytes
    than the page may still show is cut.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._notes: dict[str, tuple[ShownParts, str]] = {}  # path -> its parts and its etag
        self._count = self._shown = self._bytes = 0

    def find(self, link: Link, path: str, chain: tuple[tuple[str, str], ...]) -> Embedded | None:
        """Return what an embed of the note at `path` shows; None if it stays a link."""
        here = (path, link.subpath.lower())
        if (
            here in chain
            or len(chain) > _DEEPEST_EMBED
            or self._count >= _MOST_EMBEDS
            or self._shown >= _MOST_EMBEDDED_BYTES
        ):
            return None
        try:
            parts, tag = self._note(path)
        except OSError:  # it is gone, too large, or not for this caller
            return None
        part = parts.find(link.subpath)
        if part is None:
            return None
        self._count += 1
        body = part.text.encode()
        end = part_start(body, _MOST_EMBEDDED_BYTES - self._shown)
        self._shown += min(end, len(body))
        return Embedded(body[:end], part.line, tag, end < len(body), (*chain, here))

    def _note(self, path: str) -> tuple[ShownParts, str]:
        if path not in self._notes:
            if self._bytes > _MOST_READ:
                raise OSError("too much is embedded")
            data = self._read(path)
            self._bytes += len(data)
            self._notes[path] = ShownParts(data), etag(data)
        return self._notes[path]


class Target(NamedTuple):
    """The target of a note's link: the note's name, or None and the target as written if there is no note."""

    target: str
    name: str | None


class PageHeading(NamedTuple):
    """A heading of a note: its level, its source without the marks, and a subpath that leads to it."""

    level: int
    text: str
    subpath: str


class Sides(NamedTuple):
    """Both sides of a conflict: its title, the lines that stand in the note, and those in the callout.

    `here` is None if it is not certain which lines of the note the callout is about.
    """

    title: str
    here: str | None
    other: str


class PageText(NamedTuple):
    """A text of the page, with the meaning of its links, and the parts that replace some links, by their number."""

    body: bytes
    links: list[PlacedLink]
    inside: dict[int, "PageText"]
    is_cut: bool = False  # whether the text is only the beginning of its note
    first_line: int | None = None  # the number of its first line in its note; None if its boxes cannot be ticked
    etag: str = ""  # of the note, for an embed

    def limited(self, reaches: Callable[[str], bool]) -> "PageText":
        """Return the part with links to notes out of a reader's reach as if these were missing."""
        links = [
            (link, anchor if anchor.kind in {"missing", "nothing"} or reaches(anchor.name) else _missing(link))
            for link, anchor in self.links
        ]
        return self._replace(links=links, inside={number: one.limited(reaches) for number, one in self.inside.items()})


class NotePage(NamedTuple):
    """A note's text, a part of it for HTML, its properties, links and backlinks."""

    name: str
    etag: str
    text: str
    properties: list[tuple[str, str]]
    values: list[Property]  # the properties, with their lists and links
    characters: int  # of the body; bytes, for a note that is too large to be read whole
    weight: float
    links: list[Target]  # distinct, in order of mention; the first `MOST_LISTED`
    link_count: int
    backlinks: list[str]  # in order of their paths; the first `MOST_LISTED`
    backlink_count: int
    left: list[str]  # notes that stayed links because of the limit
    part: PageText
    next_offset: int | None  # the byte where the next part begins: of the text without frontmatter, or of a large file
    declared: Mapping[str, str] = {}  # the types of properties in Obsidian's settings, by names in lower case

    def html(self) -> str:
        """Return the part as HTML that is safe to show. This takes no lock."""
        renderer = Renderer()
        return renderer.finished(_rendered(renderer, self.part))

    def editable_values(self) -> list[EditableValue]:
        """Return how a person edits each property, in their order. This takes no lock."""
        known = typed_properties(self.text.encode(errors="surrogateescape")) if self.values else {}
        return [editable_value(key, known.get(key), self.declared.get(key.lower(), "")) for key, *_ in self.values]

    def conflicts(self) -> list[Sides]:
        """Return the sides of the first conflicts that have a callout in the note. This takes no lock."""
        if is_large(self.etag):  # it cannot be edited
            return []
        lines = parts(Text(self.text)).body.split("\n")
        conflicts = [(one, lines_here(lines, one)) for one in find_callouts(lines)[:MOST_CONFLICTS]]
        return [
            Sides(one.title, "\n".join(lines[at.start : at.stop]) if at else None, "\n".join(one.other))
            for one, at in conflicts
        ]

    def headings(self) -> list[PageHeading]:
        """Return the first headings of the whole note if the HTML has only a part of it; else none.

        This takes no lock.
        """
        if self.next_offset is None:
            return []
        above: list[Heading] = []
        page_headings = []
        for heading in Outline(parts(Text(self.text)).body.encode()).headings[:MOST_LISTED]:
            above = [*(one for one in above if one.level < heading.level), heading]
            subpath = "".join(f"#{one.text}" for one in above)
            page_headings.append(PageHeading(heading.level, shown_heading(heading.raw[:_LONGEST_HEADING]), subpath))
        return page_headings

    def limited(self, reaches: Callable[[str], bool]) -> "NotePage":
        """Return the page for a reader who may know only of the notes that `reaches` returns true for."""
        links = [
            one if one.name is None or reaches(one.name) else Target(base_of(one.name), None) for one in self.links
        ]
        values = [one.limited(reaches) for one in self.values]
        left = list(filter(reaches, self.left))
        return self._replace(links=links, values=values, left=left, part=self.part.limited(reaches))


def page_of(
    index: Index,
    read: Read,
    path: str,
    *,
    depth: int,
    offset: int,
    max_chars: int | None,
    weights: Mapping[str, float],
    keep: Keep,
    seen: str,
) -> NotePage:
    """Return the note at `path` with one part of its text, expanded `depth` levels deep.

    The part begins at the byte `offset` of the text without frontmatter, or at the nearest byte where a part can begin.
    The expansion adds at most `max_chars` characters. Only backlinks from notes below the folder `seen` are listed.
    """
    data, tag = read_bytes(read, path, keep)
    catalog, text = index.catalog, read_text(data)
    row = catalog.rows.get(path)
    if row and row.facts and row.etag == tag:
        facts, nodes, link_count = row.facts, index.links.following(path), index.links.count(path)
    else:
        facts = parse(data)
        nodes = links_of(catalog, path, facts)
        link_count = count_of(nodes, path)
    backlinks, backlink_count = _backlinks(index, path, seen)
    body, properties = body_of(text.shown.encode()), parts(text).properties or {}
    start = part_start(body, offset)
    end = part_end(body, start)
    tree, stayed_links = grown(catalog, read, path, body[start:end], depth=depth, max_chars=max_chars)
    return NotePage(
        name=name_for(catalog, path),
        etag=tag,
        text=text.shown,
        properties=[(key, shown_value(value)) for key, value in properties.items()],
        values=property_values(catalog, path, properties),
        characters=facts.characters,
        weight=weights.get(path, 1.0),
        links=_targets(catalog, path, facts, nodes),
        link_count=link_count,
        backlinks=backlinks,
        backlink_count=backlink_count,
        left=stayed_links,
        part=_part(catalog, tree, None if depth else Embeds(read), ((path, ""),))._replace(
            first_line=text.shown.count("\n") - body.count(b"\n", start)
        ),
        next_offset=end if end < len(body) else None,
    )


def part_of(
    index: Index,
    store: Store,
    path: str,
    *,
    offset: int,
    max_chars: int | None,
    weights: Mapping[str, float],
    seen: str,
) -> NotePage:
    """Return a part of a note that is too large to be read whole, from the byte `offset` on, without its links."""
    part, catalog = read_part(store, path, offset, max_chars), index.catalog
    backlinks, backlink_count = _backlinks(index, path, seen)
    return NotePage(
        name=name_for(catalog, path),
        etag=part.stamp.tag,
        text=part.text,
        properties=[],
        values=[],
        characters=part.stamp.size,
        weight=weights.get(path, 1.0),
        links=[],
        link_count=0,
        backlinks=backlinks,
        backlink_count=backlink_count,
        left=[],
        part=PageText(part.text.encode(), [], {}),
        next_offset=part.next_offset,
    )


def _backlinks(index: Index, path: str, seen: str) -> tuple[list[str], int]:
    """Return the first backlinks from notes below the folder `seen`, and their number."""
    sources = [one for one in index.links.leading(path) if one != path and below(one, seen)]
    return [name_for(index.catalog, source) for source in heapq.nsmallest(MOST_LISTED, sources)], len(sources)


def _targets(catalog: Catalog, path: str, facts: NoteFacts, nodes: Collection[str]) -> list[Target]:
    """Return the first targets of a note's links."""
    first = list(itertools.islice((node for node in nodes if node != path and counts(node)), MOST_LISTED))
    written = written_targets(catalog, path, facts, first)
    return [
        Target(written.get(node, node.removeprefix(MISSING)), None)
        if is_missing(node)
        else Target(name_for(catalog, node), name_for(catalog, node))
        for node in first
    ]


Chain = tuple[tuple[str, str], ...]


def _part(catalog: Catalog, node: Node, embeds: Embeds | None = None, chain: Chain = ()) -> PageText:
    """Return the text of a node with the meaning of its links, and with the parts that replace links or follow them.

    `embeds` finds the text of embeds in it; `chain` is that of the node.
    """
    blocks = {block.start: block for block in node.blocks() if not block.is_below}
    links: list[PlacedLink] = []
    inside: dict[int, PageText] = {}
    for link in body_links(node.source):
        block = blocks.get(link.start)
        if block:
            inside[len(links)] = _part(catalog, block.node)
        anchor = _expansion(catalog, block, "expansion") if block else _anchor(catalog, link, node.path)
        if embeds and link.embed and anchor.kind == "note":
            part = _embedded(catalog, link, node.path, embeds, chain)
            if part:
                inside[len(links)] = part
                anchor = anchor._replace(kind="embed")
        links.append((link, anchor))
    for block in filter(lambda block: block.is_below, node.blocks()):
        inside[len(links)] = _part(catalog, block.node)
        links.append((block.link._replace(start=block.start, end=block.end), _expansion(catalog, block, "below")))
    return PageText(node.source, links, inside, bool(node.cut))


def _embedded(catalog: Catalog, link: Link, source: str, embeds: Embeds, chain: Chain) -> PageText | None:
    path = resolve(catalog, link.target, source).path
    shown = embeds.find(link, path, chain) if path else None
    if path is None or shown is None:
        return None
    node = Node(path, shown.body, [], body=shown.body)
    part = _part(catalog, node, embeds, shown.chain)
    return part._replace(is_cut=shown.is_cut, first_line=shown.first_line, etag=shown.etag)


def _expansion(catalog: Catalog, block: ExpandedNode, kind: Kind) -> Anchor:
    return Anchor(kind, name_for(catalog, block.node.path))


def _missing(link: Link) -> Anchor:
    return Anchor("missing" if link.counts_when_missing else "nothing", link.target)


def _anchor(catalog: Catalog, link: Link, source: str) -> Anchor:
    path = resolve(catalog, link.target, source).path
    if path is None:
        return _missing(link)
    if is_note(path):
        return Anchor("note", name_for(catalog, path))
    return Anchor("image" if path.lower().endswith(IMAGES) else "file", path)


def placed_links(catalog: Catalog, body: bytes, path: str, reaches: Callable[[str], bool]) -> list[PlacedLink]:
    """Return the links of a text of the note at `path` for a reader who may know only of some notes."""
    links = [(link, _anchor(catalog, link, path)) for link in body_links(body)]
    return PageText(body, links, {}).limited(reaches).links


def _rendered(renderer: Renderer, part: PageText) -> str:
    links = [
        (link, _filled(renderer, anchor, part.inside[number])) if number in part.inside else (link, anchor)
        for number, (link, anchor) in enumerate(part.links)
    ]
    return renderer.part(part.body, links, part.first_line)


def _filled(renderer: Renderer, anchor: Anchor, part: PageText) -> Anchor:
    """Return the anchor of an expanded link, with the part rendered inside it."""
    return anchor._replace(
        etag=part.etag, inside=_rendered(renderer, part) + (renderer.rest(anchor.name) if part.is_cut else "")
    )
