"""Store memories as notes: their names, their texts, and a table of the stored ones."""

import hashlib
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.names import below, is_note, path_of
from zkmem.records.draft import Draft
from zkmem.records.encoded_names import first_words
from zkmem.records.pages import Page
from zkmem.records.tables import RecordTable
from zkmem.toolsets.record_properties import creation_time

TYPES = ("core", "episodic", "semantic", "procedural", "resource", "knowledge_vault")
KINDS = """\
core (who the user is, lasting preferences), episodic (events), semantic (knowledge), procedural (steps), resource \
(documents, links), knowledge_vault (contacts, credentials)"""
SECRET = "knowledge_vault"  # noqa: S105 - the type whose memories are shown only if a call names it

NOTE = "note"  # the type of a note that is not a memory
OPEN = {NOTE, *TYPES} - {SECRET}
"""The types that a search looks at unless a call names others."""

_TYPE, _CONTEXT, _CREATED = "memory_type", "context", "created"
_MARKS = (_TYPE.encode(), SECRET.encode())  # a note outside the folders without any of them is no memory
_MOST_FETCHED = 2_000
_WAIT_S = 10.0  # for the search index; after that, it answers from what is indexed


class MemoryMatch(NamedTuple):
    """A note that matches a query."""

    path: str
    name: str
    score: float
    snippet: str
    type: str  # of the memory in it
    date: str  # of the note; "" if only its file has one


class Memorized(NamedTuple):
    """The facts of a memory, without its text."""

    path: str
    type: str
    created: str


class New(NamedTuple):
    """A memory to add."""

    content: str
    type: str
    context: str = ""


class MirixMemories(RecordTable):
    """The memories of a vault: a table that the index updates whenever a note changes."""

    def __init__(self) -> None:
        self.known: dict[str, Memorized] = {}

    def put(self, path: str, data: bytes) -> None:
        """Add a note."""
        said = data.lower()
        if any(folder.lower() in TYPES for folder in path.split("/")[:-1]) or any(mark in said for mark in _MARKS):
            page = Page(path, data)
            if (kind := type_of(page)) != NOTE:
                self.known[path] = Memorized(path, kind, _text(page, _CREATED))

    def drop(self, path: str) -> None:
        """Remove a note."""
        self.known.pop(path, None)

    def of(self, kind: str) -> list[Memorized]:
        """Return the memories of a type, newest first."""
        memories = [one for one in self.known.values() if one.type == kind]
        return sorted(memories, key=lambda one: (one.created, one.path), reverse=True)


class MemoryWords:
    """The paths of memories by their text: a table that the index updates whenever a note changes."""

    def __init__(self) -> None:
        self._paths: dict[bytes, dict[str, None]] = {}
        self._digests: dict[str, bytes] = {}

    @staticmethod
    def wants(path: str) -> bool:
        """Return whether a note is in a folder of a type; other notes are not read."""
        return is_note(path) and path.split("/", maxsplit=1)[0].lower() in TYPES

    def put(self, path: str, data: bytes) -> None:
        """Add a note."""
        page = Page(path, data)
        digest = _digest(page.body)
        self._digests[path] = digest
        self._paths.setdefault(digest, {})[path] = None

    def drop(self, path: str) -> None:
        """Remove a note."""
        digest = self._digests.pop(path, None)
        if digest is not None:
            del self._paths[digest][path]
            if not self._paths[digest]:
                del self._paths[digest]

    def saying(self, body: str) -> list[str]:
        """Return the paths of the notes with this body, apart from blanks around it."""
        return list(self._paths.get(_digest(body), ()))


def _digest(body: str) -> bytes:
    return hashlib.blake2b(body.strip().encode(errors="surrogatepass"), digest_size=16).digest()


def type_of(page: Page) -> str:
    """Return the type of a note: its property, else its folder. A note that may be a secret counts as one."""
    folders = [folder.lower() for folder in page.path.split("/")[:-1]]
    written = page.properties.get(_TYPE)
    types = [str(one).strip().lower() for one in (written if isinstance(written, list) else [written])]
    if SECRET in folders or SECRET in types or (page.fault and SECRET in page.text.text.lower()):
        return SECRET
    if types[:1] and types[0] in TYPES:
        return types[0]
    return folders[0] if folders and folders[0] in TYPES else NOTE


def _text(page: Page, key: str) -> str:
    value = page.properties.get(key)
    return value if isinstance(value, str) else ""


def find(
    memory: Memory, query: str, limit: int, allowed_types: Collection[str], *, filters: bool = True, near: str = ""
) -> tuple[list[MemoryMatch], list[str]]:
    """Return the notes of wanted types that match a query, best first, and remarks on the query for the reader.

    With `filters` False, the query is plain text. `near`: a note; those within two links of it come first.
    """
    fetch = limit * 2 + 20
    without = () if SECRET in allowed_types else (SECRET,)
    while True:
        hits = memory.search(query, limit=fetch, without=without, filters=filters, near=near, wait_s=_WAIT_S)
        stored = memory.look(lambda pages: dict(pages.table(MirixMemories).known))
        types = [stored[hit.path].type if hit.path in stored else NOTE for hit in hits]
        matches = [
            MemoryMatch(hit.path, hit.name, hit.score, hit.snippet, kind, hit.date if hit.date_source != "file" else "")
            for hit, kind in zip(hits, types, strict=True)
            if kind in allowed_types
        ]
        if len(matches) >= limit or len(hits) < fetch or fetch > _MOST_FETCHED:
            has_secrets = any(one.type == SECRET and not below(path, SECRET) for path, one in stored.items())
            remarks = [] if without and has_secrets else hits.remarks  # they may have names and words of such a note
            others = sorted({*types} - {*allowed_types, SECRET})
            if others and not matches:
                remarks = [*remarks, f"Notes of other types match ({', '.join(others)}); leave out memory_types."]
            return matches[:limit], remarks
        fetch *= 4  # too many hits were of other types


def add(draft: Draft, memories: Iterable[New]) -> dict[str, bool]:
    """Write memories. Return the path of each, and False for one that was stored before in the same words.

    Words that are stored already are left as they are, with their type and context.
    """
    first: dict[tuple[str, bool], New] = {}
    for one in map(_checked, memories):
        first.setdefault((one.content.strip(), one.type == SECRET), one)
    paths: dict[str, bool] = {}
    for one in first.values():
        path, is_new = _add(draft, one)
        paths.setdefault(path, is_new)
    return paths


def _checked(new: New) -> New:
    if not new.content.strip():
        raise BadArgument("`content` is empty; give what is to be remembered.")
    return new if new.content.endswith("\n") else new._replace(content=new.content + "\n")


def _add(draft: Draft, new: New) -> tuple[str, bool]:
    title = title_of(new)
    first = draft.named(title, new.type)
    if path := _same(draft, new, first):
        return path, False
    if first:
        title = _free_title(draft, title, new.type)
    properties: dict[str, object] = {_TYPE: new.type, _CONTEXT: new.context or None, _CREATED: creation_time()}
    return draft.write(draft.free(title, new.type), properties, new.content).path, True


def _same(draft: Draft, new: New, first: Page | None) -> str | None:
    """Return the path of the memory with the same text, if any; `first` is the note that has its title, if any.

    One that a search shows is another memory than one that should be secret.
    """
    if first and _says(first, new):
        return first.path
    for path in draft.table(MemoryWords).saying(new.content):
        page = draft.page(path)
        if page and _says(page, new):  # the note may have changed after the table
            return path
    return None


def _says(page: Page, new: New) -> bool:
    return page.body.strip() == new.content.strip() and (new.type != SECRET or type_of(page) == SECRET)


def _free_title(draft: Draft, title: str, kind: str) -> str:
    """Return `title` with a free number, found by doubling, then halving: thousands may share a title."""

    def is_taken(number: int) -> bool:
        return bool(draft.at(path_of(f"{kind}/{title} {number}")))

    taken, free = 1, 2
    while is_taken(free):
        taken, free = free, free * 2
    while free - taken > 1:
        middle = (taken + free) // 2
        taken, free = (middle, free) if is_taken(middle) else (taken, middle)
    return f"{title} {free}"


def title_of(new: New) -> str:
    """Return the name for a memory: its first words without a key. A secret gets none of its words: logs show names."""
    if new.type == SECRET:
        return f"entry {datetime.now(UTC):%Y-%m-%d}"
    return first_words(new.content) or "memory"
