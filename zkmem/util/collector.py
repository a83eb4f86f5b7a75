"""Switch off garbage collection while many objects are made that stay."""

import contextlib
import gc
from collections.abc import Iterator


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
def importing() -> Iterator[None]:
    """Switch off garbage collection in this block, and leave all objects that exist at its end out of later ones.

    This is for imports at the start of a process, since modules stay until its end.
    """
    with no_collector():
        yield
        gc.freeze()


def give_back() -> None:
    """Give memory that is no longer used back to the system, if its C library can do so."""
    import ctypes  # noqa: PLC0415 - only a process that stays needs it

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
