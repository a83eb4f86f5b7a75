"""List memories as notes: each list item of the body that begins with a link is an element, in order."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from zkmem.errors import BadArgument, Damaged
from zkmem.index.pages import Page, Pages, links_in
from zkmem.toolsets.think.lines import pieces
from zkmem.toolsets.think.paths import NamePath, UnknownMemory
from zkmem.vault.names import NOTE_SUFFIX, fold

LIST = "list"
ROLES = ("array", "deque", "stack")
_ENTRY = re.compile(
    r"[ \t]*(?:[-*+]|[0-9]+[.)])[ \t]+(?:\[.\][ \t]+)?"  # a list item, also one to be ticked off,
    r"(\[\[([^\[\]|#^]+)(?:\|[^\[\]]*)?\]\])[^\n]*\n?"  # that begins with a link
)
_FENCE = re.compile(r"```|~~~")
_PATH_OF = {"array": "<:0:>", "stack": "<:TOP:>", "deque": "<:FRONT:> or <:BACK:>"}
_ROLE_OF = {"TOP": "stack", "FRONT": "deque", "BACK": "deque"}


class Entry(NamedTuple):
    """A line of the note that names an element."""

    line: int
    target: str


class Element(NamedTuple):
    """An element of a list: its place, what its line says, and the note that this means, if there is one."""

    at: int
    target: str
    page: Page | None


class ListNote(NamedTuple):
    """A list memory. It is as good as its note was when it was made."""

    page: Page
    role: str
    entries: Sequence[Entry]

    @classmethod
    def of(cls, page: Page) -> "ListNote":
        """The list in a note.

        Raises:
            Damaged: when its role is none.
        """
        role = role_of(page)
        if role not in ROLES:
            raise Damaged(f"The role of the list {page.name!r} is {role!r:.60}; there are: {', '.join(ROLES)}.")
        return cls(page, str(role), entries_of(page))

    @property
    def folder(self) -> str:
        """Where its elements are."""
        return folder_of(self.page)

    def need(self, *roles: str, instead: str = "") -> None:
        """Refuse what the role forbids.

        Raises:
            BadArgument: with what it is.
        """
        if self.role not in roles:
            wanted = " or ".join(roles)
            instead = f"; use {instead}" if instead else ""
            raise BadArgument(f"{self.page.name!r} is of the role {self.role}, and this is for {wanted}{instead}.")

    def check(self, index: int) -> int:
        """The index.

        Raises:
            BadArgument: when no element has it, with the number of elements.
        """
        count = len(self.entries)
        if not 0 <= index < count:
            has = f"{count} elements, 0 to {count - 1}" if count else "no elements"
            raise BadArgument(f"There is no element {index}: the list {self.page.name!r} has {has}.")
        return index

    def element(self, pages: Pages, index: int) -> Element:
        """The element at an index that it has."""
        target = self.entries[index].target
        path = self.place(pages, target)
        return Element(index, target, pages.page(path) if path and path[-3:].lower() == ".md" else None)

    def place(self, pages: Pages, target: str) -> str | None:
        """The path of the file that a line means.

        One that names the list's own folder means a note of that folder, and no other whose path ends like that.
        """
        path = pages.resolve(target, self.page.path)
        folder = target.rpartition("/")[0].removeprefix("/").removeprefix("./")
        own = fold(folder) == fold(self.folder)
        return None if path and own and fold(path.rpartition("/")[0]) != fold(self.folder) else path

    def known(self, pages: Pages, index: int) -> Page:
        """The sound note of an element.

        Raises:
            BadArgument: when there is no such element. Damaged: when its note is missing or damaged.
        """
        element = self.element(pages, self.check(index))
        if element.page is None:
            raise Damaged(
                f"Element {index} of {self.page.name!r} is [[{element.target}]], which is not there. Nothing was "
                "changed: mend the list's note, or take the line out with deleteListElement."
            )
        return element.page.sound()

    def end(self, mark: str, instead: str = "") -> int:
        """The index of its TOP, FRONT or BACK; `instead` is what a list of another role has for it.

        Raises:
            BadArgument: when its role has no such end, or it is empty.
        """
        self.need(_ROLE_OF[mark], instead=instead or f"the NamePath {self.page.name}{_PATH_OF[self.role]}")
        return self.check(0 if mark == "FRONT" or not self.entries else len(self.entries) - 1)

    def find(self, pages: Pages, path: NamePath) -> Page:
        """The note of the element that a NamePath means.

        Raises:
            BadArgument, Damaged: when there is none, or it cannot be read. UnknownMemory: when none has the name.
        """
        if path.mark == "INDEX":
            return self.known(pages, path.at)
        if path.mark in _ROLE_OF:
            return self.known(pages, self.end(path.mark))
        if path.mark != "CHILD":
            raise BadArgument(
                f"{path.name!r} is a list; its elements are {path.name}<:0:>, {path.name}<::>element"
                + "".join(f", {path.name}<:{mark}:>" for mark, role in _ROLE_OF.items() if role == self.role)
                + "."
            )
        return self._child(pages, path.child)

    def elements(self, pages: Pages) -> list[Element]:
        """All elements, also those whose notes are missing."""
        return [self.element(pages, index) for index in range(len(self.entries))]

    def _child(self, pages: Pages, name: str) -> Page:
        near = pages.named(name, self.folder)
        if near and any(self.place(pages, one.target) == near.path for one in self.entries):
            return near.sound()
        found = [element.page for element in self.elements(pages) if element.page]
        for page in found:
            if page.name == name:
                return page.sound()
        raise UnknownMemory(f"{self.page.name}<::>{name}", [page.name for page in found])


def folder_of(page: Page) -> str:
    """The folder of what belongs to a list or a graph."""
    return page.path[:-3]


def role_of(page: Page) -> object:
    """The role of a list or a graph, whatever was written there; without one a list is an array, a graph a graph."""
    kind = page.properties.get("type")
    return page.properties.get("role", "array" if kind == LIST else kind)


def base_folded(target: str) -> str:
    """What stands after the last slash of a target or a path, as it compares: what may mean one note agrees in it."""
    return fold(target.rpartition("/")[2].removesuffix(NOTE_SUFFIX))


def entries_of(page: Page) -> list[Entry]:
    """The elements that a note lists. What looks like one in a code fence is none."""
    links = {one.start for one in links_in(page.body)} if _FENCE.search(page.body) else None
    found, at = [], 0
    for number, line in enumerate(pieces(page.body)):
        match = _ENTRY.fullmatch(line)
        if match and (links is None or at + match.start(1) in links):
            found.append(Entry(number, match[2].strip()))
        at += len(line)
    return found
