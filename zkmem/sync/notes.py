"""Merge the changes of two sides into one note. No line of the body that a side added or changed is lost."""

from collections.abc import Collection, Sequence
from typing import NamedTuple, TypeVar

from zkmem.markdown.callouts import ABOVE, Conflict, find_callouts, with_callouts
from zkmem.markdown.note import Text, read_text, write_text
from zkmem.markdown.properties import parts
from zkmem.sync.properties import MergedProperties, merged_properties
from zkmem.util.union import pieces

_T = TypeVar("_T")


class MergedNote(NamedTuple):
    """The bytes of a merged note, and whether it has a new conflict callout."""

    data: bytes
    in_conflict: bool = False


def merged_note(base: bytes, first: bytes, second: bytes, title: str) -> MergedNote:
    """Return a note with the changes of both sides since the base; an empty base stands for no note.

    Frontmatter is merged key by key and the body line by line: see `merged_properties` and `util.union.pieces`. If both
    sides changed the same lines, the note has the second side's lines, and below them a callout with this title and the
    first side's lines.

    The result depends on the arguments alone: machines that pass the same sides in the same order get the same note.
    """
    if second in {first, base}:
        return MergedNote(first)
    if base == first:
        return MergedNote(second)
    texts = [read_text(data) for data in (base, first, second)]
    sides = [parts(text) for text in texts]
    head = _merged_heads(*(side.source for side in sides))
    lines, conflicts = _merged_lines(*(_lines(side.body) for side in sides))
    if head.set_aside:
        conflicts.insert(0, Conflict(ABOVE, head.set_aside))
    body = with_callouts(lines, conflicts, title)
    ended = _changed_value(*(side.body.endswith("\n") for side in sides))
    rest = "\n".join(body) + "\n" * bool(body and ended)
    text = f"---\n{head.source}---\n{rest}" if head.source else rest
    if not head.source and parts(Text(rest)).body != rest:  # it would be read as frontmatter
        text = f"---\n---\n{rest}"
    like = Text("", _changed_value(*(text.bom for text in texts)), _changed_value(*(text.crlf for text in texts)))
    return MergedNote(write_text(text, like), bool(conflicts))


def _merged_heads(base: str, first: str, second: str) -> MergedProperties:
    """Return the merged frontmatter. If it cannot be read key by key, it is one value."""
    merged = merged_properties(base, first, second)
    if merged is None:
        source = _changed_value(base, first, second)
        both = first not in {base, second} and second != base
        merged = MergedProperties(source, first.rstrip().split("\n") if both and first.strip() else [])
    return merged


def _merged_lines(base: Sequence[str], first: Sequence[str], second: Sequence[str]) -> tuple[list[str], list[Conflict]]:
    """Return the merged lines and the conflicts. Each conflict is at the last of the second side's lines.

    A conflict callout that one side removed is one unit: if the other side edited it, all of it stays.
    """
    titles = {base[callout.lines.start] for callout in find_callouts(base)}
    removed = {title for title in titles if first.count(title) != second.count(title)}
    lines: list[str] = []
    conflicts: list[Conflict] = []
    sides = [_units(side, removed) for side in (base, first, second)] if removed else [base, first, second]
    for piece in pieces(*sides):
        lines += _split(piece.lines)
        if any(line.strip() for line in piece.first_lines):
            conflicts.append(Conflict(len(lines) - 1, _split(piece.first_lines)))
    return lines, conflicts


def _units(lines: Sequence[str], titles: Collection[str]) -> list[str]:
    """Return lines, and each conflict callout whose first line is one of `titles` as one string with a blank line."""
    units: list[str] = []
    at = 0
    for callout in find_callouts(lines):
        start, stop = callout.lines.start, callout.lines.stop
        if lines[start] not in titles:
            continue
        if stop < len(lines) and not lines[stop]:
            stop += 1
        elif start > at and not lines[start - 1]:
            start -= 1
        units += [*lines[at:start], "\n".join(lines[start:stop])]
        at = stop
    return [*units, *lines[at:]]


def _split(units: Sequence[str]) -> list[str]:
    return [line for unit in units for line in unit.split("\n")]


def _lines(body: str) -> list[str]:
    """Return the lines of a body without their line ends. After the last line end there is no other line."""
    return body.removesuffix("\n").split("\n") if body else []


def _changed_value(base: _T, first: _T, second: _T) -> _T:
    """Return the value of the side that changed it; the second side's if both did."""
    return first if second == base else second
