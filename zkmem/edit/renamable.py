"""Find what a person can rename at a place in a note."""

from typing import Literal, NamedTuple

from zkmem.edit.parts import TITLE, heading_title, is_title
from zkmem.index.catalog import Catalog
from zkmem.index.resolve import plain_name, resolve
from zkmem.markdown import frontmatter
from zkmem.markdown.links import Link, as_utf8, find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline, names_part
from zkmem.names import base_of, is_note
from zkmem.vault.files import Read


class Renamable(NamedTuple):
    """Something that can be renamed, and where its name is written.

    The kinds: note; title (a note whose titles are renamed with it); heading; block; missing (a note that does not
    exist); file (any other file).
    """

    kind: Literal["note", "title", "heading", "block", "missing", "file"]
    path: str  # of the note or file; of the note with the heading or block; of the note with a link to a missing one
    shown: str  # the present name
    start: int  # the range of bytes that shows the name
    end: int
    number: int = 0  # of the heading, from 0


def renamable_at(catalog: Catalog, path: str, data: bytes, offset: int, read: Read) -> Renamable | None:
    """Return what can be renamed at a byte of the note at `path`, which has the text `data`; None if there is nothing.

    `read` returns the bytes of another note; it raises `OSError` if there is none.
    """
    link = next((one for one in find_links(data) if one.start <= offset <= one.end), None)
    if link is not None:
        return _Linked(catalog, path, data, link, read).at(offset)
    name = plain_name(catalog, path)
    return _title_property(path, name, data, offset) or _part_at(path, name, data, offset)


class _Linked(NamedTuple):
    """A link of the note at `path`, which has the text `data`."""

    catalog: Catalog
    path: str
    data: bytes
    link: Link
    read: Read

    def at(self, offset: int) -> Renamable | None:
        """Return what the link means at a byte: the heading or block if the byte is in the subpath, else the note."""
        link = self.link
        target = resolve(self.catalog, link.target, self.path).path
        if target is None:
            span = self._span(link.path_at, link.path_end)
            return Renamable("missing", self.path, link.target, *span) if link.counts_when_missing else None
        if not is_note(target):
            return Renamable("file", target, base_of(target), *self._span(link.path_at, link.path_end))
        is_part = names_part(link.subpath) and (not link.target or link.sub_at <= offset <= link.sub_end)
        if is_part:
            return self._part(target)
        span = self._span(link.path_at, link.path_end)
        return Renamable("note", target, plain_name(self.catalog, target), *span) if link.target else None

    def _span(self, start: int, end: int) -> tuple[int, int]:
        """Return a range in the link; that of the whole link if the source does not hold the part literally."""
        return (start, end) if start >= 0 else (self.link.start, self.link.end)

    def _part(self, target: str) -> Renamable | None:
        outline = Outline(as_utf8(body_of(self.data if target == self.path else self.read(target))))
        link, (start, end) = self.link, self._span(self.link.sub_at + 1, self.link.sub_end)
        if link.subpath.startswith("#^"):
            block = outline.block(link.subpath[1:])
            return Renamable("block", target, block[1].text, start, end) if block else None
        at = outline.heading(link.subpath)
        if at is None and link.kind != "wiki":
            at = outline.with_anchor(link.subpath)
        return None if at is None else Renamable("heading", target, outline.title_text(at), start, end, at)


def _title_property(path: str, name: str, data: bytes, offset: int) -> Renamable | None:
    """Return the note if a byte is in its property `title`, and that is its name."""
    first, last, _ = frontmatter.split(data)
    if not first <= offset < last:
        return None
    source = as_utf8(data[first:last]).decode()
    for key, value in frontmatter.fields(frontmatter.compose(source)):
        start, end = (first + len(source[:mark].encode()) for mark in (value.start_mark.index, value.end_mark.index))
        if key.lower() == TITLE and start <= offset <= end and is_title(value.value, name):
            return Renamable("title", path, name, start, end)
    return None


def _part_at(path: str, name: str, data: bytes, offset: int) -> Renamable | None:
    """Return the heading or the block whose text or id is at a byte."""
    body = as_utf8(body_of(data))
    begin, outline = len(data) - len(body), Outline(body)
    for id_ in outline.ids():
        if id_.start - 1 <= offset - begin <= id_.end:
            return Renamable("block", path, id_.text, begin + id_.start, begin + id_.end)
    for at, heading in enumerate(outline.headings):
        if heading.start <= offset - begin <= outline.title(at)[1]:
            start, end = outline.title(at)
            is_name = at == 0 and is_title(heading_title(data), name)
            shown = outline.title_text(at)
            return Renamable("title" if is_name else "heading", path, shown, begin + start, begin + end, at)
    return None
