"""The server process over HTTP: its socket, and how it stops."""

import asyncio
import functools
import logging
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from zkmem.errors import BadSettings

_GRACE_S = 1
_IDLE_S = 20  # that a connection is kept: longer than clients use one again, else a request meets its end on the way
_MOST_REQUESTS = 2_000  # at once, streams of news included; more get a 503
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
        raise BadSettings(
            f"Port {port} of {host} cannot be used ({error.strerror}); choose another with --port."
        ) from error
    return sock


def run(app: ASGIApp, sock: socket.socket, stop_listeners: Callable[[], None]) -> None:
    """Serve on a bound socket until the process is told to stop; `stop_listeners` ends the streams of news then."""
    config = uvicorn.Config(
        app,
        http=_Connection,
        log_level="warning",
        timeout_graceful_shutdown=_GRACE_S,
        timeout_keep_alive=_IDLE_S,
        limit_concurrency=_MOST_REQUESTS,
        backlog=_BACKLOG,
        server_header=False,
    )
    _Process(config, stop_listeners).run(sockets=[sock])


class _Connection(H11Protocol):
    """A connection, of which strangers cannot open so many that no file can be opened any more."""

    _watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take it, or end it at once."""
        super().connection_made(transport)
        if len(self.connections) > _room():
            transport.abort()
        else:
            self._watch = self.loop.call_later(_PATIENCE_S, self._look, None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        if self._watch:
            self._watch.cancel()
        super().connection_lost(exc)

    def _look(self, seen: object) -> None:
        """End it if there is no new request since the last look, and none under way."""
        if self.cycle is seen and (self.cycle is None or self.cycle.response_complete):
            self.transport.abort()
        else:
            self._watch = self.loop.call_later(_PATIENCE_S, self._look, self.cycle)


@functools.cache
def _room() -> int:
    """How many connections there may be: each is an open file, of which as many are left for what else is to do."""
    most = _MOST_REQUESTS + 100  # so that there is somebody to tell that there are too many
    try:
        import resource  # noqa: PLC0415 - not on Windows, where nothing limits it
    except ImportError:
        return most
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft != unlimited and soft < 2 * most:
        soft = 2 * most if hard == unlimited else min(hard, 2 * most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return most if soft == unlimited else min(most, soft // 2)


class _Process(uvicorn.Server):
    """The server process: when it is told to stop, clients that listen are told so first."""

    def __init__(self, config: uvicorn.Config, stop_listeners: Callable[[], None]) -> None:
        super().__init__(config)
        self._stop_listeners = stop_listeners

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._stop_listeners()
        # Streams that wait for news never end by themselves; that they are cut now is no error to report.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().handle_exit(sig, frame)
