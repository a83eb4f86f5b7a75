"""The functions of Bases by the type of the value that they belong to, and the fields of values.

Source: https://help.obsidian.md/bases/functions. A function that has no result raises `NoValue`.
"""

import datetime
import decimal
import html
import math
import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol, TypeVar

import regex

from zkmem.bases.values import (
    UNITS_MS,
    Date,
    Duration,
    File,
    LinkValue,
    NoValue,
    RegExp,
    Value,
    is_true,
    milliseconds_of,
    read_date,
    read_duration,
    sort_key,
    text_of,
    to_number,
    type_of,
)  # fmt: skip
from zkmem.util.date_format import formatted

MOST_CHARACTERS = 100_000  # of a string that an expression makes
MOST_ITEMS = 10_000  # of a list
_MATCH_S = 0.1  # for one use of a regular expression
_FRACTIONS = 2.0**53  # a number from here on has no fraction
_STEPS_A_SECOND = 1_000_000  # of a regular expression: those of one query get 2 seconds together


class QueriedVault(Protocol):
    """What functions ask of the vault that is queried."""

    now: datetime.datetime

    def spend(self, steps: int) -> None:
        """Count steps of the evaluation."""

    def same(self, left: Value, right: Value) -> bool:
        """Return whether two values are equal; links are if they lead to the same note."""

    def file(self, value: Value, source: str) -> File | None:
        """Return the note that a link, a path or a file stands for in the note at `source`; None if there is none."""

    def has_link(self, file: File, other: Value, source: str) -> bool:
        """Return whether a note links to another."""

    def tags(self, file: File) -> list[str]:
        """Return the tags of a note."""

    def properties(self, file: File) -> Mapping[str, Value]:
        """Return the properties of a note."""


class NoteScope(NamedTuple):
    """Where an expression is evaluated: in which vault, and for the note at which path."""

    vault: QueriedVault
    path: str


class Function(NamedTuple):
    """A function, and how many arguments it takes at least and at most."""

    run: Callable[..., Value]  # gets the place, the value that the function belongs to, and the arguments
    least: int = 0
    most: int = 0


MOST_ARGUMENTS = 1_000


def text_argument(value: Value) -> str:
    """Return an argument as a string; numbers and dates are written as strings."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, list | Mapping):
        raise NoValue(f"a string is needed, not a value of the type {type_of(value)}")
    return text_of(value)


def whole(value: Value) -> int:
    """Return a number without its fraction."""
    number = to_number(value)
    if not math.isfinite(number):
        raise NoValue("a finite number is needed")
    return int(number)


def check_length(place: "NoteScope", characters: int) -> None:
    """Check the length of a text before it is made."""
    if characters > MOST_CHARACTERS:
        raise NoValue(f"a text of more than {MOST_CHARACTERS:,} characters is too long")
    place.vault.spend(characters // 100 + 1)


def joined(place: "NoteScope", mark: str, items: Iterable[Value]) -> str:
    """Return the texts of some values with a mark between them."""
    texts: list[str] = []
    length = 0
    for item in items:
        texts.append(joined(place, ", ", item) if isinstance(item, list) else text_of(item))
        length += len(texts[-1]) + len(mark)
        if length > MOST_CHARACTERS:
            break
    check_length(place, length)
    return mark.join(texts)


def bounded_list(items: list[Value]) -> list[Value]:
    """Return a list, unless it is too long."""
    if len(items) > MOST_ITEMS:
        raise NoValue(f"a list of more than {MOST_ITEMS:,} items is too long")
    return items


Matched = TypeVar("Matched")


def _matched(place: NoteScope, use: Callable[..., Matched], *arguments: object, **options: object) -> Matched:
    """Call a method of a regular expression with a time limit; other threads run meanwhile."""
    start = time.perf_counter()
    try:
        return use(*arguments, **options, timeout=_MATCH_S, concurrent=True)
    except TimeoutError as error:
        raise NoValue("the regular expression takes too long") from error
    finally:
        place.vault.spend(int((time.perf_counter() - start) * _STEPS_A_SECOND))


# --- global functions


def _date(place: NoteScope, _: Value, value: Value) -> Value:
    if value is None or isinstance(value, Date):
        return value
    if date := read_date(text_argument(value)):
        return date
    raise NoValue(f"{text_of(value)!r:.60} is no date; dates are written as 2026-11-20 or 2026-11-20 09:30:00")


def _duration(place: NoteScope, _: Value, value: Value) -> Value:
    if isinstance(value, Duration):
        return value
    if duration := read_duration(text_argument(value)):
        return duration
    raise NoValue(f"{text_of(value)!r:.60} is not a duration; write one such as '1 day' or '2h'")


def _link(place: NoteScope, _: Value, target: Value, display: Value = None) -> Value:
    shown = None if display is None else text_of(display)
    if isinstance(target, LinkValue):
        return target._replace(display=shown) if shown is not None else target
    path = target.path if isinstance(target, File) else text_argument(target)
    return LinkValue(path.removeprefix("[[").removesuffix("]]"), shown, place.path)


def _file(place: NoteScope, _: Value, value: Value) -> Value:
    return place.vault.file(value, place.path)


def _extreme(largest: bool) -> Callable[..., Value]:
    def run(place: NoteScope, _: Value, *values: Value) -> Value:
        numbers = [to_number(value) for value in values if value is not None]
        return (max if largest else min)(numbers, default=None)

    return run


def _escaped(place: NoteScope, _: Value, text: Value) -> str:
    escaped = html.escape(text_argument(text))
    check_length(place, len(escaped))
    return escaped


GLOBAL: dict[str, Function] = {
    "date": Function(_date, 1, 1),
    "duration": Function(_duration, 1, 1),
    "escapeHTML": Function(_escaped, 1, 1),
    "file": Function(_file, 1, 1),
    "html": Function(lambda place, _, text: text_argument(text), 1, 1),
    "icon": Function(lambda place, _, name: text_argument(name), 1, 1),
    "image": Function(lambda place, _, path: path, 1, 1),
    "link": Function(_link, 1, 2),
    "list": Function(lambda place, _, value: value if isinstance(value, list) else [value], 1, 1),
    "max": Function(_extreme(True), 1, MOST_ARGUMENTS),
    "min": Function(_extreme(False), 1, MOST_ARGUMENTS),
    "now": Function(lambda place, _: Date(place.vault.now, True)),
    "number": Function(lambda place, _, value: int(value) if isinstance(value, bool) else to_number(value), 1, 1),
    "today": Function(lambda place, _: _day(Date(place.vault.now))),
}
"""The functions without a value before them; `if` is one, too, but evaluates only one of its results."""


# --- functions of values


def _day(date: Date) -> Date:
    return Date(date.moment.replace(hour=0, minute=0, second=0, microsecond=0))


def _relative(place: NoteScope, date: Date) -> str:
    seconds = (date.moment - place.vault.now).total_seconds()
    for unit, length in (("year", 31_536_000), ("month", 2_592_000), ("day", 86_400), ("hour", 3600), ("minute", 60)):
        if abs(seconds) >= length:
            count = round(abs(seconds) / length)
            text = f"{count} {unit}{'s' * (count != 1)}"
            return f"in {text}" if seconds > 0 else f"{text} ago"
    return "just now"


def _whole(number: float, turn: Callable[[float], float]) -> float:
    """Return `turn(number)`, for example its floor. A number too large to have a fraction stays as it is."""
    return turn(number) if abs(number) < _FRACTIONS else number


def _rounded(place: NoteScope, number: float, digits: Value = 0) -> float:
    scale = 10.0 ** max(-15, min(whole(digits), 15))
    rounded = _whole(number * scale + 0.5, math.floor) / scale if abs(number) < _FRACTIONS else number
    return int(rounded) if whole(digits) <= 0 and abs(rounded) < _FRACTIONS else rounded


def _fixed(place: NoteScope, number: float, digits: Value) -> str:
    """Return a number with this many digits after the point; halves are rounded up, away from zero."""
    count = max(0, min(whole(digits), 100))
    if not abs(number) < _FRACTIONS:
        return text_of(number)
    exact = decimal.Decimal(number)
    with decimal.localcontext(prec=200):
        return f"{exact.quantize(decimal.Decimal(1).scaleb(-count), decimal.ROUND_HALF_UP):f}"


def _replaced(place: NoteScope, text: str, pattern: Value, replacement: Value) -> str:
    new = text_argument(replacement)
    if not isinstance(pattern, RegExp):
        old = text_argument(pattern)
        check_length(place, len(text) + (text.count(old) if old else len(text) + 1) * len(new))
        return text.replace(old, new)
    length, pieces = len(text), _SIGN.split(new)

    def replaced(match: "regex.Match[str]") -> str:
        nonlocal length
        check_length(place, len(new))
        parts = []
        for at, piece in enumerate(pieces):
            parts.append(_meant(match, piece) if at % 2 else piece)
            length += len(parts[-1])
            if length > MOST_CHARACTERS:
                check_length(place, length)
        return "".join(parts)

    check_length(place, length)
    return _matched(place, pattern.pattern.sub, replaced, text, count=0 if pattern.every else 1)


_SIGN = regex.compile(r"(\$(?:[$&`']|[0-9]{1,2}|<[^>]*>))")


def _meant(match: "regex.Match[str]", sign: str) -> str:
    """Return what a sign such as `$&`, `$1` or `$<name>` in a replacement stands for, as in JavaScript."""
    if sign[1] in _ONE_SIGN:
        return _ONE_SIGN[sign[1]](match)
    if sign[1] == "<":
        name, names = sign[2:-1], match.re.groupindex
        if not names:
            return sign
        return (match[name] or "") if name in names else ""
    for end in (3, 2):  # `$12` is group 1 and a 2 if there are fewer than 12 groups
        if 0 < int(sign[1:end]) <= match.re.groups:
            return (match[int(sign[1:end])] or "") + sign[end:]
    return sign


_ONE_SIGN: dict[str, Callable[["regex.Match[str]"], str]] = {
    "$": lambda _: "$",
    "&": lambda match: match[0],
    "`": lambda match: match.string[: match.start()],
    "'": lambda match: match.string[match.end() :],
}


def _repeated(place: NoteScope, text: str, count: Value) -> str:
    times = max(0, whole(count))
    check_length(place, len(text) * times)
    return text * times


def _split(place: NoteScope, text: str, separator: Value, count: Value = None) -> list[Value]:
    if isinstance(separator, RegExp):
        parts = _matched(place, separator.pattern.split, text, maxsplit=MOST_ITEMS)
    else:
        mark = text_argument(separator)
        parts = text.split(mark, MOST_ITEMS) if mark else list(text)
    return bounded_list(parts if count is None else parts[: max(0, whole(count))])


def _sliced(place: NoteScope, value: Value, start: Value, end: Value = None) -> Value:
    return value[whole(start) : None if end is None else whole(end)]


def _sorted(place: NoteScope, items: list[Value]) -> list[Value]:
    return sorted(items, key=sort_key)


def _unique(place: NoteScope, items: list[Value]) -> list[Value]:
    result: list[Value] = []
    seen: set[str] = set()
    for item in items:
        key = f"{type_of(item)} {text_of(item)}"
        if key not in seen:
            seen.add(key)
            result.append(item)
    return result


def _flat(place: NoteScope, items: list[Value]) -> list[Value]:
    return bounded_list([one for item in items for one in (item if isinstance(item, list) else [item])])


def _mean(place: NoteScope, items: list[Value]) -> Value:
    numbers = [to_number(item) for item in items if item is not None]
    return math.fsum(numbers) / len(numbers) if numbers else None


def _matches(place: NoteScope, pattern: RegExp, text: Value) -> bool:
    return _matched(place, pattern.pattern.search, text_argument(text)) is not None


def _in_list(place: NoteScope, items: list[Value], value: Value) -> bool:
    return any(place.vault.same(item, value) for item in items)


def _has_tag(place: NoteScope, file: File, *tags: Value) -> bool:
    have = [tag.lower() for tag in place.vault.tags(file)]
    names = [text_argument(tag).removeprefix("#").strip("/").lower() for tag in tags]
    return any(tag == one or tag.startswith(f"{one}/") for tag in have for one in names)


def _in_folder(place: NoteScope, file: File, folder: Value) -> bool:
    return file.path.lower().startswith(f"{text_argument(folder).strip('/').lower()}/".removeprefix("/"))


def _has_property(place: NoteScope, file: File, name: Value) -> bool:
    key_name = text_argument(name).lower()
    return any(key.lower() == key_name for key in place.vault.properties(file))


def _links_to(place: NoteScope, link: LinkValue, other: Value) -> bool:
    file = place.vault.file(link, place.path)
    return file is not None and place.vault.has_link(file, other, place.path)


def _contains_all(place: NoteScope, text: str, *parts: Value) -> bool:
    return all(text_argument(part) in text for part in parts)


ANY: dict[str, Function] = {
    "isTruthy": Function(lambda place, value: is_true(value)),
    "isType": Function(lambda place, value, kind: type_of(value) == text_argument(kind).lower(), 1, 1),
    "toString": Function(lambda place, value: joined(place, "", [value])),
    "isEmpty": Function(lambda place, value: value is None),
}
BY_TYPE: dict[str, dict[str, Function]] = {
    "date": {
        "date": Function(lambda place, date: _day(date)),
        "format": Function(lambda place, date, form: formatted(date.moment, text_argument(form)), 1, 1),
        "time": Function(lambda place, date: date.moment.strftime("%H:%M:%S")),
        "relative": Function(_relative),
        "isEmpty": Function(lambda place, date: False),
    },
    "string": {
        "contains": Function(lambda place, text, part: text_argument(part) in text, 1, 1),
        "containsAll": Function(_contains_all, 1, MOST_ARGUMENTS),
        "containsAny": Function(
            lambda place, text, *parts: any(text_argument(part) in text for part in parts), 1, MOST_ARGUMENTS
        ),
        "endsWith": Function(lambda place, text, end: text.endswith(text_argument(end)), 1, 1),
        "isEmpty": Function(lambda place, text: not text),
        "lower": Function(lambda place, text: text.lower()),
        "replace": Function(_replaced, 2, 2),
        "repeat": Function(_repeated, 1, 1),
        "reverse": Function(lambda place, text: text[::-1]),
        "slice": Function(_sliced, 1, 2),
        "split": Function(_split, 1, 2),
        "startsWith": Function(lambda place, text, start: text.startswith(text_argument(start)), 1, 1),
        "title": Function(lambda place, text: regex.sub(r"\w\S*", lambda word: word[0][0].upper() + word[0][1:], text)),
        "trim": Function(lambda place, text: text.strip()),
    },
    "number": {
        "abs": Function(lambda place, number: abs(number)),
        "ceil": Function(lambda place, number: _whole(number, math.ceil)),
        "floor": Function(lambda place, number: _whole(number, math.floor)),
        "isEmpty": Function(lambda place, number: False),
        "round": Function(_rounded, 0, 1),
        "toFixed": Function(_fixed, 1, 1),
    },
    "list": {
        "contains": Function(_in_list, 1, 1),
        "containsAll": Function(
            lambda place, items, *all_of: all(_in_list(place, items, one) for one in all_of), 1, MOST_ARGUMENTS
        ),
        "containsAny": Function(
            lambda place, items, *any_of: any(_in_list(place, items, one) for one in any_of), 1, MOST_ARGUMENTS
        ),
        "flat": Function(_flat),
        "isEmpty": Function(lambda place, items: not items),
        "join": Function(lambda place, items, mark: joined(place, text_argument(mark), items), 1, 1),
        "mean": Function(_mean),
        "reverse": Function(lambda place, items: items[::-1]),
        "slice": Function(_sliced, 1, 2),
        "sort": Function(_sorted),
        "unique": Function(_unique),
    },
    "link": {
        "asFile": Function(lambda place, link: place.vault.file(link, place.path)),
        "linksTo": Function(_links_to, 1, 1),
    },
    "file": {
        "asLink": Function(lambda place, file, *display: _link(place, None, file, *display), 0, 1),
        "hasLink": Function(lambda place, file, other: place.vault.has_link(file, other, place.path), 1, 1),
        "hasProperty": Function(_has_property, 1, 1),
        "hasTag": Function(_has_tag, 1, MOST_ARGUMENTS),
        "inFolder": Function(_in_folder, 1, 1),
    },
    "object": {
        "isEmpty": Function(lambda place, value: not value),
        "keys": Function(lambda place, value: list(value)),
        "values": Function(lambda place, value: list(value.values())),
    },
    "regexp": {"matches": Function(_matches, 1, 1)},
}
"""The functions of each type. `filter`, `map` and `reduce` are functions of lists, too, but get expressions."""

FIELDS: dict[str, dict[str, Callable[[Value], Value]]] = {
    "date": {
        "year": lambda date: date.moment.year,
        "month": lambda date: date.moment.month,
        "day": lambda date: date.moment.day,
        "hour": lambda date: date.moment.hour,
        "minute": lambda date: date.moment.minute,
        "second": lambda date: date.moment.second,
        "millisecond": lambda date: date.moment.microsecond // 1000,
    },
    "duration": {
        "days": lambda value: milliseconds_of(value) / UNITS_MS["day"],
        "hours": lambda value: milliseconds_of(value) / UNITS_MS["hour"],
        "minutes": lambda value: milliseconds_of(value) / UNITS_MS["minute"],
        "seconds": lambda value: milliseconds_of(value) / UNITS_MS["second"],
        "milliseconds": milliseconds_of,
    },
    "string": {"length": len},
    "list": {"length": len},
}
"""The fields of each type; a file has those of `rows.FILE_FIELDS`."""
