"""The knowledge graph that is in the notes of a vault: who is an entity, what it says, and what it is related to."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from zkmem.index.pages import Page, Pages
from zkmem.toolsets.kg.layout import Layout
from zkmem.toolsets.kg.written import Written, read_observation, read_relation
from zkmem.vault.encoded import decoded
from zkmem.vault.names import base_of, fold, is_note, name_of

_MARKS = (b"entityType", b"## Relations")  # a note without any of them is not looked into


class Relation(NamedTuple):
    """A relation between two names; neither must be an entity's."""

    source: str
    target: str
    kind: str


class Record(NamedTuple):
    """A note of the graph: an entity, if it has a `kind`, or else one that has relations only."""

    path: str
    etag: str
    name: str
    kind: str | None
    created: str
    observations: tuple[str, ...]
    relations: tuple[Written, ...]

    @classmethod
    def of(cls, path: str, data: bytes) -> "Record | None":
        """What the graph has of a note; nothing of a damaged one, which `check` tells of."""
        page = Page.of(path, data)
        kind = _kind(page.properties.get("entityType"))
        layout = Layout.of(page.body)
        found = [one for item in layout.relations.items if (one := read_relation(item.text))]
        if page.fault or (kind is None and not found):
            return None
        created = page.properties.get("created")
        return cls(
            path=path,
            etag=page.etag,
            name=page.name,
            kind=kind,
            created=created if isinstance(created, str) else "",
            observations=tuple(read_observation(item.text) for item in layout.observations.items),
            relations=tuple(found),
        )

    def matches(self, query: str) -> bool:
        """Whether it is an entity that has a lower-case text in its name, its type or one of its observations."""
        if self.kind is None:
            return False
        return any(query in text.lower() for text in (self.name, self.kind, *self.observations))


def _kind(value: object) -> str | None:
    """The type of an entity; a list of types, as Obsidian has it, is one in a line."""
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return value if isinstance(value, str) else None


class Graph:
    """The records of a vault; a table that is kept in step with its notes."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.latest = ""  # the last time of creation that there is, or was
        self._named: dict[str, set[str]] = {}
        self._ends: dict[str, set[str]] = {}
        self._order: list[Record] | None = None

    @staticmethod
    def wants(path: str) -> bool:
        """Any note may be an entity."""
        return is_note(path)

    def put(self, path: str, data: bytes) -> None:
        """Take in a note."""
        if not any(mark in data for mark in _MARKS) or (record := Record.of(path, data)) is None:
            return
        self.records[path] = record
        self.latest = max(self.latest, record.created)
        self._named.setdefault(record.name, set()).add(path)
        for one in record.relations:
            self._ends.setdefault(fold(called(one.target)), set()).add(path)
        self._order = None

    def drop(self, path: str) -> None:
        """Leave out a note."""
        record = self.records.pop(path, None)
        if record is None:
            return
        self._named[record.name].discard(path)
        for one in record.relations:
            self._ends.get(fold(called(one.target)), set()).discard(path)
        self._order = None

    def all(self) -> list[Record]:
        """The records in the order in which they were created."""
        if self._order is None:
            self._order = sorted(self.records.values(), key=lambda record: (record.created, record.path))
        return self._order

    def entities(self) -> Iterator[Record]:
        """The entities in the order in which they were created."""
        return (record for record in self.all() if record.kind is not None)

    def named(self, name: str) -> list[Record]:
        """The records of a name: one, unless notes were copied by hand."""
        found = [self.records[path] for path in self._named.get(name, ())]
        return sorted(found, key=lambda record: (record.kind is None, record.created, record.path))

    def entity(self, name: str) -> Record | None:
        """The entity of a name."""
        return next((record for record in self.named(name) if record.kind is not None), None)

    def relations(self, pages: Pages, names: frozenset[str] | None = None) -> Iterator[Relation]:
        """All relations, or those with at least one end of these names."""
        if names is None:
            records: Iterable[Record] = self.all()
        else:
            near = set().union(*(self.near(name) for name in names), *(self._named.get(name, ()) for name in names))
            records = [record for record in self.all() if record.path in near]
        for record in records:
            for one in record.relations:
                relation = Relation(record.name, self.end(pages, record.path, one), one.kind)
                if names is None or relation.source in names or relation.target in names:
                    yield relation

    def near(self, name: str) -> set[str]:
        """The paths of all records that may have a relation to a name."""
        spelled = {fold(name), *(fold(called(name_of(path))) for path in self._named.get(name, ()))}
        return set().union(*(self._ends.get(one, ()) for one in spelled))

    def end(self, pages: Pages, source: str, relation: Written) -> str:
        """The name at the end of a relation in the note at `source`."""
        path = pages.resolve(relation.target, source)
        if path is not None and is_note(path):
            record = self.records.get(path)
            if record or relation.name is None:
                return record.name if record else called(name_of(path))
            page = pages.page(path)  # a name that the file name cannot tell
            return page.name if page else relation.name
        return called(relation.target) if relation.name is None else relation.name

    def is_free(self, pages: Pages, part: str, name: str) -> bool:
        """Whether no relation uses a target for another name than this one."""
        paths = [path for path in self._ends.get(fold(decoded(part)), ()) if path in self.records]
        return all(
            self.end(pages, path, one) == name
            for path in paths
            for one in self.records[path].relations
            if fold(one.target) == fold(part)
        )


def called(target: str) -> str:
    """The name that a target, or the path of a note without `.md`, stands for."""
    return decoded(base_of(name_of(target.rstrip("/"))))
