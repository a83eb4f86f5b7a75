"""What the links of a text lead to, and which links of a vault lead to a note, a part of it, a missing note or a tag.

The text may be one that is not saved.
"""

import contextlib
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.graph import MISSING
from zkmem.index.index import Index
from zkmem.index.resolve import missing_key, resolve
from zkmem.markdown.canvas import find_strings
from zkmem.markdown.links import Link, as_utf8, body_links
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline, names_part
from zkmem.markdown.tags import tag_places
from zkmem.names import folder_of, is_note
from zkmem.search.filters import is_below_tag
from zkmem.vault.files import Read

MOST_SOURCES = 2_000  # notes that are read
_MOST_BYTES = 50_000_000  # of these notes


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
    span = _span(outline, subpath, slugs=slugs)
    return (before + span[0], before + span[1]) if span else None


def _span(outline: Outline, subpath: str, *, slugs: bool) -> tuple[int, int] | None:
    span = outline.find(subpath)
    if span is None and slugs and (at := outline.with_anchor(subpath)) is not None:
        span = outline.section(at)
    return span


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


class Subject(NamedTuple):
    """What links lead to: a note, a part of it, a missing note, or a tag."""

    path: str  # of the note; for a missing note, of a note with a link to it
    subpath: str = ""  # leads to the part
    missing: str = ""  # the target as the note at `path` writes it
    tag: str = ""


class Reference(NamedTuple):
    """A link that leads to the subject, or a use of the tag, in the note at a path."""

    path: str
    start: int
    end: int


class References(NamedTuple):
    """Some references, and whether there may be more."""

    references: list[Reference]
    are_cut: bool


def sources(index: Index, subject: Subject, also: Collection[str]) -> list[str]:
    """Return the notes that have links to the subject, in order; `also`: notes that may have new ones."""
    node = MISSING + missing_key(subject.missing, subject.path) if subject.missing else subject.path
    return in_order([*index.links.leading(node), *also], subject)


def in_order(paths: Iterable[str], subject: Subject) -> list[str]:
    """Return paths in the order of an answer: first those in the folder of the subject."""
    own = folder_of(subject.path)
    return sorted(set(paths), key=lambda path: (folder_of(path) != own, path))


def references(
    links_of: Callable[[str, bytes], list[Meant]], read: Read, subject: Subject, paths: list[str], most: int
) -> References:
    """Return at most `most` references of some notes to the subject.

    `links_of`: returns the links in a text of the note at a path; `read`: returns the text of a note.
    """
    leads = None if subject.tag else _LinksToSubject(read, subject)
    uses: list[Reference] = []
    bytes_left = _MOST_BYTES
    for path in paths[:MOST_SOURCES]:
        with contextlib.suppress(OSError):  # it is gone, or cannot be read
            data = read(path)
            bytes_left -= len(data)
            if bytes_left < 0:
                return References(uses, are_cut=True)
            if leads:
                spans = [one.link[1:3] for one in links_of(path, data) if leads.to_subject(path, one)]
            else:
                spans = [one[1:3] for one in tag_places(data) if is_below_tag(one.tag, subject.tag)]
            uses += (Reference(path, *span) for span in spans[: most + 1 - len(uses)])
            if len(uses) > most:
                return References(uses[:most], are_cut=True)
    return References(uses, are_cut=len(paths) > MOST_SOURCES)


class _LinksToSubject:
    """Finds the links that lead to a subject."""

    def __init__(self, read: Read, subject: Subject) -> None:
        self._subject = subject
        self._missing = missing_key(subject.missing, subject.path) if subject.missing else None
        self._outline = Outline(as_utf8(body_of(read(subject.path)))) if subject.subpath else None
        self._part = self._outline.find(subject.subpath) if self._outline else None
        self._results: dict[tuple[str, bool], bool] = {}

    def to_subject(self, path: str, meant: Meant) -> bool:
        """Return whether a link in the note at a path leads to the subject."""
        link = meant.link
        if self._missing is not None:
            return meant.is_missing and missing_key(link.target, path) == self._missing
        if meant.path != self._subject.path:
            return False
        if self._outline is None:
            return bool(link.target) or path != self._subject.path
        return names_part(link.subpath) and self._leads_to_part(link.subpath, slugs=link.kind != "wiki")

    def _leads_to_part(self, subpath: str, *, slugs: bool) -> bool:
        key = (subpath, slugs)
        if key not in self._results:
            span = _span(self._outline, subpath, slugs=slugs) if self._outline else None
            self._results[key] = span is not None and span == self._part
        return self._results[key]
