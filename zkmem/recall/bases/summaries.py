"""The summaries of a column: one value for all rows of a table, such as their average.

Source: "Summaries" in https://help.obsidian.md/bases/syntax.
"""

import statistics
from collections.abc import Callable

from zkmem.recall.bases.values import Date, Duration, Value, sort_key, text_of, type_of

_EMPTY = sort_key(None)[0]


def _numbers(values: list[Value]) -> list[float]:
    return [value for value in values if type_of(value) == "number"]


def _moments(values: list[Value]) -> list[Date]:
    return sorted((value for value in values if isinstance(value, Date)), key=lambda date: date.moment)


def _of_numbers(function: Callable[[list[float]], float]) -> Callable[[list[Value]], Value]:
    return lambda values: function(numbers) if (numbers := _numbers(values)) else None


def _range(values: list[Value]) -> Value:
    """Return the largest number minus the smallest; without numbers, the time from the first date to the last."""
    if numbers := _numbers(values):
        return max(numbers) - min(numbers)
    if moments := _moments(values):
        return Duration((moments[-1].moment - moments[0].moment).total_seconds() * 1000)
    return None


def _empty(values: list[Value]) -> int:
    return sum(sort_key(value)[0] == _EMPTY for value in values)


BUILT_IN: dict[str, Callable[[list[Value]], Value]] = {
    "Average": _of_numbers(statistics.fmean),
    "Min": _of_numbers(min),
    "Max": _of_numbers(max),
    "Sum": _of_numbers(sum),
    "Range": _range,
    "Median": _of_numbers(statistics.median),
    "Stddev": _of_numbers(statistics.pstdev),
    "Earliest": lambda values: next(iter(_moments(values)), None),
    "Latest": lambda values: next(reversed(_moments(values)), None),
    "Checked": lambda values: sum(value is True for value in values),
    "Unchecked": lambda values: sum(value is False for value in values),
    "Empty": _empty,
    "Filled": lambda values: len(values) - _empty(values),
    "Unique": lambda values: len({(type_of(value), text_of(value)) for value in values}),
}
"""The summaries that every base has, by name; None stands for no value."""
