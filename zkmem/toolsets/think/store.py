"""Find memories by their names, and the parts of lists and graphs by NamePaths."""

from zkmem.errors import AmbiguousName, BadArgument, Taken
from zkmem.names import NOTE_SUFFIX, folder_of, is_note
from zkmem.records.draft import Draft
from zkmem.records.pages import Page, Pages
from zkmem.toolsets.record_properties import RAW
from zkmem.toolsets.think import graphs
from zkmem.toolsets.think.elements import ElementPaths
from zkmem.toolsets.think.graphs import GRAPH, KINDS
from zkmem.toolsets.think.lists import LIST, ListNote
from zkmem.toolsets.think.memories import known_memories, memories
from zkmem.toolsets.think.names import NamePath, UnknownMemory, check_name
from zkmem.toolsets.think.raw import Raw, kind_of
from zkmem.util.likeness import spelled_alike

_NO_FOLDERS = {"", ".", ".."}
_NONE_YET = "There are none yet; make one with addRawMemory or addListMemory."


def root_note(pages: Pages, name: str) -> Page | None:
    """Return the note at the root that is called `name`, even if zkmem would not write its file name."""
    if page := pages.named(name):
        return page
    pages_there = (pages.page(path) for path in pages.at(name + NOTE_SUFFIX) if "/" not in path)
    return next((page for page in pages_there if page and page.name == name), None)


def memory_note(pages: Pages, name: str) -> Page | None:
    """Return the note called `name`: at the root, or else the memory in a folder with this name or path."""
    if page := root_note(pages, name):
        return page
    candidates = [page for page in pages.called(name) if _is_memory(pages, page)]
    if len(candidates) > 1:
        raise AmbiguousName(name, sorted(pages.link(page.path) for page in candidates))
    is_path = "/" in name and _NO_FOLDERS.isdisjoint(name.split("/"))  # "/a" and "./a" are not the note "a"
    if not candidates and is_path and (path := pages.resolve(name, sure=True)) and is_note(path):
        candidates = [page for page in [pages.page(path)] if page and _is_memory(pages, page)]
    return candidates[0] if candidates else None


def _is_memory(pages: Pages, page: Page) -> bool:
    """Return whether a note in a folder is a memory, and not an element of a list."""
    if not page.fault and kind_of(page) not in KINDS:
        return False  # true of most notes, and needs no other note
    return page.path in memories(pages)


def free(draft: Draft, name: str) -> str:
    """Return the path for a new memory."""
    check_name(name)
    if page := memory_note(draft, name):
        kind = kind_of(page)
        what = f"{kind} memory" if kind in KINDS else "note that is no memory of these tools"
        what = f"damaged note ({page.fault})" if page.fault else what
        place = f" in {folder_of(page.path)}" if "/" in page.path else ""
        raise Taken(
            f"There is a {what} {name!r} already{place}; nothing was changed. Choose another name, or edit that one."
        )
    return draft.free(name)


def memory_at(pages: Pages, name: str) -> Page:
    """Return the sound note of a memory."""
    page = memory_note(pages, name)
    if page is None:
        raise UnknownMemory(name, _near(pages, name), _NONE_YET)
    if kind_of(page.sound()) not in KINDS:
        raise BadArgument(f"{name!r} is a note, but no memory of these tools (its `type` is not raw, list or graph).")
    return page


def list_at(pages: Pages, name: str) -> ListNote:
    """Return the list with a name."""
    return ListNote.of(_of_type(pages, name, LIST))


def graph_at(pages: Pages, name: str) -> Page:
    """Return the note of the graph with a name."""
    return _of_type(pages, name, GRAPH)


def _of_type(pages: Pages, name: str, kind: str) -> Page:
    page = memory_at(pages, name)
    if kind_of(page) != kind:
        raise BadArgument(f"{name!r} is of the type {kind_of(page)}, not a {kind}; searchMemory lists the {kind}s.")
    return page


def readable(pages: Pages, name_path: str) -> Page:
    """Return the note that a NamePath means: a raw memory, or a note from outside this toolset."""
    return _page_of(pages, name_path).sound()


def shown(pages: Pages, page: Page) -> Raw:
    """Return the raw memory in a note for an answer with its text. From now on, the session has read it."""
    pages.saw(page)
    return Raw.of(page)


def writable(pages: Pages, name_path: str) -> Page:
    """Return the note of the raw memory that a NamePath means."""
    page = _page_of(pages, name_path)
    if kind_of(page.sound()) != RAW:
        raise BadArgument(
            f"{name_path!r} is a note that these tools can read but do not write: it has no `type: raw`. Copy it with "
            "addRawMemory."
        )
    return page


def make_if_new(draft: Draft, name_path: str, data: str) -> bool:
    """Create the vertex or edge that a NamePath means if it does not exist; return whether it was created."""
    path = NamePath.of(name_path)
    new = path.mark in {graphs.VERTEX, graphs.EDGE} and _raw(draft, path) is None
    if new:
        graphs.create(draft, memory_at(draft, path.name), path, data)
    return new


def _page_of(pages: Pages, name_path: str) -> Page:
    """Return the note of any kind that a NamePath means; a plain name also means what `[[name]]` links to."""
    path = NamePath.of(name_path)
    page = _raw(pages, path)
    if page is None and not path.mark and (linked := pages.resolve(path.name)) and linked[-3:].lower() == ".md":
        page = pages.page(linked)
    if page is None:
        raise UnknownMemory(name_path, _near(pages, path.name), _NONE_YET)
    return page


def _raw(pages: Pages, path: NamePath) -> Page | None:
    """Return the note that a path means; if it is in no list or graph, it may be of another kind than raw."""
    page = memory_at(pages, path.name) if path.mark else memory_note(pages, path.name)
    match kind_of(page) if page else "":
        case "list" if page:
            return ElementPaths(pages, ListNote.of(page)).find(path)
        case "graph" if page:
            return graphs.find(pages, page, path)
    if path.mark:
        raise BadArgument(f"{path.name!r} is a raw memory: nothing is in it. Its NamePath is {path.name}.")
    return page


def _near(pages: Pages, name: str) -> list[str]:
    names = [one.name for one in known_memories(pages) if not one.fault]
    return spelled_alike(name, names, 5, 0.6) or names
