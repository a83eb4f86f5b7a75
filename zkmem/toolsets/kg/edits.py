"""Changes of the knowledge graph, as drafts of notes. Each function does all that one tool call asks, or raises."""

import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from zkmem.edit.draft import Draft
from zkmem.errors import UnknownEntity, Unwritable
from zkmem.index.pages import Page
from zkmem.toolsets.kg import written
from zkmem.toolsets.kg.graph import Graph, Relation
from zkmem.toolsets.kg.layout import Layout
from zkmem.toolsets.kg.places import Places
from zkmem.vault.names import name_of

_STAMP = "%Y-%m-%dT%H:%M:%S.%fZ"


class Entity(NamedTuple):
    """An entity as clients send it and get it."""

    name: str
    kind: str
    observations: tuple[str, ...]


def create_entities(draft: Draft, entities: Iterable[Entity]) -> list[Entity]:
    """Make the entities whose names none has yet; returns them."""
    graph = draft.table(Graph)
    places = Places(draft, graph)
    made: dict[str, Entity] = {}
    stamps = _stamps(graph)
    for entity in entities:
        if entity.name in made or graph.entity(entity.name):
            continue
        made[entity.name] = entity
        page = _page(draft, places.note(entity.name))
        body = _with_observations(page, Layout.of(Layout.of(page.body).adopted()), entity.observations)
        properties: dict[str, object] = {"entityType": entity.kind, "created": next(stamps)}
        draft.write(page.path, properties | _true_name(page.path, entity.name), body)
    return list(made.values())


def create_relations(draft: Draft, relations: Iterable[Relation]) -> list[Relation]:
    """Make the relations that are not there yet; returns them."""
    graph = draft.table(Graph)
    places = Places(draft, graph)
    made: dict[Relation, None] = {}
    for relation in relations:
        if relation in made or relation in _from(draft, graph, relation.source):
            continue
        made[relation] = None
        page = _page(draft, places.note(relation.source))
        target, decodable = places.target(relation.target)
        item = written.relation(relation.kind, target, relation.target, decodable=decodable)
        draft.write(page.path, _true_name(page.path, relation.source), _with_relation(page, item))
    return list(made)


def add_observations(draft: Draft, name: str, contents: Sequence[str]) -> list[str]:
    """Add the observations that an entity does not have yet; returns them.

    Raises:
        UnknownEntity: when there is no such entity.
    """
    record = draft.table(Graph).entity(name)
    if record is None:
        raise UnknownEntity(name)
    page = _page(draft, record.path)
    layout = Layout.of(page.body)
    known = set(_observations(layout))
    new = [text for text in contents if text not in known]
    if new:
        draft.write(page.path, body=_with_observations(page, layout, new))
    return new


def delete_entities(draft: Draft, names: Collection[str]) -> None:
    """Move entities to the trash, and take out every relation from or to one of the names.

    A note with text of its own stays, as a plain note.
    """
    graph = draft.table(Graph)
    gone = frozenset(names)
    _delete(draft, graph, list(graph.relations(draft, gone)))
    for name in gone:
        for record in graph.named(name):
            page = _page(draft, record.path)
            bare = Layout.of(page.body).bare()
            if record.kind is None:
                continue
            if bare.strip():
                draft.write(page.path, {"entityType": None, "created": None}, bare)
            else:
                draft.remove(page.path)


def delete_observations(draft: Draft, name: str, observations: Collection[str]) -> None:
    """Take observations out of an entity, if there is one that has them."""
    record = draft.table(Graph).entity(name)
    page = _page(draft, record.path) if record else None
    if page is None:
        return
    layout = Layout.of(page.body)
    items = [item for item in layout.observations.items if written.read_observation(item.text) in observations]
    if items:
        draft.write(page.path, body=layout.without(items))


def delete_relations(draft: Draft, relations: Collection[Relation]) -> None:
    """Take out relations that are there."""
    _delete(draft, draft.table(Graph), relations)


def _delete(draft: Draft, graph: Graph, relations: Collection[Relation]) -> None:
    """Take out relations; a note that had nothing else goes to the trash."""
    by_source: dict[str, set[Relation]] = {}
    for relation in relations:
        by_source.setdefault(relation.source, set()).add(relation)
    for name, gone in by_source.items():
        for record in graph.named(name):
            page = _page(draft, record.path)
            layout = Layout.of(page.body)
            items = [
                item
                for item in (layout.relations.items if layout.relations else ())
                if (one := written.read_relation(item.text))
                and Relation(name, graph.end(draft, page.path, one), one.kind) in gone
            ]
            if not items:
                continue
            body = layout.without(items)
            if record.kind is None and not body.strip():
                draft.remove(page.path)
            else:
                draft.write(page.path, body=body)


def _from(draft: Draft, graph: Graph, name: str) -> set[Relation]:
    """The relations that begin at a name."""
    return {
        Relation(name, graph.end(draft, record.path, one), one.kind)
        for record in graph.named(name)
        for one in record.relations
    }


def _page(draft: Draft, path: str) -> Page:
    """The note at a path, or an empty one that is to be made there."""
    return draft.page(path) or Page.of(path, b"")


def _true_name(path: str, name: str) -> dict[str, object]:
    """The property that tells a name which is not the file's."""
    return {} if name_of(path).rpartition("/")[2] == name else {"name": name}


def _with_observations(page: Page, layout: Layout, new: Sequence[str]) -> str:
    """A body of the page with observations added."""
    body = layout.with_observations([written.observation(text) for text in new])
    if _observations(Layout.of(body)) != [*_observations(layout), *new]:
        raise _hidden(page)
    return body if not body or body.endswith("\n") else body + "\n"


def _with_relation(page: Page, item: str) -> str:
    """The body of the page with a relation added, as it is written."""
    layout = Layout.of(page.body)
    body = layout.with_relations([item])
    section = Layout.of(body).relations
    if section is None or len(section.items) != 1 + (len(layout.relations.items) if layout.relations else 0):
        raise _hidden(page)
    return body


def _hidden(page: Page) -> Unwritable:
    name = name_of(page.path)
    return Unwritable(f"The note {name!r} has an open code fence that hides what is added; close it.")


def _observations(layout: Layout) -> list[str]:
    return [written.read_observation(item.text) for item in layout.observations.items]


def _stamps(graph: Graph) -> Iterator[str]:
    """Times of creation, each later than all that there are."""
    now = datetime.now(UTC)
    with contextlib.suppress(ValueError):  # there is none, or somebody has written it otherwise
        now = max(now, datetime.strptime(graph.latest, _STAMP).replace(tzinfo=UTC) + timedelta(microseconds=1))
    while True:
        yield now.strftime(_STAMP)
        now += timedelta(microseconds=1)
