"""The HTTP face: the server process around the ASGI application."""

import logging
import socket
from types import FrameType

import uvicorn

from zkmem.errors import BadSettings
from zkmem.memory import Memory
from zkmem.serve import api, site
from zkmem.serve.caller import Caller
from zkmem.serve.feed import Feed
from zkmem.serve.mcp_server import Face
from zkmem.serve.model import Endpoint
from zkmem.toolsets.toolset import Toolset

HOST = "127.0.0.1"  # clients on this machine alone; the SDK checks Host and Origin for it
_GRACE_S = 1


def bind(port: int) -> socket.socket:
    """A listening socket on the loopback address; port 0 takes a free one.

    Raises:
        BadSettings: when the port is taken or not ours to take.
    """
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((HOST, port))
        sock.listen(128)  # from here on a client can connect, and waits for its answer
    except OSError as error:
        sock.close()
        raise BadSettings(f"Port {port} cannot be used ({error.strerror}); choose another with --port.") from error
    return sock


def serve_http(memory: Memory, toolset: Toolset, sock: socket.socket, endpoint: Endpoint | None = None) -> None:
    """Serve MCP over HTTP on a bound socket until the process is told to stop."""
    face = Face(memory, toolset, endpoint)
    app, feed = face.server().streamable_http_app(host=HOST), Feed(memory)
    app.router.routes += api.routes(lambda _: Caller(memory.on_behalf(client="http")), feed)
    app.router.routes += site.routes()
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=_GRACE_S)
    _Process(config, face, feed).run(sockets=[sock])


class _Process(uvicorn.Server):
    """The server process: when it is told to stop, clients that listen are told so first."""

    def __init__(self, config: uvicorn.Config, face: Face, feed: Feed) -> None:
        super().__init__(config)
        self._feed = feed
        self._face = face

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._face.stop_listeners()
        self._feed.close()
        # Streams that wait for news never end by themselves; that they are cut now is no error to report.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().handle_exit(sig, frame)
