"""The graph of links as plain values: names, weights and links by number, in a stable order."""

from collections.abc import Mapping
from typing import NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.graph import MISSING, is_missing, missing_targets
from zkmem.index.lookup import name_for
from zkmem.index.resolve import missing_key
from zkmem.index.sync import Index


class Overview(NamedTuple):
    """The notes in order of their paths, with their weights, then the missing ones as they are written.

    `links`: source, target, source, target, ...: numbers of notes, from their count on those of missing ones. Links
    of a note to itself and to attachments are left out.
    """

    names: list[str]
    weights: list[float]
    missing: list[str]
    links: list[int]


def overview(index: Index, weights: Mapping[str, float], folder: str = "") -> Overview:
    """The graph of an index, or of the notes below a folder and what they link to."""
    catalog, following = index.catalog, index.links.graph.succ
    within = folder + "/" if folder else ""
    paths = sorted(path for path in catalog.notes() if path.startswith(within))
    number = {path: at for at, path in enumerate(paths)}
    missing: dict[str, str] = {}
    links: list[int] = []
    for source, path in enumerate(paths):
        for node in following.get(path, ()):
            if is_missing(node) and node not in number:
                missing |= _written(catalog, path)
                number[node] = len(number)
            if node != path and node in number:
                links += (source, number[node])
    return Overview(
        names=[name_for(catalog, path) for path in paths],
        weights=[round(weights.get(path, 1.0), 6) for path in paths],
        missing=[missing.get(node, node.removeprefix(MISSING)) for node in number if is_missing(node)],
        links=links,
    )


def _written(catalog: Catalog, path: str) -> dict[str, str]:
    """The missing targets of a note as they are written, by node."""
    return {MISSING + missing_key(one, path): one for one in missing_targets(catalog, path, catalog.facts(path))}
