"""Changes of the knowledge graph, as drafts of notes. Each function does all that one tool call asks, or raises.

The graph is as the index knows it; a note that has changed since makes the whole edit begin anew (`Draft.current`).
"""

import contextlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from zkmem.errors import UnknownEntity, Unwritable
from zkmem.names import name_of
from zkmem.records.draft import Draft
from zkmem.records.pages import Page
from zkmem.toolsets.kg import serialization
from zkmem.toolsets.kg.graph import Graph, Record, Relation
from zkmem.toolsets.kg.layout import Layout
from zkmem.toolsets.kg.note_paths import NotePaths
from zkmem.toolsets.raw import is_raw
from zkmem.toolsets.stamp import FORMAT, stamp

_OURS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_DAY = timedelta(days=1)


class Entity(NamedTuple):
    """An entity as clients send it and get it."""

    name: str
    kind: str
    observations: tuple[str, ...]


def create_entities(draft: Draft, entities: Iterable[Entity]) -> list[Entity]:
    """Make the entities whose names none has yet; returns them."""
    graph = draft.table(Graph)
    places = NotePaths(draft, graph)
    made: dict[str, Entity] = {}
    stamps = _stamps(graph)
    for entity in entities:
        if entity.name in made:
            continue
        if record := graph.entity(entity.name):
            draft.current(record.path, record.etag)
            continue
        made[entity.name] = entity
        page = _page(draft, places.note(entity.name))
        body = _with_observations(page, Layout.of(Layout.of(page.body).adopted()), entity.observations)
        created = {} if page.properties.get("created") else {"created": next(stamps)}  # it may be a person's
        properties: dict[str, object] = {"entityType": entity.kind, **created}
        draft.write(page.path, properties | _true_name(page.path, entity.name), body)
    return list(made.values())


def create_relations(draft: Draft, relations: Iterable[Relation]) -> list[Relation]:
    """Make the relations that are not there yet; returns them."""
    graph = draft.table(Graph)
    places = NotePaths(draft, graph)
    asked = list(dict.fromkeys(relations))
    by_source: dict[str, dict[Relation, None]] = {}
    for relation in asked:
        by_source.setdefault(relation.source, {})[relation] = None
    made: set[Relation] = set()
    for source, wanted in by_source.items():
        known = _from(draft, graph, source)
        new = [relation for relation in wanted if relation not in known]
        if not new:
            continue
        page = _page(draft, places.note(source))
        items = [serialization.relation(one.kind, places.target(one.target), one.target) for one in new]
        draft.write(page.path, _true_name(page.path, source), _with_relations(page, items))
        made.update(new)
    return [relation for relation in asked if relation in made]


def add_observations(draft: Draft, additions: Sequence[tuple[str, Sequence[str]]]) -> list[list[str]]:
    """Add to entities, by name, the observations that they do not have yet; returns these for each addition.

    Raises:
        UnknownEntity: when there is no such entity.
    """
    graph = draft.table(Graph)
    notes: dict[str, tuple[Page, Layout, set[str], list[str]]] = {}
    added = []
    for name, contents in additions:
        if name not in notes:
            record = graph.entity(name)
            if record is None:
                raise UnknownEntity(name)
            page = draft.current(record.path, record.etag)
            layout = Layout.of(page.body)
            notes[name] = page, layout, set(_observations(layout)), []
        _, _, known, all_new = notes[name]
        new = [text for text in contents if text not in known]
        known.update(new)
        all_new += new
        added.append(new)
    for page, layout, _, all_new in notes.values():
        if all_new:
            draft.write(page.path, body=_with_observations(page, layout, all_new))
    return added


def delete_entities(draft: Draft, names: Collection[str]) -> None:
    """Move entities to the trash, and take out every relation from or to one of the names.

    A note with text of its own stays, as a plain note.
    """
    graph = draft.table(Graph)
    gone = frozenset(names)
    entities = [record for name in gone for record in graph.named(name) if record.kind is not None]
    whole = {record.path for record in entities}  # all of their own relations go with them
    _delete(draft, graph, graph.relations(draft, gone), without=whole)
    for record in entities:
        page = draft.current(record.path, record.etag)
        layout = Layout.of(page.body)
        bare = layout.bare(item for item in layout.relations.items if serialization.read_relation(item.text))
        if bare.strip():
            draft.write(page.path, {"entityType": None, **_own_stamp(page)}, bare)
        else:
            draft.remove(page.path)


def delete_observations(draft: Draft, name: str, observations: Collection[str]) -> None:
    """Take observations out of an entity, if there is one that has them."""
    record = draft.table(Graph).entity(name)
    if record is None:
        return
    page = draft.current(record.path, record.etag)
    layout = Layout.of(page.body)
    gone = frozenset(observations)
    items = [item for item in layout.observations.items if serialization.read_observation(item.text) in gone]
    if items:
        draft.write(page.path, body=layout.without(items))


def delete_relations(draft: Draft, relations: Collection[Relation]) -> None:
    """Take out relations that are there."""
    _delete(draft, draft.table(Graph), relations)


def _delete(draft: Draft, graph: Graph, relations: Iterable[Relation], *, without: Collection[str] = ()) -> None:
    """Take out relations, but for those in the notes `without`; a note that had nothing else goes to the trash."""
    by_source: dict[str, set[Relation]] = {}
    for relation in relations:
        by_source.setdefault(relation.source, set()).add(relation)
    for name, gone in by_source.items():
        for record in graph.named(name):
            if record.path not in without:
                _delete_from(draft, graph, record, gone)


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
    else:
        draft.write(page.path, body=body)


def _from(draft: Draft, graph: Graph, name: str) -> set[Relation]:
    """The relations that begin at a name."""
    found: set[Relation] = set()
    for record in graph.named(name):
        draft.current(record.path, record.etag)
        found.update(Relation(name, graph.end(draft, record.path, one), one.kind) for one in record.relations)
    return found


def _page(draft: Draft, path: str) -> Page:
    """Return the note at a path, or an empty one to create there.

    Raises:
        Unwritable: when it is a raw text.
    """
    page = draft.page(path) or Page(path, b"")
    if is_raw(page):
        raise Unwritable(
            f"The note {name_of(path)!r} is a raw text of the toolset think, and is read-only here. Use another name."
        )
    return page


def _true_name(path: str, name: str) -> dict[str, object]:
    """The property that tells a name which is not the file's."""
    return {} if name_of(path).rpartition("/")[2] == name else {"name": name}


def _own_stamp(page: Page) -> dict[str, object]:
    """What takes the time of creation out of a note, if it is one that this toolset has written."""
    ours = _OURS.fullmatch(str(page.properties.get("created", ""))) and "memory_type" not in page.properties
    return {"created": None} if ours else {}


def _with_observations(page: Page, layout: Layout, new: Sequence[str]) -> str:
    """A body of the page with observations added."""
    body = layout.with_observations([serialization.observation(text) for text in new])
    if _observations(Layout.of(body)) != [*_observations(layout), *new]:
        raise _hidden(page)
    return body if not body or body.endswith("\n") else body + "\n"


def _with_relations(page: Page, items: Sequence[str]) -> str:
    """The body of the page with relations added, as they are written."""
    layout = Layout.of(page.body)
    body = layout.with_relations(items)
    if len(Layout.of(body).relations.items) != len(layout.relations.items) + len(items):
        raise _hidden(page)
    return body


def _hidden(page: Page) -> Unwritable:
    name = name_of(page.path)
    return Unwritable(f"The note {name!r} has an open code fence or comment that hides what is added; close it.")


def _observations(layout: Layout) -> list[str]:
    return [serialization.read_observation(item.text) for item in layout.observations.items]


def _stamps(graph: Graph) -> Iterator[str]:
    """Times of creation, each later than all that there are, as far as these are not in the future."""
    now = datetime.now(UTC)
    with contextlib.suppress(ValueError, OverflowError):  # there is none, or somebody has written it otherwise
        last = datetime.strptime(graph.latest, FORMAT).replace(tzinfo=UTC)
        now = max(now, last + timedelta(microseconds=1)) if last < now + _DAY else now
    while True:
        yield stamp(now)
        now += timedelta(microseconds=1)
