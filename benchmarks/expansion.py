"""Measure what an expansion shows of hubs: how many of their neighbours, and how many lines with a link it tears.

`python -m benchmarks.expansion VAULT...` reads every note of each vault that expands to at least 4 others, at depth 1
within the default bound. "zkmem" is what the program shows; the other rows are rules that it could follow, worked out
from the lengths of the same texts. A note counts as shown if any of its text is, as whole if all of it is. A line is
torn if a link in it has become a block while the line says more than that link.
"""

import re
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

from zkmem.markdown.links import find_links
from zkmem.memory import Memory

_HUB = 4  # neighbours
_BOUND = 24_000  # characters
_CUT = 60  # characters that it takes to say where a text is cut
_BLOCK = re.compile(r"(?<!\\)!(!?\[[^\n]*)start\n\n(.*?)\n\n\n!\1end", re.DOTALL)
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])?\s*")


class Neighbour(NamedTuple):
    """A linked note; both figures are in characters."""

    frame: int
    text: int


class Seen(NamedTuple):
    """How many neighbours are shown, and how many of them as a whole."""

    shown: int
    whole: int


Rule = Callable[[Sequence[Neighbour], int], Seen]


def stopping(neighbours: Sequence[Neighbour], bound: int) -> Seen:
    """In order of mention, up to the first that does not fit."""
    shown = 0
    for one in neighbours:
        bound -= one.frame + one.text
        if bound < 0:
            break
        shown += 1
    return Seen(shown, shown)


def skipping(neighbours: Sequence[Neighbour], bound: int) -> Seen:
    """In order of mention, without those that do not fit."""
    shown = 0
    for one in neighbours:
        if one.frame + one.text <= bound:
            bound -= one.frame + one.text
            shown += 1
    return Seen(shown, shown)


def smallest(neighbours: Sequence[Neighbour], bound: int) -> Seen:
    """The shortest first."""
    return skipping(sorted(neighbours, key=lambda one: one.text), bound)


def sharing(least: int) -> Rule:
    """Each at least so many characters, in order of mention; the rest is shared so that all are cut at one length."""

    def cost(one: Neighbour, most: int) -> int:
        return one.frame + min(one.text, most + _CUT)

    def rule(neighbours: Sequence[Neighbour], bound: int) -> Seen:
        chosen, used = [], 0
        for one in neighbours:
            if used + cost(one, least) <= bound:
                used += cost(one, least)
                chosen.append(one)
        most = least
        while most < _BOUND and sum(cost(one, most + 10) for one in chosen) <= bound:
            most += 10
        return Seen(len(chosen), sum(one.text <= most + _CUT for one in chosen))

    return rule


RULES: dict[str, Rule] = {
    "in order, stops": stopping,
    "in order, skips": skipping,
    "smallest first": smallest,
    **{f"shared, at least {least}": sharing(least) for least in (50, 100, 200, 400)},
}


def measure(vault: str) -> dict[str, list[int]]:
    """Return for each rule, and for the program, the sums over all hubs of a vault.

    Those are: neighbours shown, whole ones, all; for the program also lines torn, lines with a link.
    """
    memory = Memory(vault, max_chars=_BOUND)
    memory.load()
    sums: dict[str, list[int]] = {name: [0] * 3 for name in RULES} | {"zkmem": [0] * 5}
    for path in memory._engine.live.index.catalog.notes():  # noqa: SLF001 - no tool lists all notes
        name = "/" + path.removesuffix(".md")
        text = memory.read(name, bounded=False).text
        texts = [(raw, inner) for raw, inner in _BLOCK.findall(memory.read(name, 1, bounded=False).text)]
        if len(texts) < _HUB or len(text) > _BOUND:
            continue
        neighbours = [Neighbour(2 * len(raw) + 15, len(inner)) for raw, inner in texts]
        for rule, judge in RULES.items():
            _add(sums[rule], *judge(neighbours, _BOUND - len(text)), len(texts))
        got = memory.read(name, 1).text
        shown = _BLOCK.findall(got)
        whole = sum(inner in {text for _, text in texts} for _, inner in shown)
        _add(sums["zkmem"], len(shown), whole, len(texts), *torn(text, got))
    memory.close()
    return sums


def torn(text: str, expanded: str) -> tuple[int, int]:
    """Return how many lines with a link the blocks have torn, and how many such lines there are."""
    data, lines = text.encode(), {}
    for link in find_links(data):
        start = data.rfind(b"\n", 0, link.start) + 1
        end = data.find(b"\n", link.end)
        lines[start] = data[start : end if end >= 0 else len(data)].decode(), link.raw
    kept = set(expanded.split("\n"))
    return sum(line not in kept and _BULLET.sub("", line, 1).strip() != raw for line, raw in lines.values()), len(lines)


def _add(sums: list[int], *more: int) -> None:
    sums[:] = [a + b for a, b in zip(sums, more, strict=True)]


def main() -> None:
    """Print a table for each vault."""
    for vault in sys.argv[1:]:
        print(f"\n{vault}")
        for rule, (shown, whole, of, *lines) in measure(vault).items():
            tears = f", {lines[0]:,} of {lines[1]:,} lines torn" if lines else ""
            print(f"  {rule:24} {shown:6,} of {of:,} shown, {whole:,} whole{tears}")


if __name__ == "__main__":
    main()
