"""The vault as a whole: the graph of its links, the notes that a person sees first, and the order of hints for it."""

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.errors import UnknownNote
from zkmem.index.catalog import Catalog
from zkmem.index.graph import MISSING, counts, is_missing, written_targets
from zkmem.index.lookup import known_note, name_for
from zkmem.markdown.one_line import opening
from zkmem.recall.ranking import Hint, Order, Ranking
from zkmem.util.spelling import told_apart
from zkmem.vault.files import LargeFile, Read

_FIRST = 10  # hints that are compared: the default number of hints
_WIDEST = 3
_WIDE = 10  # a note with this many links may be an index page
_NAMED = 5


class Overview(NamedTuple):
    """The names and weights of the notes in the order of their paths, the missing targets as written, and the links.

    `links` is source, target, source, target, ...: indices of `names` followed by `missing`.
    Links of a note to itself, and links to attachments, are left out.
    """

    names: list[str]
    weights: list[float]
    missing: list[str]
    links: list[int]


def overview(catalog: Catalog, following: Mapping[str, Sequence[str]], weights: Mapping[str, float]) -> Overview:
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
    )


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
