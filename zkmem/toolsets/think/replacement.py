"""Replace the matches of a pattern, as edits of whole lines. Pure, and quick to import for `worker`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

_REFERENCE = re.compile(r"\$(?:\$|&|<([^>]*)>|(\d\d?))")


class LineEdit(NamedTuple):
    """An edit: `text` replaces the lines from `first` to before `after`."""

    first: int
    after: int
    text: str


class Swap(NamedTuple):
    """The range of a match, and its replacement."""

    start: int
    end: int
    by: str


class TooMuch(Exception):
    """The replacements are longer than allowed."""


def runs(text: str, swaps: Iterable[Swap], most: int) -> tuple[bool, list[LineEdit]]:
    """Return whether there is any swap, and the lines that change. Swaps that share a line are in one edit."""
    any_swap, parts, done = False, list[str](), list[LineEdit]()
    at = line = first = 0  # how far it has come, in characters and in lines; where the open run begins

    def close() -> None:
        end = text.find("\n", at)
        done.append(LineEdit(first, line + 1, "".join(parts) + (text[at:end] if end >= 0 else text[at:])))

    for start, end, by in swaps:
        any_swap = True
        if by == text[start:end]:
            continue
        most -= len(by)
        if most < 0:
            raise TooMuch
        passed = text.count("\n", at, start)
        if parts and passed:
            close()
            parts = []
        line += passed
        if not parts:
            first, at = line, text.rfind("\n", 0, start) + 1
        parts += [text[at:start], by]
        line += text.count("\n", start, end)
        at = end
    if parts:
        close()
    return any_swap, done


def filled(text: str, whole: str, groups: Sequence[str], names: Mapping[str, str]) -> str:
    """Return a text with its references filled in: `$&` (the match), `$1`, `$<name>` and `$$`, as in JavaScript.

    Any other `$` stands, and `$<name>` too where no group has a name.
    """

    def fill(reference: re.Match[str]) -> str:
        name, number = reference.groups()
        if name is not None:
            return names.get(name, "") if names else reference[0]
        if number is not None:
            return _group(groups, number, reference[0])
        return whole if reference[0] == "$&" else "$"

    return _REFERENCE.sub(fill, text) if "$" in text else text


def _group(groups: Sequence[str], number: str, otherwise: str) -> str:
    for digits in (number, number[0]):
        if 1 <= int(digits) <= len(groups):
            return groups[int(digits) - 1] + number[len(digits) :]
    return otherwise


def literal(text: str, source: str, by: str) -> Iterable[Swap]:
    """Yield the swaps for a pattern that is a plain string."""
    at = text.find(source)
    while at >= 0:
        yield Swap(at, at + len(source), by)
        at = text.find(source, at + len(source))
