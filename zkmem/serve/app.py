"""The HTTP face: the server process around the ASGI application."""

import socket
from collections.abc import Iterable

import uvicorn

from zkmem.errors import BadSettings
from zkmem.memory import Memory
from zkmem.serve.mcp_server import http_app
from zkmem.toolsets.tool import Tool

HOST = "127.0.0.1"


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


def serve_http(memory: Memory, tools: Iterable[Tool], sock: socket.socket) -> None:
    """Serve MCP over HTTP on a bound socket until the process is told to stop."""
    config = uvicorn.Config(http_app(memory, tools), log_level="warning", timeout_graceful_shutdown=2)
    uvicorn.Server(config).run(sockets=[sock])
