"""The tools on memories of every kind: create, delete, search."""

from collections.abc import Mapping

from zkmem.memory import Memory
from zkmem.names import base_of, name_of
from zkmem.records.draft import Draft
from zkmem.toolsets.record_properties import RAW
from zkmem.toolsets.think import elements, graphs, raw, store
from zkmem.toolsets.think.graphs import GRAPH
from zkmem.toolsets.think.lists import LIST, ListNote
from zkmem.toolsets.think.memories import FoundMemory, as_raw, known_memories, lists_naming, other_notes
from zkmem.toolsets.think.names import NamePath
from zkmem.toolsets.think.patterns import matching
from zkmem.toolsets.think.raw import Raw, kind_of
from zkmem.toolsets.think.results import done, titled
from zkmem.toolsets.tool import Result
from zkmem.util.spelling import number_of

_MOST_NOTES = 100  # notes of other toolsets in an answer; each is read


def add_raw(memory: Memory, name: str, description: str, data: str) -> Result:
    """Create a raw memory."""
    new = Raw(name, description, data)
    memory.edit(lambda draft: raw.create(draft, store.free(draft, name), new))
    return done(f"added the raw memory {name}", data={"nLines": new.record["nLines"], "nChars": len(data)})


def add_list(memory: Memory, name: str, description: str, role: str) -> Result:
    """Create an empty list."""
    return _add_index(memory, LIST, name, description, role)


def add_graph(memory: Memory, name: str, description: str, role: str) -> Result:
    """Create an empty graph."""
    return _add_index(memory, GRAPH, name, description, role)


def _add_index(memory: Memory, kind: str, name: str, description: str, role: str) -> Result:
    about = {"role": role, "description": description}
    memory.edit(lambda draft: raw.create_note(draft, store.free(draft, name), kind, name, about))
    return done(f"added the {kind} memory {name}, role {role}")


def delete(memory: Memory, name: str) -> Result:
    """Move a memory to the trash, with its elements, vertices and edges; or a vertex with its edges, or an edge."""
    if any(f"<:{mark}:>" in name for mark in (graphs.VERTEX, graphs.EDGE)):
        path = NamePath.of(name)
        edges = memory.edit(lambda draft: graphs.remove(draft, store.graph_at(draft, path.name), path))
        more = f" and {number_of(edges, 'edge')} of it" if edges else ""
        return done(f"moved {name}{more} to the trash")

    def work(draft: Draft) -> tuple[str, int, list[str]]:
        page = store.memory_at(draft, name)
        kind, count, remarks = kind_of(page), 0, []
        if kind == LIST:
            where = ListNote.of(page)
            taken = elements.take(draft, where, range(len(where.entries)))
            remarks = [f"[[{one.element.target}]] was left: {one.reason}" for one in taken if one.reason]
            count = len(taken) - len(remarks)
            removed = {one.element.page.path for one in taken if one.element.page and not one.reason}
            others = sorted(draft.link(path) for path in lists_naming(draft, removed) - {page.path})
            remarks += [f"the list {other} names some of them too" for other in others]
        elif kind == GRAPH:
            parts = graphs.parts(draft, page)
            count = len(parts)
            for part in parts:
                draft.remove(part.path)
        draft.remove(page.path)
        return kind, count, remarks

    kind, count, remarks = memory.edit(work)
    inside = "" if kind == RAW else f" and {number_of(count, 'raw memory', 'raw memories')} in it"
    return done("; ".join([f"moved the {kind} memory {name}{inside} to the trash", *remarks]))


def search(memory: Memory, query: Mapping[str, str] | None) -> Result:
    """List the memories that match a query, the first of the other notes that do, and the damaged notes."""
    filters = query or {}
    all_memories, notes = memory.look(lambda pages: (known_memories(pages), other_notes(pages)))
    results = [one for one in all_memories if not one.fault and filters.get("type", one.kind) == one.kind]
    if filters.get("type", RAW) != RAW:
        notes = []
    if filters.get("pattern"):
        texts = [(one.name, one.description) for one in results] + [
            (name := name_of(path), base_of(name)) for path in notes
        ]
        hits = matching(filters["pattern"], texts)
        notes = [notes[at - len(results)] for at in hits if at >= len(results)]
        results = [results[at] for at in hits if at < len(results)]
    results += memory.look(lambda pages: [one for path in notes[:_MOST_NOTES] if (one := as_raw(pages, path))])
    faults = [f"The note {one.name!r} is damaged: {one.fault}; mend it." for one in all_memories if one.fault]
    rest = len(notes) - _MOST_NOTES
    more = [f"and {number_of(rest, 'other note')}: give a pattern that matches their names"] if rest > 0 else []
    lines = [*map(_line, results), *more, *faults]
    data = {"results": [one.record for one in results]} | ({"faults": faults} if faults else {})
    return done("\n".join(lines) or "no memory found", data=data | ({"notesLeftOut": rest} if rest > 0 else {}))


def _line(one: FoundMemory) -> str:
    about = [one.kind, *filter(None, [one.about.get("role")])]
    for key, what in (("nLines", "line"), ("nElements", "element")):
        if key in one.about:
            about.append(number_of(one.about[key], what))
    if one.about.get("readOnly"):
        about.append("read-only")
    return titled(f"{one.name} ({', '.join(about)})", one.description)
