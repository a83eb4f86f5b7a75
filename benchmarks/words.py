"""Measure whether a note is found by a word that it has in another form: mistyped, inflected, compound, without marks.

`words.tsv` has 30 queries of each kind, and for each a short note that it should find. They were written for this
measure only, and nothing was tuned on them. All notes are in one vault with the sample vault and 300 generated notes. A
query finds its note if that is among the first ten hits. The table says how many do with zkmem, and with FTS5 by words
and by trigrams, each with a 95 % interval (Wilson). `--missed` prints the queries that fail with zkmem.
"""

import argparse
import collections
import csv
import glob
import itertools
import math
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from benchmarks.engines import Engine, fts5, trigrams, zkmem
from benchmarks.generate import generate

_HERE = os.path.dirname(__file__)
_GENERATED = 300  # notes
ENGINES: Mapping[str, Engine] = {"zkmem": zkmem, "FTS5 unicode61": fts5, "FTS5 trigram": trigrams}


class Case(NamedTuple):
    """A query, and the note that it should find."""

    kind: str
    query: str
    name: str
    text: str


def cases() -> list[Case]:
    """Return the queries in `words.tsv`, in their order."""
    with open(os.path.join(_HERE, "words.tsv"), encoding="utf-8", newline="") as file:
        return [Case(*row) for row in itertools.islice(csv.reader(file, "excel-tab", quoting=csv.QUOTE_NONE), 1, None)]


def others() -> dict[str, str]:
    """Return the notes of the sample vault and the generated ones, by name."""
    with tempfile.TemporaryDirectory(prefix="zkmem-words-") as folder:
        generate(os.path.join(folder, "generated"), _GENERATED, seed=1, natural=True)
        return {**_notes(folder), **_notes(os.path.join(_HERE, "..", "sample_vault"))}


def _notes(folder: str) -> dict[str, str]:
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.md"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            found[os.path.relpath(path, folder).removesuffix(".md")] = file.read()
    return found


def missed(asked: Sequence[Case], engine: Engine) -> list[Case]:
    """Return the cases whose query does not find its note."""
    with engine(others() | {case.name: case.text for case in asked}) as find:
        return [case for case in asked if case.name not in find(case.query)]


def interval(found: int, count: int) -> tuple[float, float]:
    """Return the bounds of Wilson's 95 % interval for a share, as numbers of `count`."""
    z, share = 1.96, found / count
    middle = share + z * z / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = count / (1 + z * z / count)
    return max(0.0, scale * (middle - half)), scale * (middle + half)


def lines(asked: Sequence[Case], misses: Mapping[str, Sequence[Case]]) -> Iterator[str]:
    """Yield the table, in Markdown."""
    counts = collections.Counter(case.kind for case in asked)
    yield f"| found in the first ten | {' | '.join(misses)} |"
    yield "|---" * (len(misses) + 1) + "|"
    for kind, count in counts.items():
        cells = []
        for of in misses.values():
            found = count - sum(case.kind == kind for case in of)
            low, high = interval(found, count)
            cells.append(f"{found} [{low:.0f}, {high:.0f}]")
        yield f"| {kind}, {count} queries | {' | '.join(cells)} |"


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description="Measure whether notes are found by words in another form.")
    parser.add_argument("--missed", action="store_true", help="print the queries of zkmem that do not find their note")
    arguments = parser.parse_args()
    asked = cases()
    misses = {name: missed(asked, engine) for name, engine in ENGINES.items()}
    print(*lines(asked, misses), sep="\n")
    if arguments.missed:
        print("", *(f"{case.kind}: {case.query} ({case.name})" for case in misses["zkmem"]), sep="\n")


if __name__ == "__main__":
    main()
