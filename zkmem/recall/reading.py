"""Read a note: its text, expanded to a depth, its links and its backlinks; a large note in parts; an attachment."""

import codecs
import contextlib
import functools
from collections.abc import Callable, Collection, Hashable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from zkmem.errors import BadArgument, TooLarge, UnknownFile, UnknownNote, Unreadable
from zkmem.index import lookup
from zkmem.index.catalog import Catalog
from zkmem.index.graph import count_of, links_of, written_targets
from zkmem.index.index import Index, Progress
from zkmem.index.lookup import name_for
from zkmem.index.session import Freshness, Session
from zkmem.markdown.markers import cut_line
from zkmem.markdown.note import parse
from zkmem.names import is_note, name_of
from zkmem.recall.expand import OUTLINE_SUBPATH, CutLine, Expansion, expand
from zkmem.recall.ranking import Ranking
from zkmem.util.waiting import check_may_wait
from zkmem.vault.files import LargeFile, Read, Stamp, etag
from zkmem.vault.paths import is_hidden
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from zkmem.recall.page import NotePage

_MANY_NAMES = 500  # of notes; making them takes a millisecond

Keep = Callable[[str, str, bytes], object]
"""Gets the path, the etag and the bytes of each note that is read."""
_LEAST_OF_PART = 4  # bytes: the longest character
_MOST_OF_PART = 1_000_000  # bytes, if no other limit is given
_MOST_OF_ATTACHMENT = 64_000_000  # bytes


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
    links, missing = _links(index, path, data, note_etag)
    note = _note_text(name_for(catalog, path), note_etag, shown)
    return note._replace(links=links, missing=missing, linked_from=_linked_from(index, path), subpath=subpath)


def _links(index: Index, path: str, data: bytes, note_etag: str) -> tuple[int, list[str]]:
    """Return how many links a note has, and the targets of those without a note, as written."""
    row = index.catalog.rows.get(path)
    indexed = row.facts if row and row.etag == note_etag else None
    facts = indexed or parse(data)
    nodes: Collection[str]
    if indexed and index.ready:
        nodes, count = index.links.following(path), index.links.count(path)
    else:
        nodes = links_of(index.catalog, path, facts)
        count = count_of(nodes, path)
    return count, list(written_targets(index.catalog, path, facts, nodes).values())


def _linked_from(index: Index, path: str) -> list[str] | None:
    """Return the names of the notes that link to a note; None if the graph is not known yet."""
    if not index.ready:
        return None
    sources = [source for source in index.links.backlinks(path) if source != path]
    if len(sources) > _MANY_NAMES:
        check_may_wait()
    return [name_for(index.catalog, source) for source in sources]


def _note_text(name: str, note_etag: str, shown: Expansion) -> NoteText:
    """Return the text of a note without its links and backlinks."""
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


def read_alone(read: Read, path: str, *, offset: int, max_chars: int | None, keep: Keep) -> NoteText:
    """Return the note at `path` without an index, so without its links and backlinks."""
    data, note_etag = read_bytes(read, path, keep)
    name = path if is_note(name_of(path)) else name_of(path)  # the name `a.md` would not mean `a.md.md`
    return _note_text(
        name, note_etag, expand(Catalog(), lambda _: data, path, depth=0, offset=offset, max_chars=max_chars)
    )


def read_large(index: Index, store: Store, path: str, *, offset: int, max_chars: int | None, subpath: str) -> NoteText:
    """Return a part of a note that is too large to be read whole, without its links."""
    if subpath:
        raise BadArgument(
            f"{name_of(path)!r} is larger than max_note_mb: leave out the heading, and read on with an offset."
        )
    part = read_part(store, path, offset, max_chars)
    return NoteText(
        name=name_for(index.catalog, path),
        text=part.text,
        etag="",
        characters=part.stamp.size,
        links=None,
        missing=None,
        linked_from=_linked_from(index, path),
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


class NotePart(NamedTuple):
    """A part of a note. All parts in order are its text."""

    text: str  # with U+FFFD for bytes that are not UTF-8; without a BOM
    stamp: Stamp
    next_offset: int | None  # the byte at which the next part begins; None at the end


def read_part(store: Store, path: str, offset: int, most: int | None) -> NotePart:
    """Return at most `most` bytes of the note at `path` from the byte `offset` on: whole lines, else whole characters.

    An offset inside a character stands for the beginning of the character.
    """
    before = min(offset, _LEAST_OF_PART - 1)
    count = max(_LEAST_OF_PART, _MOST_OF_PART if most is None else most)
    try:
        data, stamp = store.read_part(path, offset - before, before + count)
    except (FileNotFoundError, NotADirectoryError):
        raise UnknownNote(name_of(path), ()) from None
    except OSError as error:
        raise Unreadable(f"{name_of(path)!r} cannot be read: {error.strerror or error}.") from error
    back = _bytes_back(data, before)
    data, begin = data[before - back :][:count], offset - back
    if begin + len(data) < stamp.size:
        data = data[: data.rfind(b"\n") + 1 or len(data) - _unfinished(data)]
    text = data.decode(errors="replace")
    end = begin + len(data)
    return NotePart(text if begin else text.removeprefix("\ufeff"), stamp, end if end < stamp.size and data else None)


def _bytes_back(data: bytes, at: int) -> int:
    """Return how many bytes before `at` belong to the character of the byte at `at`; 0 if that begins one."""
    back = _unfinished(data[:at])
    first = data[at - back : at - back + _LEAST_OF_PART].decode(errors="ignore")[:1].encode()
    return back if first and data.startswith(first, at - back) and len(first) > back else 0


def _unfinished(data: bytes) -> int:
    """Return how many bytes at the end of a text are the beginning of an incomplete character."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(data)
    return len(decoder.getstate()[0])


def read_attachment(store: Store, path: str) -> bytes:
    """Return the bytes of the file at `path`. Notes, hidden files and symbolic links are not attachments."""
    stamp = None if is_note(path) or is_hidden(path) or "\0" in path else store.stamp(path)
    if stamp is None:
        raise UnknownFile(path)
    if stamp.size > _MOST_OF_ATTACHMENT:
        raise TooLarge(f"{path!r} is too large to be sent ({stamp.size:,} bytes); open it in the vault's folder.")
    try:
        return store.read(path, _MOST_OF_ATTACHMENT)[0]
    except (FileNotFoundError, NotADirectoryError):  # it was removed just now, or the path ends with a slash
        raise UnknownFile(path) from None
    except OSError as error:
        raise Unreadable(f"{path!r} cannot be read: {error.strerror or 'it is not a file'}.") from error


class Tracker(Protocol):
    """Remembers which notes were read, and how far."""

    def keep(self, path: str, etag: str, data: bytes) -> None:
        """Remember the bytes that a reader got."""

    def note(self, reader: Hashable, path: str, etag: str, offset: int, next_offset: int | None) -> None:
        """Remember that a reader got a note from `offset` to `next_offset` (None: to its end)."""

    def glimpse(self, reader: Hashable, path: str, etag: str) -> None:
        """Remember that a reader got a note in the expansion of another one."""


class Reader:
    """Reads the notes of one vault. A caller's `read` gets the bytes at a path, if the caller may know them."""

    def __init__(
        self, session: Session, store: Store, ranking: Ranking, tracker: Tracker, max_chars: int | None
    ) -> None:
        self._session = session
        self._store = store
        self._ranking = ranking
        self._tracker = tracker
        self._max_chars = max_chars

    def text(
        self, read: Read, name: str, depth: int, offset: int, *, bounded: bool, subpath: str | None, reader: Hashable
    ) -> NoteText:
        """Return the text of a note or of a part of it: see `Memory.read`. `reader`: the key of the session.

        If not even the names are known yet, a note whose exact name is given is read without the index.
        """
        live, most = self._session.live, self._max_chars if bounded else None
        keep, glimpse = self._tracker.keep, functools.partial(self._tracker.glimpse, reader)
        needs_index = live.wait_briefly_for_links() or live.named or self._session.least > Freshness.NAMES
        if not (needs_index or depth or subpath) and (path := lookup.spelled_out(self._store, name)):
            with contextlib.suppress(LargeFile):
                return self._tracked(path, read_alone(read, path, offset=offset, max_chars=most, keep=keep), reader)

        def text(index: Index) -> NoteText:
            target, part = lookup.split(index.catalog, name) if subpath is None else (name, subpath)
            path = lookup.known_note(index.catalog, target)
            try:
                note = read_note(
                    index, read, path, depth=depth, offset=offset, max_chars=most, keep=keep, subpath=part,
                    glimpse=glimpse,
                )  # fmt: skip
            except LargeFile:
                return read_large(index, self._store, path, offset=offset, max_chars=most, subpath=part)
            return self._tracked(path, note, reader)

        return self._session.read(text, Freshness.NAMES)

    def page(
        self, read: Read, name: str, depth: int, offset: int, *, seen: str, progress: Progress | None
    ) -> "NotePage":
        """Return a part of a note as a person reads it: see `Memory.page`. Backlinks are from the folder `seen`."""
        from zkmem.recall.page import page_of, part_of  # noqa: PLC0415 - slow to import, and only a person needs it

        def page(index: Index) -> "NotePage":
            path, weights, most = lookup.known_note(index.catalog, name), self._ranking.weights(), self._max_chars
            try:
                return page_of(
                    index, read, path, depth=depth, offset=offset, max_chars=most, weights=weights,
                    keep=self._tracker.keep, seen=seen,
                )  # fmt: skip
            except LargeFile:
                return part_of(index, self._store, path, offset=offset, max_chars=most, weights=weights, seen=seen)

        return self._session.read(page, Freshness.LINKS, progress)

    def _tracked(self, path: str, note: NoteText, reader: Hashable) -> NoteText:
        """Remember how much of a note was read; add the day of the file's last change."""
        ends = note.ends if note.ends < note.characters else None
        if note.subpath != OUTLINE_SUBPATH:
            self._tracker.note(reader, path, note.etag, note.begins, ends)
        stamp = self._store.stamp(path)
        return note._replace(changed=stamp.day if stamp else "")
