"""Run the HTTP server: its socket, its connections and its end."""

import asyncio
import errno
import functools
import logging
import socket
import sys
from collections.abc import Callable, Hashable
from types import FrameType
from typing import Any, Generic, TypeVar

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from zkmem.errors import BadSettings
from zkmem.serve.access.gate import ADMIT_KEY
from zkmem.serve.networks import stranger_at
from zkmem.serve.shares import Sender, Shares, TokenQuota

_GRACE_S = 1  # for requests under way when the server stops
_IDLE_S = 20  # an idle connection stays open: longer than clients reuse it, or a request may cross its closing
_MOST_CONNECTIONS = 2_000
_BACKLOG = 100  # connections that wait for accept(); asyncio accepts as many before it serves the first one
_PATIENCE_S = 30  # a connection stays open without a complete request
_SWITCH_S = 0.001  # a thread that computes keeps Python's lock for so long if others wait; the default is 5 ms
# The system asks a silent other side after 30 s whether it is still there (macOS has another name for that option), and
# ends the connection after a minute without an answer. By default, that takes from 15 minutes to 2 hours.
_LIVENESS = {"TCP_KEEPIDLE": 30, "TCP_KEEPALIVE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 60_000}

_Item = TypeVar("_Item", bound=Hashable)


class Connections(Generic[_Item]):
    """The open connections of one server. They are limited, since each is an open file; at the limit, one is ended.

    A connection is a stranger's until the gate admits a request on it. Strangers may hold one half of the limit. When
    that half is full, each new connection ends the oldest connection of the network that has the most. Strangers
    therefore cannot keep out a caller with a token. Callers share the other half: see `Shares`.
    """

    def __init__(self, most: int, is_idle: Callable[[_Item], bool] = lambda _: True) -> None:
        """Allow `most` connections: one half for strangers, the other half for admitted callers.

        An idle connection of a caller ends before the other connections of this caller.
        """
        half = max(1, most // 2)
        each = TokenQuota(max(1, half // 2), max(1, half // 2))
        self._strangers = Shares[_Item](half, TokenQuota(half, half), "connections", replaces=True)
        self._callers = Shares[_Item](half, each, "connections", is_idle=is_idle)

    def enter(self, connection: _Item, address: str) -> _Item | None:
        """Count a new connection. If there are too many, return another one, which must end."""
        return self._strangers.enter(connection, stranger_at(address))

    def admit(self, connection: _Item, sender: Sender) -> _Item | None:
        """Count a stranger's connection as a caller's. If there are too many, return another caller's, to be ended."""
        if connection not in self._strangers:  # it is a caller's already, or has ended meanwhile
            return None
        ended = self._callers.enter(connection, sender)
        self._strangers.leave(connection)
        return ended

    def leave(self, connection: _Item) -> None:
        """Stop counting a connection that has ended."""
        self._strangers.leave(connection)
        self._callers.leave(connection)


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket, whose connections end soon if the other side is gone. Port 0 takes a free port."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise BadSettings(f"There is no address {host!r} ({error.strerror}); choose another with --host.") from error
    sock = socket.socket(family, kind, protocol)  # with the protocol, asyncio sends at once; without, 40 ms later
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # its connections have this and what follows, too
    for name in filter(functools.partial(hasattr, socket), _LIVENESS):  # each system has some of them
        sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), _LIVENESS[name])
    try:
        sock.bind(address)
        sock.listen(_BACKLOG)  # from now on a client can connect; it waits for the answer
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise BadSettings(f"{host} is not an address of this machine; choose another with --host.") from error
        raise BadSettings(
            f"Port {port} of {host} cannot be used ({error.strerror}); choose another with --port."
        ) from error
    return sock


def run(app: ASGIApp, sock: socket.socket, prepare_end: Callable[[], None]) -> None:
    """Serve on a bound socket until a signal stops the process; then call `prepare_end` at once."""
    sys.setswitchinterval(_SWITCH_S)
    connections = Connections[_Connection](_most_connections(), _Connection.is_idle)
    config = uvicorn.Config(
        app,
        http=functools.partial(_Connection, connections),  # type: ignore[arg-type]  # uvicorn only calls it
        ws="none",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_GRACE_S,
        timeout_keep_alive=_IDLE_S,
        backlog=_BACKLOG,
        server_header=False,
    )
    _Process(config, prepare_end).run(sockets=[sock])


class _Connection(H11Protocol):
    """A connection that counts towards the limit of the server, see `Connections`."""

    _watch: asyncio.TimerHandle | None = None

    def __init__(self, connections: "Connections[_Connection]", *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._connections = connections
        self._application = self.app
        self.app = self._serve

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection; end another one if there are too many."""
        super().connection_made(transport)
        self._watch = self.loop.call_later(_PATIENCE_S, self._end_if_idle, None)
        if ended := self._connections.enter(self, self.client[0] if self.client else ""):
            ended.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection."""
        if self._watch:
            self._watch.cancel()
        self._connections.leave(self)
        super().connection_lost(exc)

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a request. When the gate has identified the caller, it calls the function at `ADMIT_KEY`."""
        scope[ADMIT_KEY] = self._admit
        await self._application(scope, receive, send)

    def _admit(self, sender: Sender) -> None:
        if ended := self._connections.admit(self, sender):
            ended.abort()

    def abort(self) -> None:
        """End the connection at once."""
        self.transport.abort()

    def is_idle(self) -> bool:
        """Return whether no request is under way."""
        return self.cycle is None or self.cycle.response_complete

    def send_400_response(self, msg: str) -> None:
        """Refuse data that are not HTTP, and end the request that they belong to: it can get no answer any more."""
        has_begun = self.cycle and self.cycle.response_started and not self.cycle.response_complete
        if has_begun:
            self.transport.close()
        else:
            super().send_400_response(msg)
        if self.cycle:
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def _end_if_idle(self, last_cycle: object) -> None:
        """End the connection if it has had no request since the last check and has none now; else check again later."""
        if self.cycle is last_cycle and self.is_idle():
            self.abort()
        else:
            self._watch = self.loop.call_later(_PATIENCE_S, self._end_if_idle, self.cycle)


def _most_connections() -> int:
    """Return how many connections may be open: at most half of the files that the process may open."""
    if sys.platform == "win32":  # it has no such limit
        return _MOST_CONNECTIONS
    import resource  # noqa: PLC0415 - Windows has no such module

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft != unlimited and soft < 2 * _MOST_CONNECTIONS:
        soft = 2 * _MOST_CONNECTIONS if hard == unlimited else min(hard, 2 * _MOST_CONNECTIONS)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return _MOST_CONNECTIONS if soft == unlimited else min(_MOST_CONNECTIONS, soft // 2)


class _Process(uvicorn.Server):
    """The server process. When a signal stops it, it first ends the streams of clients that listen for changes."""

    def __init__(self, config: uvicorn.Config, prepare_end: Callable[[], None]) -> None:
        super().__init__(config)
        self._prepare_end = prepare_end

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._prepare_end()
        # Streams of changes never end by themselves. uvicorn reports an error when it cuts them, which is none.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().handle_exit(sig, frame)
