"""Measure how well search finds the notes that answer questions.

FILE is one of two collections; neither is part of zkmem:

- `locomo10.json` of LoCoMo (Maharana and others, 2024; CC BY-NC 4.0). Every session of every conversation becomes a
  note: its date in the first line, then a line for each turn (speaker and text, and the caption of a photograph), in
  the folder of its conversation. Each question of the categories 1 to 4 is asked. The notes that answer it are the
  sessions of the turns that LoCoMo names as evidence ("D3:7" is a turn of session 3 of the same conversation).
- A folder with `documents.jsonl` (`id`, `title`, `text`) and `questions.jsonl` (`question`, `category`, `gold`: the ids
  of the documents that answer it). Every document becomes a note under its title.

All notes of a collection are in one vault, and each question is a search of the whole vault, with its words unchanged.
Questions without evidence, or whose evidence is missing, are left out and counted.

recall@k of a question is the share of its evidence among the first k notes; recall@k is the mean over the questions.
`any@k` is the share of questions with some evidence among the first k notes. MRR is the mean of 1 / rank of the first
note of the evidence, 0 where none is among the first 100. `--save` writes the scores of each question to a file;
`--against FILE` prints the differences from such a file, with 95 % intervals of a paired bootstrap.
"""

import argparse
import json
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from zkmem.memory import Memory
from zkmem.util.spelling import number_of

CATEGORIES = {1: "several sessions", 2: "time", 3: "open domain", 4: "one session"}
_DEPTH = 100  # hits
_DRAWS = 1_000
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D:?(\d+):\d+")


class Question(NamedTuple):
    """A question, and the notes that answer it."""

    text: str
    category: str
    evidence: frozenset[str]


class Collection(NamedTuple):
    """Notes by name, and questions about them."""

    notes: dict[str, str]
    questions: list[Question]


class Score(NamedTuple):
    """How well a question was answered."""

    recall_5: float
    recall_10: float
    any_5: float
    reciprocal: float
    milliseconds: float


def notes(sample: Mapping[str, Any]) -> dict[str, str]:
    """The note of each session of a conversation, by name."""
    conversation = sample["conversation"]
    found = {}
    for key, turns in conversation.items():
        if (match := _SESSION.fullmatch(key)) and turns:
            lines = [str(conversation.get(f"{key}_date_time", "")), *map(_line, turns)]
            found[_name(sample, match[1])] = "\n\n".join(lines) + "\n"
    return found


def _line(turn: Mapping[str, Any]) -> str:
    caption = f" [photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn.get('text', '')}{caption}"


def _name(sample: Mapping[str, Any], session: str) -> str:
    return f"{sample['sample_id']}/session {int(session)}"


def questions(sample: Mapping[str, Any]) -> list[Question]:
    """The questions about a conversation, of the categories that have an answer."""
    found = []
    for qa in sample["qa"]:
        if qa["category"] in CATEGORIES:
            turns = _TURN.findall(" ".join(qa.get("evidence") or []))
            category = f"{qa['category']} {CATEGORIES[qa['category']]}"
            found.append(Question(qa["question"], category, frozenset(_name(sample, turn) for turn in turns)))
    return found


def locomo(samples: Sequence[Mapping[str, Any]]) -> Collection:
    """Return the collection of some conversations."""
    texts = {name: text for sample in samples for name, text in notes(sample).items()}
    return Collection(texts, [question for sample in samples for question in questions(sample)])


def documents(folder: str) -> Collection:
    """Return the collection in a folder with `documents.jsonl` and `questions.jsonl`.

    Raises:
        ValueError: when two documents have one title.
    """
    titles: dict[str, str] = {}
    texts: dict[str, str] = {}
    for row in _rows(folder, "documents.jsonl"):
        if row["title"] in texts:
            raise ValueError(f"two documents have the title {row['title']!r}")
        titles[row["id"]] = row["title"]
        texts[row["title"]] = row["text"]
    asked = [
        Question(row["question"], row["category"], frozenset(titles.get(each, "") for each in row["gold"]))
        for row in _rows(folder, "questions.jsonl")
    ]
    return Collection(texts, asked)


def _rows(folder: str, name: str) -> list[dict[str, Any]]:
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def ask(memory: Memory, question: Question) -> Score:
    """Ask a question, as it stands."""
    began = time.perf_counter()
    hits = memory.search(question.text, limit=_DEPTH)
    took = (time.perf_counter() - began) * 1000
    ranks = [rank for rank, hit in enumerate(hits, 1) if hit.path.removesuffix(".md") in question.evidence]

    def within(bound: int) -> float:
        return sum(rank <= bound for rank in ranks) / len(question.evidence)

    return Score(within(5), within(10), float(within(5) > 0), 1 / ranks[0] if ranks else 0.0, took)


def measure(collection: Collection, folder: str) -> dict[str, Any]:
    """Write the notes into a folder, ask all questions, and sum up."""
    for name, text in collection.notes.items():
        path = os.path.join(folder, name + ".md")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x", encoding="utf-8", errors="replace") as file:
            file.write(text)
    fair = [each for each in collection.questions if each.evidence and collection.notes.keys() >= each.evidence]
    memory = Memory(folder)
    memory.search("nothing")  # builds the index
    scores = [(question.category, ask(memory, question)) for question in fair]
    memory.close()
    rows = {"all": [score for _, score in scores]}
    for name in sorted({category for category, _ in scores}):
        rows[name] = [score for category, score in scores if category == name]
    return {
        "notes": len(collection.notes),
        "left_out": len(collection.questions) - len(fair),
        "rows": [_row(name, of) for name, of in rows.items()],
        "scores": scores,
    }


def differences(now: Sequence[tuple[str, Score]], before: Sequence[tuple[str, Score]]) -> Iterator[str]:
    """Yield a line for each category: the differences of recall@5 and MRR in points, with 95 % intervals.

    The questions of both must be the same ones in the same order. The last line is for the mean over the categories.
    """
    rng = random.Random(1)
    draws: dict[str, list[list[float]]] = {}
    for name in sorted({category for category, _ in now}):
        pairs = [
            ((one.recall_5 - other.recall_5) * 100, (one.reciprocal - other.reciprocal) * 100)
            for (category, one), (_, other) in zip(now, before, strict=True)
            if category == name
        ]
        samples = [pairs, *([rng.choice(pairs) for _ in pairs] for _ in range(_DRAWS))]
        draws[name] = [[statistics.fmean(column) for column in zip(*sample, strict=True)] for sample in samples]
        yield f"{name:20} {_interval(draws[name])}"
    means = [
        [statistics.fmean(column) for column in zip(*each, strict=True)] for each in zip(*draws.values(), strict=True)
    ]
    yield f"{'mean':20} {_interval(means)}"


def _interval(draws: Sequence[Sequence[float]]) -> str:
    """Return the first of some draws of recall@5 and MRR, and the interval of the others."""
    texts = []
    for name, (value, *others) in zip(("recall@5", "MRR"), zip(*draws, strict=True), strict=True):
        cuts = statistics.quantiles(others, n=40)
        texts.append(f"{name} {value:+.1f} [{cuts[0]:+.1f}, {cuts[-1]:+.1f}]")
    return "  ".join(texts)


def _row(name: str, scores: Sequence[Score]) -> dict[str, Any]:
    means = [statistics.fmean(column) for column in zip(*scores, strict=True)]
    columns = ("recall@5", "recall@10", "any@5", "MRR", "milliseconds")
    return {"questions": name, "count": len(scores), **dict(zip(columns, means, strict=True))}


def _collection(path: str) -> Collection:
    if os.path.isdir(path):
        return documents(path)
    with open(path, encoding="utf-8") as file:
        return locomo(json.load(file))


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description="Measure the recall of search on a collection.")
    parser.add_argument(
        "file",
        metavar="FILE",
        help="locomo10.json, or a folder with documents.jsonl and questions.jsonl (see the head of this program)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--save", metavar="SCORES", help="write the score of each question to this file")
    parser.add_argument("--against", metavar="SCORES", help="print the differences from saved scores")
    arguments = parser.parse_args()
    try:
        collection = _collection(arguments.file)
    except (OSError, ValueError, KeyError) as error:
        raise SystemExit(
            f"{arguments.file!r} is no collection: {error!r}. The head of benchmarks/recall.py has the forms."
        ) from error
    with tempfile.TemporaryDirectory(prefix="zkmem-recall-") as folder:
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, ".cache")
        result = measure(collection, folder)
    scores = result.pop("scores")
    if arguments.save:
        with open(arguments.save, "w", encoding="utf-8") as file:
            json.dump(scores, file)
    if arguments.json:
        json.dump(result, sys.stdout, indent=2)
        return
    print(f"{number_of(result['notes'], 'note')}; left out: {number_of(result['left_out'], 'question')}\n")
    columns = [column for column in result["rows"][0] if column != "questions"]
    print(f"{'':20} " + " ".join(f"{column:>12}" for column in columns))
    for row in result["rows"]:
        values = [f"{row[column]:12d}" if column == "count" else f"{row[column]:12.3f}" for column in columns]
        print(f"{row['questions']:20} " + " ".join(values))
    if arguments.against:
        with open(arguments.against, encoding="utf-8") as file:
            before = [(category, Score(*score)) for category, score in json.load(file)]
        print("", *differences(scores, before), sep="\n")


if __name__ == "__main__":
    main()
