"""The rows of the table: what is measured, what it should be, and the floor that it stands on."""

import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmarks.costs import KINDS
from benchmarks.language_server import REQUESTS
from benchmarks.measures import Row
from benchmarks.place import Samples

GROUPS = ("starts", "calls", "search", "editor", "costs")
"""What can be measured by itself."""


class Spec(NamedTuple):
    """A row: its samples, its unit, its targets at 10,000 and at 100,000 notes, and the samples of its floors.

    A target is the most that the ratio to the floor should be, which is the same on a slow and on a fast machine;
    without a floor it is the most that the value should be. Where there are several floors, their sum is the floor.
    """

    group: str
    key: str
    what: str
    unit: str
    targets: tuple[float, float] | None = None
    floors: tuple[str, ...] = ()
    percentile: int = 50
    plotted: bool = False

    @property
    def id(self) -> str:
        """What tells it from all others."""
        return self.key if self.percentile == 50 else f"{self.key}, p{self.percentile}"

    def row(self, samples: Samples) -> Row | None:
        """The row, if it was measured."""
        values = [self._scaled(value) for value in samples.get(self.key, ())]
        if not values:
            return None
        least = [self._at(samples[floor]) for floor in self.floors if samples.get(floor)]
        floor = [self._scaled(sum(least))] if least else []
        row = Row.of(self.what, self.unit, values, " + ".join(self.floors) if least else "", floor)
        return row if self.percentile == 50 else row._replace(median=self._at(values))

    def target(self, notes: int) -> float | None:
        """The most that the ratio should be in a vault of this size, or the value if there is no floor."""
        return self.targets[notes > 10_000] if self.targets else None

    def _at(self, values: Sequence[float]) -> float:
        if self.percentile == 50 or len(values) < 2:
            return statistics.median(values)
        return statistics.quantiles(values, n=100)[self.percentile - 1]

    def _scaled(self, value: float) -> float:
        return value / 1000 if self.unit == "s" else value


_BARE, _CALL = "bare server: handshake", "bare server: a call"
_BARE_LS, _REQUEST = "bare language server: handshake", "bare language server: a request"

SPECS = (
    Spec("starts", "handshake", "spawn to handshake", "s", (1.1, 1.1), (_BARE,), plotted=True),
    Spec("starts", "first hints, no cache", "spawn to first get_hints, no cache", "s", (2, 3),
         (_BARE, "walk and read every byte"), plotted=True),
    Spec("starts", "first hints, cache", "spawn to first get_hints, with cache", "s", (1.4, 2.5),
         (_BARE, "walk and stat"), plotted=True),
    Spec("starts", "first content", "spawn to first get_content, depth 0", "s", (1.2, 1.2), (_BARE,), plotted=True),
    Spec("calls", "content, depth 0", "get_content, depth 0, p50", "ms", (1.3, 1.3), (_CALL,), plotted=True),
    Spec("calls", "content, depth 2", "get_content, depth 2, p50", "ms", (2.5, 2.5), (_CALL,), plotted=True),
    Spec("calls", "set", "set_content of a link, durable and seen, p50", "ms", (1.3, 1.3), (_CALL, "durable write"),
         plotted=True),
    Spec("calls", "hints", "get_hints, nothing changed, p50", "ms", (1.5, 1.5), (_CALL,)),
    Spec("calls", "hints after an edit", "get_hints after an edit that changed links", "ms", (2, 4), (_CALL,),
         plotted=True),
    Spec("calls", "hand edit", "hand edit visible in get_hints", "s", (0.3, 0.3), plotted=True),
    Spec("calls", "rename", "rename over 1,000 referrers, durable", "s", (1.5, 2),
         (_CALL, "durable writes in one batch"), plotted=True),
    Spec("search", "search: query", "search, one to three words, p50", "ms", (10, 2.5), ("FTS5: query",), plotted=True),
    Spec("search", "search: query", "search, one to three words, p99", "ms", (2.6, 0.85), ("FTS5: query",), 99),
    Spec("search", "search: build", "first search, which indexes the words", "s", (2.5, 2), ("FTS5: build",)),
    Spec("starts", "memory", "memory after the first hint, no cache", "MB", (1.75, 4.9), ("bare server: memory",)),
    Spec("starts", "memory, peak", "the most it had held by then", "MB", None, ("bare server: memory",)),
    Spec("starts", "memory, cache", "memory after the first hint, with cache", "MB", (1.75, 4.9),
         ("bare server: memory",)),
    Spec("starts", "idle", "processor, left alone", "%", (0, 0)),
    Spec("starts", "zkmem get", "`zkmem get NAME` on the command line", "s", (10, 10), ("python -c pass",)),
    Spec("editor", "editor: handshake", "editor: spawn to the end of the handshake", "s", None, (_BARE_LS,)),
    Spec("editor", "editor: first completion", "editor: first completion after the handshake", "ms", (50, 50)),
    *(
        Spec("editor", f"editor: {what}", f"editor: {what}, p{percentile}", "ms", None, (_REQUEST,), percentile)
        for what in REQUESTS
        for percentile in (50, 99)
    ),
    Spec("editor", "editor: memory", "editor: memory after all these requests", "MB", (1, 1),
         ("zkmem serve: memory after as many calls",)),
    *(Spec("costs", f"edit, {kind}", f"Memory.write, a small append, {kind}", "ms") for kind in KINDS),
    *(Spec("costs", f"rename, {kind}", f"Memory.rename over 1,000 referrers, {kind}", "s") for kind in KINDS),
)  # fmt: skip

FLOORS = {
    "python -c pass": "s",
    "import of the SDK": "s",
    _BARE: "s",
    "bare server: memory": "MB",
    _CALL: "ms",
    _BARE_LS: "s",
    _REQUEST: "ms",
    "zkmem serve: memory after as many calls": "MB",
    "walk and stat": "s",
    "walk and read every byte": "s",
    "durable write": "ms",
    "durable writes in one batch": "s",
    "FTS5: build": "s",
    "FTS5: query": "ms",
}


def measured(samples: Samples, notes: int, referrers: int) -> list[dict[str, Any]]:
    """The rows of what was measured, as data."""
    rows = []
    for spec in SPECS:
        if row := spec.row(samples):
            what = row.what.replace("1,000 referrers", f"{referrers:,} referrers")
            rows.append(
                {**row._replace(what=what).data(), "key": spec.id, "target": spec.target(notes), "group": spec.group}
            )
    return rows


def floors(samples: Samples) -> list[dict[str, Any]]:
    """The floors that were measured, as data."""
    specs = [Spec("", key, key, unit) for key, unit in FLOORS.items()]
    return [{**row.data(), "key": spec.id} for spec in specs if (row := spec.row(samples))]
