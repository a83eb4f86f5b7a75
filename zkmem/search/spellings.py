"""Find other spellings of the words of a query: joined, apart, or with signs. The index has words without signs.

Each of `node.js`, `node js` and `nodejs` finds the others, as do `555-1234` and `5551234`; `HTTP` finds `HTTPServer`. A
word that many notes have is not split. `C++` is in the index as `c`, so the notes with that word are read.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.names import name_of
from zkmem.search.retrieval import Counts, Match, words_begun
from zkmem.search.stems import Term, stems, terms_of
from zkmem.util.words import STOP_WORDS, folded, is_unspaced, plain
from zkmem.vault.files import Read

_WORD = re.compile(r"[^\W_]+")
_JOINING = {"-", "_", ".", "/", "&", "+"}  # signs that join words to one
_INSIDE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # where a word begins in `HTTPServer`
_FEW, _FEW_BEGUN = 2, 10  # notes with a word, so few that it is split, or that longer words are searched for
_MOST_WORDS, _MOST_CHARACTERS = 40, 2_000  # of a query
_MOST_JOINED = 4  # words
_SENTENCE = 8  # words of a query; in a longer one, joined words would do more harm than good
_SPLIT = range(4, 25)  # characters of a word that may be split
_DIGITS = range(6, 16)
_PART, _REST = 2, 3  # the fewest characters of the last part, and of what follows the word in a longer one
_CAPITALS = re.compile(r"[A-Z]{2,8}")
_BEGUN_WEIGHT, _MOST_BEGUN = 0.5, 5

_SIGNED = re.compile(r"(?<![^\W_])(?P<word>\d{0,9}[^\W\d_][^\W_]{0,20})(?P<signs>\+{1,2}|#)(?![^\W_]|[+#])")
MOST_READ = 200
"""Notes that are read for words with signs."""
_MOST_BYTES = 8_000_000  # of these


class _Written(NamedTuple):
    """A word of a query, as it is written and as the index has it, and the text before it up to the last word."""

    raw: str
    word: str
    gap: str


def terms_with_spellings(counts: Counts, text: str) -> list[Term]:
    """Return the terms of a query, and then other spellings of its words that notes have.

    A term of several words, with blanks between them, stands for these words in this order.
    """
    terms = {term.stem: term for term in terms_of(text)}
    words = list(_written(text[:_MOST_CHARACTERS]))

    def is_rare(one: _Written) -> bool:
        return one.word not in STOP_WORDS and counts[stems([one.word])[0]] <= _FEW

    for parts in itertools.chain(_joined(words, is_rare) if len(words) <= _SENTENCE else (), _split(words, is_rare)):
        stem = " ".join(stems(parts))
        if stem not in terms and counts[stem]:
            terms[stem] = Term(stem, " ".join(parts))
    for one in words if len(words) <= _PART or not text.isupper() else ():
        if _CAPITALS.fullmatch(one.raw) and (stem := stems([one.word])[0]) in terms and counts[stem] < _FEW_BEGUN:
            begun = words_begun(counts.connection, one.word, counts.scope)
            for word in [word for word in begun if len(word) >= len(one.word) + _REST][:_MOST_BEGUN]:
                terms.setdefault(stems([word])[0], Term(stems([word])[0], word, _BEGUN_WEIGHT))
    return list(terms.values())


def _written(text: str) -> Iterator[_Written]:
    """Yield the words of a text, without those of scripts without blanks."""
    end = 0
    for match in itertools.islice(_WORD.finditer(text), _MOST_WORDS):
        word = folded(plain(match[0]))
        if word and not is_unspaced(word):  # a mark of its own, such as a half-width one, is no word
            yield _Written(match[0], word, text[end : match.start()] if end else "")
            end = match.end()
        else:
            end = 0


def _joined(words: Sequence[_Written], is_rare: Callable[[_Written], bool]) -> Iterator[list[str]]:
    """Yield neighbours as one word: those with a sign between them, numbers, and two words if one is rare."""
    for at, one in enumerate(words):
        joined, before = one.word, one
        for other in words[at + 1 : at + _MOST_JOINED]:
            is_number = joined.isdigit() and other.word.isdigit()
            if is_number:
                belongs = other.gap in {"-", " "}
            elif other.gap == " ":
                belongs = (
                    before is one and any(map(is_rare, (one, other))) and STOP_WORDS.isdisjoint((one.word, other.word))
                )
            else:
                belongs = other.gap in _JOINING and not (other.gap == "." and other.word[0].isdigit())
            if not belongs:
                break
            joined, before = joined + other.word, other
            if not is_number or len(joined) in _DIGITS:
                yield [joined]


def _split(words: Sequence[_Written], is_rare: Callable[[_Written], bool]) -> Iterator[list[str]]:
    """Yield the parts of a word: those that begin with a capital, and any if few notes have the word."""
    for one in words:
        if len(parts := _INSIDE.split(one.raw)) > 1:
            yield [folded(plain(part)) for part in parts]
        size = len(one.word)
        if size not in (_DIGITS if one.word.isdigit() else _SPLIT) or not is_rare(one):
            continue
        for at in range(1, size - _PART + 1):
            first, rest = one.word[:at], one.word[at:]
            if first not in STOP_WORDS and rest not in STOP_WORDS:
                yield [first, rest]
            for end in range(_PART, len(rest) - _PART + 1) if one.word.isdigit() else ():
                yield [first, rest[:end], rest[end:]]


def with_signs(text: str) -> dict[str, str]:
    """Return the words of a query that end with signs, such as `C++` and `F#`, and the same without their signs."""
    found = _SIGNED.finditer(text[:_MOST_CHARACTERS])
    return {match[0]: match["word"] for match in itertools.islice(found, _MOST_JOINED)}


def signed_first(
    matched: Sequence[Match], signed: Mapping[str, str], terms: int, read: Read
) -> tuple[list[Match], list[str]]:
    """Return matches with a higher score for those that have words with the signs of the query, and remarks.

    `signed`: as `with_signs` returns them; `terms`: how many terms the query has. Each word with its signs counts as
    twice the mean of the terms. `read` raises `OSError` if there is no such file.
    """
    if not matched:
        return [], []
    patterns = {one: re.compile(rf"(?<![^\W_]){re.escape(folded(one))}(?![^\W_]|[+#])") for one in signed}
    bonus, left = 2 * matched[0].score / max(1, terms), _MOST_BYTES
    scored, seen, bare = [], set[str](), set[str]()
    for each in matched[:MOST_READ]:
        try:
            data = read(each.path) if left > 0 else b""
        except OSError:  # it was removed meanwhile
            data = b""
        left -= len(data)
        data = f"{folded(name_of(each.path))}\n".encode(errors="replace") + data.lower()
        # Most notes have none, and need no decoding. Bytes have only ASCII letters in lower case.
        near = [one for one in signed if not one.isascii() or folded(one).encode() in data]
        text = folded(data.decode(errors="replace")) if near else ""
        having = {one for one in near if patterns[one].search(text)}
        scored.append(each._replace(score=each.score + bonus * len(having)))
        seen |= having
        bare |= {one for one, word in signed.items() if folded(plain(word)) in each.words}
    remarks = [f"None of these has {one!r}, only {signed[one]!r}." for one in signed if one in bare - seen]
    return [*sorted(scored, key=lambda each: -each.score), *matched[MOST_READ:]], remarks
