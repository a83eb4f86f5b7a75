"""An editor with a language server, which runs in a thread or in a process of its own."""

import pathlib
from typing import Any, Self

from lsprotocol import types
from pygls.uris import from_fs_path

from tests.tools.editor import Editor
from tests.tools.language_connection import Connection, ServerProcess, ServerThread

EVERYTHING = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        workspace_edit=types.WorkspaceEditClientCapabilities(
            document_changes=True, resource_operations=[*types.ResourceOperationKind]
        ),
        file_operations=types.FileOperationClientCapabilities(
            will_rename=True, did_rename=True, did_create=True, did_delete=True
        ),
    ),
    text_document=types.TextDocumentClientCapabilities(
        rename=types.RenameClientCapabilities(prepare_support=True),
        code_action=types.CodeActionClientCapabilities(
            resolve_support=types.ClientCodeActionResolveOptions(["edit"]), data_support=True
        ),
    ),
)


class LanguageClient(Editor):
    """An editor that shows a folder, and its language server. A `with` block ends the server at its end."""

    def __init__(
        self,
        root: pathlib.Path,
        capabilities: types.ClientCapabilities = EVERYTHING,
        server: ServerProcess | ServerThread | None = None,
    ) -> None:
        """Start the server, by default in a thread, and do the handshake."""
        super().__init__()
        self._root = root
        self._connection = Connection(server or ServerThread())
        folder = types.WorkspaceFolder(self.uri(""), "vault")
        greeting = types.InitializeParams(capabilities, workspace_folders=[folder])
        self.server: types.ServerCapabilities = self.ask(types.INITIALIZE, greeting).capabilities
        self.tell(types.INITIALIZED, types.InitializedParams())

    def __enter__(self) -> Self:
        """Return the editor."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the server."""
        self.ask(types.SHUTDOWN, None)
        self.tell(types.EXIT, None)
        self._connection.end()

    def uri(self, path: str) -> str:
        """Return the address of a file."""
        return from_fs_path(str(self._root / path)) or ""

    def ask(self, method: str, params: object) -> Any:
        """Send a request, and return the result: see `Connection.ask`."""
        return self._connection.ask(method, params)

    def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """Return the next diagnostics of a document that the server publishes."""
        return self._connection.diagnostics_of(uri)

    def tell(self, method: str, params: object) -> None:
        """Send a notification."""
        self._connection.notify(method, params)

    def open(self, uri: str, text: str, version: int = 1) -> None:
        """Show a text, and notify the server; a further call changes the text."""
        if uri in self.texts:
            about = types.VersionedTextDocumentIdentifier(version, uri)
            change = types.TextDocumentContentChangeWholeDocument(text)
            self.tell(types.TEXT_DOCUMENT_DID_CHANGE, types.DidChangeTextDocumentParams(about, [change]))
        else:
            item = types.TextDocumentItem(uri, "markdown", version, text)
            self.tell(types.TEXT_DOCUMENT_DID_OPEN, types.DidOpenTextDocumentParams(item))
        super().open(uri, text, version)

    def close(self, uri: str) -> str:
        """Stop showing a text, notify the server, and return the text."""
        about = types.TextDocumentIdentifier(uri)
        self.tell(types.TEXT_DOCUMENT_DID_CLOSE, types.DidCloseTextDocumentParams(about))
        return super().close(uri)

    def move_file(self, old: str, new: str) -> None:
        """Move a file or a folder, with the documents that show it, and notify the server."""
        super().move_file(old, new)
        self.tell(types.WORKSPACE_DID_RENAME_FILES, types.RenameFilesParams([types.FileRename(old, new)]))

    def save(self) -> None:
        """Write all open documents to their files, and notify the server."""
        super().save()
        for uri in self.texts:
            about = types.TextDocumentIdentifier(uri)
            self.tell(types.TEXT_DOCUMENT_DID_SAVE, types.DidSaveTextDocumentParams(about))

    def show(self, path: str, text: str | None = None) -> str:
        """Open a file, with another text if one is given; return its address."""
        self.open(self.uri(path), (self._root / path).read_bytes().decode() if text is None else text)
        return self.uri(path)

    def at(self, path: str, wanted: str) -> dict[str, Any]:
        """Return the address of an open document and the position after the first occurrence of a text in it."""
        uri = self.uri(path)
        before = self.texts[uri][: self.texts[uri].index(wanted) + len(wanted)]
        column = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
        position = types.Position(before.count("\n"), column)
        return {"text_document": types.TextDocumentIdentifier(uri), "position": position}

    def prepare(self, path: str, wanted: str) -> Any:
        """Ask what can be renamed after a text in a document."""
        return self.ask(types.TEXT_DOCUMENT_PREPARE_RENAME, types.PrepareRenameParams(**self.at(path, wanted)))

    def rename(self, path: str, wanted: str, name: str) -> None:
        """Rename what stands after a text in a document."""
        edit = self.ask(types.TEXT_DOCUMENT_RENAME, types.RenameParams(new_name=name, **self.at(path, wanted)))
        self.carry_out(edit)

    def move(self, moves: dict[str, str]) -> types.WorkspaceEdit | None:
        """Move files in the tree of the editor; return the edit that the server has asked for before."""
        files = [types.FileRename(self.uri(old), self.uri(new)) for old, new in moves.items()]
        edit: types.WorkspaceEdit | None = self.ask(types.WORKSPACE_WILL_RENAME_FILES, types.RenameFilesParams(files))
        self.carry_out(edit)
        for one in files:
            self.move_file(one.old_uri, one.new_uri)
        return edit

    def actions(self, path: str, text: str, only: list[str] | None = None) -> dict[str, Any]:
        """Return the code actions for a text in a document that is selected, by title."""
        end = self.at(path, text)["position"]
        start = self.at(path, self.texts[self.uri(path)].partition(text)[0])["position"]
        return self._actions(path, types.Range(start, end), only)

    def actions_at(self, path: str, text: str, only: list[str] | None = None) -> dict[str, Any]:
        """Return the code actions after a text in a document, by title."""
        place = self.at(path, text)["position"]
        return self._actions(path, types.Range(place, place), only)

    def _actions(self, path: str, range_: types.Range, only: list[str] | None) -> dict[str, Any]:
        context, about = types.CodeActionContext([], only=only), types.TextDocumentIdentifier(self.uri(path))
        params = types.CodeActionParams(about, range_, context)
        return {one.title: one for one in self.ask(types.TEXT_DOCUMENT_CODE_ACTION, params)}

    def choose(self, action: types.CodeAction) -> None:
        """Resolve an action, and carry out its edit."""
        resolved = self.ask(types.CODE_ACTION_RESOLVE, action) if action.edit is None else action
        self.carry_out(resolved.edit)
