"""Find the conflict callout at a place in a note."""

from typing import NamedTuple

from zkmem.markdown.callouts import find_callouts, lines_here
from zkmem.markdown.note import body_of


class Conflict(NamedTuple):
    """A conflict callout: its number among those of the note, from 0, and its range of bytes."""

    number: int
    start: int
    end: int
    has_place: bool  # whether it is certain which lines of the note it is about


def conflict_at(data: bytes, offset: int) -> Conflict | None:
    """Return the conflict callout at a byte of a note; None if there is none."""
    begin = len(data) - len(body_of(data))
    lines = data[begin:].decode(errors="surrogateescape").split("\n")
    callouts, starts = find_callouts(lines), [begin]
    if not callouts:
        return None
    for line in lines:
        starts.append(starts[-1] + len(line.encode(errors="surrogateescape")) + 1)
    for number, callout in enumerate(callouts):
        start, end = starts[callout.lines.start], starts[callout.lines.stop]
        if start <= offset < end:
            return Conflict(number, start, end, lines_here(lines, callout) is not None)
    return None
