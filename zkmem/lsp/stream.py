"""Messages over standard input and output: read in one thread, written in another, so that neither stops the server."""

import contextlib
import logging
import queue
import re
import threading
from typing import BinaryIO

MOST_BYTES = 100_000_000  # of one message
_MOST_WAITING = 16_000_000  # bytes of messages
_LONGEST_LINE = 4_096  # of a header
_MOST_LINES = 50
_PATIENCE_S = 2.0  # for an editor that does not read

_LENGTH = re.compile(rb"content-length:[ \t]*(\d{1,12})\s*", re.IGNORECASE)

_log = logging.getLogger(__name__)


def read_message(stream: BinaryIO) -> bytes | None:
    """Return the next message of a stream; empty bytes for one that is too large, None at the end of the stream.

    Lines that belong to no message are skipped.
    """
    length = None
    for _ in range(_MOST_LINES):
        line = stream.readline(_LONGEST_LINE)
        if not line:
            return None
        if match := _LENGTH.fullmatch(line):
            length = int(match[1])
        elif not line.strip() and length is not None:
            break
    else:
        return b""
    if length is None or length > MOST_BYTES:
        _log.warning("A message of %s bytes is left out", length)
        return b"" if _skip(stream, length or 0) else None
    body = stream.read(length)
    return body if len(body) == length else None


def _skip(stream: BinaryIO, count: int) -> bool:
    """Read and forget bytes; return whether there were so many."""
    while count and (part := stream.read(min(count, 1_000_000))):
        count -= len(part)
    return not count


class Backlog:
    """Counts what is not done yet, such as requests or bytes. Another thread can wait while it is more than `most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self.is_over = False  # whether nobody needs to wait any more
        self._news = threading.Condition()

    def add(self, count: int) -> None:
        """Add what is to be done; take off what is done with a negative count."""
        with self._news:
            self._count += count
            self._news.notify_all()

    def end(self) -> None:
        """Let nobody wait any more."""
        with self._news:
            self.is_over = True
            self._news.notify_all()

    def wait(self) -> None:
        """Wait while the count is more than `most`."""
        with self._news:
            self._news.wait_for(lambda: self._count <= self._most or self.is_over)


class MessageWriter:
    """Writes messages in a thread: an editor that does not read must not stop the event loop."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.backlog = Backlog(_MOST_WAITING)  # bytes that the editor has not read
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="zkmem-lsp-write", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Write a message soon, after those before it. Drop it if the editor is gone."""
        if not self.backlog.is_over:
            self.backlog.add(len(data))
            self._waiting.put(data)

    def close(self) -> None:
        """Wait a moment until all messages are written."""
        self._waiting.put(None)
        self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # the editor is gone
            while (data := self._waiting.get()) is not None:
                self._stream.write(data)
                self._stream.flush()
                self.backlog.add(-len(data))
        self.backlog.end()
