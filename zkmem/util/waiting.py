"""Run work in a thread that must not wait, such as that of an event loop.

Code calls `check_may_wait` before it waits or works for more than a few milliseconds. In such a thread the call raises
`WouldWait`; the caller then repeats the work in another thread.
"""

import threading
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple, Unpack

_T = TypeVar("_T")
_Arguments = TypeVarTuple("_Arguments")


class WouldWait(Exception):
    """The work needs a thread that may wait. Nothing has been changed yet."""


class _ThreadState(threading.local):
    """What this thread may do."""

    must_not_wait = False


_thread = _ThreadState()


def without_waiting(work: Callable[[Unpack[_Arguments]], _T], *arguments: *_Arguments) -> _T:
    """Call `work` in this thread, and return its result. The errors of `work` are raised, too."""
    _thread.must_not_wait = True
    try:
        return work(*arguments)
    finally:
        _thread.must_not_wait = False


def may_wait() -> bool:
    """Return whether this thread may wait, or work for long."""
    return not _thread.must_not_wait


def check_may_wait() -> None:
    """Check that this thread may wait or work for long. Call this before such work, and before anything is changed."""
    if _thread.must_not_wait:
        raise WouldWait
