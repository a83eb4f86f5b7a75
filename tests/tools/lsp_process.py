"""A client of the Language Server Protocol for tests, over stdio. Each answer must have the type of the protocol."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any, Self

from lsprotocol import converters, types
from pygls.uris import from_fs_path

PATIENCE = 30.0
_CONVERTER = converters.get_converter()


class Refused(Exception):
    """The server has answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


def uri_of(folder: str, path: str) -> str:
    """Return the address of a file."""
    return from_fs_path(os.path.join(folder, path)) or ""


class Client:
    """A server with its client. Diagnostics and messages that the server sends by itself are kept."""

    def __init__(
        self, folder: str, *options: str, env: dict[str, str] | None = None, program: Sequence[str] = ("-m", "zkmem")
    ) -> None:
        """`program`: what Python runs as the command `zkmem`."""
        command = [sys.executable, *program, "lsp", *options]
        self.folder = folder
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
            env={**os.environ, **(env or {})},
        )  # fmt: skip
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self.notices: queue.Queue[dict[str, Any]] = queue.Queue()
        self.stray: list[bytes] = []  # what came on stdout and is no message
        self.log = bytearray()
        self._number = 0
        self._readers = [threading.Thread(target=work, daemon=True) for work in (self._read, self._read_log)]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self.process, contextlib.suppress(BrokenPipeError):
            assert self.process.stdin
            self.process.stdin.close()
            for reader in self._readers:
                reader.join(PATIENCE)

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

    def ask(self, method: str, params: object) -> Any:
        """Return the answer to a request, as the type that the protocol has for it."""
        return self.answer(method, self.send(method, params))

    def send(self, method: str, params: object) -> int:
        """Send a request; return its number."""
        self._number += 1
        self.write({"id": self._number, "method": method, "params": _plain(params)})
        return self._number

    def answer(self, method: str, number: int) -> Any:
        """Return the answer to a request that was sent."""
        message = self.next_answer()
        assert message["id"] == number
        if "error" in message:
            raise Refused(message["error"])
        if method not in types.METHOD_TO_TYPES:
            return message["result"]
        kind: Any = types.METHOD_TO_TYPES[method][1]
        return _CONVERTER.structure(message, kind).result

    def next_answer(self) -> dict[str, Any]:
        """Return the next answer as it is."""
        return self._answers.get(timeout=PATIENCE)

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self.write({"method": method, "params": _plain(params)})

    def write(self, message: dict[str, Any] | bytes) -> None:
        """Write a message, or bytes that may be none."""
        body = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

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
        """Wait for the next diagnostics of a document (of a version), and return them."""
        uri = uri_of(self.folder, path)
        while True:
            message = self.notices.get(timeout=PATIENCE)
            if message["method"] == types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS:
                params = _CONVERTER.structure(message["params"], types.PublishDiagnosticsParams)
                if params.uri == uri and version in {None, params.version}:
                    return list(params.diagnostics)

    def exit(self) -> int:
        """Shut the server down, and return its exit code."""
        self.ask(types.SHUTDOWN, None)
        self.notify(types.EXIT, None)
        return self.process.wait(PATIENCE)

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream
        length = 0
        for line in iter(stream.readline, b""):
            if line.startswith(b"Content-Length: "):
                length = int(line.removeprefix(b"Content-Length: "))
            elif line == b"\r\n" and length:
                message = json.loads(stream.read(length))
                length = 0
                (self.notices if "method" in message else self._answers).put(message)
            elif not line.startswith(b"Content-Type: "):
                self.stray.append(line)

    def _read_log(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.log += line


def _plain(params: object) -> Any:
    return _CONVERTER.unstructure(params) if hasattr(params, "__attrs_attrs__") else params


def marked(text: str) -> tuple[str, types.Position]:
    """Return a text without its mark `¦`, and the place of the mark, in units of UTF-16."""
    before, after = text.split("¦")
    *lines, last = before.split("\n")
    return before + after, types.Position(len(lines), len(last.encode("utf-16-le")) // 2)
