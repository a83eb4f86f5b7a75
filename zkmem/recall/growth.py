"""The graph of what a sitting added: its notes, the notes around them, and the links between all of these."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from zkmem.index.catalog import ProjectedCatalog
from zkmem.index.graph import Nodes
from zkmem.index.lookup import name_for
from zkmem.index.sync import Index
from zkmem.markdown.note import parse
from zkmem.names import is_note, name_of
from zkmem.past.review import NoteChange, Track
from zkmem.vault.journal.log import Edit
from zkmem.vault.paths import is_hidden

_MOST = 30  # notes
_MOST_OWN = 15  # notes of the sitting
_MOST_READ = 500_000  # bytes of an earlier text whose links are read
_OUTCOMES = ("created", "restored", "changed", "renamed")  # the notes of a sitting that are shown, in this order


class GrowthNote(NamedTuple):
    """A note of the graph."""

    name: str
    outcome: str  # what became of it in the sitting: see `NoteChange`; "" for a note around those


class GrowthLink(NamedTuple):
    """A link between two notes of the graph, which are numbered from 0."""

    source: int
    target: int
    new: bool  # whether the sitting added it


class Growth(NamedTuple):
    """The graph of a sitting."""

    notes: list[GrowthNote]
    links: list[GrowthLink]
    left: int  # how many notes of the sitting are not in it


class Grown(NamedTuple):
    """A note of a sitting."""

    path: str  # the present one
    outcome: str
    before: Sequence[bytes] | None  # its texts before the edits, none if it is new; None if its text stayed the same


def grown(
    tracks: Sequence[tuple[Track, NoteChange]], text: Callable[[str, str], bytes | None], paths_after: Mapping[str, str]
) -> tuple[list[Grown], int]:
    """Return the first notes of a sitting that a graph shows, and how many others there are.

    `text` returns the bytes with an etag that the note at a path had; None if they are not kept. `paths_after`: the
    paths after the sitting, by the present ones; see `earlier_paths`.
    """
    there = [(track, change.outcome) for track, change in tracks if change.outcome in _OUTCOMES]
    there.sort(key=lambda one: _OUTCOMES.index(one[1]))

    def before(track: Track, outcome: str) -> list[bytes] | None:
        if outcome == "renamed" and not track.segments:
            return None
        return [old for tag in _tags(track) if (old := text(track.path, tag)) is not None]

    now = {then: now for now, then in paths_after.items()}
    shown = [
        Grown(now.get(track.path, track.path), outcome, before(track, outcome)) for track, outcome in there[:_MOST_OWN]
    ]
    return shown, len(there) - len(shown)


def earlier_paths(edits: Iterable[Edit], number: int) -> dict[str, str]:
    """Return the path that each file had before the edit with this number, by its present path, if the two differ.

    `edits` come newest first.
    """
    present: dict[str, str] = {}  # by the path at the time of the edit
    for edit in itertools.takewhile(lambda one: one.number >= number, edits):
        for change in reversed(edit.changes):
            if change.to is not None:
                present[change.path] = present.pop(change.to, change.to)
    return {now: then for then, now in present.items() if now != then and not (is_hidden(now) or is_hidden(then))}


def growth(
    index: Index, own: Sequence[Grown], left: int, paths_before: Mapping[str, str], reaches: Callable[[str], bool]
) -> Growth:
    """Return the graph of some notes of a sitting.

    `paths_before`: the paths before the sitting, by the present ones; `reaches` says of a name whether the caller may
    know of its note.
    """
    own = [one for one in own if one.path in index.catalog.rows]
    outcomes = {one.path: one.outcome for one in own}
    around = _around(index, list(outcomes), reaches)
    paths = [*outcomes, *itertools.islice(around, _MOST - len(outcomes))]
    numbers = {path: number for number, path in enumerate(paths)}
    before = _Before(index, paths_before)
    earlier = {one.path: before.targets(one.path, one.before) for one in own if one.before is not None}
    links = [
        GrowthLink(numbers[path], numbers[target], path in earlier and target not in earlier[path])
        for path in paths
        for target in index.links.targets([path])
        if target in numbers
    ]
    notes = [GrowthNote(name_for(index.catalog, path), outcomes.get(path, "")) for path in paths]
    return Growth(notes, links, left)


def _tags(track: Track) -> Iterable[str]:
    return (before for before, _ in track.segments if before is not None)


def _around(index: Index, paths: Sequence[str], reaches: Callable[[str], bool]) -> list[str]:
    """Return the notes that some notes link to or are linked from, one neighbour of each in turn."""
    sides = [[*index.links.targets([path]), *_leading(index, path)] for path in paths]
    turns = itertools.chain.from_iterable(itertools.zip_longest(*sides))
    others = dict.fromkeys(path for path in turns if path is not None and is_note(path) and path not in paths)
    rows = index.catalog.rows
    return [path for path in others if path in rows and reaches(name_of(path))]


def _leading(index: Index, path: str) -> list[str]:
    """Return some of the notes that link to a note; very many may do so."""
    return sorted(itertools.islice(index.links.leading(path), 10 * _MOST))


class _Before:
    """Finds the links that notes had before a sitting, also if their targets have been renamed since."""

    def __init__(self, index: Index, old_paths: Mapping[str, str]) -> None:
        self._old_paths, self._new_paths = old_paths, {old: new for new, old in old_paths.items()}
        self._nodes, self._old_nodes = Nodes(index.catalog), Nodes(ProjectedCatalog(index.catalog, old_paths))

    def targets(self, path: str, texts: Iterable[bytes]) -> set[str]:
        """Return the nodes to which earlier texts of the note at a path link; renamed notes have their new paths."""
        targets, old_path = set[str](), self._old_paths.get(path, path)
        for text in texts:
            if len(text) <= _MOST_READ:
                facts = parse(text)
                targets.update(self._nodes.of(path, facts))
                targets.update(self._new_paths.get(node, node) for node in self._old_nodes.of(old_path, facts))
        return targets
