"""An editor with a language server, which it asks over two pipes: in a process of its own, or in a thread."""

import asyncio
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any, Self

from lsprotocol import converters, types
from pygls.uris import from_fs_path

from tests.tools.editor import Editor
from zkmem.lsp.server import Server
from zkmem.memory import Memory

_CONVERTER = converters.get_converter()
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


class RequestRefused(Exception):
    """The server has answered with an error, which has this sentence."""


class ServerProcess:
    """The command `zkmem lsp`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "zkmem", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdin
        assert self._process.stdout
        self.stdin, self.stdout = self._process.stdin, self._process.stdout

    def end(self) -> None:
        """Wait until the server has ended well."""
        self._process.communicate()
        assert self._process.returncode == 0


class ServerThread:
    """A language server in a thread of this process."""

    def __init__(self) -> None:
        (self._read, write), (read, self._write) = os.pipe(), os.pipe()
        self.stdin, self.stdout = open(write, "wb"), open(read, "rb")  # noqa: SIM115 - until the end
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        server = Server(lambda folder: Memory(folder or "", durable=False))
        with open(self._read, "rb") as requests, open(self._write, "wb") as answers:
            with contextlib.suppress(SystemExit):
                asyncio.run(server.run(requests, answers))
            server.close()

    def end(self) -> None:
        """Wait until the server has ended."""
        self.stdin.close()
        self._thread.join()
        self.stdout.close()


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
        self._server = server or ServerThread()
        self._number = 0
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
        self._server.end()

    def uri(self, path: str) -> str:
        """Return the address of a file."""
        return from_fs_path(str(self._root / path)) or ""

    def ask(self, method: str, params: Any) -> Any:
        """Send a request, and return the result.

        Raises:
            RequestRefused: when the answer is an error.
        """
        self._number += 1
        self._send({"id": self._number, "method": method, "params": _CONVERTER.unstructure(params)})
        answer = self._receive()
        while answer.get("id") != self._number or "method" in answer:
            answer = self._receive()
        if "error" in answer:
            raise RequestRefused(answer["error"]["message"])
        kind: Any = types.METHOD_TO_TYPES[method][1]
        return _CONVERTER.structure(answer, kind).result

    def diagnostics(self, uri: str) -> Sequence[types.Diagnostic]:
        """Return the next diagnostics of a document that the server publishes."""
        while True:
            message = self._receive()
            if message.get("method") == types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS and message["params"]["uri"] == uri:
                return _CONVERTER.structure(message["params"], types.PublishDiagnosticsParams).diagnostics

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": _CONVERTER.unstructure(params)})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._server.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        length = int(self._server.stdout.readline().partition(b":")[2])
        while self._server.stdout.readline().strip():
            pass
        return dict(json.loads(self._server.stdout.read(length)))

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
