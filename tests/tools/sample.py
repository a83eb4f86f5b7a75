"""Choose the pairs of parameters that `make test` runs; `make test-all` runs all."""

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet


def crossed(ones: Iterable[object], others: Iterable[object], each: int = 1) -> list[ParameterSet]:
    """Return all pairs, marked slow but for a sample: `each` pairs with each value of the longer list."""
    rows, columns = list(ones), list(others)
    least = min(len(rows), len(columns))
    chosen = {number * least // each for number in range(each)}  # far from each other: neighbours are alike
    return [
        pytest.param(one, other, marks=() if (row + column) % least in chosen else pytest.mark.slow)
        for row, one in enumerate(rows)
        for column, other in enumerate(columns)
    ]
