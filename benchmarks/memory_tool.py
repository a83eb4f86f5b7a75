"""Claude's memory tool of zkmem beside the file tool of the package `anthropic`: lost edits, and the time of an edit.

`python -m benchmarks.memory_tool` runs both in turn: two processes insert lines into one file at the same time.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from anthropic.tools import BetaLocalFilesystemMemoryTool

from zkmem.anthropic import MemoryTool

PROCESSES = 2


class Run(NamedTuple):
    """What became of the lines that all processes have inserted."""

    acknowledged: int
    kept: int
    median_ms: float  # of one insert

    @property
    def lost(self) -> int:
        """How many acknowledged lines the file does not have."""
        return self.acknowledged - self.kept


def tool(kind: str, folder: str) -> Any:
    """Return a memory tool on a folder."""
    return MemoryTool(folder) if kind == "zkmem" else BetaLocalFilesystemMemoryTool(folder)


def insert(kind: str, folder: str, name: str, count: int) -> None:
    """Insert lines as one of the processes, and print the median time in milliseconds."""
    memory, times = tool(kind, folder), []
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(count):
        began = time.perf_counter()
        text = f"{name}{number}"
        memory.call({"command": "insert", "path": "/memories/log.md", "insert_line": 0, "insert_text": text})
        times.append(1000 * (time.perf_counter() - began))
    print(statistics.median(times))


def measure(kind: str, count: int) -> Run:
    """Let several processes insert lines into one file at the same time."""
    with tempfile.TemporaryDirectory() as folder:
        first = tool(kind, folder)
        first.call({"command": "create", "path": "/memories/log.md", "file_text": ""})
        if kind == "zkmem":
            first.close()
        base = [sys.executable, "-m", "benchmarks.memory_tool", "--insert", kind, folder]
        processes = [
            subprocess.Popen([*base, name, str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for name in "abcdef"[:PROCESSES]
        ]
        for process in processes:
            assert process.stdout
            process.stdout.readline()
        for process in processes:
            assert process.stdin
            process.stdin.write("\n")
            process.stdin.flush()
        medians = [float(process.communicate()[0]) for process in processes]
        lines = Path(folder, "memories", "log.md").read_text("utf-8").split()
    return Run(PROCESSES * count, len(set(lines)), round(statistics.median(medians), 2))


def main() -> None:
    """Measure both tools in turn, and print the figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory_tool", description=__doc__)
    parser.add_argument("--inserts", type=int, default=500, help="lines that each process inserts")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--insert", nargs=4, metavar=("KIND", "FOLDER", "NAME", "COUNT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.insert:
        kind, folder, name, count = options.insert
        insert(kind, folder, name, int(count))
        return
    runs = {kind: [measure(kind, options.inserts) for _ in range(options.runs)] for kind in ("zkmem", "anthropic")}
    figures = {
        kind: {
            "acknowledged": some[0].acknowledged,
            "lost": sorted(run.lost for run in some),
            "median_ms": statistics.median(run.median_ms for run in some),
        }
        for kind, some in runs.items()
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
