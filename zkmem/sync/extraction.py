"""Let an edit follow a passage that the other side extracted to another note."""

from collections.abc import Sequence
from typing import NamedTuple

from zkmem.util.threeway import Hunk, applied, hunks


class SplitEdit(NamedTuple):
    """An edit of a note in two parts: the base with the changes outside of a passage, and with those inside of it."""

    rest: str
    passage: str


def split_edit(base: str, source: str, target: str, edited: str) -> SplitEdit:
    """Split the edit of a text from `base` to `edited`, while the other side extracted a passage of it.

    `source`: the text without the passage. `target`: the text of the note that got the passage. A change belongs to the
    passage if its lines are not in `source` any more and stand unchanged in `target`.
    """
    lines = base.split("\n")
    out, kept = hunks(lines, source.split("\n")), hunks(lines, target.split("\n"))
    rest: list[Hunk] = []
    passage: list[Hunk] = []
    for hunk in hunks(lines, edited.split("\n")):
        (passage if _meets(hunk, out) and not _meets(hunk, kept) else rest).append(hunk)
    return SplitEdit(*("\n".join(applied(lines, part, 0, len(lines))) for part in (rest, passage)))


def _meets(hunk: Hunk, others: Sequence[Hunk]) -> bool:
    """Return whether a change touches lines that others change."""
    return any(hunk.start < one.end and one.start < hunk.end for one in others if one.start < one.end) or any(
        hunk.start < one.start < hunk.end for one in others
    )
