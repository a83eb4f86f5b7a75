"""Use the links between notes in a search: which notes its hits link to, and which notes are near a note."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from zkmem.index.graph import LinkGraph, counts

_MOST_HITS = 20  # whose links count
_MOST_LINKS = 100  # of a hit, the first in its text
_EASE = 5  # the greater it is, the less the rank of a hit counts
_MOST_LOOKED_AT = 2_000  # links around a note, and as many around its neighbours


def best_linked(links: LinkGraph, ranked: Sequence[str]) -> list[str]:
    """Return the nodes to which some notes link, without these notes. `ranked`: their paths, the best first.

    The nodes to which most of the notes link come first; the links of better notes count a little more.
    """
    weights: dict[str, float] = {}
    for rank, path in enumerate(ranked[:_MOST_HITS], 1):
        for node in islice(links.targets([path]), _MOST_LINKS):
            weights[node] = weights.get(node, 0.0) + 1 / (_EASE + rank)
    for path in ranked:
        weights.pop(path, None)
    return sorted(weights, key=weights.__getitem__, reverse=True)


def within_two_links(links: LinkGraph, path: str, has: Callable[[str], bool]) -> set[str]:
    """Return the nodes within two links of a note, in either direction, and the note itself.

    Only the links of notes for which `has` is true count, and none to attachments. At most some thousands of links are
    read, those of the neighbours with few links first.
    """

    def around(nodes: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield the source of each link from or to the nodes, and its other end."""
        for node in nodes:
            yield from ((node, target) for target in links.targets([node]))
            yield from ((source, source) for source in links.leading(node))

    def next_to(nodes: Iterable[str]) -> set[str]:
        return {one for source, one in islice(around(nodes), _MOST_LOOKED_AT) if has(source) and counts(one)}

    first = next_to([path])
    fewest = sorted(first, key=lambda node: (len(links.following(node)) + len(links.leading(node)), node))
    return {path} | first | next_to(fewest)
