"""Notes as the index reads them: a row for each; many are read by processes of their own, up to four.

Such a process runs `main`: it answers each list of files with the list of their rows.
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
import time
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

from zkmem.index.catalog import Row
from zkmem.markdown.note import Facts, parse
from zkmem.vault import files
from zkmem.vault.files import MOST_BYTES, LargeFile, Stamp, etag
from zkmem.vault.nofollow import folders_kept

RACY_NS = 20_000_000  # a file system's clock may tick as slowly as this: two writes within it can share a stamp
_RACY_WHOLE_NS = 2_000_000_000  # FAT counts every other second; its stamps have no fraction
_SECOND_NS = 1_000_000_000
_MANY = 20_000  # notes: to read as many takes longer than to start the processes
_MOST_PROCESSES = 4
_SLICE = 64
_SLICE_SENT = 512
_LENGTH = 8  # bytes before each message, which tell its length
_LONGEST = 1 << 32
_PATIENCE_S = 60.0  # for some notes; one that takes longer is read here
_START = "import sys; sys.path += sys.argv[1:]; from zkmem.index.reader import main; main()"

_NEEDED = ("zkmem", "pyromark", "yaml")  # by what it runs

_log = logging.getLogger(__name__)


class Job(NamedTuple):
    """A note to be read: where it is on disk, its stamp as it was found, and what was known of it."""

    full: str
    stamp: Stamp
    known: Row | None = None
    most: int = MOST_BYTES  # a larger one is not read


def row_of(job: Job) -> Row:
    """Read a note. One that cannot be read is kept, as a note without links and with its fault.

    So is one that is too large, whose bytes stand for its characters; it is looked at again once its stamp differs.
    """
    now = time.time_ns()  # before the read: what is written during it must not pass for read
    try:
        data, stamp = files.read(job.full, job.most)
    except LargeFile as error:
        size, fault = max(job.stamp.size, job.most + 1), f"{error.strerror}: its links are not read"
        return Row(job.stamp, Facts(characters=size, fault=fault), racy=_is_racy(job.stamp, now))
    except OSError as error:
        return Row(job.stamp, Facts(fault=f"cannot be read: {error.strerror or error}"), unread=True)
    tag, known = etag(data), job.known
    facts = known.facts if known and known.facts and tag == known.etag else parse(data)
    return Row(stamp, facts, etag=tag, racy=_is_racy(stamp, now))


def rows_of(jobs: Sequence[Job]) -> Iterator[list[Row]]:
    """Read notes, some at a time, in their order."""
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


def _is_racy(stamp: Stamp, now: int) -> bool:
    """Whether a file may still be written to without a change of its stamp, as it was just read."""
    return any(abs(now - when) < _tick_ns(when) for when in (stamp.mtime_ns, stamp.ctime_ns))


def _tick_ns(when: int) -> int:
    return RACY_NS if when % _SECOND_NS else _RACY_WHOLE_NS


class _Process:
    """A process that reads notes; once it fails, they are read here."""

    def __enter__(self) -> "_Process":
        command = [sys.executable, "-I", "-S", "-c", _START, *_homes()]
        try:  # in a session of its own: Ctrl-C is for this process, whose end is the end of the other one's input
            self._process: subprocess.Popen[bytes] | None = subprocess.Popen(  # noqa: S603 - ourselves
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
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
                with _killed_late(self._process):  # it may take in nothing, either
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
    """Have a process killed that stands still."""
    timer = threading.Timer(_PATIENCE_S, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@functools.cache
def _homes() -> list[str]:
    """The folders that a process finds its modules in: it must not look for them where it is started, say a vault."""
    files = [spec.origin for name in _NEEDED if (spec := importlib.util.find_spec(name))]
    return list(dict.fromkeys(os.path.dirname(os.path.dirname(file)) for file in files if file))


def _plain(row: Row | None) -> tuple[object, ...] | None:
    """A row as `marshal` takes it."""
    return row and (tuple(row.stamp), row.facts and tuple(row.facts), *row[2:])


def _row(plain: Any) -> Row:
    stamp, facts, *rest = plain
    return Row(Stamp._make(stamp), facts and Facts._make(facts), *rest)


def _send(to: IO[bytes], message: Any) -> None:
    data = marshal.dumps(message)
    to.write(len(data).to_bytes(_LENGTH, "big") + data)
    to.flush()


def _receive(source: IO[bytes]) -> Any:
    """The next message.

    Raises:
        EOFError: when there is none, or not all of it.
    """
    length = int.from_bytes(source.read(_LENGTH), "big")
    data = source.read(length) if length <= _LONGEST else b""
    if not length or len(data) < length:
        raise EOFError("it is no answer, or ends early")
    return marshal.loads(data)  # noqa: S302 - from a process of our own


def main() -> None:
    """Answer until the input ends."""
    source, to = sys.stdin.buffer, sys.stdout.buffer
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            asked = _receive(source)
            jobs = [Job(full, Stamp._make(stamp), known and _row(known), most) for full, stamp, known, most in asked]
            _send(to, list(map(_plain, _rows(jobs))))
