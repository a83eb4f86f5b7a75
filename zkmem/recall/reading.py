"""A note as a reader gets it: its text, expanded as far as asked, and what is around it."""

from collections.abc import Callable
from typing import NamedTuple

from zkmem.errors import UnknownNote, Unreadable
from zkmem.index.graph import counts, links_of, missing_targets
from zkmem.index.lookup import name_for
from zkmem.index.sync import Index
from zkmem.markdown.note import parse
from zkmem.recall.expand import Read, expand
from zkmem.vault.files import etag
from zkmem.vault.names import name_of

Keep = Callable[[str, str, bytes], object]


class NoteText(NamedTuple):
    """A note's text and what is around it."""

    name: str
    text: str
    etag: str
    characters: int  # of the note's own text, frontmatter included
    links: int  # distinct targets
    missing: list[str]  # those without a note, as written
    linked_from: list[str] | None  # None while the graph is not known yet
    left: list[str]  # notes that the bound left as links
    next_offset: int | None  # where in the note's own text to read on


def read_note(
    index: Index, read: Read, path: str, *, depth: int, offset: int, max_chars: int | None, keep: Keep
) -> NoteText:
    """The note at `path`; `keep` gets path, etag and bytes.

    Raises:
        UnknownNote: when its file is gone. Unreadable: when it cannot be read.
    """
    try:
        data = read(path)
    except (FileNotFoundError, NotADirectoryError):
        raise UnknownNote(name_of(path), ()) from None
    except OSError as error:
        raise Unreadable(f"{name_of(path)!r} cannot be read: {error.strerror or error}.") from error

    def read_once(other: str) -> bytes:
        return data if other == path else read(other)

    got = expand(index.catalog, read_once, path, depth=depth, offset=offset, max_chars=max_chars)
    facts = parse(data)
    keep(path, etag(data), data)
    return NoteText(
        name=name_for(index.catalog, path),
        text=got.text,
        etag=etag(data),
        characters=got.length,
        links=sum(1 for node in links_of(index.catalog, path, facts) if node != path and counts(node)),
        missing=missing_targets(index.catalog, path, facts),
        linked_from=[name_for(index.catalog, source) for source in index.links.backlinks(path) if source != path]
        if index.ready
        else None,
        left=got.left,
        next_offset=got.next_offset,
    )
