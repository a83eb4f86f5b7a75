"""Rank notes: those to read first (hints) and those to tidy (suggestions)."""

import heapq
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from zkmem.index.graph import counts, is_missing
from zkmem.index.live import LiveIndex
from zkmem.index.lookup import name_for
from zkmem.names import ENTRY, base_of, below, name_of
from zkmem.recall.weights import Weights, pagerank
from zkmem.util.waiting import check_may_wait
from zkmem.vault.obsidian import Templates
from zkmem.vault.paths import Patterns

SKIPPED = ("*.excalidraw.md",)  # the drawings of Obsidian's Excalidraw plugin: JSON in a note

_SAVED = "weights"
_RANKED = 100  # of the best notes, which stay ranked while the links change
_MOST_RANKED = 400
_MOST_RANKINGS = 100  # of folders and orders that callers name
_MANY = 1_000  # changed nodes
_MOST_IN_LOOP = 2_000  # nodes and backlinks to look at in a thread that must not wait

Order = Literal["weight", "links", "pagerank", "balanced"]


class Hint(NamedTuple):
    """An entry point: the note, its weight, its distinct links and backlinks."""

    name: str
    weight: float
    links: int
    backlinks: int


class Suggestion(NamedTuple):
    """A note with a low value, which is its weight divided by its number of characters."""

    name: str
    value: float
    weight: float
    characters: int


Rank = tuple[float, int, str]
"""The place of a note among others: a lower one comes first."""


class _Best(NamedTuple):
    """The notes that come first, in order."""

    ranks: list[tuple[Rank, str]]  # with the path of the note
    last: Rank | None  # each note with this rank or a lower one is in `ranks`; None if every note is

    def first(self, count: int) -> list[str] | None:
        """Return the paths of the first notes; None if too few are known."""
        known = self.last is None or count <= len(self.ranks)
        return [path for _, path in self.ranks[:count]] if known else None


class Ranking:
    """Hints and suggestions for the notes of an index. The weights are updated when a link has changed."""

    def __init__(self, live: LiveIndex, order: Order = "weight", skip: Iterable[str] = SKIPPED) -> None:
        """Rank the notes in an index. The index must be complete, and its lock held.

        `skip` has patterns of notes that are never suggested.
        """
        self._index = live.index
        self.order = order
        self._skipped = Patterns(skip)
        self._weights: Weights | None = None
        self._changed = live.index.links.follow()
        live.derive(_SAVED, self._packed)
        self._ranks: dict[str, tuple[int, dict[str, float]]] = {}  # by folder: graph version, ranks
        self._best: dict[tuple[str, Order, str], _Best] = {}  # by the arguments of `_ranked`
        self._templates = Templates()
        self._moved: set[str] = set()  # nodes that have moved since the best notes were updated

    def weights(self) -> dict[str, float]:
        """Return the weight of each note and each missing target, by node."""
        links = self._index.links
        if self._weights is None:
            check_may_wait()
            nodes, derived = self._index.restored
            self._weights = Weights(links.graph, counts, nodes, derived.get(_SAVED))
            self._index.restored = ((), {})  # no longer needed, and large
            if _SAVED not in derived:
                self._changed.clear()
        if self._changed:
            changed = self._changed.copy()
            moved = self._weights.update(changed)
            self._changed.clear()  # after the update: if it raises `WouldWait`, the changes are needed again
            now = links.graph.following
            ends = (target for node, before in changed.items() for target in [*(before or ()), *now.get(node, ())])
            self._moved.update(moved or (), changed, ends)
            if moved is None or len(self._moved) > _MANY:
                self._best.clear()
                self._moved.clear()
        return self._weights.of

    def _packed(self, nodes: Sequence[str]) -> bytes | None:
        """Return the weights for the cache; None if they were not computed."""
        if self._weights is None:
            return None
        self.weights()
        return self._weights.packed(nodes)

    def hints(self, count: int, folder: str = "", order: Order | None = None, seen: str = "") -> list[Hint]:
        """Return the `count` best entry points below a folder: by `order`, then by backlinks, then by name.

        `order` None stands for the order of this ranking. `seen` is the folder that the caller may see: backlinks and
        PageRank come only from the notes below it. Templates are left out.
        """
        self._look_at_templates()
        weight, best = self.weights(), self._ranked(count, folder, order or self.order, seen)
        if self._cost(best, seen) > _MOST_IN_LOOP:
            check_may_wait()
        return [
            Hint(name_for(self._index.catalog, node), weight[node], self._links(node), self._backlinks(node, seen))
            for node in best
        ]

    def _look_at_templates(self) -> None:
        """Read which folders have templates, and rank anew if that has changed."""
        templates = Templates.of(lambda path: self._index.store.read(path)[0])
        if templates != self._templates:
            self._templates = templates
            self._best.clear()

    def _ranked(self, count: int, folder: str, order: Order, seen: str) -> list[str]:
        """Return the paths of the `count` best notes: see `hints`. Ranking takes long, so the best ones are kept."""
        self._update_best()
        best = self._best.get((folder, order, seen))
        known = best.first(count) if best else None
        if known is not None:
            return known
        check_may_wait()
        most = max(count, _RANKED)
        ranks = [(self._rank(node, order, seen), node) for node in self._candidates(most, folder, order, seen)]
        found = heapq.nsmallest(most, ranks)
        if order != "pagerank":  # any change of a link may change all of its values
            if len(self._best) >= _MOST_RANKINGS:
                self._best.clear()
            self._best[folder, order, seen] = _Best(found, found[-1][0] if len(found) == most else None)
        return [path for _, path in found[:count]]

    def _rank(self, node: str, order: Order, seen: str) -> Rank:
        return -self._key(order, seen)(node), -self._backlinks(node, seen), name_of(node)

    def _update_best(self) -> None:
        """Update the best notes after some nodes have got another weight, or other links or backlinks."""
        if sum(self._cost(self._moved, seen) for _, _, seen in self._best) > _MOST_IN_LOOP:
            check_may_wait()
        moved, self._moved = self._moved, set()
        there = moved & self.weights().keys()  # without attachments
        for (folder, order, seen), (ranks, last) in list(self._best.items()):
            stay = [pair for pair in ranks if pair[1] not in moved]
            come = [(self._rank(node, order, seen), node) for node in there if self._is_candidate(node, folder)]
            best = _Best(sorted([*stay, *(pair for pair in come if last is None or pair[0] <= last)]), last)
            if len(best.ranks) > _MOST_RANKED:
                best = _Best(best.ranks[:_RANKED], best.ranks[_RANKED - 1][0])
            self._best[folder, order, seen] = best

    def _cost(self, nodes: Collection[str], seen: str) -> int:
        """Return how many nodes and backlinks `_rank` looks at to rank these nodes."""
        return len(nodes) + (sum(len(self._index.links.leading(node)) for node in nodes) if seen else 0)

    def _candidates(self, count: int, folder: str, order: Order, seen: str) -> Iterator[str]:
        """Return the notes below a folder, without most of the notes that cannot be among the `count` best.

        A missing target never ranks above a note, so missing targets among the first do not exclude any note.
        """
        most, least = self._most(order, seen), 0.0
        count += sum(map(self._templates.has, most))
        if not folder and 0 < count < len(most):
            bound = heapq.nlargest(count, most.values())[-1]
            first = [node for node, value in most.items() if value >= bound]
            least = min(map(self._key(order, seen), first[:count]))
        high = (node for node, value in most.items() if value >= least)
        return (node for node in high if self._is_candidate(node, folder))

    def _is_candidate(self, node: str, folder: str) -> bool:
        """Return whether a node is a note below a folder, neither a missing target nor a template."""
        return not is_missing(node) and below(node, folder) and not self._templates.has(node)

    def _most(self, order: Order, seen: str) -> dict[str, float]:
        """Return an upper bound of each node's value in an order, computed without looking at its targets."""
        weight = self.weights()
        targets = self._index.links.graph.following
        if order == "links":
            return {node: len(targets[node]) for node in weight}
        if order == "balanced":
            return {node: balanced(value, len(targets[node])) for node, value in weight.items()}
        return weight if order == "weight" else self._pageranks(seen)

    def suggestions(self, threshold: float, count: int, folder: str = "") -> list[Suggestion]:
        """Return the `count` notes below a folder with the lowest values below the threshold, the lowest first.

        Empty and skipped notes never appear.
        """
        weight, catalog = self.weights(), self._index.catalog
        low: list[tuple[float, str]] = []
        for path, row in catalog.rows.items():
            characters = row.facts.characters if row.facts else 0
            if characters and below(path, folder) and (value := weight[path] / characters) < threshold:
                low.append((value, path))
        heapq.heapify(low)  # a heap, not a sorted list: only the first few are compared with the patterns
        ordered = (heapq.heappop(low) for _ in range(len(low)))
        suggested = ((value, path) for value, path in ordered if not self._skipped.match(path))
        return [
            Suggestion(name_for(catalog, path), value, weight[path], catalog.facts(path).characters)
            for value, path in itertools.islice(suggested, count)
        ]

    def unlinked(self, count: int, folder: str = "", seen: str = "") -> tuple[list[str], int]:
        """Return the names of notes below a folder that no other note links to, lowest value first, and their number.

        `count` limits the names. `seen` is as for `hints`. Empty notes, skipped notes and the entry note are left out.
        """
        weight, catalog, skipped = self.weights(), self._index.catalog, self._skipped
        alone = [
            (weight[path] / row.facts.characters, path)
            for path, row in catalog.rows.items()
            if row.facts and row.facts.characters and below(path, folder) and not self._backlinks(path, seen)
        ]
        without_links = [each for each in alone if name_of(base_of(each[1])) != ENTRY and not skipped.match(each[1])]
        return [name_for(catalog, path) for _, path in heapq.nsmallest(count, without_links)], len(without_links)

    def conflicts(self, count: int, folder: str = "") -> tuple[list[str], int]:
        """Return the names of notes below a folder that have a conflict callout, in order of path, and their number.

        `count` limits the names. Skipped notes are left out.
        """
        catalog, skipped = self._index.catalog, self._skipped
        paths = [
            path
            for path, row in catalog.rows.items()
            if row.facts and row.facts.callouts and below(path, folder) and not skipped.match(path)
        ]
        return [name_for(catalog, path) for path in heapq.nsmallest(count, paths)], len(paths)

    def _key(self, order: Order, seen: str) -> Callable[[str], float]:
        if order == "pagerank":
            return self._pageranks(seen).__getitem__
        if order == "balanced":
            weight = self.weights()
            return lambda node: balanced(weight[node], self._links(node))
        return self.weights().__getitem__ if order == "weight" else self._links

    def _links(self, node: str) -> int:
        """Return the number of distinct targets, without attachments and the note itself."""
        return self._index.links.count(node)

    def _backlinks(self, node: str, seen: str) -> int:
        sources = self._index.links.graph.pred[node]
        if not seen:
            return len(sources) - (node in sources)
        return sum(1 for source in sources if source != node and below(source, seen))

    def _pageranks(self, seen: str) -> dict[str, float]:
        """Return the PageRank of the notes below a folder, as if there were no other notes."""
        graph, version = self._index.links.graph, self._index.links.version

        def is_seen(node: str) -> bool:
            if is_missing(node):
                return any(below(source, seen) for source in graph.pred[node])
            return counts(node) and below(node, seen)

        if seen not in self._ranks or self._ranks[seen][0] != version:
            self._ranks = {each: ranks for each, ranks in self._ranks.items() if ranks[0] == version}
            self._ranks[seen] = version, pagerank(graph, is_seen)
        return self._ranks[seen][1]


def balanced(weight: float, links: int) -> float:
    """Return a note's value in the order `balanced`: its weight, within limits that depend on its number of links.

    The value is at most the number of links plus one: more weight can only come from a chain of notes. It is at least
    half the number of links, so that an index page has value before its notes link back. See
    docs/explanation/ranking.md.
    """
    return max(min(weight, links + 1), links / 2)
