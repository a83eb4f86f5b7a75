"""Measure how well search finds the sessions that answer the questions of LoCoMo (Maharana and others, 2024).

FILE is its `locomo10.json`, which is not part of zkmem (CC BY-NC 4.0). Every session of every conversation becomes a
note: its date in the first line, then a line for each turn (speaker and text, and the caption of a photograph), in the
folder of its conversation; all of them lie in one vault. Each question of the categories 1 to 4 is asked as it stands,
of the whole vault. A question's evidence is the set of sessions that its evidence names ("D3:7" is a turn of session 3
of the same conversation); questions without evidence, or with evidence in a session that is not there, are left out
and counted.

recall@k of a question is the share of its evidence sessions among the first k notes; recall@k is the mean over the
questions. `any@k` is the share of questions with at least one of their sessions there. MRR is the mean of 1 / rank of
the first of them, 0 where none is among the first 100.
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from zkmem.memory import Memory

CATEGORIES = {1: "several sessions", 2: "time", 3: "open domain", 4: "one session"}
_DEPTH = 100
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D:?(\d+):\d+")


class Question(NamedTuple):
    """A question, and the notes that answer it."""

    text: str
    category: int
    evidence: frozenset[str]


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
            found.append(Question(qa["question"], qa["category"], frozenset(_name(sample, turn) for turn in turns)))
    return found


def ask(memory: Memory, question: Question) -> Score:
    """Ask a question, as it stands."""
    began = time.perf_counter()
    hits = memory.search(question.text, limit=_DEPTH)
    took = (time.perf_counter() - began) * 1000
    ranks = [rank for rank, hit in enumerate(hits, 1) if hit.path.removesuffix(".md") in question.evidence]

    def within(bound: int) -> float:
        return sum(rank <= bound for rank in ranks) / len(question.evidence)

    return Score(within(5), within(10), float(within(5) > 0), 1 / ranks[0] if ranks else 0.0, took)


def measure(samples: Iterable[Mapping[str, Any]], folder: str) -> dict[str, Any]:
    """Write the notes into a folder, ask all questions, and sum up."""
    samples = list(samples)
    vault = {name: text for sample in samples for name, text in notes(sample).items()}
    for name, text in vault.items():
        path = os.path.join(folder, name + ".md")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x", encoding="utf-8", errors="replace") as file:
            file.write(text)
    asked = [question for sample in samples for question in questions(sample)]
    fair = [question for question in asked if question.evidence and vault.keys() >= question.evidence]
    memory = Memory(folder)
    memory.search("nothing")  # builds the index
    scores = [(question.category, ask(memory, question)) for question in fair]
    memory.close()
    rows = {"all": [score for _, score in scores]}
    for number, name in CATEGORIES.items():
        rows[f"{number} {name}"] = [score for category, score in scores if category == number]
    return {
        "sessions": len(vault),
        "left_out": len(asked) - len(fair),
        "rows": [_row(name, of) for name, of in rows.items() if of],
    }


def _row(name: str, scores: Sequence[Score]) -> dict[str, Any]:
    means = [statistics.fmean(column) for column in zip(*scores, strict=True)]
    columns = ("recall@5", "recall@10", "any@5", "MRR", "milliseconds")
    return {"questions": name, "count": len(scores), **dict(zip(columns, means, strict=True))}


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description="Measure the recall of search on LoCoMo.")
    parser.add_argument("file", metavar="FILE", help="locomo10.json")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    with open(arguments.file, encoding="utf-8") as file:
        samples = json.load(file)
    with tempfile.TemporaryDirectory(prefix="zkmem-recall-") as folder:
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, ".cache")
        result = measure(samples, folder)
    if arguments.json:
        json.dump(result, sys.stdout, indent=2)
        return
    print(f"{result['sessions']} sessions; {result['left_out']} questions left out\n")
    columns = [column for column in result["rows"][0] if column != "questions"]
    print(f"{'':20} " + " ".join(f"{column:>12}" for column in columns))
    for row in result["rows"]:
        values = [f"{row[column]:12d}" if column == "count" else f"{row[column]:12.3f}" for column in columns]
        print(f"{row['questions']:20} " + " ".join(values))


if __name__ == "__main__":
    main()
