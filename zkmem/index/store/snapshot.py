"""A snapshot of the graph of links with numbers instead of names, which is small and fast to load."""

import itertools
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.index.catalog import CatalogRow, Changes
from zkmem.index.graph import MISSING, LinkGraph

_PIECE = 10_000  # links, or nodes, between two pauses: some milliseconds of work

Derive = Callable[[Sequence[str]], bytes | None]
"""A function that returns data about the nodes of the graph, in the given order; None if there is none."""


class Snapshot(NamedTuple):
    """A graph of links: its nodes, and their links and backlinks as numbers of nodes."""

    files: list[str]
    etags: list[str]  # the etag of each file, or ""
    missing: list[str]
    uncounted: list[str]
    ends: "array[int]"  # the end of each file's part of `targets`
    targets: "array[int]"  # the nodes that the files link to
    source_ends: "array[int]"  # the end of each node's part of `sources`
    sources: "array[int]"  # the files that link to the nodes
    derived: Mapping[str, bytes] = {}  # data computed from the graph, by name

    @property
    def nodes(self) -> list[str]:
        """All nodes, by number."""
        return [*self.files, *self.missing, *self.uncounted]

    def links(self) -> Iterator[tuple[str, Iterable[str]]]:
        """Yield each file, and the nodes that it links to."""
        return _named(self.nodes, self.ends, self.targets)

    def backlinks(self) -> Iterator[tuple[str, Iterable[str]]]:
        """Yield each node, and the files that link to it."""
        return _named(self.nodes, self.source_ends, self.sources)

    def spelled(self, paths: Iterable[str]) -> "Snapshot":
        """Return the snapshot with the given strings in place of equal ones, so that each path is in memory once."""
        known = {path: path for path in paths}
        return self._replace(files=list(map(known.get, self.files, self.files)))

    def differing(self, rows: Mapping[str, CatalogRow]) -> Changes:
        """Return how the files in the rows differ from those in the snapshot."""
        etags = dict(zip(self.files, self.etags, strict=True))
        current = {path: row.etag or "" for path, row in rows.items()}
        if etags == current:
            return Changes([], [], [])
        added = [path for path in current if path not in etags]
        modified = [path for path, etag in current.items() if etags.get(path, etag) != etag]
        return Changes(added, modified, [path for path in self.files if path not in rows])


def _named(nodes: Sequence[str], ends: "array[int]", numbers: "array[int]") -> Iterator[tuple[str, Iterable[str]]]:
    """Yield each of the first `len(ends)` nodes with its neighbours.

    `numbers` has the neighbours of all nodes in turn, and `ends` the end of each node's part.
    """
    # `map` instead of a loop, which would be slow: there is a number for each link
    parts = map(numbers.__getitem__, map(slice, itertools.chain([0], ends), ends))
    return zip(nodes, map(map, itertools.repeat(nodes.__getitem__), parts), strict=False)


class Links(NamedTuple):
    """The links of all files at one moment, by name."""

    nodes: Snapshot  # without the links
    ends: "array[int]"  # as in a snapshot
    targets: list[str]
    derived: Mapping[str, bytes]


def links_of(rows: Mapping[str, CatalogRow], links: LinkGraph, derive: Mapping[str, Derive]) -> Links:
    """Return the links of a graph, and the data derived from it. Each file in the graph must have a row."""
    successors = links.graph.following
    files = [node for node in successors if node in rows]
    others = [node for node in successors if node not in rows]
    missing = [node for node in others if node.startswith(MISSING)]
    uncounted = [node for node in others if not node.startswith(MISSING)]
    etags = [rows[path].etag or "" for path in files]
    made = Snapshot(files, etags, missing, uncounted, array("i"), array("i"), array("i"), array("i"))
    nodes = made.nodes
    derived = {name: data for name, work in derive.items() if (data := work(nodes)) is not None}
    ends, targets = array("i"), list[str]()
    for path in files:
        targets.extend(successors[path])
        ends.append(len(targets))
    return Links(made, ends, targets, derived)


def snapshot_of(links: Links, pause: Callable[[], None]) -> Snapshot:
    """Return a snapshot of links; `pause` is called from time to time."""
    numbers = {node: number for number, node in enumerate(links.nodes.nodes)}
    targets = array("i")
    for start in range(0, len(links.targets), _PIECE):
        targets.extend([numbers[target] for target in links.targets[start : start + _PIECE]])
        pause()
    source_ends, sources = _backlinks(links.ends, targets, len(numbers), pause)
    return links.nodes._replace(
        ends=links.ends, targets=targets, source_ends=source_ends, sources=sources, derived=links.derived
    )


def _backlinks(
    ends: "array[int]", targets: "array[int]", count: int, pause: Callable[[], None]
) -> tuple["array[int]", "array[int]"]:
    """Return `source_ends` and `sources` for a graph of `count` nodes with these `ends` and `targets`.

    `pause` is called from time to time.
    """
    sources_of: list[list[int]] = [[] for _ in range(count)]
    begin = paused_at = 0
    for number, end in enumerate(ends):
        for target in targets[begin:end]:
            sources_of[target].append(number)
        begin = end
        if end - paused_at > _PIECE:
            paused_at = end
            pause()
    source_ends, sources = array("i"), array("i")
    for start in range(0, count, _PIECE):
        for node_sources in sources_of[start : start + _PIECE]:
            sources.extend(node_sources)
            source_ends.append(len(sources))
        pause()
    return source_ends, sources
