"""The full text of the notes, in SQLite's FTS5: what is in its tables, how a note goes in and out, how it is asked.

The index proper keeps no text (it is contentless), which makes it small; to take a note out of it again takes the text
that was put in, so that is kept beside it, compressed.

The number of a note is a hash of its path. So the notes with low numbers are a random sample of the vault, whatever
its folders are, which is what makes estimates and samples sound; and the index does not depend on the order of edits.
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
_PACKED = 1  # the level of compression: the fastest
_INTO = "INSERT INTO search_words(rowid, title, properties, body, marks) VALUES(?, ?, ?, ?, ?)"
_OUT_OF = (
    "INSERT INTO search_words(search_words, rowid, title, properties, body, marks) VALUES('delete', ?, ?, ?, ?, ?)"
)
_COLUMNS = 4
_NUMBERS = 1 << 32  # of notes: a hash is below it; few enough that they take few bytes
_ROOM = 1_000  # for notes that have the same hash as others
_MERGED = 2_000  # pages, at once
_NEAR = 8  # words between
_MOST_LOOKED_UP, _MOST_TERMS = 200, 32
_SAMPLE = 200
_MOST_SCORED = 1_500  # notes, about: it takes a microsecond to score one
_ONE_TERM = 4  # of the notes, one in so many may be scored for the sake of a single term
_ONE = "SELECT 1 FROM search_words WHERE search_words MATCH ? LIMIT 1"
_FIRST = "SELECT count(*), max(rowid) FROM (SELECT rowid FROM search_words WHERE search_words MATCH ? LIMIT ?)"
# The marks say where a note is and count nothing; what is not ranked by its path would be ranked by chance.
_BEST = """
SELECT rowid, bm25(search_words, 4.0, 0.5, 1.0, 0.0) AS score FROM search_words
WHERE search_words MATCH ? AND rowid < ? ORDER BY score, rowid LIMIT ?
"""
# Marks begin with letters for private use, which no term of a query has.
_BELOW, _TITLED = "\ue000", "\ue001"
_WORD = re.compile(r"[^\W_]+")


class Found(NamedTuple):
    """A note that matches, and how well: higher is better."""

    path: str
    score: float
    etag: str  # of what was put in


def texts_of(path: str, data: bytes) -> list[str]:
    """What is put into the index of a note: its title, the values of its properties, its body, its marks."""
    first, last, body = frontmatter.split(data)
    properties = _properties(data[first:last].decode(errors="replace")) if first < last else ""
    title = base_of(name_of(path))
    texts = (title, properties, data[body:].decode(errors="replace"))
    words = [spaced(text).replace("\0", " ") for text in texts]
    return [*words, " ".join(_marks(path, words[0]))]


def _marks(path: str, title: str) -> Iterator[str]:
    """A word for each folder that a note is below, and for each word of its title, to be asked for fast."""
    yield _below("")
    yield from map(_below, folders_of(path))
    for word in _WORD.findall(title):
        yield _TITLED + word


def _below(folder: str) -> str:
    """The mark of what is below a folder; folders compare as names do."""
    return _BELOW + hashlib.blake2b(fold(folder).encode(errors="surrogatepass"), digest_size=8).hexdigest()


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
    number = row[0] if row else _new(connection, path, etag, packed)
    connection.execute(_INTO, (number, *texts))


def merge(connection: sqlite3.Connection, *, begin: bool) -> bool:
    """Do a part of making one piece of the many that a build leaves; whether there is more to do.

    Else they would be merged in the middle of some small edit, and be slow to look up till then.
    """
    before = connection.total_changes
    connection.execute(
        "INSERT INTO search_words(search_words, rank) VALUES('merge', ?)", (-_MERGED if begin else _MERGED,)
    )
    return connection.total_changes - before > 1  # FTS5's way to say that it has done something


def number_of(path: str) -> int:
    """The number of a note, unless another one has it."""
    return int.from_bytes(hashlib.blake2b(path.encode(errors="surrogatepass"), digest_size=8).digest()) % (
        _NUMBERS - _ROOM
    )


def _new(connection: sqlite3.Connection, path: str, etag: str, packed: bytes) -> int:
    """The number of a note that was not in."""
    for number in itertools.count(number_of(path)):
        if not connection.execute("SELECT 1 FROM search_notes WHERE id = ?", (number,)).fetchone():
            break
    if connection.execute("SELECT 1 FROM search_words_docsize WHERE id = ?", (number,)).fetchone():
        raise sqlite3.DatabaseError("a note is missing in it")  # its words would be counted twice
    connection.execute("INSERT INTO search_notes VALUES(?, ?, ?, ?)", (number, path, etag, packed))
    return number


def remove(connection: sqlite3.Connection, path: str) -> None:
    """Take a note out, if it is in."""
    row = connection.execute("SELECT id, texts FROM search_notes WHERE path = ?", (path,)).fetchone()
    if row:
        connection.execute(_OUT_OF, (row[0], *_unpacked(row[1])))
        connection.execute("DELETE FROM search_notes WHERE id = ?", (row[0],))


def _unpacked(packed: bytes) -> list[str]:
    """The texts of a note; a damaged row is a damaged database."""
    try:
        texts = zlib.decompress(packed).decode().split("\0")
    except (zlib.error, UnicodeDecodeError, TypeError) as error:
        raise sqlite3.DatabaseError(f"a text in it is damaged: {error}") from error
    if len(texts) != _COLUMNS:
        raise sqlite3.DatabaseError("a text in it is damaged")
    return texts


class Scope(NamedTuple):
    """Where to look: below any of these folders (None: everywhere), and not below those."""

    folders: Sequence[str] | None = None
    without: Sequence[str] = ()

    def among(self, expression: str) -> str:
        """The expression, for the notes in the scope alone."""
        if self.folders is not None:
            expression = f"({expression}) AND marks : ({_any(map(_below, self.folders))})"
        return f"({expression}) NOT marks : ({_any(map(_below, self.without))})" if self.without else expression


def find(connection: sqlite3.Connection, terms: Sequence[str], limit: int, scope: Scope) -> list[Found]:
    """The notes that hold any of the terms, best first; of those that are equally good, always the same.

    Where the terms have too many notes between them to score each, only those are scored (by all terms) that have the
    rarest terms, or any in their title, which nearly all of the best are among; if those are too few, those with the
    next rarest, too. A term that is in most of many notes says nothing, so it is left out if there are others.
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
    asked = [term for term in counts if term in rarest]
    most = max(_MOST_SCORED, notes // _ONE_TERM if rarest and counts[rarest[0]] <= notes // 2 else 0)
    scores: dict[int, float] = {}
    for needed in range(_how_many([counts[term] for term in rarest]), len(rarest) + 1):
        total = sum(counts[term] for term in rarest[:needed])
        below = _NUMBERS if total <= most else _NUMBERS * most // total
        scores = _scores(connection, asked, set(rarest[:needed]), _Cut(limit, below, scope))
        if len(scores) >= limit:
            break
    best = heapq.nsmallest(limit, scores, key=lambda number: (scores[number], number))
    found = [_found(connection, number, -scores[number]) for number in best]
    return sorted(found, key=lambda each: (-each.score, each.path))


def _with_notes(connection: sqlite3.Connection, folders: Iterable[str]) -> list[str]:
    """Those of the folders that have notes."""
    return [each for each in folders if connection.execute(_ONE, (f"marks : {_any([_below(each)])}",)).fetchone()]


def _found(connection: sqlite3.Connection, number: int, score: float) -> Found:
    row = connection.execute("SELECT path, etag FROM search_notes WHERE id = ?", (number,)).fetchone()
    if not row:
        raise sqlite3.DatabaseError("a note is missing in it")
    return Found(row[0], score, row[1])


def _how_many(counts: Sequence[int]) -> int:
    """How many of the counts add up to no more notes than are scored; one at least."""
    return max(1, sum(1 for total in itertools.accumulate(counts) if total <= _MOST_SCORED))


def _count(connection: sqlite3.Connection, expression: str) -> int:
    """How many notes an expression has; about, where there are many."""
    number: int
    number, last = connection.execute(_FIRST, (expression, _SAMPLE)).fetchone()
    return number if number < _SAMPLE else _SAMPLE * _NUMBERS // (last + 1)


class _Cut(NamedTuple):
    """What is taken of the notes that match."""

    limit: int
    below: int  # only notes with lower numbers
    scope: Scope


def _scores(connection: sqlite3.Connection, terms: Sequence[str], needed: set[str], cut: _Cut) -> dict[int, float]:
    """The best of the notes that hold a needed term, or any in the title, with their BM25; lower is better.

    Terms that follow each other in the query and stand near to each other in a note count once more.
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
    """What asks for the notes with a term in the title, for each term that few titles have."""
    asked = [f"marks : {_any([_TITLED + term])}" for term in terms]
    return [each for each in asked if 0 < _count(connection, cut.scope.among(each)) <= _MOST_SCORED]


def _best(connection: sqlite3.Connection, expression: str, cut: _Cut) -> Iterable[tuple[int, float]]:
    return connection.execute(_BEST, (cut.scope.among(expression), cut.below, cut.limit))


def _any(terms: Iterable[str], pairs: Iterable[tuple[str, str]] = ()) -> str:
    near = (f'NEAR("{one}" "{other}", {_NEAR})' for one, other in pairs)
    return " OR ".join([*map(_phrase, terms), *near])


def _phrase(term: str) -> str:
    """A term, or its mark; one CJK character stands for the words that begin with it."""
    word = term.removeprefix(_TITLED)
    return f'"{term}" *' if is_cjk(word) and len(word) == 1 else f'"{term}"'


def dump(connection: sqlite3.Connection) -> list[str]:
    """All that is in the index: a line for each note, and for each place of a word."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.dumped USING fts5vocab(main, search_words, instance)")
    notes = connection.execute("SELECT path || ' ' || etag FROM search_notes")
    places = connection.execute(
        "SELECT coalesce(path, doc) || ' ' || col || ' ' || \"offset\" || ' ' || term"
        " FROM temp.dumped LEFT JOIN search_notes ON id = doc"
    )
    return [line for (line,) in [*notes, *places]]
