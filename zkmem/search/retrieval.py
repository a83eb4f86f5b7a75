"""Find the notes of the search index that match a query, the best first."""

import functools
import heapq
import itertools
import math
import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.markdown.dates import Dated
from zkmem.search.entry import below_mark, title_mark, word_of_mark
from zkmem.search.fulltext import NUMBERS, IndexedNote, average_length, paths_of, rows_of
from zkmem.search.relevance import Wanted, relevance, words_of_passage
from zkmem.search.stems import Term, stem_of
from zkmem.search.vocabulary import Near, is_typable, near, respelled
from zkmem.util.words import is_single, is_unspaced

_MOST_LOOKED_UP, _MOST_TERMS = 200, 32
_MOST_SEARCHED = 8  # of the terms, the rarest; FTS5 takes long for many, and the candidates are nearly the same
_SAMPLE = 200
_FEW_NOTES = 200
_CANDIDATES = 50  # notes that FTS5 finds
_FIRST_SCORED, _NEXT_SCORED = 10, 4  # of these, the notes to score by their words at once; each takes some 40 µs
_TOP = 10  # it pays to score more while these change
_MOST_SCORED = 1_500  # notes, about, for FTS5 to score, which takes a microsecond each
_ONE_TERM = 4  # for a single term, one in this many of all notes may be scored
_ALONE, _FEW = 1, 10  # notes with any word of a query: so few that near words are searched for, or other spellings
_MOST_RARE = 8  # words of a query for which others are searched for
_MOST_ASKED = 100  # words near one, of which notes outside of the scope, or none any more, may have some
_MOST_COUNTED, _MOST_NEAR = 24, 5  # of those that notes have: to look at, and to search for
_AS_NEAR = 0.5  # how much farther than the nearest word these may be
_OFTEN = 5  # notes with a word, for each note that may have it misspelt
_BESIDE = 0.3  # the weight of a word near one that notes have
_NEAREST = 1.2  # the weight of a near word is divided by this and how far it is
_ONE = "SELECT 1 FROM search_words WHERE search_words MATCH ? LIMIT 1"
_FIRST = "SELECT count(*), max(rowid) FROM (SELECT rowid FROM search_words WHERE search_words MATCH ? LIMIT ?)"
_FIRST_OF_ALL = "SELECT count(*), max(id) FROM (SELECT id FROM search_words_docsize ORDER BY id LIMIT ?)"
# Marks say where a note is, and have no weight. Notes with equal scores are ordered by number, not by chance.
_BEST = """
SELECT rowid, bm25(search_words, 3.0, 1.0, 0.0) AS score FROM search_words
WHERE search_words MATCH ? AND rowid < ? ORDER BY score, rowid LIMIT ?
"""
# Among the notes of a temporary table. With `+`, SQLite goes through the notes that match, not through that table.
_BEST_AMONG = _BEST.replace("rowid < ?", "+rowid IN temp.search_among")
_MOST_READ = 20  # notes whose words are read
_MATCHING = "SELECT rowid FROM search_words WHERE search_words MATCH ?"


class Match(NamedTuple):
    """A note that matches, and its score: higher is better."""

    path: str
    score: float
    etag: str  # the note's etag when it was added
    dated: Dated
    words: list[str]  # in the best passage, that have the stem of a term


class Rarity(NamedTuple):
    """How many notes there are, how many have a phrase, and how many have each of some stems."""

    notes: int
    phrase: int
    stems: Mapping[str, int]

    def chance(self, stems: Iterable[str]) -> float:
        """Return how many notes would have the phrase and all of these stems, if words came by chance.

        In a small vault, each word counts as rare: its notes are about few things.
        """
        return self.phrase * math.prod(min(1.0, self.stems[stem] / max(_FEW_NOTES, self.notes)) for stem in stems)


class Scope(NamedTuple):
    """The folders to search: below any of `folders` (None: everywhere), and below none of `without`."""

    folders: Sequence[str] | None = None
    without: Sequence[str] = ()

    def restrict(self, expression: str) -> str:
        """Return the expression, restricted to the notes in the scope."""
        if self.folders is not None:
            marks = _any(map(below_mark, self.folders)) or '""'  # which no note has
            expression = f"({expression}) AND marks : ({marks})"
        return f"({expression}) NOT marks : ({_any(map(below_mark, self.without))})" if self.without else expression


_EVERYWHERE = Scope()


class Counts(dict[str, int]):
    """How many notes in a scope have each stem, or several stems in this order; high numbers are estimates.

    Notes are counted when a stem is first asked for.
    """

    def __init__(self, connection: sqlite3.Connection, scope: Scope = _EVERYWHERE) -> None:
        """Count the notes of an index. Folders without notes are taken out of the scope."""
        super().__init__()
        self.connection = connection
        folders = None if scope.folders is None else _with_notes(connection, scope.folders)
        self.scope = Scope(folders, _with_notes(connection, scope.without))

    def __missing__(self, stem: str) -> int:
        count = self[stem] = _count(self.connection, self.scope.restrict(_phrase(stem)))
        return count

    @functools.cached_property
    def notes(self) -> int:
        """How many notes are in the scope."""
        if self.scope == _EVERYWHERE:
            return _count_all(self.connection)
        return _count(self.connection, self.scope.restrict(_phrase(below_mark(""))))


class RareWord(NamedTuple):
    """A word of a query that no note has, or few, and the words that are searched for beside it."""

    word: str
    notes: int
    others: list[str]


def find(
    counts: Counts, terms: Sequence[Term], limit: int, among: Collection[int] | None = None, *, near_words: bool = False
) -> tuple[list[Match], list[RareWord]]:
    """Return the notes that contain any of the terms, best first, and the words that no note has, or few.

    `counts`: those of the scope to search; `among`: the numbers of the notes to choose from (None: all in the scope);
    `near_words`: whether to search for words near those that no note has, or few. Without it, these are not returned.

    FTS5 finds candidates, and these are scored by their words until four in a row are not among the best ten. If the
    limit asks for more, the other candidates follow, and then those of twice as many. None of these steps depends on
    the limit, so the first notes are the same for every limit. The order of equally good notes is fixed.

    If too many notes contain a term for FTS5 to score each of them, only notes with the rarest terms, or with any term
    in the title, are candidates. Nearly all of the best notes are among these. If they are too few, notes with the next
    rarest term are candidates, too. A term that is in most notes of a large vault is not searched for if there are
    other terms.
    """
    connection = counts.connection
    if counts.scope.folders == ():
        return [], []
    notes, having = counts.notes, occurrences(counts, terms)
    added, rare = _near_terms(counts, having) if near_words else ({}, [])
    having |= added
    searched = {term.stem: having[term] for term in sorted(having, key=having.__getitem__) if having[term]}
    searched = dict(itertools.islice(searched.items(), _MOST_TERMS))

    wanted = [Wanted.of(term, notes, having[term]) for term in having if term.stem in searched]
    average = average_length(connection, notes if counts.scope == _EVERYWHERE else _count_all(connection))
    best = _Retrieval(connection, counts.scope, among, notes, searched, wanted, average).best(limit)
    return [
        Match(note.path, score, note.etag, note.dated, words_of_passage(note.words, wanted, at))
        for score, at, note in best[:limit]
    ], rare


class _Scored(NamedTuple):
    """A note, its score, and where its best passage begins."""

    score: float
    at: int
    note: IndexedNote

    def order(self) -> tuple[float, str]:
        """Return what to sort by."""
        return -self.score, self.note.path


class _Retrieval(NamedTuple):
    """A search whose terms are looked up: finds candidates, and scores them."""

    connection: sqlite3.Connection
    scope: Scope
    among: Collection[int] | None
    notes: int  # in the scope
    searched: Mapping[str, int]  # how many notes have each stem, the rarest first
    wanted: Sequence[Wanted]
    average: float  # words of a note

    def best(self, limit: int) -> list[_Scored]:
        """Return at least `limit` notes if so many match, best first."""
        most, numbers = _CANDIDATES, self._candidates(_CANDIDATES)
        notes = self._scored(numbers)
        best = sorted(itertools.islice(notes, _FIRST_SCORED), key=_Scored.order)
        while more := list(itertools.islice(notes, _NEXT_SCORED)):
            top = best[:_TOP]
            best = sorted(best + more, key=_Scored.order)
            if best[:_TOP] == top:
                break
        seen = {each.note.number for each in best}
        while limit > len(best):
            others = sorted(self._scored([number for number in numbers if number not in seen]), key=_Scored.order)
            best += [each._replace(score=min(each.score, best[-1].score)) for each in others]
            if limit <= len(best) or len(numbers) < most:
                break
            seen.update(numbers)
            most *= 2
            numbers = self._candidates(most)
        return best

    def _candidates(self, most: int) -> list[int]:
        cut = _Cut(most, NUMBERS, self.scope)
        if self.among is None:
            return _candidates(self.connection, self.searched, self.notes, cut)
        return _candidates_among(self.connection, self.searched, self.among, cut)

    def _scored(self, numbers: Iterable[int]) -> Iterator[_Scored]:
        """Yield notes with their scores. A note is read when it is asked for."""
        for note in rows_of(self.connection, numbers):
            yield _Scored(*relevance(note.words, self.wanted, self.average), note)


def occurrences(counts: Counts, terms: Iterable[Term]) -> dict[Term, int]:
    """Return how many notes have each of the first terms."""
    return {term: counts[term.stem] for term in itertools.islice(terms, _MOST_LOOKED_UP)}


def _near_terms(counts: Counts, having: Mapping[Term, int]) -> tuple[dict[Term, int], list[RareWord]]:
    """Return the terms near those that no note has, or few, and how many notes have each; and these rare words."""
    total = sum(having.values())
    rare = [term for term, count in having.items() if (not count or total <= _FEW) and not _is_in_other(term, having)]
    spaced = [term for term in rare if not is_unspaced(term.word)]
    own = {one.stem for one in having}
    added: dict[str, tuple[Term, int]] = {}  # by stem
    rare_words = []
    for term in [*spaced[:_MOST_RARE], *(term for term in rare[:_MOST_TERMS] if is_unspaced(term.word))]:
        others = _nearest(counts, term, having[term], total)
        added |= {one.stem: (one, count) for one, count in others.items() if one.stem not in own}
        if is_typable(term.word) and (others or not having[term]):
            rare_words.append(RareWord(term.word, having[term], [one.word for one in others]))
    return dict(added.values()), rare_words


def _is_in_other(term: Term, having: Mapping[Term, int]) -> bool:
    """Return whether notes have the letters of a term in another term: those of `nodejs` in `node js`."""
    return any(count and one is not term and term.word in one.word.replace(" ", "") for one, count in having.items())


def _nearest(counts: Counts, term: Term, known: int, total: int) -> dict[Term, int]:
    """Return the terms nearest to a term, and how many notes have each.

    `known`: how many notes have the term; `total`: how many have any term of the query. All of these are in the scope,
    so words of other notes change nothing.
    """
    only_respelled = total if is_unspaced(term.word) else known and total > _ALONE
    if only_respelled:
        options = respelled(counts.connection, term.word)
    else:
        options = near(counts.connection, term.word, lambda word: counts[stem_of[word]] > 0)
    nearest: dict[str, tuple[Near, int]] = {}  # by stem, the nearest word of each
    used = (one for one in options[:_MOST_ASKED] if counts[stem_of[one.word]])
    for one in itertools.islice(used, _MOST_COUNTED):
        stem = stem_of[one.word]
        notes = counts[stem]
        if stem not in nearest and (one.far < 1 or not known or (one.far == 1 and notes >= known * _OFTEN)):
            nearest[stem] = one, notes
    best = sorted(nearest.values(), key=lambda each: (each[0].far, -each[1]))[:_MOST_NEAR]
    share = _BESIDE if known else 1.0
    return {
        Term(stem_of[one.word], one.word, share * term.weight / (_NEAREST + one.far)): max(notes, known)
        for one, notes in best
        if one.far <= best[0][0].far + _AS_NEAR and stem_of[one.word] != term.stem
    }


def rarity(connection: sqlite3.Connection, phrase: int, stems: Iterable[str]) -> Rarity:
    """Return how many notes there are, how many have a phrase (`phrase`), and how many have each of some stems."""
    return Rarity(_count_all(connection), phrase, counts_of(connection, stems))


def counts_of(connection: sqlite3.Connection, stems: Iterable[str]) -> dict[str, int]:
    """Return how many notes have each of some stems, without those that none has."""
    counts = Counts(connection)
    return {stem: counts[stem] for stem in stems if counts[stem]}


def with_any(connection: sqlite3.Connection, stems: Iterable[str], most: int) -> list[IndexedNote]:
    """Return at most `most` notes that have any of some stems, those with the best scores."""
    rows = connection.execute(_BEST, (_any(stems), NUMBERS, most))
    return list(rows_of(connection, [number for number, _ in rows]))


def with_phrase(connection: sqlite3.Connection, phrase: Sequence[str], most: int) -> list[str]:
    """Return the paths of at most `most` notes that have a phrase."""
    found = connection.execute(f"{_MATCHING} LIMIT ?", (f'"{" ".join(phrase)}"', most))
    return paths_of(connection, [number for (number,) in found])


def words_begun(connection: sqlite3.Connection, begun: str, scope: Scope) -> list[str]:
    """Return words of notes in a scope that begin with a text in lower case, the commonest first."""
    rows = rows_of(connection, notes_begun(connection, begun, scope, _MOST_READ))
    pattern = re.compile(rf" ({re.escape(begun)}[^~\n]*)~([^\n]*)\n")
    words = Counter(word or stem for row in rows for stem, word in pattern.findall(row.words.title + row.words.text))
    return [word for word, _ in words.most_common()]


def numbers_in(connection: sqlite3.Connection, scope: Scope) -> set[int]:
    """Return the numbers of all notes in a scope."""
    return notes_with(connection, [below_mark("")], scope)


def notes_with(connection: sqlite3.Connection, stems: Iterable[str], scope: Scope) -> set[int]:
    """Return the numbers of the notes in a scope that have any of some stems or marks."""
    return {number for (number,) in connection.execute(_MATCHING, (scope.restrict(_any(stems)),))}


def notes_begun(connection: sqlite3.Connection, begun: str, scope: Scope, most: int) -> list[int]:
    """Return the numbers of at most `most` notes in a scope that have a stem or a mark with this beginning."""
    found = connection.execute(f"{_MATCHING} LIMIT ?", (scope.restrict(f'"{begun}" *'), most))
    return [number for (number,) in found]


def newest(connection: sqlite3.Connection, limit: int, among: Collection[int]) -> list[Match]:
    """Return some notes, those with the latest dates first."""
    rows = connection.execute("SELECT id, path, etag, date, dated FROM search_notes ORDER BY date DESC, path")
    found = (Match(path, 0.0, etag, Dated(*date), []) for number, path, etag, *date in rows if number in among)
    return list(itertools.islice(found, limit))


def _candidates(connection: sqlite3.Connection, counts: Mapping[str, int], notes: int, cut: "_Cut") -> list[int]:
    """Return the numbers of the notes that may be the best. `counts`: how many have each stem, the rarest first."""
    if not counts:
        return []
    rarest = [stem for stem in counts if counts[stem] <= max(notes // 2, _MOST_SCORED)] or list(counts)
    most = max(_MOST_SCORED, 2 * cut.limit, notes // _ONE_TERM if counts[rarest[0]] <= notes // 2 else 0)
    first = _how_many([counts[stem] for stem in rarest])
    scores: dict[int, float] = {}
    for needed in sorted({*range(min(first, _MOST_SEARCHED), min(len(rarest), _MOST_SEARCHED) + 1), len(rarest)}):
        total = sum(counts[stem] for stem in rarest[:needed])
        below = NUMBERS if total <= most else NUMBERS * most // total
        searched = rarest[: max(needed, _MOST_SEARCHED)]
        scores = _scores(connection, searched, set(rarest[:needed]), cut._replace(below=below))
        if len(scores) >= cut.limit:
            break
    return heapq.nsmallest(cut.limit, scores, key=lambda number: (scores[number], number))


def _candidates_among(
    connection: sqlite3.Connection, stems: Collection[str], among: Iterable[int], cut: "_Cut"
) -> list[int]:
    """Return the numbers of the notes that may be the best, out of some notes."""
    if not stems:
        return []
    connection.execute("CREATE TABLE IF NOT EXISTS temp.search_among(id INTEGER PRIMARY KEY)")
    connection.execute("DELETE FROM temp.search_among")
    connection.executemany("INSERT INTO temp.search_among VALUES(?)", ((number,) for number in among))
    rows = connection.execute(_BEST_AMONG, (cut.scope.restrict(_any(stems)), cut.limit))
    return [number for number, _ in rows]


def _with_notes(connection: sqlite3.Connection, folders: Iterable[str]) -> tuple[str, ...]:
    """Return those of the folders that have notes."""
    marks = {each: f"marks : {_any([below_mark(each)])}" for each in folders}
    return tuple(each for each, mark in marks.items() if connection.execute(_ONE, (mark,)).fetchone())


def _how_many(counts: Sequence[int]) -> int:
    """Return how many of the first counts add up to at most `_MOST_SCORED` notes; at least one."""
    return max(1, sum(1 for total in itertools.accumulate(counts) if total <= _MOST_SCORED))


def _count(connection: sqlite3.Connection, expression: str) -> int:
    """Return how many notes match an expression; an estimate if there are many."""
    return _estimate(*connection.execute(_FIRST, (expression, _SAMPLE)).fetchone())


def _count_all(connection: sqlite3.Connection) -> int:
    """Return how many notes there are; an estimate if there are many."""
    return _estimate(*connection.execute(_FIRST_OF_ALL, (_SAMPLE,)).fetchone())


def _estimate(number: int, last: int) -> int:
    """Return how many notes there are if `number` of the first ones were counted, the last of them `last`."""
    return number if number < _SAMPLE else _SAMPLE * NUMBERS // (last + 1)


class _Cut(NamedTuple):
    """The limits on the notes that match."""

    limit: int  # candidates
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
    if cut.below < NUMBERS and (titled := _titled(connection, stems, cut)):
        queries.append((f"({' OR '.join(titled)}) AND ({_any(stems)})", cut._replace(below=NUMBERS)))
    scores: dict[int, float] = {}
    for expression, each in queries:
        for number, score in _best(connection, expression, each):
            scores[number] = min(score, scores.get(number, 0.0))
    return scores


def _titled(connection: sqlite3.Connection, stems: Iterable[str], cut: _Cut) -> list[str]:
    """Return an expression for the notes with a stem in the title, for each stem that few titles contain."""
    expressions = [f"marks : {_any([title_mark(stem)])}" for stem in stems]
    return [each for each in expressions if 0 < _count(connection, cut.scope.restrict(each)) <= _MOST_SCORED]


def _best(connection: sqlite3.Connection, expression: str, cut: _Cut) -> Iterable[tuple[int, float]]:
    return connection.execute(_BEST, (cut.scope.restrict(expression), cut.below, cut.limit))


def _any(stems: Iterable[str]) -> str:
    return " OR ".join(map(_phrase, stems))


def _phrase(stem: str) -> str:
    """Return the phrase for a stem or a mark; a single CJK character matches all words that begin with it."""
    return f'"{stem}" *' if is_single(word_of_mark(stem)) else f'"{stem}"'
