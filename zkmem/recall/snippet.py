"""The passage of a note that shows best why it was found."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from zkmem.words import CJK, is_cjk

_LONGEST = 200  # characters
_BEFORE = 40  # characters shown before the first hit
_WIDTH = 150  # characters within which hits count as near to each other
_MOST_HITS = 300  # that are looked at
_ENDING = re.compile(r"(?<=\w\w\w)(?:ational|ations?|ingly|edly|ings?|ies|ied|ions?|ers?|ed|es|ly|s|e|y)$")
_BLANKS = re.compile(r"\s+")
_CUT = "…"


def snippet(text: str, terms: Sequence[str]) -> str:
    """At most some 200 characters of the text in one line, whole words, around the most of the terms."""
    text = _BLANKS.sub(" ", text).strip()
    if len(text) <= _LONGEST:
        return text
    start = max(0, _best(_folded(text), terms) - _BEFORE)
    start, end = _whole(text, start, start + _LONGEST - 2 * len(_CUT))
    return _CUT * (start > 0) + text[start:end].strip() + _CUT * (end < len(text))


def _best(text: str, terms: Sequence[str]) -> int:
    """Where the passage with the most different terms in it begins; long terms say more than short ones."""
    hits = []
    for hit in _pattern(tuple(terms)).finditer(text):
        hits.append((hit.start(), hit.lastindex or 0))
        if len(hits) == _MOST_HITS:
            break
    best, most = 0, 0
    for number, (start, _) in enumerate(hits):
        near: set[int] = set()
        for at, term in hits[number:]:
            if at - start > _WIDTH:
                break
            near.add(term)
        worth = sum(4 + min(len(terms[term - 1]), 8) for term in near)
        if worth > most:
            best, most = start, worth
    return best


@lru_cache(maxsize=16)
def _pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    """Finds words that begin like the terms do, which have one group each."""
    ways = []
    for term in terms:
        if is_cjk(term):
            ways.append(f"({term})")
        else:
            stem = _ENDING.sub("", _folded(term))
            ways.append(rf"((?<![^\W_]){re.escape(stem)})")
    return re.compile("|".join(ways))


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


_INSIDE = re.compile(rf"[^\W_{CJK}]+")


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """The bounds moved inwards so that they cut no word, unless it is a very long one."""
    if start > 0 and _INSIDE.match(text, start - 1) and (word := _INSIDE.match(text, start)):
        start = word.end() if word.end() - start < _BEFORE else start
    if end < len(text) and _INSIDE.match(text, end):
        at = end
        while at > start and _INSIDE.match(text[at - 1]):
            at -= 1
        end = at if end - at < _BEFORE else end
    return start, min(end, len(text))
