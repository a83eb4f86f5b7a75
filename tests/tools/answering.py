"""A module that answers requests in processes of its own: see `zkmem.util.workers`."""

import os
import signal
from typing import Any

from zkmem.util.workers import serve


def answer(request: Any) -> list[Any]:
    """Return a request, and the number of the process that answers it."""
    return [request, os.getpid()]


def answer_or_not(request: Any) -> list[Any]:
    """Return an answer; `die` kills the process, `hang` stops it."""
    if request in ("die", "hang"):
        os.kill(os.getpid(), signal.SIGKILL if request == "die" else signal.SIGSTOP)
    return answer(request)


def main() -> None:
    """Answer requests."""
    serve(answer_or_not)
