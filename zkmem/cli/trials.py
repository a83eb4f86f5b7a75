"""The measurements of `zkmem bench`, on a vault that they may change."""

import functools
import gc
import os
import random
import shutil
from collections.abc import Callable, Iterator

from zkmem.cli import measures
from zkmem.cli.group import open_memory
from zkmem.cli.measures import PYTHON, READ, STAT, WRITE, Row, milliseconds
from zkmem.cli.sandbox import Say
from zkmem.errors import ZkError
from zkmem.memory import Memory
from zkmem.names import is_note, name_of
from zkmem.util.spelling import number_of
from zkmem.util.words import terms

_CALLS, _WRITES, _HINTS = 200, 50, 10
_NEW = "zkmem bench"
_STEPS = 100_000


def rows(vault: str, cache: str, runs: int, say: Say) -> Iterator[Row]:
    """Measure everything on a vault, with a separate folder for its cache."""
    previous = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = cache  # the cache reads it at its first use; the user's own cache must not change
    try:
        yield from _Trials(vault, cache, runs, say).rows()
    finally:
        if previous is None:
            del os.environ["XDG_CACHE_HOME"]
        else:
            os.environ["XDG_CACHE_HOME"] = previous


class _Trials:
    def __init__(self, vault: str, cache: str, runs: int, say: Say) -> None:
        self._vault = vault
        self._cache = cache
        self._runs = runs
        self._say = say
        self._random = random.Random(1)  # noqa: S311 - the same choices in every run
        paths = (os.path.relpath(entry.path, vault) for entry in measures.files(vault) if is_note(entry.name))
        self._paths = sorted(path for path in paths if path.isprintable())  # a path that is not UTF-8 has no name

    def rows(self) -> Iterator[Row]:
        yield from self._loads()
        yield Row.of(PYTHON, "ms", [milliseconds(_steps) for _ in range(self._runs)])
        memory = self._memory()
        try:
            memory.load()
            yield from self._reads(memory)
            yield from self._edits(memory)
            yield from self._rename(memory)
            yield from self._search(memory)
        finally:
            memory.close()

    def _memory(self) -> Memory:
        return open_memory(self._vault, git=False, quiet=True)[0]  # the copy is not in a repository

    def _loads(self) -> Iterator[Row]:
        self._say("Measuring: the index")
        self._load()  # not measured: it fills the page cache, and imports modules
        reads, cold, stats, warm = [], [], [], []
        for _ in range(self._runs):
            shutil.rmtree(self._cache, ignore_errors=True)
            reads.append(milliseconds(measures.read_all, self._vault))
            cold.append(self._load())
            stats.append(milliseconds(measures.stat_all, self._vault))
            warm.append(self._load())
        yield Row.of("load, no cache", "ms", cold, READ, reads)
        yield Row.of("load, with cache", "ms", warm, STAT, stats)

    def _load(self) -> float:
        """Return the milliseconds until the index is complete. Closing the memory then completes the cache."""
        gc.collect()
        memory = self._memory()
        try:
            return milliseconds(memory.load)
        finally:
            memory.close()

    def _reads(self, memory: Memory) -> Iterator[Row]:
        self._say("Measuring: get_content")
        paths = [path for path in self._some(_CALLS) if _works(functools.partial(memory.read, name_of(path)))]
        if not paths:  # no note can be read by its name
            return
        floor = [milliseconds(measures.read_one, os.path.join(self._vault, path)) for path in paths]
        for depth in (0, 2):
            times = [milliseconds(memory.read, name_of(path), depth) for path in paths]
            yield Row.of(f"get_content, depth {depth}", "ms", times, "read a note", floor)

    def _edits(self, memory: Memory) -> Iterator[Row]:
        self._say("Measuring: set_content, get_hints")
        memory.write(_NEW, "Begun.\n")
        memory.hints()
        floor, writes, hints = [], [], []
        for number in range(_WRITES):
            link = f"See [[{_NEW} {number}]]."
            floor.append(milliseconds(measures.write_durably, os.path.dirname(self._vault), [b"x" * 2000]))
            writes.append(milliseconds(memory.write, _NEW, link, append=True))
            if number < _HINTS:
                hints.append(milliseconds(memory.hints))
        yield Row.of("set_content, a link appended", "ms", writes, WRITE, floor)
        yield Row.of("get_hints after it", "ms", hints)

    def _rename(self, memory: Memory) -> Iterator[Row]:
        """Rename the note with the most backlinks and back, as many times as there are runs."""
        most = max(memory.hints(len(self._paths) + 1), key=lambda hint: hint.backlinks)
        title = f"rename over {number_of(most.backlinks, 'backlink')}"
        self._say(f"Measuring: {title}")
        names = [most.name, f"{_NEW} renamed"]
        texts = [b"x" * 2000] * (most.backlinks + 1)
        floor, times = [], []
        try:
            for _ in range(2 * self._runs):
                floor.append(milliseconds(measures.write_durably, os.path.dirname(self._vault), texts))
                times.append(milliseconds(memory.rename, *names))
                names.reverse()
        except ZkError as error:  # for example, two notes with its name
            self._say(f"Left out: {title}. {error}")
        else:
            yield Row.of(title, "ms", times, "durable writes in one batch", floor)

    def _search(self, memory: Memory) -> Iterator[Row]:
        self._say("Measuring: search")
        floor = milliseconds(measures.read_all, self._vault)
        yield Row.of(
            "first search, which indexes the words", "ms", [milliseconds(lambda: memory.search(_NEW))], READ, [floor]
        )
        queries = filter(None, map(self._query, self._some(_CALLS)))
        times = [milliseconds(memory.search, query) for query in queries]
        if times:
            yield Row.of("search, one to three words", "ms", times)

    def _query(self, path: str) -> str:
        """Return one to three words of a note."""
        with open(os.path.join(self._vault, path), encoding="utf-8", errors="replace") as file:
            words = terms(file.read(10_000))
        return " ".join(self._random.sample(words, min(len(words), self._random.randint(1, 3))))

    def _some(self, count: int) -> list[str]:
        """Return the paths of some notes. All still exist: a renamed note has its old name again."""
        return self._random.sample(self._paths, min(count, len(self._paths)))


def _steps() -> int:
    """Do a fixed amount of work, to measure the processor."""
    total = 0
    for number in range(_STEPS):
        total += number % 7
    return total


def _works(work: Callable[[], object]) -> bool:
    try:
        work()
    except ZkError:
        return False
    return True
