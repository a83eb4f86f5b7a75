"""The search index of the notes: its tables in SQLite, and adding and removing notes. `retrieval` finds notes in it.

The FTS5 table has the stems of the words. It stores no text (it is contentless), which makes it small. Removing a note
from it needs the stems that were added, so another table stores the words with their stems, compressed. A query also
needs them: FTS5 finds the notes that may be the best, and `relevance` scores these by their words.

Beside the words, the index has the fields of each note (`markdown/fields.py`): as JSON, and as facts, which are pairs
of a key and a value by which a query can look up notes.

The number of a note is a hash of its path. The notes with low numbers are therefore a random sample of the vault,
whatever its folders are, which makes estimates and samples sound. The index also does not depend on the order of edits.
"""

import hashlib
import itertools
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from zkmem.index.store.relevance import Words, packed, stems_in
from zkmem.markdown import frontmatter
from zkmem.markdown.dates import Dated
from zkmem.markdown.fields import Fields, fields_of
from zkmem.markdown.links import body_links
from zkmem.names import base_of, fold, folders_of, name_of
from zkmem.util.stems import stems
from zkmem.util.words import folded, plain, tokens

TABLES = """
CREATE TABLE search_notes(
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, etag TEXT NOT NULL, date TEXT NOT NULL, dated TEXT NOT NULL,
    fields TEXT NOT NULL
);
CREATE INDEX search_dates ON search_notes(date);
CREATE TABLE search_texts(id INTEGER PRIMARY KEY, words BLOB NOT NULL);
CREATE TABLE search_facts(key TEXT, value TEXT, id INTEGER, PRIMARY KEY(key, value, id)) WITHOUT ROWID;
CREATE TABLE search_size(words INTEGER NOT NULL);
INSERT INTO search_size VALUES(0);
CREATE VIRTUAL TABLE search_words USING fts5(title, text, marks, content = '', tokenize = 'ascii');
INSERT INTO search_words(search_words, rank) VALUES('hashsize', 67108864)
"""
NUMBERS = 1 << 32  # the numbers of notes are lower, so that they take few bytes
TAG = "#"  # the key of the facts that are tags
MANY = ("!", "")  # the fact of a note that has more facts than are stored

_LEVEL = 1  # zlib's: the fastest
_INTO = "INSERT INTO search_words(rowid, title, text, marks) VALUES(?, ?, ?, ?)"
_OUT_OF = "INSERT INTO search_words(search_words, rowid, title, text, marks) VALUES('delete', ?, ?, ?, ?)"
_OLD = "SELECT id, etag, fields, words FROM search_notes JOIN search_texts USING(id) WHERE path = ?"
# Each of these changes one row. A statement that may change several makes FTS5 write to the disk what it has collected.
_ADD_NOTE = "INSERT INTO search_notes(path, etag, date, dated, fields, id) VALUES(?, ?, ?, ?, ?, ?)"
_CHANGE_NOTE = "UPDATE search_notes SET path = ?, etag = ?, date = ?, dated = ?, fields = ? WHERE id = ?"
_CHANGE_DAY = "UPDATE search_notes SET date = ? WHERE id = ? AND dated = 'file' AND date <> ?"
_ADD_TEXT = "INSERT INTO search_texts(words, id) VALUES(?, ?)"
_CHANGE_TEXT = "UPDATE search_texts SET words = ? WHERE id = ?"
_ADD_FACT = "INSERT INTO search_facts(key, value, id) VALUES(?, ?, ?)"
_REMOVE_FACT = "DELETE FROM search_facts WHERE key = ? AND value = ? AND id = ?"
_RESIZE = "UPDATE search_size SET words = words + ? WHERE rowid = 1"
_ROOM = 1_000  # numbers left free for notes with the same hash as another note
_MERGED = 2_000  # pages to merge at once
_MOST_FACTS = 1_000  # of one note
_LONGEST_FACT = 200  # characters; of a longer value, the beginning counts
# Marks begin with a private-use character, which no term of a query contains.
_BELOW, _TITLED = "\ue000", "\ue001"
_BORDER = "\ue002"  # stands between the values of properties and before the body, so that no phrase crosses over


class _Read(NamedTuple):
    """What the index has of a note."""

    title: list[str]  # the words of it
    text: list[str]  # the words of the values of its properties, and of its body
    fields: Fields

    def words(self) -> Words:
        return Words(packed(self.title), packed(self.text), len(self.text))


def words_of(path: str, data: bytes) -> Words:
    """Return the packed words of a note."""
    return _read(path, data).words()


def _read(path: str, data: bytes) -> _Read:
    """Read a note for the index. If its frontmatter is not YAML, all words in it are among those of its text."""
    first, last, start = frontmatter.split(data)
    source, body = data[first:last].decode(errors="replace"), data[start:]
    tree = frontmatter.compose(source) if source else None
    values = [node.value for node in frontmatter.strings(tree)] if tree else [source] if source else []
    text = [word for value in values for word in (*tokens(value), _BORDER)] + tokens(body.decode(errors="replace"))
    return _Read(tokens(base_of(name_of(path))), text, fields_of(path, tree, len(source), body))


def _columns(path: str, title: str, text: str) -> tuple[str, str, str]:
    """Return the values of a note for the FTS5 table. `title`, `text`: the stems of their words."""
    return title, text, " ".join(_marks(path, title.split()))


def _marks(path: str, title: Iterable[str]) -> Iterator[str]:
    """Yield a mark for each folder that a note is below, and for each stem of its title, for fast queries."""
    yield below_mark("")
    yield from map(below_mark, folders_of(path))
    yield from map(title_mark, title)


def below_mark(folder: str) -> str:
    """Return the mark of the notes below a folder. Folders are compared as names are."""
    return _BELOW + hashlib.blake2b(fold(folder).encode(errors="surrogatepass"), digest_size=8).hexdigest()


def title_mark(stem: str) -> str:
    """Return the mark of the notes with a stem in their title."""
    return _TITLED + stem


def word_of_mark(mark: str) -> str:
    """Return the stem that a mark of a title, or a stem itself, is about."""
    return mark.removeprefix(_TITLED)


def _facts(fields: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the facts to store of a note's fields, as JSON has them."""
    facts = list(itertools.islice(_all_facts(fields), _MOST_FACTS))  # some may be there twice
    return {*facts, MANY} if len(facts) == _MOST_FACTS else set(facts)


def _all_facts(fields: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for tag in fields["tags"]:
        yield TAG, fact_value(tag)
    for key, value in fields["properties"].items():
        for one in _spellings(value):
            yield fact_key(key), one


def facts_of_many(connection: sqlite3.Connection) -> Iterator[tuple[int, Iterator[tuple[str, str]]]]:
    """Yield the number and all facts of each note that has more facts than are stored."""
    rows = connection.execute(
        "SELECT id, fields FROM search_notes JOIN search_facts USING(id) WHERE key = ? AND value = ?", MANY
    )
    for number, fields in rows.fetchall():
        yield number, _all_facts(unpacked_fields(fields))


def fact_key(name: str) -> str:
    """Return the key of the facts about a property."""
    return f".{fact_value(name)}"


def fact_value(value: str) -> str:
    """Return a value as facts are compared: in lower case, without accents, and of limited length."""
    return folded(plain(value.encode(errors="replace").decode()))[:_LONGEST_FACT].strip()


def _spellings(value: Any) -> Iterator[str]:
    """Yield the values of the facts about a property: an empty one if it has no value."""
    items = value if isinstance(value, list) else [value]
    for item in items or [None]:
        if isinstance(item, str):
            yield fact_value(item)
            if "[[" in item:
                for link in body_links(item.encode(errors="replace")):
                    yield from map(fact_value, (link.target, base_of(name_of(link.target)), link.display or ""))
        elif item is None or isinstance(item, list | dict):
            yield ""
        else:
            yield fact_value(spelled(item))


def spelled(value: float) -> str:
    """Return a number or a boolean as a fact has it: 5 for 5.0."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def etags(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the etag that each note had when it was added, by path."""
    return dict(connection.execute("SELECT path, etag FROM search_notes"))


def days(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the day when its file was changed for each note that has no other date, by path."""
    return dict(connection.execute("SELECT path, date FROM search_notes WHERE dated = 'file'"))


def put(connection: sqlite3.Connection, path: str, etag: str, data: bytes, day: str) -> None:
    """Add a note, or replace its old text. `day`: when its file was changed, such as 2026-11-20."""
    old = connection.execute(_OLD, (path,)).fetchone()
    if old and old[1] == etag:
        connection.execute(_CHANGE_DAY, (day, old[0], day))
        return
    title, text, fields = note = _read(path, data)
    if old:
        _take_out(connection, path, old[0], *old[2:])
    number = old[0] if old else _free_number(connection, path)
    date, source = fields.date if fields.date.date else Dated(day, "file")
    known = {
        "tags": fields.tags,
        "properties": fields.properties,
        "tasks": fields.tasks,
        "open_tasks": fields.open_tasks,
        "embeds": fields.embeds,
    }
    connection.execute(_CHANGE_NOTE if old else _ADD_NOTE, (path, etag, date, source, json.dumps(known), number))
    words = note.words()
    compressed = zlib.compress(f"{words.title}\0{words.length}\0{words.text}".encode(), _LEVEL)
    connection.execute(_CHANGE_TEXT if old else _ADD_TEXT, (compressed, number))
    for key, value in _facts(known):
        connection.execute(_ADD_FACT, (key, value, number))
    connection.execute(_INTO, (number, *_columns(path, " ".join(stems(title)), " ".join(stems(text)))))
    connection.execute(_RESIZE, (words.length,))


def _take_out(connection: sqlite3.Connection, path: str, number: int, fields: str, compressed: bytes) -> None:
    """Remove the words and the facts of a note."""
    for key, value in _facts(unpacked_fields(fields)):
        connection.execute(_REMOVE_FACT, (key, value, number))
    words = unpacked(compressed)
    connection.execute(_OUT_OF, (number, *_columns(path, stems_in(words.title), stems_in(words.text))))
    connection.execute(_RESIZE, (-words.length,))


def merge(connection: sqlite3.Connection, *, begin: bool) -> bool:
    """Merge some of the segments that a bulk build leaves behind; return whether there is more to merge.

    Otherwise a small edit would merge them later, and queries would be slow until then.
    """
    before = connection.total_changes
    connection.execute(
        "INSERT INTO search_words(search_words, rank) VALUES('merge', ?)", (-_MERGED if begin else _MERGED,)
    )
    return connection.total_changes - before > 1  # by this FTS5 shows that it has merged something


def number_of(path: str) -> int:
    """Return the number of a note, unless another note has that number."""
    return int.from_bytes(hashlib.blake2b(path.encode(errors="surrogatepass"), digest_size=8).digest()) % (
        NUMBERS - _ROOM
    )


def _free_number(connection: sqlite3.Connection, path: str) -> int:
    """Return a number for a new note."""
    for number in itertools.count(number_of(path)):
        if not connection.execute("SELECT 1 FROM search_notes WHERE id = ?", (number,)).fetchone():
            break
    if connection.execute("SELECT 1 FROM search_words_docsize WHERE id = ?", (number,)).fetchone():
        raise sqlite3.DatabaseError("a note is missing in it")  # its words would be counted twice
    return number


def remove(connection: sqlite3.Connection, path: str) -> None:
    """Remove a note, if it is in the index."""
    old = connection.execute(_OLD, (path,)).fetchone()
    if old:
        _take_out(connection, path, old[0], *old[2:])
        connection.execute("DELETE FROM search_notes WHERE id = ?", (old[0],))
        connection.execute("DELETE FROM search_texts WHERE id = ?", (old[0],))


class Row(NamedTuple):
    """A note of the index."""

    path: str
    etag: str
    dated: Dated
    words: Words


_ROW = "SELECT path, etag, date, dated, words FROM search_notes JOIN search_texts USING(id) WHERE id = ?"


def row_of(connection: sqlite3.Connection, number: int) -> Row:
    """Return a note by its number; if there is none, the database is damaged."""
    row = connection.execute(_ROW, (number,)).fetchone()
    if not row:
        raise sqlite3.DatabaseError("a note is missing in it")
    path, etag, date, source, compressed = row
    return Row(path, etag, Dated(date, source), unpacked(compressed))


def average_length(connection: sqlite3.Connection, notes: int) -> float:
    """Return how many words the texts of so many notes have on average."""
    row = connection.execute("SELECT words FROM search_size").fetchone()
    if not row or not isinstance(row[0], int) or row[0] < 0:
        raise sqlite3.DatabaseError("the number of its words is damaged")
    return row[0] / max(1, notes)


def unpacked(compressed: bytes) -> Words:
    """Return the words of a note, uncompressed; a damaged row means that the database is damaged."""
    try:
        title, length, text = zlib.decompress(compressed).decode().split("\0")
        return Words(title, text, int(length))
    except (zlib.error, ValueError, TypeError) as error:
        raise sqlite3.DatabaseError(f"a text in it is damaged: {error}") from error


def unpacked_fields(fields: str) -> dict[str, Any]:
    """Return the fields of a note; damaged ones mean that the database is damaged."""
    try:
        known = json.loads(fields)
        return {
            "tags": list(known["tags"]),
            "properties": dict(known["properties"]),
            "tasks": int(known["tasks"]),
            "open_tasks": int(known["open_tasks"]),
            "embeds": list(known["embeds"]),
        }
    except (ValueError, TypeError, KeyError) as error:
        raise sqlite3.DatabaseError(f"the fields of a note in it are damaged: {error}") from error


def dump(connection: sqlite3.Connection) -> list[str]:
    """Return the contents of the index: a line for each note, for each fact, and for each place of a word."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.dumped USING fts5vocab(main, search_words, instance)")
    notes = connection.execute(
        "SELECT path || ' ' || etag || ' ' || iif(dated = 'file', '', date) || dated || fields || hex(words)"
        " FROM search_notes JOIN search_texts USING(id)"
    )
    facts = connection.execute(
        "SELECT key || ' ' || value || ' ' || path FROM search_facts JOIN search_notes USING(id)"
    )
    places = connection.execute(
        "SELECT coalesce(path, doc) || ' ' || col || ' ' || \"offset\" || ' ' || term"
        " FROM temp.dumped LEFT JOIN search_notes ON id = doc"
    )
    return [line for (line,) in [*notes, *facts, *places]]
