"""The graph of links as plain values in a stable order: names, weights, and links by number."""

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.graph import MISSING, counts, is_missing, written_targets
from zkmem.index.lookup import name_for


class Overview(NamedTuple):
    """The names and weights of the notes in the order of their paths, the missing targets as written, and the links.

    `links` is source, target, source, target, ...: indices of `names` followed by `missing`.
    Links of a note to itself, and links to attachments, are left out.
    """

    names: list[str]
    weights: list[float]
    missing: list[str]
    links: list[int]


def overview(catalog: Catalog, following: Mapping[str, Sequence[str]], weights: Mapping[str, float]) -> Overview:
    """Return the graph of some notes and their targets (see `LinkGraph.copy`). The catalog may change meanwhile."""
    paths = sorted(node for node in following if counts(node) and not is_missing(node))
    number = {path: at for at, path in enumerate(paths)}
    missing: dict[str, str] = {}
    links: list[int] = []
    for source, path in enumerate(paths):
        nodes = following.get(path, ())
        new = [node for node in nodes if is_missing(node) and node not in number]
        if new:
            missing |= written_targets(catalog, path, catalog.facts(path), new)
            number.update(zip(new, itertools.count(len(number))))
        for node in nodes:
            if node != path and node in number:
                links += (source, number[node])
    return Overview(
        names=[name_for(catalog, path) for path in paths],
        weights=[round(weights.get(path, 1.0), 6) for path in paths],
        missing=[missing.get(node, node.removeprefix(MISSING)) for node in number if is_missing(node)],
        links=links,
    )
