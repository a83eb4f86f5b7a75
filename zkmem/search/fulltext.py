"""The search index of the notes: its tables in SQLite, and adding and removing notes. `retrieval` finds notes in it.

`entry` makes what is stored of a note. The FTS5 table has the stems of its words. It stores no text (it is
contentless), which makes it small. Removing a note from it needs the stems that were added, so another table stores the
words with their stems, compressed. A query also needs them: FTS5 finds the notes that may be the best, and `relevance`
scores these by their words.

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

from zkmem.markdown.dates import Dated
from zkmem.search.entry import TRUNCATED, IndexEntry, all_facts, columns_of, facts_of
from zkmem.search.relevance import PackedWords, stems_in

NUMBERS = 1 << 32  # the numbers of notes are lower, so that they take few bytes

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
_MOST_SEGMENTS = 1_000  # FTS5 allows 2,000; then it merges all of them at once


def states(connection: sqlite3.Connection) -> Iterator[tuple[str, str, str]]:
    """Yield the path of each note, the etag that it had when it was added, and the day of its file if that dates it."""
    yield from connection.execute("SELECT path, etag, iif(dated = 'file', date, '') FROM search_notes")


def put(connection: sqlite3.Connection, path: str, entry: IndexEntry, day: str) -> None:
    """Add a note, or replace its old entry. `day`: when its file was changed, such as 2026-11-20."""
    old = connection.execute(_OLD, (path,)).fetchone()
    if old and old[1] == entry.etag:
        connection.execute(_CHANGE_DAY, (day, old[0], day))
        return
    if old:
        _take_out(connection, path, old[0], *old[2:])
    number = old[0] if old else _free_number(connection, path)
    date, source = (entry.date, entry.dated) if entry.date else (day, "file")
    connection.execute(_CHANGE_NOTE if old else _ADD_NOTE, (path, entry.etag, date, source, entry.fields, number))
    connection.execute(_CHANGE_TEXT if old else _ADD_TEXT, (entry.words, number))
    for key, value in entry.facts:
        connection.execute(_ADD_FACT, (key, value, number))
    connection.execute(_INTO, (number, *entry.columns))
    connection.execute(_RESIZE, (entry.length,))


def _take_out(connection: sqlite3.Connection, path: str, number: int, fields: str, compressed: bytes) -> None:
    """Remove the words and the facts of a note."""
    for key, value in facts_of(unpacked_fields(fields)):
        connection.execute(_REMOVE_FACT, (key, value, number))
    words = unpacked(compressed)
    connection.execute(
        _OUT_OF, (number, *columns_of(path, stems_in(words.title), stems_in(words.text), words.headings))
    )
    connection.execute(_RESIZE, (-words.length,))


def postpone_merges(connection: sqlite3.Connection) -> None:
    """Let each transaction leave its segment as it is: merging meanwhile would double the time of a bulk build.

    This is saved with the index, until `resume_merges`.
    """
    _configure(connection, automerge=0, crisismerge=_MOST_SEGMENTS)


def resume_merges(connection: sqlite3.Connection) -> None:
    """Let FTS5 merge segments as it does by default."""
    _configure(connection, automerge=4, crisismerge=16)


def are_merges_postponed(connection: sqlite3.Connection) -> bool:
    """Return whether `postpone_merges` was called, and `resume_merges` was not: the process may have been killed."""
    row = connection.execute("SELECT v FROM search_words_config WHERE k = 'automerge'").fetchone()
    return row is not None and row[0] == 0


def _configure(connection: sqlite3.Connection, **values: int) -> None:
    for name, value in values.items():
        connection.execute("INSERT INTO search_words(search_words, rank) VALUES(?, ?)", (name, value))


def merge(connection: sqlite3.Connection, *, begin: bool) -> bool:
    """Merge some of the segments that a bulk build leaves behind; return whether there is more to merge.

    Otherwise a small edit would merge them later, and queries would be slow until then.
    """
    before = connection.total_changes
    connection.execute(
        "INSERT INTO search_words(search_words, rank) VALUES('merge', ?)", (-_MERGED if begin else _MERGED,)
    )
    return connection.total_changes - before > 1  # by this FTS5 shows that it has merged something


def path_number(path: str) -> int:
    """Return the number of a note, unless another note has that number."""
    return int.from_bytes(hashlib.blake2b(path.encode(errors="surrogatepass"), digest_size=8).digest()) % (
        NUMBERS - _ROOM
    )


def _free_number(connection: sqlite3.Connection, path: str) -> int:
    """Return a number for a new note."""
    for number in itertools.count(path_number(path)):
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


class IndexedNote(NamedTuple):
    """A note of the index."""

    number: int
    path: str
    etag: str
    dated: Dated
    words: PackedWords


_ROWS = "SELECT id, path, etag, date, dated, words FROM search_notes JOIN search_texts USING(id) WHERE id IN (%s)"
_AT_ONCE = 20  # numbers in one statement


def rows_of(connection: sqlite3.Connection, numbers: Iterable[int]) -> Iterator[IndexedNote]:
    """Yield the notes with these numbers, in their order; if one is missing, the database is damaged.

    The words of a note are uncompressed when it is asked for, which takes most of the time.
    """
    numbers = list(numbers)
    for start in range(0, len(numbers), _AT_ONCE):
        part = numbers[start : start + _AT_ONCE]
        rows = {row[0]: row for row in connection.execute(_ROWS % ",".join("?" * len(part)), part)}
        if len(rows) < len(part):
            raise sqlite3.DatabaseError("a note is missing in it")
        for number, path, etag, date, source, compressed in map(rows.__getitem__, part):
            yield IndexedNote(number, path, etag, Dated(date, source), unpacked(compressed))


def paths_of(connection: sqlite3.Connection, numbers: Iterable[int]) -> list[str]:
    """Return the paths of the notes with these numbers, in their order."""
    rows = (
        connection.execute("SELECT path FROM search_notes WHERE id = ?", (number,)).fetchone() for number in numbers
    )
    return [row[0] for row in rows if row]


def numbers_of(connection: sqlite3.Connection, paths: Iterable[str]) -> set[int]:
    """Return the numbers of the notes at some paths."""
    rows = (connection.execute("SELECT id FROM search_notes WHERE path = ?", (path,)).fetchone() for path in paths)
    return {row[0] for row in rows if row}


def average_length(connection: sqlite3.Connection, notes: int) -> float:
    """Return how many words the texts of so many notes have on average."""
    row = connection.execute("SELECT words FROM search_size").fetchone()
    if not row or not isinstance(row[0], int) or row[0] < 0:
        raise sqlite3.DatabaseError("the number of its words is damaged")
    return row[0] / max(1, notes)


def unpacked(compressed: bytes) -> PackedWords:
    """Return the words of a note, uncompressed; a damaged row means that the database is damaged."""
    try:
        title, length, text, headings = zlib.decompress(compressed).decode().split("\0")
        return PackedWords(title, text, int(length), headings)
    except (zlib.error, ValueError, TypeError) as error:
        raise sqlite3.DatabaseError(f"a text in it is damaged: {error}") from error


def facts_of_many(connection: sqlite3.Connection) -> Iterator[tuple[int, Iterator[tuple[str, str]]]]:
    """Yield the number and all facts of each note that has more facts than are stored."""
    rows = connection.execute(
        "SELECT id, fields FROM search_notes JOIN search_facts USING(id) WHERE key = ? AND value = ?", TRUNCATED
    )
    for number, fields in rows.fetchall():
        yield number, all_facts(unpacked_fields(fields))


def unpacked_fields(fields: str) -> dict[str, Any]:
    """Return the fields of a note; damaged ones mean that the database is damaged."""
    try:
        values = json.loads(fields)
        return {
            "tags": list(values["tags"]),
            "properties": dict(values["properties"]),
            "tasks": int(values["tasks"]),
            "open_tasks": int(values["open_tasks"]),
            "embeds": list(values["embeds"]),
        }
    except (ValueError, TypeError, KeyError) as error:
        raise sqlite3.DatabaseError(f"the fields of a note in it are damaged: {error}") from error
