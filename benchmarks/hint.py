"""Measure the draft of the note `hint`, and what it costs to say what is wrong with that note.

Usage: python -m benchmarks.hint [--notes 10000] VAULT...

Each vault is copied. Its line has the number of the 20 heaviest notes within one link of `hint` before and after its
draft is accepted (the heaviest as they are then), and the bytes of the note. The last line is about a made vault of
`--notes` notes: the seconds of a draft, and the milliseconds that `hint` adds to suggestions and to hints (the median
of five calls, each after an edit, in processor time).
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable

from benchmarks.generate import generate
from zkmem.caller import DRAFTER
from zkmem.memory import Memory

_HEAVIEST = 20
_CALLS = 5


def _reached(memory: Memory) -> str:
    """Return how many of the heaviest notes the note `hint` links to."""
    heaviest = [one.name for one in memory.hints(_HEAVIEST + 1) if one.name != "hint"][:_HEAVIEST]
    linked = set(memory.links("/hint")) if memory.exists("/hint") else set()
    return f"{len(linked.intersection(heaviest))}/{len(heaviest)}"


def _line(root: str) -> str:
    with Memory(root, durable=False) as memory:
        before = _reached(memory)
        memory.propose_hint()
        memory.accept(DRAFTER)
        size = os.path.getsize(os.path.join(root, "hint.md"))
        stays = "stays" if not memory.draft_hint().diff else "CHANGES"
        left = " ".join(memory.hint_state().sentences) or "nothing is wrong"
        return f"before {before}, after {_reached(memory)}, {size} bytes; the draft {stays}; {left}"


def _milliseconds(memory: Memory, call: Callable[[], object]) -> float:
    times = []
    for at in range(_CALLS):
        memory.write(f"/measured {at}", f"An edit. See [[hint]] and [[measured {at - 1}]].")
        began = time.thread_time()
        call()
        times.append(1_000 * (time.thread_time() - began))
    return statistics.median(times)


def main() -> None:
    """Print a line for each vault, and one for the made vault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("vaults", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "made")
        generate(made, options.notes, 1, natural=True)
        for vault in options.vaults:
            copy = os.path.join(folder, str(len(os.listdir(folder))))
            shutil.copytree(vault, copy, ignore=shutil.ignore_patterns(".zkmem"))
            print(f"{os.path.basename(vault.rstrip('/'))}: {_line(copy)}")
        print(f"made, {options.notes:,} notes: {_line(made)}")
        with Memory(made, durable=False) as memory:
            memory.load()
            memory.hint_state()
            began = time.thread_time()
            memory.draft_hint()
            draft = time.thread_time() - began
            calls: dict[str, Callable[[], object]] = {
                "the state of hint": memory.hint_state,
                "suggestions": lambda: (memory.suggestions(), memory.unlinked(), memory.conflicts()),
                "hints": memory.hints,
            }
            times = ", ".join(f"{what} {_milliseconds(memory, call):.1f} ms" for what, call in calls.items())
            print(f"  a draft: {draft:.2f} s of processor time; {times}")


if __name__ == "__main__":
    main()
