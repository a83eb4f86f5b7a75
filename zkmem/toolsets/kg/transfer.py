"""Import and export the file of server-memory: one JSON object on each line, entities first."""

import json
from collections.abc import Iterator, Sequence

from zkmem.errors import BadArgument, BadName, Damaged, Taken, UnknownEntity, Unwritable
from zkmem.memory import Memory
from zkmem.records.draft import Draft
from zkmem.records.outcome import Imported, Progress
from zkmem.toolsets.kg import edits
from zkmem.toolsets.kg.edits import Entity
from zkmem.toolsets.kg.graph import Relation
from zkmem.toolsets.kg.tools import whole
from zkmem.util.characters import has_half

_OF_RECORDS = (BadArgument, BadName, Damaged, Taken, UnknownEntity, Unwritable)
_AT_ONCE = 200  # records in one edit; an interrupted import leaves the finished edits in place

_Line = tuple[int, Entity | Relation]


def import_graph(memory: Memory, text: str, progress: Progress = lambda *_: None) -> Imported:
    """Add those entities, observations and relations of a file that the vault does not have."""
    lines, faults = _read(text)
    lines.sort(key=lambda line: isinstance(line[1], Relation))  # an entity first, so that a link finds it
    added = 0
    for start in range(0, len(lines), _AT_ONCE):
        some = lines[start : start + _AT_ONCE]
        try:
            added += memory.edit(lambda draft, some=some: sum(_add(draft, [one for _, one in some])))  # type: ignore[misc]
        except _OF_RECORDS:  # one of them is at fault: add each alone to see which
            for number, one in some:
                try:
                    added += memory.edit(lambda draft, one=one: sum(_add(draft, [one])))  # type: ignore[misc]
                except _OF_RECORDS as error:
                    if isinstance(error.__cause__, OSError):  # the disk is at fault, and would fail for the others
                        raise
                    faults.append((number, str(error)))
        progress(start + len(some), len(lines))
    sentences = [f"line {number}: {reason}" for number, reason in sorted(faults)]
    failed = {number for number, _ in faults}
    return Imported(added, sum(number not in failed for number, _ in lines) - added, sentences)


def export_graph(memory: Memory) -> Iterator[str]:
    """Yield the lines of a file that server-memory reads, without line ends."""
    graph = whole(memory)
    for kind, records in (("entity", graph["entities"]), ("relation", graph["relations"])):
        for record in records:
            yield json.dumps({"type": kind, **record}, ensure_ascii=False, separators=(",", ":"))


def _add(draft: Draft, records: Sequence[Entity | Relation]) -> Iterator[bool]:
    """Add the records, and yield for each whether it changed anything."""
    entities = [one for one in records if isinstance(one, Entity)]
    created = edits.create_entities(draft, entities)
    for entity in entities:
        if any(entity is one for one in created):
            yield True
        else:
            yield any(edits.add_observations(draft, [(entity.name, entity.observations)]))
    relations = [one for one in records if isinstance(one, Relation)]
    new = set(edits.create_relations(draft, relations))
    yield from (relation in new for relation in dict.fromkeys(relations))


def _read(text: str) -> tuple[list[_Line], list[tuple[int, str]]]:
    """Return the records of a file and the faults of its other lines, each with its line number, from 1."""
    lines: list[_Line] = []
    faults: list[tuple[int, str]] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            lines.append((number, _record(json.loads(line))))
        except BadArgument as error:
            faults.append((number, str(error)))
        except (ValueError, RecursionError):
            faults.append((number, "it is not JSON"))
    return lines, faults


def _record(value: object) -> Entity | Relation:
    """Return the record that the JSON of a line describes."""
    if not isinstance(value, dict) or value.get("type") not in {"entity", "relation"}:
        raise BadArgument('its "type" is neither "entity" nor "relation"')
    if has_half(json.dumps(value, ensure_ascii=False)):
        raise BadArgument("it holds half a character")
    fields = ("name", "entityType") if value["type"] == "entity" else ("from", "to", "relationType")
    for field in fields:
        if not isinstance(value.get(field), str):
            raise BadArgument(f"its {field!r} is missing, or not a text")
    if value["type"] == "relation":
        return Relation(value["from"], value["to"], value["relationType"])
    observations = value.get("observations")
    if not isinstance(observations, list) or not all(isinstance(text, str) for text in observations):
        raise BadArgument("its 'observations' are missing, or not a list of texts")
    return Entity(value["name"], value["entityType"], tuple(observations))
