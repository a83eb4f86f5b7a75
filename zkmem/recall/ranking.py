"""What to read first (hints) and what to tidy (suggestions)."""

import heapq
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from zkmem.index.graph import counts, is_missing
from zkmem.index.live import LiveIndex
from zkmem.index.lookup import name_for
from zkmem.recall.weights import Weights, pagerank
from zkmem.vault.names import below, name_of

_SAVED = "weights"

Order = Literal["weight", "links", "pagerank"]


class Hint(NamedTuple):
    """An entry point: the note, its weight, its distinct links and backlinks."""

    name: str
    weight: float
    links: int
    backlinks: int


class Suggestion(NamedTuple):
    """A note of little value for its length: value = weight / characters."""

    name: str
    value: float
    weight: float
    characters: int


class Ranking:
    """Hints and suggestions over an index; weights are kept until a link changes."""

    def __init__(self, live: LiveIndex, order: Order = "weight") -> None:
        """A ranking of the notes in an index; to be used under its lock, once it is complete."""
        self._index = live.index
        self._order = order
        self._weights: Weights | None = None
        self._changed = live.index.links.follow()
        live.derive(_SAVED, self._packed)
        self._ranks: tuple[int, dict[str, float]] = (-1, {})

    def weights(self) -> dict[str, float]:
        """The weight of each note and each missing target, by node."""
        links = self._index.links
        if self._weights is None:
            nodes, derived = self._index.restored
            self._weights = Weights(links.graph, counts, nodes, derived.get(_SAVED))
            self._index.restored = ((), {})  # it is large
            if _SAVED not in derived:
                self._changed.clear()
        if self._changed:
            changed = self._changed.copy()
            self._changed.clear()
            self._weights.update(changed)
        return self._weights.of

    def _packed(self, nodes: Sequence[str]) -> bytes | None:
        """The weights, to be saved; None if nobody has asked for any."""
        if self._weights is None:
            return None
        self.weights()
        return self._weights.packed(nodes)

    def hints(self, count: int, folder: str = "") -> list[Hint]:
        """The `count` best entry points below a folder: by the order asked for, then by backlinks, then by name."""
        weight, key = self.weights(), self._key()
        best = heapq.nsmallest(
            count, self._candidates(count, folder), key=lambda node: (-key(node), -self._backlinks(node), name_of(node))
        )
        return [
            Hint(name_for(self._index.catalog, node), weight[node], self._links(node), self._backlinks(node))
            for node in best
        ]

    def _candidates(self, count: int, folder: str) -> Iterator[str]:
        """The notes below a folder, without most of those that are surely not among the best."""
        weight, least = self.weights(), 0.0
        if self._order == "weight" and not folder and 0 < count < len(weight):
            least = heapq.nlargest(count, weight.values())[-1]
        if least <= 1:  # which missing targets weigh, too
            least = 0.0
        found = (node for node, value in weight.items() if value >= least)
        return (node for node in found if not is_missing(node) and below(node, folder))

    def suggestions(self, threshold: float, count: int, folder: str = "") -> list[Suggestion]:
        """The `count` notes below a folder of least value below the threshold, least first; empty ones never appear."""
        weight, catalog = self.weights(), self._index.catalog
        found = []
        for path, row in catalog.rows.items():
            characters = row.facts.characters if row.facts else 0
            if characters and below(path, folder) and (value := weight[path] / characters) < threshold:
                found.append((value, path))
        return [
            Suggestion(name_for(catalog, path), value, weight[path], catalog.facts(path).characters)
            for value, path in heapq.nsmallest(count, found)
        ]

    def _key(self) -> Callable[[str], float]:
        if self._order == "pagerank":
            return self._pageranks().__getitem__
        return self.weights().__getitem__ if self._order == "weight" else self._links

    def _links(self, node: str) -> int:
        """Distinct targets, attachments and the note itself not counted."""
        return sum(1 for target in self._index.links.graph.succ[node] if target != node and counts(target))

    def _backlinks(self, node: str) -> int:
        sources = self._index.links.graph.pred[node]
        return len(sources) - (node in sources)

    def _pageranks(self) -> dict[str, float]:
        version = self._index.links.version
        if self._ranks[0] != version:
            self._ranks = (version, pagerank(self._index.links.graph, counts))
        return self._ranks[1]
