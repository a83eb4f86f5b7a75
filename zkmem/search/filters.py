"""Find the notes of the search index that pass a filter of a query, such as `tag:recipe`."""

import re
import sqlite3
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from zkmem.names import base_of, name_of
from zkmem.search.entry import ALIASES, TAG, TRUNCATED, fact_key, fact_value
from zkmem.search.fulltext import facts_of_many, rows_of
from zkmem.search.relevance import packed
from zkmem.search.stems import stems
from zkmem.util.words import folded, is_single, phrase_tokens, plain

Kind = Literal["phrase", "word", "tag", "path", "name", "property", "before", "after", "on"]


_LIMIT = re.compile(r"([<>]=?)\s*(-?\d+(?:\.\d+)?|\d{4}-\d{2}(?:-\d{2})?)", re.ASCII)  # of `[property:>5]`
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_DAY_MONTH_OR_YEAR = re.compile(r"\d{4}(?:-\d{2}){0,2}", re.ASCII)
_TAGGED = "SELECT id FROM search_facts WHERE key = ? AND (value = ? OR value >= ? AND value < ?)"
_WITH_ALIAS = "SELECT id FROM search_facts WHERE key IN (?, ?) AND instr(value, ?)"
_MATCHING = "SELECT rowid FROM search_words WHERE search_words MATCH ?"


class Filter(NamedTuple):
    """A condition on notes."""

    kind: Kind
    value: str
    key: str = ""  # of a property
    negative: bool = False  # only notes that do not meet it pass
    written: str = ""  # as the query has it
    until: str = ""  # the last day of a date, of which the value is the first


def passing(connection: sqlite3.Connection, one: Filter) -> set[int]:
    """Return the numbers of the notes that pass a filter."""
    numbers = meeting(connection, one)
    if one.kind in {"tag", "property", "name"}:
        meets = _test(one)
        numbers |= {number for number, facts in facts_of_many(connection) if any(meets(*fact) for fact in facts)}
    return _all(connection) - numbers if one.negative else numbers


def is_limit(value: str) -> bool:
    """Return whether the value of a filter on a property is a limit, such as `>5` or `<2026-11-20`."""
    return _LIMIT.fullmatch(value) is not None


def has_property(connection: sqlite3.Connection, name: str) -> bool:
    """Return whether a note has a property; True if a note has more facts than are stored."""
    known = "SELECT 1 FROM search_facts WHERE key IN (?, ?) LIMIT 1"
    return connection.execute(known, (fact_key(name), TRUNCATED[0])).fetchone() is not None


def meeting(connection: sqlite3.Connection, one: Filter) -> set[int]:
    """Return the numbers of the notes that meet a condition, by what the index stores.

    A note that has more facts than are stored may be missing.
    """
    return set(_MEETING[one.kind](connection, one))


def _test(one: Filter) -> Callable[[str, str], bool]:
    """Return a function that tells whether a fact, a key and a value, meets a condition on a tag, property or alias."""
    if one.kind == "tag":
        tag = one.value.strip("#/ ")
        return lambda key, value: key == TAG and is_below_tag(value, tag)
    if one.kind == "name":
        part = fact_value(one.value)
        return lambda key, value: key in ALIASES and part in value
    name, exact = fact_key(one.key), fact_value(one.value)
    if not one.value:
        return lambda key, _: key == name
    if limit := _LIMIT.fullmatch(one.value):
        return lambda key, value: key == name and _is_beyond(value, limit[1], limit[2])
    return lambda key, value: key == name and value == exact


def is_below_tag(tag: str, top: str) -> bool:
    """Return whether a tag is the tag `top`, or is nested in it."""
    return f"{fact_value(tag)}/".startswith(f"{fact_value(top)}/")


def _all(connection: sqlite3.Connection) -> set[int]:
    return _first_column(connection.execute("SELECT id FROM search_notes"))


def _first_column(rows: Iterable[tuple[int]]) -> set[int]:
    return {number for (number,) in rows}


def _with_phrase(connection: sqlite3.Connection, one: Filter) -> Iterable[int]:
    """Return the notes with exactly these words, in this order. FTS5 finds those with the same stems."""
    words = phrase_tokens(one.value)
    exact = packed(words)
    prefix = is_single(words[-1])  # it begins a pair
    exact = exact[:-2] if prefix else exact
    expression = f'"{" ".join(stems(words))}"{" *" if prefix else ""}'
    numbers = _first_column(connection.execute(_MATCHING, (f"{{title text}} : {expression}",)))
    for row in rows_of(connection, numbers):
        if exact in row.words.text or exact in row.words.title:
            yield row.number


def _with_word(connection: sqlite3.Connection, one: Filter) -> Iterable[int]:
    """Return the notes with any form of a word; of several words, such as those of `well-known`, with all of them."""
    words = phrase_tokens(one.value)
    each = (f'"{stem}"{" *" if is_single(stem) else ""}' for stem in stems(words))
    return _first_column(connection.execute(_MATCHING, (f"{{title text}} : ({' AND '.join(each)})",)))


def _with_tag(connection: sqlite3.Connection, one: Filter) -> Iterable[int]:
    """Return the notes with a tag, or with one nested in it."""
    tag = fact_value(one.value.strip("#/ "))
    return _first_column(connection.execute(_TAGGED, _tag_range(tag)))


def paths_with_tag(connection: sqlite3.Connection, tag: str, most: int) -> list[str]:
    """Return the paths of at most `most` notes with a tag, or with one nested in it."""
    tag = fact_value(tag)
    rows = connection.execute(
        f"SELECT path FROM search_notes WHERE id IN ({_TAGGED}) ORDER BY path LIMIT ?",  # noqa: S608 - a constant
        (*_tag_range(tag), most),
    )
    return [path for (path,) in rows]


def _tag_range(tag: str) -> tuple[str, ...]:
    """Return the parameters of `_TAGGED`."""
    return TAG, tag, f"{tag}/", f"{tag}0"  # 0 is the next character after /


def _with_property(connection: sqlite3.Connection, one: Filter) -> Iterable[int]:
    """Return the notes with a property or, if the filter has a value, with that value, or a list that has it.

    A value such as `>5` or `<2026-11-20` stands for the numbers or the dates beyond it.
    """
    if not one.value:
        return _first_column(connection.execute("SELECT id FROM search_facts WHERE key = ?", (fact_key(one.key),)))
    if limit := _LIMIT.fullmatch(one.value):
        facts = connection.execute("SELECT id, value FROM search_facts WHERE key = ?", (fact_key(one.key),))
        return {number for number, value in facts if _is_beyond(value, limit[1], limit[2])}
    rows = connection.execute(
        "SELECT id FROM search_facts WHERE key = ? AND value = ?", (fact_key(one.key), fact_value(one.value))
    )
    return _first_column(rows)


def _is_beyond(value: str, operator: str, limit: str) -> bool:
    """Return whether a number or a date is less (`<`, `<=`) or greater (`>`, `>=`) than a limit of its kind."""
    if _DATE.match(value) and _DAY_MONTH_OR_YEAR.fullmatch(limit):
        day = value[: len(limit)]
        order = (day > limit) - (day < limit)
    elif _NUMBER.fullmatch(value) and _NUMBER.fullmatch(limit):
        order = (float(value) > float(limit)) - (float(value) < float(limit))
    else:
        return False
    return order == (1 if operator[0] == ">" else -1) or (order == 0 and operator[1:] == "=")


def _in_path(connection: sqlite3.Connection, one: Filter) -> Iterable[int]:
    """Return the notes with a text in their path."""
    part = folded(plain(one.value))
    rows = connection.execute("SELECT id, path FROM search_notes")
    return {number for number, path in rows if part in folded(plain(path))}


def _named(connection: sqlite3.Connection, one: Filter) -> Iterable[int]:
    """Return the notes with a text in the last part of their name, or in an alias."""
    part = folded(plain(one.value))
    rows = connection.execute("SELECT id, path FROM search_notes")
    named = {number for number, path in rows if part in folded(plain(base_of(name_of(path))))}
    return named | _first_column(connection.execute(_WITH_ALIAS, (*ALIASES, fact_value(one.value))))


def _before(connection: sqlite3.Connection, one: Filter) -> Iterable[int]:
    return _first_column(connection.execute("SELECT id FROM search_notes WHERE date < ?", (one.value,)))


def _after(connection: sqlite3.Connection, one: Filter) -> Iterable[int]:
    """Return the notes of a date, and all later ones."""
    return _first_column(connection.execute("SELECT id FROM search_notes WHERE date >= ?", (one.value,)))


def _on(connection: sqlite3.Connection, one: Filter) -> Iterable[int]:
    days = "SELECT id FROM search_notes WHERE date BETWEEN ? AND ?"
    return _first_column(connection.execute(days, (one.value, one.until)))


_MEETING: dict[Kind, Callable[[sqlite3.Connection, Filter], Iterable[int]]] = {
    "phrase": _with_phrase,
    "word": _with_word,
    "tag": _with_tag,
    "path": _in_path,
    "name": _named,
    "property": _with_property,
    "before": _before,
    "after": _after,
    "on": _on,
}
