"""A NetworkX graph that takes little memory and is filled fast: its nodes and edges say nothing but that they are.

Imported late: NetworkX takes a tenth of a second, which reading a note does not need.
"""

from collections.abc import Iterable
from typing import Any

import networkx as nx

_NOTHING: dict[str, Any] = {}  # the attributes of every node and edge; not to be written to


class LinkDiGraph(nx.DiGraph):  # type: ignore[type-arg]  # it takes no arguments at run time
    """A directed graph whose nodes and edges share one dict of attributes, which stays empty."""

    node_attr_dict_factory = staticmethod(lambda: _NOTHING)
    edge_attr_dict_factory = staticmethod(lambda: _NOTHING)

    def fill(self, links: Iterable[tuple[str, Iterable[str]]]) -> None:
        """Add nodes, each with its successors; none may have any yet. The same as with `add_edges_from`, but faster."""
        nodes, successors, predecessors = self._node, self._succ, self._pred
        for node, targets in links:
            if node not in nodes:
                nodes[node] = _NOTHING
                predecessors[node] = {}
            successors[node] = dict.fromkeys(targets, _NOTHING)
            for target in successors[node]:
                if target not in nodes:
                    nodes[target] = _NOTHING
                    successors[target] = {}
                    predecessors[target] = {}
                predecessors[target][node] = _NOTHING
