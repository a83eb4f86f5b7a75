"""Return entities and relations as data, and as JSON text with an indent of two.

This module builds most of that text itself: with an indent, `json` runs in Python instead of C, and would take longer
than the rest of an answer.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]

_quoted = json.encoder.encode_basestring  # in C


def entity(name: str, kind: str, observations: Sequence[str]) -> Json:
    """Return an entity as data."""
    return {"name": name, "entityType": kind, "observations": list(observations)}


def relation(source: str, target: str, kind: str) -> Json:
    """Return a relation as data."""
    return {"from": source, "to": target, "relationType": kind}


def indented(value: object) -> str:
    """Return any data as JSON."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def graph_text(entities: Iterable[str], relations: Iterable[str]) -> str:
    """Return a graph as JSON, made of texts from `entity_text` and `relation_text`."""
    return f'{{\n  "entities": {_list_text(entities, 2)},\n  "relations": {_list_text(relations, 2)}\n}}'


def entity_text(name: str, kind: str, observations: Iterable[str]) -> str:
    """Return an entity as JSON for a graph."""
    return f"""{{
      "name": {_quoted(name)},
      "entityType": {_quoted(kind)},
      "observations": {_list_text(map(_quoted, observations), 6)}
    }}"""


def relation_text(source: str, target: str, kind: str) -> str:
    """Return a relation as JSON for a graph."""
    return f"""{{
      "from": {_quoted(source)},
      "to": {_quoted(target)},
      "relationType": {_quoted(kind)}
    }}"""


def _list_text(items: Iterable[str], indent: int) -> str:
    """Return a JSON list of items, each of which is JSON text."""
    gap = "\n" + " " * indent
    inner = f",{gap}  ".join(items)
    return f"[{gap}  {inner}{gap}]" if inner else "[]"
