"""The vault as a whole: the graph of its links, the notes that a person sees first, and the order of hints for it."""

import contextlib
import heapq
import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.errors import UnknownNote
from zkmem.index.catalog import Catalog
from zkmem.index.graph import MISSING, counts, is_missing, written_targets
from zkmem.index.lookup import known_note, name_for
from zkmem.markdown.one_line import opening
from zkmem.names import BASE_SUFFIX, below, fold, folder_of, is_note
from zkmem.recall.ranking import Hint, Order, Ranking
from zkmem.util.spelling import told_apart
from zkmem.vault.files import LargeFile, Read

_FIRST = 10  # hints that are compared: the default number of hints
_WIDEST = 3
_WIDE = 10  # a note with this many links may be an index page
_NAMED = 5
_NUMBERS = re.compile(r"(\d{1,18})")


class Overview(NamedTuple):
    """The names and weights of the notes in the order of their paths, the missing targets as written, and the links.

    `links` is source, target, source, target, ...: indices of `names` followed by `missing`.
    Links of a note to itself, and links to attachments, are left out. All notes of the caller are below `shared`.
    """

    names: list[str]
    weights: list[float]
    missing: list[str]
    links: list[int]
    shared: str


def shared_folder(paths: Iterable[str]) -> str:
    """Return the innermost folder that all notes among some files are below; "" for the vault."""
    shared: str | None = None
    for path in filter(is_note, paths):
        shared = folder_of(path) if shared is None else shared
        while shared and not below(path, shared):
            shared = folder_of(shared)
        if not shared:
            break
    return shared or ""


def overview(
    catalog: Catalog, following: Mapping[str, Sequence[str]], weights: Mapping[str, float], shared: str
) -> Overview:
    """Return the graph of some notes and their targets (see `LinkGraph.copy`). The catalog may change meanwhile."""
    paths = sorted(node for node in following if counts(node) and not is_missing(node))
    number = {path: at for at, path in enumerate(paths)}
    missing: dict[str, str] = {}
    links: list[int] = []
    for source, path in enumerate(paths):
        nodes = following.get(path, ())
        new = [node for node in nodes if is_missing(node) and node not in number]
        if new:
            missing |= written_targets(catalog, path, catalog.facts(path), new)
            number.update(zip(new, itertools.count(len(number))))
        for node in nodes:
            if node != path and node in number:
                links += (source, number[node])
    return Overview(
        names=[name_for(catalog, path) for path in paths],
        weights=[round(weights.get(path, 1.0), 6) for path in paths],
        missing=[missing.get(node, node.removeprefix(MISSING)) for node in number if is_missing(node)],
        links=links,
        shared=shared,
    )


class Subfolder(NamedTuple):
    """A folder in another one, and the number of notes in it and below it."""

    path: str
    notes: int


class FolderRows(NamedTuple):
    """What is directly in a folder: its folders, the first of its notes, and the number of all of these."""

    path: str
    folders: list[Subfolder]
    notes: list[str]
    total: int


class Tree(NamedTuple):
    """What is in some folders of notes, and whether the vault has `.base` files."""

    folders: list[FolderRows]
    has_bases: bool


def tree(catalog: Catalog, paths: Iterable[str], opened: Collection[str], limit: int) -> Tree:
    """Return what is in some folders, of the files at some paths. Of the notes in each, name at most `limit`."""
    folders: dict[str, Counter[str]] = {folder: Counter() for folder in opened}
    notes: dict[str, list[str]] = {folder: [] for folder in opened}
    has_bases = False
    for path in paths:
        has_bases = has_bases or path.endswith(BASE_SUFFIX)
        if not is_note(path):
            continue
        folder = ""
        while (end := path.find("/", len(folder) + 1)) >= 0:
            if folder in folders:
                folders[folder][path[:end]] += 1
            folder = path[:end]
        if folder in notes:
            notes[folder].append(path)
    rows = []
    for folder, inner in folders.items():
        first = heapq.nsmallest(limit, notes[folder], key=_natural)
        subfolders = [Subfolder(path, inner[path]) for path in heapq.nsmallest(limit, inner, key=_natural)]
        total = len(inner) + len(notes[folder])
        rows.append(FolderRows(folder, subfolders, [name_for(catalog, path) for path in first], total))
    return Tree(rows, has_bases)


def _natural(path: str) -> list[tuple[int, str]]:
    """Return a key that sorts numbers in paths by their values."""
    return [(int(part or 0), "") if at % 2 else (0, part) for at, part in enumerate(_NUMBERS.split(fold(path)))]


class Advice(NamedTuple):
    """Advice to use another order of the hints: the wide notes that it would add, and its first names."""

    hints_order: Order
    wide: list[str]
    first: list[str]

    @property
    def sentence(self) -> str:
        """Return the advice as a sentence."""
        notes = "the note" if len(self.wide) == 1 else "the notes"
        return (
            f"the first {_FIRST} hints leave out {notes} with the most links: {', '.join(told_apart(self.wide))}. With "
            f'hints_order = "{self.hints_order}" in .zkmem/config.toml the first hints are: '
            f"{', '.join(told_apart(self.first[:_NAMED]))}."
        )


def advice_on(ranking: Ranking, folder: str, seen: str) -> Advice | None:
    """Return advice on the order of hints below a folder. `seen`: the folder that the caller may see.

    Use this under the lock of the index. A ranking with another order than `weight` gets no advice.
    """
    if ranking.order != "weight":
        return None
    return advice(ranking.hints(_FIRST, folder, "weight", seen), ranking.hints(_FIRST, folder, "balanced", seen))


def advice(by_weight: Sequence[Hint], balanced: Sequence[Hint]) -> Advice | None:
    """Compare the first hints in the orders `weight` and `balanced`; return None if `weight` suits the vault.

    Advise the other order if it would show a wide note (ten links or more, among the three with the most) that
    `weight` does not show. The reasons are in docs/explanation/ranking.md.
    """
    shown = {hint.name for hint in by_weight[:_FIRST]}
    widest = sorted(balanced[:_FIRST], key=lambda hint: -hint.links)[:_WIDEST]
    wide = [hint.name for hint in widest if hint.links >= _WIDE and hint.name not in shown]
    return Advice("balanced", wide, [hint.name for hint in balanced[:_FIRST]]) if wide else None


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
