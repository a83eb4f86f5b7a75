"""A life of a vault: edits by tools and by hand at random, restarts, and caches that are lost, damaged or foreign.

`python -m tests.tools.lives 10000` lives for that many edits, and looks after each restart whether the index is right.
"""

import contextlib
import math
import os
import pathlib
import random
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Callable

from tests.tools.inner import difference, engine
from tests.tools.vaults import fresh_index, random_files, random_link, random_name, write
from zkmem.errors import ZkError
from zkmem.index.graph import counts
from zkmem.index.store.database import cache_file
from zkmem.memory import Memory
from zkmem.recall.weights import weights


class Life:
    """A vault, a memory that comes and goes, and now and then a second one."""

    def __init__(self, root: str, seed: int, notes: int = 40) -> None:
        self.root = root
        self.rng = random.Random(seed)
        write(root, random_files(self.rng, notes))
        self.memory = Memory(root)
        self.other = Memory(root)
        self.edits = 0

    def live(self, edits: int) -> None:
        """Make so many edits, with restarts in between; each ends in a comparison with an index from scratch."""
        turns: list[Callable[[], None]] = [
            self.write, self.write, self.rename, self.delete, self.append_by_hand, self.append_by_hand,
            self.move_by_hand, self.delete_by_hand, self.rewrite_in_place, self.touch, self.attach,
        ]  # fmt: skip
        while self.edits < edits:
            for _ in range(self.rng.randrange(1, 40)):
                self.edits += 1
                with contextlib.suppress(ZkError):  # a refusal changes nothing
                    self.rng.choice(turns)()
                if self.rng.random() < 0.05:
                    self.memory, self.other = self.other, self.memory
                if self.rng.random() < 0.1:
                    self.memory.hints()
            self.restart()

    def restart(self) -> None:
        """End both, one or none of them in good order; spoil the cache, perhaps; begin again, and compare."""
        for memory in (self.memory, self.other):
            if self.rng.random() < 0.7:
                memory.close()
        if self.rng.random() < 0.3:
            self.rng.choice([self.lose_cache, self.cut_cache, self.make_foreign, self.fill_with_noise])()
        self.memory, self.other = Memory(self.root), Memory(self.root)
        both = [threading.Thread(target=memory.load) for memory in (self.memory, self.other)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        self.compare()

    def compare(self) -> None:
        fresh = fresh_index(self.root)
        graph = fresh.links.graph
        for memory in (self.memory, self.other):
            memory.wait_ready()
            assert difference(engine(memory).live.index, fresh) == []
            assert engine(memory).ranking.weights() == weights(graph, counts)
            assert not any(map(math.isnan, engine(memory).ranking.weights().values()))

    def name(self) -> str:
        paths = sorted(engine(self.memory).live.need_names().catalog.notes())
        return self.rng.choice(paths).removesuffix(".md") if paths else "first"

    def full(self, name: str) -> str:
        return os.path.join(self.root, name + ".md")

    def write(self) -> None:
        name = self.rng.choice([random_name(self.rng), self.name()])
        links = " ".join(random_link(self.rng, self.name()) for _ in range(self.rng.randrange(4)))
        self.memory.write("/" + name, f"{links} {self.edits}\n", append=self.rng.random() < 0.5)

    def rename(self) -> None:
        self.memory.rename("/" + self.name(), "/" + self.rng.choice([random_name(self.rng), self.name()]), merge=True)

    def delete(self) -> None:
        self.memory.delete("/" + self.name())

    def append_by_hand(self) -> None:
        with contextlib.suppress(FileNotFoundError), open(self.full(self.name()), "r+b") as file:
            file.seek(0, os.SEEK_END)
            file.write(f"\n{random_link(self.rng, self.name())}\n".encode())

    def move_by_hand(self) -> None:
        to = self.full(random_name(self.rng))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.replace(self.full(self.name()), to)

    def delete_by_hand(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.full(self.name()))

    def rewrite_in_place(self) -> None:
        """Other bytes, but as many, in the same file, with the same date: what `rsync --inplace -t` may do."""
        full = self.full(self.name())
        with contextlib.suppress(FileNotFoundError):
            info = os.stat(full)
            with open(full, "r+b") as file:
                data = file.read()
                file.seek(0)
                file.write(data.replace(b"e", b"a").replace(b"N", b"i"))
            os.utime(full, ns=(info.st_atime_ns, info.st_mtime_ns))

    def touch(self) -> None:
        when = self.rng.choice([0, 10**18, 4 * 10**18, 10**19])  # the last is in the year 2286
        with contextlib.suppress(FileNotFoundError, OSError):
            os.utime(self.full(self.name()), ns=(when, when))

    def attach(self) -> None:
        write(self.root, {f"{self.rng.choice(['', 'a/'])}{self.rng.choice(['Note', 'v1.0', 'x.png'])}": b"\x00"})

    def lose_cache(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.remove(cache_file(self.root))

    def cut_cache(self) -> None:
        file = cache_file(self.root)
        if os.path.exists(file):
            os.truncate(file, self.rng.randrange(os.path.getsize(file) + 1))

    def make_foreign(self) -> None:
        file = cache_file(self.root)
        if os.path.exists(file):
            with contextlib.suppress(sqlite3.DatabaseError), contextlib.closing(sqlite3.connect(file)) as connection:
                connection.execute(f"PRAGMA user_version = {self.rng.choice([1, 999])}")

    def fill_with_noise(self) -> None:
        file = pathlib.Path(cache_file(self.root))
        if file.exists():
            file.write_bytes(self.rng.randbytes(self.rng.choice([0, 10, 100_000])))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
        life = Life(os.path.join(folder, "vault"), seed=int(sys.argv[2]) if len(sys.argv) > 2 else 1)
        life.live(int(sys.argv[1]))
        print(f"{life.edits} edits: the index was right after every restart")
