"""Find places that a text names: aliases of notes, headings in notes, and tags. Names of notes are in `index.lookup`.

The search index has the aliases and the tags. Of the headings it has the words: it finds notes whose headings have the
words of the text, and these headings are read from the files. Only some notes are read, so the cost hardly grows with
the vault, and some headings are missing if very many have the words.
"""

import heapq
import itertools
import json
import operator
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline
from zkmem.search.entry import ALIASES, TAG, fact_key, fact_value, heading_mark
from zkmem.util.likeness import Likeness, nearby
from zkmem.util.words import begins_word, folded, has_letters, phrase_tokens, plain
from zkmem.vault.files import Read

_WITH_ALIAS = """
SELECT path, fields FROM search_notes WHERE id IN (
    SELECT id FROM search_facts WHERE key IN (?, ?) AND %s LIMIT ?
)
"""
_HAS, _LIKE = "instr(value, ?)", "value LIKE ? ESCAPE '\\'"
_AS_LONG = """
SELECT DISTINCT value FROM search_facts WHERE key IN (?, ?) AND length(value) BETWEEN ? AND ?
"""
_TAGS = """
SELECT value, count(*) AS notes FROM search_facts WHERE key = ? AND instr(value, ?)
GROUP BY value
ORDER BY instr(value, ?) <> 1,
    instr('/' || replace(replace(value, '-', '/'), '_', '/'), '/' || ?) = 0, -- at the beginning of no word
    notes DESC, value
LIMIT ?
"""
_WITH_WORDS = """
SELECT path FROM search_notes WHERE id IN (SELECT rowid FROM search_words WHERE search_words MATCH ? LIMIT ?)
"""
_MISSPELT = 5  # characters that a misspelt alias lacks or has too many
_MOST_ALIASES = 200  # notes with a matching alias, of which the best are returned
_MOST_NOTES = 200  # whose headings are read
_ENOUGH = 50  # headings, of which the best are returned
_MOST_BYTES = 2_000_000  # of those notes
_MOST_LETTERS = 16  # of a text that may be the beginnings of two words
_LONGEST = 200  # characters of a heading

_Place = TypeVar("_Place", "Alias", "FoundHeading")


class Alias(NamedTuple):
    """An alias, and the note that has it."""

    text: str
    name: str  # of the note: here its path, which `Search.places` replaces


class HeadingPlace(NamedTuple):
    """A heading in a note. `subpath` leads to it: `#Heading`."""

    text: str
    name: str  # of the note
    subpath: str
    level: int


class FoundHeading(NamedTuple):
    """A heading in the note at the path `name`: it is at the bytes from `start` to `end`."""

    text: str
    name: str
    subpath: str
    level: int
    start: int
    end: int


class TagCount(NamedTuple):
    """A tag, and how many notes have it."""

    tag: str
    notes: int


class Matches(NamedTuple):
    """Aliases, tags, and the notes that may have a matching heading."""

    aliases: list[Alias]
    tags: list[TagCount]
    candidates: list[str]


def matches(connection: sqlite3.Connection, text: str, limit: int) -> Matches:
    """Return what the search index knows of a text. It does not know the headings, only notes that may have them."""
    wanted = fact_value(text.removeprefix("#"))
    tags = itertools.starmap(TagCount, connection.execute(_TAGS, (TAG, wanted, wanted, wanted, limit)))
    if not wanted or not limit:
        return Matches([], list(tags), [])
    return Matches(aliases(connection, text, limit), list(tags), with_heading(connection, text))


def aliases(connection: sqlite3.Connection, text: str, limit: int, *, loose: bool = False) -> list[Alias]:
    """Return at most `limit` aliases that contain a text, each with the path of its note, the best first.

    `loose`: return those that have the letters of each of its words, in their order.
    """
    folded = fact_value(text)
    words = folded.split() if loose else [folded]
    values = map(_letters, words) if loose else words
    query = _WITH_ALIAS % " AND ".join([_LIKE if loose else _HAS] * len(words))
    rows = connection.execute(query, (*ALIASES, *values, _MOST_ALIASES)) if words else ()
    has = has_letters if loose else operator.contains
    matches = [
        Alias(alias, path)
        for path, fields in rows
        for alias in _aliases(fields)
        if all(has(fact_value(alias), word) for word in words)
    ]
    return _first(matches, folded, limit)


def _letters(word: str) -> str:
    """Return the pattern for LIKE that finds the letters of a word in order, with or without others between them."""
    return "%" + "%".join(f"\\{letter}" if letter in "%_\\" else letter for letter in word) + "%"


def misspelt_alias(connection: sqlite3.Connection, text: str, limit: int) -> list[Alias]:
    """Return the alias that a text misspells, with each of at most `limit` notes that have it."""
    folded = fact_value(text)
    rows = connection.execute(_AS_LONG, (*ALIASES, *(len(folded) + by for by in (-_MISSPELT, _MISSPELT))))
    value = Likeness(nearby(folded, (value for (value,) in rows))).meant(folded)
    return [one for one in aliases(connection, value, limit) if fact_value(one.text) == value] if value else []


def _aliases(fields: str) -> Iterator[str]:
    """Yield the aliases in the fields of a note, as it spells them."""
    properties: dict[str, Any] = json.loads(fields)["properties"]
    for key, value in properties.items():
        if fact_key(key) in ALIASES:
            yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))


def with_heading(connection: sqlite3.Connection, text: str, *, loose: bool = False) -> list[str]:
    """Return the paths of some notes whose headings have the words of a text; the last may be incomplete.

    `loose`: each may be incomplete, or be made of the beginnings of two words, as `declog` for "Decision log".
    """
    words = phrase_tokens(text)
    if not words:
        return []
    marks = [f'"{heading_mark(word)}"' for word in words]
    every = " AND ".join(map(_beginnings, words)) if loose else f"{' AND '.join(marks)} *"
    rows = connection.execute(_WITH_WORDS, (f"marks : ({every})", _MOST_NOTES))
    return [path for (path,) in rows]


def _beginnings(word: str) -> str:
    """Return the query for headings with a word that begins with `word`, or two words that begin with its parts."""
    pairs = [(word[:at], word[at:]) for at in range(2, len(word) - 1)] if len(word) <= _MOST_LETTERS else []
    found = (" AND ".join(f'"{heading_mark(part)}" *' for part in parts) for parts in ((word,), *pairs))
    return f"({' OR '.join(f'({one})' for one in found)})"


def headings(paths: Iterable[str], read: Read, text: str, limit: int, *, loose: bool = False) -> list[FoundHeading]:
    """Return the headings in some notes that contain a text. `read` raises `OSError` if there is no such file.

    `loose`: or that have the letters of each of its words, in their order.
    """
    comparable = _comparable(text)
    words = comparable.split()

    def has(heading: str) -> bool:
        return all(has_letters(heading, word) for word in words) if loose else comparable in heading

    matches: list[FoundHeading] = []
    bytes_left = _MOST_BYTES
    for path in paths:
        try:
            data = read(path)
        except OSError:  # it was removed after it was indexed
            continue
        bytes_left -= len(data)
        if bytes_left < 0 or len(matches) >= max(_ENOUGH, limit):
            break
        matches += _in_note(path, data, has)
    return _first(matches, comparable, limit)


def _in_note(path: str, data: bytes, has: Callable[[str], bool]) -> Iterator[FoundHeading]:
    body = body_of(data)
    if b"#" not in body and b"\n=" not in body and b"\n-" not in body:
        return
    outline, before = Outline(body), len(data) - len(body)
    for at, heading in enumerate(outline.headings):
        if heading.text and has(_comparable(heading.raw)):
            subpath = outline.subpath_to(at, f"#{heading.linked}")
            if subpath is not None:
                end = heading.start + len(body[heading.start : heading.end].rstrip())
                text, span = heading.raw[:_LONGEST], (before + heading.start, before + end)
                yield FoundHeading(text, path, subpath, heading.level, *span)


def _comparable(text: str) -> str:
    return folded(plain(text)).strip()


def _first(places: Iterable[_Place], wanted: str, limit: int) -> list[_Place]:
    """Return the best places: equal to the text, beginning with it, with a word that begins with it, with its words."""
    words = wanted.split()

    def rank(place: _Place) -> tuple[int, int, str, str]:
        text = _comparable(place.text)
        are_met = (text == wanted, text.startswith(wanted), begins_word(text, wanted), wanted in text,
                   all(word in text for word in words), True)  # fmt: skip
        return are_met.index(True), len(text), text, place.name

    return heapq.nsmallest(limit, places, key=rank)
