"""Find the text of the notes that a note embeds, `![[note#part]]`, within bounds."""

from typing import NamedTuple

from zkmem.index.shown_parts import ShownParts
from zkmem.markdown.cuts import part_start
from zkmem.markdown.links import Link
from zkmem.vault.files import Read, etag

_DEEPEST = 3  # embeds in embeds
_MOST = 50  # embeds on a page
_MOST_BYTES = 200_000  # of embedded text on a page
_MOST_READ = 2_000_000  # bytes of files: each is parsed once, and the index is locked meanwhile


class Embedded(NamedTuple):
    """The text that an embed shows, and the chain of embeds that it is in, itself included."""

    body: bytes
    first_line: int  # the number of its first line in its note
    etag: str  # of that note
    is_cut: bool
    chain: tuple[tuple[str, str], ...]  # path and subpath of each, the page first


class Embeds:
    """The embeds of one page.

    One that is too deep, inside itself, or beyond the bounds of the page stays a link. One that is longer than what is
    left of the bytes is cut.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._notes: dict[str, tuple[ShownParts, str]] = {}  # path -> its parts and its etag
        self._count = self._shown = self._bytes = 0

    def find(self, link: Link, path: str, chain: tuple[tuple[str, str], ...]) -> Embedded | None:
        """Return what an embed of the note at `path` shows; None if it stays a link."""
        here = (path, link.subpath.lower())
        if here in chain or len(chain) > _DEEPEST or self._count >= _MOST or self._shown >= _MOST_BYTES:
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
        end = part_start(body, _MOST_BYTES - self._shown)
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
