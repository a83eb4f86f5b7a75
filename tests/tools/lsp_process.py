"""A client of the command `zkmem lsp` for tests of the protocol: it sends what the test says, right or wrong."""

import contextlib
import os
from collections.abc import Iterator
from typing import Any, Self

from lsprotocol import types
from pygls.uris import from_fs_path

from tests.tools.language_connection import PATIENCE, Connection, ServerProcess
from zkmem.memory import Memory


def uri_of(folder: str, path: str) -> str:
    """Return the address of a file."""
    return from_fs_path(os.path.join(folder, path)) or ""


class Client(Connection):
    """A server process for a folder, with its client. A `with` block ends the server at its end."""

    def __init__(self, folder: str, *options: str, env: dict[str, str] | None = None, program: str = "") -> None:
        """`program`: a text that Python runs as the command `zkmem`."""
        self.folder = folder
        server = ServerProcess(*options, env=env, program=program)
        self.process, self.log = server.process, server.log
        super().__init__(server)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def start(self, **more: Any) -> types.InitializeResult:
        """Do the handshake."""
        general = types.GeneralClientCapabilities(position_encodings=more.pop("encodings", ["utf-16"]))
        params = types.InitializeParams(
            types.ClientCapabilities(general=general), process_id=os.getpid(), root_uri=from_fs_path(self.folder)
        )
        for name, value in more.items():
            setattr(params, name, value)
        result: types.InitializeResult = self.ask(types.INITIALIZE, params)
        self.notify(types.INITIALIZED, types.InitializedParams())
        return result

    def open(self, path: str, text: str, version: int = 1) -> types.TextDocumentIdentifier:
        """Show a text as that of a file."""
        uri = uri_of(self.folder, path)
        item = types.TextDocumentItem(uri, "markdown", version, text)
        self.notify(types.TEXT_DOCUMENT_DID_OPEN, types.DidOpenTextDocumentParams(item))
        return types.TextDocumentIdentifier(uri)

    def change(self, path: str, version: int, *changes: types.TextDocumentContentChangeEvent) -> None:
        """Change an open document."""
        about = types.VersionedTextDocumentIdentifier(version, uri_of(self.folder, path))
        self.notify(types.TEXT_DOCUMENT_DID_CHANGE, types.DidChangeTextDocumentParams(about, list(changes)))

    def diagnostics(self, path: str, version: int | None = None) -> list[types.Diagnostic]:
        """Wait for the next diagnostics of a file (of a version), and return them."""
        return self.diagnostics_of(uri_of(self.folder, path), version)

    def exit(self) -> int:
        """Shut the server down, and return its exit code."""
        self.ask(types.SHUTDOWN, None)
        self.notify(types.EXIT, None)
        return self.process.wait(PATIENCE)


@contextlib.contextmanager
def client_of(vault: str, capabilities: types.ClientCapabilities | None = None) -> Iterator[Client]:
    """Yield a client for a vault, after the handshake. The search index is made before: no answer waits for it."""
    with Memory(vault) as memory:
        memory.load_search()
    with Client(vault) as client:
        client.start(**({"capabilities": capabilities} if capabilities else {}))
        yield client


def marked(text: str) -> tuple[str, types.Position]:
    """Return a text without its mark `¦`, and the place of the mark, in units of UTF-16."""
    before, after = text.split("¦")
    *lines, last = before.split("\n")
    return before + after, types.Position(len(lines), len(last.encode("utf-16-le")) // 2)
