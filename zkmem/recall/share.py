"""Share the limit of an expansion among the linked notes.

Each note, in the order of the text, reserves its first 200 characters while there is space. The space that remains is
shared so that short notes are whole and all others are cut at the same length. A note without space is left out.
"""

import bisect
from collections.abc import Sequence
from typing import NamedTuple

LEAST = 200  # the shortest length to which a text is cut, in characters


class Need(NamedTuple):
    """The space that a linked note would need, in characters."""

    text: int  # the length of the text
    frame: int  # the length of the rest of its block
    cut: int  # the length of the line that says where the text is cut

    def is_cut(self, most: int) -> bool:
        """Return whether cutting the text to `most` characters makes the block shorter."""
        return self.text > most + self.cut

    def cost(self, most: int) -> int:
        """Return the length of the block if its text is cut to `most` characters, or whole if that is shorter."""
        return self.frame + min(self.text, most + self.cut)


class Limit:
    """The number of characters that may still be shown; no limit if `most` is None."""

    def __init__(self, most: int | None, used: int) -> None:
        self._free = None if most is None else most - used
        self._reserved = 0

    @property
    def exists(self) -> bool:
        """Return whether there is a limit."""
        return self._free is not None

    def fits(self, need: Need) -> bool:
        """Return whether the first 200 characters of a text still fit."""
        return self._free is None or self._reserved + need.cost(LEAST) <= self._free

    def reserve(self, need: Need) -> None:
        """Reserve space for the first 200 characters of a text."""
        self._reserved += need.cost(LEAST)

    def share(self, needs: Sequence[Need]) -> int | None:
        """Return the length to cut each text to. `reserve` must have reserved space for each."""
        if self._free is None:
            return None
        longest = max((need.text for need in needs), default=0)
        lengths = range(LEAST, max(longest, LEAST) + 1)
        fitting = bisect.bisect_right(lengths, self._free, key=lambda most: sum(need.cost(most) for need in needs))
        return lengths[fitting - 1]

    def take(self, used: int) -> None:
        """Subtract the characters that a level has used, and drop its reservations."""
        if self._free is not None:
            self._free -= used
        self._reserved = 0
