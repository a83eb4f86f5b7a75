"""What came of an import."""

from typing import NamedTuple


class Imported(NamedTuple):
    """How many records were added, how many were there already, and what could not be imported, with its place."""

    added: int
    unchanged: int
    faults: list[str]
