"""A copy of a vault to try things on, which is gone afterwards."""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from zkmem import config
from zkmem.cli.measures import files
from zkmem.errors import Unwritable
from zkmem.names import is_note

_ROOM = 4  # times the size of the notes: the copy, the cache with their words, what edits replace
_SLACK = 64_000_000  # bytes

Say = Callable[[str], None]


class Box(NamedTuple):
    """A copy of a vault, a folder for its cache, and how many notes and bytes it has."""

    vault: str
    cache: str
    notes: int
    size: int


@contextmanager
def copied(root: str, say: Say) -> Iterator[Box]:
    """Copy the notes and canvases of a vault, and its settings; other files that links may mean are copied empty.

    Raises:
        Unwritable: when the disk has no room for it.
    """
    with _terminable(), tempfile.TemporaryDirectory(prefix="zkmem-bench-") as folder:
        vault = os.path.join(folder, "vault")
        os.mkdir(vault)
        entries = [(os.path.relpath(entry.path, root), entry.stat().st_size) for entry in files(root)]
        size = sum(size for name, size in entries if _is_text(name))
        _check_room(folder, size)
        for name, _ in entries:
            _copy(os.path.join(root, name), os.path.join(vault, name), say, whole=_is_text(name))
        if os.path.exists(os.path.join(root, config.FILE)):
            _copy(os.path.join(root, config.FILE), os.path.join(vault, config.FILE), say)
        yield Box(vault, os.path.join(folder, "cache"), sum(is_note(name) for name, _ in entries), size)


def _is_text(name: str) -> bool:
    return is_note(name) or name.lower().endswith(".canvas")


def _check_room(folder: str, size: int) -> None:
    needed, free = _ROOM * size + _SLACK, shutil.disk_usage(folder).free
    if free < needed:
        raise Unwritable(
            f"The copy needs {needed / 1e6:.0f} MB in {os.path.dirname(folder)!r}, where {free / 1e6:.0f} MB are free; "
            "name a folder with more room in TMPDIR."
        )


def _copy(source: str, target: str, say: Say, *, whole: bool = True) -> None:
    """Copy a file with its times, or make an empty one."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if not whole:
        with open(target, "xb"):
            return
    try:
        shutil.copy2(source, target)
    except FileNotFoundError:  # it has just gone
        return
    except PermissionError:
        say(f"Left out, it cannot be read: {os.fsencode(source)!r}")


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM, and the end of the terminal, end the command as Ctrl-C does."""
    signals = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, lambda number, _: sys.exit(128 + number)) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)
