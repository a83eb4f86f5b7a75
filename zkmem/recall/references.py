"""Find the links of a vault that lead to a note, to a part of it, or to a missing note, and the uses of a tag."""

import contextlib
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from zkmem.index.graph import MISSING
from zkmem.index.index import Index
from zkmem.index.resolve import missing_key
from zkmem.markdown.links import as_utf8
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline, names_part
from zkmem.markdown.tags import tag_places
from zkmem.names import folder_of
from zkmem.recall.meant import Meant
from zkmem.search.filters import is_below_tag
from zkmem.vault.files import Read

MOST_SOURCES = 2_000  # notes that are read
_MOST_BYTES = 50_000_000  # of these notes


class Subject(NamedTuple):
    """What links lead to: a note, the part of it that `subpath` leads to, or the missing note `missing`; or a tag."""

    path: str  # of a missing note: that of a note with a link to it
    subpath: str = ""
    missing: str = ""  # the target as the note at `path` writes it
    tag: str = ""


class Reference(NamedTuple):
    """A link that leads to the subject, or a use of the tag, in the note at a path."""

    path: str
    start: int
    end: int


class References(NamedTuple):
    """Some references, and whether there may be more."""

    found: list[Reference]
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
    leads = None if subject.tag else _Leads(read, subject)
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


class _Leads:
    """Finds the links that lead to a subject."""

    def __init__(self, read: Read, subject: Subject) -> None:
        self._subject = subject
        self._missing = missing_key(subject.missing, subject.path) if subject.missing else None
        self._outline = Outline(as_utf8(body_of(read(subject.path)))) if subject.subpath else None
        self._part = self._outline.find(subject.subpath) if self._outline else None
        self._known: dict[tuple[str, bool], bool] = {}

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
        if key not in self._known:
            outline = self._outline
            span = outline.find(subpath) if outline else None
            if outline and span is None and slugs and (at := outline.with_anchor(subpath)) is not None:
                span = outline.section(at)
            self._known[key] = span is not None and span == self._part
        return self._known[key]
