"""Measure what the warnings add to an edit: `python -m benchmarks.warned [NOTES]`, in milliseconds.

The vault is generated. The warnings are computed after the edit is on the disk. Their times are processor time; those
of the edits are not.
"""

import random
import statistics
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from benchmarks.generate import generate
from zkmem.edit.done import Done
from zkmem.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable

_EDITS = 100


class Timed(Memory):
    """A memory that measures its warnings."""

    spent: list[float] = []  # noqa: RUF012 - of all edits

    def _warned(self, done: Done) -> Done:
        began = time.thread_time()
        done = super()._warned(done)
        self.spent.append(1000 * (time.thread_time() - began))
        return done


def main(notes: int) -> None:
    """Print the times of each kind of edit."""
    with tempfile.TemporaryDirectory() as root:
        generate(root, notes, 1, natural=True)
        with Timed(root) as memory:
            memory.load()
            memory.search("x")
            names = random.Random(1).sample(memory.names(), _EDITS)
            texts = {name: memory.read(f"/{name}").text for name in names}
            for at, name in enumerate(names):  # another note says the same
                memory.append(f"/{names[at - 1]}", f"\nBread is baked by the lantern of {name} at {1000 + at} °C.\n")
                memory.append(f"/{name}", f"\nThe bread of the lantern needs {1000 + at} °C.\n")
            memory.search("x")
            edits: dict[str, Callable[[int, str], object]] = {
                "text added": lambda at, name: memory.append(f"/{name}", f"\nThe oven is warm {at}.\n"),
                "words replaced": lambda at, name: memory.write(f"/{name}", f"is cold now {at}", old=f"is warm {at}"),
                "value replaced": lambda at, name: memory.write(
                    f"/{name}", f"needs {3000 + at} °C", old=f"needs {1000 + at} °C"
                ),
                "new note": lambda at, name: memory.write(f"/new {at}", texts[name]),
            }
            for what, edit in edits.items():
                Timed.spent.clear()
                whole = []
                for at, name in enumerate(names):
                    time.sleep(0.02)  # the thread that indexes the last edit
                    began = time.perf_counter()
                    edit(at, name)
                    whole.append(1000 * (time.perf_counter() - began))
                median, late = statistics.median(Timed.spent), statistics.quantiles(Timed.spent, n=10)[-1]
                print(f"{what}: {median:.2f}, 9 of 10 {late:.2f}; the edit {statistics.median(whole):.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
