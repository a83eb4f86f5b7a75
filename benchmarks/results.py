"""Where results go: `results.json` holds what was measured last; `RESULTS.md` and `growth.svg` are made from it."""

import contextlib
import datetime
import importlib.metadata
import json
import os
import platform
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks import growth
from benchmarks.measures import shown
from benchmarks.rows import SPECS

HERE = os.path.dirname(os.path.abspath(__file__))
_PACKAGES = ("zkmem", "mcp", "networkx", "pyromark")
_PLOTTED_FLOORS = ("walk and read every byte", "durable write")

_HEAD = """\
# What was measured

Written by the benchmarks themselves (`make bench`, `make bench-growth`, `make bench-peers`) from `results.json`.
Each figure is the median of several runs. A floor is the time or memory that no program can do without, measured in the
same run; the ratio is the figure divided by its floor. Compare ratios between machines, and times within one run. A
target is the highest ratio that a row should have or, without a floor, the highest value. A floor with "+" is a sum.
Vaults are made by `generate.py`, with natural text; the page cache is warm, and Python's bytecode is compiled. A bare
server is one with the same SDK that does nothing.
"""


def machine(folder: str) -> dict[str, str]:
    """What it was measured on; `folder` is where the vaults were."""
    packages = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _PACKAGES)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "machine": f"{os.cpu_count()} cores{_processor()}, {memory:.0f} GiB, {_file_system(folder)}",
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": f"{platform.python_implementation()} {platform.python_version()}, SQLite {sqlite3.sqlite_version}",
        "versions": packages + _commit(),
    }


def today() -> str:
    """The date."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def keep_size(notes: int, result: Mapping[str, Any]) -> None:
    """Keep what was measured at a size of the vault; groups of rows that were not measured stay as they were."""
    every = _load()
    before = every["sizes"].get(str(notes), {"rows": [], "floors": []})
    groups = {row["group"] for row in result["rows"]}
    kept = [row for row in before["rows"] if row["group"] not in groups]
    order = [spec.id for spec in SPECS]
    rows = sorted([*kept, *result["rows"]], key=lambda row: order.index(row["key"]))
    measured = {row["key"] for row in result["floors"]}
    floors = [row for row in before["floors"] if row["key"] not in measured] + list(result["floors"])
    every["sizes"][str(notes)] = {**result, "rows": rows, "floors": floors}
    _save(every)


def keep_peers(result: Mapping[str, Any]) -> None:
    """Keep what was measured of the peers; one that did not take part stays as it was."""
    every = _load()
    servers = {(one["name"], one["notes"]): one for one in every["peers"].get("servers", [])}
    servers.update({(one["name"], one["notes"]): one for one in result["servers"]})
    every["peers"] = {**result, "servers": list(servers.values())}
    _save(every)


def _load() -> dict[str, Any]:
    with contextlib.suppress(FileNotFoundError), open(os.path.join(HERE, "results.json"), encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
        return found
    return {"sizes": {}, "peers": {}}


def _save(every: Mapping[str, Any]) -> None:
    _write("results.json", json.dumps(every, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    lines = growth.lines(every["sizes"], [spec.id for spec in SPECS if spec.plotted], _PLOTTED_FLOORS)
    if lines:
        _write("growth.svg", growth.drawn(lines))
    _write("RESULTS.md", "\n".join(_page(every, plot=bool(lines))))


def _page(every: Mapping[str, Any], *, plot: bool) -> Iterator[str]:
    yield _HEAD
    for notes in sorted(map(int, every["sizes"])):
        one = every["sizes"][str(notes)]
        yield f"## {notes:,} notes\n"
        yield from _about(one)
        yield from size_table(one)
        yield ""
    if plot:
        yield "## Growth\n\n![What takes how long, by the size of the vault](growth.svg)\n"
    if every["peers"]:
        yield "## Beside others\n"
        yield from _about(every["peers"])
        yield from peers_table(every["peers"])
        yield ""


def _about(one: Mapping[str, Any]) -> Iterator[str]:
    yield f"{one['date']}: {one['vault']}. {one['machine']}; {one['system']}; {one['python']}; {one['versions']}."
    yield f"\n`{one['command']}`\n"


def size_table(one: Mapping[str, Any]) -> Iterator[str]:
    """What was measured at a size of the vault, in Markdown."""
    yield "| | ratio | target | median | least to most | floor | the floor is |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for row in one["rows"]:
        spread = f"{shown(row['min'])} to {shown(row['max'])} ({row['samples']})"
        value, floor, ratio = (shown(row[name]) for name in ("median", "floor_median", "ratio"))
        cells = [row["what"], ratio, _target(row), f"{value} {row['unit']}", spread, floor, row["floor"]]
        yield f"| {' | '.join(cells)} |"
    yield "\n| floor | median | least to most |\n|---|---:|---:|"
    for row in one["floors"]:
        spread = f"{shown(row['min'])} to {shown(row['max'])} ({row['samples']})"
        yield f"| {row['what']} | {shown(row['median'])} {row['unit']} | {spread} |"


def _target(row: Mapping[str, Any]) -> str:
    if row["target"] is None:
        return ""
    value = row["median"] if row["ratio"] is None else row["ratio"]
    return f"{shown(row['target'])}{'' if value <= row['target'] else ', missed'}"


def peers_table(peers: Mapping[str, Any]) -> Iterator[str]:
    """The servers side by side, in Markdown."""
    columns: Sequence[str] = peers["columns"]
    yield "| | notes | " + " | ".join(columns) + " |"
    yield "|---|---:|" + "---:|" * len(columns)
    for one in peers["servers"]:
        yield (
            f"| {one['name']} | {one['notes']:,} | " + " | ".join(one["cells"].get(name, "") for name in columns) + " |"
        )
    for remark in peers["remarks"]:
        yield f"\n{remark}"


def _write(name: str, text: str) -> None:
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
        file.write(text)


def _processor() -> str:
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return f" ({line.partition(':')[2].strip()})"
    return ""


def _file_system(folder: str) -> str:
    """The type of the file system that a folder is on, where the system tells."""
    best, kind = "", "file system not known"
    with contextlib.suppress(OSError), open("/proc/mounts", encoding="utf-8") as file:
        for point, found in (line.split()[1:3] for line in file):
            inside = os.path.realpath(folder).startswith(point.rstrip("/") + "/")
            if inside and len(point) >= len(best):
                best, kind = point, found
    return kind


def _commit() -> str:
    command = ["git", "-C", HERE, "describe", "--always", "--dirty"]
    with contextlib.suppress(OSError):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return f", commit {done.stdout.strip()}" if done.stdout.strip() else ""
    return ""
