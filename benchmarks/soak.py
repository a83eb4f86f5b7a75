"""A long use of one server: many calls of every tool, edits by hand beside them, and what memory it holds meanwhile.

The vault is kept as large as it was, so that what grows is not what is stored.
"""

import argparse
import os
import random
import statistics
import tempfile

from benchmarks.place import Place
from benchmarks.process import Refused, Server, end_on_sigterm

_PARTS = 20


class User:
    """One who reads much and writes now and then."""

    def __init__(self, place: Place, server: Server, seed: int) -> None:
        self._place = place
        self._server = server
        self._random = random.Random(seed)
        self._names = list(place.paths)
        self._made = 0
        self.refused = 0
        turns = {
            self._read: 60, self._expand: 10, self._hints: 10, self._suggestions: 2, self._write: 10, self._rename: 2,
            self._make_and_delete: 3, self._extract: 1, self._by_hand: 2,
        }  # fmt: skip
        self._turns, self._weights = list(turns), list(turns.values())

    def use(self) -> None:
        """Make some call."""
        try:
            self._random.choices(self._turns, self._weights)[0]()
        except Refused:  # a name that is taken, a passage that is not there: part of life
            self.refused += 1

    def _name(self) -> str:
        return self._random.choice(self._names)

    def _read(self) -> None:
        self._server.call("get_content", {"name": self._name()})

    def _expand(self) -> None:
        self._server.call("get_content", {"name": self._name(), "depth": self._random.randrange(1, 4)})

    def _hints(self) -> None:
        self._server.call("get_hints", {"count": self._random.randrange(1, 30)})

    def _suggestions(self) -> None:
        self._server.call("get_suggestions", {})

    def _write(self) -> None:
        link = f"See [[{self._name()}]]."
        content = f"# A note\n\n{link} Edit {self._random.randrange(10**6)}.\n\nThe last words.\n"
        self._server.call("set_content", {"name": self._name(), "content": content})

    def _rename(self) -> None:
        old, self._made = self._random.randrange(len(self._names)), self._made + 1
        new = f"renamed {self._made}"
        self._server.call("rename_content", {"name": self._names[old], "new_name": new})
        self._names[old] = new

    def _make_and_delete(self) -> None:
        self._made += 1
        self._server.call("set_content", {"name": f"made {self._made}", "content": f"[[{self._name()}]]"})
        self._server.call("delete_content", {"name": f"made {self._made}"})

    def _extract(self) -> None:
        self._made += 1
        new = f"extracted {self._made}"
        self._server.call("extract_content", {"name": self._name(), "content": "The last words.", "new_name": new})
        self._server.call("delete_content", {"name": new})

    def _by_hand(self) -> None:
        path = os.path.join(self._place.vault, self._name() + ".md")
        if os.path.exists(path):
            with open(path, "r+b") as file:
                file.write(b"By hand. ")


def main() -> None:
    """Use a server and print what it holds, twenty times on the way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=2_000)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    end_on_sigterm()
    with tempfile.TemporaryDirectory(prefix="zkmem-bench-") as folder:
        place = Place.make(folder, options.notes, options.seed)
        with place.serve() as server:
            server.handshake()
            user, held = User(place, server, options.seed), []
            for part in range(1, _PARTS + 1):
                for _ in range(options.calls // _PARTS):
                    user.use()
                held += server.megabytes("VmRSS")
                print(f"{part * options.calls // _PARTS} calls: {held[-1]:.1f} MB", flush=True)
            half = len(held) // 2
            early, late = statistics.median(held[1:half]), statistics.median(held[half:])
            print(f"{user.refused} refused; first half {early:.1f} MB, second half {late:.1f} MB (medians)")


if __name__ == "__main__":
    main()
