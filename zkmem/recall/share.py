"""How linked notes share the bound of an expansion.

In order of mention, each note is promised its first 200 characters while the bound has room. The rest of the bound is
shared so that short notes are whole and all others are cut at the same length. A note without a promise is left out.
"""

import bisect
from collections.abc import Sequence
from typing import NamedTuple

LEAST = 200  # the fewest characters that are shown of a text that is cut


class Wish(NamedTuple):
    """A text that would be shown; all figures are in characters."""

    text: int  # the length of the text
    frame: int  # the length of the rest of its block
    cut: int  # the length of the line that says where the text is cut

    def is_cut(self, most: int) -> bool:
        """Return whether cutting the text to `most` characters makes the block shorter."""
        return self.text > most + self.cut

    def cost(self, most: int) -> int:
        """Return the length of the block if its text is cut to `most` characters, or whole if that is shorter."""
        return self.frame + min(self.text, most + self.cut)


class Bound:
    """The number of characters that may still be shown. `most`: None for no bound."""

    def __init__(self, most: int | None, used: int) -> None:
        self._free = None if most is None else most - used
        self._promised = 0

    @property
    def is_bounded(self) -> bool:
        """Whether there is a bound at all."""
        return self._free is not None

    def fits(self, wish: Wish) -> bool:
        """Return whether the first 200 characters of a text still fit."""
        return self._free is None or self._promised + wish.cost(LEAST) <= self._free

    def promise(self, wish: Wish) -> None:
        """Reserve room for the first 200 characters of a text."""
        self._promised += wish.cost(LEAST)

    def share(self, wishes: Sequence[Wish]) -> int | None:
        """Return the length to cut each text to; all of them must have been promised room."""
        if self._free is None:
            return None
        longest = max((wish.text for wish in wishes), default=0)
        lengths = range(LEAST, max(longest, LEAST) + 1)
        fitting = bisect.bisect_right(lengths, self._free, key=lambda most: sum(wish.cost(most) for wish in wishes))
        return lengths[fitting - 1]

    def take(self, used: int) -> None:
        """Subtract what a level has used, and end its promises."""
        if self._free is not None:
            self._free -= used
        self._promised = 0
