"""The graph of links, a NetworkX DiGraph, kept in step with the catalog note by note.

Nodes are paths of files, and targets without a file, each under `MISSING` (or `UNCOUNTED`) + its folded path. An edge
stands for one link or several. Self links are edges here; the ranking leaves them out.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from zkmem.index.catalog import Catalog
from zkmem.index.resolve import missing_key, resolve
from zkmem.markdown.note import Facts
from zkmem.vault.names import base_of, fold, is_note

if TYPE_CHECKING:
    import networkx as nx

MISSING = "\0"  # no path holds it
UNCOUNTED = "\1"  # likewise: a Markdown link to nothing that does not end in `.md`, and may be about no note at all
_SUFFIX = ".md"


def is_missing(node: str) -> bool:
    """Whether a node is a target without a file."""
    return node.startswith(MISSING)


def counts(node: str) -> bool:
    """Whether a node is a note or a missing one; an attachment is neither, and a link to it counts for nothing."""
    return is_missing(node) or is_note(node)


def links_of(catalog: Catalog, path: str, facts: Facts) -> dict[str, None]:
    """The nodes that the links of a note lead to, in order of mention."""
    nodes: dict[str, None] = {}
    for target in facts.targets:
        found = resolve(catalog, target, path).path
        nodes[found if found is not None else MISSING + missing_key(target, path)] = None
    for target in facts.others:
        found = resolve(catalog, target, path).path
        nodes[found if found is not None else UNCOUNTED + missing_key(target, path)] = None
    return nodes


def missing_targets(catalog: Catalog, path: str, facts: Facts) -> list[str]:
    """The targets of a note that no file answers to, as written, each once."""
    missing = {
        missing_key(target, path): target for target in facts.targets if resolve(catalog, target, path).path is None
    }
    return list(missing.values())


class LinkGraph:
    """Who links to whom; `version` changes whenever that does."""

    def __init__(self) -> None:
        self.version = 0
        self._missing: dict[str, set[str]] = {}

    @cached_property
    def graph(self) -> "nx.DiGraph[str]":
        """The graph itself."""
        import networkx as nx  # noqa: PLC0415 - a tenth of a second that reading a note does not need

        return nx.DiGraph()

    def add(self, path: str) -> None:
        """Add a file."""
        if path not in self.graph:
            self.graph.add_node(path)
            self.version += 1

    def remove(self, path: str) -> None:
        """Take a file out, with its own links; links to it must have been set anew."""
        self.set_links(path, ())
        self.graph.remove_node(path)
        self.version += 1

    def set_links(self, path: str, targets: Iterable[str]) -> None:
        """Replace the links of a note."""
        graph = self.graph
        old, new = list(graph.successors(path)), list(targets)
        if old == new:
            return
        graph.remove_edges_from([(path, target) for target in old])
        for target in new:
            if _is_placeholder(target) and target not in graph:
                self._missing.setdefault(_last(target), set()).add(target)
        graph.add_edges_from([(path, target) for target in new])
        for target in old:
            if _is_placeholder(target) and not graph.pred[target]:
                self._forget(target)
        self.version += 1

    def _forget(self, target: str) -> None:
        self.graph.remove_node(target)
        alike = self._missing[_last(target)]
        alike.discard(target)
        if not alike:
            del self._missing[_last(target)]

    def link_count(self) -> int:
        """How many distinct links there are, those to attachments and to nothing that counts left out."""
        return sum(1 for _, target in self.graph.edges if counts(target))

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
