"""Read the output of a git process without waiting for ever.

git may print fewer bytes of a damaged object than it has announced, and then wait for the next request.
"""

import contextlib
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

_LOOKS = 4  # in the longest time that a read may take


class Answers(contextlib.AbstractContextManager["Answers"]):
    """The output of a running git process. Use this in a `with` block, which ends before the process does.

    If a read takes too long, the process is killed, and the read returns what there is.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", patience_s: float) -> None:
        """`patience_s`: the longest time that a read may take."""
        assert process.stdout  # noqa: S101 - it is a pipe
        self.took_too_long = False  # whether the process was killed
        self._process = process
        self._stdout = process.stdout
        self._patience_s = patience_s
        self._since: float | None = None  # when the present read began
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="zkmem-git-answers", daemon=True)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        """End the thread."""
        self._over.set()
        self._thread.join()

    def read(self, count: int) -> bytes:
        """Return the next `count` bytes, or those before the end."""
        return self._timed(self._stdout.read, count)

    def read1(self, count: int) -> bytes:
        """Return at most `count` bytes, as soon as there are some; none at the end."""
        return self._timed(self._stdout.read1, count)  # type: ignore[attr-defined]

    def readline(self) -> bytes:
        """Return the next line, or what is before the end."""
        return self._timed(self._stdout.readline, -1)

    def _timed(self, read: Callable[[int], bytes], count: int) -> bytes:
        self._since = time.monotonic()
        try:
            return read(count)
        finally:
            self._since = None

    def _watch(self) -> None:
        while not self._over.wait(self._patience_s / _LOOKS):
            since = self._since
            if since is not None and time.monotonic() - since > self._patience_s:
                self.took_too_long = True
                self._process.kill()
                return
