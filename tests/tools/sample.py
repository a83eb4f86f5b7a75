"""Choose the pairs of parameters that `make test` runs; `make test-all` runs all."""

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet


def crossed(
    ones: Iterable[object], others: Iterable[object], each: int = 1, slow: int | None = None
) -> list[ParameterSet]:
    """Return pairs of values of two lists: for each value of the longer list, `each` pairs that are not marked slow.

    `slow`: how many more pairs of such a value are returned, marked slow; None: all.
    """
    rows, columns = list(ones), list(others)
    least = min(len(rows), len(columns))
    count = least if slow is None else each + slow
    # far from each other: neighbours are alike
    chosen, taken = ({number * least // size for number in range(size)} for size in (each, count))
    return [
        pytest.param(one, other, marks=() if (row + column) % least in chosen else pytest.mark.slow)
        for row, one in enumerate(rows)
        for column, other in enumerate(columns)
        if (row + column) % least in taken
    ]
