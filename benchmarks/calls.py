"""Calls of one server, over stdio: reads, edits, what becomes visible and when. What is claimed is looked for."""

import functools
import itertools
import os
import random
import time

from benchmarks.measures import milliseconds, write_durably
from benchmarks.place import HUB, Place, Samples
from benchmarks.process import Server

_READS, _WRITES, _LINKED = 200, 50, 10
_SHOWN = 50
_VISIBLE_S = 60  # how long an edit by hand may take to be seen


def measure(place: Place, runs: int) -> Samples:
    """All calls; the vault is not the same afterwards."""
    with place.serve() as server, place.bare() as bare:
        server.handshake()
        bare.handshake()
        server.call("get_hints", {})
        calls = _Calls(place, server, bare)
        return {**calls.reads(), **calls.writes(), **calls.hints(), **calls.by_hand(), **calls.renames(runs)}


class _Calls:
    def __init__(self, place: Place, server: Server, bare: Server) -> None:
        self._place = place
        self._server = server
        self._bare = bare
        self._random = random.Random(place.seed)
        self._floors = os.path.join(place.folder, "floor")
        os.mkdir(self._floors)
        self._targets = (self._new_note(number) for number in itertools.count(1))

    def reads(self) -> Samples:
        samples: Samples = {"bare server: a call": [], "content, depth 0": [], "content, depth 2": []}
        for name in self._place.some(self._random, _READS):
            samples["bare server: a call"].append(self._bare.call("echo", {}).milliseconds)
            for depth in (0, 2):
                took = self._server.call("get_content", {"name": name, "depth": depth}).milliseconds
                samples[f"content, depth {depth}"].append(took)
        return samples

    def writes(self) -> Samples:
        """Each edit adds the first link to a note; it must be known there when the next call is answered."""
        samples: Samples = {"durable write": [], "set": []}
        for name in self._place.some(self._random, _WRITES):
            target = next(self._targets)
            samples["durable write"].append(self._durable(1))
            samples["set"].append(self._link(name, target))
            if "linked from: " not in self._server.call("get_content", {"name": target}).text:
                raise SystemExit(f"{target!r} was linked from {name!r}, and does not know it.")
        return samples

    def hints(self) -> Samples:
        """Measure hints when nothing has changed, and after an edit of links, which must be in the count."""
        again = [self._server.call("get_hints", {}).milliseconds for _ in range(_READS)]
        took = []
        for _ in range(_LINKED):
            name, links = self._top()
            self._link(name, next(self._targets))
            took.append(self._server.call("get_hints", {}).milliseconds)
            if self._links().get(name) != links + 1:
                raise SystemExit(f"{name!r} got a link, and get_hints does not count it.")
        return {"hints": again, "hints after an edit": took}

    def by_hand(self) -> Samples:
        """The time from a save, as editors do it, to hints that count the link in it."""
        took = []
        for _ in range(_LINKED):
            name, links = self._top()
            save = functools.partial(_save, self._place.paths[name], f"\n\nSee [[{next(self._targets)}]].\n")
            began = time.perf_counter()
            save()
            while self._links().get(name) != links + 1:
                if time.perf_counter() - began > _VISIBLE_S:
                    raise SystemExit(f"{name!r} got a link by hand; get_hints does not count it after {_VISIBLE_S} s.")
            took.append((time.perf_counter() - began) * 1000)
        return {"hand edit": took}

    def renames(self, runs: int) -> Samples:
        """Renames of the hub and back."""
        referrers = self._place.referrers
        samples: Samples = {"durable writes in one batch": [], "rename": []}
        names = [HUB, HUB + " renamed"]
        for _ in range(2 * runs):
            samples["durable writes in one batch"].append(self._durable(len(referrers) + 1))
            call = {"name": names[0], "new_name": names[1]}
            samples["rename"].append(self._server.call("rename_content", call).milliseconds)
            if not all(f"[[{names[1]}]]" in _text(path) for path in referrers):
                raise SystemExit(f"{names[0]!r} was renamed, and not every link to it.")
            names.reverse()
        return samples

    def _durable(self, count: int) -> float:
        return milliseconds(write_durably, self._floors, [b"x" * 2000] * count)

    def _new_note(self, number: int) -> str:
        name = f"measured {number}"
        self._server.call("set_content", {"name": name, "content": "Nothing links here.\n"})
        return name

    def _link(self, name: str, target: str) -> float:
        arguments = {"name": name, "content": f"See [[{target}]].", "append": True}
        return self._server.call("set_content", arguments).milliseconds

    def _top(self) -> tuple[str, int]:
        """The heaviest of the notes that were made, and how many links it has."""
        return next((name, links) for name, links in self._links().items() if name in self._place.paths)

    def _links(self) -> dict[str, int]:
        """How many links the heaviest notes have: of more than the default, since a new link may cost rank."""
        hints = self._server.call("get_hints", {"count": _SHOWN}).data["hints"]
        return {hint["name"]: hint["links"] for hint in hints}


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _save(path: str, more: str) -> None:
    temp = os.path.join(os.path.dirname(path), ".by-hand.tmp")
    with open(temp, "w", encoding="utf-8") as file:
        file.write(_text(path) + more)
    os.replace(temp, path)
