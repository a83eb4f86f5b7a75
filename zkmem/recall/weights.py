"""Weights of notes: the recursion of DESIGN.md section 5, in one pass over strongly connected components.

With C(v) the component of v, E(v) its links that leave C(v) and L(v) those that stay inside:
base(v) = 1 if E(v) is empty, else the sum of base(c) for c in E(v) / max(1, |E(v)| - 1), at most `CAP`;
weight(v) = base(v) + |L(v)|. Self links are dropped; a target without a file is a leaf.
"""

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx

CAP = 1e12
_DAMPING = 0.85
_ROUNDS = 100
_TOLERANCE = 1e-9


def weights(graph: "nx.DiGraph[str]", counts: Callable[[str], bool]) -> dict[str, float]:
    """The weight of every node for which `counts` holds; links to others are not links (attachments)."""
    from networkx import strongly_connected_components  # noqa: PLC0415 - see index/graph.py

    base: dict[str, float] = {}
    weight: dict[str, float] = {}
    successors: Mapping[str, Mapping[str, object]] = graph.adj
    for component in strongly_connected_components(graph):  # a component comes after those that it links to
        for node in component:
            leaving = [base[target] for target in successors[node] if target not in component and target in base]
            if counts(node):
                base[node] = min(CAP, math.fsum(leaving) / max(1, len(leaving) - 1)) if leaving else 1.0
        for node in component:
            if node in base:
                inside = sum(1 for target in successors[node] if target in component and target != node)
                weight[node] = base[node] + inside
    return weight


def pagerank(graph: "nx.DiGraph[str]", counts: Callable[[str], bool]) -> dict[str, float]:
    """PageRank along the links reversed, so that a note that links to much ranks high; the values sum to 1.

    Plain power iteration: NetworkX's own needs SciPy, which weighs more than all of zkmem.
    """
    nodes = [node for node in graph if counts(node)]
    sources = {node: [source for source in graph.pred[node] if counts(source) and source != node] for node in nodes}
    rank = dict.fromkeys(nodes, 1 / max(1, len(nodes)))
    for _ in range(_ROUNDS):
        spread = dict.fromkeys(nodes, 0.0)
        lost = 0.0
        for node, receivers in sources.items():
            if receivers:
                share = rank[node] / len(receivers)
                for receiver in receivers:
                    spread[receiver] += share
            else:
                lost += rank[node]
        floor = (1 - _DAMPING + _DAMPING * lost) / max(1, len(nodes))
        new = {node: floor + _DAMPING * share for node, share in spread.items()}
        moved = sum(abs(new[node] - rank[node]) for node in nodes)
        rank = new
        if moved < _TOLERANCE:
            break
    return rank
