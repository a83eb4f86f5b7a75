"""The words of a search index, to find those near a word that no note has.

A word is near another if one is an inflected form, a part or another spelling of the other (`Mueller` for `Müller`), or
if at most two mistakes make one of the other. An FTS5 table finds such words by the groups of three letters in them.

Words are added with the notes that have them, and stay when the notes change: whoever looks up a word says which words
notes still have. The vocabulary has no words that nobody types: very long ones, and those with digits.
"""

import functools
import itertools
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

import Stemmer

from zkmem.util.words import STOP_WORDS, is_unspaced, meaning_parts, other_characters

_SHORTEST, _LONGEST = 2, 40  # letters of a word
_MOST_WORDS = 1_000_000  # of an index

_ADD = "INSERT OR IGNORE INTO search_vocabulary(word) VALUES(?)"
_ADD_GRAMS = "INSERT INTO search_grams(rowid, grams) VALUES(?, ?)"
_HAVING = """
SELECT word FROM search_grams JOIN search_vocabulary ON id = search_grams.rowid
WHERE search_grams MATCH ? AND length(word) BETWEEN ? AND ? LIMIT ?
"""
_KNOWN = "SELECT word FROM search_vocabulary WHERE word IN (%s)"
_BEGINNING = "SELECT word FROM search_vocabulary WHERE word >= ? AND word < ? AND length(word) <= ? LIMIT ?"
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM search_grams WHERE search_grams MATCH ? LIMIT ?)"
_MOST_READ, _MOST_COUNTED = 8_000, 3_000  # words of one look-up, and with one group of letters

_GRAM = 3
_EDGE = "0"  # stands before and after a word
_SPREAD = 4  # groups of letters that one mistake changes at most
_ONE_MISTAKE, _MOVED, _TWO_MISTAKES, _ANY_TWO = 5, 6, 7, 9  # the fewest letters of a word with such mistakes

_LANGUAGES = ("german", "french", "spanish", "italian", "portuguese", "dutch", "swedish", "russian")
_ENDINGS = re.compile(r"(?:aux|al|ien|en|ae|ia|ium|um|us|on|os|is|as|es|a|o|i|e)\Z")  # Museum, Museen; cheval, chevaux
_STEM, _ENDING = 3, 4  # the fewest letters of a stem, the most of an ending

_PART, _LONG_PART = 4, 5  # the fewest letters of a part beside others, and alone
_LINKS = ("", "s", "n", "en", "es", "er", "e")  # letters between the parts of a German compound
_DIGRAPHS = {"ae": "a", "oe": "o", "ue": "u", "aa": "a", "dj": "d"}  # other spellings of letters with marks
_DIGRAPH = re.compile("|".join(_DIGRAPHS))
_MOST_SPELLINGS = 24

_FORMS = 3  # inflected forms of one part
# How far words are that have no mistake, and how much farther one with another first letter is.
_RESPELLED, _INFLECTED, _COMPOSED, _WITHIN, _PARTED, _OTHER_FIRST = 0.2, 0.4, 0.9, 1.2, 2.0, 0.3


class Near(NamedTuple):
    """A word near another one, and how far it is: about the number of mistakes."""

    word: str
    far: float


def typable(words: Iterable[str]) -> Iterator[str]:
    """Yield those of some words that a person may type, and so mistype; they have only letters."""
    for word in words:
        if _SHORTEST <= len(word) <= _LONGEST and word.isalpha() and (word.isascii() or not is_unspaced(word)):
            yield word


def is_typable(word: str) -> bool:
    """Return whether a person may type a word."""
    return any(typable([word]))


def add(connection: sqlite3.Connection, words: Collection[str]) -> None:
    """Add words to the vocabulary. The transaction must be open."""
    (last,) = connection.execute("SELECT max(id) FROM search_vocabulary").fetchone()
    if (last or 0) >= _MOST_WORDS:
        return
    for word in sorted(words):
        added = connection.execute(_ADD, (word,))
        if added.rowcount:
            connection.execute(_ADD_GRAMS, (added.lastrowid, " ".join(_grams(f"{_EDGE}{word}{_EDGE}"))))


def respelled(connection: sqlite3.Connection, word: str) -> list[Near]:
    """Return the words that are another spelling of a word; some may be in no note any more."""
    if is_unspaced(word):
        known = other_characters(word)
    else:
        known = _known(connection, _spellings(word)) if is_typable(word) else []
    return [Near(one, _RESPELLED) for one in known]


def near(connection: sqlite3.Connection, word: str, has: Callable[[str], bool]) -> list[Near]:
    """Return the words near a word, the nearest first, without the word itself; some may be in no note any more.

    `has`: returns whether a note that is searched has a word; where one word makes others needless, it must have it.
    For a pair of characters without blanks, these are its characters, each of which stands for all pairs with it.
    """
    if not is_typable(word):
        return [*respelled(connection, word), *(Near(part, _PARTED) for part in meaning_parts(word))]
    if len(word) < _STEM:
        return respelled(connection, word)
    nearest: dict[str, float] = {}
    for words in (
        respelled(connection, word),
        ((other, _INFLECTED) for one in [word, *_spellings(word)] for other in _inflected(connection, one)),
        *(
            found
            for one in {word, _short(word)}
            for found in (_mistyped(connection, one, has), _longer(connection, one), _parts(connection, one, has))
        ),
    ):
        for other, far in words:
            nearest[other] = min(far, nearest.get(other, far))
    nearest.pop(word, None)
    return sorted((Near(*one) for one in nearest.items()), key=lambda one: (one.far, one.word))


def _spellings(word: str) -> list[str]:
    """Return other spellings of a word: with `u` for one or each `ue` (and the like), or the other way round."""
    single = (
        f"{word[: at.start()]}{new}{word[at.end() :]}"
        for pair in _DIGRAPHS.items()
        for old, new in (pair, pair[::-1])
        for at in re.finditer(old, word)
    )
    of_letter = (word.replace(letter, digraph) for digraph, letter in _DIGRAPHS.items())
    long = word.translate({ord(letter): digraph for digraph, letter in _DIGRAPHS.items() if digraph[1] == "e"})
    every = dict.fromkeys(itertools.islice(itertools.chain([_short(word), long], of_letter, single), _MOST_SPELLINGS))
    return [one for one in every if one != word]


def _short(word: str) -> str:
    """Return a word with `u` for each `ue`, and the like."""
    return _DIGRAPH.sub(lambda digraph: _DIGRAPHS[digraph[0]], word)


def _grams(text: str) -> list[str]:
    return [text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1)]


def _known(connection: sqlite3.Connection, words: Collection[str]) -> list[str]:
    """Return those of some words that are in the vocabulary."""
    return [row[0] for row in connection.execute(_KNOWN % ",".join("?" * len(words)), [*words])]


def _having(connection: sqlite3.Connection, expression: str, shortest: int, longest: int) -> Iterator[str]:
    """Yield the words of some lengths whose groups of letters match an expression."""
    return (row[0] for row in connection.execute(_HAVING, (expression, shortest, longest, _MOST_READ)))


def _inflected(connection: sqlite3.Connection, word: str) -> Iterator[str]:
    """Yield the words that have the same stem as a word, in any of some languages."""
    cuts = [(stem, cut) for cut in _stemmers() if len(stem := cut(word)) >= _STEM]
    begin = word[: max(_STEM, len(word) - _ENDING, min((len(stem) for stem, _ in cuts), default=0))]
    rows = connection.execute(_BEGINNING, (begin, f"{begin}\U0010ffff", len(word) + _ENDING, _MOST_READ))
    for (other,) in rows:
        if any(other.startswith(stem[:-1]) and cut(other) == stem for stem, cut in cuts):
            yield other


@functools.cache
def _stemmers() -> list[Callable[[str], str]]:
    return [*(Stemmer.Stemmer(name).stemWord for name in _LANGUAGES), lambda word: _ENDINGS.sub("", word)]


def _mistyped(connection: sqlite3.Connection, word: str, has: Callable[[str], bool]) -> Iterator[tuple[str, float]]:
    """Yield the words that are like a word with one mistake in it, else those with two; and how far these are."""
    for most in (1, 2) if len(word) > _ONE_MISTAKE else (1,):
        is_found = False
        for other in _candidates(connection, word, most):
            far = _distance(word, other, most)
            if far is not None:
                is_found = is_found or has(other)
                yield other, far
        if is_found:
            return


def _candidates(connection: sqlite3.Connection, word: str, mistakes: int) -> Iterator[str]:
    """Yield the words of about the same length that have one of the rarest groups of letters in a word.

    The groups are so far apart that the mistakes cannot change all of them. (In a word of six to eight letters, one
    mistake cannot.)
    """
    grams = _grams(f"{_EDGE}{word}{_EDGE}")
    counts = [(connection.execute(_COUNT, (gram, _MOST_COUNTED)).fetchone()[0], gram) for gram in grams]
    spread = min(_SPREAD, (len(grams) - 1) // mistakes)
    choices = [sorted(counts[start::spread])[: mistakes + 1] for start in range(spread)]
    chosen = min((one for one in choices if len(one) > mistakes), key=lambda one: sum(count for count, _ in one))
    if len(word) <= _MOVED and mistakes > 1:
        chosen = counts
    if having := [gram for count, gram in chosen if count]:
        yield from _having(connection, " OR ".join(having), len(word) - mistakes, len(word) + mistakes)


def _distance(one: str, other: str, most: int) -> float | None:
    """Return how far two words are from each other; None if more than `most` mistakes make one of the other."""
    letters, others = set(one), set(other)
    if len(letters - others) > most or len(others - letters) > most or one == other:
        return None
    mistakes = _mistakes(one, other, most)
    if mistakes > most:
        return None
    has_other_first = one[0] != other[0] and sorted(one[:2]) != sorted(other[:2])
    if mistakes == 1:
        is_allowed = max(len(one), len(other)) >= _ONE_MISTAKE or letters == others
    else:
        shared = (Counter(one) & Counter(other)).total()
        changed = len(one) + len(other) - 2 * shared
        is_allowed = (
            (len(one) >= _MOVED and not changed)  # a letter stands elsewhere
            or (len(one) >= _TWO_MISTAKES and changed <= 2 and not has_other_first)
            or len(one) >= _ANY_TWO
        )
    return mistakes + _OTHER_FIRST * has_other_first if is_allowed else None


def _mistakes(one: str, other: str, most: int) -> int:
    """Return how many letters were swapped, wrong, lost or added; more than `most` if there are more."""
    short = min(len(one), len(other))
    begin = next((at for at in range(short) if one[at] != other[at]), short)
    left = short - begin
    end = next((at for at in range(left) if one[-1 - at] != other[-1 - at]), left)
    one, other = one[begin : len(one) - end], other[begin : len(other) - end]
    if most == 1:
        return 1 if max(len(one), len(other)) <= 1 or (len(one) == 2 and one == other[::-1]) else 2
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        last, before, row = before, row, [at]
        for place, there in enumerate(other, 1):
            cost = min(before[place - 1] + (letter != there), before[place] + 1, row[place - 1] + 1)
            if at > 1 and place > 1 and letter == other[place - 2] and there == one[at - 2]:
                cost = min(cost, last[place - 2] + 1)
            row.append(cost)
        if min(row) > most + 1:
            break
    return row[-1] if len(row) > len(other) else most + 1


def _longer(connection: sqlite3.Connection, word: str) -> Iterator[tuple[str, float]]:
    """Yield the words that begin with a word, that end with it, or that have its stem near the end."""
    stem = min((cut(word) for cut in _stemmers()), key=len)
    part = stem if len(stem) > _LONG_PART else word
    if len(part) < _PART:
        return
    expression = " AND ".join(_grams(part))
    for other in _having(connection, expression, len(word) + 1, _LONGEST):
        if other.startswith(word) or other.endswith(word):
            yield other, _COMPOSED
        elif len(part) > _LONG_PART and other.rfind(part) >= len(other) - len(part) - _ENDING:
            yield other, _WITHIN


def _parts(connection: sqlite3.Connection, word: str, has: Callable[[str], bool]) -> Iterator[tuple[str, float]]:
    """Yield the words of which a word is composed, and how far they are; a long one is enough."""
    ends = range(_STEM, len(word) + 1)
    parts = {word[at:end] for end in ends for at in range(end - _STEM + 1)} - {word} - STOP_WORDS
    known = set(filter(has, _known(connection, parts)))
    whole = _composed(word, known)
    if max(map(len, whole), default=0) >= _PART:
        yield from ((part, _COMPOSED) for part in whole)
        return
    for length in range(len(word) - 1, _LONG_PART - 1, -1):
        for rest, part in ((word[:-length], word[-length:]), (word[length:], word[:length])):
            if part in known:
                others = _other_part(connection, rest, known, has)
                far = _COMPOSED if others else 1 + 2 * len(rest) / len(word)
                yield from ((one, far) for one in [part, *others])
                return


def _composed(word: str, known: Collection[str]) -> list[str]:
    """Return the fewest known words that make a word, with letters between them; [] if there are none."""
    best: list[list[str] | None] = [None] * len(word) + [[]]  # for what remains from each place on
    for at in range(len(word) - _STEM, -1, -1):
        for end in range(at + _STEM, len(word) + 1):
            if word[at:end] not in known:
                continue
            for link in _LINKS if end < len(word) else ("",):
                rest = best[end + len(link)] if word.startswith(link, end) else None
                if rest is not None and (best[at] is None or len(rest) < len(best[at] or ())):
                    best[at] = [word[at:end], *rest]
    return best[0] or []


def _other_part(
    connection: sqlite3.Connection, rest: str, known: Collection[str], has: Callable[[str], bool]
) -> list[str]:
    """Return the known word for the rest of a compound, or inflected forms of it; [] if there are none."""
    for link in _LINKS:
        part = rest.removesuffix(link) if link else rest
        if len(part) < _PART:
            continue
        if part in known:
            return [part]
        if inflected := list(filter(has, _inflected(connection, part))):
            return inflected[:_FORMS]
    return []
