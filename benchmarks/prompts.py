"""Measure which notes are put before a model with a prompt: `python -m benchmarks.prompts FOLDER [VAULT...]`.

FOLDER has `documents.jsonl` and `questions.jsonl`; see `benchmarks.question_sets`. One half of the documents, chosen at
random, is one vault and the other half another. Each question is a prompt to both. Where the vault has a note that
answers it, some note should be given and one of them should answer (`right`); `wrong` is the share of the prompts that
got only other notes. Where the answer is in no note of the vault, a note is noise, although many of these prompts are
about the subject of some note.

Each VAULT is a folder of notes. It gets the everyday prompts below, which none of them answers; the notes that are
given are printed.
"""

import argparse
import collections
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping

from benchmarks.question_sets import Vault, documents
from zkmem.hooks.vault import local
from zkmem.memory import Memory
from zkmem.recall.prompted import Fitting, fitting

EVERYDAY = """\
Fix the failing test in tests/test_parser.py and run the whole suite again.
Why does this function return None when the list is empty?
Add a dark mode to the settings page. Keep the colours in one file.
Please rename the variable total to amount everywhere in this module.
Write a commit message for the staged changes.
The build is broken on Windows: the path separator is wrong. Can you look into it?
Summarise this article in three bullet points.
Translate the following sentence into French and German.
What is the capital of Australia, and how many people live there?
Make the button a bit larger and move it to the right.
Refactor the class so that the constructor takes a configuration object instead of nine arguments.
Explain how a B-tree differs from a hash index, with an example for range queries.
Update the dependencies and check that the licences are still compatible.
I get "connection refused" when I start the container; the port is published. What else can it be?
Write a unit test for the edge case in which both dates are equal.
Plan a vegetarian dinner for six people with a budget of forty euros.
Suggest a polite answer to this email. I cannot come on Thursday, but Friday morning is fine.
Convert this CSV file to JSON, with one object for each row.
What does the error "cannot borrow as mutable because it is also borrowed as immutable" mean?
Review my pull request and tell me what you would change first.
Go on.
Yes, do it.
Thanks, that works now. Can you clean up the debug output?
Draw a diagram of the request flow from the browser to the database.
How long should I boil eggs at an altitude of two thousand metres?
Write a regular expression for email addresses and explain why it is never complete.
Open the log, find the first exception after midnight, and tell me which request caused it.
Is it safe to delete the node_modules folder while the server is running?
Give me ten names for a small bakery near a railway station.
Change the timeout from 30 to 60 seconds, and document it in the README.
"""


class Tally(collections.Counter[str]):
    """How many prompts had what outcome."""

    def row(self, name: str) -> str:
        """Return the line of a table."""
        answered, unanswered = self["answered"], self["unanswered"]
        return (
            f"{name:20} {answered:9,} {self['right'] / max(1, answered):7.1%} {self['wrong'] / max(1, answered):7.1%} "
            f"{unanswered:11,} {self['noise'] / max(1, unanswered):7.1%}"
        )


def halves(collection: Vault) -> Iterator[set[str]]:
    """Yield the names of one half of the notes, then of the other."""
    names = sorted(collection.notes)
    random.Random(7).shuffle(names)
    yield set(names[::2])
    yield set(names[1::2])


def measure(collection: Vault) -> tuple[Mapping[str, Tally], list[float]]:
    """Return the tally of each category, and the milliseconds of each prompt."""
    tallies: dict[str, Tally] = collections.defaultdict(Tally)
    took: list[float] = []
    for half in halves(collection):
        with tempfile.TemporaryDirectory() as folder:
            for name in half:
                with open(os.path.join(folder, f"{name}.md"), "x", encoding="utf-8", errors="replace") as file:
                    file.write(collection.notes[name])
            memory = Memory(folder)
            memory.load_search()
            for question in collection.questions:
                began = time.perf_counter()
                given = {each.path.removesuffix(".md") for each in _fitting(folder, question.text)}
                took.append((time.perf_counter() - began) * 1000)
                for tally in (tallies[question.category], tallies["all"]):
                    tally["answered" if question.evidence & half else "unanswered"] += 1
                    if given:
                        tally[
                            "noise"
                            if not question.evidence & half
                            else "right"
                            if given & question.evidence
                            else "wrong"
                        ] += 1
            memory.close()
    return tallies, took


def _fitting(vault: str, prompt: str) -> list[Fitting]:
    """Return the notes that fit a prompt, as a hook without a server finds them."""
    notes = local(os.path.realpath(vault))
    return notes.glance(lambda connection: fitting(connection, notes.read_file, prompt)) or []


def everyday(vault: str) -> list[str]:
    """Return a line for each note that a vault gives for an everyday prompt."""
    memory = Memory(vault)
    memory.load_search()
    lines = [
        f"{prompt}\n  [[{each.path}]]: {each.passage}"
        for prompt in EVERYDAY.splitlines()
        for each in _fitting(vault, prompt)
    ]
    memory.close()
    return lines


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("vaults", metavar="VAULT", nargs="*")
    options = parser.parse_args()
    tallies, took = measure(documents(options.folder))
    print(f"{'prompts':20} {'answered':>9} {'right':>7} {'wrong':>7} {'no answer':>11} {'noise':>7}")
    for name in sorted(tallies, key=lambda each: (each != "all", each)):
        print(tallies[name].row(name))
    print(f"median {statistics.median(took):.1f} ms, 99 % within {statistics.quantiles(took, n=100)[-1]:.1f} ms")
    for vault in options.vaults:
        lines = everyday(vault)
        print(f"{vault}: {len(lines)} notes for {len(EVERYDAY.splitlines())} everyday prompts", *lines, sep="\n")


if __name__ == "__main__":
    main()
