"""Read a query, which has words to look for and filters, such as `tag:recipe` or `-soup`, and find what matches it."""

import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from zkmem.errors import BadArgument
from zkmem.names import NOTE_SUFFIX
from zkmem.search import advice
from zkmem.search.filters import Filter, Kind, has_property, is_limit, passing
from zkmem.search.fulltext import numbers_of
from zkmem.search.retrieval import Counts, Match, RareWord, Scope, find, newest, numbers_in
from zkmem.search.spellings import terms_with_spellings
from zkmem.search.stems import terms_of
from zkmem.util.periods import period
from zkmem.util.spelling import number_of
from zkmem.util.words import folded, phrase_tokens, plain

_FILTER = re.compile(
    r"""
    (?: (?P<minus>(?<!\S)-) | (?<!\S) | (?<=\() )
    (?:
        " (?P<phrase>[^"]*) "
      | \[ (?P<key>[^\[\]:"]+) (?: : (?: "(?P<quoted_value>[^"\]]*)" | (?P<value>[^\[\]]*) ) )? \] (?![^\s)])
      | (?P<operator>tag|path|name|file|before|after|on) : (?!//) (?: "(?P<quoted>[^"]*)" | (?P<text>[^\s"]*[^\s")]) )
      | (?(minus) (?P<word>[^\s"(-]\S*) | (?!) )
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_MOST_FILTERS = 50
_DATED = {"before", "after", "on"}
_ANY_WORD = re.compile(r"[^\W_]+")


class Query(NamedTuple):
    """A query: its words, those of its phrases too, and its filters, all of which a note must pass."""

    words: str
    filters: list[Filter]
    unquoted: str = ""  # the words without those of the phrases; `""` stands for each filter

    def without_phrases(self) -> "Query":
        """Return the query without its phrase filters. Their words stay; filters such as -"x y" stay, too."""
        return self._replace(filters=[one for one in self.filters if one.kind != "phrase" or one.negative])


def read_query(text: str) -> Query:
    """Return a query that is written as a person or a model writes it.

    | part | notes that pass |
    |---|---|
    | `"some words"` | those with exactly these words, in this order |
    | `-word`, `-"some words"` | those without them; a `-` may stand before any filter |
    | `tag:x` | those with the tag, or with one nested in it |
    | `path:x` | those with `x` in their path |
    | `name:x`, `file:x` | those with `x` in their name or in an alias |
    | `[property]`, `[property:value]` | those with the property, or with the value in it |
    | `[property:>5]`, `[property:<2026-11-20]` | those with a greater number, or an earlier date, in it |
    | `on:2026-11-20`, `on:2026-11`, `on:yesterday` | those of this date: see `periods.py` for the words |
    | `before:2026-11-20` | those of an earlier date |
    | `after:2026-11`, `after:yesterday` | those of this date or a later one |

    A value with blanks stands in quotes. Everything else is text to look for.
    """
    filters: list[Filter] = []
    texts: list[str] = []
    unquoted: list[str] = []
    end = 0
    for match in _FILTER.finditer(text):
        if (match["operator"] or "").lower() == "on" and not period(_value(match)):
            continue  # as in `on:click`
        one = _filter(match)
        texts.append(text[end : match.start()])
        unquoted += [text[end : match.start()], '""']
        end = match.end()
        if one is None:
            continue
        filters.append(one)
        if one.kind == "phrase" and not one.negative:
            texts.append(one.value)
    if len(filters) > _MOST_FILTERS:
        raise BadArgument(f"The query has {len(filters)} filters; give {_MOST_FILTERS} at most.")
    unquoted.append(text[end:])
    return Query(" ".join([*texts, text[end:]]), filters, " ".join(unquoted))


def _filter(match: re.Match[str]) -> Filter | None:
    """Return the filter in a match; None for a phrase or a word without letters and digits."""
    written, negative = match[0], match["minus"] is not None
    for kind in ("phrase", "word"):
        if match[kind] is not None:
            return Filter(kind, match[kind], "", negative, written) if phrase_tokens(match[kind]) else None
    if match["key"] is not None:
        value = match["value"] if match["quoted_value"] is None else match["quoted_value"]
        value = (value or "").strip()
        if value.startswith(("<", ">")) and match["quoted_value"] is None and not is_limit(value):
            raise BadArgument(f"{written!r} has no limit; write a number or a date, such as [rating:>3].")
        return Filter("property", value, match["key"].strip(), negative, written)
    operator, value = match["operator"].lower(), _value(match)
    if not value.strip("#/"):
        raise BadArgument(f"{written!r} has no value; write one, such as {operator}:{advice.EXAMPLES[operator]}.")
    until = ""
    if operator in _DATED:
        if not (days := period(value)):
            raise BadArgument(
                f"{written!r} has no date; write one such as 2026-11-20, 2026-11, 2026, yesterday or last-week."
            )
        value, until = days
    elif operator in {"name", "file"}:
        operator = "name"
        if value.lower().endswith(NOTE_SUFFIX) and len(value) > len(NOTE_SUFFIX):
            value = value[: -len(NOTE_SUFFIX)]
    return Filter(cast("Kind", operator), value, "", negative, written, until)


def _value(match: re.Match[str]) -> str:
    return (match["text"] if match["quoted"] is None else match["quoted"]).strip()


def matches(
    connection: sqlite3.Connection,
    query: Query,
    limit: int,
    scope: Scope,
    nearby: Collection[str] = (),
    *,
    filters: bool = True,
) -> tuple[list[Match], list[str]]:
    """Return the notes that match a query, the best first, and remarks.

    The notes at the paths `nearby` come before all others. The remarks say which filter fits no note, what is an
    operator of other programs, and how to go on if there is no match; they name filters only if the query may have
    some (`filters`).
    """
    matched, remarks = _matches(connection, query, limit, scope, numbers_of(connection, nearby))
    if filters:
        remarks += advice.misread(connection, query.unquoted, query.filters, scope)
    if not matched:
        remarks.append(advice.next_step(connection, terms_of(query.words), query.filters, scope, with_filters=filters))
    return matched, list(dict.fromkeys(remarks))


def _matches(
    connection: sqlite3.Connection, query: Query, limit: int, scope: Scope, nearby: Collection[int]
) -> tuple[list[Match], list[str]]:
    among, remarks = _among(connection, query, scope) if query.filters else (None, [])
    if query.filters and not among and query != (looser := query.without_phrases()):
        phrases = " ".join(one.written for one in query.filters if one not in looser.filters)
        matched, more = _matches(connection, looser, limit, scope, nearby)
        if matched:
            return matched, [f"{remarks[0]} These notes have some of the words of {phrases}."]
        return matched, [*remarks, *more]
    if query.filters and not among:
        return [], remarks
    chosen = among.intersection(nearby) if among else nearby
    first, _ = _with_words(connection, query.words, limit, scope, chosen) if nearby else ([], [])
    others, remarks = _with_words(connection, query.words, limit, scope, among)
    known = {one.path for one in first}
    matched = [*first, *(one for one in others if one.path not in known)][:limit]
    if matched or not among:
        return matched, remarks
    written = " ".join(one.written for one in query.filters)
    return matched, [_none_of(among, written, "has a word of the query", "has no word of the query")]


def _with_words(
    connection: sqlite3.Connection, text: str, limit: int, scope: Scope, among: Collection[int] | None
) -> tuple[list[Match], list[str]]:
    """Return the notes with words of a text, the best first, and remarks on words that no note has: see `find`.

    Without words, these are the notes with the latest dates of those in `among`.
    """
    counts = Counts(connection, scope)
    terms = terms_with_spellings(counts, text)
    if not terms:
        return newest(connection, limit, among or ()), []
    matched, rare = find(counts, terms, limit, among, near_words=True)
    return matched, list(_on_rare(rare, text)) if matched else []


def _on_rare(rare: Iterable[RareWord], text: str) -> Iterator[str]:
    """Yield remarks on words of a text that no note has, or few."""
    shown = " ".join(word for word in text.split() if ":" not in word)  # an address, a time, or nearly a filter
    written = {folded(plain(word)): word for word in _ANY_WORD.findall(shown)}
    missing = []
    for one in rare:
        if one.others:
            have = f"Only {number_of(one.notes, 'note')} {'has' if one.notes == 1 else 'have'}"
            word = repr(written.get(one.word, one.word))
            yield f"{have if one.notes else 'No note has'} {word}; searched for {_listed(one.others, 'and')} too."
        elif one.word in written:
            missing.append(written[one.word])
    if missing:
        yield f"No note has {_listed(missing, 'or')}."


def _listed(words: Sequence[str], conjunction: str) -> str:
    """Return words in quotes as one list: 'a', 'b' and 'c'."""
    *others, last = map(repr, words)
    return f"{', '.join(others)} {conjunction} {last}" if others else last


def _none_of(numbers: Collection[int], written: str, does: str, does_not: str) -> str:
    """Return the sentence that none of the notes that match some filters does something."""
    if len(numbers) == 1:
        return f"The one note that matches {written} {does_not}."
    return f"None of the {len(numbers):,} notes that match {written} {does}."


def _among(connection: sqlite3.Connection, query: Query, scope: Scope) -> tuple[set[int], list[str]]:
    """Return the numbers of the notes that pass all filters; if there are none, also a sentence that says why."""
    among: set[int] | None = None if scope == Scope() else numbers_in(connection, scope)
    before = ""
    for one in query.filters:
        numbers = passing(connection, one)
        remaining = numbers if among is None else among & numbers
        if not remaining:
            if not before or not numbers:
                missing = one.kind == "property" and not has_property(connection, one.key)
                return remaining, [
                    f"No note matches {one.written}.",
                    *[f"No note has the property {one.key}."] * missing,
                ]
            return remaining, [_none_of(among or (), before, f"matches {one.written}", f"does not match {one.written}")]
        among, before = remaining, f"{before} {one.written}".strip()
    return among or set(), []
