"""Find the date of a note: in its properties, else in its name.

The properties are those that Obsidian and its plugins write: see `KEYS`. A date is written as ISO 8601 has it, with or
without a time; a date in any other form is not guessed.
"""

import datetime
import re
from typing import TYPE_CHECKING, NamedTuple

from zkmem.names import base_of, name_of
from zkmem.util.lazy import LazyModule

if TYPE_CHECKING:
    from collections.abc import Mapping

    import yaml
else:
    yaml = LazyModule("yaml")

CREATED = ("created", "created_at", "created at", "date_created", "date created", "creation date", "creation_date")
"""The properties that have the time at which a note was created, in lower case."""

KEYS = (
    "date", *CREATED,
    "updated", "updated_at", "updated at", "date_updated", "date updated", "modified", "modified_at",
    "date_modified", "date modified", "last modified", "last_modified",
)  # fmt: skip
"""The properties that may have the date of a note, in lower case: the first of these that has one counts."""

_ISO = re.compile(r"\s*(\d{4})-(\d{2})-(\d{2})(?!\d)")
_IN_NAME = re.compile(r"(?<!\d)(\d{4})(?:([-_.])(\d{2})\2(\d{2})|(\d{2})(\d{2})(?:\d{4}|\d{6})?)(?!\d)")
_FIRST_YEAR, _LAST_YEAR = 1900, 2100  # in a name, other numbers of eight digits are no dates


class Dated(NamedTuple):
    """The date of a note, such as 2026-11-20, and where it is from: "property", "name", or "" if there is none."""

    date: str = ""
    source: str = ""


def dated(path: str, properties: "Mapping[str, yaml.Node]") -> Dated:
    """Return the date of a note. `properties`: their values as nodes."""
    values: dict[str, str] = {}
    for key, value in properties.items():
        if isinstance(value, yaml.ScalarNode):
            values.setdefault(key.strip().lower(), value.value)
    for key in KEYS:
        if (match := _ISO.match(values.get(key, ""))) and (date := _date(*match.groups())):
            return Dated(date, "property")
    for match in _IN_NAME.finditer(base_of(name_of(path))):
        year, _, month, day, month_there, day_there = match.groups()
        date = _date(year, month or month_there, day or day_there)
        if date and _FIRST_YEAR <= int(year) <= _LAST_YEAR:
            return Dated(date, "name")
    return Dated()


def is_earlier(key: str, one: str, other: str) -> bool:
    """Return whether a property has the time at which a note was created, and one value is earlier than another."""
    if key.strip().lower() not in CREATED:
        return False
    try:
        times = [datetime.datetime.fromisoformat(value.strip()) for value in (one, other)]
    except ValueError:
        return False
    utc = datetime.UTC  # the server writes UTC; of a time without a zone nothing better is known
    first, second = (time if time.tzinfo else time.replace(tzinfo=utc) for time in times)
    return first < second


def _date(year: str, month: str, day: str) -> str:
    """Return a date in the form 2026-11-20; "" if the calendar has no such day."""
    try:
        return datetime.date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""
