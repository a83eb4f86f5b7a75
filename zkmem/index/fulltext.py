"""The full text of the notes, in SQLite's FTS5: what is in its tables, how a note goes in and out, how it is asked.

The index proper keeps no text (it is contentless), which makes it small; to take a note out of it again takes the text
that was put in, so that is kept beside it, compressed.
"""

import heapq
import itertools
import json
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from zkmem.markdown import frontmatter
from zkmem.vault.names import base_of, name_of
from zkmem.words import is_cjk, spaced

TABLES = """
CREATE TABLE search_notes(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, etag TEXT NOT NULL, texts BLOB NOT NULL);
CREATE VIRTUAL TABLE search_words USING fts5(
    title, properties, body, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO search_words(search_words, rank) VALUES('hashsize', 67108864)
"""
_PACKED = 1  # the level of compression: the fastest
_INTO = "INSERT INTO search_words(rowid, title, properties, body) VALUES(?, ?, ?, ?)"
_OUT_OF = "INSERT INTO search_words(search_words, rowid, title, properties, body) VALUES('delete', ?, ?, ?, ?)"
_NEAR = 8  # words between
_MOST_LOOKED_UP, _MOST_TERMS = 200, 32
_SAMPLE = 200
_MOST_SCORED = 2_000  # notes, about: it takes a microsecond to score one
_SOME = "SELECT rowid FROM search_words WHERE search_words MATCH ? LIMIT ?"
_BEST = """
SELECT search_words.rowid, bm25(search_words, 4.0, 0.5, 1.0) AS score FROM search_words {}
ORDER BY score LIMIT ?2
"""
_EVERYWHERE = "WHERE search_words MATCH ?1"
_BELOW = (  # "0" follows "/"
    "EXISTS (SELECT 1 FROM json_each(?) AS folder WHERE folder.value = ''"
    " OR note.path >= folder.value || '/' AND note.path < folder.value || '0')"
)
_WITHIN = (
    "JOIN search_notes AS note ON note.id = search_words.rowid WHERE search_words MATCH ?1"
    f" AND (?3 = 'null' OR {_BELOW.replace('?', '?3')}) AND NOT {_BELOW.replace('?', '?4')}"
)


class Found(NamedTuple):
    """A note that matches, and how well: higher is better."""

    path: str
    score: float


def texts_of(path: str, data: bytes) -> list[str]:
    """What is put into the index of a note: its title, the values of its properties, its body."""
    first, last, body = frontmatter.split(data)
    properties = _properties(data[first:last].decode(errors="replace")) if first < last else ""
    title = base_of(name_of(path))
    texts = (title, properties, data[body:].decode(errors="replace"))
    return [spaced(text).replace("\0", " ") for text in texts]


def _properties(source: str) -> str:
    """The values in a frontmatter; all of it where it is not YAML."""
    tree = frontmatter.compose(source)
    return "\n".join(node.value for node in frontmatter.strings(tree)) if tree else source


def etags(connection: sqlite3.Connection) -> dict[str, str]:
    """The etag that each note had when it was put in, by path."""
    return dict(connection.execute("SELECT path, etag FROM search_notes"))


def put(connection: sqlite3.Connection, path: str, etag: str, data: bytes) -> None:
    """Put a note in, in place of what it was before."""
    row = connection.execute("SELECT id, etag, texts FROM search_notes WHERE path = ?", (path,)).fetchone()
    if row and row[1] == etag:
        return
    texts = texts_of(path, data)
    packed = zlib.compress("\0".join(texts).encode(), _PACKED)
    if row:
        connection.execute(_OUT_OF, (row[0], *_unpacked(row[2])))
        connection.execute("UPDATE search_notes SET etag = ?, texts = ? WHERE id = ?", (etag, packed, row[0]))
        number = row[0]
    else:
        made = connection.execute("INSERT INTO search_notes(path, etag, texts) VALUES(?, ?, ?)", (path, etag, packed))
        number = made.lastrowid
    connection.execute(_INTO, (number, *texts))


def remove(connection: sqlite3.Connection, path: str) -> None:
    """Take a note out, if it is in."""
    row = connection.execute("SELECT id, texts FROM search_notes WHERE path = ?", (path,)).fetchone()
    if row:
        connection.execute(_OUT_OF, (row[0], *_unpacked(row[1])))
        connection.execute("DELETE FROM search_notes WHERE id = ?", (row[0],))


def _unpacked(packed: bytes) -> list[str]:
    return zlib.decompress(packed).decode().split("\0")


class Scope(NamedTuple):
    """Where to look: below any of these folders (None: everywhere), and not below those."""

    folders: list[str] | None = None
    without: Sequence[str] = ()


def find(connection: sqlite3.Connection, terms: Sequence[str], limit: int, scope: Scope) -> list[Found]:
    """The notes that hold any of the terms, best first.

    Where the terms have too many notes between them to score each, only those with the rarest terms are scored (by all
    terms), which nearly all of the best are among; if those are too few, those with the next rarest, too.
    """
    counts = {term: _count(connection, term) for term in terms[:_MOST_LOOKED_UP]}
    rarest = sorted((term for term in counts if counts[term]), key=counts.__getitem__)[:_MOST_TERMS]
    asked = [term for term in counts if term in rarest]
    scores: dict[int, float] = {}
    for needed in range(_how_many([counts[term] for term in rarest]), len(rarest) + 1):
        scores = _scores(connection, asked, set(rarest[:needed]), limit, scope)
        if len(scores) >= limit:
            break
    best = heapq.nsmallest(limit, scores, key=lambda number: (scores[number], number))
    paths = [connection.execute("SELECT path FROM search_notes WHERE id = ?", (number,)).fetchone() for number in best]
    found = [Found(path, -scores[number]) for number, (path,) in zip(best, paths, strict=True)]
    return sorted(found, key=lambda each: (-each.score, each.path))


def _how_many(counts: Sequence[int]) -> int:
    """How many of the counts add up to no more notes than are scored; one at least."""
    return max(1, sum(1 for total in itertools.accumulate(counts) if total <= _MOST_SCORED))


def _count(connection: sqlite3.Connection, term: str) -> int:
    """In about how many notes a term is: as many as there are if it is as frequent as in the first notes."""
    rows = connection.execute(_SOME, (_phrase(term), _SAMPLE)).fetchall()
    if len(rows) < _SAMPLE:
        return len(rows)
    most: int = connection.execute("SELECT max(id) FROM search_notes").fetchone()[0]
    return max(_SAMPLE, _SAMPLE * most // int(rows[-1][0]))


def _scores(
    connection: sqlite3.Connection, terms: Sequence[str], needed: set[str], limit: int, scope: Scope
) -> dict[int, float]:
    """The best of the notes that hold a needed term, with their BM25; lower is better.

    Terms that follow each other in the query and stand near to each other in a note count once more.
    """
    both = [(one, other) for one, other in itertools.pairwise(terms) if not needed.isdisjoint((one, other))]
    first = [term for term in terms if term in needed]
    rest = [term for term in terms if term not in needed]
    scores = _best(connection, _any(first, [pair for pair in both if needed.issuperset(pair)]), limit, scope)
    if rest:
        for number, score in _best(connection, f"({_any(first)}) AND ({_any(rest, both)})", limit, scope).items():
            scores[number] = min(score, scores.get(number, 0.0))
    return scores


def _best(connection: sqlite3.Connection, expression: str, limit: int, scope: Scope) -> dict[int, float]:
    limited = scope.folders is not None or scope.without
    values = (expression, limit, json.dumps(scope.folders), json.dumps(scope.without))
    return dict(
        connection.execute(_BEST.format(_WITHIN if limited else _EVERYWHERE), values if limited else values[:2])
    )


def _any(terms: Iterable[str], pairs: Iterable[tuple[str, str]] = ()) -> str:
    near = (f'NEAR("{one}" "{other}", {_NEAR})' for one, other in pairs)
    return " OR ".join([*map(_phrase, terms), *near])


def _phrase(term: str) -> str:
    """A term; one CJK character stands for the words that begin with it."""
    return f'"{term}" *' if len(term) == 1 and is_cjk(term) else f'"{term}"'


def dump(connection: sqlite3.Connection) -> list[str]:
    """All that is in the index: a line for each note, and for each place of a word."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.dumped USING fts5vocab(main, search_words, instance)")
    notes = connection.execute("SELECT path || ' ' || etag FROM search_notes")
    places = connection.execute(
        "SELECT coalesce(path, doc) || ' ' || col || ' ' || \"offset\" || ' ' || term"
        " FROM temp.dumped LEFT JOIN search_notes ON id = doc"
    )
    return [line for (line,) in [*notes, *places]]
