"""Measure the warnings of outdated values: `python -m tests.tools.outdated VAULT...`.

In a copy of each vault, a sentence with a value (a number with its unit, a date, a name) is copied to another note:
with the value, two thirds of the other words and some words of that note, in another order. Half of the other notes are
within two links, half are any. Then the value is corrected where it was. Only the copied sentence is right: whatever
else is named counts as wrong, though a note of the vault may say the same. The program prints these, to be read.
"""

import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tests.tools.vaults import read, write
from zkmem.memory import Memory
from zkmem.names import is_note, name_of
from zkmem.recall.outdated import sentences_of, values_of
from zkmem.util.words import STOP_WORDS, tokens

_TRIED = 400  # corrections in each vault


class Case(NamedTuple):
    """A correction: the note, its sentence, the value in it and its kind."""

    note: str
    sentence: str
    kind: str
    value: str


def cases(notes: Mapping[str, str]) -> Iterator[Case]:
    """Yield the sentences that have a value and at least four other words; the note has the value once."""
    for name, text in notes.items():
        body = re.sub(r"\A---\n.*?\n---\n|```.*?```", "", text, flags=re.DOTALL)
        for sentence in (one.text for one in sentences_of(body)):
            others = [word for word in tokens(sentence) if word not in STOP_WORDS]
            for kind, values in values_of(sentence).items():
                once = (one for one in values if text.count(one) == 1 and len(others) - len(tokens(one)) >= 4)
                yield from (Case(name, sentence, kind, one) for one in once)


def corrected(value: str, kind: str, rng: random.Random) -> str:
    """Return another value of the same kind."""
    if kind == "name":
        return " ".join(rng.choice(["Anna", "Bruno", "Carla", "Hansen", "Olsen"]) for _ in value.split())
    digits = [at for at, char in enumerate(value) if char.isdigit()]
    at = digits[-1]
    return value[:at] + str((int(value[at]) + rng.randint(1, 8)) % 10) + value[at + 1 :]


def said_again(case: Case, other: str, rng: random.Random) -> str:
    """Return a sentence that says the same in other words."""
    words = [word for word in case.sentence.replace(case.value, " ").split() if tokens(word)]
    kept = rng.sample(words, min(len(words), max(2, len(words) * 2 // 3)))
    some = rng.sample(other.split(), min(4, len(other.split())))
    parts = [*kept, *some, case.value]
    rng.shuffle(parts)
    return "So " + " ".join(parts) + ".\n"


def planted(one: Mapping[str, str], other: str, texts: Mapping[str, str]) -> bool:
    """Return whether a sentence is the planted one."""
    return one["note"].lstrip("/") == other and one["passage"] not in texts[other]


def measure(vault: str, rng: random.Random) -> None:
    """Print the figures of one vault."""
    tried, found = Counter[str](), Counter[str]()
    others = silent = 0
    with tempfile.TemporaryDirectory() as root:
        notes = {path: data for path, data in read(vault).items() if is_note(path)}
        with Memory(write(root, notes), durable=False) as memory:
            texts = {name_of(path): data.decode(errors="replace") for path, data in notes.items()}
            known = list(cases(texts))
            for number, case in enumerate(rng.sample(known, min(_TRIED, len(known)))):
                at, every = f"/{case.note}", sorted(texts.keys() - {case.note})
                near = sorted({*memory.links(at), *memory.backlinks(at)}.intersection(every))
                other = rng.choice(near if number % 2 and near else every)
                new = texts[case.note].replace(case.value, corrected(case.value, case.kind, rng))
                memory.append(f"/{other}", f"\n{said_again(case, texts[other], rng)}")
                memory.search("x")
                told = memory.write(at, new).outdated
                tried[case.kind] += 1
                found[case.kind] += any(planted(one, other, texts) for one in told)
                for one in told:
                    if not planted(one, other, texts):
                        others += 1
                        print(f"  {case.note}: {case.sentence[:90]!r}")
                        print(f"    {one['old']} in {one['note']}: {one['passage'][:120]!r}")
                memory.undo(2)
                silent += not memory.write(at, new).outdated
                memory.undo()
    kinds = ", ".join(f"{kind} {found[kind]} of {tried[kind]}" for kind in tried)
    print(f"{vault}: found {found.total()} of {tried.total()} ({kinds}), and {others} others")
    print(f"  without a copied sentence: no warning {silent} of {tried.total()} times")


if __name__ == "__main__":
    for place in sys.argv[1:]:
        measure(place, random.Random(7))
