"""The full-text index of the notes, in SQLite's FTS5: its tables, adding and removing notes, and queries.

The FTS5 table has the stems of the words. It stores no text (it is contentless), which makes it small. Removing a note
from it needs the stems that were added, so another table stores the words with their stems, compressed. A query also
needs them: FTS5 finds the notes that may be the best, and `relevance` scores these by their words.

The number of a note is a hash of its path. The notes with low numbers are therefore a random sample of the vault,
whatever its folders are, which makes estimates and samples sound. The index also does not depend on the order of edits.
"""

import hashlib
import heapq
import itertools
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.index.store.relevance import Wanted, Words, packed, relevance, stems_in, words_of_passage
from zkmem.markdown import frontmatter
from zkmem.markdown.dates import Dated, dated
from zkmem.names import base_of, fold, folders_of, name_of
from zkmem.util.stems import Term
from zkmem.util.words import is_single, tokens

TABLES = """
CREATE TABLE search_notes(
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, etag TEXT NOT NULL, date TEXT NOT NULL, dated TEXT NOT NULL,
    words BLOB NOT NULL
);
CREATE TABLE search_size(words INTEGER NOT NULL);
INSERT INTO search_size VALUES(0);
CREATE VIRTUAL TABLE search_words USING fts5(title, text, marks, content = '', tokenize = 'ascii');
INSERT INTO search_words(search_words, rank) VALUES('hashsize', 67108864)
"""
_LEVEL = 1  # zlib's: the fastest
_INTO = "INSERT INTO search_words(rowid, title, text, marks) VALUES(?, ?, ?, ?)"
_OUT_OF = "INSERT INTO search_words(search_words, rowid, title, text, marks) VALUES('delete', ?, ?, ?, ?)"
_NOTE = "SELECT path, etag, date, dated, words FROM search_notes WHERE id = ?"
# Each of these changes one row. A statement that may change several makes FTS5 write to the disk what it has collected.
_ADD = "INSERT INTO search_notes(path, etag, date, dated, words, id) VALUES(?, ?, ?, ?, ?, ?)"
_CHANGE = "UPDATE search_notes SET path = ?, etag = ?, date = ?, dated = ?, words = ? WHERE id = ?"
_RESIZE = "UPDATE search_size SET words = words + ? WHERE rowid = 1"
_NUMBERS = 1 << 32  # the numbers of notes are lower, so that they take few bytes
_ROOM = 1_000  # numbers left free for notes with the same hash as another note
_MERGED = 2_000  # pages to merge at once
_MOST_LOOKED_UP, _MOST_TERMS = 200, 32
_MOST_SEARCHED = 8  # of the terms, the rarest; FTS5 takes long for many, and the candidates are nearly the same
_SAMPLE = 200
_CANDIDATES = 16  # notes that are scored by their words, which takes some 50 µs each
_MOST_SCORED = 1_500  # notes, about, for FTS5 to score, which takes a microsecond each
_ONE_TERM = 4  # for a single term, one in this many of all notes may be scored
_ONE = "SELECT 1 FROM search_words WHERE search_words MATCH ? LIMIT 1"
_FIRST = "SELECT count(*), max(rowid) FROM (SELECT rowid FROM search_words WHERE search_words MATCH ? LIMIT ?)"
# Marks say where a note is, and have no weight. Notes with equal scores are ordered by number, not by chance.
_BEST = """
SELECT rowid, bm25(search_words, 3.0, 1.0, 0.0) AS score FROM search_words
WHERE search_words MATCH ? AND rowid < ? ORDER BY score, rowid LIMIT ?
"""
# Marks begin with a private-use character, which no term of a query contains.
_BELOW, _TITLED = "\ue000", "\ue001"


class Found(NamedTuple):
    """A note that matches, and its score: higher is better."""

    path: str
    score: float
    etag: str  # the note's etag when it was added
    dated: Dated
    words: list[str]  # in the best passage, that have the stem of a term


def words_of(path: str, data: bytes) -> Words:
    """Return the words of a note: those of its title, and those of the values of its properties and of its body."""
    return _read(path, data)[0]


def _read(path: str, data: bytes) -> tuple[Words, Dated]:
    """Return the words and the date of a note. If its frontmatter is not YAML, all words in it are among them."""
    first, last, body = frontmatter.split(data)
    source = data[first:last].decode(errors="replace")
    tree = frontmatter.compose(source) if source else None
    properties = "\n".join(node.value for node in frontmatter.strings(tree)) if tree else source
    text = tokens(f"{properties}\n{data[body:].decode(errors='replace')}")
    title = tokens(base_of(name_of(path)))
    return Words(packed(title), packed(text), len(text)), dated(path, tree)


def _columns(path: str, words: Words) -> tuple[str, str, str]:
    """Return the values of a note for the FTS5 table."""
    title = stems_in(words.title)
    return title, stems_in(words.text), " ".join(_marks(path, title.split()))


def _marks(path: str, title: Iterable[str]) -> Iterator[str]:
    """Yield a mark for each folder that a note is below, and for each stem of its title, for fast queries."""
    yield _below("")
    yield from map(_below, folders_of(path))
    for stem in title:
        yield _TITLED + stem


def _below(folder: str) -> str:
    """Return the mark of the notes below a folder. Folders are compared as names are."""
    return _BELOW + hashlib.blake2b(fold(folder).encode(errors="surrogatepass"), digest_size=8).hexdigest()


def etags(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the etag that each note had when it was added, by path."""
    return dict(connection.execute("SELECT path, etag FROM search_notes"))


def put(connection: sqlite3.Connection, path: str, etag: str, data: bytes) -> None:
    """Add a note, or replace its old text."""
    row = connection.execute("SELECT id, etag, words FROM search_notes WHERE path = ?", (path,)).fetchone()
    if row and row[1] == etag:
        return
    words, (date, source) = _read(path, data)
    compressed = zlib.compress(f"{words.title}\0{words.length}\0{words.text}".encode(), _LEVEL)
    if row:
        _take_out(connection, row[0], path, row[2])
    number = row[0] if row else _free_number(connection, path)
    connection.execute(_CHANGE if row else _ADD, (path, etag, date, source, compressed, number))
    connection.execute(_INTO, (number, *_columns(path, words)))
    connection.execute(_RESIZE, (words.length,))


def _take_out(connection: sqlite3.Connection, number: int, path: str, compressed: bytes) -> None:
    """Remove the words of a note."""
    words = _unpacked(compressed)
    connection.execute(_OUT_OF, (number, *_columns(path, words)))
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
        _NUMBERS - _ROOM
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
    row = connection.execute("SELECT id, words FROM search_notes WHERE path = ?", (path,)).fetchone()
    if row:
        _take_out(connection, row[0], path, row[1])
        connection.execute("DELETE FROM search_notes WHERE id = ?", (row[0],))


def _unpacked(compressed: bytes) -> Words:
    """Return the words of a note, uncompressed; a damaged row means that the database is damaged."""
    try:
        title, length, text = zlib.decompress(compressed).decode().split("\0")
        return Words(title, text, int(length))
    except (zlib.error, ValueError, TypeError) as error:
        raise sqlite3.DatabaseError(f"a text in it is damaged: {error}") from error


class Scope(NamedTuple):
    """The folders to search: below any of `folders` (None: everywhere), and below none of `without`."""

    folders: Sequence[str] | None = None
    without: Sequence[str] = ()

    def among(self, expression: str) -> str:
        """Return the expression, restricted to the notes in the scope."""
        if self.folders is not None:
            expression = f"({expression}) AND marks : ({_any(map(_below, self.folders))})"
        return f"({expression}) NOT marks : ({_any(map(_below, self.without))})" if self.without else expression


def find(connection: sqlite3.Connection, terms: Sequence[Term], limit: int, scope: Scope) -> list[Found]:
    """Return the notes that contain any of the terms, best first; the order of equally good notes is fixed.

    FTS5 finds candidates; those are scored by their words. If too many notes contain a term for FTS5 to score each of
    them, only notes with the rarest terms, or with any term in the title, are candidates. Nearly all of the best notes
    are among these. If they are too few, notes with the next rarest term are candidates, too. A term that is in most
    notes of a large vault is not searched for if there are other terms.
    """
    if scope.folders is not None:
        scope = scope._replace(folders=_with_notes(connection, scope.folders))
        if not scope.folders:
            return []
    scope = scope._replace(without=_with_notes(connection, scope.without))
    notes = _count(connection, scope.among(_any([_below("")])))
    having = {term: _count(connection, scope.among(_any([term.stem]))) for term in terms[:_MOST_LOOKED_UP]}
    counts = {term.stem: having[term] for term in sorted(having, key=having.__getitem__) if having[term]}
    counts = dict(itertools.islice(counts.items(), _MOST_TERMS))
    numbers = _candidates(connection, counts, notes, _Cut(limit, _NUMBERS, scope))
    wanted = [Wanted.of(term, notes, having[term]) for term in having if term.stem in counts]
    average = _average(connection)
    scored = []
    for number in numbers:
        row = _row(connection, number)
        scored.append((relevance(row.words, wanted, average), row))
    scored.sort(key=lambda each: (-each[0].score, each[1].path))
    return [
        Found(row.path, score, row.etag, row.dated, words_of_passage(row.words, wanted, at))
        for (score, at), row in scored[:limit]
    ]


def _candidates(connection: sqlite3.Connection, counts: Mapping[str, int], notes: int, cut: "_Cut") -> Iterable[int]:
    """Return the numbers of the notes that may be the best. `counts`: how many have each stem, the rarest first."""
    cut = cut._replace(limit=max(_CANDIDATES, cut.limit))
    rarest = [stem for stem in counts if counts[stem] <= max(notes // 2, _MOST_SCORED)] or list(counts)
    rarest = rarest[:_MOST_SEARCHED]
    most = max(_MOST_SCORED, notes // _ONE_TERM if rarest and counts[rarest[0]] <= notes // 2 else 0)
    scores: dict[int, float] = {}
    for needed in range(_how_many([counts[stem] for stem in rarest]), len(rarest) + 1):
        total = sum(counts[stem] for stem in rarest[:needed])
        below = _NUMBERS if total <= most else _NUMBERS * most // total
        scores = _scores(connection, rarest, set(rarest[:needed]), cut._replace(below=below))
        if len(scores) >= cut.limit:
            break
    return heapq.nsmallest(cut.limit, scores, key=lambda number: (scores[number], number))


def _with_notes(connection: sqlite3.Connection, folders: Iterable[str]) -> list[str]:
    """Return those of the folders that have notes."""
    return [each for each in folders if connection.execute(_ONE, (f"marks : {_any([_below(each)])}",)).fetchone()]


def _average(connection: sqlite3.Connection) -> float:
    """Return how many words the texts of all notes have on average."""
    row = connection.execute("SELECT words FROM search_size").fetchone()
    if not row or not isinstance(row[0], int) or row[0] < 0:
        raise sqlite3.DatabaseError("the number of its words is damaged")
    return row[0] / max(1, _count(connection, _any([_below("")])))


class _Row(NamedTuple):
    """A note of the index."""

    path: str
    etag: str
    dated: Dated
    words: Words


def _row(connection: sqlite3.Connection, number: int) -> _Row:
    row = connection.execute(_NOTE, (number,)).fetchone()
    if not row:
        raise sqlite3.DatabaseError("a note is missing in it")
    path, etag, date, source, compressed = row
    return _Row(path, etag, Dated(date, source), _unpacked(compressed))


def _how_many(counts: Sequence[int]) -> int:
    """Return how many of the first counts add up to at most `_MOST_SCORED` notes; at least one."""
    return max(1, sum(1 for total in itertools.accumulate(counts) if total <= _MOST_SCORED))


def _count(connection: sqlite3.Connection, expression: str) -> int:
    """Return how many notes match an expression; an estimate if there are many."""
    number: int
    number, last = connection.execute(_FIRST, (expression, _SAMPLE)).fetchone()
    return number if number < _SAMPLE else _SAMPLE * _NUMBERS // (last + 1)


class _Cut(NamedTuple):
    """The limits on the notes that match."""

    limit: int
    below: int  # only notes with lower numbers
    scope: Scope


def _scores(connection: sqlite3.Connection, stems: Sequence[str], needed: set[str], cut: _Cut) -> dict[int, float]:
    """Return the best notes with a needed stem, or any stem in the title, and FTS5's scores; lower is better."""
    first = [stem for stem in stems if stem in needed]
    rest = [stem for stem in stems if stem not in needed]
    queries = [(_any(first), cut)]
    if rest:
        among = " OR ".join([_any(first), *_titled(connection, rest, cut)])
        queries.append((f"({among}) AND ({_any(rest)})", cut))
    if cut.below < _NUMBERS and (titled := _titled(connection, stems, cut)):
        queries.append((f"({' OR '.join(titled)}) AND ({_any(stems)})", cut._replace(below=_NUMBERS)))
    scores: dict[int, float] = {}
    for expression, each in queries:
        for number, score in _best(connection, expression, each):
            scores[number] = min(score, scores.get(number, 0.0))
    return scores


def _titled(connection: sqlite3.Connection, stems: Iterable[str], cut: _Cut) -> list[str]:
    """Return an expression for the notes with a stem in the title, for each stem that few titles contain."""
    expressions = [f"marks : {_any([_TITLED + stem])}" for stem in stems]
    return [each for each in expressions if 0 < _count(connection, cut.scope.among(each)) <= _MOST_SCORED]


def _best(connection: sqlite3.Connection, expression: str, cut: _Cut) -> Iterable[tuple[int, float]]:
    return connection.execute(_BEST, (cut.scope.among(expression), cut.below, cut.limit))


def _any(stems: Iterable[str]) -> str:
    return " OR ".join(map(_phrase, stems))


def _phrase(stem: str) -> str:
    """Return the phrase for a stem or a mark; a single CJK character matches all words that begin with it."""
    return f'"{stem}" *' if is_single(stem.removeprefix(_TITLED)) else f'"{stem}"'


def dump(connection: sqlite3.Connection) -> list[str]:
    """Return the contents of the index: a line for each note, and for each place of a word."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.dumped USING fts5vocab(main, search_words, instance)")
    notes = connection.execute("SELECT path || ' ' || etag || ' ' || date || dated || hex(words) FROM search_notes")
    places = connection.execute(
        "SELECT coalesce(path, doc) || ' ' || col || ' ' || \"offset\" || ' ' || term"
        " FROM temp.dumped LEFT JOIN search_notes ON id = doc"
    )
    return [line for (line,) in [*notes, *places]]
