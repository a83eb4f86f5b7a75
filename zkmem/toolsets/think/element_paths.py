"""Find the elements of a list by what its lines link to, even after somebody moved its folder by hand."""

from typing import NamedTuple

from zkmem.errors import Damaged
from zkmem.names import fold, folder_of, is_note, name_of
from zkmem.records.encoded_names import encodings
from zkmem.records.pages import Page, Pages
from zkmem.toolsets.think.lists import END_ROLES, ListNote, base_folded, targets_of
from zkmem.toolsets.think.moved_folders import MovedFolders
from zkmem.toolsets.think.paths import NamePath, UnknownMemory

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

    def element(self, index: int) -> Element:
        """Return the element at an index, which the list must have."""
        target = self.where.entries[index].target
        path = self.place(target)
        return Element(index, target, self._pages.page(path) if path and is_note(path) else None)

    def elements(self) -> list[Element]:
        """Return all elements, including those whose notes are missing."""
        return [self.element(index) for index in range(len(self.where.entries))]

    def known(self, index: int) -> Page:
        """Return the note of an element.

        Raises:
            BadArgument: when there is no such element. Damaged: when its note is missing or damaged.
        """
        element = self.element(self.where.check(index))
        if element.page is None:
            raise self._missing(element)
        return element.page.sound()

    def find(self, path: NamePath) -> Page:
        """Return the note of the element that a NamePath means.

        Raises:
            BadArgument, Damaged: when there is none, or it cannot be read. UnknownMemory: when no element has the name.
        """
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
