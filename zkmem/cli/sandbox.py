"""Make a temporary copy of a vault, for measurements that change it."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from zkmem import config
from zkmem.cli.group import terminable
from zkmem.cli.measures import files
from zkmem.errors import Unwritable
from zkmem.names import is_note

_FACTOR = 4  # times the size of the notes: for the copy, the cache with the words, and replaced texts
_SLACK = 64_000_000  # bytes that the copy may need in addition

Say = Callable[[str], None]


class Box(NamedTuple):
    """A copy of a vault, a folder for its cache, and how many notes and bytes it has."""

    vault: str
    cache: str
    notes: int
    size: int


@contextmanager
def copied(root: str, say: Say) -> Iterator[Box]:
    """Copy the notes, canvases and settings of a vault; copy other files without content, since links may mean them.

    Raises:
        Unwritable: when the disk has too little space.
    """
    with terminable(), tempfile.TemporaryDirectory(prefix="zkmem-bench-") as folder:
        vault = os.path.join(folder, "vault")
        os.mkdir(vault)
        entries = [(os.path.relpath(entry.path, root), entry.stat().st_size) for entry in files(root)]
        size = sum(size for name, size in entries if _is_text(name))
        _check_space(folder, size)
        for name, _ in entries:
            _copy(os.path.join(root, name), os.path.join(vault, name), say, whole=_is_text(name))
        if os.path.exists(os.path.join(root, config.FILE)):
            _copy(os.path.join(root, config.FILE), os.path.join(vault, config.FILE), say)
        yield Box(vault, os.path.join(folder, "cache"), sum(is_note(name) for name, _ in entries), size)


def _is_text(name: str) -> bool:
    return is_note(name) or name.lower().endswith(".canvas")


def _check_space(folder: str, size: int) -> None:
    needed, free = _FACTOR * size + _SLACK, shutil.disk_usage(folder).free
    if free < needed:
        raise Unwritable(
            f"The copy needs {needed / 1e6:.0f} MB in {os.path.dirname(folder)!r}, where {free / 1e6:.0f} MB are free; "
            "set TMPDIR to a folder with more space."
        )


def _copy(source: str, target: str, say: Say, *, whole: bool = True) -> None:
    """Copy a file with its times, or make an empty one."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if not whole:
        with open(target, "xb"):
            return
    try:
        shutil.copy2(source, target)
    except FileNotFoundError:  # it was removed a moment ago
        return
    except PermissionError:
        say(f"Left out, since it cannot be read: {os.fsencode(source)!r}")
