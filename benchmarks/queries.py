"""Search, in a process of its own: what `Memory.search` takes, beside a plain query of SQLite's FTS5 for its words.

`python -m benchmarks.queries VAULT SEED` prints the samples as JSON.
"""

import json
import os
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator

from benchmarks.measures import files, milliseconds
from benchmarks.place import Samples
from benchmarks.search import few, sentences
from zkmem.memory import Memory
from zkmem.util.words import terms

_QUERIES, _WARM = 1_000, 50


def measure(vault: str, seed: int) -> Samples:
    """Search a vault for one to three words of a sentence."""
    rng = random.Random(seed)
    paths = sorted(entry.path for entry in files(vault) if entry.name.endswith(".md"))
    queries = [few(rng, sentence) for sentence in sentences(rng, paths, _QUERIES)]
    with tempfile.TemporaryDirectory(prefix="zkmem-bench-") as folder:
        plain = sqlite3.connect(os.path.join(folder, "fts5.sqlite3"))
        samples = {"FTS5: build": [milliseconds(lambda: _build(plain, paths))]}
        memory = Memory(vault)
        memory.load()
        samples["search: build"] = [milliseconds(lambda: memory.search("nothing"))]
        time.sleep(1)  # what it merges in the background is no part of a query
        for query in queries[:_WARM]:  # do not count
            _find(plain, query)
            memory.search(query)
        samples["FTS5: query"] = [milliseconds(_find, plain, query) for query in queries]
        samples["search: query"] = [milliseconds(memory.search, query) for query in queries]
        memory.close()
        plain.close()
    return samples


def _build(plain: sqlite3.Connection, paths: list[str]) -> None:
    plain.execute("CREATE VIRTUAL TABLE words USING fts5(text, content = '', tokenize = 'porter unicode61')")
    plain.execute("INSERT INTO words(words, rank) VALUES('hashsize', 67108864)")
    plain.executemany("INSERT INTO words(rowid, text) VALUES(?, ?)", enumerate(_texts(paths)))
    plain.commit()


def _texts(paths: list[str]) -> Iterator[str]:
    for path in paths:
        with open(path, encoding="utf-8") as file:
            yield file.read()


def _find(plain: sqlite3.Connection, query: str) -> list[tuple[int]]:
    words = " OR ".join(f'"{word}"' for word in terms(query))
    return plain.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10", (words,)).fetchall()


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
