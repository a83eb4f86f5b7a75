"""Measure how well search finds the notes that answer questions, beside FTS5, `bm25s` and grep in the same run.

FILE is a published set of questions; the head of `benchmarks/question_sets.py` says which, and how notes are made of
them. `benchmarks/engines.py` has the engines. Each question is a search with its words unchanged and with ten hits, as
many as search gives by default. Questions without an answer, or with evidence that is not among the notes, are left out
and counted.

recall@k of a question is the share of its evidence among the first k notes; any@5 is 1 if some of it is among the first
five. MRR is the mean of 1 / rank of the first note of the evidence, 0 where none is among the ten. "mean" is the mean
of the categories. Brackets have 95 % intervals of a bootstrap, which draws 1,000 times, in each category, as many
questions as it has. The last columns are differences from zkmem in points, with the same questions drawn for both.

`--save` writes the scores of zkmem to a file; `--against` adds them to the table of a later run, as "saved".
"""

import argparse
import itertools
import json
import operator
import random
import statistics
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from benchmarks.engines import Engine, Find, engines, zkmem
from benchmarks.question_sets import Question, Vault, read
from zkmem.util.spelling import number_of

_DRAWS = 1_000
_COLUMNS = ("recall@1", "recall@5", "recall@10", "any@5", "MRR")
_SURE = ("recall@5", "MRR")  # columns that are printed with intervals


class Score(NamedTuple):
    """How well a question was answered: the columns, and the time."""

    recall_1: float
    recall_5: float
    recall_10: float
    any_5: float
    reciprocal: float
    milliseconds: float


class Row(NamedTuple):
    """The figures of an engine for some of the questions, each with its interval, and the differences from zkmem."""

    group: str
    questions: int
    engine: str
    means: dict[str, tuple[float, float, float]]
    differences: dict[str, tuple[float, float, float]]


def ask(find: Find, question: Question) -> Score:
    """Ask a question, as it stands."""
    began = time.perf_counter()
    names = find(question.text)
    took = (time.perf_counter() - began) * 1000
    ranks = [rank for rank, name in enumerate(names, 1) if name in question.evidence]

    def within(bound: int) -> float:
        return sum(rank <= bound for rank in ranks) / len(question.evidence)

    return Score(within(1), within(5), within(10), float(within(5) > 0), 1 / ranks[0] if ranks else 0.0, took)


def fair(vault: Vault) -> list[Question]:
    """Return the questions whose answer is in the notes."""
    return [each for each in vault.questions if each.evidence and vault.notes.keys() >= each.evidence]


def measure(vaults: Sequence[Vault], found: Mapping[str, Engine]) -> dict[str, list[Score]]:
    """Return the scores of each engine for the fair questions, in their order."""
    scores: dict[str, list[Score]] = {name: [] for name in found}
    for vault in vaults:
        questions = fair(vault)
        for name, engine in found.items() if questions else ():
            with engine(vault.notes) as find:
                scores[name] += [ask(find, question) for question in questions]
    return scores


def table(categories: Sequence[str], scores: Mapping[str, Sequence[Score]]) -> Iterator[Row]:
    """Yield the figures of each engine: for all questions, for the mean of the categories, and for each category."""
    rng = random.Random(1)
    names = sorted(set(categories))
    counts = [categories.count(name) for name in names]
    draws = []
    for name in names:
        places = [place for place, category in enumerate(categories) if category == name]
        draws.append(
            _draws([[each[at][column] for at in places] for each in scores.values() for column in range(5)], rng)
        )
    yield from _rows("all", len(categories), scores, _mixed(draws, [count / len(categories) for count in counts]))
    if len(names) > 1:
        yield from _rows("mean", len(categories), scores, _mixed(draws, [1 / len(names)] * len(names)))
        for name, count, drawn in zip(names, counts, draws, strict=True):
            yield from _rows(name, count, scores, drawn)


def _draws(columns: Sequence[Sequence[float]], rng: random.Random) -> list[list[float]]:
    """Return the mean of each column, and then, for each draw of as many places, the means of what is there."""
    size = len(columns[0])
    samples = [range(size), *(rng.choices(range(size), k=size) for _ in range(_DRAWS))]
    return [[sum(map(column.__getitem__, sample)) / size for column in columns] for sample in samples]


def _mixed(draws: Sequence[Sequence[Sequence[float]]], weights: Sequence[float]) -> list[list[float]]:
    """Return the draws of some categories as draws of all of them."""
    return [
        [sum(map(operator.mul, weights, values)) for values in zip(*each, strict=True)]
        for each in zip(*draws, strict=True)
    ]


def _rows(group: str, count: int, names: Iterable[str], draws: Sequence[Sequence[float]]) -> Iterator[Row]:
    series = [list(each) for each in zip(*draws, strict=True)]
    for at, name in enumerate(names):
        own = series[5 * at : 5 * at + 5]
        less = [[100 * (a - b) for a, b in zip(*pair, strict=True)] for pair in zip(own, series[:5], strict=True)]
        means, differences = (dict(zip(_COLUMNS, map(_interval, each), strict=True)) for each in (own, less))
        yield Row(group, count, name, means, differences)


def _interval(series: Sequence[float]) -> tuple[float, float, float]:
    """Return the first of some values, and the bounds of 95 % of the others."""
    cuts = statistics.quantiles(series[1:], n=40)
    return series[0], cuts[0], cuts[-1]


def lines(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of the table."""
    heads = [*_COLUMNS, *(f"{column} - zkmem" for column in _SURE)]
    widths = [22 if head in _SURE else 19 if "-" in head else 9 for head in heads]
    for (group, count), of in itertools.groupby(rows, key=lambda row: (row.group, row.questions)):
        yield f"\n{group}, {number_of(count, 'question')}"
        yield "          " + "  ".join(map(str.ljust, heads, widths)).rstrip()
        for row in of:
            texts = [_text(".3f", row.means[each][: 3 if each in _SURE else 1]) for each in _COLUMNS]
            texts += [] if row.engine == "zkmem" else [_text("+.1f", row.differences[each]) for each in _SURE]
            yield f"{row.engine:8}  " + "  ".join(map(str.ljust, texts, widths)).rstrip()


def _text(form: str, values: Sequence[float]) -> str:
    value, *bounds = (format(each, form) for each in values)
    return f"{value} [{', '.join(bounds)}]" if bounds else value


def _saved(path: str, categories: Sequence[str]) -> list[Score]:
    with open(path, encoding="utf-8") as file:
        saved = json.load(file)
    if saved["categories"] != categories:
        raise SystemExit(f"{path!r} has the scores of other questions.")
    return [Score(*score) for score in saved["scores"]]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure how well search finds the notes that answer questions.")
    parser.add_argument("file", metavar="FILE", help="a file or folder of LoCoMo, LongMemEval, BEAM or FriendsQA, or a "
                        "folder with documents.jsonl and questions.jsonl")  # fmt: skip
    parser.add_argument("--only", action="store_true", help="measure zkmem alone")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--save", metavar="SCORES", help="write the scores of zkmem to this file")
    parser.add_argument("--against", metavar="SCORES", help="add scores that were saved to the table")
    return parser.parse_args()


def main() -> None:
    """Measure as the command line says."""
    arguments = _arguments()
    try:
        vaults = read(arguments.file)
    except (OSError, ValueError) as error:
        where = "The head of benchmarks/question_sets.py says what can be read."
        raise SystemExit(f"{arguments.file!r} is no set of questions: {error}. {where}") from error
    categories = [question.category for vault in vaults for question in fair(vault)]
    if not categories:
        raise SystemExit(f"{arguments.file!r} has no question whose answer is among its notes.")
    saved = {"saved": _saved(arguments.against, categories)} if arguments.against else {}
    scores = measure(vaults, {"zkmem": zkmem} if arguments.only else engines())
    if arguments.save:
        with open(arguments.save, "w", encoding="utf-8") as file:
            json.dump({"categories": categories, "scores": scores["zkmem"]}, file)
    times = {name: statistics.median(score.milliseconds for score in of) for name, of in scores.items()}
    scores |= saved
    rows = list(table(categories, scores))
    questions = [question for vault in vaults for question in vault.questions]
    unanswered = sum(not question.evidence for question in questions)
    counts = {
        "vaults": len(vaults),
        "notes": sum(len(vault.notes) for vault in vaults),
        "left out, without an answer": unanswered,
        "left out, evidence not among the notes": len(questions) - unanswered - len(categories),
    }
    if arguments.json:
        json.dump({**counts, "milliseconds": times, "rows": [row._asdict() for row in rows]}, sys.stdout, indent=2)
        return
    print("; ".join(f"{name}: {count:,}" for name, count in counts.items()))
    print(*lines(rows), sep="\n")
    print("\nms a query: " + ", ".join(f"{name} {time:.1f}" for name, time in times.items()))


if __name__ == "__main__":
    main()
