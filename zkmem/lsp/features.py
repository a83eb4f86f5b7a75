"""The features of the language server: rows of a table, and the requests that their functions get.

The functions run in threads. They see the documents as they were when the request came.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from lsprotocol import types

from zkmem.lsp.documents import Document, Documents
from zkmem.lsp.workspace import Workspace
from zkmem.memory.editor import InEditor
from zkmem.names import is_note


@dataclass(frozen=True)
class EditorContext:
    """The vault, the documents that were open when a request came, and the abilities of the client."""

    workspace: Workspace
    documents: Documents
    open: Mapping[str, Document]
    client: types.ClientCapabilities
    unknown: frozenset[str]  # the addresses of the open documents whose texts are not known
    tell: Callable[[str, str], None]  # sends a text to the person by `window/showMessage` or `window/logMessage`

    @property
    def notes(self) -> InEditor:
        """The methods of the memory for editors."""
        return self.workspace.notes

    @cached_property
    def opened(self) -> dict[str, Document]:
        """The open files of the vault, by path: an editor may spell their addresses in another way than zkmem."""
        paths = ((self.workspace.path(uri), document) for uri, document in self.open.items())
        return {path: document for path, document in paths if path is not None}

    @cached_property
    def unknown_paths(self) -> frozenset[str]:
        """The files of the vault that are open in the editor with texts that are not known."""
        return frozenset(path for uri in self.unknown if (path := self.workspace.path(uri)) is not None)

    @property
    def texts(self) -> dict[str, bytes]:
        """The texts of the open files of the vault, by path."""
        return {path: document.data for path, document in self.opened.items()}

    def document(self, path: str) -> Document:
        """Return the text of a file of the vault: the one in the editor if it is open there, else that on the disk."""
        return self.opened.get(path) or self.documents.make(self.workspace.uri(path), self.notes.read(path))

    def data(self, path: str) -> bytes:
        """Return the bytes of the text that `document` returns."""
        return self.document(path).data

    def about(self, path: str, text: Document) -> "FileRequest":
        """Return a request about a file, which has this text."""
        return FileRequest(self.workspace, self.documents, self.open, self.client, self.unknown, self.tell, path, text)

    def location(self, path: str, subpath: str = "", *, slugs: bool = False) -> types.Location:
        """Return the place of a heading or block in a file, or else that of its beginning.

        `slugs`: accept the anchors of code hosts, too.
        """
        start = types.Position(0, 0)
        place = types.Location(self.workspace.uri(path), types.Range(start, start))
        if subpath:
            text = self.document(path)
            if span := self.notes.part(text.data, subpath, slugs=slugs):
                place.range = text.range(*span)
        return place


@dataclass(frozen=True)
class FileRequest(EditorContext):
    """A request about a file of the vault."""

    path: str
    text: Document

    def document(self, path: str) -> Document:
        """Return the text of a file, as `EditorContext.document` does."""
        return self.text if path == self.path else super().document(path)


class Feature(NamedTuple):
    """A method of the protocol about one file, and the function that answers it.

    `run` gets the request and the parameters. `empty` is the answer about a file that is no note of the vault.
    """

    method: str
    run: Callable[[FileRequest, Any], Any]
    options: Any = None  # the options of the method, as the server registers them
    empty: Any = None
    canvases: bool = False  # whether it is also about canvases

    def is_about(self, path: str) -> bool:
        """Return whether the method is about a file."""
        return is_note(path) or (self.canvases and path.endswith(".canvas"))


class VaultFeature(NamedTuple):
    """A method of the protocol about the whole vault, and the function that answers it."""

    method: str
    run: Callable[[EditorContext, Any], Any]
    options: Any = None
    empty: Any = None
    is_news: bool = False  # whether it reports changed files: later requests must wait until the index has them
