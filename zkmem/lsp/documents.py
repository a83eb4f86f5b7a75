r"""The documents that are open in the editor: their texts as they are there, which may not be saved.

A document never changes: a change makes another one. So a request that runs in a thread keeps the text of its moment.

The texts are bytes; the positions of the protocol count lines and code units. A line ends at `\n`, `\r\n` or `\r`. A
byte that is not UTF-8 is one code unit in each encoding, as in the editors that show such files. An offset inside a
character stands for the beginning of the character.
"""

import logging
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from lsprotocol import types

MOST = 500  # documents that are open at once
_MOST_CHANGES = 10_000  # in one notification
_MOST_UNKNOWN = 5_000  # documents whose texts are not known
_LONGEST = 4  # bytes of a character
_HALF = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")

_log = logging.getLogger(__name__)

Encoding = Literal["utf-8", "utf-16", "utf-32"]
Place = tuple[int, int]  # a line and a column
Change = types.TextDocumentContentChangePartial | types.TextDocumentContentChangeWholeDocument


def to_bytes(text: str) -> bytes:
    """Return the bytes of a text as an editor sent it: lone surrogates stand for bytes that are not UTF-8.

    Half a character, which JSON can spell, becomes U+FFFD: it has as many code units.
    """
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return _HALF.sub("\ufffd", text).encode(errors="surrogateescape")


class Lines:
    """The lines of a text, for positions in one encoding."""

    def __init__(self, data: bytes, encoding: Encoding, starts: list[int] | None = None) -> None:
        """`starts`: the offset at which each line begins, if known."""
        self.data = data
        self.encoding = encoding
        self.starts = [0, *accumulate(map(len, _split(data)[:-1]))] if starts is None else starts
        self._last = (0, 0)  # an offset and its column: the next one is often on the same line

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset."""
        line = bisect_right(self.starts, offset) - 1
        start, end = self._line(line)
        offset = min(offset, end)
        last_offset, column = self._last
        if not start <= last_offset <= offset:
            last_offset, column = start, 0
        column += self._units(last_offset, offset)
        self._last = (offset, column)
        return line, column

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position. One after the end of its line stands for that end, as the protocol says."""
        if line >= len(self.starts):
            return len(self.data)
        start, end = self._line(max(0, line))
        return start + self._bytes(self.data[start:end], column)

    def changed(self, changes: Iterable[tuple[Place, Place, bytes]]) -> "Lines":
        """Return the lines after some changes. Each change replaces what is between two positions by new bytes.

        The positions of a change are those in the text that the earlier changes have made. The second position is not
        before the first.
        """
        lines = _split(self.data)
        for start, end, new in changes:
            (first, begin), (last, until) = self._place(lines, *start), self._place(lines, *end)
            text, after = b"".join((lines[first][:begin], new, lines[last][until:])), last + 1
            if first and lines[first - 1].endswith(b"\r"):  # the new text may begin with the `\n` of this line's end
                first -= 1
                text = lines[first] + text
            if text.endswith(b"\r") and after < len(lines):
                text += lines[after]
                after += 1
            lines[first:after] = _split(text) if after == len(lines) else text.splitlines(keepends=True)
        return Lines(b"".join(lines), self.encoding, [0, *accumulate(map(len, lines[:-1]))])

    def _place(self, lines: Sequence[bytes], line: int, column: int) -> Place:
        """Return the line of a position and the byte in it."""
        if line >= len(lines):
            return len(lines) - 1, len(lines[-1])
        return max(0, line), self._bytes(lines[max(0, line)].rstrip(b"\r\n"), column)

    def _bytes(self, line: bytes, column: int) -> int:
        """Return how many bytes of a line are before a column; all bytes if the line is shorter. It has no line end."""
        column = max(0, column)
        if self.encoding == "utf-8":
            return first_byte(line, 0, min(column, len(line)))
        if len(line) <= column:  # a code unit has at least one byte
            return len(line)
        if line.isascii():
            return column
        text = line.decode(errors="surrogateescape")
        return len(self._first(text, column).encode(errors="surrogateescape"))

    def _line(self, line: int) -> tuple[int, int]:
        """Return where a line begins, and where it ends without its line end."""
        start = self.starts[line]
        if line + 1 == len(self.starts):
            return start, len(self.data)
        end = self.starts[line + 1] - 1
        return start, end - (self.data[end : end + 1] == b"\n" and end > start and self.data[end - 1 : end] == b"\r")

    def _units(self, start: int, end: int) -> int:
        """Return how many code units the text between two offsets of a line has."""
        if self.encoding == "utf-8":
            return first_byte(self.data, start, end) - start
        source = self.data[start : first_byte(self.data, start, end)]
        if source.isascii():
            return len(source)
        text = source.decode(errors="surrogateescape")
        return len(text) + (len(_ASTRAL.findall(text)) if self.encoding == "utf-16" else 0)

    def _first(self, text: str, units: int) -> str:
        """Return the beginning of a text with this many code units, without half a character at its end."""
        if self.encoding == "utf-32":
            return text[:units]
        units16 = text.encode("utf-16-le", errors="surrogatepass")[: 2 * units]
        beginning = units16.decode("utf-16-le", errors="surrogatepass")
        return beginning[:-1] if "\ud800" <= beginning[-1:] <= "\udbff" else beginning


def first_byte(data: bytes, start: int, offset: int) -> int:
    """Return where the character begins that an offset is in; not before `start`."""
    if not _is_inner(data, offset):
        return offset
    at = offset - 1
    while at > max(start, offset - _LONGEST) and _is_inner(data, at):
        at -= 1
    first = data[max(start, at) : offset + _LONGEST].decode(errors="surrogateescape")[:1]
    return at if at >= start and len(first.encode(errors="surrogateescape")) > offset - at else offset


def _is_inner(data: bytes, at: int) -> bool:
    """Return whether a byte is one that continues a character in UTF-8."""
    return at < len(data) and data[at] & 0xC0 == 0x80


def _split(data: bytes) -> list[bytes]:
    """Return the lines of a text, each with its end; the last one, which may be empty, has none."""
    lines = data.splitlines(keepends=True)
    return lines if lines and not lines[-1].endswith((b"\r", b"\n")) else [*lines, b""]


class Document(NamedTuple):
    """A text with its address and its version in the editor. It does not change."""

    uri: str
    version: int | None  # None for a file that is not open in the editor
    lines: Lines

    @property
    def data(self) -> bytes:
        """The bytes of the text, as they would be in a file."""
        return self.lines.data

    def offset(self, position: types.Position) -> int:
        """Return the byte at a position."""
        return self.lines.offset(position.line, position.character)

    def position(self, offset: int) -> types.Position:
        """Return the position of a byte."""
        return types.Position(*self.lines.position(offset))

    def range(self, start: int, end: int) -> types.Range:
        """Return the range of the protocol for a range of bytes."""
        return types.Range(self.position(start), self.position(end))

    def span(self, range_: types.Range) -> tuple[int, int]:
        """Return the range of bytes for a range of the protocol."""
        return self.offset(range_.start), self.offset(range_.end)

    def changed(self, version: int | None, changes: Sequence[Change]) -> "Document":
        """Return the document after some changes. The places in a change are those after the earlier changes."""
        parts, lines = list[tuple[Place, Place, bytes]](), self.lines
        for change in changes:
            if not isinstance(change, types.TextDocumentContentChangePartial):
                parts, lines = [], Lines(to_bytes(change.text), lines.encoding)
            elif change.range.end < change.range.start:
                raise ValueError("a range ends before it begins")
            else:
                start, end = ((one.line, one.character) for one in (change.range.start, change.range.end))
                parts.append((start, end, to_bytes(change.text)))
        return Document(self.uri, version, lines.changed(parts))


class Documents:
    """The open documents. They change only in the event loop.

    The texts of some open documents are not known: those that are too large or too many, and those of which a change
    was malformed. Nothing is answered about them, because the text on the disk may be another one. Of very many, only
    the last ones are remembered.
    """

    def __init__(self) -> None:
        self.encoding: Encoding = "utf-16"
        self.most_bytes = 10_000_000  # of one document; a larger one is left out
        self.most_bytes_in_all = 64_000_000
        self.open: Mapping[str, Document] = {}  # by address; each change makes a new mapping
        self._forgotten: dict[str, None] = {}  # the addresses of the open documents whose texts are not known
        self.unknown = frozenset[str]()  # these addresses; each change makes a new set

    def make(self, uri: str, data: bytes, version: int | None = None) -> Document:
        """Return a document with these bytes."""
        return Document(uri, version, Lines(data, self.encoding))

    def put(self, uri: str, version: int | None, text: str) -> None:
        """Open a document."""
        if len(self.open) < MOST or uri in self.open:
            self._keep(self.make(uri, to_bytes(text), version))
        else:
            self.forget(uri, f"more than {MOST} documents are open")

    def change(self, uri: str, version: int | None, changes: Sequence[Change]) -> None:
        """Change a document. One that is not known stays so until it is opened again, or gets a whole new text."""
        document = self.open.get(uri)
        if document is None:
            last = changes[-1] if changes else None
            if isinstance(last, types.TextDocumentContentChangeWholeDocument):
                self.put(uri, version, last.text)
            elif uri not in self.unknown:
                self.forget(uri, "it was changed before it was opened")
        elif len(changes) > _MOST_CHANGES:
            self.forget(uri, f"it has more than {_MOST_CHANGES} changes at once")
        else:
            try:
                self._keep(document.changed(version, changes))
            except ValueError as error:
                self.forget(uri, str(error))

    def forget(self, uri: str, reason: str) -> None:
        """Treat the text of an open document as not known."""
        self.close(uri)
        if len(self._forgotten) >= _MOST_UNKNOWN:
            del self._forgotten[next(iter(self._forgotten))]
        self._forgotten[uri] = None
        self.unknown = frozenset(self._forgotten)
        _log.warning("%r is left out until it is opened again: %s", uri, reason)

    def close(self, uri: str) -> None:
        """Close a document."""
        self.open = {one: document for one, document in self.open.items() if one != uri}
        self._know(uri)

    def _keep(self, document: Document) -> None:
        uri, size = document.uri, len(document.data)
        if size > self.most_bytes:
            self.forget(uri, f"it has more than {self.most_bytes} bytes")
        elif size + sum(len(one.data) for one in self.open.values() if one.uri != uri) > self.most_bytes_in_all:
            self.forget(uri, f"all open documents have more than {self.most_bytes_in_all} bytes")
        else:
            self.open = {**self.open, uri: document}
            self._know(uri)

    def _know(self, uri: str) -> None:
        if uri in self._forgotten:
            del self._forgotten[uri]
            self.unknown = frozenset(self._forgotten)
