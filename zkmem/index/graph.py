"""The graph of links, a NetworkX DiGraph, kept in step with the catalog note by note.

Nodes are paths of files, and targets without a file, each under `MISSING` (or `UNCOUNTED`) + its folded path. An edge
stands for one link or several. Self links are edges here; the ranking leaves them out.
"""

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, cast

from zkmem.index.catalog import Catalog
from zkmem.index.resolve import is_same_everywhere, missing_key, resolve
from zkmem.markdown.note import Facts
from zkmem.names import base_of, below, fold, is_note

if TYPE_CHECKING:
    import networkx as nx

    from zkmem.index.digraph import LinkDiGraph

Changed = dict[str, tuple[str, ...] | None]
"""Nodes whose links have changed -> what they were; None for a node that was not there."""

MANY = 1_000  # nodes whose links have changed, so that it is better to look at all anew
MISSING = "\0"  # no path holds it
UNCOUNTED = "\1"  # likewise: a Markdown link to nothing that does not end in `.md`, and may be about no note at all
_SUFFIX = ".md"


def is_missing(node: str) -> bool:
    """Whether a node is a target without a file."""
    return node.startswith(MISSING)


def counts(node: str) -> bool:
    """Whether a node is a note or a missing one; an attachment is neither, and a link to it counts for nothing."""
    return is_missing(node) or is_note(node)


def count_of(nodes: Collection[str], path: str) -> int:
    """Return how many of the nodes that a note links to count, the note itself left out."""
    return sum(map(counts, nodes)) - (path in nodes and counts(path))


def links_of(catalog: Catalog, path: str, facts: Facts) -> dict[str, None]:
    """The nodes that the links of a note lead to, in order of mention."""
    return Nodes(catalog).of(path, facts)


class Nodes:
    """The nodes that links lead to, as long as no file comes or goes; for many notes, as most targets come again."""

    def __init__(self, catalog: Catalog) -> None:
        """The nodes of a catalog."""
        self._catalog = catalog
        self._known: dict[str, dict[str, str]] = {MISSING: {}, UNCOUNTED: {}}

    def of(self, path: str, facts: Facts) -> dict[str, None]:
        """The nodes that the links of a note lead to, in order of mention."""
        nodes = self._each(facts.targets, path, MISSING) if facts.counted else {}
        return nodes | self._each(facts.others, path, UNCOUNTED) if facts.uncounted else nodes

    def _each(self, targets: Iterable[str], source: str, placeholder: str) -> dict[str, None]:
        known = self._known[placeholder]
        nodes: dict[str, None] = {}
        for target in targets:
            node = known.get(target)
            if node is None:
                found = resolve(self._catalog, target, source)
                node = found.path if found.path is not None else placeholder + missing_key(target, source)
                if is_same_everywhere(target, found):
                    known[target] = node
            nodes[node] = None
        return nodes


def missing_targets(catalog: Catalog, path: str, facts: Facts) -> list[str]:
    """The targets of a note that no file answers to, as written, each once."""
    missing = {
        missing_key(target, path): target for target in facts.targets if resolve(catalog, target, path).path is None
    }
    return list(missing.values())


def written_targets(catalog: Catalog, path: str, facts: Facts, nodes: Iterable[str]) -> dict[str, str]:
    """Return those of some nodes that are missing, each with the target that a note writes for it first.

    Only targets that may mean such a node are resolved, and none after the last node is found.
    """
    wanted = set(filter(is_missing, nodes))
    written: dict[str, str] = {}
    for target in facts.targets if wanted else ():
        node = MISSING + missing_key(target, path)
        if node in wanted and resolve(catalog, target, path).path is None:  # `a` and `a.md` have one key
            written[node] = target
            wanted.remove(node)
            if not wanted:
                break
    return written


class LinkGraph:
    """Who links to whom; `version` changes whenever that does."""

    def __init__(self) -> None:
        self.version = 0
        self._missing: dict[str, set[str]] = {}
        self._counts: dict[str, int] = {}
        self._followed: list[Changed] = []

    @cached_property
    def graph(self) -> "nx.DiGraph[str]":
        """The graph itself."""
        from zkmem.index.digraph import LinkDiGraph  # noqa: PLC0415 - see there

        return LinkDiGraph()

    def fill(self, nodes: Iterable[str], links: Iterable[tuple[str, Iterable[str]]]) -> None:
        """Give an empty graph its nodes (files, and any others) and its links: files with the nodes they link to."""
        graph = cast("LinkDiGraph", self.graph)
        graph.fill(nodes, links)
        for node in filter(_is_placeholder, graph):
            self._missing.setdefault(_last(node), set()).add(node)
        self.version += 1

    def follow(self) -> "Changed":
        """What changes in the graph from now on, for one who keeps something in step with it and empties it.

        Once there are more than `MANY`, some are left out.
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
        """Take a file out, with its own links; links to it must have been set anew."""
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
            if _is_placeholder(target) and target not in graph:
                self._note(target, None)
                self._missing.setdefault(_last(target), set()).add(target)
        graph.add_edges_from([(path, target) for target in new])
        for target in old:
            if _is_placeholder(target) and not graph.pred[target]:
                self._forget(target)
        self.version += 1

    def _note(self, node: str, links: Iterable[str] | None) -> None:
        """Let those who follow know what a node linked to before a change; None if it was not there."""
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
        graph = cast("LinkDiGraph", self.graph)
        following, leading = graph.following, graph.leading
        if folder:
            return sum(sum(map(counts, following[node])) for node in following if below(node, folder))
        return sum(map(len, following.values())) - sum(len(leading[node]) for node in leading if not counts(node))

    def count(self, path: str) -> int:
        """Return how many links a note has, those to itself and to what does not count left out.

        The links are counted once, and again only after they have changed: a note may have very many.
        """
        if path not in self._counts:
            self._counts[path] = count_of(self.following(path), path)
        return self._counts[path]

    def following(self, path: str) -> Collection[str]:
        """Return the nodes that a note links to, in order of mention."""
        return cast("LinkDiGraph", self.graph).following[path]

    def targets(self, paths: Iterable[str]) -> Iterator[str]:
        """Yield the nodes that other nodes lead to from some paths, themselves left out; some more than once."""
        following = cast("LinkDiGraph", self.graph).following
        return (node for path in paths for node in following.get(path, ()) if node != path)

    def leading(self, path: str) -> Collection[str]:
        """Return the nodes that link to a node, in no order."""
        return cast("LinkDiGraph", self.graph).leading.get(path, ())

    def copy(self, folder: str = "") -> dict[str, tuple[str, ...]]:
        """Return what each node (below a folder) links to, for long work that must not hold the index."""
        following = cast("LinkDiGraph", self.graph).following
        return {node: tuple(targets) for node, targets in following.items() if below(node, folder)}

    def backlinks(self, path: str) -> list[str]:
        """The notes that link to a node, in order of their paths."""
        return sorted(self.graph.pred[path]) if path in self.graph else []

    def who_could_mean(self, path: str, catalog: Catalog) -> set[str]:
        """The notes with a link that a file appearing or vanishing at `path` could change the meaning of."""
        base = base_of(fold(path))
        nodes = {path, *self._missing.get(_stem(base), ())}
        for name in (base, base + _SUFFIX):
            nodes.update(catalog.named(name))
        return {source for node in nodes if node in self.graph for source in self.graph.pred[node]}


def _is_placeholder(node: str) -> bool:
    return node[0] in {MISSING, UNCOUNTED}


def _last(node: str) -> str:
    return _stem(base_of(node[len(MISSING) :]))


def _stem(base: str) -> str:
    """The last part of a path without any `.md`: what all the links that could mean it share."""
    while base.endswith(_SUFFIX):
        base = base[: -len(_SUFFIX)]
    return base
