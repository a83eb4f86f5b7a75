"""The notes that a person sees first: those to start from, and those that changed last."""

import contextlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from zkmem.errors import UnknownNote
from zkmem.index.catalog import Catalog
from zkmem.index.lookup import known_note, name_for
from zkmem.recall.lines import opening
from zkmem.recall.ranking import Hint
from zkmem.vault.files import LargeFile, Read


class Opening(NamedTuple):
    """A note, the beginning of its text, and the time of the last change of its file in seconds since 1970."""

    name: str
    line: str
    changed: float


class Home(NamedTuple):
    """The notes to start from, and those that changed last, the latest first."""

    hints: list[Opening]
    recent: list[Opening]


def home(catalog: Catalog, hints: Iterable[Hint], folder: str, read: Read, count: int) -> Home:
    """Return the notes of the hints, and at most `count` below a folder that changed last, with their first lines."""
    paths = []
    for hint in hints:
        with contextlib.suppress(UnknownNote):  # it has been removed meanwhile
            paths.append(known_note(catalog, hint.name))
    recent = catalog.latest(count, folder)
    return Home(list(_openings(catalog, read, paths)), list(_openings(catalog, read, recent)))


def _openings(catalog: Catalog, read: Read, paths: Iterable[str]) -> Iterator[Opening]:
    for path in paths:
        with contextlib.suppress(OSError, LargeFile):  # it is gone, or too large to be read whole
            yield Opening(name_for(catalog, path), opening(read(path)), catalog.rows[path].stamp.mtime_ns / 1e9)
