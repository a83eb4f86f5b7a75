"""Compute how well notes match a query, from their packed words.

Packed words are one string that has, for each word of a text in order, its stem and, if it differs, the word itself:
` stem~word` or ` stem~`, and a line end. Finding a stem in such a string is fast, and the string compresses well.

The score of a note is the sum of two BM25 scores: that of the whole note, and that of its best passage. Both count the
stems of the query, and beside them the words as the query has them. The constants were found with collections of notes
and questions: see docs/explanation/search.md.
"""

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from zkmem.search.stems import Memo, Term, stem_of
from zkmem.util.words import is_single

_K1, _B = 1.2, 0.75  # of BM25, the usual values
_EXACT = 0.5  # what the exact form of a word counts beside its stem
_TITLE = 3  # how often a word of the title counts
_PASSAGE = 30  # words
_PASSAGE_WEIGHT = 0.5

_MOST_PLACES = 2_000  # of one term in a text; a title has at most some hundred
_SATURATED = [count / (count + _K1) for count in range(2 * _MOST_PLACES)]
_BITS = 8  # of the number of a term
_MASK = (1 << _BITS) - 1
_REST = re.compile("~[^\n]*\n")
_TermInNote = tuple[float, int, int]
"""The weight of a term that the note has, and how often its stem and its exact form are in the title."""


class PackedWords(NamedTuple):
    """The packed words of a note, and the number of words of the text."""

    title: str
    text: str
    length: int
    headings: str = ""  # words that the headings have, not packed, each once


class Wanted(NamedTuple):
    """A term of a query, in the form of packed words, and what it weighs in one index."""

    stem: str
    exact: str  # the stem with the word of the query
    weight: float

    @classmethod
    def of(cls, term: Term, notes: int, having: int) -> "Wanted":
        """Return a term with its weight. `having`: how many of the `notes` notes have it."""
        having = min(having, notes)  # both may be estimates
        weight = term.weight * math.log(1 + (notes - having + 0.5) / (having + 0.5)) * (_K1 + 1)
        if " " in term.stem:  # words in this order, which count only in their exact forms
            return cls(packed(term.word.split()), packed(term.word.split()), weight)
        if is_single(term.stem):  # it stands for all words that begin with it
            return cls(f" {term.stem}", f" {term.stem}", weight)
        return cls(f" {term.stem}~", packed([term.word]), weight)


def _pack(word: str) -> str:
    stem = stem_of[word]
    return f" {stem}~\n" if stem == word else f" {stem}~{word}\n"


_packed = Memo(_pack)


def packed(words: Iterable[str]) -> str:
    """Return words as one string in packed form."""
    return "".join(map(_packed.__getitem__, words))


def stems_in(text: str) -> str:
    """Return the stems of packed words, each after a blank."""
    return _REST.sub("", text)


class Relevance(NamedTuple):
    """The score of a note, and where its best passage begins in the packed words of the text."""

    score: float
    at: int


def relevance(words: PackedWords, wanted: Iterable[Wanted], average: float) -> Relevance:
    """Return how well a note matches.

    `average`: how many words the texts of the index have on average.
    """
    scale = _K1 * (1 - _B + _B * words.length / max(1.0, average))
    whole = 0.0
    places: list[int] = []
    there: list[_TermInNote] = []
    for each in wanted:
        own = _places(words.text, each, len(there))
        titled = words.title.count(each.stem)
        if own or titled:
            exact_titled = titled and words.title.count(each.exact)
            stem = len(own) + _TITLE * titled
            exact = sum([place & 1 for place in own]) + _TITLE * exact_titled
            whole += each.weight * (stem / (stem + scale) + _EXACT * exact / (exact + scale))
            places += own
            there.append((each.weight, titled, exact_titled))
    places.sort()
    score, at = _best_passage(places, there, _width(words))
    return Relevance(whole + _PASSAGE_WEIGHT * score, at)


def words_of_passage(words: PackedWords, wanted: Iterable[Wanted], at: int) -> list[str]:
    """Return the words in the passage at a place that have the stem of a term, each once.

    If the text has no such word, return those of the title.
    """
    end = words.text.find("\n", min(at + _width(words), len(words.text) - 1)) + 1
    for part in (words.text[at:end], words.title):
        starts = [place >> _BITS + 1 for each in wanted for place in _places(part, each, 0)]
        pairs = [part[start + 1 : part.index("\n", start)].split("~") for start in starts]
        if pairs:
            return list(dict.fromkeys(word or stem for stem, word in pairs))
    return []


def _width(words: PackedWords) -> int:
    """Return how many characters of packed words a passage has."""
    return _PASSAGE * len(words.text) // max(1, words.length)


def _places(text: str, one: Wanted, number: int) -> list[int]:
    """Return the first places of a term. `number`: that of the term in the list of terms.

    A place is one integer, because the garbage collector would look at each of many tuples: where the term is, the
    number of the term in `_BITS` bits, and a bit that says whether it is the exact word.
    """
    places: list[int] = []
    stem, exact, _ = one
    at = text.find(stem)
    while at >= 0 and len(places) < _MOST_PLACES:
        places.append((at << _BITS | number) << 1 | text.startswith(exact, at))
        at = text.find(stem, at + 1)
    return places


def _best_passage(places: Sequence[int], there: Sequence[_TermInNote], width: int) -> tuple[float, int]:
    """Return the BM25 score of the best passage of so many characters, and where it begins.

    The title counts as a part of each passage. `places`: in order; `there`: by the numbers of the terms in them.
    """
    weights = [weight for weight, _, _ in there]
    stems = [stem for _, stem, _ in there]
    exacts = [exact for _, _, exact in there]
    scores = [weight * (_SATURATED[stem] + _EXACT * _SATURATED[exact]) for weight, stem, exact in there]
    best = score = sum(scores)
    begin = first = 0
    width <<= _BITS + 1
    for place in places:
        while places[first] <= place - width:
            gone = places[first]
            number = gone >> 1 & _MASK
            stems[number] -= 1
            exacts[number] -= gone & 1
            score -= scores[number]
            scores[number] = weights[number] * (_SATURATED[stems[number]] + _EXACT * _SATURATED[exacts[number]])
            score += scores[number]
            first += 1
        number = place >> 1 & _MASK
        stems[number] += 1
        exacts[number] += place & 1
        score -= scores[number]
        scores[number] = weights[number] * (_SATURATED[stems[number]] + _EXACT * _SATURATED[exacts[number]])
        score += scores[number]
        if score > best:
            best, begin = score, places[first] >> _BITS + 1
    return best, begin
