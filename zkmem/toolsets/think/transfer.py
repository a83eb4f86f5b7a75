"""Import a THINK-MEM file: parse it, collect its faults, and create its memories without a change to existing notes.

The specification of THINK-MEM says only that a file is JSON with its interfaces. So the file may be one Memory object,
a list of them, an object with a list under `memories` or `data`, or an object with a Memory for each name.
"""

import json
import math
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from zkmem.errors import BadArgument, BadName, Damaged, Taken, UnknownNote, Unwritable
from zkmem.memory import Memory
from zkmem.records.draft import Draft
from zkmem.records.outcome import Imported, Progress
from zkmem.records.pages import Page, Pages
from zkmem.toolsets.record_properties import RAW
from zkmem.toolsets.think import elements, graphs, raw, store
from zkmem.toolsets.think.elements import ElementPaths
from zkmem.toolsets.think.graphs import GRAPH, GRAPH_ROLES, KINDS, MORE, Edge, edge_name
from zkmem.toolsets.think.lines import check_range, lines_of
from zkmem.toolsets.think.lists import LIST, ROLES, ListNote
from zkmem.toolsets.think.names import NO_NAME, check_name, shortened
from zkmem.toolsets.think.raw import Raw, kind_of
from zkmem.toolsets.think.summaries import LinesSummary, in_order
from zkmem.util.characters import has_half

_AT_ONCE = 50  # entries in one plan


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
    edges = [edge._replace(raw=one) for edge, one in zip(edges, named, strict=True)]
    return IncomingMemory(GRAPH, head, role, vertices, edges, root if role == "tree" else "").ordered()


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
    memory = _raw({"name": edge_name(source, to), **one}, place, faults)
    check_name(memory.name)
    more = {key: json.dumps(one[key]) for key in MORE if isinstance(one.get(key), int | float) and _is_finite(one[key])}
    return Edge(memory, source, to, more)


def _is_finite(number: float) -> bool:
    return abs(number) < math.inf  # `math.isfinite` fails for a long whole number


def _raws(entry: Mapping[str, Any], key: str, place: str, faults: Faults) -> list[Raw]:
    memories = []
    for number, one in enumerate(_items(entry, key), 1):
        where = f"{place} {number}"
        try:
            if not isinstance(one, dict):
                raise BadArgument("it is no object")  # noqa: TRY301
            memory = _raw({"name": "", **one}, where, faults)
            check_name(memory.name)
            memories.append(memory)
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


def import_think(memory: Memory, text: str, progress: Progress | None = None) -> Imported:
    """Import the memories of a THINK-MEM file; `progress` gets the number of entries done, and of all.

    A memory that is there with the same content is left alone; one with other content is too, and is a fault.

    Raises:
        BadArgument: when the text is no such file.
    """
    faults, new = Faults(), list[bool]()
    memories = entries(text)
    for start in range(0, len(memories), _AT_ONCE):
        batch = [
            (place, one) for place, entry in memories[start : start + _AT_ONCE] if (one := parsed(entry, place, faults))
        ]
        new += _import(memory, batch, faults)
        if progress:
            progress(min(start + _AT_ONCE, len(memories)), len(memories))
    return Imported(sum(new), len(new) - sum(new), list(faults))


def _import(memory: Memory, batch: Sequence[tuple[str, IncomingMemory]], faults: Faults) -> list[bool]:
    """Import entries in one edit, or one by one if that fails; return for each imported one whether it is new."""
    try:
        return memory.edit(lambda draft: [_put(draft, one) for _, one in batch])
    except (BadArgument, BadName, Damaged, Taken, UnknownNote, Unwritable) as error:
        if len(batch) == 1:
            faults.at(f"{batch[0][0]} ({batch[0][1].raw.name!r:.60})", error)
            return []
    return [new for one in batch for new in _import(memory, [one], faults)]


def _put(draft: Draft, one: IncomingMemory) -> bool:
    """Create a memory if it does not exist yet, and return whether it was created."""
    if page := store.memory_note(draft, one.raw.name):
        if present(draft, page.sound()) != one:
            raise Taken("there is a note of that name with other content already; it was left as it is")
        return False
    path = store.free(draft, one.raw.name)
    if one.kind == RAW:
        raw.create(draft, path, one.raw)
        return True
    about = {"role": one.role, "description": one.raw.description}
    page = raw.create_note(draft, path, one.kind, one.raw.name, about)
    if one.kind == LIST:
        elements.insert(draft, ListNote.of(page), 0, one.parts)
    else:
        _fill(draft, page, one)
    return True


def _fill(draft: Draft, graph: Page, one: IncomingMemory) -> None:
    for vertex in one.parts:
        made = graphs.add_vertex(draft, graph, vertex)
        if vertex.name == one.root:
            graphs.set_root(draft, graph, made)
    for edge in one.edges:
        graphs.add_edge(draft, graph, edge)


def present(pages: Pages, page: Page) -> IncomingMemory | None:
    """Return the memory in a note in the form of an imported one; None if the note is no memory."""
    kind = kind_of(page)
    if kind == RAW:
        return IncomingMemory(kind, Raw.of(page).unsigned)
    head = Raw(page.name, str(page.properties.get("description", "")), "")
    if kind == LIST:
        where = ListNote.of(page)
        places = ElementPaths(pages, where)
        inside = [places.known(index) for index in range(len(where.entries))]
        return IncomingMemory(kind, head, where.role, tuple(Raw.of(one).unsigned for one in inside))
    if kind == GRAPH:
        return IncomingMemory(kind, head, str(page.properties.get("role", "")), *graphs.contents(pages, page)).ordered()
    return None
