"""The knowledge graph in the notes of a vault: entities, their observations, and the relations between them.

Notes that are no entities count as entities of the type `note`: each line of their text is an observation. They are
read when an answer needs them, and an answer has few of them, since a vault may have any number.
"""

import bisect
import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from zkmem.names import base_of, fold, is_note, name_of
from zkmem.records.encoded_names import decoded
from zkmem.records.pages import Page, Pages
from zkmem.records.tables import RecordTable
from zkmem.toolsets.kg.answers import entity_text
from zkmem.toolsets.kg.layout import Layout
from zkmem.toolsets.kg.serialization import WrittenRelation, called, read_observation, read_relation
from zkmem.toolsets.record_properties import is_raw

_ENTITY, _RELATIONS = b"entityType", b"relations"  # a note with neither of these is not parsed
MOST_PLAIN = 20  # notes that are no entities in an answer
_MOST_CHARACTERS = 4_000  # of a note
_MOST_PARSED = 4 * _MOST_CHARACTERS  # since relations and blank lines are not shown
_PLAIN_KIND = "note"


class Relation(NamedTuple):
    """A relation between two names; either may be a name that no entity has."""

    source: str
    target: str
    kind: str


class Record(NamedTuple):
    """A note of the graph: an entity if it has a `kind`, else a note with relations only."""

    path: str
    etag: str
    name: str
    kind: str | None
    created: str
    observations: tuple[str, ...]
    relations: tuple[WrittenRelation, ...]
    searched: str = ""  # for an entity: name, type and observations in lower case, a line each
    text: str = ""  # for an entity: its JSON in answers

    @classmethod
    def of(cls, path: str, data: bytes) -> "Record | None":
        """Return the record of a note; None for a raw text, or a damaged note, which `check` reports."""
        page = Page(path, data)
        if page.fault or is_raw(page):
            return None
        kind = _kind(page.properties.get("entityType"))
        layout = Layout.of(page.body)
        relations = tuple(one for item in layout.relations.items if (one := read_relation(item.text)))
        if kind is None and not relations:
            return None
        name, created = page.name, page.properties.get("created")
        observations = tuple(read_observation(item.text) for item in layout.observations.items)
        return cls(
            path=path,
            etag=page.etag,
            name=name,
            kind=kind,
            created=created if isinstance(created, str) else "",
            observations=observations,
            relations=relations,
            searched="" if kind is None else "\n".join((name, kind, *observations)).lower(),
            text="" if kind is None else entity_text(name, kind, observations),
        )

    def matches(self, query: str) -> bool:
        """Return whether this is an entity with a lower-case text in its name, its type or an observation."""
        if self.kind is None or query not in self.searched:
            return False
        return "\n" not in query or any(query in text.lower() for text in (self.name, self.kind, *self.observations))


def _kind(value: object) -> str | None:
    """Return the type of an entity; several types, a list in Obsidian, are joined with commas."""
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return value if isinstance(value, str) else None


def _age(record: Record) -> tuple[str, str]:
    """Return the sort key of a record: when it was created, then its path."""
    return record.created, record.path


class Graph(RecordTable):
    """The records of a vault: a table that the index updates whenever a note changes."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.others: set[str] = set()  # the paths of the notes that are no entities
        self.latest = ""  # the latest time of creation so far, even if that record is gone
        self._named: dict[str, set[str]] = {}
        self._ends: dict[str, set[str]] = {}
        self._order: list[Record] | None = None  # made when first needed
        self._relations: Sequence[Relation] | None = None  # all, until a note changes
        self._ending: dict[str, str] = {}  # by target, if it means the same in every note: the entity name
        self._decided: dict[str, set[str]] = {}  # by folded file name: the targets whose meaning depends on it

    def put(self, path: str, data: bytes) -> None:
        """Add a note, if it is an entity or has relations; of any other note only the path."""
        self.others.add(path)
        if not (_ENTITY in data or _RELATIONS in data.lower()) or (record := Record.of(path, data)) is None:
            return
        self.records[path] = record
        if record.kind is not None:
            self.others.discard(path)
        self._relations = None
        self.latest = max(self.latest, record.created)
        self._named.setdefault(record.name, set()).add(path)
        for spelled in _spelled(record):
            self._ends.setdefault(spelled, set()).add(path)
        if self._order is not None:
            bisect.insort(self._order, record, key=_age)

    def drop(self, path: str) -> None:
        """Remove a note."""
        self._relations = None
        self.others.discard(path)
        if self._decided:
            for target in self._decided.pop(base_of(fold(path)), ()):
                del self._ending[target]
        record = self.records.pop(path, None)
        if record is None:
            return
        self._named[record.name].discard(path)
        for spelled in _spelled(record):
            self._ends[spelled].discard(path)
        if self._order is not None:
            del self._order[bisect.bisect_left(self._order, _age(record), key=_age)]

    def all(self) -> list[Record]:
        """Return the records in the order in which they were created."""
        if self._order is None:
            self._order = sorted(self.records.values(), key=_age)
        return self._order

    def entities(self) -> list[Record]:
        """Return the entities in the order in which they were created."""
        return [record for record in self.all() if record.kind is not None]

    def matching(self, query: str) -> list[Record]:
        """Return the entities that contain a lower-case text, in the order in which they were created."""
        return [record for record in self.all() if query in record.searched and record.matches(query)]

    def of_names(self, names: Iterable[str]) -> list[Record]:
        """Return the entities with some names, in the order in which they were created."""
        records = {record for name in names for record in self.named(name) if record.kind is not None}
        return sorted(records, key=_age)

    def named(self, name: str) -> list[Record]:
        """Return the records with a name: at most one, unless somebody copied a note."""
        records = [self.records[path] for path in self._named.get(name, ())]
        return sorted(records, key=lambda record: (record.kind is None, *_age(record)))

    def entity(self, name: str) -> Record | None:
        """Return the entity with a name; None if there is none."""
        return next((record for record in self.named(name) if record.kind is not None), None)

    def relations(self, pages: Pages, names: Collection[str] | None = None) -> Sequence[Relation]:
        """Return all relations, or those from or to one of these names."""
        if names is None:
            return self._all_relations(pages)
        if 4 * len(names) > len(self.records):  # to look them up would take longer than to go through all
            candidates: Iterable[Relation] = self._all_relations(pages)
        else:
            candidates = (one for record in self._about(names) for one in self._from(pages, record))
        return [one for one in candidates if one[0] in names or one[1] in names]

    def _all_relations(self, pages: Pages) -> Sequence[Relation]:
        """Return all relations; cache the list until a note changes, if nothing else can change their ends."""
        if self._relations is not None:
            return self._relations
        relations = [one for record in self.all() for one in self._from(pages, record)]
        written = itertools.chain.from_iterable(record.relations for record in self.records.values())
        if all(one.name is None and one.target in self._ending for one in written):
            self._relations = relations
        return relations

    def _from(self, pages: Pages, record: Record) -> Iterator[Relation]:
        """Yield the relations of a record."""
        ends, new = self._ending, tuple.__new__  # `tuple.__new__` runs in C: there are many relations
        for one in record.relations:
            end = ends.get(one[1]) if one[2] is None else None
            if end is None:
                end = self.end(pages, record.path, one)
            yield new(Relation, (record.name, end, one[0]))

    def _about(self, names: Collection[str]) -> list[Record]:
        """Return the records with some names, and those that may have a relation to one of them, in order."""
        near = set().union(*(self.near(name) for name in names), *(self._named.get(name, ()) for name in names))
        return sorted((self.records[path] for path in near), key=_age)

    def near(self, name: str) -> set[str]:
        """Return the paths of all records that may have a relation to a name."""
        spelled = {fold(name), *(fold(called(name_of(path))) for path in self._named.get(name, ()))}
        return set().union(*(self._ends.get(one, ()) for one in spelled))

    def end(self, pages: Pages, source: str, relation: WrittenRelation) -> str:
        """Return the name that a relation in the note at `source` leads to."""
        target = relation.target
        if relation.name is None and target in self._ending:
            return self._ending[target]
        path, decided_by = pages.meaning(target, source)
        record = self.records.get(path) if path is not None else None
        if relation.name is not None:
            if record is None and path is not None and is_note(path) and (page := pages.page(path)):
                return page.name  # a plain note whose name the file name cannot hold
            return record.name if record else relation.name
        name = record.name if record else called(target if path is None or not is_note(path) else name_of(path))
        if decided_by is not None:  # `drop` removes it when a file of this name changes
            self._ending[target] = name
            self._decided.setdefault(decided_by, set()).add(target)
        return name

    def is_free(self, pages: Pages, part: str, name: str) -> bool:
        """Return whether no relation uses a target for a name other than this one."""
        paths = [path for path in self._ends.get(fold(decoded(part)), ()) if path in self.records]
        return all(
            self.end(pages, path, one) == name
            for path in paths
            for one in self.records[path].relations
            if fold(one.target) == fold(part)
        )


def _spelled(record: Record) -> set[str]:
    """Return the folded names that the relations of a record may lead to, whichever notes exist."""
    names = {fold(called(one.target)) for one in record.relations}
    return names.union(fold(one.name) for one in record.relations if one.name is not None)


def paths_called(pages: Pages, names: Iterable[str]) -> Iterator[str]:
    """Yield the paths of the notes with some names; a name with a slash may be the path of a note."""
    for name in names:
        paths = [page.path for page in pages.called(name)]
        yield from paths or filter(None, [pages.resolve(name) if "/" in name else None])


def plain_notes(pages: Pages, graph: Graph, paths: Iterable[str]) -> Iterator[tuple[Page, Record]]:
    """Yield those notes at some paths that have text and are no entities, each once, and each as an entity."""
    for path in dict.fromkeys(paths):
        page = pages.page(path) if path in graph.others else None
        if page and not page.fault and not is_raw(page) and (one := _plain_record(page)):
            yield page, one


def plain_observations(body: str) -> list[str]:
    """Return the lines of a note without its relations; an item of a list is one, with all its lines."""
    return [read_observation(text) if is_item else text.strip() for text, is_item in Layout.of(body).own_texts()]


def _plain_record(page: Page) -> Record | None:
    """Return a note as an entity with its first observations, the last of which says if there are more; None if empty.

    Only the beginning of a long note is parsed, unless that has relations and blank lines only.
    """
    body = page.body
    begin = body[: body.rfind("\n", 0, _MOST_PARSED) + 1 or _MOST_PARSED] if len(body) > _MOST_PARSED else body
    texts = plain_observations(begin)
    if not texts:
        begin, texts = body, plain_observations(body)
    shown: list[str] = []
    room = _MOST_CHARACTERS
    for text in texts:
        room -= len(text)
        if room < 0 and shown:
            break
        shown.append(text if room >= 0 else f"{text[:_MOST_CHARACTERS]} (cut here)")
    if len(shown) < len(texts) or len(begin) < len(body):
        shown.append("(cut here: the note is longer)")
    text = entity_text(page.name, _PLAIN_KIND, shown)
    return Record(page.path, page.etag, page.name, _PLAIN_KIND, "", tuple(shown), (), text=text) if texts else None
