"""The elements of list memories: the notes that the lines of a list mean, and how elements are added and removed.

A line means a note by its link, even after somebody moved or renamed the line's folder by hand. If a folder has none of
the notes of the lines that name it, several folders can be its new one:

- one with a path that ends like its path, for each line whose note it has;
- the list's own folder, if it has a note for each of these lines;
- any folder with a raw memory for each of these lines.

A note that another line means for sure is never one of the candidates. The line means a note if only one is left. Of
two candidates, one would be another memory, which a wrong guess would show, overwrite or move to the trash.
"""

import functools
import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from zkmem.errors import Damaged
from zkmem.names import NOTE_SUFFIX, fold, folder_of, is_note, name_of
from zkmem.records.draft import Draft
from zkmem.records.encoded_names import encodings
from zkmem.records.pages import Page, Pages
from zkmem.toolsets.record_properties import RAW
from zkmem.toolsets.think import raw
from zkmem.toolsets.think.lines import pieces
from zkmem.toolsets.think.lists import END_ROLES, ListNote, base_folded, entries_of, targets_of
from zkmem.toolsets.think.memories import ThinkMemories, lists_naming
from zkmem.toolsets.think.names import NO_NAME, NamePath, UnknownMemory, shortened
from zkmem.toolsets.think.raw import Raw, kind_of

_MOST_SHOWN = 5


class Element(NamedTuple):
    """An element of a list: its index, the target of its line, and the note that this means, if any."""

    at: int
    target: str
    page: Page | None


class ElementPaths:
    """The elements of one list, as the notes are now."""

    def __init__(self, pages: Pages, where: ListNote) -> None:
        self._pages = pages
        self.where = where
        self._targets = targets_of(where.entries)
        self._moved = MovedFolders(pages, where.page.path, self._targets)
        self._own_folders = {where.folder: True}

    def element(self, index: int) -> Element:
        """Return the element at an index, which the list must have."""
        target = self.where.entries[index].target
        path = self.place(target)
        return Element(index, target, self._pages.page(path) if path and is_note(path) else None)

    def elements(self) -> list[Element]:
        """Return all elements, including those whose notes are missing."""
        return [self.element(index) for index in range(len(self.where.entries))]

    def known(self, index: int) -> Page:
        """Return the note of an element."""
        element = self.element(self.where.check(index))
        if element.page is None:
            raise self._missing(element)
        return element.page.sound()

    def find(self, path: NamePath) -> Page:
        """Return the note of the element that a NamePath means."""
        if path.mark == "INDEX":
            return self.known(path.at)
        if path.mark in END_ROLES:
            return self.known(self.where.end(path.mark))
        if path.mark != "CHILD":
            raise self.where.no_path()
        return self._child(path.child)

    def place(self, target: str) -> str | None:
        """Return the path of the file that the link of a line means.

        A line with a folder means the note in exactly that folder. If there is none, it means the note that
        `MovedFolders` finds.
        """
        if not self._pages.target_folder(target, self.where.page.path):
            return self._pages.resolve(target, self.where.page.path)
        return self._pages.exact(target, self.where.page.path) or self._moved.find(target)

    def is_for_missing(self, name: str) -> bool:
        """Return whether a line to a missing note would mean, or could mean, a new note with this name."""
        targets = (target for part in encodings(name) for target in self._targets.get(fold(part), ()))
        return any(self.place(target) is None for target in targets)

    def new_target(self, target: str) -> str | None:
        """Return a new target for a line that works only while its old folder does not exist; None for other lines."""
        path = self.place(target)
        own, folder = fold(self.where.folder), self._pages.target_folder(target, self.where.page.path)
        if path is None or (
            self._pages.resolve(target, self.where.page.path) == path
            and (folder != own or fold(folder_of(path)) == own)
        ):
            return None
        return name_of(path)

    def has_folder(self, folder: str) -> bool:
        """Return whether a folder is the list's: it has its name, or (after a move) the list names all its notes."""
        if folder not in self._own_folders:
            notes = set(self._pages.below(folder)) if folder else set[str]()
            named = {self.place(entry.target) for entry in self.where.entries} if notes else set()
            others = lists_naming(self._pages, notes) - {self.where.page.path}
            self._own_folders[folder] = bool(notes) and notes <= named and not others
        return self._own_folders[folder]

    def _missing(self, element: Element) -> Damaged:
        notes = self._moved.candidates(element.target)
        shown = ", ".join(f"[[{name_of(path)}]]" for path in notes[:_MOST_SHOWN])
        more = f" and {len(notes) - _MOST_SHOWN} more" if len(notes) > _MOST_SHOWN else ""
        may_be = f", but may be one of these: {shown}{more}" if notes else ""
        return Damaged(
            f"Element {element.at} of {self.where.page.name!r} is [[{element.target}]], a missing note{may_be}. "
            "Nothing was changed: correct the list's note, or remove the line with deleteListElement."
        )

    def _child(self, name: str) -> Page:
        """Return the element with a name. The other elements are read only if the error must list them."""
        bases = {fold(part) for part in (*encodings(name), name)}
        for index, one in enumerate(self.where.entries):
            if base_folded(one.target) in bases and (page := self.element(index).page) and page.name == name:
                return page.sound()
        raise UnknownMemory(
            f"{self.where.page.name}<::>{name}", [element.page.name for element in self.elements() if element.page]
        )


class MovedFolders:
    """The lines of one list, with methods for those whose note is not where the line says."""

    def __init__(self, pages: Pages, path: str, lines: Mapping[str, Collection[str]]) -> None:
        """Take the path of the list's note, and the targets of its lines by `base_folded`."""
        self._pages = pages
        self._path = path
        self._own = fold(name_of(path))
        self._lines = lines
        self._new_folders: dict[str, Collection[str]] = {}
        self._others: dict[str, MovedFolders] = {}

    def find(self, target: str) -> str | None:
        """Return the only note that a line can mean, if no other line with a missing folder can mean only that."""
        candidates = self.candidates(target)
        if len(candidates) != 1 or self._is_contested(candidates[0], self._folder(target)):
            return None
        return candidates[0]

    def candidates(self, target: str) -> list[str]:
        """Return the notes that a line can mean, if the folder that it names does not have the note."""
        folder, base = self._folder(target), base_folded(target)
        if folder == self._own and self._pages.has_folder(folder):
            return []
        ending = f"/{folder}/{base}{NOTE_SUFFIX}"
        alike = (path for path in self._pages.namesakes(base + NOTE_SUFFIX) if fold("/" + path).endswith(ending))
        notes = {path for path in alike if not self._is_claimed(path, folder)}
        for home in self._homes(folder):
            notes.update(self._pages.at(f"{home}/{base}{NOTE_SUFFIX}"))
        return sorted(notes)

    def _homes(self, folder: str) -> Collection[str]:
        """Return the folders to which a folder may have moved, by their notes; none if a note is still in it."""
        if folder not in self._new_folders:
            bases = self._bases.get(folder, ())
            is_empty = not any(self._pages.at(f"{folder}/{base}{NOTE_SUFFIX}") for base in bases)
            folders = [{folder_of(path) for path in self._pages.namesakes(base + NOTE_SUFFIX)} for base in bases]
            with_all = set.intersection(*folders) if folders and is_empty else set[str]()
            self._new_folders[folder] = [home for home in with_all if home and self._can_be(home, folder, bases)]
        return self._new_folders[folder]

    def _can_be(self, home: str, folder: str, bases: Collection[str]) -> bool:
        table, is_own = self._pages.table(ThinkMemories), fold(home) == self._own
        paths = [path for base in bases for path in self._pages.at(f"{home}/{base}{NOTE_SUFFIX}")]
        return all((is_own or table.is_raw(path)) and not self._is_claimed(path, folder) for path in paths)

    def _is_claimed(self, path: str, folder: str) -> bool:
        """Return whether a line of any list with another folder, or without one, means a note for sure."""
        for source, target in self._pages.table(ThinkMemories).naming(base_folded(path)):
            named = self._pages.target_folder(target, source)
            meant = self._pages.exact(target, source) if named else self._pages.resolve(target, source)
            if named != folder and meant == path:
                return True
        return False

    def _is_contested(self, path: str, folder: str) -> bool:
        """Return whether a line of any list with another missing folder can mean only this note, too."""
        for source, target in self._pages.table(ThinkMemories).naming(base_folded(path)):
            named = self._pages.target_folder(target, source)
            is_lost = named not in {"", folder} and self._pages.exact(target, source) is None
            if is_lost and self._of(source).candidates(target) == [path]:
                return True
        return False

    def _of(self, path: str) -> "MovedFolders":
        if path not in self._others:
            lines = self._pages.table(ThinkMemories).lines_of(path)
            self._others[path] = self if path == self._path else MovedFolders(self._pages, path, lines)
        return self._others[path]

    def _folder(self, target: str) -> str:
        return self._pages.target_folder(target, self._path)

    @functools.cached_property
    def _bases(self) -> Mapping[str, Collection[str]]:
        """The base names of the lines by folder."""
        bases: dict[str, set[str]] = {}
        for base, targets in self._lines.items():
            for target in targets:
                bases.setdefault(self._folder(target), set()).add(base)
        return bases


class TakenElement(NamedTuple):
    """An element that was taken off a list, and the reason if its note was left in place."""

    element: Element
    reason: str = ""


def name_for(pages: Pages, where: ListNote, description: str, data: str) -> str:
    """Return a name for a new element: the first words of its description or data, with a number if it is taken."""
    name, places = shortened(description) or shortened(data) or NO_NAME, ElementPaths(pages, where)
    numbered = (f"{name} {number}" for number in itertools.count(len(where.entries) + 1))
    names = itertools.chain([name], numbered)
    return next(one for one in names if pages.named(one, where.folder) is None and not places.is_for_missing(one))


def insert(draft: Draft, where: ListNote, index: int, elements: Sequence[Raw]) -> None:
    """Insert new elements before the one at `index`, or at the end."""
    lines = _mended(draft, where)
    paths = [raw.create(draft, draft.free(one.name, where.folder), one) for one in elements]
    if index < len(where.entries):
        at = where.entries[index].line
    else:
        at = where.entries[-1].line + 1 if where.entries else len(lines)
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += "\n"
    lines[at:at] = [f"- [[{draft.target(path)}]]\n" for path in paths]
    written = draft.write(where.page.path, {}, "".join(lines))
    if len(entries_of(written)) != len(where.entries) + len(paths):
        raise Damaged(
            f"A new line in the note of the list {where.page.name!r} would be in code or a comment that is open "
            "there. Nothing was changed; close it."
        )


def _mended(draft: Draft, where: ListNote) -> list[str]:
    """Return the lines of the list's note, with the new path of each element whose folder was moved by hand.

    Else a new element could create a folder with the old name, and the lines would mean notes in that folder.
    """
    places, lines = ElementPaths(draft, where), pieces(where.page.body)
    for one in where.entries:
        if target := places.new_target(one.target):
            lines[one.line] = lines[one.line].replace(one.target, target, 1)
    return lines


def take(draft: Draft, where: ListNote, indexes: Collection[int]) -> list[TakenElement]:
    """Take elements off a list, and move their notes to the trash.

    A note that is missing, damaged, not a raw memory, not in a folder of the list or listed twice is left as it is.
    """
    places = ElementPaths(draft, where)
    other_targets = targets_of([entry for index, entry in enumerate(where.entries) if index not in indexes])
    elements = [places.element(index) for index in indexes]
    taken = [TakenElement(element, _reason_to_leave(places, other_targets, element)) for element in elements]
    lines = {where.entries[index].line for index in indexes}
    draft.write(where.page.path, {}, "".join(one for at, one in enumerate(pieces(where.page.body)) if at not in lines))
    for one in taken:
        if one.element.page and not one.reason:
            draft.remove(one.element.page.path)
    return taken


def _reason_to_leave(places: ElementPaths, other_targets: Mapping[str, Collection[str]], element: Element) -> str:
    """Return why the note of an element that is taken off a list stays in place; "" if it goes to the trash.

    `other_targets`: the targets of the list's other lines, by `base_folded`.
    """
    page = element.page
    if page is None:
        return "it was missing"
    if page.fault:
        return f"it is damaged ({page.fault})"
    if kind_of(page) != RAW:
        return "it is no raw memory"
    if not places.has_folder(folder_of(page.path)):
        return "it is not in the list's folder"
    is_in_list = any(places.place(target) == page.path for target in other_targets.get(base_folded(page.path), ()))
    return "another line of the list names it" if is_in_list else ""
