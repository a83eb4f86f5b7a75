"""Where memories are: at the vault's root by their names, and in lists and graphs by NamePaths."""

import difflib
import re
from collections.abc import Collection
from typing import Any, NamedTuple

from zkmem.edit.draft import Draft
from zkmem.errors import BadArgument, Taken
from zkmem.index.pages import Page, Pages
from zkmem.toolsets.think import graphs
from zkmem.toolsets.think.incoming import GRAPH_ROLES, KINDS
from zkmem.toolsets.think.lines import lines_of
from zkmem.toolsets.think.lists import LIST, ROLES, ListNote, base_folded, entries_of, role_of
from zkmem.toolsets.think.paths import NamePath, UnknownMemory, check_name
from zkmem.toolsets.think.raw import RAW, kind_of
from zkmem.vault.names import NOTE_SUFFIX

_OURS = re.compile(rb"^type:[ \t]*[\"']?(raw|list|graph)\b", re.MULTILINE)
_MOST_COMPARED = 1_000
_NONE_YET = "There are none yet; make one with addRawMemory or addListMemory."


class Known(NamedTuple):
    """A memory at the root as `searchMemory` tells of it."""

    name: str
    kind: str
    description: str
    about: dict[str, Any]  # what else its kind has
    fault: str = ""
    bases: Collection[str] = frozenset()  # what a list's links have after the last slash, as it compares

    @property
    def record(self) -> dict[str, Any]:
        """The document's Memory."""
        return {"name": self.name, "type": self.kind, "description": self.description, **self.about}


class _Root:
    """The memories at the root of the vault, by path."""

    def __init__(self) -> None:
        self.known: dict[str, Known] = {}

    @staticmethod
    def wants(path: str) -> bool:
        """Whether a note is at the root."""
        return "/" not in path

    def put(self, path: str, data: bytes) -> None:
        """Take in a note."""
        if known := _known(Page.of(path, data), data):
            self.known[path] = known

    def drop(self, path: str) -> None:
        """Leave out a note."""
        self.known.pop(path, None)


def known_memories(pages: Pages) -> list[Known]:
    """The memories at the root, by name; damaged ones have a fault and no kind."""
    return sorted(pages.table(_Root).known.values(), key=lambda one: one.name)


def _known(page: Page, data: bytes) -> Known | None:
    kind = kind_of(page)
    if page.fault and _OURS.search(data):
        return Known(page.name, "", "", {}, page.fault)
    if page.fault or kind not in KINDS:
        return None
    if kind != RAW and role_of(page) not in (ROLES if kind == LIST else GRAPH_ROLES):
        return Known(page.name, "", "", {}, f"its role is {role_of(page)!r:.60}")
    about: dict[str, Any] = {}
    if kind == RAW:
        about = {"nLines": len(lines_of(page.exact_body)), "nChars": len(page.exact_body)}
    else:
        about = {"role": role_of(page)}
    inside = entries_of(page) if kind == LIST else ()
    about |= {"nElements": len(inside)} if kind == LIST else {}
    bases = frozenset(base_folded(one.target) for one in inside)
    return Known(page.name, kind, str(page.properties.get("description", "")), about, bases=bases)


def other_lists(pages: Pages, where: ListNote, paths: Collection[str]) -> list[str]:
    """The names of other lists that name any of the notes at some paths."""
    bases = set(map(base_folded, paths))
    found = []
    for one in known_memories(pages):
        if one.name == where.page.name or bases.isdisjoint(one.bases):
            continue
        page = root_note(pages, one.name)
        other = ListNote.of(page) if page and kind_of(page) == LIST else None
        if other and any(other.place(pages, entry.target) in paths for entry in other.entries):
            found.append(one.name)
    return found


def root_note(pages: Pages, name: str) -> Page | None:
    """The note at the root that is called `name`, also one whose file name only a person can give."""
    if page := pages.named(name):
        return page
    there = (pages.page(path) for path in pages.at(name + NOTE_SUFFIX) if "/" not in path)
    return next((page for page in there if page and page.name == name), None)


def free(draft: Draft, name: str) -> str:
    """The path for a new memory.

    Raises:
        BadName: when it cannot be called so. Taken: when there is a note of that name.
    """
    check_name(name)
    if page := root_note(draft, name):
        kind = kind_of(page)
        what = f"{kind} memory" if kind in KINDS else "note that is no memory of these tools"
        what = f"damaged note ({page.fault})" if page.fault else what
        raise Taken(f"There is a {what} {name!r} already; nothing was changed. Choose another name, or edit that one.")
    return draft.free(name)


def memory_at(pages: Pages, name: str) -> Page:
    """The sound note of a memory at the root.

    Raises:
        UnknownMemory: when there is none, with others. BadArgument: when it is a note of another kind.
    """
    page = root_note(pages, name)
    if page is None:
        raise UnknownMemory(name, _near(pages, name), _NONE_YET)
    if kind_of(page.sound()) not in KINDS:
        raise BadArgument(f"{name!r} is a note, but no memory of these tools (its `type` is not raw, list or graph).")
    return page


def list_at(pages: Pages, name: str) -> ListNote:
    """The list of a name.

    Raises:
        BadArgument: when it is no list. UnknownNote, Damaged: when there is none, or it cannot be read.
    """
    page = memory_at(pages, name)
    if kind_of(page) != LIST:
        raise BadArgument(f"{name!r} is of the type {kind_of(page)}, not a list; searchMemory tells which there are.")
    return ListNote.of(page)


def readable(pages: Pages, name_path: str) -> Page:
    """The note that a NamePath means: of a raw memory, or of anything that is not of these tools.

    Raises:
        BadArgument, UnknownMemory, Damaged: when there is none, it is no text, or it cannot be read.
    """
    return _there(pages, name_path).sound()


def writable(pages: Pages, name_path: str) -> Page:
    """The note of the raw memory that a NamePath means.

    Raises:
        BadArgument, UnknownMemory, Damaged: when there is none, or it cannot be changed.
    """
    page = _there(pages, name_path)
    if kind_of(page.sound()) != RAW:
        raise BadArgument(
            f"{name_path!r} is a note that these tools can read but do not write: it has no `type: raw`. Copy it with "
            "addRawMemory."
        )
    return page


def make_if_new(draft: Draft, name_path: str, data: str) -> bool:
    """Make the vertex or the edge that a NamePath means, if it means one that is not there; whether it has."""
    path = NamePath.of(name_path)
    new = path.mark in {graphs.VERTEX, graphs.EDGE} and _raw(draft, path) is None
    if new:
        graphs.create(draft, memory_at(draft, path.name), path, data)
    return new


def _there(pages: Pages, name_path: str) -> Page:
    """The note that a NamePath means, of whatever kind; where it is a plain name, as `[[name]]` would mean it."""
    path = NamePath.of(name_path)
    page = _raw(pages, path)
    if page is None and not path.mark and (there := pages.resolve(path.name)) and there[-3:].lower() == ".md":
        page = pages.page(there)
    if page is None:
        raise UnknownMemory(name_path, _near(pages, path.name), _NONE_YET)
    return page


def _raw(pages: Pages, path: NamePath) -> Page | None:
    """The note that a path means; at the root it may be of any kind but a list or a graph."""
    page = memory_at(pages, path.name) if path.mark else root_note(pages, path.name)
    match kind_of(page) if page else "":
        case "list" if page:
            return ListNote.of(page).find(pages, path)
        case "graph" if page:
            return graphs.find(pages, page, path)
    if path.mark:
        raise BadArgument(f"{path.name!r} is a raw memory: nothing is in it. Its NamePath is {path.name}.")
    return page


def _near(pages: Pages, name: str) -> list[str]:
    names = [one.name for one in known_memories(pages) if not one.fault]
    return difflib.get_close_matches(name, names[:_MOST_COMPARED], n=5) or names
