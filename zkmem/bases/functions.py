"""The functions of Bases by the type of the value that they belong to, and the fields of values.

Source: https://help.obsidian.md/bases/functions. A function that has no result raises `NoValue`.
"""

import decimal
import html
import math
import time
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import NamedTuple, TypeVar

import regex

from zkmem.bases.rows import NoteValues
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
_FRACTIONS = 2.0**53  # only smaller numbers can have a fraction
_STEPS_A_SECOND = 1_000_000  # what a second of a regular expression counts in `Notes.spend`


class Function(NamedTuple):
    """A function, and how many arguments it takes at least and at most."""

    run: Callable[..., Value]  # gets the note, the value that the function belongs to, and the arguments
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


def check_length(row: NoteValues, characters: int) -> None:
    """Check the length of a text before it is made."""
    if characters > MOST_CHARACTERS:
        raise NoValue(f"a text of more than {MOST_CHARACTERS:,} characters is too long")
    row.notes.spend(characters // 100 + 1)


def joined(row: NoteValues, mark: str, items: Iterable[Value]) -> str:
    """Return the texts of some values with a mark between them."""
    texts: list[str] = []
    length = 0
    for item in items:
        texts.append(joined(row, ", ", item) if isinstance(item, list) else text_of(item))
        length += len(texts[-1]) + len(mark)
        if length > MOST_CHARACTERS:
            break
    check_length(row, length)
    return mark.join(texts)


def bounded_list(items: list[Value]) -> list[Value]:
    """Return a list, unless it is too long."""
    if len(items) > MOST_ITEMS:
        raise NoValue(f"a list of more than {MOST_ITEMS:,} items is too long")
    return items


Matched = TypeVar("Matched")


def _matched(row: NoteValues, use: Callable[..., Matched], *arguments: object, **options: object) -> Matched:
    """Call a method of a regular expression with a time limit; other threads run meanwhile."""
    start = time.perf_counter()
    try:
        return use(*arguments, **options, timeout=_MATCH_S, concurrent=True)
    except TimeoutError as error:
        raise NoValue("the regular expression takes too long") from error
    finally:
        row.notes.spend(int((time.perf_counter() - start) * _STEPS_A_SECOND))


# --- global functions


def _date(row: NoteValues, _: Value, value: Value) -> Value:
    if value is None or isinstance(value, Date):
        return value
    if date := read_date(text_argument(value)):
        return date
    raise NoValue(f"{text_of(value)!r:.60} is no date; dates are written as 2026-11-20 or 2026-11-20 09:30:00")


def _duration(row: NoteValues, _: Value, value: Value) -> Value:
    if isinstance(value, Duration):
        return value
    if duration := read_duration(text_argument(value)):
        return duration
    raise NoValue(f"{text_of(value)!r:.60} is not a duration; write one such as '1 day' or '2h'")


def _link(row: NoteValues, _: Value, target: Value, display: Value = None) -> Value:
    shown = None if display is None else text_of(display)
    if isinstance(target, LinkValue):
        return target._replace(display=shown) if shown is not None else target
    path = target.path if isinstance(target, File) else text_argument(target)
    return LinkValue(path.removeprefix("[[").removesuffix("]]"), shown, row.file.path)


def _extreme(largest: bool) -> Callable[..., Value]:
    def run(row: NoteValues, _: Value, *values: Value) -> Value:
        numbers = [to_number(value) for value in values if value is not None]
        return (max if largest else min)(numbers, default=None)

    return run


def _escaped(row: NoteValues, _: Value, text: Value) -> str:
    escaped = html.escape(text_argument(text))
    check_length(row, len(escaped))
    return escaped


GLOBAL: dict[str, Function] = {
    "date": Function(_date, 1, 1),
    "duration": Function(_duration, 1, 1),
    "escapeHTML": Function(_escaped, 1, 1),
    "file": Function(lambda row, _, value: row.notes.file(value, row.file.path), 1, 1),
    "html": Function(lambda row, _, text: text_argument(text), 1, 1),
    "icon": Function(lambda row, _, name: text_argument(name), 1, 1),
    "image": Function(lambda row, _, path: path, 1, 1),
    "link": Function(_link, 1, 2),
    "list": Function(lambda row, _, value: value if isinstance(value, list) else [value], 1, 1),
    "max": Function(_extreme(True), 1, MOST_ARGUMENTS),
    "min": Function(_extreme(False), 1, MOST_ARGUMENTS),
    "now": Function(lambda row, _: Date(row.notes.now, True)),
    "number": Function(lambda row, _, value: int(value) if isinstance(value, bool) else to_number(value), 1, 1),
    "today": Function(lambda row, _: _day(Date(row.notes.now))),
}
"""The functions without a value before them; `if` is one, too, but evaluates only one of its results."""


# --- functions of values


def _day(date: Date) -> Date:
    return Date(date.moment.replace(hour=0, minute=0, second=0, microsecond=0))


def _relative(row: NoteValues, date: Date) -> str:
    seconds = (date.moment - row.notes.now).total_seconds()
    for unit, length in (("year", 31_536_000), ("month", 2_592_000), ("day", 86_400), ("hour", 3600), ("minute", 60)):
        if abs(seconds) >= length:
            count = round(abs(seconds) / length)
            text = f"{count} {unit}{'s' * (count != 1)}"
            return f"in {text}" if seconds > 0 else f"{text} ago"
    return "just now"


def _without_fraction(number: float, rounding: Callable[[float], float]) -> float:
    """Return `rounding(number)`, for example its floor. A number too large to have a fraction stays as it is."""
    return rounding(number) if abs(number) < _FRACTIONS else number


def _rounded(row: NoteValues, number: float, digits: Value = 0) -> float:
    scale = 10.0 ** max(-15, min(whole(digits), 15))
    rounded = _without_fraction(number * scale + 0.5, math.floor) / scale if abs(number) < _FRACTIONS else number
    return int(rounded) if whole(digits) <= 0 and abs(rounded) < _FRACTIONS else rounded


def _fixed(row: NoteValues, number: float, digits: Value) -> str:
    """Return a number with this many digits after the point; halves are rounded up, away from zero."""
    count = max(0, min(whole(digits), 100))
    if not abs(number) < _FRACTIONS:
        return text_of(number)
    exact = decimal.Decimal(number)
    with decimal.localcontext(prec=200):
        return f"{exact.quantize(decimal.Decimal(1).scaleb(-count), decimal.ROUND_HALF_UP):f}"


def _replaced(row: NoteValues, text: str, pattern: Value, replacement: Value) -> str:
    new = text_argument(replacement)
    if not isinstance(pattern, RegExp):
        old = text_argument(pattern)
        check_length(row, len(text) + (text.count(old) if old else len(text) + 1) * len(new))
        return text.replace(old, new)
    length, pieces = len(text), _SIGN.split(new)

    def replaced(match: "regex.Match[str]") -> str:
        nonlocal length
        check_length(row, len(new))
        parts = []
        for at, piece in enumerate(pieces):
            parts.append(_text_of_sign(match, piece) if at % 2 else piece)
            length += len(parts[-1])
            if length > MOST_CHARACTERS:
                check_length(row, length)
        return "".join(parts)

    check_length(row, length)
    return _matched(row, pattern.pattern.sub, replaced, text, count=0 if pattern.every else 1)


_SIGN = regex.compile(r"(\$(?:[$&`']|[0-9]{1,2}|<[^>]*>))")


def _text_of_sign(match: "regex.Match[str]", sign: str) -> str:
    """Return the text that replaces a sign such as `$&`, `$1` or `$<name>` in a replacement, as in JavaScript."""
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


def _repeated(row: NoteValues, text: str, count: Value) -> str:
    times = max(0, whole(count))
    check_length(row, len(text) * times)
    return text * times


def _split(row: NoteValues, text: str, separator: Value, count: Value = None) -> list[Value]:
    if isinstance(separator, RegExp):
        parts = _matched(row, separator.pattern.split, text, maxsplit=MOST_ITEMS)
    else:
        mark = text_argument(separator)
        parts = text.split(mark, MOST_ITEMS) if mark else list(text)
    return bounded_list(parts if count is None else parts[: max(0, whole(count))])


def _sliced(row: NoteValues, value: Value, start: Value, end: Value = None) -> Value:
    return value[whole(start) : None if end is None else whole(end)]


def _unique(row: NoteValues, items: list[Value]) -> list[Value]:
    result: list[Value] = []
    seen: set[str] = set()
    for item in items:
        key = f"{type_of(item)} {text_of(item)}"
        if key not in seen:
            seen.add(key)
            result.append(item)
    return result


def _flat(row: NoteValues, items: list[Value]) -> list[Value]:
    return bounded_list([one for item in items for one in (item if isinstance(item, list) else [item])])


def _mean(row: NoteValues, items: list[Value]) -> Value:
    numbers = [to_number(item) for item in items if item is not None]
    return math.fsum(numbers) / len(numbers) if numbers else None


def _matches(row: NoteValues, pattern: RegExp, text: Value) -> bool:
    return _matched(row, pattern.pattern.search, text_argument(text)) is not None


def _in_list(row: NoteValues, items: list[Value], value: Value) -> bool:
    return any(row.notes.same(item, value) for item in items)


def _has_tag(row: NoteValues, file: File, *tags: Value) -> bool:
    own_tags = [tag.lower() for tag in row.notes.tags(file)]
    names = [text_argument(tag).removeprefix("#").strip("/").lower() for tag in tags]
    return any(tag == one or tag.startswith(f"{one}/") for tag in own_tags for one in names)


def _in_folder(row: NoteValues, file: File, folder: Value) -> bool:
    return file.path.lower().startswith(f"{text_argument(folder).strip('/').lower()}/".removeprefix("/"))


def _has_property(row: NoteValues, file: File, name: Value) -> bool:
    key_name = text_argument(name).lower()
    return any(key.lower() == key_name for key in row.notes.properties(file))


def _links_to(row: NoteValues, link: LinkValue, other: Value) -> bool:
    file = row.notes.file(link, row.file.path)
    return file is not None and row.notes.has_link(file, other, row.file.path)


ANY: dict[str, Function] = {
    "isTruthy": Function(lambda row, value: is_true(value)),
    "isType": Function(lambda row, value, kind: type_of(value) == text_argument(kind).lower(), 1, 1),
    "toString": Function(lambda row, value: joined(row, "", [value])),
    "isEmpty": Function(lambda row, value: value is None),
}
BY_TYPE: dict[str, dict[str, Function]] = {
    "date": {
        "date": Function(lambda row, date: _day(date)),
        "format": Function(lambda row, date, form: formatted(date.moment, text_argument(form)), 1, 1),
        "time": Function(lambda row, date: date.moment.strftime("%H:%M:%S")),
        "relative": Function(_relative),
        "isEmpty": Function(lambda row, date: False),
    },
    "string": {
        "contains": Function(lambda row, text, part: text_argument(part) in text, 1, 1),
        "containsAll": Function(
            lambda row, text, *parts: all(text_argument(part) in text for part in parts), 1, MOST_ARGUMENTS
        ),
        "containsAny": Function(
            lambda row, text, *parts: any(text_argument(part) in text for part in parts), 1, MOST_ARGUMENTS
        ),
        "endsWith": Function(lambda row, text, end: text.endswith(text_argument(end)), 1, 1),
        "isEmpty": Function(lambda row, text: not text),
        "lower": Function(lambda row, text: text.lower()),
        "replace": Function(_replaced, 2, 2),
        "repeat": Function(_repeated, 1, 1),
        "reverse": Function(lambda row, text: text[::-1]),
        "slice": Function(_sliced, 1, 2),
        "split": Function(_split, 1, 2),
        "startsWith": Function(lambda row, text, start: text.startswith(text_argument(start)), 1, 1),
        "title": Function(lambda row, text: regex.sub(r"\w\S*", lambda word: word[0][0].upper() + word[0][1:], text)),
        "trim": Function(lambda row, text: text.strip()),
    },
    "number": {
        "abs": Function(lambda row, number: abs(number)),
        "ceil": Function(lambda row, number: _without_fraction(number, math.ceil)),
        "floor": Function(lambda row, number: _without_fraction(number, math.floor)),
        "isEmpty": Function(lambda row, number: False),
        "round": Function(_rounded, 0, 1),
        "toFixed": Function(_fixed, 1, 1),
    },
    "list": {
        "contains": Function(_in_list, 1, 1),
        "containsAll": Function(
            lambda row, items, *all_of: all(_in_list(row, items, one) for one in all_of), 1, MOST_ARGUMENTS
        ),
        "containsAny": Function(
            lambda row, items, *any_of: any(_in_list(row, items, one) for one in any_of), 1, MOST_ARGUMENTS
        ),
        "flat": Function(_flat),
        "isEmpty": Function(lambda row, items: not items),
        "join": Function(lambda row, items, mark: joined(row, text_argument(mark), items), 1, 1),
        "mean": Function(_mean),
        "reverse": Function(lambda row, items: items[::-1]),
        "slice": Function(_sliced, 1, 2),
        "sort": Function(lambda row, items: sorted(items, key=sort_key)),
        "unique": Function(_unique),
    },
    "link": {
        "asFile": Function(lambda row, link: row.notes.file(link, row.file.path)),
        "linksTo": Function(_links_to, 1, 1),
    },
    "file": {
        "asLink": Function(lambda row, file, *display: _link(row, None, file, *display), 0, 1),
        "hasLink": Function(lambda row, file, other: row.notes.has_link(file, other, row.file.path), 1, 1),
        "hasProperty": Function(_has_property, 1, 1),
        "hasTag": Function(_has_tag, 1, MOST_ARGUMENTS),
        "inFolder": Function(_in_folder, 1, 1),
    },
    "object": {
        "isEmpty": Function(lambda row, value: not value),
        "keys": Function(lambda row, value: list(value)),
        "values": Function(lambda row, value: list(value.values())),
    },
    "regexp": {"matches": Function(_matches, 1, 1)},
}
"""The functions of each type. `filter`, `map` and `reduce` are functions of lists, too, but get expressions."""

FIELDS: dict[str, dict[str, Callable[[Value], Value]]] = {
    "date": {
        **{name: attrgetter(f"moment.{name}") for name in ("year", "month", "day", "hour", "minute", "second")},
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
