"""The documents that are open in the editor: their texts as they are there, which may not be saved.

A document never changes: a change makes another one. So a request that runs in a thread keeps the text of its moment.
"""

import logging
from collections.abc import Mapping, Sequence

from lsprotocol import types

from zkmem.lsp.positions import Encoding, Lines, Place, to_bytes

MOST = 500  # documents that are open at once
_MOST_CHANGES = 10_000  # in one notification
_MOST_UNKNOWN = 5_000  # documents whose texts are not known

_log = logging.getLogger(__name__)

Change = types.TextDocumentContentChangePartial | types.TextDocumentContentChangeWholeDocument


class Document:
    """A text with its address and its version in the editor. It does not change."""

    def __init__(self, uri: str, version: int | None, lines: Lines) -> None:
        """`version`: None for a file that is not open in the editor."""
        self.uri = uri
        self.version = version
        self.lines = lines

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
        """Return the document after some changes. The places in each one are those of the text after the one before."""
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
