"""A connection to a language server, which is a process or runs in a thread. No wait is longer than `PATIENCE`."""

import asyncio
import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from lsprotocol import converters, types

from tests.tools.forked import zkmem_program
from zkmem.lsp.server import Server
from zkmem.memory import Memory

PATIENCE = 30.0
_CONVERTER = converters.get_converter()


class RequestRefused(Exception):
    """The server has answered with an error, which has this sentence."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


class ServerProcess:
    """The command `zkmem lsp`."""

    def __init__(self, *options: str, env: dict[str, str] | None = None, program: str = "") -> None:
        """`program`: a text that Python runs as the command `zkmem`."""
        command = [sys.executable, "-c", program] if program else [zkmem_program()]
        self.process = subprocess.Popen(
            [*command, "lsp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd="/", env={**os.environ, **(env or {})},
        )  # fmt: skip
        assert self.process.stdin
        assert self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self.log = bytearray()
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()

    def end(self) -> None:
        """Wait until the server has ended, as it must when its input has."""
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self._reader.join(PATIENCE)
            self.process.wait()

    def _read_log(self) -> None:
        assert self.process.stderr
        with self.process.stderr as stream:
            for line in stream:
                self.log += line


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
        """Wait until the server has ended, as it must when its input has."""
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


class Connection:
    """The client's end. Diagnostics and messages that the server sends by itself are kept."""

    def __init__(self, server: ServerProcess | ServerThread) -> None:
        self._server = server
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self.notices: queue.Queue[dict[str, Any]] = queue.Queue()
        self.stray: list[bytes] = []  # what came on stdout and is no message
        self._number = 0
        self.reads = threading.Event()  # cleared while the client reads nothing
        self.reads.set()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def end(self) -> None:
        """Close the connection, and wait until the server has ended."""
        self.reads.set()
        self._server.end()
        self._reader.join(PATIENCE)
        self._server.stdout.close()

    def ask(self, method: str, params: object) -> Any:
        """Return the answer to a request, as the type that the protocol has for it.

        Raises:
            RequestRefused: when the answer is an error.
        """
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
            raise RequestRefused(message["error"])
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
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._server.stdin.flush()

    def notice(self, method: str) -> dict[str, Any]:
        """Wait for the next notification of a kind, and return its parameters."""
        end = time.monotonic() + PATIENCE
        while True:
            message = self.notices.get(timeout=max(0.0, end - time.monotonic()))
            if message["method"] == method:
                params: dict[str, Any] = message["params"]
                return params

    def diagnostics_of(self, uri: str, version: int | None = None) -> list[types.Diagnostic]:
        """Wait for the next diagnostics of a document (of a version), and return them."""
        while True:
            found = self.notice(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
            params = _CONVERTER.structure(found, types.PublishDiagnosticsParams)
            if params.uri == uri and version in {None, params.version}:
                return list(params.diagnostics)

    def _read(self) -> None:
        stream = self._server.stdout
        length = 0
        for line in iter(stream.readline, b""):
            if line.startswith(b"Content-Length: "):
                length = int(line.removeprefix(b"Content-Length: "))
            elif line == b"\r\n" and length:
                message = json.loads(stream.read(length))
                length = 0
                (self.notices if "method" in message else self._answers).put(message)
                self.reads.wait()
            elif not line.startswith(b"Content-Type: "):
                self.stray.append(line)


def until(ready: Callable[[], object]) -> None:
    """Ask again until something is so; fail if it never is."""
    end = time.monotonic() + PATIENCE
    while not ready():
        assert time.monotonic() < end, "it did not come in time"


def _plain(params: object) -> Any:
    return _CONVERTER.unstructure(params) if hasattr(params, "__attrs_attrs__") else params
