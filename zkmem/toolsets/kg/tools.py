"""The nine tools and the resource of `@modelcontextprotocol/server-memory`, with its schemas, words and quirks."""

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from zkmem.memory import Memory
from zkmem.records.draft import Draft
from zkmem.records.pages import Pages
from zkmem.toolsets.kg import answers, edits
from zkmem.toolsets.kg.answers import Json
from zkmem.toolsets.kg.edits import Entity
from zkmem.toolsets.kg.graph import MOST_PLAIN, Graph, Record, Relation, paths_called, plain_notes
from zkmem.toolsets.tool import READS, Effects, Parameter, Result, Tool
from zkmem.toolsets.toolset import Guide, Resource, Toolset

_MOST_LOOKED_AT = 200  # notes, among which there may be entities
_WAIT_S = 10.0  # for the search index; after that, it answers from what is indexed
_MOST_CHECKED = 1_000  # records in an answer that are compared with the disk first: ten microseconds each


def create_entities(memory: Memory, entities: Sequence[Json]) -> Result:
    """Create entities; skip names that are in use."""
    requested = [Entity(one["name"], one["entityType"], tuple(one["observations"])) for one in entities]
    created = memory.edit(lambda draft: edits.create_entities(draft, requested))
    return _listed("entities", [answers.entity(*one) for one in created])


def create_relations(memory: Memory, relations: Sequence[Json]) -> Result:
    """Create relations; skip those that exist."""
    requested = [_given(one) for one in relations]
    created = memory.edit(lambda draft: edits.create_relations(draft, requested))
    return _listed("relations", [answers.relation(*one) for one in created])


def add_observations(memory: Memory, observations: Sequence[Json]) -> Result:
    """Add observations to entities, all of which must exist."""
    additions = [(one["entityName"], one["contents"]) for one in observations]
    added = memory.edit(lambda draft: edits.add_observations(draft, additions))
    names = [name for name, _ in additions]
    return _listed(
        "results", [{"entityName": name, "addedObservations": new} for name, new in zip(names, added, strict=True)]
    )


def delete_entities(memory: Memory, entityNames: Sequence[str]) -> Result:  # noqa: N803 - the argument's name
    """Remove entities and the relations from and to them."""
    memory.edit(lambda draft: edits.delete_entities(draft, entityNames))
    return _done("Entities deleted successfully")


def delete_observations(memory: Memory, deletions: Sequence[Json]) -> Result:
    """Remove observations."""

    def delete(draft: Draft) -> None:
        for one in deletions:
            edits.delete_observations(draft, one["entityName"], one["observations"])

    memory.edit(delete)
    return _done("Observations deleted successfully")


def delete_relations(memory: Memory, relations: Sequence[Json]) -> Result:
    """Remove relations."""
    memory.edit(lambda draft: edits.delete_relations(draft, [_given(one) for one in relations]))
    return _done("Relations deleted successfully")


def read_graph(memory: Memory) -> Result:
    """Return the whole graph, and the first of the other notes."""
    entities, relations = _whole(memory)
    others, _ = _part(memory, lambda _: (), _first_notes(memory))
    return _graph_result(([*entities, *others] if others else entities, relations))


def search_nodes(memory: Memory, query: str) -> Result:
    """Return the entities that contain a text, and the relations from and to them."""
    lowered = query.lower()
    return _graph_result(_part(memory, lambda graph: graph.matching(lowered), _found_notes(memory, query)))


def open_nodes(memory: Memory, names: Sequence[str]) -> Result:
    """Return the entities with these names, and the relations from and to them."""
    others = memory.look(lambda pages: list(paths_called(pages, names)))
    return _graph_result(_part(memory, lambda graph: graph.of_names(names), others))


def whole(memory: Memory) -> dict[str, list[Json]]:
    """Return the whole graph as clients receive it."""
    return _data(*_whole(memory))


_Part = tuple[Sequence[Record], Sequence[Relation]]


def _whole(memory: Memory) -> _Part:
    return memory.look(lambda pages: (pages.table(Graph).entities(), pages.table(Graph).relations(pages)))


def _has_others(memory: Memory) -> bool:
    return memory.look(lambda pages: bool(pages.table(Graph).others))


def _first_notes(memory: Memory) -> list[str]:
    """Return the paths of the heaviest notes; none if all notes are entities."""
    names = [hint.name for hint in memory.hints(_MOST_LOOKED_AT)] if _has_others(memory) else []
    return memory.look(lambda pages: [path for name in names if (path := pages.resolve(name))])


def _found_notes(memory: Memory, query: str) -> list[str]:
    """Return the paths of the notes with words of a query, the best first; none if all notes are entities."""
    if not _has_others(memory):
        return []
    if not query.strip():
        return _first_notes(memory)
    return [hit.path for hit in memory.search(query, limit=_MOST_LOOKED_AT, filters=False, wait_s=_WAIT_S)]


def _part(memory: Memory, find: Callable[[Graph], Sequence[Record]], others: Sequence[str]) -> _Part:
    """Return some entities, the first of the other notes at some paths, and the relations from and to them."""

    def look(pages: Pages) -> _Part:
        graph = pages.table(Graph)
        entities = find(graph)
        pages.check_known(record.path for record in entities[:_MOST_CHECKED])
        notes = itertools.islice(plain_notes(pages, graph, others), MOST_PLAIN)
        entities = [*entities, *(record for _, record in notes)]
        return entities, graph.relations(pages, frozenset(record.name for record in entities))

    return memory.look(look)


def _data(entities: Iterable[Record], relations: Iterable[Relation]) -> dict[str, list[Json]]:
    return {
        "entities": [answers.entity(one.name, one.kind or "", one.observations) for one in entities],
        "relations": [answers.relation(*one) for one in relations],
    }


def _text(entities: Iterable[Record], relations: Iterable[Relation]) -> str:
    return answers.graph_text((one.text for one in entities), (answers.relation_text(*one) for one in relations))


def _given(one: Json) -> Relation:
    return Relation(one["from"], one["to"], one["relationType"])


def _listed(what: str, items: Sequence[Json]) -> Result:
    return Result((answers.indented(items),), {what: items})


def _done(message: str) -> Result:
    return Result((message,), {"success": True, "message": message})


def _graph_result(part: _Part) -> Result:
    return Result((_text(*part),), _data(*part), is_json=True)


def _strings(description: str = "") -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
    return schema | ({"description": description} if description else {})


def _string(description: str) -> dict[str, str]:
    return {"type": "string", "description": description}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


_DRAFT = "http://json-schema.org/draft-07/schema#"
_ENTITY = _object(
    {
        "name": _string("The name of the entity"),
        "entityType": _string("The type of the entity"),
        "observations": _strings("An array of observation contents associated with the entity"),
    }
)
_RELATION = _object(
    {
        "from": _string("The name of the entity where the relation starts"),
        "to": _string("The name of the entity where the relation ends"),
        "relationType": _string("The type of the relation"),
    }
)
_ADDITION = _object(
    {
        "entityName": _string("The name of the entity to add the observations to"),
        "contents": _strings("An array of observation contents to add"),
    }
)
_DELETION = _object(
    {
        "entityName": _string("The name of the entity containing the observations"),
        "observations": _strings("An array of observations to delete"),
    }
)
_ADDED = _object({"entityName": {"type": "string"}, "addedObservations": _strings()})
_SUCCESS = {"success": {"type": "boolean"}, "message": {"type": "string"}}

# Beside what server-memory says: for models that do not see the instructions.
_READ = ": the user's long-term memory. Search before you answer what may depend on earlier conversations"
_WRITE = ": the user's long-term memory. Add what you learn as soon as it may matter later"
_CREATES = Effects()
_DELETES = Effects(destructive=True, idempotent=True)


def _closed(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {**schema, "additionalProperties": False}


def _array(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": _closed(schema)}


def _output(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"$schema": _DRAFT} | _closed(_object(properties))


_GRAPH = _output({"entities": _array(_ENTITY), "relations": _array(_RELATION)})
_tool = functools.partial(Tool, structured=True, draft=_DRAFT, drop_in=True)

TOOLS = (
    _tool(
        "create_entities",
        f"Create multiple new entities in the knowledge graph{_WRITE}",
        {"entities": Parameter("array", inner=_ENTITY)},
        create_entities,
        _CREATES,
        always=True,
        title="Create Entities",
        output=_output({"entities": _array(_ENTITY)}),
    ),
    _tool(
        "create_relations",
        "Create multiple new relations between entities in the knowledge graph. Relations should be in active voice",
        {"relations": Parameter("array", inner=_RELATION)},
        create_relations,
        _CREATES,
        title="Create Relations",
        output=_output({"relations": _array(_RELATION)}),
    ),
    _tool(
        "add_observations",
        "Add new observations to existing entities in the knowledge graph",
        {"observations": Parameter("array", inner=_ADDITION)},
        add_observations,
        _CREATES,
        title="Add Observations",
        output=_output({"results": _array(_ADDED)}),
    ),
    _tool(
        "delete_entities",
        "Delete multiple entities and their associated relations from the knowledge graph",
        {"entityNames": Parameter("array", "An array of entity names to delete", inner={"type": "string"})},
        delete_entities,
        _DELETES,
        title="Delete Entities",
        output=_output(_SUCCESS),
    ),
    _tool(
        "delete_observations",
        "Delete specific observations from entities in the knowledge graph",
        {"deletions": Parameter("array", inner=_DELETION)},
        delete_observations,
        _DELETES,
        title="Delete Observations",
        output=_output(_SUCCESS),
    ),
    _tool(
        "delete_relations",
        "Delete multiple relations from the knowledge graph",
        {"relations": Parameter("array", "An array of relations to delete", inner=_RELATION)},
        delete_relations,
        _DELETES,
        title="Delete Relations",
        output=_output(_SUCCESS),
    ),
    _tool("read_graph", "Read the entire knowledge graph", {}, read_graph, READS, title="Read Graph", output=_GRAPH),
    _tool(
        "search_nodes",
        f"Search for nodes in the knowledge graph based on a query{_READ}",
        {
            "query": Parameter(
                "string", "The search query to match against entity names, types, and observation content"
            )
        },
        search_nodes,
        READS,
        always=True,
        title="Search Nodes",
        output=_GRAPH,
    ),
    _tool(
        "open_nodes",
        "Open specific nodes in the knowledge graph by their names",
        {"names": Parameter("array", "An array of entity names to retrieve", inner={"type": "string"})},
        open_nodes,
        READS,
        title="Open Nodes",
        output=_GRAPH,
    ),
)

GRAPH = Resource(
    uri="memory://knowledge-graph",
    name="knowledge-graph",
    title="Knowledge Graph",
    description="The full knowledge graph with all entities and relations",
    mime_type="application/json",
    read=lambda memory: _text(*_whole(memory)),
)

GUIDE = Guide("create_entities and create_relations for who and what there is, and how they relate")

TOOLSET = Toolset(TOOLS, (GUIDE,), resources=(GRAPH,))
