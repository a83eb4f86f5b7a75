"""The score of a note for a query: it equals the plain formula, and what raises it."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkmem.search.entry import entry_of
from zkmem.search.fulltext import unpacked
from zkmem.search.relevance import PackedWords, Wanted, packed, relevance, stems_in, words_of_passage
from zkmem.search.stems import Term, stems, terms_of
from zkmem.util.words import tokens

WORDS = ["run", "runs", "running", "tea", "teas", "went", "go", "记忆", "忆", "x"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=80)
TERMS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique_by=lambda word: stems([word])[0])
AVERAGE = 25.0


def note(title: list[str], text: list[str]) -> PackedWords:
    return PackedWords(packed(title), packed(text), len(text))


def wanted(terms: list[str]) -> list[Wanted]:
    return [Wanted.of(Term(stems([word])[0], word), 100, 10 + number) for number, word in enumerate(terms)]


def by_formula(title: list[str], text: list[str], terms: list[str]) -> float:
    """The score of a note, computed from its words; passages are windows of characters of packed words."""

    def bm25(part: list[str], times: int, scale: float) -> float:
        here, there, words = Counter(stems(part)), Counter(stems(title)), Counter(part)
        score = 0.0
        for number, word in enumerate(terms):
            (stem,), single = stems([word]), word == "忆"
            many = sum(here[one] for one in here if one.startswith(word)) if single else here[stem]
            stem_count = many + times * (sum(t.startswith(word) for t in stems(title)) if single else there[stem])
            exact = stem_count if single else words[word] + times * Counter(title)[word]
            weight = math.log(1 + (100 - (10 + number) + 0.5) / (10 + number + 0.5)) * 2.2
            score += weight * (stem_count / (stem_count + scale) + 0.5 * exact / (exact + scale))
        return score

    places = [0]
    for word in text:
        places.append(places[-1] + len(packed([word])))
    width = 30 * places[-1] // max(1, len(text))
    windows = [
        [word for word, at in zip(text, places, strict=False) if start <= at < start + width] for start in places[:-1]
    ]
    best = max([bm25(window, 1, 1.2) for window in windows], default=bm25([], 1, 1.2))
    return bm25(text, 3, 1.2 * (0.25 + 0.75 * len(text) / AVERAGE)) + 0.5 * best


@given(title=st.lists(st.sampled_from(WORDS), max_size=3), text=TEXTS, terms=TERMS)
def test_the_score_equals_the_formula(title: list[str], text: list[str], terms: list[str]) -> None:
    score = relevance(note(title, text), wanted(terms), AVERAGE).score
    assert score == pytest.approx(by_formula(title, text, terms))


@given(text=st.text(max_size=200))
def test_packed_words_have_the_stems_of_the_text(text: str) -> None:
    words = tokens(text)
    assert stems_in(packed(words)).split() == stems(words)


def test_a_word_in_all_notes_never_lowers_a_score() -> None:
    assert Wanted.of(Term("tea", "tea"), 1_000, 1_030).weight > 0


def indexed(path: str, data: bytes) -> PackedWords:
    """Return the words that the index has of a note."""
    return unpacked(entry_of(path, data, "").words)


def test_the_words_of_the_best_passage_are_named() -> None:
    words = indexed("a.md", f"He ran once. {'Filler. ' * 50}They are running, she goes.".encode())
    terms = [Wanted.of(term, 100, 10) for term in terms_of("run go")]
    assert words_of_passage(words, terms, relevance(words, terms, AVERAGE).at) == ["running", "goes"]


def test_a_word_of_the_title_stands_for_a_passage() -> None:
    words = indexed("Running.md", b"Filler.")
    terms = [Wanted.of(term, 100, 10) for term in terms_of("run")]
    assert words_of_passage(words, terms, relevance(words, terms, AVERAGE).at) == ["running"]
