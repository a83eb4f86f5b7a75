"""The pictures of the ranking, from the weights that zkmem gives to small vaults.

`python -m tests.tools.pictures` draws them into docs/explanation/pictures/, and writes the same as a table into the
page; a test compares. It draws the pictures of `tests.tools.layers` and `tests.tools.film`, too.
"""

import math
import pathlib
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape

import networkx as nx

from tests.tools import film, layers
from tests.tools.vaults import fresh_index, write
from zkmem.index.graph import counts
from zkmem.memory import Memory
from zkmem.recall.weights import pagerank, weights

FOLDER = pathlib.Path(__file__).parents[2] / "docs" / "explanation" / "pictures"
PAGE = FOLDER.parent / "ranking.md"
_PLACE = re.compile(r"(<!-- weights -->\n).*?(<!-- end -->)", re.DOTALL)
_INK, _FAINT, _PLAIN, _LOOP, _BELOW = "#222222", "#777777", "#3b6fb6", "#c2571a", "#b3261e"

Graph = Mapping[str, Sequence[str]]
"""Notes, each with the names that it links to; a name that is no note is a link to a note that is not written."""

Point = tuple[float, float]


def _ring(names: Sequence[str], radius: float = 50) -> dict[str, Point]:
    turn = 2 * math.pi / len(names)
    return {
        name: (radius * math.sin(turn * number), -radius * math.cos(turn * number)) for number, name in enumerate(names)
    }


def _star(names: Sequence[str], radius: float = 76) -> dict[str, Point]:
    return {"index": (0, 0)} | _ring(names, radius)


_FIVE = [f"note {number}" for number in range(1, 6)]
_TWELVE = [f"note {number}" for number in range(1, 13)]
_ROW = {"A": (-50.0, 0.0), "B": (50.0, 0.0)}
_FORK = {"A": (-55.0, 0.0), "B": (45.0, -38.0), "C": (45.0, 38.0)}


def _leaves(names: Sequence[str], back: Sequence[str] = ()) -> Graph:
    return {"index": names} | {name: ["index"] if name in back else [] for name in names}


WITHOUT_LOOPS: Sequence[tuple[str, Graph, Mapping[str, Point]]] = (
    ("a note without links", {"A": ()}, {"A": (0, 0)}),
    ("one link passes the weight on", {"A": "B", "B": ()}, _ROW),
    ("two links: the sum", {"A": "BC", "B": (), "C": ()}, _FORK),
    ("three: the sum, halved", {"A": "BCD", "B": (), "C": (), "D": ()},
     {"A": (-55, 0), "B": (45, -48), "C": (60, 0), "D": (45, 48)}),
    ("weight comes from further away", {"A": "BC", "B": "DE", "C": (), "D": (), "E": ()},
     {"A": (-70, 0), "B": (0, -30), "C": (0, 40), "D": (70, -55), "E": (70, 0)}),
    ("notes not written yet count", {"A": "XY"}, {"A": (-55, 0), "X": (45, -38), "Y": (45, 38)}),
    ("an index of five", _leaves(_FIVE), _star(_FIVE)),
    ("an index of twelve", _leaves(_TWELVE), _star(_TWELVE)),
)  # fmt: skip
WITH_LOOPS: Sequence[tuple[str, Graph, Mapping[str, Point]]] = (
    ("there and back", {"A": "B", "B": "A"}, _ROW),
    ("a triangle", {"A": "B", "B": "C", "C": "A"}, _ring("ABC", 45)),
    ("a link to a loop adds no point", {"P": "A", "A": "B", "B": "A"}, {"P": (-75, 0), "A": (0, 0), "B": (75, 0)}),
    ("an index that all five link back to", _leaves(_FIVE, _FIVE), _star(_FIVE)),
    ("the same, with two that link back", _leaves(_FIVE, _FIVE[:2]), _star(_FIVE)),
    ("an index that all twelve link back to", _leaves(_TWELVE, _TWELVE), _star(_TWELVE)),
)  # fmt: skip

_LIST = [f"book {number}" for number in range(1, 25)]
_LINKS: Graph = {
    "home": ["reading list", "projects"],
    "reading list": _LIST,
    "projects": ["garden", "boat"],
    "garden": ["soil", "seeds", "water"],
    "boat": ["hull", "sail"],
}
ONE_WAY: Graph = {name: () for names in _LINKS.values() for name in names} | dict(_LINKS)
WOVEN: Graph = {
    name: [*targets, *(source for source, named in ONE_WAY.items() if name in named)]
    for name, targets in ONE_WAY.items()
}

LENGTHS = {
    "hint": 600, "journal 2025": 42_000, "meeting notes": 9_000, "tea": 300, "green tea": 900,
    "novel, chapter 1": 24_000, "people": 2_500, "Ann": 700, "Bob": 1_400, "clipping": 5_200,
    "projects": 4_000, "boat": 1_900,
}  # fmt: skip
TIDY: Graph = {
    "hint": ["people", "tea", "projects", "journal 2025"],
    "people": ["hint", "Ann", "Bob"],
    "Ann": ["people", "tea"],
    "Bob": ["people", "boat"],
    "tea": ["hint", "green tea"],
    "green tea": ["tea"],
    "projects": ["hint", "boat", "meeting notes"],
    "boat": ["projects"],
    "meeting notes": [],
    "journal 2025": [],
    "novel, chapter 1": [],
    "clipping": ["tea"],
}


def _vault(folder: str, graph: Graph, lengths: Mapping[str, int]) -> str:
    files = {}
    for name, targets in graph.items():
        text = " ".join(f"[[{target}]]" for target in targets)
        files[f"{name}.md"] = text + "." * (lengths.get(name, 0) - len(text))
    return write(folder, files)


def _ranks(graph: Graph) -> dict[str, dict[str, float]]:
    """The value of each note by which each of the three orders of hints goes."""
    with tempfile.TemporaryDirectory() as folder:
        index = fresh_index(_vault(folder, graph, {}))
        by_path = index.links.graph
        orders = {
            "weight": weights(by_path, counts),
            "links": {path: float(len(by_path.succ[path])) for path in by_path},
            "pagerank": pagerank(by_path, counts),
        }
        return {order: {name: values[f"{name}.md"] for name in graph} for order, values in orders.items()}


def _picture(width: int, height: int, about: str, body: Iterator[str]) -> str:
    lines = "\n".join(body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12">\n<title>{escape(about)}</title>\n'
        f"<defs>{_arrow('plain', _FAINT)}{_arrow('loop', _LOOP)}</defs>\n"
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n{lines}\n</svg>\n'
    )


def _arrow(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
        f'orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
    )


def _text(x: float, y: float, text: str, *, colour: str = _INK, anchor: str = "middle", size: int = 12) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{escape(text)}</text>'
    )


def _graphs(about: str, cells: Sequence[tuple[str, Graph, Mapping[str, Point]]], columns: int) -> str:
    wide, high = 250, 240

    def body() -> Iterator[str]:
        for number, (title, graph, places) in enumerate(cells):
            x, y = (number % columns + 0.5) * wide, number // columns * high
            yield _text(x, y + 22, title)
            yield from _graph(graph, {name: (x + dx, y + 134 + dy) for name, (dx, dy) in places.items()})

    return _picture(columns * wide, -(-len(cells) // columns) * high, about, body())


def _graph(graph: Graph, places: Mapping[str, Point]) -> Iterator[str]:
    weight = _ranks(graph)["weight"]
    edges = {(name, target) for name, targets in graph.items() for target in targets}
    radius = {name: 11 * math.sqrt(weight.get(name, 1)) for name in places}
    loops: list[set[str]] = list(nx.strongly_connected_components(nx.DiGraph(edges)))
    within = {name: number for number, names in enumerate(loops) for name in names}
    for name, target in sorted(edges):
        both = (target, name) in edges
        if not both or name < target:
            kind = "loop" if within[name] == within[target] else "plain"
            yield _edge(places[name], places[target], radius[name], radius[target], kind, both=both)
    for name, (x, y) in places.items():
        look = f'fill="{_PLAIN}"' if name in graph else f'fill="#ffffff" stroke="{_FAINT}" stroke-dasharray="3 2"'
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius[name]:.1f}" {look}/>'
        shown = f"{weight.get(name, 1):.3g}"
        size = 9 if len(shown) > 3 else 12
        yield _text(x, y + size / 3, shown, colour="#ffffff" if name in graph else _FAINT, size=size)
        if len(name) == 1:
            yield _text(x, y + radius[name] + 13, name, colour=_FAINT)


def _edge(start: Point, end: Point, before: float, after: float, kind: str, *, both: bool) -> str:
    length = math.dist(start, end)
    along = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
    x, y = start[0] + along[0] * (before + 1), start[1] + along[1] * (before + 1)
    to_x, to_y = end[0] - along[0] * (after + 1), end[1] - along[1] * (after + 1)
    first = f' marker-start="url(#{kind})"' if both else ""
    colour = _LOOP if kind == "loop" else _FAINT
    return (
        f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" stroke="{colour}" stroke-width="1.3"'
        f'{first} marker-end="url(#{kind})"/>'
    )


def with_table(page: str) -> str:
    """The page with the weights of all the small vaults as a table."""
    rows = "".join(f"| {_links(graph)} | {_weights(graph)} |\n" for _, graph, _ in (*WITHOUT_LOOPS, *WITH_LOOPS))
    table = f"| vault | weights |\n|---|---|\n{rows}"
    return _PLACE.sub(lambda match: f"{match[1]}{table}{match[2]}", page)


def _links(graph: Graph) -> str:
    parts = [f"{name} → {_some(list(targets))}" for name, targets in graph.items() if targets]
    if len(parts) > 5:
        parts = [parts[0], f"each of them → {graph[list(graph)[1]][0]}"]
    missing = {target for targets in graph.values() for target in targets} - set(graph)
    return ("; ".join(parts) or f"{next(iter(graph))} alone") + (", which are not written" if missing else "")


def _weights(graph: Graph) -> str:
    weight = _ranks(graph)["weight"]
    values = sorted(set(weight.values()), reverse=True)
    return "; ".join(f"{_some([name for name in graph if weight[name] == value])}: {value:.3g}" for value in values)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) < 5 else f"{names[0]} … {names[-1]}"


def _orders() -> str:
    rows = (("No note links back", ONE_WAY), ("Each note links back to those that link to it", WOVEN))
    titles = {
        "weight": 'hints_order = "weight"',
        "links": 'hints_order = "links"',
        "pagerank": 'hints_order = "pagerank"',
    }

    def body() -> Iterator[str]:
        for row, (title, graph) in enumerate(rows):
            yield _text(20, row * 190 + 26, title, anchor="start", size=14)
            for column, (order, values) in enumerate(_ranks(graph).items()):
                yield from _bars(column * 310 + 20, row * 190 + 52, titles[order], values)

    return _picture(940, 390, "The first six hints of one vault in three orders, without and with links back", body())


def _bars(left: float, top: float, title: str, values: Mapping[str, float]) -> Iterator[str]:
    yield _text(left, top, title, colour=_FAINT, anchor="start")
    first = sorted(values, key=lambda name: (-values[name], name))[:6]
    for number, name in enumerate(first):
        y = top + 10 + number * 20
        width = 150 * values[name] / values[first[0]]
        yield _text(left + 80, y + 12, name, anchor="end")
        yield f'<rect x="{left + 88}" y="{y}" width="{width:.1f}" height="15" rx="2" fill="{_PLAIN}"/>'
        yield _text(left + 94 + width, y + 12, f"{values[name]:.3g}", colour=_FAINT, anchor="start")


def _suggestions() -> str:
    left, right, top, bottom = 60.0, 740.0, 50.0, 380.0

    def x(characters: float) -> float:
        return left + math.log10(characters / 200) / math.log10(60_000 / 200) * (right - left)

    def y(weight: float) -> float:
        return bottom - 20 - math.log10(weight) / math.log10(12) * (bottom - top - 40)

    def body() -> Iterator[str]:
        with tempfile.TemporaryDirectory() as folder:
            found = Memory(_vault(folder, TIDY, LENGTHS)).suggestions(math.inf, 1000)
        yield _text(20, 26, "Weight and length of twelve notes", anchor="start", size=14)
        for characters in (300, 1_000, 3_000, 10_000, 30_000):
            yield f'<path d="M{x(characters):.1f} {top}V{bottom}" stroke="#dddddd"/>'
            yield _text(x(characters), bottom + 18, f"{characters:,} characters", colour=_FAINT)
        for weight in (1, 2, 5, 10):
            yield f'<path d="M{left} {y(weight):.1f}H{right}" stroke="#dddddd"/>'
            yield _text(left - 8, y(weight) + 4, f"{weight}", colour=_FAINT, anchor="end")
        line = f"M{x(1_000):.1f} {y(1):.1f}L{x(12_000):.1f} {y(12):.1f}"
        yield f'<path d="{line}" stroke="{_BELOW}" stroke-dasharray="5 4"/>'
        yield _text(
            x(12_000) + 8, y(12) + 4, "threshold 0.001: right of it is suggested", colour=_BELOW, anchor="start"
        )
        for number, one in enumerate(sorted(found, key=lambda one: one.characters)):
            colour = _BELOW if one.value < 0.001 else _PLAIN
            at, height = x(one.characters), y(one.weight)
            yield f'<circle cx="{at:.1f}" cy="{height:.1f}" r="5" fill="{colour}"/>'
            yield _text(at, height - (10 if number % 2 else 24), one.name, colour=colour)

    return _picture(820, 420, "Which notes are suggested: those of little weight for their length", body())


PICTURES: Mapping[str, Callable[[], str]] = {
    "without-loops": lambda: _graphs("Weights of small vaults without loops", WITHOUT_LOOPS, 4),
    "with-loops": lambda: _graphs("Weights of small vaults with loops", WITH_LOOPS, 3),
    "orders": _orders,
    "suggestions": _suggestions,
}


def drawn(name: str) -> str:
    """A picture, as SVG."""
    return PICTURES[name]()


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for each in PICTURES:
        (FOLDER / f"{each}.svg").write_text(drawn(each), "utf-8")
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
    for one in (layers, film):
        one.FILE.write_text(one.drawn(), "utf-8")
