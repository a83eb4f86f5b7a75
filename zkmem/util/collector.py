"""Spare work that makes many objects the time that garbage collection would take to look at them."""

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
def imports() -> Iterator[None]:
    """Import modules in this block without garbage collection, which never looks at them later, either."""
    with no_collector():
        yield
        gc.freeze()
