"""The passage of a note that shows best why it was found."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from zkmem.util.words import CJK, is_cjk

_BEFORE, _AFTER = 60, 138  # characters shown before and after the beginning of the first hit
_WIDTH = 120  # characters within which hits count as near to each other
_MOST = 20  # places of a term that are looked at
_MOST_TERMS = 200
_PART = 100_000  # characters of a note that are looked at together
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
    """At most some 200 characters of the text in one line, whole words, around the most of the terms."""
    at = _first(text, terms) if len(text) > _BEFORE + _AFTER else 0
    start, end = max(0, at - _BEFORE), min(at + _AFTER, len(text))
    ends = [found.end() for found in _SENTENCE_END.finditer(text, start, at)]
    if ends:
        start = ends[-1]
    elif start > 0 and text[start - 1].isalnum() and (word := _WORD.match(text, start, at)):
        start = word.end()
    if end < len(text) and (word := _WORD.match(text, end)):
        end -= len(_last_word(text[start:end]))
    line = " ".join(text[start:end].split())
    return _CUT * bool(text[:start].strip()) + line + _CUT * bool(text[end:].strip())


def _last_word(text: str) -> str:
    """The word at the end of the text, unless it is all of it."""
    word = _WORD.match(text[::-1])
    return word[0] if word and word.end() < len(text) else ""


def _first(text: str, terms: Sequence[str]) -> int:
    """Where the best passage begins, in the first part of the text that has any."""
    for start in range(0, len(text), _PART):
        at = _best(_folded(text[start : start + _PART + _WIDTH]), terms[:_MOST_TERMS])
        if at is not None:
            return start + at
    return 0


def _best(text: str, terms: Sequence[str]) -> int | None:
    """Where the passage with the most different terms in it begins; a long term says more than a short one."""
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
    """Where words begin as the term does; without all of its ending, if there are none with a part of it."""
    for stem in _stems(term):
        found = _among_marks(text, stem) if marked else _found(text, stem)
        begins = (at for at in found if at == 0 or not text[at - 1].isalnum())
        # CJK characters need not begin a word
        if places := list(islice(found if is_cjk(stem) else begins, _MOST)):
            return places
    return []


def _found(text: str, stem: str) -> Iterator[int]:
    at = text.find(stem)
    while at >= 0:
        yield at
        at = text.find(stem, at + 1)


def _among_marks(text: str, stem: str) -> Iterator[int]:
    return (found.start() for found in re.finditer(_MARKS.join(map(re.escape, stem)), text))


def _has_marks(text: str) -> bool:
    return not text.isascii() and any(unicodedata.category(character)[0] == "M" for character in set(text))


@lru_cache(maxsize=1024)
def _stems(term: str) -> list[str]:
    """What to look for: the term without a short ending, without a long one."""
    word = _folded(term)
    stem = _ENDING.sub("", word)
    return list(
        dict.fromkeys([stem, _DOUBLED.sub(r"\1", word), _LONG_ENDING.sub("", word), _LONG_ENDING.sub("", stem)])
    )


def _folded(text: str) -> str:
    """The text in lower case, without accents, character for character."""
    lower = text.lower()
    if text.isascii():
        return lower
    if len(lower) != len(text):  # as that of a Turkish capital I
        lower = "".join(character.lower()[0] for character in text)
    return _ODD.sub(lambda odd: _plain(odd[0]), lower)


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    return unicodedata.normalize("NFKD", character)[0].lower()[:1]
