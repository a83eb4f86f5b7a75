"""Measure times and floors, and show both in a table."""

import os
import secrets
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from zkmem.vault import platform

_BLOCK = 65_536


class Row(NamedTuple):
    """A measurement: the median of some values, with a floor from the same run."""

    what: str
    unit: str  # "ms", "s", "MB" or "%"
    median: float
    min: float
    max: float
    samples: int
    floor: str = ""  # the name of work that no program can avoid
    floor_median: float | None = None

    @classmethod
    def of(cls, what: str, unit: str, values: Sequence[float], floor: str = "", least: Sequence[float] = ()) -> "Row":
        """Return the row for measured `values`, and for the values `least` of its floor."""
        lowest = statistics.median(least) if least else None
        return cls(what, unit, statistics.median(values), min(values), max(values), len(values), floor, lowest)

    @property
    def ratio(self) -> float | None:
        """Return the median divided by that of the floor; None without a floor."""
        return self.median / self.floor_median if self.floor_median else None

    def data(self) -> dict[str, Any]:
        """Return the row as values for JSON."""
        return {**self._asdict(), "ratio": self.ratio}


class Usual(NamedTuple):
    """A floor, and how long it takes on a machine like that of `benchmarks/RESULTS.md`."""

    part: str  # of the machine
    floor: str
    ms: float
    per_note: bool = False  # whether `ms` is for one note of the vault


PYTHON, READ, STAT, WRITE = "100,000 steps of Python", "walk and read every byte", "walk and stat", "a durable write"
USUAL = (
    Usual("the processor", PYTHON, 3),
    Usual("the disk", WRITE, 0.5),
    Usual("the drive of the copy", READ, 0.012, per_note=True),
)
_SLOW = 3  # times the usual time


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Format rows as lines of text."""
    width = max(len(row.what) for row in rows)
    yield f"{'':{width}} {'ratio':>7} {'median':>12} {'least':>9} {'most':>9} {'floor':>9}"
    for row in rows:
        low, high, least = (shown(value) for value in (row.min, row.max, row.floor_median))
        middle = f"{shown(row.median)} {row.unit:2}"
        ratio = shown(row.ratio)
        yield f"{row.what:{width}} {ratio:>7} {middle:>12} {low:>9} {high:>9} {least:>9}  {row.floor}".rstrip()


def slow_parts(rows: Sequence[Row], notes: int, *, remote: bool) -> str:
    """Return a sentence that says which parts of this machine are slow.

    `notes`: how many there were; `remote`: whether the vault, of which a copy was measured, is on a network drive.
    """
    took = {row.floor: row.floor_median for row in rows if row.floor} | {row.what: row.median for row in rows}
    found = []
    for part, floor, ms, per_note in USUAL:
        usual = max(ms * notes, 1) if per_note else ms
        if (took.get(floor) or 0) > _SLOW * usual:
            found.append(f"{part} ({floor}: {shown(took[floor])} ms; {shown(usual)} ms is usual)")
    if remote:
        found.append("the vault itself, which is on a network drive; only a copy of it was measured")
    return f"Slow here: {'; '.join(found)}." if found else "No part of this machine is slow."


def shown(value: float | None) -> str:
    """Format a number with two or three digits, or with all digits before its point; "" for None."""
    if value is None:
        return ""
    if abs(value) >= 100 or value == 0:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 1 else f"{value:#.2g}"


def milliseconds(work: Callable[..., object], *arguments: object, **options: object) -> float:
    """Return how many milliseconds a call takes."""
    began = time.perf_counter()
    work(*arguments, **options)
    return (time.perf_counter() - began) * 1000


def files(folder: str) -> Iterator["os.DirEntry[str]"]:
    """Yield every file below a folder that is neither hidden nor a symbolic link."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            if entry.is_dir():
                yield from files(entry.path)
            elif entry.is_file():
                yield entry


def stat_all(folder: str) -> int:
    """Walk a vault and stat each file; return the number of bytes."""
    return sum(entry.stat().st_size for entry in files(folder))


def read_all(folder: str) -> int:
    """Walk a vault and read every byte as fast as Python can; return the number of bytes."""
    return sum(read_one(entry.path) for entry in files(folder))


def read_one(path: str) -> int:
    """Read a file; return its number of bytes."""
    total = 0
    handle = os.open(path, os.O_RDONLY)
    try:
        while block := os.read(handle, _BLOCK):
            total += len(block)
    finally:
        os.close(handle)
    return total


def write_durably(folder: str, texts: Iterable[bytes]) -> None:
    """Do the least work of a durable write: write and flush a new file for each text, rename them, flush the folder."""
    names = []
    for number, text in enumerate(texts):
        names.append((os.path.join(folder, f".{secrets.token_hex(6)}"), os.path.join(folder, f".floor-{number}")))
        with open(names[-1][0], "xb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    for temp, full in names:
        os.replace(temp, full)
    platform.current.sync_folder(folder)
