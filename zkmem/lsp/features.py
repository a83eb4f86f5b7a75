"""The features of the language server: rows of a table, and the requests that their functions get.

The functions run in threads. They see the documents as they were when the request came.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from zkmem.lsp.documents import Document, Documents
from zkmem.lsp.workspace import Workspace
from zkmem.memory.editor import InEditor


@dataclass(frozen=True)
class Moment:
    """The vault, and the documents that were open when a request came."""

    workspace: Workspace
    documents: Documents
    open: Mapping[str, Document]

    @property
    def notes(self) -> InEditor:
        """The methods of the memory for editors."""
        return self.workspace.notes

    def document(self, path: str) -> Document:
        """Return the text of a file of the vault: the one in the editor if it is open there, else that on the disk.

        Raises:
            OSError: when it cannot be read.
        """
        uri = self.workspace.uri(path)
        return self.open.get(uri) or self.documents.make(uri, self.notes.read(path))


@dataclass(frozen=True)
class Request(Moment):
    """A request about a file of the vault."""

    path: str
    text: Document

    def document(self, path: str) -> Document:
        """Return the text of a file, as `Moment.document` does."""
        return self.text if path == self.path else super().document(path)


class Feature(NamedTuple):
    """A method of the protocol about one file, and the function that answers it.

    `run` gets the request and the parameters. `empty` is the answer about a file that is not in the vault.
    """

    method: str
    run: Callable[[Request, Any], Any]
    options: Any = None  # the options of the method, as the server registers them
    empty: Any = None


class VaultFeature(NamedTuple):
    """A method of the protocol about the whole vault, and the function that answers it."""

    method: str
    run: Callable[[Moment, Any], Any]
    options: Any = None
    empty: Any = None
