"""Import a THINK-MEM file without a change to any existing note."""

from collections.abc import Sequence

from zkmem.errors import BadArgument, BadName, Damaged, Taken, UnknownNote, Unwritable
from zkmem.memory import Memory
from zkmem.records.draft import Draft
from zkmem.records.outcome import Imported, Progress
from zkmem.records.pages import Page, Pages
from zkmem.toolsets.record_properties import RAW
from zkmem.toolsets.think import elements, graphs, incoming, lists, raw, store
from zkmem.toolsets.think.elements import ElementPaths
from zkmem.toolsets.think.incoming import GRAPH, Faults, IncomingMemory
from zkmem.toolsets.think.lists import ListNote
from zkmem.toolsets.think.raw import Raw, kind_of

_AT_ONCE = 50  # entries in one plan
_Entry = tuple[str, IncomingMemory]


def import_think(memory: Memory, text: str, progress: Progress | None = None) -> Imported:
    """Import the memories of a THINK-MEM file; `progress` gets the number of entries done, and of all.

    A memory that is there with the same content is left alone; one with other content is too, and is a fault.

    Raises:
        BadArgument: when the text is no such file.
    """
    faults, new = Faults(), list[bool]()
    memories = incoming.entries(text)
    for start in range(0, len(memories), _AT_ONCE):
        batch = [
            (place, one)
            for place, entry in memories[start : start + _AT_ONCE]
            if (one := incoming.parsed(entry, place, faults))
        ]
        new += _import(memory, batch, faults)
        if progress:
            progress(min(start + _AT_ONCE, len(memories)), len(memories))
    return Imported(sum(new), len(new) - sum(new), list(faults))


def _import(memory: Memory, batch: Sequence[_Entry], faults: Faults) -> list[bool]:
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
    page = raw.create_index(draft, path, one.kind, one.raw.name, about)
    if one.kind == lists.LIST:
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
    if kind == lists.LIST:
        where = ListNote.of(page)
        places = ElementPaths(pages, where)
        inside = [places.known(index) for index in range(len(where.entries))]
        return IncomingMemory(kind, head, where.role, tuple(Raw.of(one).unsigned for one in inside))
    return graphs.present(pages, page, head) if kind == GRAPH else None
