"""The server process over HTTP: its socket, and how it stops."""

import logging
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from zkmem.errors import BadSettings

_GRACE_S = 1
_MOST_REQUESTS = 2_000  # at once, streams of news included; more get a 503


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
        sock.listen(128)  # from here on a client can connect, and waits for its answer
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
        log_level="warning",
        timeout_graceful_shutdown=_GRACE_S,
        limit_concurrency=_MOST_REQUESTS,
        server_header=False,
    )
    _Process(config, stop_listeners).run(sockets=[sock])


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
