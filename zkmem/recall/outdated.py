"""Find what other notes still say after a passage was replaced: a number with its unit, a date, or a name.

A value counts as replaced if a sentence of the note has another value of its kind in its place, and the note does not
have the old one any more. Another note is named if one of its sentences has the old value, and so many of the words
around it that hardly any note would have them by chance. These are the words of the sentence, of the heading above and
of the note's name.
"""

import itertools
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from zkmem.index.graph import LinkGraph
from zkmem.index.lookup import name_for
from zkmem.index.session import Session
from zkmem.markdown.private import is_private
from zkmem.names import base_of, name_of
from zkmem.search.retrieval import Rarity, rarity, with_phrase
from zkmem.search.search import Search
from zkmem.search.stems import stems
from zkmem.util.spelling import told_apart
from zkmem.util.words import STOP_WORDS, tokens
from zkmem.vault.files import Read

_MOST_SENTENCES = 60  # that differ
_MOST_VALUES = 3
_MOST_WORDS = 12  # around a value that are looked up
_LONGEST = 80  # characters of a value
_LONGEST_SENTENCE = 2_000  # characters
_MOST_WITH = {"number": 10, "date": 10, "name": 6}  # notes: a value that more notes have says little about one thing
_MOST_NAMED = 5  # notes for a value
_MOST_LINKS = 100  # of a note
_LONGEST_NOTE = 200_000  # bytes of a note that is looked at
_LEAST = 2  # of the words around it that a sentence must have
_CHANCE = 0.01  # how many notes with the value and these words may be expected by chance
_CHANCE_NEAR = 0.05  # if the note is within two links

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_DATE = (
    rf"\d{{4}}-\d\d-\d\d|\d{{1,2}}\. ?\d{{1,2}}\. ?(?:\d{{4}}|\d\d)\b|\d{{1,2}}/\d{{1,2}}/\d{{2,4}}|\d{{1,2}}:\d\d"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)? {_MONTH}(?: \d{{4}})?|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
)
_NUMBER = r"\d++(?:[.,:]\d++)*+"
_UNIT = r"[ \u00a0\u202f-]?(?:°[ ]?[CF]?|%|[^\W\d_]{1,15})"
_WORD = r"[A-Z\u00c0-\u00d6\u00d8-\u00de](?=[\w'’-]{0,30}[^\W\dA-Z_])[\w'’-]*+"
_KINDS = (  # in this order: a pattern does not see what an earlier one has found
    ("date", re.compile(rf"(?<![\w.%-])(?:{_DATE})(?![\w-])")),
    ("number", re.compile(rf"(?<![\w.%-])(?<!\d[,:])(?:[$€£¥] ?{_NUMBER}|{_NUMBER}{_UNIT}|v?\d+(?:\.\d+)+)(?![\w-])")),
    ("number", re.compile(rf"(?<![\w.%-])[^\W\d_]{{2,15}} v?{_NUMBER}(?![\w-])")),
    ("name", re.compile(rf"(?<![\w.-]){_WORD}(?: {_WORD}){{1,3}}|(?<=\[\[){_WORD}(?=[\]|#])")),
)
_NO_TEXT = re.compile(r"https?://\S+|\]\([^()\s]*\)|`[^`\n]*`")  # addresses and code
_BORDER = re.compile(r"\n+|(?<=[.!?;])\s+")
_HEADING = re.compile(r"#{1,6}\s+(.*)")
_START, _END = re.compile(r"(?<!\w)(?<!\d[.,:])"), re.compile(r"(?!\w|[.,:]\d)")  # of a whole word or number

Has = Callable[[str], bool]


class Replaced(NamedTuple):
    """A value that an edit has replaced."""

    kind: str  # "number", "date" or "name"
    old: str
    new: str
    words: frozenset[str]  # stems of the words around it

    @property
    def phrase(self) -> list[str]:
        """The stems of the value, as they follow each other in the search index."""
        return stems(tokens(self.old))

    def mended(self, text: str) -> str:
        """Return a text with the new value in place of the old one."""
        ends = [0, *(at + len(self.old) for at in _places(self.old, text))]
        starts = [*_places(self.old, text), len(text)]
        return self.new.join(text[end:start] for end, start in zip(ends, starts, strict=True))


class Outdated(NamedTuple):
    """A sentence of another note that still has a replaced value."""

    note: str
    passage: str
    mended: str  # the passage with the new value
    old: str
    new: str


class Sentence(NamedTuple):
    """A sentence, or a line."""

    text: str
    heading: str  # above it


def replaced(name: str, before: str, after: str) -> list[Replaced]:
    """Return the values that an edit of a note has replaced; `name`: the last part of its name."""
    old, new = list(sentences_of(before)), list(sentences_of(after))
    common = {one.text for one in old} & {one.text for one in new}
    old = [one for one in old if one.text not in common]
    new = [one for one in new if one.text not in common]
    if not (0 < len(old) <= _MOST_SENTENCES and 0 < len(new) <= _MOST_SENTENCES):
        return []
    found: dict[str, Replaced] = {}
    for one, other in _pairs(old, new):
        for kind, was, now in _swapped(one.text, other.text):
            if was not in found and not _has(after, was):
                words = _words(one, name) | _words(other, name)
                found[was] = Replaced(kind, was, now, frozenset(words.difference(stems(tokens(f"{was} {now}")))))
    return list(found.values())[:_MOST_VALUES]


def sentences_of(text: str) -> Iterator[Sentence]:
    """Yield the sentences and lines of a text."""
    heading = ""
    for part in _BORDER.split(text):
        if match := _HEADING.match(part):
            heading = match[1]
        if part.strip() and len(part) <= _LONGEST_SENTENCE:
            yield Sentence(part, heading)


def _words(sentence: Sentence, name: str) -> set[str]:
    words = tokens(f"{sentence.text} {sentence.heading} {name}")
    return set(stems(word for word in words if word not in STOP_WORDS and (len(word) > 1 or not word.isascii())))


def _pairs(old: list[Sentence], new: list[Sentence]) -> Iterator[tuple[Sentence, Sentence]]:
    """Yield each old sentence with the new one that it became: they have half of their words in common."""
    left = [(one, set(tokens(one.text))) for one in new]
    for one in old:
        words = set(tokens(one.text))
        best = max(left, key=lambda other: len(words & other[1]), default=None)
        if best and 2 * len(words & best[1]) >= min(len(words), len(best[1])) - 1:
            left.remove(best)
            yield one, best[0]


def _swapped(old: str, new: str) -> Iterator[tuple[str, str, str]]:
    """Yield each value that another one has replaced in a sentence: its kind, the old value and the new one."""
    was, now = values_of(old), values_of(new)
    for kind in was.keys() & now.keys():
        gone = [one for one in was[kind] if one not in now[kind]]
        come = [one for one in now[kind] if one not in was[kind]]
        if len(gone) == len(come):
            yield from ((kind, *both) for both in zip(gone, come, strict=True))


def values_of(sentence: str) -> Mapping[str, list[str]]:
    """Return the values of a sentence by their kind."""
    found: dict[str, list[str]] = {}
    sentence = _NO_TEXT.sub(lambda match: " " * len(match[0]), sentence)
    for kind, pattern in _KINDS:
        for match in list(pattern.finditer(sentence)):
            value = match[0]
            words = value.lower().split()
            if len(value) > _LONGEST or not STOP_WORDS.isdisjoint(words):
                continue
            sentence = sentence[: match.start()] + " " * len(value) + sentence[match.end() :]
            if value not in found.setdefault(kind, []):
                found[kind].append(value)
    return found


def _has(text: str, value: str) -> bool:
    return next(_places(value, text), None) is not None


def _places(value: str, text: str) -> Iterator[int]:
    """Yield where a value is in a text, but not as a part of a longer word or number."""
    value, text = _plain(value), _plain(text)
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        is_whole = _START.match(text, at) and _END.match(text, end)
        if is_whole:
            yield at
        at = text.find(value, end if is_whole else at + 1)


def _plain(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u202f", " ")


def candidates(connection: sqlite3.Connection, one: Replaced, path: str) -> tuple[list[str], Rarity]:
    """Return the other notes that may still have a replaced value, and how rare it and the words around it are.

    `path`: the note that was edited.
    """
    paths = with_phrase(connection, one.phrase, _MOST_WITH[one.kind] + 1)
    others = sorted({*paths} - {path}) if len(paths) <= _MOST_WITH[one.kind] else []
    words = sorted(one.words, key=lambda word: (-len(word), word))[:_MOST_WORDS] if others else []
    return others, rarity(connection, len(paths), words)


def outdated(
    path: str, before: bytes, data: bytes, search: Search, session: Session, read: Read, has: Has
) -> list[Outdated]:
    """Return sentences of other notes that still have what an edit of the note at `path` has replaced.

    `before`, `data`: its bytes before and after the edit; `search`: over the notes that the caller may read; `read`:
    reads one of these; `has`: tells whether the caller may know of a file.
    """
    gone = replaced(base_of(name_of(path)), *(one.decode(errors="replace") for one in (before, data)))
    paths_by_value = (
        search.peek(lambda connection: [candidates(connection, one, path) for one in gone]) if gone else None
    )
    if not paths_by_value:
        return []
    with session.hold() as index:
        near = _near(index.links, path, has)
        names = {
            one: name_for(index.catalog, one)
            for paths, _ in paths_by_value
            for one in paths
            if one in index.catalog.rows
        }
        notes = {one: (name, near(one)) for one, name in names.items()}
    texts = {one: text for one in notes if (text := _text(one, read))}
    return [
        Outdated(notes[one][0], still, each.mended(still), each.old, each.new)
        for each, (paths, known) in zip(gone, paths_by_value, strict=True)
        for one in paths
        if one in texts and (still := passage(texts[one], base_of(name_of(one)), each, known, near=notes[one][1]))
    ]


def sentences(outdated_values: Iterable[Outdated]) -> list[str]:
    """Return a sentence for each value that other notes still have, with their names."""
    notes: dict[str, list[str]] = {}
    for one in outdated_values:
        notes.setdefault(one.old, []).append(one.note)
    return [f"{old} still in: {', '.join(told_apart(names[:_MOST_NAMED]))}" for old, names in notes.items()]


def _near(links: LinkGraph, path: str, has: Has) -> Callable[[str], bool]:
    """Return a function that tells whether a note is within two links of `path`, not through a note with many links."""

    def around(one: str) -> set[str]:
        some = (
            *itertools.islice(links.following(one), _MOST_LINKS),
            *itertools.islice(links.leading(one), _MOST_LINKS),
        )
        return set(filter(has, some))

    first = around(path)
    between = {one for one in first if len(links.leading(one)) < _MOST_LINKS}
    return lambda one: one in first or not between.isdisjoint(around(one))


def _text(path: str, read: Read) -> str:
    """Return the text of a note; "" if it is private, or gone."""
    try:
        data = read(path)
    except OSError:
        return ""
    return "" if len(data) > _LONGEST_NOTE or is_private(path, data) else data.decode(errors="replace")


def passage(text: str, name: str, one: Replaced, known: Rarity, *, near: bool) -> str | None:
    """Return the sentence of another note that still has a replaced value; None if that is not certain of any.

    `name`: the last part of its name; `near`: whether it is within two links of the edited note.
    """
    if not _has(text, one.old):
        return None
    for sentence in sentences_of(text):
        if _has(sentence.text, one.old):
            shared = one.words & known.stems.keys() & _words(sentence, name)
            if len(shared) >= _LEAST and known.chance(shared) < (_CHANCE_NEAR if near else _CHANCE):
                return sentence.text
    return None
