"""Read notes into rows for the index. Up to four other processes read them if there are many.

Each of these processes runs `main`: it answers each list of files with the list of their rows.
"""

import contextlib
import logging
import marshal
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

from zkmem.index.catalog import Row
from zkmem.markdown.note import Facts, parse
from zkmem.util.child import command
from zkmem.vault import files
from zkmem.vault.files import MOST_BYTES, LargeFile, Stamp, etag
from zkmem.vault.nofollow import folders_kept

_MANY = 20_000  # notes; reading so many takes longer than starting the processes
_MOST_PROCESSES = 4
_SLICE = 64
_SLICE_SENT = 512
_LENGTH = 8  # bytes before each message, which hold its length
_LONGEST = 1 << 32
_PATIENCE_S = 60.0  # for one message; if an answer takes longer, this process reads the notes itself
_NEEDED = ("pyromark", "yaml")  # the installed packages that this module imports

_log = logging.getLogger(__name__)


class Job(NamedTuple):
    """A note to be read: its full path, its stamp, and its last known row."""

    full: str
    stamp: Stamp
    known: Row | None = None
    most: int = MOST_BYTES  # a larger one is not read


def row_of(job: Job) -> Row:
    """Read a note, and return its row. For a note that cannot be read, the row has a fault and no links.

    The row of a note that is too large also has a fault and no links, and its count of characters is its size in bytes.
    Such a note is read again only when its stamp has changed.
    """
    now = time.time_ns()  # before the read: a write during the read must make the row racy
    try:
        data, stamp = files.read(job.full, job.most)
    except LargeFile as error:
        size, fault = max(job.stamp.size, job.most + 1), f"{error.strerror}: its links are not read"
        return Row(job.stamp, Facts(characters=size, fault=fault), racy=job.stamp.is_racy(now))
    except OSError as error:
        return Row(job.stamp, Facts(fault=f"cannot be read: {error.strerror or error}"), unread=True)
    return row_with(data, stamp, job.known, racy=stamp.is_racy(now))


def row_with(data: bytes, stamp: Stamp, known: Row | None = None, *, racy: bool) -> Row:
    """Return the row of a note with these bytes. If its last `known` row has their etag, they are not parsed again."""
    tag = etag(data)
    facts = known.facts if known and known.facts and tag == known.etag else parse(data)
    return Row(stamp, facts, etag=tag, racy=racy)


def rows_of(jobs: Sequence[Job]) -> Iterator[list[Row]]:
    """Read notes; yield their rows in order, some at a time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if len(jobs) < _MANY or cores < 2 or not sys.executable:
        yield from map(_rows, _parts(jobs, _SLICE))
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - seldom needed

    with contextlib.ExitStack() as stack:
        processes: queue.SimpleQueue[_Process] = queue.SimpleQueue()
        count = min(cores, _MOST_PROCESSES)
        for _ in range(count):
            processes.put(stack.enter_context(_Process()))

        def ask(part: Sequence[Job]) -> list[Row]:
            process = processes.get()
            try:
                return process.rows(part)
            finally:
                processes.put(process)

        pool = stack.enter_context(ThreadPoolExecutor(count))
        stack.callback(pool.shutdown, cancel_futures=True)
        yield from pool.map(ask, _parts(jobs, _SLICE_SENT))


def _rows(jobs: Sequence[Job]) -> list[Row]:
    """Read some notes."""
    with folders_kept():
        return [row_of(job) for job in jobs]


def _parts(jobs: Sequence[Job], size: int) -> Iterator[Sequence[Job]]:
    return (jobs[start : start + size] for start in range(0, len(jobs), size))


class _Process:
    """A process that reads notes. If it fails, this process reads them itself."""

    def __enter__(self) -> "_Process":
        try:  # in its own session, without Ctrl-C: it ends when this process ends, which closes its input
            self._process: subprocess.Popen[bytes] | None = subprocess.Popen(  # noqa: S603 - ourselves
                command(__name__, _NEEDED), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            _log.info("no process to read notes with: %s", error)
            self._process = None
        return self

    def __exit__(self, *_: object) -> None:
        if self._process:
            self._process.kill()  # it has nothing to lose
            self._process.communicate()

    def rows(self, jobs: Sequence[Job]) -> list[Row]:
        if self._process and self._process.stdin and self._process.stdout:
            try:
                with _killed_late(self._process):  # sending may hang, too
                    _send(
                        self._process.stdin, [(job.full, tuple(job.stamp), _plain(job.known), job.most) for job in jobs]
                    )
                    return [_row(each) for each in _receive(self._process.stdout)]
            except (OSError, EOFError, ValueError, TypeError) as error:
                _log.warning("a process that reads notes has ended: %r", error)
                self.__exit__()
                self._process = None
        return _rows(jobs)


@contextlib.contextmanager
def _killed_late(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Kill a process if this block takes longer than `_PATIENCE_S`."""
    timer = threading.Timer(_PATIENCE_S, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _plain(row: Row | None) -> tuple[object, ...] | None:
    """Return a row as plain tuples, which `marshal` accepts."""
    return row and (tuple(row.stamp), row.facts and tuple(row.facts), *row[2:])


def _row(plain: Any) -> Row:
    stamp, facts, *rest = plain
    return Row(Stamp._make(stamp), facts and Facts._make(facts), *rest)


def _send(to: IO[bytes], message: Any) -> None:
    data = marshal.dumps(message)
    to.write(len(data).to_bytes(_LENGTH, "big") + data)
    to.flush()


def _receive(source: IO[bytes]) -> Any:
    """Read the next message.

    Raises:
        EOFError: when there is none, or it is incomplete.
    """
    length = int.from_bytes(source.read(_LENGTH), "big")
    data = source.read(length) if length <= _LONGEST else b""
    if not length or len(data) < length:
        raise EOFError("the message is missing or incomplete")
    return marshal.loads(data)  # noqa: S302 - from a process of our own


def main() -> None:
    """Answer lists of files with lists of rows until the input ends."""
    source, to = sys.stdin.buffer, sys.stdout.buffer
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            request = _receive(source)
            jobs = [Job(full, Stamp._make(stamp), known and _row(known), most) for full, stamp, known, most in request]
            _send(to, list(map(_plain, _rows(jobs))))
