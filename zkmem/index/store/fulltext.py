"""The full-text index of the notes, in SQLite's FTS5: its tables, adding and removing notes, and queries.

The FTS5 table stores no text (it is contentless), which makes it small. Removing a note from it needs the text that was
added, so another table stores that text, compressed.

The number of a note is a hash of its path. The notes with low numbers are therefore a random sample of the vault,
whatever its folders are, which makes estimates and samples sound. The index also does not depend on the order of edits.
"""

import hashlib
import heapq
import itertools
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zkmem.markdown import frontmatter
from zkmem.names import base_of, fold, folders_of, name_of
from zkmem.util.words import is_cjk, spaced

TABLES = """
CREATE TABLE search_notes(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, etag TEXT NOT NULL, texts BLOB NOT NULL);
CREATE VIRTUAL TABLE search_words USING fts5(
    title, properties, body, marks, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO search_words(search_words, rank) VALUES('hashsize', 67108864)
"""
_PACKED = 1  # zlib's level: the fastest
_INTO = "INSERT INTO search_words(rowid, title, properties, body, marks) VALUES(?, ?, ?, ?, ?)"
_OUT_OF = (
    "INSERT INTO search_words(search_words, rowid, title, properties, body, marks) VALUES('delete', ?, ?, ?, ?, ?)"
)
_COLUMNS = 4
_NUMBERS = 1 << 32  # the numbers of notes are lower, so that they take few bytes
_ROOM = 1_000  # numbers left free for notes with the same hash as another note
_MERGED = 2_000  # pages to merge at once
_NEAR = 8  # the most words between two terms that are near each other
_MOST_LOOKED_UP, _MOST_TERMS = 200, 32
_SAMPLE = 200
_MOST_SCORED = 1_500  # notes, about; scoring one takes a microsecond
_ONE_TERM = 4  # for a single term, one in this many of all notes may be scored
_ONE = "SELECT 1 FROM search_words WHERE search_words MATCH ? LIMIT 1"
_FIRST = "SELECT count(*), max(rowid) FROM (SELECT rowid FROM search_words WHERE search_words MATCH ? LIMIT ?)"
# Marks say where a note is, and have no weight. Notes with equal scores are ordered by number, not by chance.
_BEST = """
SELECT rowid, bm25(search_words, 4.0, 0.5, 1.0, 0.0) AS score FROM search_words
WHERE search_words MATCH ? AND rowid < ? ORDER BY score, rowid LIMIT ?
"""
# Marks begin with a private-use character, which no term of a query contains.
_BELOW, _TITLED = "\ue000", "\ue001"
_WORD = re.compile(r"[^\W_]+")


class Found(NamedTuple):
    """A note that matches, and its score: higher is better."""

    path: str
    score: float
    etag: str  # the note's etag when it was added


def texts_of(path: str, data: bytes) -> list[str]:
    """Return the texts of a note for the index: its title, the values of its properties, its body, its marks."""
    first, last, body = frontmatter.split(data)
    properties = _properties(data[first:last].decode(errors="replace")) if first < last else ""
    title = base_of(name_of(path))
    texts = (title, properties, data[body:].decode(errors="replace"))
    words = [spaced(text).replace("\0", " ") for text in texts]
    return [*words, " ".join(_marks(path, words[0]))]


def _marks(path: str, title: str) -> Iterator[str]:
    """Yield a mark for each folder that a note is below, and for each word of its title, for fast queries."""
    yield _below("")
    yield from map(_below, folders_of(path))
    for word in _WORD.findall(title):
        yield _TITLED + word


def _below(folder: str) -> str:
    """Return the mark of the notes below a folder. Folders are compared as names are."""
    return _BELOW + hashlib.blake2b(fold(folder).encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _properties(source: str) -> str:
    """Return the values in a frontmatter; the whole frontmatter if it is not YAML."""
    tree = frontmatter.compose(source)
    return "\n".join(node.value for node in frontmatter.strings(tree)) if tree else source


def etags(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the etag that each note had when it was added, by path."""
    return dict(connection.execute("SELECT path, etag FROM search_notes"))


def put(connection: sqlite3.Connection, path: str, etag: str, data: bytes) -> None:
    """Add a note, or replace its old text."""
    row = connection.execute("SELECT id, etag, texts FROM search_notes WHERE path = ?", (path,)).fetchone()
    if row and row[1] == etag:
        return
    texts = texts_of(path, data)
    packed = zlib.compress("\0".join(texts).encode(), _PACKED)
    if row:
        connection.execute(_OUT_OF, (row[0], *_unpacked(row[2])))
        connection.execute("UPDATE search_notes SET etag = ?, texts = ? WHERE id = ?", (etag, packed, row[0]))
    number = row[0] if row else _new(connection, path, etag, packed)
    connection.execute(_INTO, (number, *texts))


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


def _new(connection: sqlite3.Connection, path: str, etag: str, packed: bytes) -> int:
    """Add a new note to the table of notes; return its number."""
    for number in itertools.count(number_of(path)):
        if not connection.execute("SELECT 1 FROM search_notes WHERE id = ?", (number,)).fetchone():
            break
    if connection.execute("SELECT 1 FROM search_words_docsize WHERE id = ?", (number,)).fetchone():
        raise sqlite3.DatabaseError("a note is missing in it")  # its words would be counted twice
    connection.execute("INSERT INTO search_notes VALUES(?, ?, ?, ?)", (number, path, etag, packed))
    return number


def remove(connection: sqlite3.Connection, path: str) -> None:
    """Remove a note, if it is in the index."""
    row = connection.execute("SELECT id, texts FROM search_notes WHERE path = ?", (path,)).fetchone()
    if row:
        connection.execute(_OUT_OF, (row[0], *_unpacked(row[1])))
        connection.execute("DELETE FROM search_notes WHERE id = ?", (row[0],))


def _unpacked(packed: bytes) -> list[str]:
    """Return the texts of a note, uncompressed; a damaged row means that the database is damaged."""
    try:
        texts = zlib.decompress(packed).decode().split("\0")
    except (zlib.error, UnicodeDecodeError, TypeError) as error:
        raise sqlite3.DatabaseError(f"a text in it is damaged: {error}") from error
    if len(texts) != _COLUMNS:
        raise sqlite3.DatabaseError("a text in it is damaged")
    return texts


class Scope(NamedTuple):
    """The folders to search: below any of `folders` (None: everywhere), and below none of `without`."""

    folders: Sequence[str] | None = None
    without: Sequence[str] = ()

    def among(self, expression: str) -> str:
        """Return the expression, restricted to the notes in the scope."""
        if self.folders is not None:
            expression = f"({expression}) AND marks : ({_any(map(_below, self.folders))})"
        return f"({expression}) NOT marks : ({_any(map(_below, self.without))})" if self.without else expression


def find(connection: sqlite3.Connection, terms: Sequence[str], limit: int, scope: Scope) -> list[Found]:
    """Return the notes that contain any of the terms, best first; the order of equally good notes is fixed.

    If too many notes contain a term to score each of them, only notes with the rarest terms, or with any term in the
    title, are scored (by all terms). Nearly all of the best notes are among these. If they are too few, notes with the
    next rarest term are scored, too. A term that is in most notes of a large vault is ignored if there are other terms.
    """
    if scope.folders is not None:
        scope = scope._replace(folders=_with_notes(connection, scope.folders))
        if not scope.folders:
            return []
    scope = scope._replace(without=_with_notes(connection, scope.without))
    notes = _count(connection, scope.among(_any([_below("")])))
    counts = {term: _count(connection, scope.among(_any([term]))) for term in terms[:_MOST_LOOKED_UP]}
    rarest = sorted((term for term in counts if counts[term]), key=counts.__getitem__)[:_MOST_TERMS]
    rarest = [term for term in rarest if counts[term] <= max(notes // 2, _MOST_SCORED)] or rarest
    scored = [term for term in counts if term in rarest]
    most = max(_MOST_SCORED, notes // _ONE_TERM if rarest and counts[rarest[0]] <= notes // 2 else 0)
    scores: dict[int, float] = {}
    for needed in range(_how_many([counts[term] for term in rarest]), len(rarest) + 1):
        total = sum(counts[term] for term in rarest[:needed])
        below = _NUMBERS if total <= most else _NUMBERS * most // total
        scores = _scores(connection, scored, set(rarest[:needed]), _Cut(limit, below, scope))
        if len(scores) >= limit:
            break
    best = heapq.nsmallest(limit, scores, key=lambda number: (scores[number], number))
    hits = [_hit(connection, number, -scores[number]) for number in best]
    return sorted(hits, key=lambda each: (-each.score, each.path))


def _with_notes(connection: sqlite3.Connection, folders: Iterable[str]) -> list[str]:
    """Return those of the folders that have notes."""
    return [each for each in folders if connection.execute(_ONE, (f"marks : {_any([_below(each)])}",)).fetchone()]


def _hit(connection: sqlite3.Connection, number: int, score: float) -> Found:
    row = connection.execute("SELECT path, etag FROM search_notes WHERE id = ?", (number,)).fetchone()
    if not row:
        raise sqlite3.DatabaseError("a note is missing in it")
    return Found(row[0], score, row[1])


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


def _scores(connection: sqlite3.Connection, terms: Sequence[str], needed: set[str], cut: _Cut) -> dict[int, float]:
    """Return the best notes with a needed term, or any term in the title, and their BM25 scores; lower is better.

    Two terms that are neighbours in the query and near each other in a note count once more.
    """
    both = [(one, other) for one, other in itertools.pairwise(terms) if not needed.isdisjoint((one, other))]
    first = [term for term in terms if term in needed]
    rest = [term for term in terms if term not in needed]
    queries = [(_any(first, [pair for pair in both if needed.issuperset(pair)]), cut)]
    if rest:
        among = " OR ".join([_any(first), *_titled(connection, rest, cut)])
        queries.append((f"({among}) AND ({_any(rest, both)})", cut))
    if cut.below < _NUMBERS and (titled := _titled(connection, terms, cut)):
        queries.append((f"({' OR '.join(titled)}) AND ({_any(terms, both)})", cut._replace(below=_NUMBERS)))
    scores: dict[int, float] = {}
    for expression, each in queries:
        for number, score in _best(connection, expression, each):
            scores[number] = min(score, scores.get(number, 0.0))
    return scores


def _titled(connection: sqlite3.Connection, terms: Iterable[str], cut: _Cut) -> list[str]:
    """Return an expression for the notes with a term in the title, for each term that few titles contain."""
    expressions = [f"marks : {_any([_TITLED + term])}" for term in terms]
    return [each for each in expressions if 0 < _count(connection, cut.scope.among(each)) <= _MOST_SCORED]


def _best(connection: sqlite3.Connection, expression: str, cut: _Cut) -> Iterable[tuple[int, float]]:
    return connection.execute(_BEST, (cut.scope.among(expression), cut.below, cut.limit))


def _any(terms: Iterable[str], pairs: Iterable[tuple[str, str]] = ()) -> str:
    near = (f'NEAR("{one}" "{other}", {_NEAR})' for one, other in pairs)
    return " OR ".join([*map(_phrase, terms), *near])


def _phrase(term: str) -> str:
    """Return the phrase for a term or a mark; a single CJK character matches all words that begin with it."""
    word = term.removeprefix(_TITLED)
    return f'"{term}" *' if is_cjk(word) and len(word) == 1 else f'"{term}"'


def dump(connection: sqlite3.Connection) -> list[str]:
    """Return the contents of the index: a line for each note, and for each place of a word."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.dumped USING fts5vocab(main, search_words, instance)")
    notes = connection.execute("SELECT path || ' ' || etag FROM search_notes")
    places = connection.execute(
        "SELECT coalesce(path, doc) || ' ' || col || ' ' || \"offset\" || ' ' || term"
        " FROM temp.dumped LEFT JOIN search_notes ON id = doc"
    )
    return [line for (line,) in [*notes, *places]]
