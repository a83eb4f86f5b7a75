"""Read a query, which has words to look for and filters, such as `tag:recipe` or `-soup`, and find what matches it."""

import datetime
import re
import sqlite3
from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple, cast

from zkmem.errors import BadArgument
from zkmem.search.filters import Filter, Kind, has_property, is_limit, passing
from zkmem.search.retrieval import Match, Scope, find, newest, numbers_in
from zkmem.search.stems import terms_of
from zkmem.util.words import phrase_tokens

_FILTER = re.compile(
    r"""
    (?: (?P<minus>(?<!\S)-) | (?<!\S) | (?<=\() )
    (?:
        " (?P<phrase>[^"]*) "
      | \[ (?P<key>[^\[\]:"]+) (?: : (?: "(?P<quoted_value>[^"\]]*)" | (?P<value>[^\[\]]*) ) )? \] (?![^\s)])
      | (?P<operator>tag|path|name|file|before|after) : (?!//) (?: "(?P<quoted>[^"]*)" | (?P<text>[^\s"]*[^\s")]) )
      | (?(minus) (?P<word>[^\s"(-]\S*) | (?!) )
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_MOST_FILTERS = 50
_NO_FILTER = re.compile(
    r'(?<!\S)(?P<minus>-?)(?!mailto:)(?P<key>[a-z]{2,}):(?P<value>"[^"]*"|[^\s:/"]\S*)?(?!\S)', re.IGNORECASE
)
_NEAR = 0.7  # of 1, how much of a word is in the name of a filter
_OTHERS = {
    "date": "after",
    "tags": "tag",
    "title": "name",
    "folder": "path",
    "in": "path",
    "since": "after",
    "until": "before",
}
_MOST_REMARKS = 5
_FILTERS = 'tag:x, path:x, name:x, before:2026, after:2026, [property:x], "some words" and -word'


class Query(NamedTuple):
    """A query: its words, those of its phrases too, and its filters, all of which a note must pass."""

    words: str
    filters: list[Filter]
    unquoted: str = ""  # the words without those of the phrases

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
    | `name:x`, `file:x` | those with `x` in their name |
    | `[property]`, `[property:value]` | those with the property, or with the value in it |
    | `[property:>5]`, `[property:<2026-11-20]` | those with a greater number, or an earlier date, in it |
    | `before:2026-11-20` | those of an earlier date |
    | `after:2026-11`, `after:2026` | those of this date or a later one |

    A value with blanks stands in quotes. Everything else is text to look for.
    """
    filters: list[Filter] = []
    texts: list[str] = []
    plain: list[str] = []
    end = 0
    for match in _FILTER.finditer(text):
        one = _filter(match)
        texts.append(text[end : match.start()])
        plain.append(text[end : match.start()])
        end = match.end()
        if one is None:
            continue
        filters.append(one)
        if one.kind == "phrase" and not one.negative:
            texts.append(one.value)
    if len(filters) > _MOST_FILTERS:
        raise BadArgument(f"The query has {len(filters)} filters; give {_MOST_FILTERS} at most.")
    plain.append(text[end:])
    return Query(" ".join([*texts, text[end:]]), filters, " ".join(plain))


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
    operator = match["operator"].lower()
    value = (match["text"] if match["quoted"] is None else match["quoted"]).strip()
    if not value.strip("#/"):
        raise BadArgument(f"{written!r} has no value; write one, such as {operator}:{_EXAMPLES[operator]}.")
    if operator in {"before", "after"} and not _is_date(value):
        raise BadArgument(f"{written!r} has no date; write one such as 2026-11-20, 2026-11 or 2026.")
    return Filter("name" if operator == "file" else cast("Kind", operator), value, "", negative, written)


_EXAMPLES = {"tag": "recipe", "path": "recipes/", "name": "soup", "file": "soup", "before": "2026", "after": "2026"}


def _is_date(value: str) -> bool:
    match = _DATE.fullmatch(value)
    try:
        return match is not None and bool(datetime.date(int(match[1]), int(match[2] or 1), int(match[3] or 1)))
    except ValueError:
        return False


def matches(connection: sqlite3.Connection, query: Query, limit: int, scope: Scope) -> tuple[list[Match], list[str]]:
    """Return the notes that match a query, the best first, and remarks on filters that fit no note, or are unknown."""
    matched, remarks = _matches(connection, query, limit, scope)
    return matched, [*remarks, *_no_filters(connection, query)]


def _no_filters(connection: sqlite3.Connection, query: Query) -> Iterator[str]:
    """Yield remarks on words that look like filters of another program, or are nearly filters."""
    words = [query.unquoted, *(one.written for one in query.filters if one.kind == "word")]
    unknown = []
    for match in islice(_NO_FILTER.finditer(" ".join(words)), _MOST_REMARKS):
        key, value = match["key"], (match["value"] or "").rstrip(".,;)")
        written = f"{match['minus']}{key}:{value}"
        if not value:
            if example := _EXAMPLES.get(key.lower()):
                yield f"{written!r} has no value, so it is only a word; write one, such as {key}:{example}."
        elif advice := _advice(connection, key, value):
            yield f"{written!r} is no filter, only words; did you mean {match['minus']}{advice}?"
        else:
            unknown.append(repr(written))
    if unknown:
        are = "is no filter" if len(unknown) == 1 else "are no filters"
        yield f"{' and '.join(unknown)} {are}, only words; the filters are {_FILTERS}."


def _advice(connection: sqlite3.Connection, key: str, value: str) -> str:
    """Return the filter that `key:value` may stand for; "" if no filter is like it, or only the value is wrong."""
    import difflib  # noqa: PLC0415 - slow to import

    key = key.lower()
    is_property = has_property(connection, key)
    near = [] if is_property else difflib.get_close_matches(key, _EXAMPLES, 1, _NEAR)
    for operator in (_OTHERS.get(key), *near):
        if operator and operator != key and (operator not in {"before", "after"} or _is_date(value)):
            return f"{operator}:{value}"
    return f"[{key}:{value}]" if is_property else ""


def _matches(connection: sqlite3.Connection, query: Query, limit: int, scope: Scope) -> tuple[list[Match], list[str]]:
    if not query.filters:
        return find(connection, terms_of(query.words), limit, scope), []
    among, remarks = _among(connection, query, scope)
    if not among and query != (looser := query.without_phrases()):
        phrases = " ".join(one.written for one in query.filters if one not in looser.filters)
        matched, more = _matches(connection, looser, limit, scope)
        if matched:
            return matched, [f"{remarks[0]} These notes have some of the words of {phrases}."]
        return matched, [*remarks, *more]
    terms = terms_of(query.words)
    if not among or not terms:
        return newest(connection, limit, among), remarks
    matched = find(connection, terms, limit, scope, among)
    written = " ".join(one.written for one in query.filters)
    return matched, [] if matched else [_none_of(among, written, "has a word of the query", "has no word of the query")]


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
