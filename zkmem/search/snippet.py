"""Choose the passage of a note that best shows the words that match a query."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from zkmem.markdown import frontmatter
from zkmem.markdown.one_line import shown, table_head
from zkmem.search.entry import fact_value
from zkmem.util.words import UNSPACED, folded, is_unspaced, plain

if TYPE_CHECKING:
    import yaml

_BEFORE, _AFTER = 60, 138  # characters shown before and after the beginning of the first hit
_WIDTH = 120  # characters within which hits count as near to each other
_MOST = 20  # places to consider for each word
_MOST_WORDS = 200
_MOST_RENDERED = 1_000  # characters before and after the first hit
_PART = 100_000  # characters of a note to search at a time
_SENTENCE_END = re.compile(r"[.!?;] |[。！？；]|\n(?=\s*(?:[-+*#>|\n]|\d+\.))")
_WORD = re.compile(rf"[^\W_{UNSPACED}]+")
_ODD = re.compile(rf"[^\x00-\x7f{UNSPACED}]|[\uff66-\uff9f\u0e33\u0eb3\u0edc\u0edd]")  # the last four have two parts
_CUT = "…"


def note_snippet(data: bytes, words: Sequence[str], keys: Collection[str], *, rendered: bool = False) -> str:
    """Return a passage of a note's body, or of its properties if the words are only in these.

    The words are as for `snippet`. `keys`: the properties that the query names; if it has no words, they are shown.
    `rendered`: return it as a person reads it, without the marks of Markdown.
    """
    choose = _rendered if rendered else snippet
    first, last, start = frontmatter.split(data)
    body = data[start:].decode(errors="replace")
    if first == last or (_first(body, words) is not None if words else body.strip() and not keys):
        return choose(body, words)
    source = data[first:last].decode(errors="replace")
    properties = "\n".join(_properties(source, words, keys, rendered=rendered))
    return choose(properties or (body if rendered and body.strip() else source), words)


def _rendered(text: str, words: Sequence[str]) -> str:
    """Return a passage as `snippet` does, from the lines around the words as a person reads them."""
    at = _first(text, words) or 0
    start = max(text.rfind("\n", 0, max(0, at - _BEFORE)) + 1, at - _MOST_RENDERED)
    end = text.find("\n", at + _AFTER)
    end = min(end if end >= 0 else len(text), at + _MOST_RENDERED)
    passage = snippet(shown(table_head(text, start) + text[start:end]), words)
    if not passage:
        return snippet(text, words)
    before = _CUT * bool(text[:start].strip() and not passage.startswith(_CUT))
    return before + passage + _CUT * bool(text[end:].strip() and not passage.endswith(_CUT))


def _properties(source: str, words: Sequence[str], keys: Collection[str], *, rendered: bool) -> Iterator[str]:
    """Yield the source of each property that has one of the keys, or one of the words. `rendered`: without quotes."""
    folded_keys = set(map(fact_value, keys))
    for key, value in frontmatter.pairs(frontmatter.compose(source)):
        written = source[key.start_mark.index : value.end_mark.index]
        if fact_value(str(key.value)) in folded_keys or (words and _first(written, words) is not None):
            yield f"{key.value}: {_flat(value)}\n" if rendered else written


def _flat(value: "yaml.Node") -> str:
    """Return a value, or the values in a list, as a text."""
    import yaml  # noqa: PLC0415 - slow to import, and loaded by whoever has read the value

    return ", ".join(map(_flat, value.value)) if isinstance(value, yaml.SequenceNode) else str(value.value)


def snippet(text: str, words: Sequence[str]) -> str:
    """Return a passage with as many of the words as possible: about 200 characters in one line, whole words.

    The words are those of an index: in lower case and without accents; of scripts without blanks, one or two parts.
    """
    at = (_first(text, words) or 0) if len(text) > _BEFORE + _AFTER else 0
    start, end = max(0, at - _BEFORE), min(at + _AFTER, len(text))
    ends = [match.end() for match in _SENTENCE_END.finditer(text, start, at)]
    if ends:
        start = ends[-1]
    elif start > 0 and text[start - 1].isalnum() and (word := _WORD.match(text, start, at)):
        start = word.end()
    if end < len(text) and (word := _WORD.match(text, end)):
        end -= len(_last_word(text[start:end].lstrip()))
    line = " ".join(text[start:end].split())
    return _CUT * bool(text[:start].strip()) + line + _CUT * bool(text[end:].strip())


def _last_word(text: str) -> str:
    """Return the word at the end of the text; an empty text if the text is one word."""
    word = _WORD.match(text[::-1])
    return word[0] if word and word.end() < len(text) else ""


def _first(text: str, words: Sequence[str]) -> int | None:
    """Return where the best passage begins, in the first part of the text that has one; None if there is none."""
    for start in range(0, len(text), _PART):
        at = _best(_lower(text[start : start + _PART + _WIDTH]), words[:_MOST_WORDS])
        if at is not None:
            return start + at
    return None


def _best(text: str, words: Sequence[str]) -> int | None:
    """Return where the passage with the most different words begins; long words count more than short ones."""
    places = _places(text, words)
    worths = [4 + min(len(word), 8) for word in words]
    near = [0] * len(words)  # how often each word is within the width
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


def _places(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return the first places of each word in order, with the number of the word."""
    ends, shifts = [], [0]  # where a character ends that becomes none or several; what to add to the places after it

    def spelled(odd: re.Match[str]) -> str:
        letters = _plain(odd[0])
        if len(letters) != 1:
            shifts.append(shifts[-1] + 1 - len(letters))
            ends.append(odd.end() - shifts[-1])
        return letters

    bare = text if text.isascii() else _ODD.sub(spelled, text)
    places = ((at, number) for number, word in enumerate(words) for at in islice(_of_word(bare, word), _MOST))
    return sorted((at + shifts[bisect_right(ends, at)], number) for at, number in places)


def _of_word(text: str, word: str) -> Iterator[int]:
    """Yield the places of a word. It stands alone there, unless its script puts no blanks between words."""
    is_part = is_unspaced(word)
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if is_part or not (_WORD.match(text, at - 1, at) or _WORD.match(text, end, end + 1)):
            yield at
        elif longer := _WORD.match(text, at):  # read a long word once, although it may have the word at each letter
            end = longer.end()
        at = text.find(word, end)


def _lower(text: str) -> str:
    """Return the text in lower case, with the same number of characters."""
    lower = folded(text)
    if len(lower) != len(text):  # for example, with a Turkish capital I
        lower = "".join(character.lower()[0] for character in text)
    return lower


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    """Return a character as it is in the words of an index: "" for a mark, two letters for a ligature."""
    return plain(character).lower() if _ODD.match(character) else character
