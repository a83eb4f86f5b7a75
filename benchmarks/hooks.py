"""Measure how long a client waits for a hook, with a server of the vault and without one.

Each figure is the whole life of a process, as a client starts it. `python -c pass` is the floor.

Usage: python -m benchmarks.hooks [--notes 10000] [--runs 20]
"""

import argparse
import contextlib
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from benchmarks.place import Place, plain_environment
from benchmarks.process import end_on_sigterm

_BOUND_MS = 300  # the default of the setting hook_ms
_UNKNOWN = "Rename the function parse to read_all in both modules, please."


def main() -> None:
    """Make a vault, and print a table with the median and the slowest run of each event."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    end_on_sigterm()
    with tempfile.TemporaryDirectory() as folder:
        place = Place.make(folder, options.notes, seed=1)
        with open(os.path.join(place.vault, "hint.md"), "w", encoding="utf-8") as file:
            file.write(f"Start with [[{next(iter(place.paths))}]].\n" * 100)
        place.python("-m", "zkmem", "search", "hub", "-C", place.vault)  # all words are in the cache then
        print(
            f"{options.notes:,} notes; milliseconds: the median, the slowest, and how many took more than {_BOUND_MS}"
        )
        _print("python -c pass", [_milliseconds(place, ["-c", "pass"], b"")[0] for _ in range(options.runs)])
        _measure(place, options.runs, "without a server")
        with _server(place):
            _measure(place, options.runs, "with a server")


def _measure(place: Place, runs: int, where: str) -> None:
    """Print a line for each event."""
    rng = random.Random(place.seed)
    for event, what in (("session-start", ""), ("prompt", " that a note fits"), ("prompt", " that no note fits")):
        times, answers = list[float](), 0
        for _ in range(runs + 1):
            prompt = _UNKNOWN if what.endswith("no note fits") else _sentence(place, rng)
            data = {"session_id": os.urandom(8).hex(), "source": "startup", "cwd": place.vault, "prompt": prompt}
            command = ["-m", "zkmem", "hook", event, "--client", "claude-code", "--vault", place.vault]
            milliseconds, output = _milliseconds(place, command, json.dumps(data).encode())
            times.append(milliseconds)
            answers += bool(output)
        _print(f"{event}{what}, {where}", times[1:], f"{answers} of {runs + 1} answered")


def _sentence(place: Place, rng: random.Random) -> str:
    """Return the last line of a note, as a prompt."""
    with open(place.paths[place.some(rng, 1)[0]], encoding="utf-8") as file:
        lines = [line.strip() for line in file if len(line) > 40]
    return f"What is it about {lines[-1][:200]}?" if lines else "What?"


def _milliseconds(place: Place, arguments: list[str], data: bytes) -> tuple[float, bytes]:
    """Run Python to its end; return how long that took, and what it printed."""
    environment = place.environment() | {"ZKMEM_HOOK_MS": "10000"}
    began = time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], input=data, capture_output=True, env=environment, check=True)
    return (time.perf_counter() - began) * 1_000, done.stdout


def _print(what: str, times: list[float], more: str = "") -> None:
    late = sum(one > _BOUND_MS for one in times)
    print(f"{what:46} {statistics.median(times):7.0f} {max(times):7.0f} {late:4}   {more}")


@contextlib.contextmanager
def _server(place: Place) -> Iterator[None]:
    """Serve the vault over HTTP during the block, which begins when all notes are indexed."""
    command = [sys.executable, "-m", "zkmem", "serve", place.vault, "--mode", "http", "--port", "0"]
    environment = plain_environment() | place.environment() | {"ZKMEM_HOOK_MS": "10000"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr
        try:
            next(line for line in process.stderr if re.match("Indexed", line))
            yield
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
