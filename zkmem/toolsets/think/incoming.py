"""Parse a THINK-MEM file: return its memories, and collect its faults. Pure.

The specification of THINK-MEM says only that a file is JSON with its interfaces. So the file may be one Memory object,
a list of them, an object with a list under `memories` or `data`, or an object with a Memory for each name.
"""

import json
import math
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from zkmem.errors import BadArgument, BadName
from zkmem.toolsets.record_properties import RAW
from zkmem.toolsets.think.lines import check_range, lines_of
from zkmem.toolsets.think.lists import LIST, ROLES
from zkmem.toolsets.think.names import NO_NAME, check_name, shortened
from zkmem.toolsets.think.raw import Raw
from zkmem.toolsets.think.summaries import LinesSummary, in_order
from zkmem.util.characters import has_half

GRAPH = "graph"
KINDS = (RAW, LIST, GRAPH)
GRAPH_ROLES = ("tree", "graph")
MORE = ("weight", "bidir")  # of an edge


class Edge(NamedTuple):
    """An edge of a graph."""

    raw: Raw
    source: str
    to: str
    more: Mapping[str, object] = {}


class IncomingMemory(NamedTuple):
    """A memory to import, or an existing one in the same form."""

    kind: str
    raw: Raw
    role: str = ""
    parts: Sequence[Raw] = ()  # elements or vertices
    edges: Sequence[Edge] = ()
    root: str = ""  # a vertex of a tree

    def ordered(self) -> "IncomingMemory":
        """Return the memory with its vertices and edges in order of their names."""
        parts = sorted(self.parts, key=lambda one: one.name)
        return self._replace(parts=tuple(parts), edges=tuple(sorted(self.edges, key=lambda edge: edge.raw.name)))


class Faults(list[str]):
    """The faults of a file, each with its place."""

    def at(self, place: str, error: Exception) -> None:
        """Add an error at a place."""
        self.append(f"{place}: {error}")


def entries(text: str) -> list[tuple[str, Any]]:
    """Return the entries of a file, each with its place in words.

    Raises:
        BadArgument: when the file is not JSON, or has none of these forms.
    """
    try:
        entries = list(_entries(json.loads(text)))
    except (ValueError, RecursionError) as error:
        raise BadArgument(f"This is not JSON: {error}.") from None
    return entries


def looks_like_think(text: str) -> bool:
    """Return whether a text is a THINK-MEM file, not JSON lines or anything else."""
    try:
        memories = entries(text)
    except BadArgument:
        return False
    return text.lstrip().startswith("[") or any(
        isinstance(one, dict) and one.get("type") in KINDS for _, one in memories
    )


def _entries(document: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(document, list):
        yield from ((f"entry {number}", one) for number, one in enumerate(document, 1))
        return
    if not isinstance(document, dict):
        raise BadArgument("This is no THINK-MEM file: it is neither a list of memories nor an object that holds them.")
    if isinstance(document.get("name"), str) and document.get("type") in KINDS:
        yield "entry 1", document
        return
    inner = {key: document[key] for key in ("memories", "data") if isinstance(document.get(key), list | dict)}
    for key, one in inner.items():
        about = f" of `{key}`" if len(inner) > 1 else ""
        yield from ((f"{place}{about}", entry) for place, entry in _entries(one))
    if inner:
        return
    for number, (name, one) in enumerate(document.items(), 1):
        yield f"entry {number}", {"name": name, **one} if isinstance(one, dict) else one


def parsed(entry: Any, place: str, faults: Faults) -> IncomingMemory | None:
    """Return the memory in an entry without its faulty parts; None if there is none.

    Each problem is added to the faults.
    """
    try:
        kind = entry.get("type") if isinstance(entry, dict) else None
        if kind not in KINDS:
            raise BadArgument(f"it is no memory: its `type` must be one of {', '.join(KINDS)}")  # noqa: TRY301
        place = f"{place} ({_text(entry, 'name', ...)!r:.60})"
        head = _raw(entry if kind == RAW else {**entry, "data": "", "summaries": []}, place, faults)
        check_name(head.name)
        if kind == RAW:
            return IncomingMemory(kind, head)
        return _list(entry, head, place, faults) if kind == LIST else _graph(entry, head, place, faults)
    except (BadArgument, BadName) as error:
        faults.at(place, error)
        return None


def _list(entry: Mapping[str, Any], head: Raw, place: str, faults: Faults) -> IncomingMemory:
    role = _choice(entry, "role", ROLES)
    if not isinstance(entry.get("list"), list):
        raise BadArgument("it has no `list` of its elements")
    return IncomingMemory(LIST, head, role, _named(_raws(entry, "list", f"{place}, element", faults)))


def _graph(entry: Mapping[str, Any], head: Raw, place: str, faults: Faults) -> IncomingMemory:
    settings = entry.get("roleSettings")
    role = _choice(settings if isinstance(settings, dict) else entry, "role", GRAPH_ROLES)
    vertices = _named(_raws(entry, "nodes", f"{place}, node", faults))
    root = _text(settings, "root", "") if isinstance(settings, dict) else ""
    vertex_names, edges = {one.name for one in vertices}, []
    for number, one in enumerate(_items(entry, "edges"), 1):
        try:
            edges.append(_edge(one, vertex_names, f"{place}, edge {number}", faults))
        except (BadArgument, BadName) as error:
            faults.at(f"{place}, edge {number}", error)
    if root and root not in vertex_names:
        faults.append(f"{place}: there is no node {root!r:.60} to be its root")
    if root not in vertex_names:
        root = vertices[0].name if vertices else ""
    named = _named([edge.raw for edge in edges])
    edges = [edge._replace(raw=raw) for edge, raw in zip(edges, named, strict=True)]
    return IncomingMemory(GRAPH, head, role, vertices, edges, root if role == "tree" else "").ordered()


def edge_name(source: str, to: str) -> str:
    """Return the name for an edge without one."""
    return f"{source} → {to}"


def _named(parts: Sequence[Raw]) -> tuple[Raw, ...]:
    """Return elements, vertices or edges with a name each; no two have the same."""
    named: dict[str, Raw] = {}
    for number, one in enumerate(parts, 1):
        name = one.name or shortened(one.description) or shortened(one.data) or NO_NAME
        while name in named:
            name = f"{name} {number}"
        named[name] = one._replace(name=name)
    return tuple(named.values())


def _edge(one: Any, vertex_names: Container[str], place: str, faults: Faults) -> Edge:
    if not isinstance(one, dict):
        raise BadArgument("it is no object")
    source, to = _text(one, "from", ...), _text(one, "to", ...)
    for end in (source, to):
        if end not in vertex_names:
            raise BadArgument(f"there is no node {end!r:.60}")
    raw = _raw({"name": edge_name(source, to), **one}, place, faults)
    check_name(raw.name)
    more = {key: json.dumps(one[key]) for key in MORE if isinstance(one.get(key), int | float) and _is_finite(one[key])}
    return Edge(raw, source, to, more)


def _is_finite(number: float) -> bool:
    return abs(number) < math.inf  # `math.isfinite` fails for a long whole number


def _raws(entry: Mapping[str, Any], key: str, place: str, faults: Faults) -> list[Raw]:
    memories = []
    for number, one in enumerate(_items(entry, key), 1):
        where = f"{place} {number}"
        try:
            if not isinstance(one, dict):
                raise BadArgument("it is no object")  # noqa: TRY301
            raw = _raw({"name": "", **one}, where, faults)
            check_name(raw.name)
            memories.append(raw)
        except (BadArgument, BadName) as error:
            faults.at(where, error)
    return memories


def _raw(entry: Mapping[str, Any], place: str, faults: Faults) -> Raw:
    name, data = _text(entry, "name", ...), _text(entry, "data", ...)
    summaries = []
    for number, one in enumerate(_items(entry, "summaries"), 1):
        try:
            first, last = _number(one, "lineBeg"), _number(one, "lineEnd")
            if data.endswith("\n") and first < last == len(lines_of(data)):
                last -= 1  # THINK-MEM counts an empty line after a final newline
            check_range(data, first, last)
            summaries.append(LinesSummary(first, last, _text(one, "text", ...)))
        except BadArgument as error:
            faults.at(f"{place}, summary {number}", error)
    return Raw(name, _text(entry, "description", ""), data, tuple(in_order(summaries)))


def _text(entry: Any, key: str, otherwise: Any) -> str:
    value = entry.get(key, otherwise) if isinstance(entry, dict) else None
    if not isinstance(value, str):
        raise BadArgument(f"its `{key}` is {'no text' if value is not None else 'missing'}")
    if has_half(value):
        raise BadArgument(f"its `{key}` holds half a character")
    return value


def _number(entry: Any, key: str) -> int:
    value = entry.get(key) if isinstance(entry, dict) else None
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadArgument(f"its `{key}` is no whole number")
    return value


def _choice(entry: Mapping[str, Any], key: str, choices: Sequence[str]) -> str:
    if entry.get(key) not in choices:
        raise BadArgument(f"its `{key}` must be one of {', '.join(choices)}")
    return str(entry[key])


def _items(entry: Mapping[str, Any], key: str) -> list[Any]:
    value = entry.get(key) or []
    if not isinstance(value, list):
        raise BadArgument(f"its `{key}` is no list")
    return value
