"""The graph of links, a NetworkX DiGraph that is updated note by note when the catalog changes.

A node is the path of a file, or a target without a file: `MISSING` or `UNCOUNTED`, followed by its folded path. An edge
stands for one link or several. Self links are edges here; the ranking leaves them out.
"""

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from zkmem.index.catalog import Catalog
from zkmem.index.resolve import PAGE, Files, is_same_everywhere, missing_key, resolve
from zkmem.markdown.note import NoteFacts
from zkmem.names import base_of, below, fold, is_note, page_of

if TYPE_CHECKING:
    from zkmem.index.digraph import LinkDiGraph, Neighbours

Changed = dict[str, tuple[str, ...] | None]
"""A map of each node whose links have changed to its old links; None for a node that did not exist."""

MANY = 1_000  # nodes with changed links; with more, it is faster to compute everything again
MISSING = "\0"  # no path contains it
UNCOUNTED = "\1"  # no path contains it; for a Markdown link to nothing without `.md`, which may not mean a note
_PLACEHOLDER_MARKS = frozenset([MISSING, UNCOUNTED])
_SUFFIX = ".md"


def is_missing(node: str) -> bool:
    """Return whether a node is a target without a file."""
    return node.startswith(MISSING)


def counts(node: str) -> bool:
    """Return whether a node is a note or a missing note. An attachment is neither, and links to it do not count."""
    return node.startswith(MISSING) or is_note(node)  # without a call of `is_missing`: this runs for every node


def count_of(nodes: Collection[str], path: str) -> int:
    """Return how many of the nodes that a note links to count, without the note itself."""
    return sum(map(counts, nodes)) - (path in nodes and counts(path))


def links_of(catalog: Catalog, path: str, facts: NoteFacts) -> dict[str, None]:
    """Return the nodes that the links of a note lead to, in order of mention."""
    return Nodes(catalog).of(path, facts)


class Nodes:
    """The nodes that links lead to. They are cached, so this is valid only until a file is added or removed."""

    def __init__(self, files: Files) -> None:
        """Begin with an empty cache. Links lead to these files."""
        self._files = files
        self._known: dict[str, dict[str, str]] = {MISSING: {}, UNCOUNTED: {}}

    def of(self, path: str, facts: NoteFacts) -> dict[str, None]:
        """Return the nodes that the links of a note lead to, in order of mention."""
        nodes = self._each(facts.targets, path, MISSING) if facts.counted else {}
        return nodes | self._each(facts.others, path, UNCOUNTED) if facts.uncounted else nodes

    def _each(self, targets: Iterable[str], source: str, placeholder: str) -> dict[str, None]:
        known = self._known[placeholder]
        nodes: dict[str, None] = {}
        for target in targets:
            node = known.get(target)
            if node is None:
                resolution = resolve(self._files, target, source)
                node = resolution.path if resolution.path is not None else placeholder + missing_key(target, source)
                if is_same_everywhere(target, resolution):
                    known[target] = node
            nodes[node] = None
        return nodes


def missing_targets(catalog: Catalog, path: str, facts: NoteFacts) -> list[str]:
    """Return the targets of a note that mean no file, as written, each once."""
    missing = {
        missing_key(target, path): target for target in facts.targets if resolve(catalog, target, path).path is None
    }
    return list(missing.values())


def written_targets(catalog: Catalog, path: str, facts: NoteFacts, nodes: Iterable[str]) -> dict[str, str]:
    """Return those of some nodes that are missing notes, each with the first target in the note that means it.

    For speed, only targets that may mean one of the nodes are resolved.
    """
    unwritten = set(filter(is_missing, nodes))
    written: dict[str, str] = {}
    for target in facts.targets if unwritten else ():
        node = MISSING + missing_key(target, path)
        if node in unwritten and resolve(catalog, target, path).path is None:  # `a` and `a.md` have one key
            written[node] = target
            unwritten.remove(node)
            if not unwritten:
                break
    return written


class LinkGraph:
    """The links between notes; `version` changes whenever the links do."""

    def __init__(self) -> None:
        self.version = 0
        self._missing: dict[str, set[str]] = {}
        self._counts: dict[str, int] = {}
        self._followed: list[Changed] = []

    @cached_property
    def graph(self) -> "LinkDiGraph":
        """The NetworkX graph."""
        from zkmem.index.digraph import LinkDiGraph  # noqa: PLC0415 - see there

        return LinkDiGraph()

    def fill(self, nodes: Iterable[str], links: "Neighbours", backlinks: "Neighbours | None" = None) -> None:
        """Fill an empty graph with nodes, and with links: pairs of a file and the nodes that it links to.

        `backlinks`, if given, has a pair for every node: the node and the files that link to it, which may be none.
        """
        self.graph.fill(nodes, links, backlinks)
        for node in [node for node in self.graph if node[0] in _PLACEHOLDER_MARKS]:
            self._missing.setdefault(_last(node), set()).add(node)
        self.version += 1

    def follow(self) -> "Changed":
        """Return a map to which all later changes of the graph are added; the caller may empty it.

        After more than `MANY` changes, the map is no longer complete.
        """
        changed: Changed = {}
        self._followed.append(changed)
        return changed

    def add(self, path: str) -> None:
        """Add a file."""
        if path not in self.graph:
            self._note(path, None)
            self.graph.add_node(path)
            self.version += 1

    def remove(self, path: str) -> None:
        """Remove a file and its links. Call `set_links` first for each note that links to it."""
        self.set_links(path, ())
        self._note(path, ())
        self.graph.remove_node(path)
        self.version += 1

    def set_links(self, path: str, targets: Iterable[str]) -> None:
        """Replace the links of a note."""
        graph = self.graph
        old, new = list(graph.successors(path)), list(targets)
        if old == new:
            return
        self._note(path, old)
        self._counts.pop(path, None)
        graph.remove_edges_from([(path, target) for target in old])
        for target in new:
            if is_placeholder(target) and target not in graph:
                self._note(target, None)
                self._missing.setdefault(_last(target), set()).add(target)
        graph.add_edges_from([(path, target) for target in new])
        for target in old:
            if is_placeholder(target) and not graph.pred[target]:
                self._forget(target)
        self.version += 1

    def _note(self, node: str, links: Iterable[str] | None) -> None:
        """Add a node's links before a change to the maps of `follow`; None if the node did not exist."""
        for changed in self._followed:
            if node not in changed and len(changed) <= MANY:
                changed[node] = None if links is None else tuple(links)

    def _forget(self, target: str) -> None:
        self._note(target, ())
        self.graph.remove_node(target)
        alike = self._missing[_last(target)]
        alike.discard(target)
        if not alike:
            del self._missing[_last(target)]

    def link_count(self, folder: str = "") -> int:
        """Return how many distinct links the notes below a folder have, without those to targets that do not count."""
        following, leading = self.graph.following, self.graph.leading
        if folder:
            return sum(sum(map(counts, following[node])) for node in following if below(node, folder))
        return sum(map(len, following.values())) - sum(len(leading[node]) for node in leading if not counts(node))

    def count(self, path: str) -> int:
        """Return how many links a note has, without those to itself and to nodes that do not count.

        The count is cached until the links change: a note may have very many.
        """
        if path not in self._counts:
            self._counts[path] = count_of(self.following(path), path)
        return self._counts[path]

    def following(self, path: str) -> Collection[str]:
        """Return the nodes that a note links to, in order of mention."""
        return self.graph.following[path]

    def targets(self, paths: Iterable[str]) -> Iterator[str]:
        """Yield the nodes that the notes at some paths link to, except themselves. A node may come more than once."""
        following = self.graph.following
        return (node for path in paths for node in following.get(path, ()) if node != path)

    def leading(self, path: str) -> Collection[str]:
        """Return the nodes that link to a node, in no order."""
        return self.graph.leading.get(path, ())

    def copy(self, folder: str = "") -> dict[str, tuple[str, ...]]:
        """Return a copy of the links of each node (below a folder), for long work that must not hold the index."""
        following = self.graph.following
        return {node: tuple(targets) for node, targets in following.items() if below(node, folder)}

    def around(self, path: str, folder: str = "") -> dict[str, tuple[str, ...]]:
        """Return the links between a node and those one link away from it (below a folder)."""
        following = self.graph.following
        near = {path, *following.get(path, ()), *self.leading(path)}
        return {
            node: tuple(target for target in following.get(node, ()) if target in near)
            for node in near
            if below(node, folder)
        }

    def backlinks(self, path: str) -> list[str]:
        """Return the notes that link to a node, in order of their paths."""
        return sorted(self.graph.pred[path]) if path in self.graph else []

    def missing_like(self, path: str) -> Collection[str]:
        """Return the targets without a file that have the last name of a path: links to a removed file lead to one."""
        return self._missing.get(_stem(base_of(fold(path))), ())

    def who_could_mean(self, path: str, catalog: Catalog) -> set[str]:
        """Return the notes with a link whose meaning may change if the file at `path` is added or removed."""
        base = base_of(fold(path))
        nodes = {path, *self.missing_like(path)}
        for name in (base, base + _SUFFIX):
            nodes.update(catalog.named(name))
        if catalog.pages:
            page, parts = fold(page_of(path)), fold(path).split("/")
            for title in (page, *("/".join(parts[at:]) for at in range(len(parts)))):  # also of pages that it hides
                nodes.update(catalog.named(PAGE + title))
            nodes.update(self._missing.get(_stem(base_of(page)), ()) if page else ())
        return {source for node in nodes if node in self.graph for source in self.graph.pred[node]}


def is_placeholder(node: str) -> bool:
    """Return whether a node stands for a target without a file, be it a note or not."""
    return node[0] in _PLACEHOLDER_MARKS


def _last(node: str) -> str:
    return _stem(base_of(node[len(MISSING) :]))


def _stem(base: str) -> str:
    """Return the last component of a path without any `.md`: all links that could mean the path have it."""
    while base.endswith(_SUFFIX):
        base = base[: -len(_SUFFIX)]
    return base
