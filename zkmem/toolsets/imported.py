"""What came of an import."""

from collections.abc import Callable
from typing import NamedTuple

Progress = Callable[[int, int], None]
"""(done, of how many)"""


class Imported(NamedTuple):
    """How many records were added, how many were there already, and a sentence for each one that could not be."""

    added: int
    unchanged: int
    faults: list[str]
