"""The server process over HTTP: its socket, and how it stops."""

import asyncio
import errno
import functools
import logging
import socket
from collections.abc import Callable
from ipaddress import ip_address, ip_network
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from zkmem.errors import BadSettings
from zkmem.serve.access.gate import ADMIT_KEY
from zkmem.serve.room import Room

_GRACE_S = 1
_IDLE_S = 20  # that a connection is kept: longer than clients use one again, else a request meets its end on the way
_MOST_CONNECTIONS = 2_000
_BACKLOG = 100  # connections that wait to be taken; asyncio takes as many before it looks at the first
_PATIENCE_S = 30  # with a connection over which no whole request comes


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    Raises:
        BadSettings: when the address is not this machine's, or the port taken or not ours to take.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise BadSettings(f"There is no address {host!r} ({error.strerror}); choose another with --host.") from error
    sock = socket.socket(family, kind, protocol)  # told TCP, asyncio sends at once; else each answer waits 40 ms
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind(address)
        sock.listen(_BACKLOG)  # from here on a client can connect, and waits for its answer
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise BadSettings(f"{host} is no address of this machine; choose another with --host.") from error
        raise BadSettings(
            f"Port {port} of {host} cannot be used ({error.strerror}); choose another with --port."
        ) from error
    return sock


def run(app: ASGIApp, sock: socket.socket, prepare_end: Callable[[], None]) -> None:
    """Serve on a bound socket until the process is asked to stop; then call `prepare_end` at once."""
    config = uvicorn.Config(
        app,
        http=functools.partial(_Connection, Room(_room())),  # type: ignore[arg-type]  # uvicorn only calls it
        ws="none",
        log_level="warning",
        timeout_graceful_shutdown=_GRACE_S,
        timeout_keep_alive=_IDLE_S,
        backlog=_BACKLOG,
        server_header=False,
    )
    _Process(config, prepare_end).run(sockets=[sock])


class _Connection(H11Protocol):
    """A connection that counts against the limit of the server, see `Room`."""

    _watch: asyncio.TimerHandle | None = None
    _address = ""

    def __init__(self, room: "Room[_Connection]", *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._room = room
        self._application = self.app
        self.app = self._serve

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take in the connection; end another one if there are too many."""
        super().connection_made(transport)
        self._address = _network(self.client[0]) if self.client else ""
        self._watch = self.loop.call_later(_PATIENCE_S, self._look, None)
        if ended := self._room.enter(self, self._address):
            ended.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        if self._watch:
            self._watch.cancel()
        self._room.leave(self, self._address)
        super().connection_lost(exc)

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a request; the gate calls `ADMIT_KEY` of its scope when it knows the caller."""
        scope[ADMIT_KEY] = functools.partial(self._room.admit, self, self._address)
        await self._application(scope, receive, send)

    def _look(self, seen: object) -> None:
        """End it if there is no new request since the last look, and none under way."""
        if self.cycle is seen and (self.cycle is None or self.cycle.response_complete):
            self.transport.abort()
        else:
            self._watch = self.loop.call_later(_PATIENCE_S, self._look, self.cycle)


def _network(address: str) -> str:
    """Return the key of a sender: its IPv4 address, or the first half of its IPv6 address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return address if parsed.version == 4 else str(ip_network((address.partition("%")[0], 64), strict=False))


def _room() -> int:
    """Return how many connections may be open: half of the files that the process may open, so half are left."""
    try:
        import resource  # noqa: PLC0415 - not on Windows, where nothing limits it
    except ImportError:
        return _MOST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft != unlimited and soft < 2 * _MOST_CONNECTIONS:
        soft = 2 * _MOST_CONNECTIONS if hard == unlimited else min(hard, 2 * _MOST_CONNECTIONS)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return _MOST_CONNECTIONS if soft == unlimited else min(_MOST_CONNECTIONS, soft // 2)


class _Process(uvicorn.Server):
    """The server process: when it is told to stop, clients that listen are told so first."""

    def __init__(self, config: uvicorn.Config, prepare_end: Callable[[], None]) -> None:
        super().__init__(config)
        self._prepare_end = prepare_end

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._prepare_end()
        # Streams that wait for news never end by themselves; that they are cut now is no error to report.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().handle_exit(sig, frame)
