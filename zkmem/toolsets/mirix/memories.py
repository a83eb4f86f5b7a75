"""Memories as notes: how one is named and written, and what is known of those that there are."""

import re
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from zkmem.edit.draft import Draft
from zkmem.errors import BadArgument
from zkmem.index.pages import Page
from zkmem.memory import Memory
from zkmem.recall.search import Hit
from zkmem.toolsets.stamp import stamp
from zkmem.vault.names import is_note

TYPES = ("core", "episodic", "semantic", "procedural", "resource", "knowledge_vault")
SECRET = "knowledge_vault"  # noqa: S105 - the type whose memories are told only to those who ask for it by name

NOTE = "note"  # the type of a note that is no memory

_TYPE, _CONTEXT, _CREATED = "memory_type", "context", "created"
_MARKS = (_TYPE.encode(), SECRET.encode())  # a note outside the folders without any of them is no memory
_MARKUP = re.compile(r"[\\/:*?\"<>|#^\[\]%`~]+|^[\s.+-]+|[\s.,;]+$")
_LONGEST = 60
_MOST_ALIKE = 1_000
_MOST_FETCHED = 2_000


class Memorized(NamedTuple):
    """What is known of a memory without its text."""

    path: str
    type: str
    created: str


class New(NamedTuple):
    """A memory to be added."""

    content: str
    type: str
    context: str = ""


class Memories:
    """The memories of a vault; a table that is kept in step with its notes."""

    def __init__(self) -> None:
        self.known: dict[str, Memorized] = {}

    @staticmethod
    def wants(path: str) -> bool:
        """Any note may say that it is a memory."""
        return is_note(path)

    def put(self, path: str, data: bytes) -> None:
        """Take in a note."""
        said = data.lower()
        if any(folder.lower() in TYPES for folder in path.split("/")[:-1]) or any(mark in said for mark in _MARKS):
            page = Page.of(path, data)
            if (kind := type_of(page)) != NOTE:
                self.known[path] = Memorized(path, kind, _text(page, _CREATED))

    def drop(self, path: str) -> None:
        """Leave out a note."""
        self.known.pop(path, None)

    def of(self, kind: str) -> list[Memorized]:
        """The memories of a type, newest first."""
        found = [one for one in self.known.values() if one.type == kind]
        return sorted(found, key=lambda one: (one.created, one.path), reverse=True)


def type_of(page: Page) -> str:
    """The type of a note: its property, else its folder. Whatever calls it secret makes it so, a broken note too."""
    folders = [folder.lower() for folder in page.path.split("/")[:-1]]
    told = page.properties.get(_TYPE)
    said = [str(one).strip().lower() for one in (told if isinstance(told, list) else [told])]
    if SECRET in folders or SECRET in said or (page.fault and SECRET in page.text.text.lower()):
        return SECRET
    if said[:1] and said[0] in TYPES:
        return said[0]
    return folders[0] if folders and folders[0] in TYPES else NOTE


def _text(page: Page, key: str) -> str:
    value = page.properties.get(key)
    return value if isinstance(value, str) else ""


def find(memory: Memory, query: str, limit: int, wanted: Callable[[str], bool]) -> list[tuple[Hit, str]]:
    """The notes of wanted types that a search finds, best first, each with its type."""
    fetch = limit * 2 + 20
    without = () if wanted(SECRET) else (SECRET,)
    while True:
        hits = memory.search(query, limit=fetch, without=without)
        known = memory.look(lambda pages: dict(pages.table(Memories).known))
        types = [known[hit.path].type if hit.path in known else NOTE for hit in hits]
        found = [(hit, kind) for hit, kind in zip(hits, types, strict=True) if wanted(kind)]
        if len(found) >= limit or len(hits) < fetch or fetch > _MOST_FETCHED:
            return found[:limit]
        fetch *= 4  # others have crowded them out


def check_types(types: Collection[str] | None) -> None:
    """Refuse an empty choice of types.

    Raises:
        BadArgument: when there is none in it.
    """
    if types is not None and not types:
        raise BadArgument(f"`memory_types` is empty; leave it out, or give some of: {', '.join(TYPES)}.")


def add(draft: Draft, memories: Iterable[New]) -> dict[str, bool]:
    """Write memories; returns their paths, and which are new: one that is there, word for word, is not written again.

    Raises:
        BadArgument: when there is nothing in one.
    """
    made: dict[str, bool] = {}
    for one in memories:
        path, is_new = _add(draft, one)
        made.setdefault(path, is_new)
    return made


def _add(draft: Draft, new: New) -> tuple[str, bool]:
    if not new.content.strip():
        raise BadArgument("`content` is empty; give what is to be remembered.")
    body = new.content if new.content.endswith("\n") else new.content + "\n"
    title = title_of(new)
    for number in range(1, _MOST_ALIKE):
        name = title if number == 1 else f"{title} {number}"
        there = draft.named(name, new.type)
        if there is None:
            properties: dict[str, object] = {_TYPE: new.type, _CONTEXT: new.context or None}
            properties[_CREATED] = stamp()
            return draft.write(draft.free(name, new.type), properties, body).path, True
        if there.body == body and there.properties.get(_CONTEXT, "") == new.context:
            return there.path, False
    raise BadArgument(f"There are {_MOST_ALIKE} memories that begin like this one; begin it otherwise.")


def title_of(new: New) -> str:
    """What a memory is called: its first words. A secret's name tells nothing, since names are in logs and lists."""
    if new.type == SECRET:
        return f"entry {datetime.now(UTC):%Y-%m-%d}"
    for line in new.content.splitlines():
        words = " ".join(_MARKUP.sub(" ", "".join(char if char.isprintable() else " " for char in line)).split())
        short = words[:_LONGEST]
        if len(words) > _LONGEST:
            short = short.rpartition(" ")[0] or short
        if short := _MARKUP.sub("", short).strip():
            return short
    return "memory"
