"""Find the server of a vault on this machine: it notes its port and a secret in the user's configuration folder.

The file is never in the vault: a vault may come from anywhere, and must not be able to name an address. The server
keeps it locked while it runs: once it was killed, its port may be that of somebody else's program, which must not get
the prompts, nor answer them. This module imports little: each hook starts a new process.
"""

import contextlib
import os
import socket
from collections.abc import Iterator
from hashlib import blake2b
from typing import NamedTuple

from zkmem.util.portable import binary, is_locked, set_mode, try_lock

PATH = "/hook"
"""The path on the server that answers hooks."""

_FOLDER = "servers"
_MOST = 4_096  # characters of a file
_MOST_ANSWER = 1_000_000  # bytes
_LOOPBACK = ("127.0.0.1", "::1")
_ALL = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what a server that listens everywhere also listens on


class RunningServer(NamedTuple):
    """A server, as its file describes it."""

    host: str
    port: int
    path: str  # of the vault on the server; "" if it has one vault
    secret: str


def file_of(vault: str, config: str) -> str:
    """Return the path of the file about the server of the vault at a real path. `config`: the user's folder."""
    return os.path.join(config, _FOLDER, f"{blake2b(os.fsencode(vault), digest_size=16).hexdigest()}.txt")


def server_of(vault: str, config: str) -> RunningServer | None:
    """Return the server of a vault; None if there is none, it has ended, or it runs on another machine."""
    with contextlib.suppress(OSError, ValueError), open(file_of(vault, config), encoding="utf-8") as file:
        host, port, path, secret, machine = file.read(_MOST).split("\n")
        if host in _LOOPBACK and machine == socket.gethostname() and is_locked(file.fileno()):
            return RunningServer(host, int(port), path, secret)
    return None


@contextlib.contextmanager
def noted(vault: str, config: str, address: tuple[str, int], path: str, secret: str) -> Iterator[None]:
    """Note, as long as the context lasts, that this process serves a vault at an address of this machine.

    Of several servers of a vault, the first one is noted.
    """
    host, full = _ALL.get(address[0], address[0]), file_of(vault, config)
    lines = (host, str(address[1]), path, secret, socket.gethostname())
    with contextlib.ExitStack() as until_end:
        if host in _LOOPBACK:
            with contextlib.suppress(OSError):  # hooks answer by themselves then
                os.makedirs(os.path.dirname(full), mode=0o700, exist_ok=True)
                handle = binary(full, os.O_RDWR | os.O_CREAT, 0o600)
                until_end.callback(os.close, handle)
                if try_lock(handle):
                    until_end.callback(_remove, full)
                    set_mode(handle, 0o600)
                    os.ftruncate(handle, 0)
                    os.write(handle, "\n".join(lines).encode())
        yield


def _remove(full: str) -> None:
    with contextlib.suppress(OSError):  # Windows removes no open file; hooks pass over one without a lock
        os.unlink(full)


def ask(server: RunningServer, query: str, data: bytes, timeout_s: float) -> bytes | None:
    """Return what a server answers to a hook; None if there is no answer, or a refusal."""
    head = (
        f"POST {server.path}{PATH}?{query} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.secret}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
    )
    answer, family = b"", socket.AF_INET6 if ":" in server.host else socket.AF_INET
    with contextlib.suppress(OSError), socket.socket(family) as connection:
        connection.settimeout(timeout_s)
        connection.connect((server.host.encode(), server.port))  # Python would import an encoding for a text
        connection.sendall(head.encode() + data)
        while len(answer) < _MOST_ANSWER and (part := connection.recv(65_536)):
            answer += part
    headers, _, body = answer.partition(b"\r\n\r\n")
    return body if headers.startswith(b"HTTP/1.1 200 ") and b"chunked" not in headers.lower() else None
