"""Offer choices to a person who types: names and parts of notes for links, tags, and properties.

Tags and properties are found in the search index, which compares values without case and accents. So each value is
looked up in one of its notes, which spells it as a person does.
"""

import itertools
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.graph import MISSING, is_missing, written_targets
from zkmem.index.index import Index
from zkmem.index.lookup import shortest
from zkmem.index.resolve import anchored, is_anchored, missing_key, resolve
from zkmem.index.respell import portable
from zkmem.markdown.destinations import encoded
from zkmem.markdown.links import as_utf8, body_links
from zkmem.markdown.note import body_of
from zkmem.markdown.plain import counts
from zkmem.markdown.sections import Outline
from zkmem.markdown.tags import inline_tags
from zkmem.markdown.typed import Typed
from zkmem.names import fold, is_note, name_of
from zkmem.recall.name_table import NameTable
from zkmem.search.entry import TAG, fact_key, fact_value
from zkmem.util.spelling import number_of

_PLAIN = re.compile(r"\w(?:[\w /.,'()+-]*\w)?")
_ENDING = re.compile(r"\A\.+\Z|\.(?:md?)?\Z", re.IGNORECASE)  # of a path that is being typed: it is no part of a name
_LONGEST = 200  # characters of a passage that is shown
_MOST_ALIKE = 100  # headings of one text that are tried: no subpath leads to most of them, and each takes time
_TRIED = 5  # notes with a link to a missing note that are looked at for its spelling
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


class Choice(NamedTuple):
    """A text to write, and what it means."""

    written: str  # outside of a YAML string: see `Typed.written`
    label: str  # the text as a person looks for it
    kind: Literal["note", "missing", "file", "alias", "heading", "block", "tag", "property", "value"]
    detail: str = ""  # for the person: the whole name of a note, the passage of a block, the number of notes


def names(index: Index, table: NameTable, source: str, typed: Typed, most: int) -> tuple[list[Choice], bool]:
    """Return at most `most` names that hold what is typed, as links in the note at `source`, and whether more do."""
    text = _looked_for(typed, source)
    nodes = iter(()) if text is None else table.find(index, text)
    if typed.markdown and typed.embed:
        nodes = iter(sorted(nodes, key=is_note))  # most of what Markdown embeds is pictures
    choices = filter(None, (_choice(index, node, source, typed) for node in nodes))
    found = list(itertools.islice(choices, most + 1))
    return found[:most], len(found) > most


def _looked_for(typed: Typed, source: str) -> str | None:
    """Return the text to look for: in a Markdown link, a path, which may begin at the folder of its note.

    None if the path leaves the vault.
    """
    if not typed.markdown:
        return typed.text
    path = _ENDING.sub("", typed.text)
    return anchored(path, source) if is_anchored(path) else path


def _choice(index: Index, node: str, source: str, typed: Typed) -> Choice | None:
    """Return the choice for a node of the graph or an attachment; None if no link can mean it.

    Somebody who types the folder of a name gets the whole name.
    """
    if is_missing(node):
        return _missing(index, node, source, typed)
    target = target_of(index.catalog, node, source, typed)
    if target is None:
        return None
    name = name_of(node)
    if not typed.markdown and "/" in typed.text and resolve(index.catalog, name, source) == (node, ()):
        target = name
    detail = name if name not in {target, name_of(target)} else ""
    return Choice(target, target, "note" if is_note(node) else "file", detail)


def _missing(index: Index, node: str, source: str, typed: Typed) -> Choice | None:
    """Return the choice for a missing note; None if no link here can stand for it."""
    written = _spelling(index, node)
    if typed.markdown:
        written = written if counts(written, is_wiki=False) else f"{written}.md"
    stands_for = MISSING + missing_key(written, source) == node and not (typed.markdown and typed.embed)
    linkable = stands_for and is_linkable(written, is_markdown=bool(typed.markdown))
    return Choice(written, written, "missing", "no such note yet") if linkable else None


def target_of(catalog: Catalog, path: str, source: str, typed: Typed) -> str | None:
    """Return the target of a link in the note at `source` to a file: a path in Markdown, else the shortest; or None."""
    if path not in catalog:
        return None
    if typed.markdown:
        lead = next((lead for lead in ("/", "./", "../") if typed.text.startswith(lead)), "")
        target = portable(catalog, path, source, lead)
    else:
        target = shortest(catalog, path, source)
    return target if target is not None and is_linkable(target, is_markdown=bool(typed.markdown)) else None


def _spelling(index: Index, node: str) -> str:
    """Return the name of a missing note as one of the first notes with a link to it spells it."""
    for path in itertools.islice(index.links.leading(node), _TRIED):
        written = written_targets(index.catalog, path, index.catalog.facts(path), [node])
        if node in written:
            return written[node]
    return node.removeprefix(MISSING)


def is_linkable(target: str, display: str | None = None, *, is_markdown: bool = False) -> bool:
    """Return whether `[[target]]`, `[[target|display]]`, or `[](target)`, is a link with these parts."""
    if _PLAIN.fullmatch(target) and (display is None or _PLAIN.fullmatch(display)):  # nearly all
        return True
    if is_markdown:
        written, display = f"[]({encoded(target, angle=False)})", ""
    else:
        written = f"[[{target}{'' if display is None else '|' + display}]]"
    links = body_links(written.encode(errors="replace"))
    return len(links) == 1 and (links[0].target, links[0].subpath, links[0].display) == (target, "", display)


def headings(data: bytes, text: str) -> Iterator[Choice]:
    """Yield the headings of a note that hold a text, with the subpaths that lead to them.

    Of headings with the same text, only the first 100 are looked at.
    """
    outline, wanted, tried = Outline(as_utf8(body_of(data))), fold(text), Counter[str]()
    for at, heading in enumerate(outline.headings):
        if not heading.text or wanted not in fold(heading.raw) or tried[heading.text] == _MOST_ALIKE:
            continue
        tried[heading.text] += 1
        subpath = outline.subpath_to(at, f"#{heading.linked}")
        if subpath is not None:
            yield Choice(subpath[1:], heading.raw[:_LONGEST], "heading", "#" * heading.level)


def blocks(data: bytes, text: str) -> Iterator[Choice]:
    """Yield the block ids of a note that hold a text, each with the beginning of its block."""
    outline = Outline(as_utf8(body_of(data)))
    for block_id in outline.ids():
        if text.lower() in block_id.text:
            begin = outline.body.rfind(b"\n", 0, block_id.start) + 1
            line = outline.body[max(begin, block_id.start - _LONGEST) : block_id.start - 1]
            written = outline.body[block_id.start : block_id.end].decode()
            yield Choice(f"^{written}", f"^{written}", "block", line.decode(errors="ignore").strip())


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
