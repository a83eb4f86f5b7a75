"""A snapshot of the graph of links with numbers instead of names, which is small and fast to load."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from zkmem.index.catalog import Changes, Row
from zkmem.index.graph import MISSING, LinkGraph

_PIECE = 10_000  # links that take about a millisecond to number

Derive = Callable[[Sequence[str]], bytes | None]
"""A function that returns data about the nodes of the graph, in the given order; None if there is none."""


class Snapshot(NamedTuple):
    """A graph of links: its nodes, and the numbers of those that each file links to."""

    files: list[str]
    etags: list[str]  # the etag of each file, or ""
    missing: list[str]
    uncounted: list[str]
    ends: "array[int]"  # the end of each file's part of `targets`
    targets: "array[int]"
    derived: Mapping[str, bytes] = {}  # data computed from the graph, by name

    @property
    def nodes(self) -> list[str]:
        """All nodes, by number."""
        return [*self.files, *self.missing, *self.uncounted]

    def links(self) -> Iterator[tuple[str, Iterable[str]]]:
        """Yield each file, and the nodes that it links to."""
        nodes, begin = self.nodes, 0
        for path, end in zip(self.files, self.ends, strict=True):
            yield path, map(nodes.__getitem__, self.targets[begin:end])
            begin = end

    def spelled(self, paths: Iterable[str]) -> "Snapshot":
        """Return the snapshot with the given strings in place of equal ones, so that each path is in memory once."""
        known = {path: path for path in paths}
        return self._replace(files=[known.get(path, path) for path in self.files])

    def differing(self, rows: Mapping[str, Row]) -> Changes:
        """Return how the files in the rows differ from those in the snapshot."""
        etags = dict(zip(self.files, self.etags, strict=True))
        added = [path for path in rows if path not in etags]
        modified = [path for path, row in rows.items() if etags.get(path, row.etag or "") != (row.etag or "")]
        return Changes(added, modified, [path for path in self.files if path not in rows])


class Links(NamedTuple):
    """The links of all files at one moment, by name."""

    nodes: Snapshot  # without the links
    ends: "array[int]"  # as in a snapshot
    targets: list[str]
    derived: Mapping[str, bytes]


def links_of(rows: Mapping[str, Row], links: LinkGraph, derive: Mapping[str, Derive]) -> Links:
    """Return the links of a graph, and the data derived from it. Each file in the graph must have a row."""
    successors: Mapping[str, Iterable[str]] = cast("Any", links.graph)._succ  # noqa: SLF001 - `adj` wraps each look-up
    files = [node for node in successors if node in rows]
    others = [node for node in successors if node not in rows]
    missing = [node for node in others if node.startswith(MISSING)]
    uncounted = [node for node in others if not node.startswith(MISSING)]
    etags = [rows[path].etag or "" for path in files]
    made = Snapshot(files, etags, missing, uncounted, array("i"), array("i"))
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
    return links.nodes._replace(ends=links.ends, targets=targets, derived=links.derived)
