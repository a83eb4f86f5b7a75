"""Find the tags and properties that the notes of a vault use, for completion: from the search index.

The index compares values without case and accents. So each value is looked up in one of its notes, which spells it as a
person does.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from zkmem.index.store.entry import TAG, fact_key, fact_value
from zkmem.markdown.tags import inline_tags
from zkmem.recall.choices import Choice
from zkmem.util.spelling import number_of

_MOST_ROWS = 20_000  # facts that are counted
_AFTER = "\U0010ffff"  # comes after each character that begins a value
# Counts the values that begin with a text, and finds a note for each. The index of the table has them in order.
_VALUES = """
SELECT value, count(*) AS notes, min(id) FROM (
    SELECT value, id FROM search_facts WHERE key = ? AND value >= ? AND value < ? LIMIT ?
)
GROUP BY value ORDER BY notes DESC, value LIMIT ?
"""
# Steps from one key to the next, without a look at the rows between them.
_KEYS = """
WITH RECURSIVE keys(key) AS (
    SELECT min(key) FROM search_facts WHERE key >= ? AND key < ?
    UNION ALL
    SELECT (SELECT min(key) FROM search_facts WHERE key > keys.key AND key < ?) FROM keys WHERE key IS NOT NULL
)
SELECT key, (SELECT min(id) FROM search_facts WHERE search_facts.key = keys.key) FROM keys
WHERE key IS NOT NULL AND instr(key, ?) LIMIT ?
"""
_FIELDS = "SELECT fields FROM search_notes WHERE id = ?"


def tags(connection: sqlite3.Connection, text: str, most: int) -> list[Choice]:
    """Return the tags that begin with a text, the most used first; only those that can stand in a text."""
    found = _values(connection, TAG, text, most, lambda fields: fields["tags"], "tag")
    return [one for one in found if inline_tags(f"#{one.written}".encode(errors="replace")) == [one.written]]


def values(connection: sqlite3.Connection, key: str, text: str, most: int) -> list[Choice]:
    """Return the values of a property that begin with a text, the most used first."""
    wanted = fact_key(key)

    def of(fields: dict[str, Any]) -> Iterator[object]:
        for name, value in fields["properties"].items():
            if fact_key(name) == wanted:
                yield from value if isinstance(value, list) else [value]

    return list(_values(connection, wanted, text, most, of, "value"))


def keys(connection: sqlite3.Connection, text: str, most: int) -> list[Choice]:
    """Return the names of properties that contain a text."""
    wanted, first = fact_value(text), fact_key("")
    rows = connection.execute(_KEYS, (first, first + _AFTER, first + _AFTER, wanted, most))
    found = ((key, _names(connection, number)) for key, number in rows.fetchall())
    names = [next((name for name in names if fact_key(name) == key), key.removeprefix(first)) for key, names in found]
    return [Choice(name, name, "property") for name in names]


def _names(connection: sqlite3.Connection, number: int) -> Iterable[str]:
    fields = _fields(connection, number)
    return fields["properties"] if fields else ()


def _values(
    connection: sqlite3.Connection,
    key: str,
    text: str,
    most: int,
    of: Callable[[dict[str, Any]], Iterable[object]],
    kind: Any,
) -> Iterator[Choice]:
    wanted = fact_value(text)
    rows = connection.execute(_VALUES, (key, wanted, wanted + _AFTER, _MOST_ROWS, most)).fetchall()
    for value, notes, number in rows:
        fields = _fields(connection, number)
        spelled = [one for one in of(fields) if isinstance(one, str)] if fields else []
        written = next((one for one in spelled if fact_value(one) == value), value)
        if written:
            yield Choice(written, written, kind, number_of(notes, "note"))


def _fields(connection: sqlite3.Connection, number: int) -> dict[str, Any] | None:
    row = connection.execute(_FIELDS, (number,)).fetchone()
    fields: dict[str, Any] | None = json.loads(row[0]) if row else None
    return fields
