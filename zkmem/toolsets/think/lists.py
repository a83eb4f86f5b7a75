"""List memories as notes: each list item of the body that begins with a link is an element, in order."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from zkmem.errors import BadArgument, Damaged
from zkmem.names import NOTE_SUFFIX, fold
from zkmem.records.blocks import scan
from zkmem.records.pages import Page
from zkmem.util.spelling import number_of

LIST = "list"
ROLES = ("array", "deque", "stack")
_ENTRY = re.compile(
    r"[ \t]*(?:[-*+]|[0-9]+[.)])[ \t]+(?:\[.\][ \t]+)?"  # a list item, also one to be ticked off,
    r"(\[\[([^\[\]|#^]+)(?:\|[^\[\]]*)?\]\])"  # that begins with a link
)
_PATH_OF = {"array": "<:0:>", "stack": "<:TOP:>", "deque": "<:FRONT:> or <:BACK:>"}
END_ROLES = {"TOP": "stack", "FRONT": "deque", "BACK": "deque"}


class ListLine(NamedTuple):
    """A line of the note that names an element."""

    line: int
    target: str


class ListNote(NamedTuple):
    """A list memory, as its note was when it was read."""

    page: Page
    role: str
    entries: Sequence[ListLine]

    @classmethod
    def of(cls, page: Page) -> "ListNote":
        """Return the list in a note."""
        role = role_of(page)
        if role not in ROLES:
            raise Damaged(f"The role of the list {page.name!r} is {role!r:.60}; there are: {', '.join(ROLES)}.")
        return cls(page, str(role), entries_of(page))

    @property
    def folder(self) -> str:
        """The folder of the elements."""
        return folder_of(self.page)

    def need(self, *roles: str, instead: str) -> None:
        """Check that the list has one of some roles."""
        if self.role not in roles:
            allowed = " or ".join(roles)
            raise BadArgument(
                f"{self.page.name!r} is of the role {self.role}, and this is for {allowed}; use {instead}."
            )

    def check(self, index: int) -> int:
        """Check an index, and return it."""
        count = len(self.entries)
        if not 0 <= index < count:
            has = f"{number_of(count, 'element')}, 0 to {count - 1}" if count else "no elements"
            raise BadArgument(f"There is no element {index}: the list {self.page.name!r} has {has}.")
        return index

    def end(self, mark: str, instead: str = "") -> int:
        """Return the index of the TOP, FRONT or BACK. If the role is wrong, the error proposes `instead`."""
        self.need(END_ROLES[mark], instead=instead or f"the NamePath {self.page.name}{_PATH_OF[self.role]}")
        return self.check(0 if mark == "FRONT" or not self.entries else len(self.entries) - 1)

    def no_path(self) -> BadArgument:
        """Return the error for a NamePath that no list has, with the NamePaths that lists have."""
        ends = "".join(f", {self.page.name}<:{mark}:>" for mark, role in END_ROLES.items() if role == self.role)
        return BadArgument(
            f"{self.page.name!r} is a list; its elements are {self.page.name}<:0:>, {self.page.name}<::>element{ends}."
        )


def folder_of(page: Page) -> str:
    """Return the folder with the parts of a list or a graph."""
    return page.path[:-3]


def role_of(page: Page) -> object:
    """Return the role of a list or a graph, which may be invalid; by default, `array` and `graph`."""
    kind = page.properties.get("type")
    return page.properties.get("role", "array" if kind == LIST else kind)


def base_folded(target: str) -> str:
    """Return the last part of a target or path, folded. A target can only mean a note whose path has the same."""
    return fold(target.rpartition("/")[2].removesuffix(NOTE_SUFFIX))


def entries_of(page: Page) -> list[ListLine]:
    """Return the elements that a note lists, except in code, HTML and comments."""
    blocks = scan(page.body)
    matches = ((number, _ENTRY.match(blocks.lines[number])) for number in sorted(blocks.entries))
    return [ListLine(number, match[2].strip()) for number, match in matches if match]


def targets_of(entries: Sequence[ListLine]) -> dict[str, set[str]]:
    """Return the targets of the elements by `base_folded`."""
    targets: dict[str, set[str]] = {}
    for one in entries:
        targets.setdefault(base_folded(one.target), set()).add(one.target)
    return targets
