"""Measure full-text search on a generated vault: how long its index takes, how large it is, how fast it answers.

Questions are sentences of the notes, as they stand: mostly words that many notes have. Keywords are one to three words
of a sentence that are no stop words. The vault has natural text and, one note in ten, Chinese. The benchmark prints
times and compares them with no target.
"""

import argparse
import functools
import json
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.generate import generate
from zkmem.memory import Memory
from zkmem.util.words import terms

_QUERIES = 1_000
_EDITS = 200
_SENTENCE = re.compile(r"[A-Z][a-z ]{30,}\.|[\u4e00-\u9fff]{8,}")


def measure(vault: str, seed: int) -> dict[str, Any]:
    """Search in a vault; its notes are not the same afterwards."""
    with tempfile.TemporaryDirectory(prefix="zkmem-search-") as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        memory = Memory(vault)
        result: dict[str, Any] = {"load (s)": _seconds(memory.load)}
        result["index, no cache (s)"] = _seconds(lambda: memory.search("nothing"))
        result["cache (MB)"] = sum(os.path.getsize(path) for path in _files(cache)) / 1e6
        memory.close()
        memory = Memory(vault)
        memory.load()
        result["index, with cache (s)"] = _seconds(lambda: memory.search("nothing"))
        rng = random.Random(seed)
        paths = sorted(path for path in _files(vault) if path.endswith(".md"))
        result["notes"] = len(paths)
        asked = list(sentences(rng, paths))
        for kind, queries in {
            "a sentence": asked,
            "one to three words": [few(rng, sentence) for sentence in asked],
        }.items():
            result[f"query, {kind} (ms)"] = _latencies(memory, queries)
        result["query after an edit (ms)"] = _after_edits(memory, rng, paths, asked)
        memory.close()
    return result


def _files(folder: str) -> Iterator[str]:
    for below, _, names in os.walk(folder):
        yield from (os.path.join(below, name) for name in names)


def sentences(rng: random.Random, paths: list[str], count: int = _QUERIES) -> Iterator[str]:
    """A sentence of a note each."""
    found = 0
    while found < count:
        with open(rng.choice(paths), encoding="utf-8") as file:
            if some := _SENTENCE.findall(file.read()):
                yield rng.choice(some)
                found += 1


def few(rng: random.Random, sentence: str) -> str:
    """One to three words of a sentence."""
    words = terms(sentence)
    return " ".join(rng.sample(words, min(len(words), rng.randint(1, 3))))


def _latencies(memory: Memory, queries: list[str]) -> dict[str, float]:
    for query in queries[:50]:  # do not count
        memory.search(query)
    return _spread([_seconds(functools.partial(memory.search, query)) for query in queries])


def _after_edits(memory: Memory, rng: random.Random, paths: list[str], asked: list[str]) -> dict[str, float]:
    times = []
    for path in rng.sample(paths, min(_EDITS, len(paths))):
        query = few(rng, rng.choice(asked))
        name = "/" + os.path.relpath(path, memory.vault)
        memory.write(name, rng.choice(asked), append=True)
        times.append(_seconds(functools.partial(memory.search, query)))
    return _spread(times)


def _spread(times: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles([time * 1000 for time in times], n=100)
    return {"p50": cuts[49], "p90": cuts[89], "p99": cuts[98], "max": max(times) * 1000}


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description="Measure full-text search on a made vault.")
    parser.add_argument("--notes", type=int, default=10_000, help="how many notes (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the vault (default: %(default)s)")
    parser.add_argument("--vault", help="a vault that is there, in place of a made one; some notes will be changed")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="zkmem-search-") as folder:
        vault = arguments.vault or os.path.join(folder, "vault")
        if not arguments.vault:
            generate(vault, arguments.notes, arguments.seed, natural=True)
        result = measure(vault, arguments.seed)
    if arguments.json:
        json.dump(result, sys.stdout, indent=2)
        return
    for what, value in result.items():
        values = value if isinstance(value, dict) else {"": value}
        print(f"{what:30}" + "  ".join(f"{name} {number:.2f}".strip() for name, number in values.items()))


if __name__ == "__main__":
    main()
