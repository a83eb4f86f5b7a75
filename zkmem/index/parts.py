"""Find the links to headings and blocks of notes, and those of them that are broken."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.resolve import resolve
from zkmem.markdown.links import as_utf8, find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline, names_part
from zkmem.names import is_note
from zkmem.vault.files import Read

LARGEST = 1_000_000  # bytes; headings of larger notes are not checked
_BEFORE_LINK = re.compile(rb"[\[(<\"']")
_SLICE, _READ = 500, 20  # notes with links, and notes to read, before a pause for other threads


class NamedPart(NamedTuple):
    """A heading or block, as a link names it."""

    subpath: str  # `#Heading` or `#^block`
    markdown: bool  # whether the link is a Markdown link, which may name a heading as code hosts do


Links = tuple[tuple[str, NamedPart], ...]
"""Links to parts: pairs of a target as written and a part."""


def part_links(data: bytes) -> Links:
    """Return a note's links to headings and blocks, each once."""
    if not _may_name_one(data):
        return ()
    links = (link for link in find_links(data) if names_part(link.subpath))
    return tuple(dict.fromkeys((link.target, NamedPart(link.subpath, link.kind != "wiki")) for link in links))


def _may_name_one(data: bytes) -> bool:
    """Return whether a line of a note has a `#` after a mark of a link. This rules out most notes without parsing."""
    looked_at, at = 0, data.find(b"#")
    while at >= 0:
        line = data.rfind(b"\n", looked_at, at) + 1 or looked_at  # each byte is looked at twice at most
        if _BEFORE_LINK.search(data, line, at):
            return True
        looked_at, at = at, data.find(b"#", at + 1)
    return False


def meant(catalog: Catalog, source: str, links: Links) -> Iterator[tuple[str, NamedPart]]:
    """Yield the note and the part that each link in the note `source` means."""
    for target, part in links:
        path = resolve(catalog, target, source).path
        if path is not None and is_note(path):
            yield path, part


def absent(data: bytes, parts: Iterable[NamedPart]) -> set[NamedPart]:
    """Return the parts that a note does not have."""
    outline = Outline(as_utf8(body_of(data)))
    return {part for part in parts if not outline.has(part.subpath, slugs=part.markdown)}


def paused(items: Iterable[str], pause: Callable[[], None], every: int) -> Iterator[str]:
    """Yield the items; call `pause` after each `every` of them."""
    for number, item in enumerate(items, 1):
        if number % every == 0:
            pause()
        yield item


class PartLinks:
    """A table of the links to headings and blocks in every note, and which of them are broken."""

    def __init__(self) -> None:
        self._links: dict[str, Links] = {}
        self._looked_at: dict[str, tuple[str | None, dict[NamedPart, bool]]] = {}  # by path: etag, is missing

    def put(self, path: str, data: bytes) -> None:
        """Add or update a note."""
        if links := part_links(data):
            self._links[path] = links

    def drop(self, path: str) -> None:
        """Remove a note."""
        self._links.pop(path, None)
        self._looked_at.pop(path, None)

    def missing(
        self, catalog: Catalog, read: Read, has: Callable[[str], bool], pause: Callable[[], None]
    ) -> Iterator[tuple[str, str, NamedPart]]:
        """Yield each link to a missing part: the note that has the link, the note it means, the part.

        `has`: returns whether the caller may know of a file. Notes that are large, or cannot be read, are not checked.
        `pause`: called regularly; notes may be added and removed meanwhile.
        """
        wanted: dict[str, list[tuple[str, NamedPart]]] = {}
        for source in paused(filter(has, list(self._links)), pause, _SLICE):
            for path, part in meant(catalog, source, self._links.get(source, ())):
                wanted.setdefault(path, []).append((source, part))
        for path in paused(filter(has, wanted), pause, _READ):
            gone = self._absent(catalog, read, path, {part for _, part in wanted[path]})
            yield from ((source, path, part) for source, part in wanted[path] if part in gone)

    def _absent(self, catalog: Catalog, read: Read, path: str, parts: set[NamedPart]) -> set[NamedPart]:
        row = catalog.rows.get(path)
        if row is None:
            return set()
        tag, known = self._looked_at.get(path, (None, {}))
        if tag is None or tag != row.etag:
            known = {}
        if new := parts - known.keys():
            if row.stamp.size > LARGEST:
                return set()
            try:
                gone = absent(read(path), new)
            except OSError:  # `check` reports it
                return set()
            known.update((part, part in gone) for part in new)
            self._looked_at[path] = row.etag, known
        return {part for part in parts if known[part]}
