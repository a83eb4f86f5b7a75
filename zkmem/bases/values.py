"""The values of expressions in Bases, and how they are compared and written.

A value is None, a boolean, a number, a string, a list, a mapping with strings as keys, or one of the classes below.
"""

import calendar
import datetime
import math
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import regex

Value = Any

_DATE = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?(Z|[+-]\d{2}:?\d{2})?)?", re.ASCII
)
_WIKILINK = re.compile(r"\[\[([^\[\]|]+)(?:\|([^\[\]]*))?\]\]")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://|mailto:", re.ASCII | re.IGNORECASE)
_DURATION = re.compile(r"\s*([-+]?\d+(?:\.\d+)?)\s*([A-Za-z]+)", re.ASCII)
_UNITS = {
    "y": "year", "year": "year", "years": "year", "M": "month", "month": "month", "months": "month",
    "w": "week", "week": "week", "weeks": "week", "d": "day", "day": "day", "days": "day",
    "h": "hour", "hour": "hour", "hours": "hour", "m": "minute", "minute": "minute", "minutes": "minute",
    "s": "second", "second": "second", "seconds": "second",
}  # fmt: skip
UNITS_MS = {"week": 604_800_000, "day": 86_400_000, "hour": 3_600_000, "minute": 60_000, "second": 1_000}
_LARGEST = 1e15  # of a number that is written as a whole number
_EXACT = 2**53  # the largest number up to which JavaScript has every whole number
_MOST_CHARACTERS = 100_000  # of a list that is written as a text


class NoValue(Exception):
    """An expression has no value for a note; the message says why."""


class Date(NamedTuple):
    """A day, or a moment in local time."""

    moment: datetime.datetime
    has_time: bool = False


class Duration(NamedTuple):
    """A duration, such as two days. Months have no fixed length."""

    milliseconds: float
    months: int = 0


class LinkValue(NamedTuple):
    """A link in a note, or one that an expression makes."""

    target: str
    display: str | None = None
    source: str = ""  # the path of the note

    @property
    def is_external(self) -> bool:
        """Whether the link leads to a web address, and not to a note."""
        return _ADDRESS.match(self.target) is not None


class File(NamedTuple):
    """A note."""

    path: str


class RegExp(NamedTuple):
    """A regular expression, and whether it stands for all its matches in a text (the flag `g`)."""

    pattern: "regex.Pattern[str]"
    every: bool


def bounded(number: float) -> float:
    """Return a number as JavaScript has it: a large whole number loses its last digits, and takes no more memory."""
    if isinstance(number, float) or abs(number) <= _EXACT:
        return number
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def of_json(value: Any, source: str) -> Value:
    """Return the value of a property of the note at `source`: strings may be dates and links."""
    if isinstance(value, str):
        if value[4:5] == "-" and (date := read_date(value)):
            return date
        if value.startswith("[[") and (match := _WIKILINK.fullmatch(value)):
            return LinkValue(match[1].strip(), match[2], source)
        return value
    if isinstance(value, list):
        return [of_json(item, source) for item in value]
    if isinstance(value, dict):
        return {key: of_json(item, source) for key, item in value.items()}
    return bounded(value) if isinstance(value, int) else value


def read_date(text: str) -> Date | None:
    """Return the date that a text is, in the form 2026-11-20 or 2026-11-20 09:30:00; None if it is none."""
    match = _DATE.fullmatch(text.strip())
    if not match:
        return None
    try:
        if match[4] is None:
            return Date(datetime.datetime(int(match[1]), int(match[2]), int(match[3])))
        year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
        moment = datetime.datetime(year, month, day, hour, minute, second, int((match[7] or "0").ljust(6, "0")))
        if match[8]:
            zone = datetime.datetime.fromisoformat(f"2000-01-01T00:00:00{match[8].replace('Z', '+00:00')}").tzinfo
            moment = moment.replace(tzinfo=zone).astimezone().replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
    return Date(moment, match[4] is not None)


def read_duration(text: str) -> Duration | None:
    """Return the duration that a text stands for, such as `1 day`, `2h` or `1M 3d`; None if it is none."""
    milliseconds, months, end = 0.0, 0.0, 0
    while match := _DURATION.match(text, end):
        unit = _UNITS.get(match[2]) or _UNITS.get(match[2].lower() if len(match[2]) > 1 else "")
        if unit is None:
            return None
        amount = float(match[1])
        if unit in UNITS_MS:
            milliseconds += amount * UNITS_MS[unit]
        else:
            months += amount * (12 if unit == "year" else 1)
        end = match.end()
    whole = end > 0 and not text[end:].strip() and months.is_integer() and abs(months) < 1e6
    return Duration(milliseconds, int(months)) if whole else None


def moved(date: Date, by: Duration, sign: int = 1) -> Date:
    """Return a date plus a duration, or minus it if `sign` is -1. Months are those of the calendar."""
    try:
        months = date.moment.year * 12 + date.moment.month - 1 + sign * by.months
        year, month = divmod(months, 12)
        day = min(date.moment.day, calendar.monthrange(year, month + 1)[1])
        moment = date.moment.replace(year=year, month=month + 1, day=day)
        moment += datetime.timedelta(milliseconds=sign * by.milliseconds)
    except (ValueError, OverflowError, calendar.IllegalMonthError) as error:
        raise NoValue(f"the date {text_of(date)} cannot be moved so far") from error
    return Date(moment, date.has_time or by.milliseconds % UNITS_MS["day"] != 0)


def type_of(value: Value) -> str:
    """Return the name of a value's type."""
    for kind, name in _TYPES:
        if isinstance(value, kind):
            return name
    return "null"


_TYPES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "boolean"), ((int, float), "number"), (str, "string"), (Date, "date"), (Duration, "duration"),
    (LinkValue, "link"), (File, "file"), (RegExp, "regexp"), (list, "list"), (Mapping, "object"),
)  # fmt: skip


def is_true(value: Value) -> bool:
    """Return whether a value counts as true: not null, false, 0, or empty."""
    return bool(value) and value == value  # noqa: PLR0124 - NaN is not equal to itself


def to_number(value: Value) -> float:
    """Return a value as a number."""
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, Duration):
        return milliseconds_of(value)
    if isinstance(value, Date):
        return value.moment.timestamp() * 1000
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return number
    raise NoValue(f"{_shown(value)} is no number")


def milliseconds_of(duration: Duration) -> float:
    """Return a duration in milliseconds, with months of 30 days."""
    return duration.milliseconds + duration.months * 30 * UNITS_MS["day"]


def text_of(value: Value) -> str:  # noqa: PLR0911 - one for each type
    """Return a value as text: what `toString()` gives, and what a table shows."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return (
            str(int(value)) if math.isfinite(value) and value == int(value) and abs(value) < _LARGEST else repr(value)
        )
    if isinstance(value, Date):
        moment = value.moment.replace(tzinfo=None)
        return moment.isoformat(" ", "seconds") if value.has_time else moment.date().isoformat()
    if isinstance(value, Duration):
        return _duration_text(value)
    if isinstance(value, LinkValue) and value.is_external:
        return value.target if value.display is None else f"[{value.display}]({value.target})"
    if isinstance(value, LinkValue):
        return f"[[{value.target}]]" if value.display is None else f"[[{value.target}|{value.display}]]"
    if isinstance(value, File):
        return value.path
    if isinstance(value, list | Mapping):
        return _joined(value)
    return value.pattern.pattern if isinstance(value, RegExp) else str(value)


def _joined(value: Value) -> str:
    """Return a list or a mapping as text. Lists in it may be huge: each may have the next one many times."""
    texts: list[str] = []
    length = 0
    for text in _pieces(value):
        texts.append(text)
        length += len(text) + 2
        if length > _MOST_CHARACTERS:
            raise NoValue(f"a text of more than {_MOST_CHARACTERS:,} characters is too long")
    return ", ".join(texts)


def _pieces(value: Value) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _pieces(item) if isinstance(item, list) else [text_of(item)]
    else:
        yield from (f"{key}: {text_of(item)}" for key, item in value.items())


def _duration_text(value: Duration) -> str:
    parts, left = [], abs(value.milliseconds)
    sign = "-" if value.milliseconds < 0 or value.months < 0 else ""
    if value.months:
        parts.append((abs(value.months), "month"))
    for unit in ("day", "hour", "minute", "second"):
        count, left = divmod(left, UNITS_MS[unit])
        if count:
            parts.append((int(count), unit))
    return sign + (" ".join(f"{count} {unit}{'s' * (count != 1)}" for count, unit in parts[:2]) or "0 seconds")


def _shown(value: Value) -> str:
    return f"{text_of(value)!r:.60}" if value is not None else "an empty value"


def is_less(left: Value, right: Value) -> bool:
    """Return whether one value is less than another of the same type. A comparison with null is false."""
    if left is None or right is None:
        return False
    left, right = _alike(left, right)
    if isinstance(left, Date) and isinstance(right, Date):
        return left.moment < right.moment
    if isinstance(left, str) and isinstance(right, str):
        return left < right
    numbers = (bool, int, float, Duration)
    if isinstance(left, numbers) and isinstance(right, numbers):
        return to_number(left) < to_number(right)
    hint = "; write a date in quotes" if _is_number_and_date(left, right) or _is_number_and_date(right, left) else ""
    raise NoValue(f"{_shown(left)} ({type_of(left)}) cannot be compared with {_shown(right)} ({type_of(right)}){hint}")


def _is_number_and_date(one: Value, other: Value) -> bool:
    """Return whether a number is compared with a date, and may be a date without quotes: 2026-11-20 is 1995."""
    return (
        isinstance(one, int | float)
        and 1_800 < one < 2_200
        and (isinstance(other, Date) or (isinstance(other, str) and read_date(other) is not None))
    )


def _alike(left: Value, right: Value) -> tuple[Value, Value]:
    """Return two values. If one is a date or a duration, a text is read as one, too, if it can be."""
    for one, other, turn in ((left, right, False), (right, left, True)):
        if isinstance(one, Date | Duration) and isinstance(other, str):
            read = read_date(other) if isinstance(one, Date) else read_duration(other)
            if read is not None:
                return (read, one) if turn else (one, read)
    return left, right


def are_equal(left: Value, right: Value) -> bool:
    """Return whether two values are equal, apart from links, which depend on what they lead to."""
    left, right = _alike(left, right)
    if isinstance(left, bool) != isinstance(right, bool):
        return False
    if isinstance(left, Date) and isinstance(right, Date):
        return left.moment == right.moment
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(are_equal, left, right))
    if {type_of(left), type_of(right)} == {"duration", "number"}:  # of milliseconds
        return to_number(left) == to_number(right)
    if type_of(left) != type_of(right):
        return False
    return bool(left == right)


def sort_key(value: Value) -> tuple[int, Any]:
    """Return a key to sort by: first numbers, then dates, then all others by their text; null and empty values last."""
    if value is None or (isinstance(value, str | list) and not value):
        return 4, 0
    if isinstance(value, bool | int | float | Duration):
        return 0, to_number(value)
    if isinstance(value, Date):
        return 1, value.moment
    text = (value.display or value.target) if isinstance(value, LinkValue) else text_of(value)
    return 2, text.casefold()
