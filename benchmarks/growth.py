"""Growth as a picture: a line for each row over the sizes of the vault, both axes logarithmic; plain SVG."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

_WIDTH, _HEIGHT = 1000, 640
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 400, 50, 50  # margins
_GAP = 19  # between labels
_COLOURS = ("#0b6bcb", "#c43e1c", "#2f7d32", "#8e24aa", "#b8860b", "#00838f", "#d81b60", "#5d4037", "#455a64",
            "#7cb342", "#3949ab")  # fmt: skip
_IN_MS = {"ms": 1.0, "s": 1000.0}


class Line(NamedTuple):
    """A row over the sizes: (notes, milliseconds), in order; a floor is drawn dashed."""

    name: str
    points: Sequence[tuple[int, float]]
    is_floor: bool = False


def lines(sizes: Mapping[str, Mapping[str, Any]], plotted: Iterable[str], floors: Iterable[str]) -> list[Line]:
    """The lines of the rows with these keys that were measured at two sizes or more."""
    found = []
    for part, keys in (("rows", plotted), ("floors", floors)):
        for key in keys:
            rows = {int(size): row for size, one in sizes.items() for row in one[part] if row["key"] == key}
            points = [(size, rows[size]["median"] * _IN_MS[rows[size]["unit"]]) for size in sorted(rows)]
            if len(points) > 1 and all(value > 0 for _, value in points):
                label = rows[points[-1][0]]["what"]
                found.append(Line(f"floor: {label}" if part == "floors" else label, points, part == "floors"))
    return found


def drawn(lines: Sequence[Line]) -> str:
    """The picture; there must be a line."""
    every = [point for line in lines for point in line.points]
    paper = _Paper(
        math.log10(min(x for x, _ in every)),
        math.log10(max(x for x, _ in every)),
        math.floor(math.log10(min(y for _, y in every))),
        math.ceil(math.log10(max(y for _, y in every))),
    )
    body = "\n".join([*paper.grid(sorted({x for x, _ in every})), *paper.curves(lines)])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="system-ui, sans-serif" font-size="13">\n'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>\n'
        f'<text x="{_LEFT}" y="28" font-size="17" fill="#222222">What takes how long, by the size of the vault</text>\n'
        f"{body}\n</svg>\n"
    )


class _Paper(NamedTuple):
    """The logarithms of what is at the edges."""

    left: float
    right: float
    bottom: float
    top: float

    def x(self, notes: float) -> float:
        return _LEFT + (math.log10(notes) - self.left) / (self.right - self.left) * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        share = (math.log10(value) - self.bottom) / (self.top - self.bottom)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)

    def grid(self, sizes: Sequence[int]) -> Iterator[str]:
        end, floor = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
        for power in range(int(self.bottom), int(self.top) + 1):
            y = self.y(10.0**power)
            yield f'<path d="M{_LEFT} {y:.1f}H{end}" stroke="#dddddd"/>'
            yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#555555">{_time(power)}</text>'
        for size in sizes:
            x = self.x(size)
            yield f'<path d="M{x:.1f} {_TOP}V{floor}" stroke="#dddddd"/>'
            yield f'<text x="{x:.1f}" y="{floor + 22}" text-anchor="middle" fill="#555555">{size:,} notes</text>'

    def curves(self, lines: Sequence[Line]) -> Iterator[str]:
        places = _spread([self.y(line.points[-1][1]) for line in lines])
        colours = iter(_COLOURS * len(lines))
        for line, place in zip(lines, places, strict=True):
            colour = "#999999" if line.is_floor else next(colours)
            spots = [(self.x(x), self.y(y)) for x, y in line.points]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
            dashes = ' stroke-dasharray="5 4"' if line.is_floor else ""
            yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>'
            for x, y in spots:
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
            x, y = spots[-1]
            label = f"{line.name}: {_value(line.points[-1][1])}"
            yield f'<path d="M{x + 5:.1f} {y:.1f}L{x + 24:.1f} {place:.1f}" stroke="{colour}" stroke-width="0.7"/>'
            yield f'<text x="{x + 28:.1f}" y="{place + 4:.1f}" fill="{colour}">{escape(label)}</text>'


def _spread(wanted: Sequence[float]) -> list[float]:
    """Heights for labels, as near as they can be to those wanted without lying over one another."""
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    places = [0.0] * len(wanted)
    last = -math.inf
    for number in order:
        last = places[number] = max(wanted[number], last + _GAP)
    last = _HEIGHT - _BOTTOM + _GAP
    for number in reversed(order):
        last = places[number] = min(places[number], last - _GAP)
    return places


def _time(power: int) -> str:
    return f"{10**power:g} ms" if power < 0 else f"{10**power} ms" if power < 3 else f"{10 ** (power - 3):,} s"


def _value(milliseconds: float) -> str:
    return f"{milliseconds:.3g} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.3g} s"
