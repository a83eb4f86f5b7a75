"""Choose the passage of a note that best shows the words of a query."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from zkmem.util.words import CJK, folded, is_cjk

_BEFORE, _AFTER = 60, 138  # characters shown before and after the beginning of the first hit
_WIDTH = 120  # characters within which hits count as near to each other
_MOST = 20  # places to consider for each term
_MOST_TERMS = 200
_PART = 100_000  # characters of a note to search at a time
_ENDING = re.compile(r"(?<=\w\w\w)(?:ational|ations?|ingly|edly|ings?|ies|ied|ions?|ers?|ed|es|ly|s|e|y)$")
_LONG_ENDING = re.compile(
    r"(?<=\w\w\w)(?:fulness|ousness|iveness|i?ness|ements?|ments?|ily|ie[rs]t?|ive|ity|able|al|i|y)$"
)
_DOUBLED = re.compile(r"([b-df-hj-np-rtv-z])\1(?:ing|ed|er)s?$")
_MARKS = r"[^\w\s\x00-\x7f]*"  # may stand after each letter
_SENTENCE_END = re.compile(r"[.!?;] |[。！？；]|\n(?=\s*(?:[-+*#>|\n]|\d+\.))")
_WORD = re.compile(rf"[^\W_{CJK}]+")
_ODD = re.compile(rf"[^\x00-\x7f{CJK}]|[\uff66-\uff9f]")
_CUT = "…"


def snippet(text: str, terms: Sequence[str]) -> str:
    """Return a passage with as many terms as possible: about 200 characters in one line, whole words."""
    at = _first(text, terms) if len(text) > _BEFORE + _AFTER else 0
    start, end = max(0, at - _BEFORE), min(at + _AFTER, len(text))
    ends = [match.end() for match in _SENTENCE_END.finditer(text, start, at)]
    if ends:
        start = ends[-1]
    elif start > 0 and text[start - 1].isalnum() and (word := _WORD.match(text, start, at)):
        start = word.end()
    if end < len(text) and (word := _WORD.match(text, end)):
        end -= len(_last_word(text[start:end]))
    line = " ".join(text[start:end].split())
    return _CUT * bool(text[:start].strip()) + line + _CUT * bool(text[end:].strip())


def _last_word(text: str) -> str:
    """Return the word at the end of the text; an empty text if the text is one word."""
    word = _WORD.match(text[::-1])
    return word[0] if word and word.end() < len(text) else ""


def _first(text: str, terms: Sequence[str]) -> int:
    """Return the begin of the best passage, in the first part of the text that has one; 0 if there is none."""
    for start in range(0, len(text), _PART):
        at = _best(_folded(text[start : start + _PART + _WIDTH]), terms[:_MOST_TERMS])
        if at is not None:
            return start + at
    return 0


def _best(text: str, terms: Sequence[str]) -> int | None:
    """Return the begin of the passage with the most different terms; long terms count more than short ones."""
    marked = _has_marks(text)
    places = sorted((at, number) for number, term in enumerate(terms) for at in _of_term(text, term, marked=marked))
    worths = [4 + min(len(term), 8) for term in terms]
    near = [0] * len(terms)  # how often each term is within the width
    best = None
    first = most = worth = 0
    for at, number in places:
        worth += 0 if near[number] else worths[number]
        near[number] += 1
        while at - places[first][0] > _WIDTH:
            near[places[first][1]] -= 1
            worth -= 0 if near[places[first][1]] else worths[places[first][1]]
            first += 1
        if worth > most:
            best, most = places[first][0], worth
    return best


def _of_term(text: str, term: str, *, marked: bool) -> list[int]:
    """Return the places of words that begin with the term without its short ending or, if none, its long ending."""
    for stem in _stems(term):
        matches = _among_marks(text, stem) if marked else _matches(text, stem)
        begins = (at for at in matches if at == 0 or not text[at - 1].isalnum())
        # CJK characters need not begin a word
        if places := list(islice(matches if is_cjk(stem) else begins, _MOST)):
            return places
    return []


def _matches(text: str, stem: str) -> Iterator[int]:
    at = text.find(stem)
    while at >= 0:
        yield at
        at = text.find(stem, at + 1)


def _among_marks(text: str, stem: str) -> Iterator[int]:
    return (match.start() for match in re.finditer(_MARKS.join(map(re.escape, stem)), text))


def _has_marks(text: str) -> bool:
    return not text.isascii() and any(unicodedata.category(character)[0] == "M" for character in set(text))


@lru_cache(maxsize=1024)
def _stems(term: str) -> list[str]:
    """Return the stems to look for: the term without its short ending, and without its long ending."""
    word = _folded(term)
    stem = _ENDING.sub("", word)
    return list(
        dict.fromkeys([stem, _DOUBLED.sub(r"\1", word), _LONG_ENDING.sub("", word), _LONG_ENDING.sub("", stem)])
    )


def _folded(text: str) -> str:
    """Return the text in lower case and without accents, with the same number of characters."""
    lower = folded(text)
    if text.isascii():
        return lower
    if len(lower) != len(text):  # for example, with a Turkish capital I
        lower = "".join(character.lower()[0] for character in text)
    return _ODD.sub(lambda odd: _plain(odd[0]), lower)


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    return unicodedata.normalize("NFKD", character)[0].lower()[:1]
