"""Change the knowledge graph through a draft of notes. Each function does all of one tool call, or raises.

The graph comes from the index. If a note has changed since, `Draft.current` makes the whole edit start again.
"""

import contextlib
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from zkmem.errors import Taken, UnknownEntity, Unwritable
from zkmem.names import fold, is_note, name_of
from zkmem.records.blocks import BulletItem
from zkmem.records.draft import Draft
from zkmem.records.encoded_names import encodings
from zkmem.records.pages import Page
from zkmem.toolsets.kg import serialization
from zkmem.toolsets.kg.graph import Graph, Record, Relation, paths_called, plain_notes, plain_observations
from zkmem.toolsets.kg.layout import Layout, SectionGroup
from zkmem.toolsets.record_properties import FORMAT, creation_time, is_raw

_OURS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_DAY = timedelta(days=1)
_FEW = 5  # notes that an error names


class Entity(NamedTuple):
    """An entity as clients send and receive it."""

    name: str
    kind: str
    observations: tuple[str, ...]


@dataclass(eq=False, slots=True)
class NotePaths:
    """The note paths and link targets of names in one draft. Each name gets its own."""

    _draft: Draft
    _graph: Graph
    _taken: dict[str, str] = field(default_factory=dict)  # names, by folded target
    _targets: dict[str, str] = field(default_factory=dict)

    def note(self, name: str) -> str:
        """Return the path of the note for a name: its record, else a plain note of that name, else a free path."""
        path, free = self._place(name)
        if path or free:
            return path or f"{free}.md"
        raise Taken(f"Other notes have every path that the entity {name!r} could be kept at; rename one of them.")

    def target(self, name: str) -> str:
        """Return the target of a link to a name."""
        if name not in self._targets:
            self._targets[name] = self._target(name)
        return self._targets[name]

    def _target(self, name: str) -> str:
        path, free = self._place(name)
        if path or free:
            return self._draft.link(path) if path else free
        raise Taken(f"No link could mean {name!r}: notes with other names take every spelling; rename one of them.")

    def _place(self, name: str) -> tuple[str, str]:
        """Return the path of the note for a name, if it exists, else a free target; both are "" if there is neither."""
        if records := self._graph.named(name):
            return records[0].path, ""
        for part in encodings(name):
            path = self._file_at(part)
            if path is None and self._may_have(part, name):
                return "", part
            if path is not None and self._is_called(path, name):
                return path, ""
        return "", ""

    def _file_at(self, part: str) -> str | None:
        """Return the existing file that a note `part` would collide with, or that a link `part` would lead to."""
        return next(iter(self._draft.at(f"{part}.md")), None) or self._draft.resolve(part, sure=True)

    def _may_have(self, part: str, name: str) -> bool:
        """Return whether a target is free for a name, and reserve it if so."""
        free = self._graph.is_free(self._draft, part, name)
        return free and self._taken.setdefault(fold(part), name) == name

    def _is_called(self, path: str, name: str) -> bool:
        page = self._draft.page(path) if is_note(path) else None
        return page is not None and page.name == name


def create_entities(draft: Draft, entities: Iterable[Entity]) -> list[Entity]:
    """Create the entities whose names are not in use, and return them."""
    graph = draft.table(Graph)
    places = NotePaths(draft, graph)
    created_now: dict[str, Entity] = {}
    times = _creation_times(graph)
    for entity in entities:
        if entity.name in created_now:
            continue
        if record := graph.entity(entity.name):
            draft.current(record.path, record.etag)
            continue
        created_now[entity.name] = entity
        page = _page(draft, places.note(entity.name))
        body = _with_observations(page, Layout.of(Layout.of(page.body).adopted()), entity.observations)
        created = {} if page.properties.get("created") else {"created": next(times)}  # a person may have set it
        properties: dict[str, object] = {"entityType": entity.kind, **created}
        draft.write(page.path, properties | _true_name(page.path, entity.name), body)
    return list(created_now.values())


def create_relations(draft: Draft, relations: Iterable[Relation]) -> list[Relation]:
    """Create the relations that do not exist yet, and return them."""
    graph = draft.table(Graph)
    places = NotePaths(draft, graph)
    requested = list(dict.fromkeys(relations))
    by_source: dict[str, dict[Relation, None]] = {}
    for relation in requested:
        by_source.setdefault(relation.source, {})[relation] = None
    created: set[Relation] = set()
    for source, of_source in by_source.items():
        existing = _from(draft, graph, source)
        new = [relation for relation in of_source if relation not in existing]
        if not new:
            continue
        page = _page(draft, places.note(source))
        items = [serialization.relation(one.kind, places.target(one.target), one.target) for one in new]
        draft.write(page.path, _true_name(page.path, source), _with_relations(page, items))
        created.update(new)
    return [relation for relation in requested if relation in created]


def add_observations(draft: Draft, additions: Sequence[tuple[str, Sequence[str]]]) -> list[list[str]]:
    """Add observations to entities, by name, and return for each addition those that the entity did not have.

    A note that is no entity gets them below `## Observations`, and does not become an entity.
    """
    graph = draft.table(Graph)
    notes: dict[str, tuple[Page, Layout, set[str], list[str]]] = {}
    added = []
    for name, contents in additions:
        if name not in notes:
            record = graph.entity(name)
            page = draft.current(record.path, record.etag) if record else _plain(draft, graph, name)
            if page is None:
                raise UnknownEntity(name)
            layout = Layout.of(page.body if record else Layout.of(page.body).adopted())
            notes[name] = page, layout, set(_observations(layout) if record else plain_observations(page.body)), []
        _, _, texts, all_new = notes[name]
        new = [text for text in contents if text not in texts]
        texts.update(new)
        all_new += new
        added.append(new)
    for page, layout, _, all_new in notes.values():
        if all_new:
            draft.write(page.path, body=_with_observations(page, layout, all_new))
    return added


def delete_entities(draft: Draft, names: Collection[str]) -> None:
    """Move entities to the trash, and remove every relation from or to one of the names.

    A note with other text stays, as a plain note.
    """
    graph = draft.table(Graph)
    deleted = frozenset(names)
    for name in deleted:
        if graph.entity(name) is None and (page := _plain(draft, graph, name)):
            raise _read_only(page)
    entities = [record for name in deleted for record in graph.named(name) if record.kind is not None]
    whole = {record.path for record in entities}  # their own relations are removed below, with the entity
    _delete(draft, graph, graph.relations(draft, deleted), without=whole)
    for record in entities:
        page = draft.current(record.path, record.etag)
        layout = Layout.of(page.body)
        items = [item for item in layout.relations.items if serialization.read_relation(item.text)]
        bare = layout.bare(items)
        if bare.strip():
            _check_rest(page, layout.relations, items, Layout.of(bare).relations)
            draft.write(page.path, {"entityType": None, **_own_time(page)}, bare)
        else:
            draft.remove(page.path)


def delete_observations(draft: Draft, name: str, observations: Collection[str]) -> None:
    """Remove observations from an entity; do nothing if the entity or an observation does not exist."""
    graph = draft.table(Graph)
    record = graph.entity(name)
    page = draft.current(record.path, record.etag) if record else _plain(draft, graph, name)
    if page is None:
        return
    layout = Layout.of(page.body)
    deleted = frozenset(observations)
    if record is None:
        added = _observations(layout) if layout.observations.headings else []
        if deleted.intersection(plain_observations(page.body)).difference(added):
            raise _read_only(page)
        deleted = deleted.intersection(added)
    items = [item for item in layout.observations.items if serialization.read_observation(item.text) in deleted]
    if items:
        body = layout.without(items)
        rest = Layout.of(body)
        _check_rest(page, layout.observations, items, rest.observations)
        _check_rest(page, layout.relations, (), rest.relations)
        draft.write(page.path, body=body)


def delete_relations(draft: Draft, relations: Collection[Relation]) -> None:
    """Remove relations; do nothing for one that does not exist."""
    _delete(draft, draft.table(Graph), relations)


def _delete(draft: Draft, graph: Graph, relations: Iterable[Relation], *, without: Collection[str] = ()) -> None:
    """Remove relations, except in the notes `without`; move a note that had nothing else to the trash."""
    by_source: dict[str, set[Relation]] = {}
    for relation in relations:
        by_source.setdefault(relation.source, set()).add(relation)
    for name, of_name in by_source.items():
        for record in graph.named(name):
            if record.path not in without:
                _delete_from(draft, graph, record, of_name)


def _delete_from(draft: Draft, graph: Graph, record: Record, gone: Collection[Relation]) -> None:
    page = draft.current(record.path, record.etag)
    layout = Layout.of(page.body)
    items = [
        item
        for item in layout.relations.items
        if (one := serialization.read_relation(item.text))
        and Relation(record.name, graph.end(draft, page.path, one), one.kind) in gone
    ]
    if not items:
        return
    body = layout.without(items)
    if record.kind is None and not body.strip():
        draft.remove(page.path)
        return
    if not layout.is_plain:  # else no item can hide another, and a hub has many notes to go through
        rest = Layout.of(body)
        _check_rest(page, layout.relations, items, rest.relations)
        if record.kind is not None:
            _check_rest(page, layout.observations, (), rest.observations)
    draft.write(page.path, body=body)


def _from(draft: Draft, graph: Graph, name: str) -> set[Relation]:
    """Return the relations from a name."""
    relations: set[Relation] = set()
    for record in graph.named(name):
        draft.current(record.path, record.etag)
        relations.update(Relation(name, graph.end(draft, record.path, one), one.kind) for one in record.relations)
    return relations


def _plain(draft: Draft, graph: Graph, name: str) -> Page | None:
    """Return the note with a name that is no entity and has text; None if there is none."""
    pages = [page for page, _ in itertools.islice(plain_notes(draft, graph, paths_called(draft, [name])), _FEW)]
    if len(pages) > 1:
        shown = ", ".join(name_of(page.path) for page in pages)
        raise Unwritable(
            f"{name!r} is the name of several notes without `entityType`: {shown}. Nothing was changed; rename all but "
            "one, or edit the one that you mean with another toolset."
        )
    return next(iter(pages), None)


def _read_only(page: Page) -> Unwritable:
    return Unwritable(
        f"{name_of(page.path)!r} is a note without `entityType`, and its text is read-only here: only what "
        "add_observations has added can be deleted. Nothing was changed; edit the note with another toolset."
    )


def _page(draft: Draft, path: str) -> Page:
    """Return the note at a path, or an empty page if there is none."""
    page = draft.page(path) or Page(path, b"")
    if is_raw(page):
        raise Unwritable(
            f"The note {name_of(path)!r} is a raw text of the toolset think, and is read-only here. Use another name."
        )
    return page


def _true_name(path: str, name: str) -> dict[str, object]:
    """Return the property that holds the name of an entity; none if the file name is the name."""
    return {} if name_of(path).rpartition("/")[2] == name else {"name": name}


def _own_time(page: Page) -> dict[str, object]:
    """Return the change that removes `created` from a note, if this toolset wrote it; else an empty one."""
    ours = _OURS.fullmatch(str(page.properties.get("created", ""))) and "memory_type" not in page.properties
    return {"created": None} if ours else {}


def _with_observations(page: Page, layout: Layout, new: Sequence[str]) -> str:
    """Return the body of a page with observations added."""
    body = layout.with_observations([serialization.observation(text) for text in new])
    if _observations(Layout.of(body)) != [*_observations(layout), *new]:
        raise _hidden(page)
    return body if not body or body.endswith("\n") else body + "\n"


def _with_relations(page: Page, items: Sequence[str]) -> str:
    """Return the body of a page with relations added; `items` are list items."""
    layout = Layout.of(page.body)
    body = layout.with_relations(items)
    if len(Layout.of(body).relations.items) != len(layout.relations.items) + len(items):
        raise _hidden(page)
    return body


def _hidden(page: Page) -> Unwritable:
    name = name_of(page.path)
    return Unwritable(f"The note {name!r} has an open code fence or comment that hides what is added; close it.")


def _check_rest(page: Page, before: SectionGroup, gone: Collection[BulletItem], after: SectionGroup) -> None:
    """Check that a group of items is as it was, without those that are `gone`."""
    starts = {item.start for item in gone}
    if [item.text for item in before.items if item.start not in starts] != [item.text for item in after.items]:
        raise Unwritable(
            f"The note {name_of(page.path)!r} has a comment, a code fence, HTML or a heading that would hide or change "
            "its other items after this deletion; close or remove it, and delete again."
        )


def _observations(layout: Layout) -> list[str]:
    return [serialization.read_observation(item.text) for item in layout.observations.items]


def _creation_times(graph: Graph) -> Iterator[str]:
    """Yield times of creation, each later than the latest in the graph, unless that is a day or more in the future."""
    now = datetime.now(UTC)
    with contextlib.suppress(ValueError, OverflowError):  # no time in the graph, or one in another format
        last = datetime.strptime(graph.latest, FORMAT).replace(tzinfo=UTC)
        now = max(now, last + timedelta(microseconds=1)) if last < now + _DAY else now
    while True:
        yield creation_time(now)
        now += timedelta(microseconds=1)
