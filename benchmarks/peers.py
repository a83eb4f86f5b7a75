"""Measure other servers beside zkmem: the same rows, in one run, each on a copy of the same vault."""

import argparse
import json
import os
import random
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from benchmarks import others, results
from benchmarks.memories import Graph
from benchmarks.peer_rows import CALLS, COLUMNS, PLANTED, WORD, Cells, Trial, floor, kept, measure, title
from benchmarks.place import Place
from benchmarks.process import end_on_sigterm
from benchmarks.search import sentences
from benchmarks.subjects import SEARCHING, ZKMEM, Subject
from zkmem.util.words import terms

_LINK = re.compile(r"\[\[([^\]|#]+)")
_ABOUT_TIMES = """\
Times count from the start of the server. Its first answer is a search that finds three planted notes, asked until it
does; for zkmem's default toolset, which has no search, it is `get_hints`, which takes every link of the vault. Cold:
without anything kept; warm: with what the server before it kept. Reads, writes (a small append) and searches (for one
word) are calls of that server. Tokens: name, description and schema as JSON without blanks, in the vocabulary
`o200k_base`. server-memory has a note as an entity with its text as one observation. The floor is a bare server with
the SDK that zkmem has; before its first answer it reads every byte (cold), or looks at each file (warm); a write is a
call and one durable write."""
_ABOUT_KEPT = f"""\
Kept: of {CALLS} appends to one note by each process, all sent at once, how many of the acknowledged were in the file
when the servers had ended (`lost_updates.py`)."""


def _fill(subject: Subject, vault: str, memory: str) -> None:
    """Give a server the vault, in its own form."""
    if subject.memory is not Graph:
        shutil.copytree(vault, memory)
        return
    os.mkdir(memory)
    texts = dict(_texts(vault))
    by_base = {name.rpartition("/")[2]: name for name in texts}
    with open(os.path.join(memory, Graph.shared), "w", encoding="utf-8") as file:
        for name, text in texts.items():
            entity = {"type": "entity", "name": name, "entityType": "note", "observations": [text]}
            file.write(json.dumps(entity, ensure_ascii=False) + "\n")
        for name, text in texts.items():
            for target in dict.fromkeys(_LINK.findall(text)):
                if to := by_base.get(target.rpartition("/")[2]):
                    relation = {"type": "relation", "from": name, "to": to, "relationType": "links to"}
                    file.write(json.dumps(relation, ensure_ascii=False) + "\n")


def _texts(vault: str) -> Iterator[tuple[str, str]]:
    for folder, _, names in os.walk(vault):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                yield os.path.relpath(path, vault).removesuffix(".md"), file.read()


def _trial(place: Place, runs: int, limit: float) -> Trial:
    """What all servers are asked, the same of each: notes with ASCII names and no frontmatter before their heading."""
    rng = random.Random(place.seed)
    plain = [name for name, path in place.paths.items() if name.isascii() and _begins(path, title(name))]
    names = rng.sample(plain, min(CALLS, len(plain)))
    asked = sentences(rng, list(place.paths.values()), 2 * CALLS)
    words = [rng.choice(terms(sentence)) for sentence in asked if sentence.isascii()][:CALLS]
    return Trial(runs, limit, words, names)


def _begins(path: str, text: str) -> bool:
    with open(path, encoding="utf-8") as file:
        return file.read(len(text)) == text


def _plant(place: Place) -> None:
    for name in PLANTED:
        with open(os.path.join(place.vault, name + ".md"), "x", encoding="utf-8") as file:
            file.write(f"# {name}\n\nHere grows the {WORD}.\n")


def _subjects(arguments: argparse.Namespace) -> Iterator[tuple[Subject, int]]:
    """The servers, and how many notes each gets."""
    for subject in (ZKMEM, SEARCHING):
        yield subject, arguments.notes
    for peer in others.PEERS:
        if arguments.peer and peer.name not in arguments.peer:
            continue
        if found := peer.installed(os.path.abspath(arguments.peers_dir)):
            yield found, min(arguments.notes, peer.most_notes or arguments.notes)


def _servers(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measure one after the other, after the floors of its size."""
    places: dict[int, Place] = {}
    with tempfile.TemporaryDirectory(prefix="zkmem-bench-") as folder:
        for subject, notes in _subjects(arguments):
            if notes not in places:
                os.mkdir(own := os.path.join(folder, str(notes)))
                places[notes] = Place.make(own, notes, arguments.seed)
                _plant(places[notes])
                yield _server("floor", notes, floor(places[notes], arguments.runs))
            place = places[notes]
            memory = os.path.join(place.folder, "peer")
            _fill(subject, place.vault, memory)
            cells = measure(subject, memory, _trial(place, arguments.runs, arguments.limit))
            if not arguments.no_kept and subject is not SEARCHING:
                cells |= kept(subject)
            yield _server(subject.name, notes, cells)


def _server(name: str, notes: int, cells: Cells) -> dict[str, Any]:
    return {"name": name, "notes": notes, "cells": cells, "date": results.today()}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers", description="Measure other servers beside zkmem."
    )
    names = [peer.name for peer in others.PEERS]
    parser.add_argument(
        "--notes", type=int, default=1_000, help="how many; basic-memory gets 1000 at most (default: %(default)s)"
    )
    parser.add_argument("--peer", action="append", choices=names, help="only this one; may be given again")
    parser.add_argument("--runs", type=int, default=3, help="how many starts (default: %(default)s)")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a first answer (default: %(default)s)")
    parser.add_argument("--no-kept", action="store_true", help="do not count what is kept of writes")
    parser.add_argument("--seed", type=int, default=1, help="of the vault (default: %(default)s)")
    parser.add_argument("--peers-dir", default=others.FOLDER, help="where they are installed")
    parser.add_argument("--save", action="store_true", help="keep the results beside this file")
    arguments = parser.parse_args()
    if min(arguments.notes, arguments.runs) < 1:
        parser.error("--notes and --runs must be 1 or more.")
    return arguments


def main() -> None:
    """Measure as the command line says."""
    arguments = _arguments()
    end_on_sigterm()
    servers = []
    for one in _servers(arguments):
        servers.append(one)
        print(f"{one['name']}, {one['notes']:,} notes: {one['cells']}", file=sys.stderr, flush=True)
    result = {
        **results.machine(tempfile.gettempdir()),
        "date": results.today(),
        "vault": f"copies of one vault, seed {arguments.seed}",
        "command": shlex.join(["python", "-m", "benchmarks.peers", *sys.argv[1:]]),
        "columns": COLUMNS,
        "servers": servers,
        "remarks": (_ABOUT_TIMES, _ABOUT_KEPT),
    }
    if arguments.save:
        results.keep_peers(result)
    print("\n".join(results.peers_table(result)))


if __name__ == "__main__":
    main()
