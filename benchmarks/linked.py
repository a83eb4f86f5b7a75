"""Measure how often the answer of a search leads to a note that another note links to.

The questions are made from the links of vaults: the sentence around a link, without the link. The note that the link
leads to is the answer; the note that has the sentence is taken out of the hits and of the names. Each line is a kind of
answer: so many hits, with passages or without, and so many names of notes that the hits link to. It has the share of
questions to which the answer is a hit, a link in a passage or one of the names, and the mean length of an answer as
`memory_search` writes it. Then comes the difference from the last line above without an interval, in points, with the
95 % interval of a paired bootstrap.

With `--plain FOLDER`, plain questions are asked, too, which shows what fewer hits lose. The folder is as
`benchmarks.recall` reads it; a question counts as answered if a note that answers it is among the hits.
"""

import argparse
import os
import random
import statistics
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.question_sets import documents
from tests.tools.vaults import write
from zkmem.memory import Memory

if TYPE_CHECKING:
    from zkmem.search.search import Hits

_LEAST_WORDS = 4  # of a question
_ALL = 10_000  # names
_DRAWS = 1_000


class Kind(NamedTuple):
    """A kind of answer."""

    hits: int
    names: int
    passages: bool
    is_base: bool = False  # whether the kinds after it are compared with it

    def __str__(self) -> str:
        passages = "" if self.passages else ", no passages"
        return f"{self.hits} hits{passages}" + (f", {self.names} names" if self.names else "")


KINDS = (
    Kind(10, 0, False, True),
    *(Kind(10, names, False) for names in (5, 8, 10)),
    Kind(10, 0, True, True),
    *(Kind(10, names, True) for names in (5, 8, 10)),
    Kind(8, 0, True),
    Kind(8, 8, True),
)


class Question(NamedTuple):
    """A question, the names of the notes that answer it, and the note that it is from, if any."""

    text: str
    answers: frozenset[str]
    source: str = ""


class Outcome(NamedTuple):
    """Whether an answer leads to the right note, and its length."""

    answered: bool
    characters: int


def questions(memory: Memory) -> Iterator[Question]:
    """Yield a question for each note and each note that links to it."""
    for name in memory.names():
        for passage in memory.mentions(name).backlinks:
            text = f"{passage.before} {passage.after}"
            if len(text.split()) >= _LEAST_WORDS:
                yield Question(text, frozenset([name]), passage.name)


def ask(memory: Memory, asked: Iterable[Question]) -> list[list[Outcome]]:
    """Return the outcomes of some questions, for each kind of answer."""
    most = max(kind.hits for kind in KINDS) + 1
    found = [(one, memory.search(one.text, most, filters=False, linked=0)) for one in asked]
    return [[_outcome(memory, question, hits, kind) for question, hits in found] for kind in KINDS]


def _outcome(memory: Memory, question: Question, found: "Hits", kind: Kind) -> Outcome:
    hits = [hit for hit in found if hit.name != question.source][: kind.hits]
    shown = [(hit.path, hit.snippet if kind.passages else "") for hit in hits]
    linked = [name for name in memory.linked(shown, _ALL) if name != question.source]
    reached = {hit.name for hit in hits} | set(linked[: kind.names])
    if kind.passages and question.source:
        reached |= set(memory.linked([(path, "") for path, _ in shown], _ALL)) - {*linked}
    lines = [f"{hit.name} (note, {hit.date})" + f"\n  {hit.snippet}" * kind.passages for hit in hits]
    lines += [f"linked from these: {', '.join(linked[: kind.names])}"] if kind.names and linked else []
    return Outcome(bool(reached & question.answers), len("\n".join(lines)))


def interval(differences: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of a mean."""
    rng = random.Random(1)
    draws = [statistics.fmean(rng.choices(differences, k=len(differences))) for _ in range(_DRAWS)]
    cuts = statistics.quantiles(draws, n=40)
    return cuts[0], cuts[-1]


def report(title: str, outcomes: Sequence[Sequence[Outcome]]) -> Iterator[str]:
    """Yield the lines of a table. `outcomes`: of each kind, those of all questions in one order."""
    yield f"\n{title}: {len(outcomes[0])} questions"
    base = outcomes[0]
    for kind, of in zip(KINDS, outcomes, strict=True):
        line = f"{kind!s:30} {statistics.fmean(one.answered for one in of):7.1%}"
        line += f" {statistics.fmean(one.characters for one in of):8.0f} characters"
        if kind.is_base:
            base = of
        else:
            gains = [100.0 * (one.answered - other.answered) for one, other in zip(of, base, strict=True)]
            low, high = interval(gains)
            line += f"  {statistics.fmean(gains):+5.1f} [{low:+.1f}, {high:+.1f}]"
        yield line


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description="Measure what the names of linked notes add to a search.")
    parser.add_argument("vaults", metavar="VAULT", nargs="*", help="a folder of notes that link to each other")
    parser.add_argument(
        "--plain", metavar="FOLDER", help="documents.jsonl and questions.jsonl, as for benchmarks.recall"
    )
    arguments = parser.parse_args()
    for path in [*arguments.vaults, *filter(None, [arguments.plain])]:
        if not os.path.isdir(path):
            parser.error(f"{path} is no folder.")
    with tempfile.TemporaryDirectory(prefix="zkmem-linked-") as folder:
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, ".cache")
        together: list[list[Outcome]] = [[] for _ in KINDS]
        for vault in arguments.vaults:
            with Memory(vault) as memory:
                outcomes = ask(memory, questions(memory))
            print(*report(vault, outcomes), sep="\n")
            together = [[*before, *more] for before, more in zip(together, outcomes, strict=True)]
        if len(arguments.vaults) > 1:
            print(*report("all vaults", together), sep="\n")
        if arguments.plain:
            collection = documents(arguments.plain)
            plain = [Question(one.text, one.evidence) for one in collection.questions]
            notes = write(
                os.path.join(folder, "plain"), {f"{name}.md": text for name, text in collection.notes.items()}
            )
            with Memory(notes) as memory:
                print(*report(arguments.plain, ask(memory, plain)), sep="\n")


if __name__ == "__main__":
    main()
