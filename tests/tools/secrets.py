"""Count the notes that look as if they had a key: `python -m tests.tools.secrets FOLDER...` prints each line.

On notes without keys, these are the false warnings. A `.jsonl` file has a note in the field `text` of each line.
"""

import json
import os
import sys
import time
from collections.abc import Iterator

from zkmem.markdown.secret import secrets_in

_SUFFIXES = (".md", ".markdown", ".rst")


def texts(place: str) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the bytes of each note in a folder, or in a file of them."""
    if place.endswith(".jsonl"):
        with open(place, encoding="utf-8") as lines:
            yield from ((str(one["id"]), one["text"].encode()) for one in map(json.loads, lines))
        return
    for folder, _, files in os.walk(place):
        for name in files:
            if name.endswith(_SUFFIXES):
                with open(os.path.join(folder, name), "rb") as file:
                    yield os.path.join(folder, name), file.read()


def main(places: list[str]) -> None:
    """Print each place that looks like a secret, and how many notes have one."""
    notes = size = warned = 0
    spent = 0.0
    for path, data in (one for place in places for one in texts(place)):
        began = time.perf_counter()
        secrets = secrets_in(data)
        spent += time.perf_counter() - began
        notes, size, warned = notes + 1, size + len(data), warned + bool(secrets)
        for one in secrets:
            print(f"{path}:{one.line}: {one.what}: {data.splitlines()[one.line - 1].decode(errors='replace')[:100]}")
    print(f"{warned} of {notes} notes; {spent * 4096_000 / max(1, size):.2f} ms for 4 KB")


if __name__ == "__main__":
    main(sys.argv[1:])
