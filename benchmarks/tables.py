"""Measure queries over the properties of notes, in the language of Bases, on a generated vault.

Each note has a date, a status, a rating, two tags, a link in a property and one in its text. The benchmark prints times
and compares them with no target. The last line is the median over all queries, each counted once.
"""

import argparse
import functools
import json
import os
import pathlib
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from zkmem.memory import Memory

_RUNS = 21
_NOTE = """---
created: 2026-{month:02}-{day:02}
status: {status}
rating: {rating}
tags: [t{tag}, project/{project}]
owner: '[[note {owner}]]'
---
It follows from [[note {link}]] and more. {words}
- [ ] a task
"""
QUERIES: dict[str, tuple[str, dict[str, Any]]] = {
    "tag and status, sorted": ('file.hasTag("t3") && status == "open"', {"columns": ["rating"], "sort": ["-rating"]}),
    "nested tag and tag": ('file.hasTag("project") && file.hasTag("t7")', {"columns": ["rating", "status"]}),
    "folder and number": ('file.inFolder("a") && rating > 8', {"sort": ["created"]}),
    "property alone": ('status == "open"', {"columns": ["rating"], "sort": ["-created"]}),
    "number alone": ("rating > 9", {"columns": ["rating"]}),
    "link in the text": ('file.hasLink("note 7")', {}),
    "link in a property": ('owner == link("note 7")', {}),
    "date": ('created > "2026-12-20"', {"columns": ["created"]}),
    "missing property": ('file.hasProperty("nothing")', {}),
    "words and status": ('status == "open"', {"search": "note 77"}),
    "tag, grouped": ('file.hasTag("project/3")', {"group": "status"}),
    "all, latest first": ("", {"sort": ["-file.mtime"]}),
    "all, by size": ("file.size > 1000", {}),
}


def make(folder: str, notes: int, seed: int) -> None:
    """Write the notes of the vault."""
    rng = random.Random(seed)
    for number in range(notes):
        path = pathlib.Path(folder, rng.choice("abcdefghij"), f"note {number}.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = _NOTE.format(
            month=rng.randint(1, 12),
            day=rng.randint(1, 28),
            status=rng.choice(["open", "done", "waiting", "someday"]),
            rating=rng.randint(1, 10),
            tag=rng.randint(1, 50),
            project=rng.randint(1, 20),
            owner=rng.randrange(notes),
            link=rng.randrange(notes),
            words="word " * 100,
        )
        path.write_text(text, "utf-8")


def measure(vault: str) -> dict[str, Any]:
    """Return the median of each query in milliseconds, and how many notes it finds."""
    with tempfile.TemporaryDirectory(prefix="zkmem-tables-") as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        memory = Memory(vault)
        memory.load_search()
        rows = {}
        for name, (text, more) in QUERIES.items():
            ask = functools.partial(memory.query, text, limit=50, **more)
            table = ask()
            times = sorted(_milliseconds(ask) for _ in range(_RUNS))
            rows[name] = {"notes": table.total, "median (ms)": statistics.median(times), "max (ms)": times[-1]}
        memory.close()
    medians = [row["median (ms)"] for row in rows.values()]
    return {"rows": rows, "median of all queries (ms)": statistics.median(medians)}


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description="Measure queries over properties on a made vault.")
    parser.add_argument("--notes", type=int, default=10_000, help="how many notes (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the vault (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="zkmem-tables-") as folder:
        make(folder, arguments.notes, arguments.seed)
        result = measure(folder)
    if arguments.json:
        json.dump(result, sys.stdout, indent=2)
        return
    for name, row in result["rows"].items():
        print(f"{name:26} {row['notes']:6} notes  median {row['median (ms)']:7.1f} ms  max {row['max (ms)']:7.1f} ms")
    print(f"median of all queries: {result['median of all queries (ms)']:.1f} ms")


if __name__ == "__main__":
    main()
