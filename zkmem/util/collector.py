"""Keep the memory of a process small, and collect no garbage while many objects are made that stay."""

import contextlib
import gc
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes

_ARENA_MAX, _TRIM_THRESHOLD = -8, -1  # options of `mallopt` in the GNU C library


@contextlib.contextmanager
def no_collector() -> Iterator[None]:
    """Switch off garbage collection in this block, which makes many objects but hardly any garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextlib.contextmanager
def importing(*, collect: bool = False) -> Iterator[None]:
    """Switch off garbage collection in this block, and leave all objects that exist at its end out of later ones.

    This is for imports at the start of a process, since modules stay until its end. `collect`: free their garbage
    first, which would otherwise stay, too. It pays if the imports make very much of it.
    """
    with no_collector():
        yield
        if collect:
            gc.collect()
        gc.freeze()


def give_back() -> None:
    """Give memory that is no longer used back to the system, if its C library can do so."""
    with contextlib.suppress(OSError, AttributeError):
        _c_library().malloc_trim(0)


def hold_little() -> None:
    """Let the C library hold less memory that is not in use, if it can: one heap for all threads, with a short end.

    Call this before other threads start. It suits a process whose threads seldom allocate at the same time.
    """
    with contextlib.suppress(OSError, AttributeError):
        _c_library().mallopt(_ARENA_MAX, 1)
        _c_library().mallopt(_TRIM_THRESHOLD, 128 * 1024)  # the default, which the library would raise by itself


def _c_library() -> "ctypes.CDLL":
    import ctypes  # noqa: PLC0415 - only a process that stays needs it

    return ctypes.CDLL(None)
