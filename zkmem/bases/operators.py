"""What the operators of Bases do with values."""

import math
from collections.abc import Callable

from zkmem.bases.functions import check_length
from zkmem.bases.rows import NoteValues
from zkmem.bases.values import (
    UNITS_MS,
    Date,
    Duration,
    NoValue,
    Value,
    bounded,
    is_less,
    moved,
    read_date,
    read_duration,
    text_of,
    to_number,
)


def negative(value: Value) -> Value:
    """Return a value with the other sign; None for null."""
    if isinstance(value, Duration):
        return Duration(-value.milliseconds, -value.months)
    return None if value is None else -to_number(value)


ORDER: dict[str, Callable[[Value, Value], bool]] = {
    "<": is_less,
    ">": lambda left, right: is_less(right, left),
    "<=": lambda left, right: None not in (left, right) and not is_less(right, left),
    ">=": lambda left, right: None not in (left, right) and not is_less(left, right),
}
"""The operators that compare, except `==` and `!=`."""


def computed(operator: str, left: Value, right: Value, row: NoteValues) -> Value:
    """Return the result of `+`, `-`, `*`, `/` or `%`."""
    if operator in {"+", "-"} and isinstance(left, Date):
        return _date_and(operator, left, right)
    if operator == "+" and isinstance(right, Date) and not isinstance(left, str):
        return _date_and(operator, right, left)
    if operator == "+" and (isinstance(left, str) or isinstance(right, str)):
        text = text_of(left), text_of(right)
        check_length(row, len(text[0]) + len(text[1]))
        return text[0] + text[1]
    if left is None or right is None:
        return None
    if operator in {"+", "-", "*"} and (isinstance(left, Duration) or isinstance(right, Duration)):
        return _duration_and(operator, left, right)
    # In Obsidian, the difference of two dates is a number of milliseconds, so `(a - b) / 86400000` is a number of days.
    return _arithmetic(operator, to_number(left), to_number(right))


def _date_and(operator: str, date: Date, other: Value) -> Value:
    if other is None:
        return None
    if operator == "-" and isinstance(other, Date):
        return Duration((date.moment - other.moment).total_seconds() * 1000)
    if operator == "-" and isinstance(other, str) and (read := read_date(other)):
        return Duration((date.moment - read.moment).total_seconds() * 1000)
    by = read_duration(other) if isinstance(other, str) else other
    if isinstance(by, int | float) and not isinstance(by, bool):
        by = Duration(by)
    if not isinstance(by, Duration):
        raise NoValue(f"{text_of(other)!r:.60} is not a duration; write one such as '1 day' or '2h'")
    return moved(date, by, 1 if operator == "+" else -1)


def _duration_and(operator: str, left: Value, right: Value) -> Value:
    if operator in {"+", "-"}:
        one, other = (_as_duration(left), _as_duration(right))
        sign = 1 if operator == "+" else -1
        return Duration(one.milliseconds + sign * other.milliseconds, one.months + sign * other.months)
    if isinstance(left, Duration) and isinstance(right, Duration):
        return _arithmetic(operator, to_number(left), to_number(right))
    one, by = (left, to_number(right)) if isinstance(left, Duration) else (right, to_number(left))
    months, milliseconds = _arithmetic(operator, one.months, by), _arithmetic(operator, one.milliseconds, by)
    if months is None or milliseconds is None or not (math.isfinite(months) and math.isfinite(milliseconds)):
        return None
    if months != int(months):
        return Duration(milliseconds + months * 30 * UNITS_MS["day"])
    return Duration(milliseconds, int(months))


def _as_duration(value: Value) -> Duration:
    if isinstance(value, Duration):
        return value
    if isinstance(value, str) and (read := read_duration(value)):
        return read
    return Duration(to_number(value))


def _arithmetic(operator: str, left: float, right: float) -> float | None:
    """Return a result of arithmetic; None for a division by zero, and for what is too large."""
    try:
        if operator == "+":
            return bounded(left + right)
        if operator == "-":
            return bounded(left - right)
        if operator == "*":
            return bounded(left * right)
        if operator == "/":
            return left / right
        rest = math.fmod(left, right)  # it has the sign of the first number, as in JavaScript
        return int(rest) if isinstance(left, int) and isinstance(right, int) else rest
    except (ArithmeticError, ValueError):
        return None
