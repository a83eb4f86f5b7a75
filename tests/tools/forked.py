"""Run commands and servers of zkmem in processes that are forked from one that has imported zkmem.

Imports take most of the time of a start. A test of the start itself (its time, its imports, its signals, its streams,
or a variable that Python reads) must start a new process instead.
"""

import atexit
import contextlib
import functools
import io
import marshal
import multiprocessing
import os
import pathlib
import pkgutil
import pty
import re
import runpy
import shutil
import socket
import socketserver
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from threading import Thread, Timer

import zkmem.cli
from zkmem.serve.access.signin import users

_PATIENCE_S = 120
users._LOG_N = 4  # here and in each server that is forked: else each check takes a quarter of a second
_FORKS = multiprocessing.get_context("forkserver")
_COMMANDS = (f"zkmem.cli.{module.name}" for module in pkgutil.iter_modules(zkmem.cli.__path__))
_FORKS.set_forkserver_preload([__name__, "mcp.client.stdio", *_COMMANDS])

_PROGRAM = """#!PYTHON -IS
import _socket, marshal, os, signal, sys

def number():
    return int.from_bytes(server.recv(8, _socket.MSG_WAITALL), "big", signed=True)

server = _socket.socket(_socket.AF_UNIX)
server.connect("FOLDER/socket")
streams = b"".join(stream.to_bytes(4, sys.byteorder) for stream in range(3))
server.sendmsg([b" "], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
server.sendall(marshal.dumps((sys.argv[1:], os.getcwd(), dict(os.environ))))
server.shutdown(_socket.SHUT_WR)
process = number()
for kind in (signal.SIGINT, signal.SIGTERM):
    signal.signal(kind, lambda kind, _: os.kill(process, kind))
code = number()
sys.exit(code if code >= 0 else 128 - code)
"""
"""It asks for a forked process with its own streams, passes signals on to that, and ends as that does."""


def zkmem_command(
    *arguments: str,
    given: str = "",
    cwd: str | os.PathLike[str] = "",
    environ: Mapping[str, str] | None = None,
    check: bool = False,
) -> "subprocess.CompletedProcess[str]":
    """Run a command of zkmem in a forked process; return what `subprocess.run` would return, with its output as text.

    `given`: what is written to its standard input. `environ`: its whole environment; None for that of this process.
    """
    (read_in, stdin), (stdout, write_out), (stderr, write_err) = (_FORKS.Pipe(duplex=False) for _ in range(3))
    process = _started(arguments, (read_in, write_out, write_err), cwd, environ)
    give_up = Timer(_PATIENCE_S, process.kill)
    give_up.start()
    try:
        with stdout, stderr, ThreadPoolExecutor(2) as readers:
            printed = [readers.submit(_text, one) for one in (stdout, stderr)]
            with stdin, contextlib.suppress(BrokenPipeError), _stream(stdin, "w") as stream:
                stream.write(given)
            out, err = (one.result() for one in printed)
        process.join()
        code = process.exitcode
    finally:
        give_up.cancel()
        process.kill()
        process.join()
        process.close()
    assert code is not None
    done = subprocess.CompletedProcess(["zkmem", *arguments], code, out, err)
    if check:
        done.check_returncode()
    return done


def zkmem_on_a_terminal(*arguments: str) -> str:
    """Run a command of zkmem whose output and errors go to a terminal; return what it wrote there."""
    person, terminal = pty.openpty()
    process = _started(arguments, (None, Connection(terminal), Connection(os.dup(terminal))), "", None)
    blocks = []
    with open(person, "rb") as screen, contextlib.suppress(OSError):  # the command has ended
        while block := screen.read1():
            blocks.append(block)
    process.join(_PATIENCE_S)
    process.close()
    return b"".join(blocks).decode()


@contextmanager
def forked_serving(words: Sequence[str], **environ: str) -> Iterator[str]:
    """Run a command of zkmem that serves; yield the address that it prints."""
    said, stderr = _FORKS.Pipe(duplex=False)
    process = _started(words, (None, None, stderr), "", {**os.environ, **environ})
    with said, _stream(said, "r") as lines:
        url = next((found[1] for line in lines if (found := re.match(r"Address: (\S+)", line))), "")
        rest = Thread(target=deque, args=(lines, 0))  # a full pipe would stop the server
        rest.start()
        try:
            assert url, "the server printed no address"
            yield url
        finally:
            process.terminate()
            process.join()
            rest.join()
            process.close()


@functools.cache
def zkmem_program() -> str:
    """Return the path of a program `zkmem`, for shells and clients. It runs commands in forked processes."""
    folder = tempfile.mkdtemp(prefix="zkmem-program-")
    atexit.register(shutil.rmtree, folder)
    program = pathlib.Path(folder, "zkmem")
    program.write_text(_PROGRAM.replace("PYTHON", sys.executable).replace("FOLDER", folder), "utf-8")
    program.chmod(0o755)
    server = socketserver.ThreadingUnixStreamServer(f"{folder}/socket", _Starter)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    return str(program)


class _Starter(socketserver.BaseRequestHandler):
    """Runs a command for the program, and tells it the process and how that ended."""

    def handle(self) -> None:
        _, streams, *_ = socket.recv_fds(self.request, 1, 3)
        with self.request.makefile("rb") as sent:
            words, cwd, environ = marshal.loads(sent.read())
        process = _started(words, [Connection(stream) for stream in streams], cwd, environ)
        assert process.pid is not None
        self.request.sendall(process.pid.to_bytes(8, "big"))
        process.join()
        assert process.exitcode is not None
        self.request.sendall(process.exitcode.to_bytes(8, "big", signed=True))
        process.close()


def _started(
    words: Sequence[str],
    streams: Sequence[Connection | None],
    cwd: str | os.PathLike[str],
    environ: Mapping[str, str] | None,
) -> "multiprocessing.context.ForkServerProcess":
    """Start a command with the other ends of pipes as its streams. None stands for the null device."""
    values = dict(os.environ if environ is None else environ)
    process = _FORKS.Process(target=_run, args=(words, streams, cwd or os.getcwd(), values))
    process.start()
    for stream in filter(None, streams):
        stream.close()
    return process


def _stream(end: Connection, mode: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        open(end.fileno(), mode + "b", closefd=False), encoding="utf-8", errors="surrogateescape", newline=""
    )


def _text(end: Connection) -> str:
    with _stream(end, "r") as stream:
        return stream.read()


def _run(
    words: Sequence[str],
    streams: Sequence[Connection | None],
    cwd: str | os.PathLike[str],
    environ: Mapping[str, str],
) -> None:
    """Run the command in this process, which was forked, in the folder and the environment of the test."""
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    os.chdir(cwd)
    setattr(os, "fsync", os.fstat)  # noqa: B010 - as in the process of the tests
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno() if stream else nowhere, number)
        if stream:
            stream.close()  # else the reader of an output would wait for it
    os.close(nowhere)
    # new streams, since the old ones may still treat the descriptors as those of a file in which one can seek;
    # `closefd`: the command closes streams to which nothing refers any more
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = out = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = err = open(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    vars(sys).update(__stdout__=out, __stderr__=err)
    sys.argv = ["zkmem", *words]
    runpy.run_module("zkmem", run_name="__main__", alter_sys=True)
