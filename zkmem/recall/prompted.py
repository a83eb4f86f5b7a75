"""Choose the notes to give to a model with a person's prompt, or none.

A note fits if one of its passages says much of what one sentence of the prompt says: the passage has at least two rare
words of the sentence, and words with at least half of the sentence's weight. A word weighs the more, the fewer notes
have it; one that no note has weighs most. So a long prompt with some words that a note has by chance gets nothing.
The limits were found with `python -m benchmarks.prompts`.

The search index is used as it is in the cache; the index of links is not needed.
"""

import math
import re
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple, Self

from zkmem.markdown.private import is_private
from zkmem.search.retrieval import Counts, Match, find, occurrences
from zkmem.search.snippet import note_snippet
from zkmem.search.stems import Term, stem_of, terms_of
from zkmem.util.words import folded, is_unspaced, plain
from zkmem.vault.files import Read, etag
from zkmem.vault.obsidian import Templates

MOST = 3  # notes for a prompt

_READ = 4_000  # characters of a prompt: half of them from its beginning, half from its end
_SEARCHED = 3  # sentences to search for: those with the heaviest words
_MATCHES = 8  # notes to look at for each of these
_RARE, _FEW = 0.05, 2  # a word is rare if at most this share of the notes has it, or only so few notes
_RARE_WORDS = 2  # of the sentence that a passage has at least
_COVERED = 0.5  # the share of the sentence's weight that a passage has at least
_UNSEEN_PAIR = 0.5  # how much of its weight a pair of characters keeps that no note has: it may join two words
_SENTENCE_END = re.compile(r"[.!?;:]\s|[。！？；：\n]")


class Fitting(NamedTuple):
    """A note that fits a prompt."""

    path: str
    passage: str  # the best one: about 200 characters in one line


def fitting(connection: sqlite3.Connection, read: Read, prompt: str, left_out: Collection[str] = ()) -> list[Fitting]:
    """Return at most three notes that fit a prompt, the best first. For most prompts there is none.

    `connection`: that of the search index; `read`: returns the bytes of a note, or raises an `OSError`; `left_out`: the
    paths of other notes that are not returned, as are private notes and templates.
    """
    best: dict[str, Match] = {}
    for sentence in _sentences(connection, prompt):
        for match in find(Counts(connection), sentence.terms, _MATCHES)[0]:
            if sentence.is_in({stem_of[word] for word in match.words}):
                best[match.path] = max(match, best.get(match.path, match), key=lambda each: each.score)
    if not best:
        return []
    templates = Templates.of(read)
    chosen: list[Fitting] = []
    for match in sorted(best.values(), key=lambda each: (-each.score, each.path)):
        if len(chosen) < MOST and match.path not in left_out and not templates.has(match.path):
            chosen += _fitting(match, read)
    return chosen


def _fitting(match: Match, read: Read) -> Iterator[Fitting]:
    """Yield a note that matches, unless it is private, or has changed and lost the words since it was indexed."""
    try:
        data = read(match.path)
    except OSError:
        return
    if is_private(match.path, data):
        return
    if etag(data) != match.etag:
        text = folded(plain(data.decode(errors="replace")))
        if not all(word in text for word in match.words):
            return
    yield Fitting(match.path, note_snippet(data, match.words, ()))


class _Sentence(NamedTuple):
    """A sentence of a prompt."""

    terms: list[Term]
    weights: Mapping[str, float]  # by stem
    rare: frozenset[str]  # stems that some notes have, but few

    @classmethod
    def of(cls, terms: list[Term], notes: int, having: Mapping[str, int]) -> Self:
        """Return the sentence with these terms. `having`: how many of the `notes` notes have each stem."""
        weights = {term.stem: _weight(term.stem, notes, having[term.stem]) for term in terms}
        most = max(_FEW, _RARE * notes)
        return cls(terms, weights, frozenset(stem for stem in weights if 0 < having[stem] <= most))

    def is_in(self, stems: Collection[str]) -> bool:
        """Return whether a passage with these stems says enough of the sentence."""
        rare = self.rare.intersection(stems)
        needed = _RARE_WORDS + any(map(is_unspaced, rare))  # two pairs of characters may be one word
        covered = sum(self.weights[stem] for stem in self.weights.keys() & stems)
        return len(rare) >= needed and covered >= _COVERED * self.weight

    @property
    def weight(self) -> float:
        """The weight of all words together."""
        return sum(self.weights.values())


def _sentences(connection: sqlite3.Connection, prompt: str) -> list[_Sentence]:
    """Return the sentences of a prompt that a note may answer, the heaviest first."""
    if len(prompt) > _READ:
        prompt = f"{prompt[: _READ // 2]}\n{prompt[-_READ // 2 :]}"
    parts = [terms_of(part) for part in _SENTENCE_END.split(prompt)]
    every = {term.stem: term for part in parts for term in part}
    counts = Counts(connection)
    having = {term.stem: count for term, count in occurrences(counts, every.values()).items()}
    whole = [part for part in parts if part and all(term.stem in having for term in part)]
    sentences = [_Sentence.of(part, counts.notes, having) for part in whole]
    possible = [one for one in sentences if one.is_in([stem for stem in one.weights if having[stem]])]
    return sorted(possible, key=lambda one: -one.weight)[:_SEARCHED]


def _weight(stem: str, notes: int, having: int) -> float:
    weight = math.log(1 + (notes - having + 0.5) / (having + 0.5)) if having <= notes else 0.0
    return weight if having or not is_unspaced(stem) else weight * _UNSEEN_PAIR
