"""How long a note of an earlier moment takes: `python -m benchmarks.past`.

A vault of 10,000 notes with 50 edits. With git, notes are read as of commits, once with loose objects and once with
packed ones; without git, as of edits. Each note is expanded two levels deep.
"""

import contextlib
import itertools
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator

from zkmem.memory import Memory

NOTES, EDITS, DEPTH, RUNS = 10_000, 50, 2, 5
_NAMES = [f"area {number % 50}/note {number}" for number in range(NOTES)]
_AUTHOR = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")


def main() -> None:
    """Print a table of medians, in milliseconds."""
    print("| | first | again | next revision | far revision | with backlinks, first | with backlinks, next |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for title, git, packed in (
            ("without git, by edits", False, False),
            ("git, loose objects", True, False),
            ("git, packed objects", True, True),
        ):
            vault = os.path.join(folder, title)
            moments = _made(vault, git=git, packed=packed)
            cells = [f"{1000 * statistics.median(times):.0f}" for times in _times(vault, moments, git=git)]
            print(f"| {title} | {' | '.join(cells)} |")


def _made(vault: str, *, git: bool, packed: bool) -> list[str]:
    """Make a vault with edits; return the moments after them, the oldest first."""
    chosen = random.Random(1)
    for name in _NAMES:
        full = pathlib.Path(vault, f"{name}.md")
        full.parent.mkdir(parents=True, exist_ok=True)
        words = " ".join(f"word{chosen.randrange(5_000)}" for _ in range(120))
        links = " ".join(f"[[{chosen.choice(_NAMES)}]]" for _ in range(4))
        full.write_text(f"# {name}\n\n{words}\n\nSee {links}.\n", "utf-8")
    if git:
        for command in (["init", "-q"], ["add", "-A"], [*_AUTHOR, "commit", "-qm", "all notes"]):
            subprocess.run(["git", "-c", "gc.auto=0", *command], cwd=vault, check=True)
    with contextlib.closing(Memory(vault, git=git, durable=False)) as memory:
        memory.set_up(git=git, settings=".zkmem/config.toml")
        for number in range(EDITS):
            memory.write(_NAMES[number * 7], f"edit {number}\n", append=True)
    if packed:
        subprocess.run(["git", "repack", "-adq"], cwd=vault, check=True)
    return [f"HEAD~{number}" for number in range(EDITS - 1, 0, -1)] if git else list(map(str, range(1, EDITS)))


def _times(vault: str, moments: list[str], *, git: bool) -> Iterator[list[float]]:
    """Yield the seconds of: the first read, the same again, the next moment, a far one; and with backlinks."""

    def opened() -> Memory:
        memory = Memory(vault, git=git, durable=False)
        memory.load()
        return memory

    names = itertools.cycle(_NAMES[:: NOTES // 10])

    def read(memory: Memory, at: str, *, backlinks: bool = False) -> Callable[[], object]:
        name = next(names)
        return lambda: memory.read_earlier(name, at, DEPTH, backlinks=backlinks)

    def first(*, backlinks: bool) -> list[float]:
        times = []
        for _ in range(RUNS):
            with contextlib.closing(opened()) as memory:
                times.append(_seconds(read(memory, moments[10], backlinks=backlinks)))
        return times

    yield first(backlinks=False)
    with contextlib.closing(opened()) as memory:
        memory.read_earlier(_NAMES[0], moments[10], DEPTH)
        yield [_seconds(read(memory, moments[10])) for _ in range(RUNS)]
        yield [_seconds(read(memory, moments[11 + number])) for number in range(RUNS)]
        yield [_seconds(read(memory, moments[number * -1])) for number in (1, len(moments), 2, len(moments) - 1)]
    yield first(backlinks=True)
    with contextlib.closing(opened()) as memory:
        memory.read_earlier(_NAMES[0], moments[10], DEPTH, backlinks=True)
        yield [_seconds(read(memory, moments[11 + number], backlinks=True)) for number in range(RUNS)]


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
