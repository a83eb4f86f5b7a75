"""Measure how often the answer to a new note names a duplicate of it: `python -m tests.tools.alike VAULT...`.

In a copy of each vault, a note is written again under another name in other words: a quarter of its sentences is left
out, the others are in another order, and of their words, 15 % are missing and 30 % are others. That is a duplicate, and
its original should be named. Then a note of the vault is deleted and created anew: others may have the same subject,
but none should be named. If one is, the program prints both, to be read.
"""

import random
import re
import sys
import tempfile

from tests.tools.vaults import read, write
from zkmem.memory import Memory
from zkmem.names import is_note, name_of
from zkmem.recall.warned import words_of

_TRIED = 150  # notes of each vault
_LEAST = 15  # different words of a note that is tried


def said_again(text: str, words: list[str], rng: random.Random) -> str:
    """Return a text in other words."""
    sentences = [one for one in re.split(r"(?<=[.!?])\s+|\n+", text) if one.strip()]
    kept = rng.sample(sentences, max(1, len(sentences) * 3 // 4))
    return "\n".join(
        " ".join(rng.choice(words) if rng.random() < 0.3 else word for word in one.split() if rng.random() < 0.85)
        for one in kept
    )


def measure(vault: str, rng: random.Random) -> None:
    """Print the figures of one vault."""
    notes = {path: data for path, data in read(vault).items() if is_note(path)}
    tried = [path for path, data in notes.items() if len(words_of(path, data)) >= _LEAST]
    tried = rng.sample(tried, min(_TRIED, len(tried)))
    every = [word for data in notes.values() for word in data.decode(errors="replace").split()]
    found = named = 0
    with tempfile.TemporaryDirectory() as root, Memory(write(root, notes), durable=False) as memory:
        for path in tried:
            text = re.sub(r"\A---\n.*?\n---\n", "", notes[path].decode(errors="replace"), flags=re.DOTALL)
            memory.search("x")
            remarks = memory.write("/said again", said_again(text, every, rng)).remarks
            found += any(one.startswith("like: ") and one.endswith(name_of(path).rpartition("/")[2]) for one in remarks)
            memory.undo()
            memory.delete(f"/{name_of(path)}")
            memory.search("x")
            likes = [one for one in memory.write(f"/{name_of(path)}", text or "x").remarks if one.startswith("like: ")]
            named += len(likes)
            if likes:
                print(f"  {name_of(path)}: {likes[0]}")
            memory.undo(2)
    print(
        f"{vault}: the original named for {found} of {len(tried)} duplicates; a note for {named} of {len(tried)} others"
    )


if __name__ == "__main__":
    for place in sys.argv[1:]:
        measure(place, random.Random(7))
