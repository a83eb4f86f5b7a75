"""The passage of a note that shows best why it was found."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from zkmem.words import CJK, is_cjk

_BEFORE, _AFTER = 60, 138  # characters shown before and after the beginning of the first hit
_WIDTH = 120  # characters within which hits count as near to each other
_MOST = 20  # places of a term that are looked at
_SEARCHED = 100_000  # characters of a note that are looked at
_ENDING = re.compile(r"(?<=\w\w\w)(?:ational|ations?|ingly|edly|ings?|ies|ied|ions?|ers?|ed|es|ly|s|e|y)$")
_SENTENCE_END = re.compile(r"[.!?;] |[。！？；]|\n(?=\s*(?:[-+*#>|\n]|\d+\.))")
_WORD = re.compile(rf"[^\W_{CJK}]+")
_CUT = "…"


def snippet(text: str, terms: Sequence[str]) -> str:
    """At most some 200 characters of the text in one line, whole words, around the most of the terms."""
    text = text[:_SEARCHED]
    at = _best(_folded(text), terms) if len(text) > _BEFORE + _AFTER else 0
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


def _best(text: str, terms: Sequence[str]) -> int:
    """Where the passage with the most different terms in it begins; a long term says more than a short one."""
    places = sorted((at, number) for number, term in enumerate(terms) for at in _places(text, _stem(term)))
    best, most = 0, 0
    for first, (start, _) in enumerate(places):
        near = {number for at, number in places[first : first + _MOST] if at - start <= _WIDTH}
        worth = sum(4 + min(len(terms[number]), 8) for number in near)
        if worth > most:
            best, most = start, worth
    return best


def _places(text: str, stem: str) -> Iterator[int]:
    """Where words begin with a stem; CJK characters need not begin one."""
    anywhere = is_cjk(stem)
    at = text.find(stem)
    for _ in range(_MOST):
        if at < 0:
            return
        if anywhere or at == 0 or not text[at - 1].isalnum():
            yield at
        at = text.find(stem, at + 1)


@lru_cache(maxsize=256)
def _stem(term: str) -> str:
    return _ENDING.sub("", _folded(term))


class _Plain(dict[int, str]):
    """Characters without case, accents and width; each is still one character."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = plain = unicodedata.normalize("NFKD", character)[0].lower()[:1] or character
        return plain


_PLAIN = _Plain()


def _folded(text: str) -> str:
    """The text in lower case, without accents, character for character."""
    return text.lower() if text.isascii() else text.translate(_PLAIN)
