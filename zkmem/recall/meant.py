"""What the links of a text lead to. The text may be one that is not saved."""

from collections.abc import Iterable
from typing import NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.resolve import resolve
from zkmem.markdown.canvas import find_strings
from zkmem.markdown.links import Link, as_utf8, body_links
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline
from zkmem.names import is_note


class Meant(NamedTuple):
    """A link, and the file that it means: `path` is None for a missing one, `rivals` are others that it could mean."""

    link: Link
    path: str | None
    rivals: tuple[str, ...] = ()

    @property
    def is_missing(self) -> bool:
        """Whether the link stands for a note that is not there."""
        return self.path is None and self.link.counts_when_missing

    @property
    def leads_to_note(self) -> bool:
        """Whether the link leads to a note that is there."""
        return self.path is not None and is_note(self.path)


def canvas_links(data: bytes) -> list[Link]:
    """Return the links of a canvas: its files, and the links in those texts that JSON spells as they are."""
    links = []
    for string in find_strings(data):
        start, end = string.start + 1, string.end - 1
        if string.kind == "file":
            links.append(Link("wiki", start, end, f"/{string.value}", string.beside, None, True))
        elif string.kind == "text" and data[start:end] == string.value.encode(errors="replace"):
            inside = body_links(data[start:end])
            links += [Link(one.kind, one.start + start, one.end + start, *one[3:7]) for one in inside]
    return links


def meanings(catalog: Catalog, path: str, links: Iterable[Link]) -> list[Meant]:
    """Return what some links in the file at `path` lead to."""
    return [Meant(link, *resolve(catalog, link.target, path)) for link in links]


def part_of(data: bytes, subpath: str, *, slugs: bool) -> tuple[int, int] | None:
    """Return the range of a heading with its section, or of a block, in the bytes of a note; None if it has none.

    `slugs`: accept the anchors of code hosts, too.
    """
    body = as_utf8(body_of(data))
    before, outline = len(data) - len(body), Outline(body)
    span = outline.find(subpath)
    if span is None and slugs and (at := outline.with_anchor(subpath)) is not None:
        span = outline.section(at)
    return (before + span[0], before + span[1]) if span else None


def known_subpath(data: bytes, subpath: str, *, slugs: bool) -> str | None:
    """Return a subpath that leads to the same part in a note without the anchors of code hosts; None for no part."""
    outline = Outline(as_utf8(body_of(data)))
    if outline.find(subpath) is not None:
        return subpath
    at = outline.with_anchor(subpath) if slugs else None
    return None if at is None else outline.subpath_to(at, f"#{outline.headings[at].linked}")


def subpath_of(data: bytes, number: int) -> str:
    """Return the subpath of the heading with an index in a note; "", which means the whole note, if there is none."""
    outline = Outline(as_utf8(body_of(data)))
    if number >= len(outline.headings):
        return ""
    return outline.subpath_to(number, f"#{outline.headings[number].linked}") or ""
