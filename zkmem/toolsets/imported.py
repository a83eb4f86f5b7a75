"""The result of an import."""

from collections.abc import Callable
from typing import NamedTuple

Progress = Callable[[int, int], None]
"""(records done, records in all)"""


class Imported(NamedTuple):
    """The numbers of records that were added and that existed already, and a sentence for each that failed."""

    added: int
    unchanged: int
    faults: list[str]
