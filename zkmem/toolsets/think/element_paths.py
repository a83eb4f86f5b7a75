"""Find the elements of a list by what its lines link to, even after somebody moved its folder by hand."""

from typing import NamedTuple

from zkmem.errors import Damaged
from zkmem.names import NOTE_SUFFIX, fold, folder_of, is_note, name_of
from zkmem.records.encoded_names import encodings
from zkmem.records.pages import Page, Pages
from zkmem.toolsets.raw import RAW
from zkmem.toolsets.think.lists import END_ROLES, ListNote, base_folded
from zkmem.toolsets.think.memories import memories
from zkmem.toolsets.think.paths import NamePath, UnknownMemory


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
        self._new_folders: dict[str, str | None] = {}

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
            raise Damaged(
                f"Element {index} of {self.where.page.name!r} is [[{element.target}]], a missing note. Nothing was "
                "changed: correct the list's note, or remove the line with deleteListElement."
            )
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

        A line with the list's own folder means a note in exactly that folder. If the folder of a line does not exist
        any more, the line means the note in the folder that it was moved to, if only one folder can be that.
        """
        folder = fold(_folder(target))
        own = folder == fold(self.where.folder)
        path = self._pages.resolve(target, self.where.page.path, sure=own)
        gone = bool(folder) and not self._pages.has_folder(folder)
        if own and not gone:
            return path if path and fold(folder_of(path)) == folder else None
        if path is None and gone and (moved := self._moved_to(folder)):
            return next(iter(self._pages.at(f"{moved}/{base_folded(target)}{NOTE_SUFFIX}")), None)
        return path

    def new_target(self, target: str) -> str | None:
        """Return a new target for a line that works only while its old folder does not exist; None for other lines."""
        path = self.place(target)
        own, folder = fold(self.where.folder), fold(_folder(target))
        if path is None or (
            self._pages.resolve(target, self.where.page.path) == path
            and (folder != own or fold(folder_of(path)) == own)
        ):
            return None
        return name_of(path)

    def _moved_to(self, folder: str) -> str | None:
        """Return where a missing folder was moved to.

        That is the list's own folder, or else the only folder with a raw memory for each line that is in no other list.
        """
        if folder not in self._new_folders:
            lines = [one.target for one in self.where.entries if fold(_folder(one.target)) == folder]
            files = {base_folded(target) + NOTE_SUFFIX for target in lines}
            homes = set.intersection(*({folder_of(path) for path in self._pages.namesakes(file)} for file in files))
            own = {home for home in homes if fold(home) == fold(self.where.folder)}
            candidates = own or {home for home in homes if home and self._are_free(home, files)}
            self._new_folders[folder] = candidates.pop() if len(candidates) == 1 else None
        return self._new_folders[folder]

    def _are_free(self, folder: str, files: set[str]) -> bool:
        known = memories(self._pages)
        there = [path for file in files for path in self._pages.at(f"{folder}/{file}")]
        return all(path in known and known[path].kind == RAW for path in there)

    def _child(self, name: str) -> Page:
        """Return the element with a name. The other elements are read only if the error must list them."""
        bases = {fold(part) for part in (*encodings(name), name)}
        for index, one in enumerate(self.where.entries):
            if base_folded(one.target) in bases and (page := self.element(index).page) and page.name == name:
                return page.sound()
        raise UnknownMemory(
            f"{self.where.page.name}<::>{name}", [element.page.name for element in self.elements() if element.page]
        )


def _folder(target: str) -> str:
    """Return the folder in a target, from the root; "" if it has none, or one relative to the note."""
    folder = target.rpartition("/")[0]
    return "" if folder.startswith(".") and not folder.startswith("./") else folder.removeprefix("/").removeprefix("./")
