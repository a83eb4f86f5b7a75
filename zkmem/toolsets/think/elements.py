"""Add elements to list memories, as notes in the list's folder and as lines of its note, and remove them."""

import itertools
from collections.abc import Collection, Sequence
from typing import NamedTuple

from zkmem.errors import Damaged
from zkmem.names import folder_of
from zkmem.records.draft import Draft
from zkmem.records.pages import Pages
from zkmem.toolsets.raw import RAW
from zkmem.toolsets.think import raw
from zkmem.toolsets.think.element_paths import Element, ElementPaths
from zkmem.toolsets.think.lines import pieces
from zkmem.toolsets.think.lists import ListNote, base_folded, entries_of
from zkmem.toolsets.think.memories import lists_naming
from zkmem.toolsets.think.names import NO_NAME, shortened
from zkmem.toolsets.think.raw import Raw, kind_of


class Taken(NamedTuple):
    """An element that was taken off a list, and the reason if its note was left in place."""

    element: Element
    left: str = ""


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


def take(draft: Draft, where: ListNote, indexes: Collection[int]) -> list[Taken]:
    """Take elements off a list, and move their notes to the trash.

    A note that is missing, damaged, not a raw memory, not in a folder of the list or listed twice is left as it is.
    """
    places = ElementPaths(draft, where)
    elements = [places.element(index) for index in indexes]
    why_left = _WhyLeft(draft, places, indexes)
    taken = [Taken(element, why_left(element)) for element in elements]
    gone = {where.entries[index].line for index in indexes}
    draft.write(where.page.path, {}, "".join(one for at, one in enumerate(pieces(where.page.body)) if at not in gone))
    for one in taken:
        if one.element.page and not one.left:
            draft.remove(one.element.page.path)
    return taken


class _WhyLeft:
    """The reason why the note of an element that is taken off a list stays in place; "" if it goes to the trash."""

    def __init__(self, pages: Pages, places: ElementPaths, indexes: Collection[int]) -> None:
        self._pages = pages
        self._places = places
        self._own = {places.where.folder: True}
        entries = enumerate(places.where.entries)
        self._kept = [entry.target for index, entry in entries if index not in indexes]
        self._kept_bases = set(map(base_folded, self._kept))

    def __call__(self, element: Element) -> str:
        page = element.page
        if page is None:
            return "it was missing"
        if page.fault:
            return f"it is damaged ({page.fault})"
        if kind_of(page) != RAW:
            return "it is no raw memory"
        if not self._is_own(folder_of(page.path)):
            return "it is not in the list's folder"
        return "another line of the list names it" if self._is_kept(page.path) else ""

    def _is_kept(self, path: str) -> bool:
        base = base_folded(path)
        return base in self._kept_bases and any(
            base_folded(target) == base and self._places.place(target) == path for target in self._kept
        )

    def _is_own(self, folder: str) -> bool:
        """Return whether a folder is the list's: it has its name, or (after a move) the list names all its notes."""
        if folder not in self._own:
            notes = set(self._pages.below(folder)) if folder else set[str]()
            named = {self._places.place(entry.target) for entry in self._places.where.entries} if notes else set()
            others = lists_naming(self._pages, notes) - {self._places.where.page.path}
            self._own[folder] = bool(notes) and notes <= named and not others
        return self._own[folder]
