"""A NetworkX graph that takes little memory and is filled fast, because its nodes and edges have no attributes.

Import this module late: importing NetworkX takes a tenth of a second, and reading a note does not need it.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import networkx as nx

Neighbours = Iterable[tuple[str, Iterable[str]]]
"""Pairs of a node, and the nodes that it links to or that link to it."""

_NOTHING: dict[str, Any] = {}  # the attributes of every node and edge; do not write to it


class LinkDiGraph(nx.DiGraph):  # type: ignore[type-arg]  # it takes no arguments at run time
    """A directed graph whose nodes and edges share one dict of attributes, which stays empty."""

    _node: dict[str, dict[str, Any]]
    _succ: dict[str, dict[str, dict[str, Any]]]
    _pred: dict[str, dict[str, dict[str, Any]]]

    node_attr_dict_factory = staticmethod(lambda: _NOTHING)
    edge_attr_dict_factory = staticmethod(lambda: _NOTHING)

    @property
    def following(self) -> Mapping[str, Collection[str]]:
        """The nodes that each node links to, as plain dicts: `succ` would wrap each dict in a new object."""
        return self._succ

    @property
    def leading(self) -> Mapping[str, Collection[str]]:
        """The nodes that link to each node, as plain dicts."""
        return self._pred

    def fill(
        self,
        nodes: Iterable[str],
        links: Neighbours,
        backlinks: Neighbours | None = None,
    ) -> None:
        """Fill an empty graph with nodes, and with links: pairs of a node and the nodes that it links to.

        `backlinks`, if given, has a pair for every node: the node and the nodes that link to it. It must agree with
        `links`, and `nodes` must have every node. The result equals that of `add_edges_from`. This is faster, and with
        `backlinks` faster still.
        """
        self._node.update(dict.fromkeys(nodes, _NOTHING))
        successors, predecessors = self._succ, self._pred
        if backlinks is not None:
            for node, targets in links:
                successors[node] = dict.fromkeys(targets, _NOTHING)
            for node, sources in backlinks:
                predecessors[node] = dict.fromkeys(sources, _NOTHING)
            successors.update({node: {} for node in self._node if node not in successors})
            return
        predecessors.update({node: {} for node in self._node})
        for node, targets in links:
            successors[node] = dict.fromkeys(targets, _NOTHING)
            for target in successors[node]:
                try:
                    predecessors[target][node] = _NOTHING
                except KeyError:
                    predecessors[target] = {node: _NOTHING}
                    self._node[target] = _NOTHING
        successors.update({node: {} for node in self._node if node not in successors})
