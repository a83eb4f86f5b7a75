"""The full text of the notes, in SQLite's FTS5: what is in its tables, how a note goes in and out, how it is asked.

The index proper keeps no text (it is contentless), which makes it small; to take a note out of it again takes the text
that was put in, so that is kept beside it, compressed.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterable
from typing import NamedTuple

from zkmem.markdown import frontmatter
from zkmem.vault.names import base_of, name_of
from zkmem.words import is_cjk, spaced

TABLES = """
CREATE TABLE search_notes(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, etag TEXT NOT NULL, texts BLOB NOT NULL);
CREATE VIRTUAL TABLE search_words USING fts5(
    title, properties, body, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO search_words(search_words, rank) VALUES('rank', 'bm25(4.0, 0.5, 1.0)');
INSERT INTO search_words(search_words, rank) VALUES('hashsize', 67108864)
"""
_PACKED = 1  # the level of compression: the fastest
_INTO = "INSERT INTO search_words(rowid, title, properties, body) VALUES(?, ?, ?, ?)"
_OUT_OF = "INSERT INTO search_words(search_words, rowid, title, properties, body) VALUES('delete', ?, ?, ?, ?)"
_FIND = """
SELECT path, -rank FROM search_words JOIN search_notes ON id = search_words.rowid
WHERE search_words MATCH ?1 {} ORDER BY rank LIMIT ?4
"""
_BELOW = (  # "0" follows "/"; json_each has a column `path` of its own
    "EXISTS (SELECT 1 FROM json_each(?) AS folder WHERE folder.value = '' OR search_notes.path >= folder.value || '/'"
    " AND search_notes.path < folder.value || '0')"
)
_WITHIN = f"AND (?2 = 'null' OR {_BELOW.replace('?', '?2')}) AND NOT {_BELOW.replace('?', '?3')}"


class Found(NamedTuple):
    """A note that matches, and how well: higher is better."""

    path: str
    score: float


def texts_of(path: str, data: bytes) -> list[str]:
    """What is put into the index of a note: its title, the values of its properties, its body."""
    first, last, body = frontmatter.split(data)
    properties = _properties(data[first:last].decode(errors="replace")) if first < last else ""
    title = base_of(name_of(path))
    return [spaced(text) for text in (title, properties, data[body:].decode(errors="replace"))]


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
    packed = zlib.compress("\0".join(text.replace("\0", " ") for text in texts).encode(), _PACKED)
    if row:
        connection.execute(_OUT_OF, (row[0], *_unpacked(row[2])))
        connection.execute("UPDATE search_notes SET etag = ?, texts = ? WHERE id = ?", (etag, packed, row[0]))
        number = row[0]
    else:
        made = connection.execute("INSERT INTO search_notes(path, etag, texts) VALUES(?, ?, ?)", (path, etag, packed))
        number = made.lastrowid
    connection.execute(_INTO, (number, *_unpacked(packed)))


def remove(connection: sqlite3.Connection, path: str) -> None:
    """Take a note out, if it is in."""
    row = connection.execute("SELECT id, texts FROM search_notes WHERE path = ?", (path,)).fetchone()
    if row:
        connection.execute(_OUT_OF, (row[0], *_unpacked(row[1])))
        connection.execute("DELETE FROM search_notes WHERE id = ?", (row[0],))


def _unpacked(packed: bytes) -> list[str]:
    return zlib.decompress(packed).decode().split("\0")


def find(
    connection: sqlite3.Connection, terms: Iterable[str], limit: int, folders: list[str] | None, without: list[str]
) -> list[Found]:
    """The notes that hold any of the terms, best first; of those below `folders`, none of those below `without`."""
    limited = folders is not None or without
    sql = _FIND.format(_WITHIN if limited else "")
    expression = " OR ".join(f'"{term}"{" *" if len(term) == 1 and is_cjk(term) else ""}' for term in terms)
    return [
        Found(*row) for row in connection.execute(sql, (expression, json.dumps(folders), json.dumps(without), limit))
    ]


def dump(connection: sqlite3.Connection) -> list[str]:
    """All that is in the index: a line for each note, and for each place of a word."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.dumped USING fts5vocab(main, search_words, instance)")
    notes = connection.execute("SELECT path || ' ' || etag FROM search_notes")
    places = connection.execute(
        "SELECT coalesce(path, doc) || ' ' || col || ' ' || \"offset\" || ' ' || term"
        " FROM temp.dumped LEFT JOIN search_notes ON id = doc"
    )
    return [line for (line,) in [*notes, *places]]
