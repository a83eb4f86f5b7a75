"""Read the date of a filter: a day, a month, a year, or a word such as `yesterday` or `last-week`."""

import datetime
import re

_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1}
_MOST_DAYS = {"week": 7, "month": 31, "year": 366}
WORDS = (*_DAYS, *(f"{which}-{unit}" for unit in _MOST_DAYS for which in ("this", "last")))
"""The words that stand for a date."""

_ISO = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)


def period(text: str) -> tuple[str, str] | None:
    """Return the first and the last day of a date, such as 2026-11-25; None if the text is no date.

    Dates are compared as texts: a month or a year begins with its own text, and each of its months has 31 days. A word
    is relative to today in local time; a week begins on Monday.
    """
    if match := _ISO.fullmatch(text):
        year, month, day = match.groups()
        try:
            datetime.date(int(year), int(month or 1), int(day or 1))
        except ValueError:
            return None
        return text, f"{year}-{month or '12'}-{day or '31'}"
    word, today = "-".join(text.lower().split()), datetime.date.today()
    if word not in WORDS:
        return None
    if word in _DAYS:
        first = last = today + datetime.timedelta(_DAYS[word])
    else:
        which, _, unit = word.partition("-")
        first = _first_day(unit, today)
        if which == "last":
            first = _first_day(unit, first - datetime.timedelta(1))
        last = _first_day(unit, first + datetime.timedelta(_MOST_DAYS[unit])) - datetime.timedelta(1)
    return first.isoformat(), last.isoformat()


def _first_day(unit: str, day: datetime.date) -> datetime.date:
    """Return the first day of the week, month or year of a day."""
    if unit == "week":
        return day - datetime.timedelta(day.weekday())
    return day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)
