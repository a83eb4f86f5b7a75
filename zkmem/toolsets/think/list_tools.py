"""The tools on list memories: add, read, find and remove elements."""

from collections.abc import Mapping, Sequence

from zkmem.errors import BadArgument, Damaged, Unreadable
from zkmem.memory import Memory
from zkmem.records.draft import Draft
from zkmem.records.pages import Pages
from zkmem.toolsets.think import elements, graphs, store
from zkmem.toolsets.think.elements import ElementPaths
from zkmem.toolsets.think.graphs import GRAPH
from zkmem.toolsets.think.lists import ListNote
from zkmem.toolsets.think.patterns import matching
from zkmem.toolsets.think.raw import Raw, kind_of
from zkmem.toolsets.think.results import done, shown, titled
from zkmem.toolsets.tool import Result
from zkmem.util.spelling import number_of

_PUSHES = {"stack": "pushStackElement", "deque": "pushDequeElement", "array": "appendListElement"}
_PEEKS = {"stack": "peekStackElement", "deque": "peekDequeElement", "array": "getListElement"}
_POPS = {"stack": "popStackElement", "deque": "popDequeElement", "array": "getListElement and deleteListElement"}
_Found = tuple[str, Mapping[str, object], Raw]  # what a line says before the name, further data, the raw memory


def append(memory: Memory, name: str, data: str, description: str) -> Result:
    """Add an element at the end of an array or a deque."""
    return _put(memory, name, description, data, ("array", "deque"))


def push_deque(memory: Memory, name: str, data: str, description: str, position: str) -> Result:
    """Add an element at an end of a deque."""
    return _put(memory, name, description, data, ("deque",), 0 if position == "front" else None)


def push_stack(memory: Memory, name: str, data: str, description: str) -> Result:
    """Add an element on top of a stack."""
    return _put(memory, name, description, data, ("stack",))


def insert(memory: Memory, name: str, index: int, data: str, description: str) -> Result:
    """Add an element to an array, before the one at an index."""
    return _put(memory, name, description, data, ("array",), index)


def remove(memory: Memory, name: str, index: int) -> Result:
    """Remove the element at an index of an array; from any list, if the element's note is missing or damaged."""

    def work(draft: Draft) -> Result:
        where = store.list_at(draft, name)
        element = ElementPaths(draft, where).element(where.check(index))
        if element.page and not element.page.fault:
            where.need("array", instead=_POPS[where.role])
        (taken,) = elements.take(draft, where, [index])
        called = taken.element.page.name if taken.element.page else taken.element.target
        note = f"; its note was left: {taken.reason}" if taken.reason else ""
        return done(f"deleted element {index}, {called}{note}", data={"name": called})

    return memory.edit(work)


def clear(memory: Memory, name: str) -> Result:
    """Remove all elements of a list."""

    def work(draft: Draft) -> Result:
        where = store.list_at(draft, name)
        taken = elements.take(draft, where, range(len(where.entries)))
        remarks = [f"the note of [[{one.element.target}]] was left: {one.reason}" for one in taken if one.reason]
        return done("; ".join([f"deleted {number_of(len(taken), 'element')} of {name}", *remarks]))

    return memory.edit(work)


def get(memory: Memory, name: str, index: int) -> Result:
    """Read the element at an index."""
    element = memory.look(
        lambda pages: store.shown(pages, ElementPaths(pages, store.list_at(pages, name)).known(index))
    )
    return done(*shown(index, element), data={"data": element.record})


def peek(memory: Memory, name: str, position: str = "top") -> Result:
    """Read the element at an end of a deque, or on top of a stack."""

    def look(pages: Pages) -> tuple[int, Raw]:
        where = store.list_at(pages, name)
        index = where.end(position.upper(), _PEEKS[where.role])
        return index, store.shown(pages, ElementPaths(pages, where).known(index))

    index, element = memory.look(look)
    return done(*shown(index, element), data=element.record)


def pop(memory: Memory, name: str, position: str = "top") -> Result:
    """Remove the element at an end of a deque, or on top of a stack, and return it."""

    def work(draft: Draft) -> tuple[int, Raw, str]:
        where = store.list_at(draft, name)
        index = where.end(position.upper(), _POPS[where.role])
        element = Raw.of(ElementPaths(draft, where).known(index))
        (taken,) = elements.take(draft, where, [index])
        return index, element, taken.reason

    index, element, reason = memory.edit(work)
    note = [f"Its note was left: {reason}."] if reason else []
    return done(*shown(index, element), *note, data=element.record)


def search(memory: Memory, name: str, pattern: str | None) -> Result:
    """Find the elements of a list, or the vertices and edges of a graph, that a pattern matches, or all.

    Those that cannot be read are listed, too.
    """

    def of_list(pages: Pages, where: ListNote) -> tuple[list[_Found], list[str]]:
        places, elements, faults = ElementPaths(pages, where), list[_Found](), []
        for index in range(len(where.entries)):
            try:
                elements.append((f"{index}", {"index": index}, store.shown(pages, places.known(index))))
            except (Damaged, Unreadable) as error:
                faults.append(f"{index} {error}")
        return elements, faults

    def look(pages: Pages) -> tuple[list[_Found], list[str]]:
        page = store.memory_at(pages, name)
        if kind_of(page) != GRAPH:
            return of_list(pages, store.list_at(pages, name))
        parts = [(graphs.about(pages, page, part), store.shown(pages, part)) for part in graphs.parts(pages, page)]
        return [(_graph_label(about), about, one) for about, one in parts], []

    elements, faults = memory.look(look)
    hits = elements
    if pattern:
        hits = [
            elements[at] for at in matching(pattern, [(one.name, one.description, one.data) for _, _, one in elements])
        ]
    lines = [f"{label} {titled(one.name, one.description)}" for label, _, one in hits]
    data: dict[str, object] = {"results": [{**about, "data": one.record} for _, about, one in hits]}
    data |= {"faults": faults} if faults else {}
    return done("\n".join([*lines, *faults]) or "no element found", data=data)


def _graph_label(about: Mapping[str, object]) -> str:
    """Return what a line says of a vertex or an edge before its name."""
    if "from" not in about:
        return graphs.VERTEX
    weight = [f"weight {about['weight']:g}"] if "weight" in about else []
    ends = f"{about['from']} {'<->' if about['bidir'] else '->'} {about['to']}"
    return f"{graphs.EDGE} ({', '.join([ends, *weight])})"


def _put(
    memory: Memory, name: str, description: str, data: str, roles: Sequence[str], index: int | None = None
) -> Result:
    """Add an element to a list of one of some roles: before the one at `index`, or else at the end."""

    def work(draft: Draft) -> tuple[str, int, int]:
        where = store.list_at(draft, name)
        where.need(*roles, instead=_PUSHES[where.role])
        size = len(where.entries)
        at = size if index is None else index
        if not 0 <= at <= size:
            raise BadArgument(f"There is no place {at} in {name!r}: index must be 0 to {size}, which appends.")
        called = elements.name_for(draft, where, description, data)
        elements.insert(draft, where, at, [Raw(called, description, data)])
        return called, at, size + 1

    called, at, size = memory.edit(work)
    about = f"added {called} at {at}; {name} has {number_of(size, 'element')}"
    return done(about, data={"name": called, "index": at, "nElements": size})
