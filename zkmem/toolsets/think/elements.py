"""Changes to list memories: elements come, as notes in the list's folder and as lines of its note, and go."""

import itertools
import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from zkmem.edit.draft import Draft
from zkmem.errors import Damaged
from zkmem.index.pages import Pages
from zkmem.toolsets.think import raw
from zkmem.toolsets.think.lines import pieces
from zkmem.toolsets.think.lists import Element, ListNote, base_folded, entries_of
from zkmem.toolsets.think.raw import RAW, Raw, kind_of

_LONGEST_NAME = 40
_NO_NAME = "element"
_ODD = re.compile(r"[^\w.,'’+=&()-]+")


class Taken(NamedTuple):
    """An element that was taken off a list, and why its note was left, if it was."""

    element: Element
    left: str = ""


def name_for(pages: Pages, where: ListNote, description: str, data: str) -> str:
    """A name for a new element: the first words of its description, else of its data; a number where it is taken."""
    name = shortened(description) or shortened(data) or _NO_NAME
    if pages.named(name, where.folder) is None:
        return name
    numbered = (f"{name} {number}" for number in itertools.count(len(where.entries) + 1))
    return next(other for other in numbered if pages.named(other, where.folder) is None)


def shortened(text: str) -> str:
    """The first words of a text, without what a file name cannot hold."""
    short = ""
    for word in _ODD.sub(" ", text[:1000]).split():
        if short and len(short) + 1 + len(word) > _LONGEST_NAME:
            break
        short = f"{short} {word}".strip()[:_LONGEST_NAME]
    return short.strip(" .-,")


def insert(draft: Draft, where: ListNote, index: int, elements: Sequence[Raw]) -> None:
    """Put new elements before the one at `index`, or at the end."""
    paths = [raw.create(draft, draft.free(one.name, where.folder), one) for one in elements]
    lines = pieces(where.page.body)
    if index < len(where.entries):
        at = where.entries[index].line
    else:
        at = where.entries[-1].line + 1 if where.entries else len(lines)
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += "\n"
    lines[at:at] = [f"- [[{path[:-3]}]]\n" for path in paths]
    written = draft.write(where.page.path, {}, "".join(lines))
    if len(entries_of(written)) != len(where.entries) + len(paths):
        raise Damaged(
            f"A new line in the note of the list {where.page.name!r} would be in a code fence that is open there. "
            "Nothing was changed; close the fence."
        )


def take(draft: Draft, where: ListNote, indexes: Collection[int]) -> list[Taken]:
    """Take elements off a list; the notes that were made for them go to the trash.

    A note that is missing, damaged, not a raw memory, not in the list's folder or listed twice is left as it is.
    """
    elements = [where.element(draft, index) for index in indexes]
    kept = {entry.target for index, entry in enumerate(where.entries) if index not in indexes}
    gone = {where.entries[index].line for index in indexes}
    draft.write(where.page.path, {}, "".join(one for at, one in enumerate(pieces(where.page.body)) if at not in gone))
    taken = [Taken(element, _why_left(draft, where, element, kept)) for element in elements]
    for one in taken:
        if one.element.page and not one.left:
            draft.remove(one.element.page.path)
    return taken


def _why_left(pages: Pages, where: ListNote, element: Element, kept: Collection[str]) -> str:
    page = element.page
    if page is None:
        return "it was missing"
    if page.fault:
        return f"it is damaged ({page.fault})"
    if kind_of(page) != RAW:
        return "it is no raw memory"
    if not page.path.startswith(where.folder + "/"):
        return "it is not in the list's folder"
    named = base_folded(page.path)
    twice = any(base_folded(target) == named and where.place(pages, target) == page.path for target in kept)
    return "another line of the list names it" if twice else ""
