"""Write remarks on a query: what else it may mean, and how to go on when it finds nothing.

Everything that a sentence names is from the index of the caller, and from the folders that are searched.
"""

import heapq
import itertools
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zkmem.names import base_of, folder_of, name_of
from zkmem.search.entry import TAG, fact_key, fact_value, title_mark
from zkmem.search.filters import Filter, has_property, passing
from zkmem.search.fulltext import paths_of, unpacked_fields
from zkmem.search.retrieval import Scope, notes_begun, notes_with, numbers_in, words_begun
from zkmem.search.stems import Term
from zkmem.util.likeness import spelled_alike
from zkmem.util.periods import period
from zkmem.util.spelling import quoted, told_apart
from zkmem.util.words import STOP_WORDS, folded, plain

EXAMPLES = {
    "tag": "recipe",
    "path": "recipes/",
    "name": "soup",
    "file": "soup",
    "before": "2026",
    "after": "2026",
    "on": "2026-11-25",
}
"""A value for each filter."""

_FILTERS = 'tag:x, path:x, name:x, before:2026, after:2026, on:2026-11-25, [property:x], "some words" and -word'
_NO_FILTER = re.compile(
    r'(?<!\S)(?P<minus>-?)(?!mailto:)(?P<key>[a-z][a-z_-]+):(?P<value>"[^"]*"|\([^()\n]*\)|[^\s:/"(]\S*)?(?!\S)',
    re.IGNORECASE,
)
_NEAR = 0.7  # of 1, how much of a word is in the name of a filter
_OTHERS = {  # the filters of other programs; `"` stands for words in quotes
    **dict.fromkeys(("tags", "label", "labels", "keyword"), "tag"),
    **dict.fromkeys(("title", "intitle", "filename", "note", "subject"), "name"),
    **dict.fromkeys(("folder", "in", "dir", "inurl"), "path"),
    **dict.fromkeys(("since", "newer", "newer_than", "modified-after"), "after"),
    **dict.fromkeys(("until", "older", "older_than", "modified-before"), "before"),
    **dict.fromkeys(("date", "day", "created", "modified"), "on"),
    **dict.fromkeys(("line", "section", "block", "content", "text", "intext", "site"), '"'),
}
_MOST_REMARKS, _LONGEST = 5, 60  # the characters of a word in a remark
_COMPARED = re.compile(r"(?P<key>[^<>=!]*[^<>=!\s])\s*(?P<sign>[<>]=?|[!=]?=)\s*(?P<value>[^<>=!\s][^<>=!]*)")
_BARE = re.compile(r"(?<!\S)[^\W\d][\w-]*(?:[<>]=?|!?==?)[^\s<>=!]+(?!\S)")
_PREFIX = re.compile(r"(?<!\S)(?P<word>[^\W\d_]{2,})\*(?!\S)")
_REGEX = re.compile(r"(?<!\S)/(?P<text>[^\s/](?:[^\n/]*[^\s/])?)/[a-z]?(?!\S)")
_PLUS = re.compile(r"(?<!\S)\+(?P<word>[^\W\d_][\w-]*)(?!\S)")
_MINUS_GROUP = re.compile(r"(?<!\S)-\((?P<text>\w[^()\n]*)\)")
_SIGNS = frozenset("\\[]{}^$|*+?.")  # of regular expressions
_ROOTS = {"bin", "dev", "etc", "home", "lib", "mnt", "opt", "proc", "root", "run", "srv", "sys", "tmp", "usr", "var"}
_PLAIN = re.compile(r"[\w\s]*")  # in small letters, it has no operator
_OPERATORS = ("AND", "OR", "NOT")
_AROUND = "()[]\"'.,;:!?"

_KEYS = "SELECT substr(key, 2), count(*) FROM search_facts WHERE key BETWEEN ? AND ? GROUP BY key"
_VALUES = "SELECT value, count(*) FROM search_facts WHERE key BETWEEN ? AND ? GROUP BY value"
_FEW = 3  # names in a sentence
_ALIKE = 0.6  # of 1, how similar a name must be
_MOST_KNOWN = 5_000  # tags, values or names that are compared
_MOST_NAMES = 20_000  # of a sample of the notes
_MOST_LATEST = 200  # notes, whose tags are counted
_MOST_BEGUN = 200  # notes with a word in the title that begins like one of the query
_IN_USE = {"tag": "Tags", "key": "Properties", "property": "Values", "path": "Folders"}
_WRITABLE = re.compile(r"[^\s\"\[\]:<>#](?:[^\"\[\]:\n\r]*[^\s\"\[\]:])?")
_BARE_VALUE = re.compile(r'[^\s"()]+')
_MOST_FILTERS = 10  # of a query, of which each is left out in turn
_MOST_TERMS = 32
_MOST_LEFT_OUT = 2  # filters in a sentence
_BEGIN = 3  # letters of a word by which names are found


def misread(connection: sqlite3.Connection, text: str, filters: Sequence[Filter], scope: Scope) -> list[str]:
    """Return remarks on operators of other programs, and on words that are nearly filters.

    `text`: the query, in which `""` stands for each filter.
    """
    if not filters and text.islower() and _PLAIN.fullmatch(text):
        return []
    words = " ".join([text, *(one.written for one in filters if one.kind == "word")])
    remarks = itertools.chain(
        _on_comparisons(connection, text, filters),
        _on_operators(connection, text, scope),
        _on_unknown_filters(connection, words),
    )
    return list(itertools.islice(remarks, _MOST_REMARKS))


def _on_operators(connection: sqlite3.Connection, text: str, scope: Scope) -> Iterator[str]:
    """Yield a remark on each kind of operator that a text has."""
    kinds = _operators(text.split())
    if word := kinds.get("NOT"):
        yield f"'NOT {word}' leaves nothing out; write -{word}."
    elif "NOT" in kinds:
        yield "'NOT' leaves nothing out; write - before the filter."
    if word := kinds.get("AND"):
        yield f"'AND' is no operator; write what a note must have in quotes, such as \"{word}\"."
    elif "AND" in kinds:
        yield "'AND' is no operator; leave it out: a note must pass every filter."
    if "OR" in kinds:
        yield "'OR' is no operator; leave it out: a note needs one of the words, and must pass every filter."
    if match := _MINUS_GROUP.search(text):
        words = [f"-{word[:_LONGEST]}" for word in match["text"].split()[:_FEW]]
        yield f"{quoted(match[0], _LONGEST)} leaves nothing out; write {' '.join(words)}."
    elif kinds and "(" in text:
        yield "Brackets do not group words; leave them out."
    if match := _PREFIX.search(text):
        words = words_begun(connection, folded(plain(match["word"])), scope)[:_FEW]
        instead = f", such as {', '.join(words)}" if words else "; no word begins like that"
        yield f"{quoted(match[0], _LONGEST)} is only the word {match['word'][:_LONGEST]}; write whole words{instead}."
    if (match := _REGEX.search(text)) and match["text"].lower() not in _ROOTS:
        inner = match["text"]
        if not _SIGNS.isdisjoint(inner) or inner.isalpha():
            instead = f"; for a folder, write path:{inner}/" if inner.isalpha() and len(inner) <= _LONGEST else ""
            yield f"{quoted(match[0], _LONGEST)} is no regular expression, only words{instead}."
    if match := _PLUS.search(text):
        yield f'{match[0]!r} is only a word; for notes that must have it, write "{match["word"]}".'


def _operators(words: Sequence[str]) -> dict[str, str]:
    """Return the operators AND, OR and NOT among words, each with the word that follows.

    Capitals may also be emphasis. So an operator stands between two words that show what a text is about, and a text
    of capitals has none.
    """
    kinds: dict[str, str] = {}
    if "".join(word for word in words if word.strip("()") not in _OPERATORS).isupper():
        return kinds
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        kind = word.strip("()")
        if kind in _OPERATORS and kind not in kinds and _is_operand(after):
            starts = before.strip("(") in {"", *_OPERATORS}
            if _is_operand(before) or (kind == "NOT" and starts):
                kinds[kind] = after.strip(_AROUND)
    return kinds


def _is_operand(word: str) -> bool:
    """Return whether a word may stand beside an operator: a filter, or a word that is no stop word."""
    bare = word.strip(_AROUND)
    has_meaning = any(map(str.isalnum, bare)) and bare.lower() not in STOP_WORDS
    return '""' in word or bare == "NOT" or (has_meaning and len(bare) <= _LONGEST)


def _on_comparisons(connection: sqlite3.Connection, text: str, filters: Iterable[Filter]) -> Iterator[str]:
    """Yield remarks on comparisons such as `[rating>4]`, and such as `rating>4` if notes have that property."""
    for one in filters:
        match = _COMPARED.fullmatch(one.key) if one.kind == "property" and not one.value else None
        if match and not has_property(connection, one.key):
            yield f"{quoted(one.written, _LONGEST)} compares nothing; write {_comparison(match, one.written)}."
    for bare in itertools.islice(_BARE.finditer(text), _MOST_REMARKS):
        if (match := _COMPARED.fullmatch(bare[0])) and has_property(connection, match["key"]):
            yield f"{bare[0]!r} is no filter, only words; did you mean {_comparison(match)}?"


def _comparison(match: re.Match[str], written: str = "") -> str:
    """Return the filter that a comparison stands for."""
    sign, minus = match["sign"], written.startswith("-")
    minus ^= sign == "!="
    return f"{'-' * minus}[{match['key']}:{sign if sign[0] in '<>' else ''}{match['value'].strip()}]"


def _on_unknown_filters(connection: sqlite3.Connection, text: str) -> Iterator[str]:
    """Yield remarks on words that look like filters of another program, or are nearly filters."""
    unknown = []
    for match in itertools.islice(_NO_FILTER.finditer(text), _MOST_REMARKS):
        key, value = match["key"], (match["value"] or "").rstrip(".,;)")
        written = quoted(f"{match['minus']}{key}:{value}", _LONGEST)
        if not value:
            if (example := EXAMPLES.get(key.lower())) and key.lower() != "on":
                yield f"{written} has no value, so it is only a word; write one, such as {key}:{example}."
        elif key.lower() == "on":
            yield f"{written} has no date, so it is only words; write one, such as on:{EXAMPLES['on']}."
        elif instead := _instead(connection, key, value):
            yield f"{written} is no filter, only words; did you mean {match['minus']}{instead}?"
        else:
            unknown.append(written)
    if unknown:
        are = "is no filter" if len(unknown) == 1 else "are no filters"
        yield f"{' and '.join(unknown)} {are}, only words; the filters are {_FILTERS}."


def _instead(connection: sqlite3.Connection, key: str, value: str) -> str:
    """Return the filter that `key:value` may stand for; "" if no filter is like it, or only the value is wrong."""
    import difflib  # noqa: PLC0415 - slow to import

    key = key.lower()
    is_property = has_property(connection, key)
    near = [] if is_property else difflib.get_close_matches(key, EXAMPLES, 1, _NEAR)
    for operator in (_OTHERS.get(key), *near):
        if operator == '"':
            return f'"{value.strip(_AROUND)}"' if any(map(str.isalnum, value)) else ""
        if operator and operator != key and (operator not in {"before", "after", "on"} or period(value.strip('"'))):
            return f"{operator}:{value}"
    return f"[{key}:{value}]" if is_property else ""


def next_step(
    connection: sqlite3.Connection,
    terms: Sequence[Term],
    filters: Sequence[Filter],
    scope: Scope,
    *,
    with_filters: bool,
) -> str:
    """Return how to go on after a query without a match: what to write, or which notes to read.

    `with_filters`: whether the caller can write filters.
    """
    within = None if scope == Scope() else numbers_in(connection, scope)
    latest = list(itertools.islice(_by_date(connection, within, "DESC"), _MOST_LATEST))
    if not latest:
        return "There are no notes to search."
    passed = [passing(connection, one) for one in filters[:_MOST_FILTERS]]
    if within is not None:
        passed = [numbers & within for numbers in passed]
    steps = [*_without(connection, terms, filters, passed, scope), *_suggested(connection, filters, passed, within)]
    if not steps:
        names = _names_like(connection, terms, scope)
        own = Counter(tag for one in latest for tag in one.tags())
        tags = _spelled("tag", own) if with_filters and not names else {}
        steps = [
            *[f"Tags in use: {_listed(tags.values())}."] * bool(tags),
            f"Similar names: {_linked(names)}."
            if names
            else f"The latest notes: {_linked(name_of(one.path) for one in latest[:_FEW])}.",
        ]
    return " ".join([*["Nothing was found."] * (not filters), *steps])


def _listed(filters: Iterable[str]) -> str:
    return ", ".join(itertools.islice(filters, _FEW))


def _linked(names: Iterable[str]) -> str:
    return ", ".join(f"[[{name}]]" for name in told_apart(names))


class _DatedNote(NamedTuple):
    """A note of the index with its date."""

    path: str
    date: str
    fields: str

    def tags(self) -> set[str]:
        return set(map(fact_value, unpacked_fields(self.fields)["tags"]))


def _by_date(connection: sqlite3.Connection, within: set[int] | None, order: str) -> Iterator[_DatedNote]:
    """Yield notes in the order of their dates: "ASC" or "DESC"."""
    rows = connection.execute(f"SELECT id, path, date, fields FROM search_notes ORDER BY date {order}")  # noqa: S608 - a constant
    return (_DatedNote(*note) for number, *note in rows if within is None or number in within)


def _without(
    connection: sqlite3.Connection,
    terms: Sequence[Term],
    filters: Sequence[Filter],
    passed: Sequence[set[int]],
    scope: Scope,
) -> Iterator[str]:
    """Yield how many notes match without one of the filters or, if none does, without all of them.

    `passed`: the notes that pass each of the first filters.
    """
    if not filters:
        return
    having = [notes_with(connection, [term.stem for term in terms[:_MOST_TERMS]], scope)] if terms else []
    counts = {}
    if len(filters) == len(passed) and (len(filters) > 1 or having):
        for at, one in enumerate(filters):
            counts[one.written] = len(set.intersection(*passed[:at], *passed[at + 1 :], *having))
    if having and not any(counts.values()):
        counts["filters"] = len(having[0])
    for written, count in Counter(counts).most_common(_MOST_LEFT_OUT):
        if count:
            yield f"{count:,} notes match without {written}." if count > 1 else f"One note matches without {written}."


def _suggested(
    connection: sqlite3.Connection, filters: Sequence[Filter], passed: Sequence[set[int]], within: set[int] | None
) -> Iterator[str]:
    """Yield what to write in place of the first filter that no note passes."""
    for one, numbers in zip(filters, passed, strict=False):
        if numbers or one.negative:
            continue
        if one.kind in {"before", "after", "on"}:
            days = [next(_by_date(connection, within, order)).date for order in ("ASC", "DESC")]
            yield f"The dates of the notes go from {days[0]} to {days[1]}; write one of them, such as on:{days[1]}."
        is_key = one.kind == "property" and not has_property(connection, one.key)
        known = _in_use(connection, "key" if is_key else one.kind, one.key, within)
        wanted = fact_value(one.key if is_key else one.value.strip("#/"))
        if near := spelled_alike(wanted, known, _FEW, _ALIKE):
            yield f"Did you mean {' or '.join(known[each] for each in near)}?"
        elif known and one.kind in _IN_USE:
            yield f"{_IN_USE['key' if is_key else one.kind]} in use: {_listed(known.values())}."
        return


def _in_use(connection: sqlite3.Connection, kind: str, key: str, within: set[int] | None) -> dict[str, str]:
    """Return the filters of a kind that notes pass, the commonest first; the keys are their values.

    `kind`: that of a filter, or "key" for names of properties; `key`: the property whose values are wanted.
    """
    if kind in {"name", "path"}:
        rows = connection.execute("SELECT id, path FROM search_notes LIMIT ?", (_MOST_NAMES,))
        paths = [path for number, path in rows if within is None or number in within]
        parts = (_words_of(path) if kind == "name" else _folders_of(path) for path in paths)
        values = Counter(itertools.chain.from_iterable(parts))
    elif kind in {"tag", "property", "key"}:
        keys = {"tag": (TAG, TAG), "key": (".", "/")}.get(kind, (fact_key(key), fact_key(key)))
        if within is None:
            values = Counter(dict(connection.execute(_KEYS if kind == "key" else _VALUES, keys)))
        else:
            facts = connection.execute("SELECT key, value, id FROM search_facts WHERE key BETWEEN ? AND ?", keys)
            own = (fact for fact in facts if fact[2] in within)
            values = Counter(name[1:] if kind == "key" else value for name, value, _ in own)
    else:
        return {}
    return _spelled(kind, values, key)


def _spelled(kind: str, values: Counter[str], key: str = "") -> dict[str, str]:
    """Return the filters with the commonest of some values; the keys are the values."""
    commonest = heapq.nsmallest(_MOST_KNOWN, values, key=lambda value: (-values[value], value))
    spelled = {value: _filter_of(kind, key, value) for value in commonest}
    return {value: one for value, one in spelled.items() if one}


def _filter_of(kind: str, key: str, value: str) -> str:
    """Return the filter with a value; "" if it cannot be written."""
    if not _WRITABLE.fullmatch(value) or (kind == "property" and not _WRITABLE.fullmatch(key)):
        return ""
    if kind == "key":
        return f"[{value}]"
    if kind == "property":
        return f"[{key}:{value}]"
    return f"{kind}:{value}" if _BARE_VALUE.fullmatch(value) else f'{kind}:"{value}"'


def _words_of(path: str) -> Iterator[str]:
    """Yield the last part of a note's name, and each long word in it, as a filter compares them."""
    base = folded(plain(base_of(name_of(path)))).strip()
    yield from {base, *(word for word in base.split() if len(word) >= _BEGIN)}


def _folders_of(path: str) -> Iterator[str]:
    return (f"{part}/" for part in folded(plain(folder_of(path))).split("/") if part)


def _names_like(connection: sqlite3.Connection, terms: Sequence[Term], scope: Scope) -> list[str]:
    """Return the names of some notes with a word in the title that is spelled like one of the terms."""
    names: dict[str, None] = {}
    for term in terms[:_MOST_TERMS]:
        if len(term.word) < _BEGIN or len(names) >= _FEW:
            continue
        paths = paths_of(connection, notes_begun(connection, title_mark(term.word[:_BEGIN]), scope, _MOST_BEGUN))
        words: dict[str, list[str]] = {}
        for path in paths:
            for word in _words_of(path):
                words.setdefault(word, []).append(path)
        begun = [word for word in words if word.startswith(term.word)]
        for word in [*begun, *spelled_alike(term.word, words, _FEW, _ALIKE)]:
            names.update(dict.fromkeys(map(name_of, words[word])))
    return list(names)[:_FEW]
