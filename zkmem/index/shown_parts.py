"""Find the text that an expansion shows for a link, and turn the expanded blocks of a text into links again."""

import functools
from typing import NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.resolve import resolve
from zkmem.markdown import markers
from zkmem.markdown.links import find_links
from zkmem.markdown.note import body_of, read_text
from zkmem.markdown.sections import Outline
from zkmem.names import is_note
from zkmem.vault.files import Read


class ShownPart(NamedTuple):
    """The text of a note, or a section of it, for an expansion: without blank lines before and after it."""

    text: str
    begins: int  # its offset in the note, in characters
    line: int  # the number of its first line in the note

    @property
    def span(self) -> tuple[int, int]:
        """The range of the text in the note, in characters."""
        return self.begins, self.begins + len(self.text)


class ShownParts:
    """The parts of a note. Its text is parsed once for all of them."""

    def __init__(self, data: bytes) -> None:
        self._whole = read_text(data).shown.encode()
        self._body = body_of(self._whole)

    @functools.cached_property
    def _outline(self) -> Outline:
        return Outline(self._body)

    def find(self, subpath: str) -> ShownPart | None:
        """Return the part that a subpath names; None if the note has no such part.

        Without a subpath, return the whole note without its frontmatter. The text of an empty note is empty.
        """
        span = self._outline.find(subpath) if subpath else (0, len(self._body))
        if span is None:
            return None
        text = self._body[span[0] : span[1]].lstrip(b"\r\n")
        before = self._whole[: len(self._whole) - len(self._body) + span[1] - len(text)]
        return ShownPart(text.rstrip(b"\r\n").decode(), len(before.decode()), before.count(b"\n"))


def collapsed(catalog: Catalog, read: Read, text: str, path: str) -> str:
    """Return a text of the note at a path, in which expanded blocks are links again."""
    parts = functools.cache(lambda path: ShownParts(read(path)))

    def look_up(raw: str, source: str) -> markers.Shown | None:
        """Return what an expansion shows for a link; None if it is never expanded."""
        link = find_links(raw.encode())[0]
        target = resolve(catalog, link.target, source).path
        if target is None or not is_note(target):
            return None
        try:
            part = parts(target).find(link.subpath)
        except OSError:  # a note that cannot be read was not expanded either
            return None
        return part and markers.Shown(target, part.text, part.begins)

    return markers.collapse(text, path, look_up)
