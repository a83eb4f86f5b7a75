"""Find the names that are spelled like a text, and the one name that a text misspells.

Names with different numbers are names of different things. A name that a text misspells is written into a link with one
click, so it must nearly always be right. Therefore names that differ at an end of a word (`Auth` and `OAuth`), or in a
short word, do not count as misspellings. `tests/tools/misspelt.py` measures how often the name is right.
"""

import difflib
import functools
import heapq
import itertools
import operator
import re
from collections.abc import Iterable, Iterator, Mapping

from zkmem.util.words import folded, is_unspaced, plain

_BETWEEN_WORDS = re.compile(r"[\s\-\u2010-\u2015_.,:;!?/'’\"()\[\]]+")  # other signs tell names apart: C, C++
_NUMBER = re.compile(r"\d+")
_NUMBERS_APART = re.compile(r"(?<=\d) (?=\d)")
_NO_WORD = re.compile(r".*[\W\d]|[ivxlcdm]+\Z")  # also matches a Roman number
_OTHER_NUMBERS = ({"sesenta", "setenta"}, {"cuatro", "cuarto"})  # 60 and 70, 4 and 4th in Spanish
_DOUBLED = _LOST = _PLURAL = 4  # the fewest letters of a word with such a mistake
_SWAPPED, _WRONG = 5, 6
_MOST_COMPARED = 500  # words
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
_FEW = 10
_MOST_WORDS = 20  # of a text that is looked for
_ALIKE_WORD, _ALIKE_NAME = 0.7, 0.6  # how similar the spelling must be, from 0 to 1
_MOST_NEAR = 500  # names; to compare them with one text takes less than a millisecond


def numbers(name: str) -> list[str]:
    """Return the numbers in a name, in order."""
    return _NUMBER.findall(name)


def spelled_alike(wanted: str, words: Iterable[str], count: int, least: float) -> list[str]:
    """Return at most `count` words that are spelled like `wanted` and have the same numbers, the most similar first.

    Only the words of the most similar length are compared. `least`: how similar a word must be, from 0 to 1.
    """
    near = heapq.nsmallest(_MOST_COMPARED, words, key=lambda word: abs(len(word) - len(wanted)))
    known = numbers(wanted)
    return difflib.get_close_matches(wanted, [one for one in near if numbers(one) == known], n=count, cutoff=least)


def nearest_first(wanted: str, names: Mapping[str, str]) -> list[str]:
    """Return names, each given with its text: those whose texts hold a text, then those with most of its words.

    A misspelt word counts half. Zeros before a number do not count. Names that are equally near keep their order.
    """
    sought, *others = ([_ZEROS.sub("", word) for word in _words(text)] for text in (wanted, *names.values()))
    sought = sought[:_MOST_WORDS]
    own = dict(zip(names, others, strict=True))
    known = {word for words in others for word in words}
    near = {word: {*spelled_alike(word, known, _FEW, _ALIKE_WORD)} for word in sought}
    alike = spelled_alike(_letters(sought), map(_letters, others), _FEW, _ALIKE_NAME)

    def unlike(name: str) -> tuple[bool, bool, int, int]:
        words, letters = own[name], _letters(own[name])
        is_within = _letters(sought) in letters and {*numbers(" ".join(sought))} <= {*numbers(" ".join(words))}
        shared = sum(2 if word in words else not near[word].isdisjoint(words) for word in sought)
        is_apart = f" {' '.join(sought)} " not in f" {' '.join(words)} "
        rank = alike.index(letters) if letters in alike else len(alike)
        return is_apart, not is_within, -shared, rank

    return sorted(names, key=unlike)


class Likeness:
    """Some names, to find the one that a text misspells."""

    def __init__(self, names: Iterable[str]) -> None:
        self._words = {name: _words(name) for name in names}
        self._names: dict[str | int, list[str]] = {}  # by their letters, and by the keys of their words
        for name, words in self._words.items():
            keys: Iterable[str | int] = (_letters(words), *_keys(words))
            for key in keys:
                self._names.setdefault(key, []).append(name)

    def meant(self, text: str) -> str | None:
        """Return the only name that a text misspells; None if there is none, or several, or very many are near it."""
        words = _words(text)
        found = set(self._names.get(_letters(words), ()))
        if not found:
            names = (self._names.get(key, ()) for longer in range(-2, 3) for key in _keys(words, longer))
            near = list(itertools.islice(itertools.chain.from_iterable(names), _MOST_NEAR + 1))
            if len(near) <= _MOST_NEAR:
                found = {name for name in near if _are_misspelt(words, self._words[name])}
        return found.pop() if words and len(found) == 1 else None


def nearby(text: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the names of which a text has half of the letters, at their beginning or end, and so any that it misspells.

    For one text this takes less time than a `Likeness` of all names.
    """
    wanted = "".join(_words(text))
    half = max(0, len(wanted) - 3) // 2  # the name may have two letters less, and one of the others may be wrong
    begin, end = wanted[:half], wanted[len(wanted) - half :]
    for name in names:
        letters = _BETWEEN_WORDS.sub("", folded(plain(name)))
        if letters.startswith(begin) or letters.endswith(end):
            yield name


def _words(name: str) -> list[str]:
    """Return the words of a name as they are compared."""
    return [word for word in _BETWEEN_WORDS.split(folded(plain(name))) if word]


def _letters(words: list[str]) -> str:
    """Return the letters of a name, which are the same however its words are joined. Numbers stay apart."""
    return _NUMBERS_APART.sub("-", " ".join(words)).replace(" ", "")


def _keys(words: list[str], longer: int = 0) -> Iterator[int]:
    """Yield two keys for each word: of its beginning and of its end, both with all other words.

    Two names have one in common if one of them is the other with one word misspelt. `longer`: by how many letters that
    word of the other name is longer than that of this one.
    """
    hashes = [hash(one) for one in enumerate(words)]
    whole = functools.reduce(operator.xor, hashes, 0)
    for word, own in zip(words, hashes, strict=True):
        length = len(word) + longer
        if (half := (length - 1) // 2) > 0 and _is_word(word):
            yield hash((whole ^ own, length, "<", word[:half]))
            yield hash((whole ^ own, length, ">", word[-half:]))


def _are_misspelt(words: list[str], right: list[str]) -> bool:
    """Return whether one word of a name is misspelt and every other word is right."""
    pairs = [(one, other) for one, other in zip(words, right, strict=False) if one != other]
    return len(words) == len(right) and len(pairs) == 1 and is_misspelling(*pairs[0])


def _is_word(text: str) -> bool:
    """Return whether a text is a word that may be misspelt, not a number or the like."""
    return not _NO_WORD.match(text) and not is_unspaced(text)


def is_misspelling(wrong: str, right: str) -> bool:
    """Return whether a word is another one with one letter swapped, doubled, lost, added or wrong, or its plural."""
    if not _is_word(wrong) or not _is_word(right) or {wrong, right} in _OTHER_NUMBERS:
        return False
    short, long = sorted((wrong, right), key=len)
    if len(short) >= _PLURAL and long in {f"{short}s", f"{short}es", f"{short.removesuffix('y')}ies"}:
        return True
    at = next((at for at, (one, other) in enumerate(zip(short, long, strict=False)) if one != other), len(short))
    if len(short) < len(long):
        is_doubled = at > 0 and long[at] == long[at - 1] and len(short) >= _DOUBLED
        is_inside = 0 < at < len(short) and len(long) >= _LOST
        return short[at:] == long[at + 1 :] and (is_doubled or is_inside)
    if short[at + 2 :] == long[at + 2 :] and short[at : at + 2] == long[at : at + 2][::-1]:
        return len(short) >= _SWAPPED
    return 0 < at < len(short) - 1 and short[at + 1 :] == long[at + 1 :] and len(short) >= _WRONG
