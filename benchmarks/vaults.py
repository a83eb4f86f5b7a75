"""Measure the memory of one server with several vaults beside that of a server for each of them.

Usage: python -m benchmarks.vaults [--vaults 10] [--notes 1000]
"""

import argparse
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence

from benchmarks.generate import generate
from benchmarks.process import end_on_sigterm


@contextlib.contextmanager
def _serving(vaults: Sequence[str]) -> Iterator[tuple[int, float]]:
    """Serve some vaults; yield the process id and the seconds until all are indexed."""
    command = [sys.executable, "-m", "zkmem", "serve", *vaults, "--mode", "http", "--port", "0"]
    began = time.perf_counter()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            indexed = (line for line in process.stderr if line.startswith("Indexed"))
            for _ in vaults:
                next(indexed)
            yield process.pid, time.perf_counter() - began
        finally:
            process.terminate()


def _megabytes(processes: Sequence[int]) -> float:
    """Return the memory of some processes; what they share is counted once (proportional set size)."""
    total = 0
    for process in processes:
        with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
            total += int(re.findall(r"^Pss:\s+(\d+) kB", file.read(), re.MULTILINE)[0])
    return total / 1_000


def main() -> None:
    """Make the vaults, start the servers, and print a line for each of the two ways."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vaults", type=int, default=10)
    parser.add_argument("--notes", type=int, default=1_000)
    options = parser.parse_args()
    end_on_sigterm()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        vaults = [os.path.join(folder, f"vault-{number}") for number in range(options.vaults)]
        for number, vault in enumerate(vaults):
            generate(vault, options.notes, seed=number)
        for _ in range(2):  # the first time only writes the caches
            with _serving(vaults) as (process, seconds):
                together = _megabytes([process])
        started = [stack.enter_context(_serving([vault])) for vault in vaults]
        apart = _megabytes([process for process, _ in started])
    print(
        f"{options.vaults} vaults of {options.notes} notes on one server: {together:.0f} MB, indexed in {seconds:.1f} s"
    )
    print(f"a server for each: {apart:.0f} MB, {apart / together:.1f} times as much")


if __name__ == "__main__":
    main()
