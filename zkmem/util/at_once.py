"""Try work in a thread that must not wait, such as the thread of an event loop.

Code that is about to wait, or to take longer than some milliseconds, calls `may_take_long` first. In such a thread that
ends the work; the caller repeats it in another thread.
"""

import threading
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple, Unpack

_T = TypeVar("_T")
_Arguments = TypeVarTuple("_Arguments")


class TakesLong(Exception):
    """The work would wait or take long. It has changed nothing yet."""


class _Here(threading.local):
    """Whether the work of this thread must not wait."""

    at_once = False


_here = _Here()


def at_once(work: Callable[[Unpack[_Arguments]], _T], *arguments: *_Arguments) -> _T:
    """Call `work` in this thread, and return its result.

    Raises:
        TakesLong: when it would wait or take long. Any error of `work`.
    """
    _here.at_once = True
    try:
        return work(*arguments)
    finally:
        _here.at_once = False


def may_wait() -> bool:
    """Return whether the work of this thread may wait."""
    return not _here.at_once


def may_take_long() -> None:
    """Announce that the work is about to wait or to take long. Call this before anything is changed.

    Raises:
        TakesLong: when `at_once` runs the work.
    """
    if _here.at_once:
        raise TakesLong
