"""A note as a person reads it: its text, its HTML with the notes it links to in it, and what is around it."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.graph import MISSING, counts, is_missing, links_of, missing_targets
from zkmem.index.lookup import name_for
from zkmem.index.resolve import missing_key, resolve
from zkmem.index.sync import Index
from zkmem.markdown.html import REST, Anchor, Renderer, beginning
from zkmem.markdown.links import Link, body_links
from zkmem.markdown.note import Facts, body_of, parse, read_text
from zkmem.markdown.properties import parts
from zkmem.recall.expand import Node, Read, grown
from zkmem.recall.reading import Keep, read_bytes
from zkmem.vault.names import is_note

_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp", ".svg")
_MOST_SHOWN = 500  # characters of a property

Around = tuple[Link, Anchor]


class Target(NamedTuple):
    """What a note links to: its name, or the target as written where there is no note."""

    target: str
    name: str | None


class Part(NamedTuple):
    """A text of the page: its links and what they mean, and the texts that stand in place of some, by number."""

    body: bytes
    links: list[Around]
    inside: dict[int, "Part"]


class NotePage(NamedTuple):
    """A note's text and what is around it."""

    name: str
    etag: str
    text: str
    properties: list[tuple[str, str]]
    characters: int  # of the body
    weight: float
    links: list[Target]  # distinct, in order of mention
    backlinks: list[str]
    left: list[str]  # notes that the bound left as links
    part: Part
    is_cut: bool  # the part is the beginning of a very long text

    def html(self) -> str:
        """The note as HTML that is safe to show; it takes no lock."""
        renderer = Renderer()
        return renderer.finished(_rendered(renderer, self.part) + (REST if self.is_cut else ""))


def page_of(
    index: Index,
    read: Read,
    path: str,
    *,
    depth: int,
    max_chars: int | None,
    weights: Mapping[str, float],
    keep: Keep,
) -> NotePage:
    """The note at `path`, expanded `depth` levels deep by at most `max_chars` more characters.

    Raises:
        UnknownNote: when its file is gone. Unreadable: when it cannot be read.
    """
    data, tag = read_bytes(read, path, keep)
    catalog, text = index.catalog, read_text(data)
    row = catalog.rows.get(path)
    facts = row.facts if row and row.facts and row.etag == tag else parse(data)
    body = body_of(text.shown.encode())
    tree, left = grown(catalog, read, path, beginning(body), depth=depth, max_chars=max_chars)
    return NotePage(
        name=name_for(catalog, path),
        etag=tag,
        text=text.shown,
        properties=[(key, _shown(value)) for key, value in (parts(text).properties or {}).items()],
        characters=facts.characters,
        weight=weights.get(path, 1.0),
        links=_targets(catalog, path, facts),
        backlinks=[name_for(catalog, source) for source in index.links.backlinks(path) if source != path],
        left=left,
        part=_part(catalog, tree),
        is_cut=len(tree.source) < len(body),
    )


def _targets(catalog: Catalog, path: str, facts: Facts) -> list[Target]:
    nodes = [node for node in links_of(catalog, path, facts) if node != path and counts(node)]
    written: dict[str, str] = {}
    if any(map(is_missing, nodes)):
        written = {MISSING + missing_key(target, path): target for target in missing_targets(catalog, path, facts)}
    return [
        Target(written.get(node, node.removeprefix(MISSING)), None)
        if is_missing(node)
        else Target(name_for(catalog, node), name_for(catalog, node))
        for node in nodes
    ]


def _part(catalog: Catalog, node: Node) -> Part:
    """A node of an expansion with what all of its links mean."""
    links: list[Around] = []
    inside: dict[int, Part] = {}
    for number, link in enumerate(body_links(node.source)):
        child = node.child_at(link.start)
        if child:
            inside[number] = _part(catalog, child)
            links.append((link, Anchor("expansion", name_for(catalog, child.path))))
        else:
            links.append((link, _anchor(catalog, link, node.path)))
    return Part(node.source, links, inside)


def _anchor(catalog: Catalog, link: Link, source: str) -> Anchor:
    path = resolve(catalog, link.target, source).path
    if path is None:
        return Anchor("missing" if link.counts_when_missing else "nothing", link.target)
    if is_note(path):
        return Anchor("note", name_for(catalog, path))
    return Anchor("image" if path.lower().endswith(_IMAGES) else "file", path)


def _rendered(renderer: Renderer, part: Part) -> str:
    links = [
        (link, anchor._replace(inside=_rendered(renderer, part.inside[number])) if number in part.inside else anchor)
        for number, (link, anchor) in enumerate(part.links)
    ]
    return renderer.part(part.body, links)


def _shown(value: Any) -> str:
    """The value of a property in one line."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        text = ", ".join(value)
    else:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "..."
