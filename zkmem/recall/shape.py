"""Decide whether another order of the hints would suit a vault better, for `check` and `doctor`."""

from collections.abc import Sequence
from typing import NamedTuple

from zkmem.recall.ranking import Hint, Order, Ranking
from zkmem.util.spelling import told_apart

FIRST = 10  # hints that are compared: the default number of hints
_WIDEST = 3
_WIDE = 10  # a note with this many links may be an index page
_SHOWN = 5


class Advice(NamedTuple):
    """Advice to use another order of the hints: the wide notes that it would add, and its first names."""

    hints_order: Order
    wide: list[str]
    first: list[str]

    @property
    def sentence(self) -> str:
        """Return the advice as a sentence."""
        notes = "the note" if len(self.wide) == 1 else "the notes"
        return (
            f"the first {FIRST} hints leave out {notes} with the most links: {', '.join(told_apart(self.wide))}. With "
            f'hints_order = "{self.hints_order}" in .zkmem/config.toml the first hints are: '
            f"{', '.join(told_apart(self.first[:_SHOWN]))}."
        )


def advice_on(ranking: Ranking, folder: str, seen: str) -> Advice | None:
    """Return advice on the order of hints below a folder. `seen`: the folder that the caller may see.

    Use this under the lock of the index. A ranking with another order than `weight` gets no advice.
    """
    if ranking.order != "weight":
        return None
    return advice(ranking.hints(FIRST, folder, "weight", seen), ranking.hints(FIRST, folder, "balanced", seen))


def advice(by_weight: Sequence[Hint], balanced: Sequence[Hint]) -> Advice | None:
    """Compare the first hints in the orders `weight` and `balanced`; return None if `weight` suits the vault.

    Advise the other order if it would show a wide note (ten links or more, among the three with the most) that
    `weight` does not show. The reasons are in docs/explanation/ranking.md.
    """
    shown = {hint.name for hint in by_weight[:FIRST]}
    widest = sorted(balanced[:FIRST], key=lambda hint: -hint.links)[:_WIDEST]
    wide = [hint.name for hint in widest if hint.links >= _WIDE and hint.name not in shown]
    return Advice("balanced", wide, [hint.name for hint in balanced[:FIRST]]) if wide else None
