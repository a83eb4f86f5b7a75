"""Split an edit of a note from which the other side extracted a passage, so that each part goes to its note."""

from collections.abc import Sequence
from typing import NamedTuple

from zkmem.util.threeway import Hunk, applied, hunks


class SplitEdit(NamedTuple):
    """An edit in two parts: the base with the changes outside of a passage, and the base with those inside it."""

    rest: str
    passage: str


def split_edit(base: str, source: str, target: str, edited: str) -> SplitEdit:
    """Split the edit of a note from `base` to `edited`. The other side extracted a passage of the note.

    `source`: the other side's text without the passage. `target`: the text of the note that got the passage. A change
    belongs to the passage if the lines of the base that it changes are not in `source`, but unchanged in `target`.
    """
    lines = base.split("\n")
    out, kept = hunks(lines, source.split("\n")), hunks(lines, target.split("\n"))
    rest: list[Hunk] = []
    passage: list[Hunk] = []
    for hunk in hunks(lines, edited.split("\n")):
        (passage if _meets(hunk, out) and not _meets(hunk, kept) else rest).append(hunk)
    return SplitEdit(*("\n".join(applied(lines, part, 0, len(lines))) for part in (rest, passage)))


def _meets(hunk: Hunk, others: Sequence[Hunk]) -> bool:
    """Return whether a hunk touches lines of the base that other hunks change."""
    return any(hunk.start < one.end and one.start < hunk.end for one in others if one.start < one.end) or any(
        hunk.start < one.start < hunk.end for one in others
    )
