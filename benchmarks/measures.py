"""Measure times, and the floors that they cannot go below."""

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
