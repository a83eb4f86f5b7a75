"""A server over stdio, and the client's end of it in raw lines: no SDK takes part in the timing."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any, NamedTuple, TypeVar

PATIENCE = 300.0  # seconds that a server may take to answer
_GRACE = 300  # seconds that it may take to end: it may be writing its cache
_INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "zkmem-benchmark", "version": "1"},
}


S = TypeVar("S", bound="Server")


class NoAnswer(Exception):
    """A server did not answer, or not what it should."""


class Refused(NoAnswer):
    """It answered that it would not."""


class Answer(NamedTuple):
    """What a tool answered."""

    text: str
    data: Mapping[str, Any]  # structured, where it gives that
    milliseconds: float


class Server:
    """A server process, spawned now."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it ends
        self.began = time.perf_counter()
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, env=environment, stdin=pipe, stdout=pipe, stderr=self._log, start_new_session=True
        )
        self._last = 0

    def seconds(self) -> float:
        """The time since it was spawned."""
        return time.perf_counter() - self.began

    def handshake(self, limit: float = PATIENCE) -> None:
        """Wait until it is there."""
        self.request("initialize", _INITIALIZE, limit)
        self._send({"method": "notifications/initialized"})

    def notify(self, method: str, params: Mapping[str, object]) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def call(self, tool: str, arguments: Mapping[str, object], limit: float = PATIENCE) -> Answer:
        """Call a tool.

        Raises:
            Refused: when it does. NoAnswer: when there is none in time; the server is ended then.
        """
        params = {"name": tool, "arguments": arguments}
        began = time.perf_counter()
        result = self.request("tools/call", params, limit)
        took = (time.perf_counter() - began) * 1000
        text = "\n".join(block.get("text", "") for block in result["content"])
        if result.get("isError"):
            raise Refused(f"{tool} was refused: {text[:500]}")
        return Answer(text, result.get("structuredContent") or {}, took)

    def request(self, method: str, params: Mapping[str, object], limit: float = PATIENCE) -> dict[str, Any]:
        """Send a request and wait for its result."""
        assert self._process.stdout
        watchdog = threading.Timer(limit, self._kill)
        watchdog.start()
        began = time.perf_counter()
        try:
            self._last += 1
            self._send({"id": self._last, "method": method, "params": params})
            for message in self._messages(self._process.stdout):
                if message.get("id") == self._last and "method" not in message:
                    return _result(method, message)
        finally:
            watchdog.cancel()
        raise NoAnswer(self._why(method, time.perf_counter() - began, limit))

    def megabytes(self, what: str) -> list[float]:
        """The memory it holds ("VmRSS") or has held at most ("VmHWM"); nothing where there is no /proc.

        Not `getrusage`: its peak survives exec, so that a child starts with that of its parent.
        """
        with contextlib.suppress(OSError), open(f"/proc/{self._process.pid}/status", encoding="utf-8") as file:
            return [int(line.split()[1]) / 1000 for line in file if line.startswith(what + ":")]
        return []

    def cpu(self) -> list[float]:
        """The seconds of processor time it has taken; nothing where there is no /proc."""
        with contextlib.suppress(OSError), open(f"/proc/{self._process.pid}/stat", encoding="utf-8") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
            return [(int(user) + int(system)) / os.sysconf("SC_CLK_TCK")]
        return []

    def end(self, grace: float) -> None:
        """Let it end as its input does, and whatever it has started with it."""
        assert self._process.stdin
        assert self._process.stdout
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(grace)
        finally:
            self._kill()
            self._process.wait()
            self._process.stdout.close()
            self._log.close()

    def _send(self, message: Mapping[str, object]) -> None:
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):  # what it says on stderr tells more
            self._process.stdin.write(self._framed(json.dumps({"jsonrpc": "2.0", **message}).encode()))
            self._process.stdin.flush()

    def _framed(self, message: bytes) -> bytes:
        """Return a message as it is sent: MCP ends each with a line end."""
        return message + b"\n"

    def _messages(self, stream: IO[bytes]) -> Iterator[dict[str, Any]]:
        """Read messages until the end of the stream."""
        yield from map(json.loads, stream)

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _why(self, method: str, took: float, limit: float) -> str:
        if took >= limit:
            return f"stopped after {took:.0f} s"
        self._log.seek(0)
        said = self._log.read().decode(errors="replace").strip().splitlines()
        return f"it ended before it answered {method}: {said[-1] if said else '(nothing on stderr)'}"


def _result(method: str, message: Mapping[str, Any]) -> dict[str, Any]:
    if "result" not in message:
        raise Refused(f"{method} was answered with: {message}")
    result: dict[str, Any] = message["result"]
    return result


@contextlib.contextmanager
def serving(command: Sequence[str], environment: Mapping[str, str], grace: float = _GRACE) -> Iterator[Server]:
    """A server that is ended in any case; at once after a failure."""
    with ended(Server(command, environment), grace) as server:
        yield server


@contextlib.contextmanager
def ended(server: S, grace: float = _GRACE) -> Iterator[S]:
    """End a server after the block; at once after a failure."""
    try:
        yield server
    except BaseException:
        server.end(grace=0)
        raise
    server.end(grace)


def end_on_sigterm() -> None:
    """Let SIGTERM end the benchmark as Ctrl-C does: with the servers ended and the folders removed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
