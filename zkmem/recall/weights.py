"""Compute the weights of notes: the recursion of docs/explanation/ranking.md, over strongly connected components.

C(v) is the component of v. E(v) are the links of v that leave C(v), and L(v) those that stay inside. Then
base(v) = 1 if E(v) is empty, else the sum of base(c) for c in E(v) / max(1, |E(v)| - 1), at most `CAP`;
weight(v) = base(v) + |L(v)|. Links of a note to itself are dropped; a target without a file is a leaf.

One pass over the components computes all weights. After that, a changed link costs only what it changes, unless it
joins or splits components. A new link makes no loop if no path leads back from its target. A removed link opens no
loop if another path remains. And the base of a note matters only to notes that link to it from other components.
"""

import math
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from zkmem.index.graph import MANY, Changed
from zkmem.util.waiting import check_may_wait, may_wait

if TYPE_CHECKING:
    import networkx as nx

CAP = 1e12
_ALONE = -1  # stands for a node that is a component by itself
_FAR = 20_000  # nodes and links that an update may visit at least, before a pass over all is cheaper
_MOST_IN_LOOP = 2_000  # nodes and links that an update may visit in a thread that must not wait: takes a millisecond
_DAMPING = 0.85
_ROUNDS = 100
_TOLERANCE = 1e-9

_Edges = Mapping[str, Collection[str]]


def weights(graph: "nx.DiGraph[str]", counts: Callable[[str], bool]) -> dict[str, float]:
    """Return the weight of each node for which `counts` holds. Links to other nodes, the attachments, do not count."""
    return Weights(graph, counts).of


class Weights:
    """The weights of a graph, which can be updated after changes."""

    def __init__(
        self,
        graph: "nx.DiGraph[str]",
        counts: Callable[[str], bool],
        nodes: Sequence[str] = (),
        packed: bytes | None = None,
    ) -> None:
        """Compute all weights, or restore them from `packed`, which has those of `nodes` as the graph was then."""
        self.of: dict[str, float] = {}
        self._base: dict[str, float] = {}
        self._component: dict[str, int] = {}  # of nodes on loops; any other node is a component by itself
        plain = cast("Any", graph)  # `adj` would wrap each look-up in a new object
        self._successors: _Edges = plain._succ  # noqa: SLF001
        self._predecessors: _Edges = plain._pred  # noqa: SLF001
        self._counts = counts
        self._left = 0  # nodes and links that the update may still visit
        if packed is None:
            self._compute()
        else:
            self._unpack(nodes, packed)

    def packed(self, nodes: Sequence[str]) -> bytes:
        """Return the weights, bases and components of the nodes, in their order, for the cache."""
        counted = [node for node in nodes if self._counts(node)]
        base, weight = ([values[node] for node in counted] for values in (self._base, self.of))
        component = [self._component.get(node, _ALONE) for node in counted]
        return array("d", base).tobytes() + array("d", weight).tobytes() + array("i", component).tobytes()

    def _unpack(self, nodes: Sequence[str], packed: bytes) -> None:
        counted = [node for node in nodes if self._counts(node)]
        end = len(counted) * array("d").itemsize
        self._base = dict(zip(counted, array("d", packed[:end]), strict=True))
        self.of = dict(zip(counted, array("d", packed[end : 2 * end]), strict=True))
        component = zip(counted, array("i", packed[2 * end :]), strict=True)
        self._component = {node: number for node, number in component if number != _ALONE}

    def update(self, changed: Changed) -> Collection[str] | None:
        """Update the weights after changes of the graph: `changed` has the earlier targets of each changed node.

        Return the nodes that may have another weight now; None for all.
        """
        self._left = max(_FAR, 2 * len(self._base)) if may_wait() else _MOST_IN_LOOP
        links = sum(len(before or ()) + len(self._successors.get(node, ())) for node, before in changed.items())
        if len(changed) <= MANY and self._visit(links) and self._keeps_components(changed):
            moved = self._follow(changed)
            if moved is not None:
                return moved
        check_may_wait()
        self._compute()
        return None

    def _visit(self, count: int) -> bool:
        """Count nodes and links as visited; return whether the update was still allowed to visit them."""
        self._left -= count
        if self._left < 0:
            check_may_wait()
        return self._left >= 0

    def _compute(self) -> None:
        """Compute all weights."""
        self._base, self._component, self.of = {}, {}, {}
        base, weight = self._base, self.of
        for number, component in enumerate(components(self._successors)):
            nodes = list(filter(self._counts, component))
            if len(component) == 1:
                for node in nodes:
                    base[node] = weight[node] = self._base_of(node) if self._successors[node] else 1.0
            else:
                self._component.update(dict.fromkeys(component, number))
                bases = {node: self._base_of(node) for node in nodes}
                base.update(bases)
                weight.update({node: bases[node] + self._inside(node) for node in nodes})

    def _base_of(self, node: str) -> float:
        base, component = self._base, self._component
        number = component.get(node)
        targets = self._successors[node]
        if number is None:
            leaving = [base[target] for target in targets if target in base and target != node]
        else:
            leaving = [base[target] for target in targets if target in base and component.get(target) != number]
        return min(CAP, math.fsum(leaving) / max(1, len(leaving) - 1)) if leaving else 1.0

    def _inside(self, node: str) -> int:
        """Return how many links of a node stay inside its component."""
        component = self._component
        number = component.get(node)
        if number is None:
            return 0
        return sum([1 for target in self._successors[node] if component.get(target) == number and target != node])

    def _apart(self, one: str, other: str) -> bool:
        """Return whether two nodes are in different components."""
        return one != other and self._component.get(one, one) != self._component.get(other, other)

    def _keeps_components(self, changed: Changed) -> bool:
        """Return whether the components have stayed the same; False, too, if it would take long to find out."""
        for node, before in changed.items():
            old, new = frozenset(before or ()), self._successors.get(node, ())
            for target in old.difference(new):
                if node != target and not self._apart(node, target) and not self._reaches(node, target):
                    return False
            for target in new:
                if target not in old and self._apart(node, target) and self._reaches(target, node) is not False:
                    return False
        return True

    def _reaches(self, start: str, end: str) -> bool | None:
        """Return whether a path leads from one node to another; None if the search, from both ends, goes too far."""
        edges = (self._successors, self._predecessors)
        seen = ({start}, {end})
        fronts = [[start], [end]]
        while fronts[0] and fronts[1]:
            side = len(fronts[0]) > len(fronts[1])
            mine, theirs = seen[side], seen[not side]
            if not self._visit(sum(len(edges[side].get(node, ())) + 1 for node in fronts[side])):
                return None
            front = {near for node in fronts[side] for near in edges[side].get(node, ())} - mine
            if not theirs.isdisjoint(front):
                return True
            mine |= front
            fronts[side] = list(front)
        return False

    def _follow(self, changed: Changed) -> Collection[str] | None:
        """Update the weights that depend on the changes, if the components are the same.

        Return the nodes that have these weights; None, without an update, if they are too many.
        """
        stale = {node for node in changed if node in self._successors and self._counts(node)}
        moved: set[str] = set()
        order = self._above(stale)
        for node in changed:  # after `_above`, which may raise `WouldWait`: nothing may be changed before that
            if node not in self._successors:
                for values in (self._base, self._component, self.of):
                    values.pop(node, None)
        for node in order or ():
            if node in stale or not moved.isdisjoint(self._successors[node]):
                base = self._base_of(node)
                if base != self._base.get(node):
                    self._base[node] = base
                    moved.add(node)
                self.of[node] = base + self._inside(node)
        return order

    def _above(self, nodes: set[str]) -> list[str] | None:
        """Return these nodes and all whose bases depend on theirs, each after its targets; None if too many."""
        reached = set(nodes)
        front = list(nodes)
        while front:
            node = front.pop()
            if not self._visit(len(self._predecessors[node]) + len(self._successors[node]) + 1):
                return None
            new = [each for each in self._predecessors[node] if each not in reached and self._apart(each, node)]
            reached.update(new)
            front.extend(new)
        waiting = dict.fromkeys(reached, 0)
        for node in reached:
            waiting[node] = sum(target in reached and self._apart(node, target) for target in self._successors[node])
        order = [node for node, count in waiting.items() if not count]
        for node in order:  # the list grows meanwhile
            for source in self._predecessors[node]:
                if source in reached and self._apart(source, node):
                    waiting[source] -= 1
                    if not waiting[source]:
                        order.append(source)
        return order


def components(successors: _Edges) -> Iterator[list[str]]:
    """Yield the strongly connected components of a graph, each after the components that it links to.

    This is Tarjan's algorithm without recursion, twice as fast as NetworkX's. Leaves, which are many, are yielded at
    once.
    """
    low: dict[str, float] = {}  # node -> the lowest number, by order of discovery, of a node that it reaches
    stack: list[str] = []  # nodes that are not yet in a component
    path: list[tuple[str, int, Iterator[str]]] = []
    for root in successors:
        if root not in low:
            low[root] = len(low)
            stack.append(root)
            path.append((root, len(low) - 1, iter(successors[root])))
        while path:
            node, order, targets = path[-1]
            lowest = low[node]
            for target in targets:
                reached = low.get(target)
                if reached is None:
                    if successors[target]:
                        low[node] = lowest
                        low[target] = len(low)
                        stack.append(target)
                        path.append((target, len(low) - 1, iter(successors[target])))
                        break
                    low[target] = math.inf
                    yield [target]
                elif reached < lowest:
                    lowest = reached
            else:
                path.pop()
                low[node] = lowest
                if path and lowest < low[path[-1][0]]:
                    low[path[-1][0]] = lowest
                if lowest == order:
                    component = _pop_back_to(stack, node)
                    low.update(dict.fromkeys(component, math.inf))
                    yield component


def _pop_back_to(stack: list[str], node: str) -> list[str]:
    """Remove and return the nodes at the end of a list, back to this node."""
    component = []
    while True:
        component.append(stack.pop())
        if component[-1] == node:
            return component


def pagerank(graph: "nx.DiGraph[str]", counts: Callable[[str], bool]) -> dict[str, float]:
    """Return PageRank along the reversed links, so that a note with many targets ranks high. The values sum to 1.

    This is plain power iteration. NetworkX's own needs SciPy, which is larger than all of zkmem.
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
