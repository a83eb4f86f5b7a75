"""A table of the memories of a vault, which the index updates whenever a note changes.

A memory is a note whose `type` is raw, list or graph, in any folder. If a line of a list links to a raw memory in a
folder, that is an element of the list, and not a memory of its own.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from zkmem.names import NOTE_SUFFIX
from zkmem.records.encoded_names import encodings
from zkmem.records.pages import Page, Pages
from zkmem.records.tables import RecordTable
from zkmem.toolsets.record_properties import RAW
from zkmem.toolsets.think.graphs import GRAPH, GRAPH_ROLES, KINDS
from zkmem.toolsets.think.lines import lines_of
from zkmem.toolsets.think.lists import LIST, ROLES, base_folded, entries_of, role_of, targets_of
from zkmem.toolsets.think.raw import kind_of

_KIND = re.compile(rb"\b(?:raw|list|graph)\b")  # a note with none of these in its frontmatter is no memory
_OURS = re.compile(rb"^type:[ \t]*[\"']?(?:raw|list|graph)\b", re.MULTILINE)
_PART = re.compile("/(?:VERTEX|EDGE)/[^/]+$")  # the notes of a graph's vertices and edges


class FoundMemory(NamedTuple):
    """A memory as `searchMemory` returns it."""

    name: str
    kind: str
    description: str
    about: Mapping[str, Any]  # further fields of its kind
    fault: str = ""
    lines: Mapping[str, Collection[str]] = {}  # for a list: the targets of its lines, by `base_folded`

    @property
    def record(self) -> dict[str, Any]:
        """The `Memory` object of the THINK-MEM specification."""
        return {"name": self.name, "type": self.kind, "description": self.description, **self.about}


class ThinkMemories(RecordTable):
    """The memories of a vault by path.

    After a change, only raw memories with the base name of a changed note or line are checked again for being elements.
    """

    def __init__(self) -> None:
        self._known: dict[str, FoundMemory] = {}  # all memories except elements
        self._elements: dict[str, FoundMemory] = {}
        self._parts: set[str] = set()  # the notes of the toolset in folders of a graph
        self._nested: dict[str, set[str]] = {}  # base name -> raw memories in folders
        self._lists: dict[str, set[str]] = {}  # base name -> lists with a line to it
        self._doubtful: set[str] = set()  # base names to check again
        self._dropped: dict[str, Mapping[str, Collection[str]]] = {}  # lines of dropped lists, which may be put again

    def put(self, path: str, data: bytes) -> None:
        """Add a note, if it is a memory."""
        if _PART.search(path):
            if _OURS.search(data):
                self._parts.add(path)
            return
        memory = _known(path, data)
        if memory is None:
            return
        self._known[path] = memory
        self._doubtful.add(base_folded(path))
        if memory.kind == RAW and "/" in path:
            self._nested.setdefault(base_folded(path), set()).add(path)
        before = self._dropped.pop(path, {})
        for base in memory.lines:
            self._lists.setdefault(base, set()).add(path)
        self._doubtful.update(
            base for base in before.keys() | memory.lines.keys() if before.get(base) != memory.lines.get(base)
        )

    def drop(self, path: str) -> None:
        """Remove a note. Even one that is no memory may change what a line means."""
        self._doubtful.add(base_folded(path))
        self._parts.discard(path)
        memory = self._known.pop(path, None) or self._elements.pop(path, None)
        _discard(self._nested, base_folded(path), path)
        if memory and memory.lines:
            self._dropped[path] = memory.lines
            for base in memory.lines:
                _discard(self._lists, base, path)

    def all(self, pages: Pages) -> Mapping[str, FoundMemory]:
        """Return the memories without the elements of lists."""
        self._doubtful.update(base for lines in self._dropped.values() for base in lines)
        self._dropped.clear()
        for base in self._doubtful:
            meant = {pages.resolve(target, path) for path, target in self.naming(base)}
            for path in self._nested.get(base, ()):
                memory = self._known.pop(path, None) or self._elements.pop(path)
                (self._elements if path in meant else self._known)[path] = memory
        self._doubtful.clear()
        return self._known

    def is_part(self, path: str) -> bool:
        """Return whether a note is an element of a list, or is kept as a vertex or an edge of a graph."""
        if path in self._elements or path in self._parts:
            return True
        folder = _PART.search(path)  # a plain note is a part only if there is a graph
        graph = self._known.get(path[: folder.start()] + NOTE_SUFFIX) if folder else None
        return graph is not None and graph.kind in {GRAPH, ""}  # "": damaged

    def is_raw(self, path: str) -> bool:
        """Return whether a note is a raw memory or an element."""
        memory = self._known.get(path) or self._elements.get(path)
        return memory is not None and memory.kind == RAW

    def lines_of(self, path: str) -> Mapping[str, Collection[str]]:
        """Return the targets of a list's lines, by `base_folded`."""
        return self._known[path].lines

    def naming(self, base: str) -> Iterable[tuple[str, str]]:
        """Yield the lines of lists that could mean a note with this base name: the list's path, the line's target."""
        for path in self._lists.get(base, ()):
            for target in self._known[path].lines[base]:
                yield path, target


def memories(pages: Pages) -> Mapping[str, FoundMemory]:
    """Return the memories of the vault by path."""
    return pages.table(ThinkMemories).all(pages)


def known_memories(pages: Pages) -> list[FoundMemory]:
    """Return the memories, sorted by the names that the tools take; damaged ones have a fault and no kind.

    The name of a memory in a folder is its own if no other memory and no note at the root has that, else its path.
    """
    by_path = memories(pages)
    nested = Counter(known.name for path, known in by_path.items() if "/" in path)

    def named(path: str, known: FoundMemory) -> FoundMemory:
        alone = nested[known.name] == 1 and not _at_root(pages, known.name)
        return known if alone else known._replace(name=pages.link(path))

    both = (named(path, known) if "/" in path else known for path, known in by_path.items())
    return sorted(both, key=lambda one: one.name)


def other_notes(pages: Pages) -> list[str]:
    """Return the paths of the notes that are no memories and no parts of one; these tools only read them."""
    by_path, table = memories(pages), pages.table(ThinkMemories)
    return [path for path in pages.below("") if path not in by_path and not table.is_part(path)]


def as_raw(pages: Pages, path: str) -> FoundMemory | None:
    """Return a note as a raw memory that can only be read; None if it cannot be read, or is damaged."""
    page = pages.page(path)
    if page is None or page.fault:
        return None
    text = page.exact_body
    about = {"nLines": len(lines_of(text)), "nChars": len(text), "readOnly": True}
    return FoundMemory(pages.link(path), RAW, "", about)


def lists_naming(pages: Pages, paths: Iterable[str]) -> set[str]:
    """Return the paths of the lists that have a line to any of the notes at some paths."""
    table, path_set = pages.table(ThinkMemories), set(paths)
    lines = (line for base in set(map(base_folded, path_set)) for line in table.naming(base))
    return {path for path, target in lines if pages.resolve(target, path) in path_set}


def _at_root(pages: Pages, name: str) -> bool:
    return any(pages.at(part + NOTE_SUFFIX) for part in (*encodings(name), name))


def _discard(paths: dict[str, set[str]], base: str, path: str) -> None:
    if base in paths:
        paths[base].discard(path)
        if not paths[base]:
            del paths[base]


def _known(path: str, data: bytes) -> FoundMemory | None:
    if not _KIND.search(data.partition(b"\n---")[0]):
        return None
    page = Page(path, data)
    kind = kind_of(page)
    if page.fault:
        return FoundMemory(page.name, "", "", {}, page.fault) if _OURS.search(data) else None
    if kind not in KINDS:
        return None
    if kind != RAW and role_of(page) not in (ROLES if kind == LIST else GRAPH_ROLES):
        return FoundMemory(page.name, "", "", {}, f"its role is {role_of(page)!r:.60}")
    description = str(page.properties.get("description", ""))
    if kind == RAW:
        text = page.exact_body
        return FoundMemory(page.name, kind, description, {"nLines": len(lines_of(text)), "nChars": len(text)})
    entries = entries_of(page) if kind == LIST else ()
    about = {"role": role_of(page)} | ({"nElements": len(entries)} if kind == LIST else {})
    return FoundMemory(page.name, kind, description, about, lines=targets_of(entries))
