"""Graph memories: vertices and edges are raw memories in folders of the graph."""

import contextlib
import itertools
import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from zkmem.errors import BadArgument, Damaged
from zkmem.names import fold
from zkmem.records.draft import Draft
from zkmem.records.pages import Page, Pages
from zkmem.toolsets.record_properties import RAW
from zkmem.toolsets.think import raw
from zkmem.toolsets.think.lists import LIST, folder_of
from zkmem.toolsets.think.names import NamePath, UnknownMemory
from zkmem.toolsets.think.raw import Raw, kind_of

GRAPH = "graph"
KINDS = (RAW, LIST, GRAPH)
"""The types of memories."""

GRAPH_ROLES = ("tree", "graph")
VERTEX = "VERTEX"
EDGE = "EDGE"
MORE = ("weight", "bidir")  # of an edge


class Edge(NamedTuple):
    """An edge of a graph."""

    raw: Raw
    source: str
    to: str
    more: Mapping[str, object] = {}


def edge_name(source: str, to: str) -> str:
    """Return the name for an edge without one."""
    return f"{source} → {to}"


def find(pages: Pages, graph: Page, path: NamePath) -> Page | None:
    """Return the note of the vertex or edge that a NamePath means; None if it does not exist."""
    if path.mark == "ROOT":
        return _root(pages, graph)
    if path.mark not in {VERTEX, EDGE}:
        raise BadArgument(
            f"{path.name!r} is a graph; what is in it: {path.name}<:VERTEX:>vertex, {path.name}<:EDGE:>edge, "
            f"{path.name}<:EDGE:>from<:TO:>to, and {path.name}<:ROOT:> of a tree. searchListElements lists them, and "
            "deleteMemory takes these names, too."
        )
    if path.to is None:
        return pages.named(path.child, _folder(graph, path.mark))
    ends = [pages.named(end, _folder(graph, VERTEX)) for end in (path.child, path.to)]
    between = [end.path for end in ends if end]
    edges = [(edge, _ends(pages, edge)) for edge in _parts(pages, graph, EDGE)]
    forwards = (edge for edge, its in edges if its == between)
    backwards = (edge for edge, its in edges if its == between[::-1] and _is_both_ways(edge))
    return next(itertools.chain(forwards, backwards), None)


def create(draft: Draft, graph: Page, path: NamePath, data: str) -> None:
    """Create the vertex or edge that a NamePath means; the first vertex of a tree becomes its root."""
    if path.mark == VERTEX:
        vertex = add_vertex(draft, graph, Raw(path.child, "", data))
        if graph.properties.get("role") == "tree" and "root" not in graph.properties:
            set_root(draft, graph, vertex)
    elif path.to is None:
        raise BadArgument(f"There is no edge {path.child!r}; make one with {path.name}<:EDGE:>from<:TO:>to.")
    else:
        name = edge_name(path.child, path.to)
        add_edge(draft, graph, Edge(Raw(name, "", data), path.child, path.to))


def add_vertex(draft: Draft, graph: Page, vertex: Raw) -> str:
    """Create a vertex, and return its path."""
    return raw.create(draft, draft.free(vertex.name, _folder(graph, VERTEX)), vertex)


def set_root(draft: Draft, graph: Page, path: str) -> None:
    """Make a vertex the root of a tree."""
    draft.write(graph.path, {"root": _link(path)})


def add_edge(draft: Draft, graph: Page, edge: Edge) -> None:
    """Create an edge, which links to its ends."""
    ends = {}
    for key, name in (("from", edge.source), ("to", edge.to)):
        vertex = draft.named(name, _folder(graph, VERTEX))
        if vertex is None:
            vertices = [page.name for page in _parts(draft, graph, VERTEX)]
            raise UnknownMemory(f"{graph.name}<:VERTEX:>{name}", vertices)
        ends[key] = _link(vertex.path)
    raw.create(draft, draft.free(edge.raw.name, _folder(graph, EDGE)), edge.raw, {**ends, **edge.more})


def contents(pages: Pages, graph: Page) -> tuple[tuple[Raw, ...], tuple[Edge, ...], str]:
    """Return the vertices and the edges of a graph, and the name of its root; "" if it has none."""
    vertices = {page.path: Raw.of(page).unsigned for page in _parts(pages, graph, VERTEX)}
    edges = []
    for page in _parts(pages, graph, EDGE):
        source, to = (vertices[end].name if end in vertices else "" for end in _ends(pages, page))
        more = {key: page.properties[key] for key in MORE if key in page.properties}
        edges.append(Edge(Raw.of(page).unsigned, source, to, more))
    root = vertices.get(_meant(pages, graph, str(graph.properties.get("root", ""))) or "")
    return tuple(vertices.values()), tuple(edges), root.name if root else ""


def about(pages: Pages, graph: Page, part: Page) -> dict[str, object]:
    """Return the NamePath of a vertex or an edge; for an edge, its ends and weight, and whether it goes both ways."""
    is_edge = fold(part.path).startswith(fold(_folder(graph, EDGE)) + "/")
    data: dict[str, object] = {"namePath": f"{graph.name}<:{EDGE if is_edge else VERTEX}:>{part.name}"}
    if is_edge:
        ends = [pages.page(path) if path else None for path in _ends(pages, part)]
        data |= {key: end.name if end else "" for key, end in zip(("from", "to"), ends, strict=True)}
        with contextlib.suppress(ValueError, TypeError):  # a person may write any text, a list or a mapping
            if math.isfinite(weight := float(part.properties.get("weight", ""))):
                data["weight"] = weight
        data["bidir"] = _is_both_ways(part)
    return data


def remove(draft: Draft, graph: Page, path: NamePath) -> int:
    """Move a vertex with its edges, or an edge, to the trash; return the number of edges that went with it."""
    part = find(draft, graph, path)
    if part is None:
        raise UnknownMemory(
            f"{graph.name}<:{path.mark}:>{path.child}" + (f"<:TO:>{path.to}" if path.to is not None else ""),
            [page.name for page in _parts(draft, graph, path.mark)],
        )
    if kind_of(part.sound()) != RAW:
        raise BadArgument(f"{part.name!r} is a note, but no raw memory; it was left as it is.")
    edges = [edge for edge in _parts(draft, graph, EDGE) if part.path in _ends(draft, edge)]
    if _meant(draft, graph, str(graph.properties.get("root", ""))) == part.path:
        draft.write(graph.path, {"root": None})
    for page in (part, *edges):
        draft.remove(page.path)
    return len(edges)


def parts(pages: Pages, graph: Page) -> list[Page]:
    """Return the vertices and edges of a graph that are sound raw memories."""
    both = [*_parts(pages, graph, VERTEX), *_parts(pages, graph, EDGE)]
    return [page for page in both if not page.fault and kind_of(page) == RAW]


def _root(pages: Pages, graph: Page) -> Page:
    if graph.properties.get("role") != "tree":
        raise BadArgument(f"{graph.name!r} is a graph without a root: only one of the role tree has one.")
    target = str(graph.properties.get("root", ""))
    if not target:
        raise UnknownMemory(f"{graph.name}<:ROOT:>", [f"the first {graph.name}<:VERTEX:>vertex written is the root"])
    root = _meant(pages, graph, target)
    page = pages.page(root) if root else None
    if page is None:
        raise Damaged(f"The root of {graph.name!r} is {target}, which is not there; mend the graph's note.")
    return page


def _parts(pages: Pages, graph: Page, kind: str) -> Iterator[Page]:
    for path in pages.below(_folder(graph, kind)):
        if page := pages.page(path):
            yield page


def _ends(pages: Pages, edge: Page) -> list[str | None]:
    return [_meant(pages, edge, str(edge.properties.get(key, ""))) for key in ("from", "to")]


def _is_both_ways(edge: Page) -> bool:
    return str(edge.properties.get("bidir", "")).lower() == "true"


def _meant(pages: Pages, page: Page, link: str) -> str | None:
    target = link.removeprefix("[[").removesuffix("]]").partition("|")[0]
    return pages.resolve(target, page.path) if target else None


def _link(path: str) -> str:
    return f"[[{path[:-3]}]]"


def _folder(graph: Page, kind: str) -> str:
    return f"{folder_of(graph)}/{kind}"
