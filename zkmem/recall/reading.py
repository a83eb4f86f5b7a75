"""Read a note: its text, expanded to a depth, its links and its backlinks."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from zkmem.errors import BadArgument, UnknownNote, Unreadable
from zkmem.index.catalog import Catalog
from zkmem.index.graph import count_of, links_of, written_targets
from zkmem.index.lookup import name_for
from zkmem.index.sync import Index
from zkmem.markdown.markers import cut_line
from zkmem.markdown.note import parse
from zkmem.names import is_note, name_of
from zkmem.recall.expand import CutLine, expand
from zkmem.recall.part import read_part
from zkmem.util.waiting import check_may_wait
from zkmem.vault.files import LargeFile, Read, etag
from zkmem.vault.store import Store

_MANY_NAMES = 500  # of notes; making them takes a millisecond

Keep = Callable[[str, str, bytes], object]
"""Gets the path, the etag and the bytes of each note that is read."""


class NoteText(NamedTuple):
    """A note's text, or a part of it, with its links and backlinks."""

    name: str
    text: str
    etag: str
    characters: int  # of the note's own text with its frontmatter; bytes, for a large note
    links: int | None  # number of distinct targets; None if the names of the notes are not known yet
    missing: list[str] | None  # targets without a note, as written; None if the names are not known yet
    linked_from: list[str] | None  # None if the graph is not known yet
    left: list[str]  # notes that stayed links because of the limit
    next_offset: int | None  # the character of the note's own text to read on from; None at its end
    large: bool = False  # whether it is too large to be read whole: offsets count bytes, and the etag is empty
    begins: int = 0  # the first character of the note's own text that is shown
    ends: int = 0  # the character after the last one that is shown
    subpath: str = ""  # the `#heading` or `#^block` of the part; empty for the whole note
    changed: str = ""  # the date of the file's last change, YYYY-MM-DD


def read_note(
    index: Index,
    read: Read,
    path: str,
    *,
    depth: int,
    offset: int,
    max_chars: int | None,
    keep: Keep,
    subpath: str,
    glimpse: Callable[[str, str], object] = lambda *_: None,
    cut_line: CutLine = cut_line,
) -> NoteText:
    """Return the note at `path`, or the part of it that `subpath` names.

    `glimpse` gets the path and the etag of each note that is expanded in it.
    """
    data, note_etag = read_bytes(read, path, keep)

    def read_once(other: str) -> bytes:
        return data if other == path else read(other)

    catalog = index.catalog
    shown = expand(
        catalog, read_once, path, depth=depth, offset=offset, max_chars=max_chars, subpath=subpath, cut_line=cut_line
    )
    for other, other_data in shown.expanded.items():
        keep(other, tag := etag(other_data), other_data)
        glimpse(other, tag)
    row = catalog.rows.get(path)
    facts = row.facts if row and row.facts and row.etag == note_etag else None
    nodes: Collection[str]
    if facts and index.ready:
        nodes, count = index.links.following(path), index.links.count(path)
    else:
        facts = facts or parse(data)
        nodes = links_of(catalog, path, facts)
        count = count_of(nodes, path)
    sources = [source for source in index.links.backlinks(path) if source != path] if index.ready else None
    if len(sources or ()) > _MANY_NAMES:
        check_may_wait()
    return NoteText(
        name=name_for(catalog, path),
        text=shown.text,
        etag=note_etag,
        characters=shown.length,
        links=count,
        missing=list(written_targets(catalog, path, facts, nodes).values()),
        linked_from=None if sources is None else [name_for(catalog, source) for source in sources],
        left=shown.left,
        next_offset=shown.next_offset,
        begins=shown.begins,
        ends=shown.ends,
        subpath=subpath,
    )


def read_alone(read: Read, path: str, *, offset: int, max_chars: int | None, keep: Keep) -> NoteText:
    """Return the note at `path` without an index, so without its links and backlinks."""
    data, note_etag = read_bytes(read, path, keep)
    shown = expand(Catalog(), lambda _: data, path, depth=0, offset=offset, max_chars=max_chars)
    name = path if is_note(name_of(path)) else name_of(path)  # the name `a.md` would not mean `a.md.md`
    return NoteText(
        name=name,
        text=shown.text,
        etag=note_etag,
        characters=shown.length,
        links=None,
        missing=None,
        linked_from=None,
        left=shown.left,
        next_offset=shown.next_offset,
        begins=shown.begins,
        ends=shown.ends,
    )


def read_large(index: Index, store: Store, path: str, *, offset: int, max_chars: int | None, subpath: str) -> NoteText:
    """Return a part of a note that is too large to be read whole, without its links."""
    if subpath:
        raise BadArgument(
            f"{name_of(path)!r} is larger than max_note_mb: leave out the heading, and read on with an offset."
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
    """Return the bytes of a note and their etag; hand both to `keep`."""
    try:
        data = read(path)
    except (FileNotFoundError, NotADirectoryError):
        raise UnknownNote(name_of(path), ()) from None
    except LargeFile:  # it can be read in parts
        raise
    except OSError as error:
        raise Unreadable(f"{name_of(path)!r} cannot be read: {error.strerror or error}.") from error
    note_etag = etag(data)
    keep(path, note_etag, data)
    return data, note_etag
