"""A note as a reader gets it: its text, expanded as far as asked, and what is around it."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from zkmem.errors import BadArgument, UnknownNote, Unreadable
from zkmem.index.catalog import Catalog
from zkmem.index.graph import count_of, links_of, written_targets
from zkmem.index.lookup import name_for
from zkmem.index.sync import Index
from zkmem.markdown.note import parse
from zkmem.names import is_note, name_of
from zkmem.recall.expand import Read, expand
from zkmem.recall.part import read_part
from zkmem.vault.files import LargeFile, etag
from zkmem.vault.store import Store

Keep = Callable[[str, str, bytes], object]


class NoteText(NamedTuple):
    """A note's text and what is around it."""

    name: str
    text: str
    etag: str
    characters: int  # of the note's own text, frontmatter included; of a large note, its bytes
    links: int | None  # distinct targets; None while the names of the notes are not known yet
    missing: list[str] | None  # those without a note, as written; None likewise
    linked_from: list[str] | None  # None while the graph is not known yet
    left: list[str]  # notes that the bound left as links
    next_offset: int | None  # where in the note's own text to read on
    large: bool = False  # larger than the memory reads whole: offsets count bytes, and there is no etag to edit it by
    begins: int = 0  # where in the note's own text this text begins
    ends: int = 0  # and where it ends
    subpath: str = ""  # the `#heading` or `#^block` that this is the text of, if it is not that of the note
    changed: str = ""  # the date of the file's last change, YYYY-MM-DD


def read_note(
    index: Index, read: Read, path: str, *, depth: int, offset: int, max_chars: int | None, keep: Keep, subpath: str
) -> NoteText:
    """Return the note at `path`, or the part of it that `subpath` names; `keep` gets path, etag and bytes.

    Raises:
        UnknownNote: when its file is gone. Unreadable: when it cannot be read. NoSection: when it has no such part.
    """
    data, tag = read_bytes(read, path, keep)

    def read_once(other: str) -> bytes:
        return data if other == path else read(other)

    catalog = index.catalog
    got = expand(catalog, read_once, path, depth=depth, offset=offset, max_chars=max_chars, subpath=subpath)
    known = catalog.rows.get(path)
    facts = known.facts if known and known.facts and known.etag == tag else None
    nodes: Collection[str]
    if facts and index.ready:
        nodes, count = index.links.following(path), index.links.count(path)
    else:
        facts = facts or parse(data)
        nodes = links_of(catalog, path, facts)
        count = count_of(nodes, path)
    sources = [source for source in index.links.backlinks(path) if source != path] if index.ready else None
    return NoteText(
        name=name_for(catalog, path),
        text=got.text,
        etag=tag,
        characters=got.length,
        links=count,
        missing=list(written_targets(catalog, path, facts, nodes).values()),
        linked_from=None if sources is None else [name_for(catalog, source) for source in sources],
        left=got.left,
        next_offset=got.next_offset,
        begins=got.begins,
        ends=got.ends,
        subpath=subpath,
    )


def read_alone(read: Read, path: str, *, offset: int, max_chars: int | None, keep: Keep) -> NoteText:
    """Return the note at `path` without an index: what its links mean, and what links to it, is not known."""
    data, tag = read_bytes(read, path, keep)
    got = expand(Catalog(), lambda _: data, path, depth=0, offset=offset, max_chars=max_chars)
    name = path if is_note(name_of(path)) else name_of(path)  # `a.md` means another note than `a.md.md`
    return NoteText(
        name, got.text, tag, got.length, None, None, None, got.left, got.next_offset, begins=got.begins, ends=got.ends
    )


def read_large(index: Index, store: Store, path: str, *, offset: int, max_chars: int | None, subpath: str) -> NoteText:
    """A part of a note that is too large to be read whole; its links are not known.

    Raises:
        UnknownNote: when its file is gone. Unreadable: when it cannot be read. BadArgument: when a section is wanted.
    """
    if subpath:
        raise BadArgument(
            f"{name_of(path)!r} is larger than max_note_mb: leave out the heading, and read on by offset."
        )
    part, catalog = read_part(store, path, offset, max_chars), index.catalog
    sources = index.links.backlinks(path) if index.ready else None
    return NoteText(
        name=name_for(catalog, path),
        text=part.text,
        etag="",
        characters=part.stamp.size,
        links=None,
        missing=None,
        linked_from=None if sources is None else [name_for(catalog, source) for source in sources if source != path],
        left=[],
        next_offset=part.next_offset,
        large=True,
        begins=offset,
        ends=part.stamp.size if part.next_offset is None else part.next_offset,
        changed=part.stamp.day,
    )


def read_bytes(read: Read, path: str, keep: Keep) -> tuple[bytes, str]:
    """The bytes of a note, which are kept, and their etag.

    Raises:
        UnknownNote: when its file is gone. LargeFile: when it is too large. Unreadable: when it cannot be read.
    """
    try:
        data = read(path)
    except (FileNotFoundError, NotADirectoryError):
        raise UnknownNote(name_of(path), ()) from None
    except LargeFile:  # it can be read in parts
        raise
    except OSError as error:
        raise Unreadable(f"{name_of(path)!r} cannot be read: {error.strerror or error}.") from error
    tag = etag(data)
    keep(path, tag, data)
    return data, tag
