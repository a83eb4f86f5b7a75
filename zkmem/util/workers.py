"""Processes that share the work of a module. Each answers requests, one at a time, and imports only what it needs.

Requests and answers are made of what `marshal` knows: None, numbers, texts, bytes, tuples, lists and dictionaries.
"""

import contextlib
import functools
import importlib.util
import logging
import marshal
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO, Any

_MOST = 4  # processes
_LENGTH = 8  # bytes before each message, which hold its length
_LONGEST = 1 << 32
_PATIENCE_S = 60.0  # for one message; if an answer takes longer, this process does the work itself

_log = logging.getLogger(__name__)

Answer = Callable[[Any], Any]


class Workers:
    """Processes that run a module. Thread-safe."""

    def __init__(self, module: str, needed: tuple[str, ...], answer: Answer) -> None:
        """Start the processes: one for each processor, four at most.

        `module`: its function `main` calls `serve(answer)`. `needed`: the installed packages that it imports. `answer`:
        called in this process for the requests of a process that has failed.
        """
        self._answer = answer
        self._is_closed = False
        self._free: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        count = min(cores(), _MOST)
        self._workers = [_Worker(command(module, needed)) for _ in range(count)]
        for worker in self._workers:
            self._free.put(worker)
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="zkmem-workers")

    def submit(self, request: Any) -> "Future[Any]":
        """Send a request to a process and return a future of the answer."""
        return self._threads.submit(self._ask, request)

    def answers(self, requests: Iterable[Any]) -> Iterator[Any]:
        """Yield the answers to some requests in order; only a few requests are taken ahead."""
        waiting: deque[Future[Any]] = deque()
        for request in requests:
            waiting.append(self.submit(request))
            if len(waiting) > 2 * len(self._workers):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def close(self) -> None:
        """End the processes. A request that waits fails."""
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.kill()
        self._threads.shutdown()
        for worker in self._workers:
            worker.release()

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, request: Any) -> Any:
        worker = self._free.get()
        try:
            return worker.ask(request)
        except (OSError, EOFError, ValueError, TypeError) as error:
            worker.kill()
            if self._is_closed:
                raise
            _log.info("a worker process failed, so this process does its work: %r", error)
            return self._answer(request)
        finally:
            self._free.put(worker)


class _Worker:
    """One process."""

    def __init__(self, words: list[str]) -> None:
        try:  # in its own session, without Ctrl-C: it ends when this process ends, which closes its input
            self._process: subprocess.Popen[bytes] | None = subprocess.Popen(  # noqa: S603 - ourselves
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            _log.info("a worker process cannot be started: %s", error)
            self._process = None

    def ask(self, request: Any) -> Any:
        """Return the answer to a request."""
        process = self._process
        if not process or not process.stdin or not process.stdout:
            raise EOFError("the process has not started")
        with _time_limit(process):  # sending may hang, too
            _send(process.stdin, request)
            return _receive(process.stdout)

    def kill(self) -> None:
        """End the process; it has nothing to lose."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def release(self) -> None:
        """Close the pipes to a process that has ended, when no thread uses them."""
        if self._process:
            self._process.communicate()


@contextlib.contextmanager
def _time_limit(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Kill a process if this block takes longer than `_PATIENCE_S`."""
    timer = threading.Timer(_PATIENCE_S, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _send(to: IO[bytes], message: Any) -> None:
    data = marshal.dumps(message)
    to.write(len(data).to_bytes(_LENGTH, "big") + data)
    to.flush()


def _receive(source: IO[bytes]) -> Any:
    """Read the next message."""
    length = int.from_bytes(source.read(_LENGTH), "big")
    data = source.read(length) if length <= _LONGEST else b""
    if not length or len(data) < length:
        raise EOFError("the message is missing or incomplete")
    return marshal.loads(data)  # noqa: S302 - from a process of our own


def serve(answer: Answer) -> None:
    """Answer the requests of the process that has started this one, until it ends."""
    source, to = sys.stdin.buffer, sys.stdout.buffer
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            _send(to, answer(_receive(source)))


def command(module: str, needed: tuple[str, ...], *arguments: str) -> list[str]:
    """Return the words of a command that calls `main` of a module, which gets `arguments` in `sys.argv`.

    `needed` names the installed packages that the module imports. The process imports from their folders and that of
    zkmem alone: not from the current folder, which may be a vault, and without the time that `site` takes.
    """
    start = f"import sys; sys.path += {_homes(('zkmem', *needed))!r}; from {module} import main; main()"
    return [sys.executable, "-I", "-S", "-c", start, *arguments]


def cores() -> int:
    """Return how many processes can work at the same time; 1 if this process cannot start others."""
    if not sys.executable:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def _homes(names: tuple[str, ...]) -> list[str]:
    files = [spec.origin for name in names if (spec := importlib.util.find_spec(name))]
    return list(dict.fromkeys(os.path.dirname(os.path.dirname(file)) for file in files if file))
