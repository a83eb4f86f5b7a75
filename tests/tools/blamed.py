"""Histories in which each word is written once, so that it is known which edit wrote it: for the tests of `why`.

A life has writes, appends, moves of lines, renames, merges, extractions, undos, redos and
restores by tools, and saves by hand. A word has the number of the step that wrote it: `w12.3`.
"""

import contextlib
import pathlib
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.tools.inner import catch_up, engine
from zkmem.errors import ZkError
from zkmem.memory import Memory
from zkmem.past.revisions import Revision

WORD = re.compile(r"w(\d+)\.\d+")
_NAMES = ("tea", "cup", "pot", "leaf", "kitchen/pan")


class Step(NamedTuple):
    """A step of a history."""

    number: int
    what: str
    edit: int  # the number of its edit
    is_by_hand: bool


class Life:
    """A vault in which steps are taken."""

    def __init__(self, root: pathlib.Path, seed: int, *, least: int = 2, by_hand: bool = False) -> None:
        """`least`: how many words each line has at least; `by_hand`: whether a person saves notes, too."""
        self.root, self.rng, self.least = root, random.Random(seed), least
        self.by_hand = by_hand
        self.memory = Memory(str(root), durable=False).on_behalf(client="bot 1")
        if by_hand:
            self.memory.start()
            self.memory.wait_ready()
            assert engine(self.memory).recorder.ready.wait(30)
        self.steps: list[Step] = []
        self.words = 0
        self.copied = set[str]()  # words that were there twice: nobody can tell which one is the copy

    def live(self, steps: int) -> Iterator[Step]:
        """Take so many steps; yield each one that has made an edit."""
        calls: list[tuple[int, Callable[[], object]]] = [
            (3, self.write_new), (5, self.change_line), (3, self.change_word), (5, self.append), (4, self.add_lines),
            (4, self.move_lines), (2, self.remove_lines), (2, self.rename), (2, self.merge), (3, self.extract),
            (3, self.undo), (1, self.redo), (2, self.restore),
        ]  # fmt: skip
        weights, chosen = zip(*calls, strict=True)
        while len(self.steps) < steps:
            call = self.rng.choices(chosen, weights)[0] if self.names() else self.write_new
            with contextlib.suppress(ZkError):
                before = self.last()
                call()
                if (last := self.last()) != before and last:
                    self.steps.append(Step(len(self.steps), call.__name__, int(last.rev), bool(last.outside)))
                    self.copied |= self.words_there_twice()
                    yield self.steps[-1]

    def words_there_twice(self) -> set[str]:
        lines = (line for name in self.names() for line in self.lines_of(name))
        times = Counter(word[0] for line in lines for word in WORD.finditer(line))
        return {word for word, count in times.items() if count > 1}

    def last(self) -> Revision | None:
        return next(iter(self.memory.log(limit=1)), None)

    def names(self) -> list[str]:
        return sorted(path.relative_to(self.root).with_suffix("").as_posix() for path in self.paths())

    def paths(self) -> list[pathlib.Path]:
        return [path for path in self.root.rglob("*.md") if not path.relative_to(self.root).as_posix().startswith(".")]

    def name(self) -> str:
        return self.rng.choice(self.names())

    def lines_of(self, name: str) -> list[str]:
        return (self.root / f"{name}.md").read_text().splitlines() or [""]

    def new_line(self) -> str:
        """A line of words that nobody has written before."""
        words = range(self.words, self.words + self.rng.randrange(self.least, self.least + 5))
        self.words = words.stop
        return " ".join(f"w{len(self.steps)}.{word}" for word in words)

    def save(self, name: str, lines: list[str]) -> None:
        text = "".join(f"{line}\n" for line in lines)
        is_after_a_save = bool(self.steps) and self.steps[-1].is_by_hand  # the two would be one entry of the log
        if self.by_hand and name in self.names() and not is_after_a_save and self.rng.random() < 0.3:
            (self.root / f"{name}.md").write_text(text)
            self.memory.wait_ready()
            catch_up(self.memory)
        else:
            self.memory.write(name, text)

    # --- the steps

    def write_new(self) -> None:
        free = [name for name in _NAMES if name not in self.names()]
        self.save(self.rng.choice(free) if free else f"new {len(self.steps)}", [self.new_line() for _ in range(6)])

    def change_line(self) -> None:
        name = self.name()
        lines = self.lines_of(name)
        lines[self.rng.randrange(len(lines))] = self.new_line()
        self.save(name, lines)

    def change_word(self) -> None:
        """Replace the last word of a line of at least four: the others stay those of the edits that wrote them."""
        name = self.name()
        lines = self.lines_of(name)
        at = self.rng.choice([at for at, line in enumerate(lines) if len(line.split()) > 3] or [0])
        lines[at] = " ".join([*lines[at].split()[:-1], self.new_line().split()[0]])
        self.save(name, lines)

    def append(self) -> None:
        self.memory.write(self.name(), self.new_line() + "\n", append=True)

    def add_lines(self) -> None:
        name = self.name()
        lines = self.lines_of(name)
        at = self.rng.randrange(len(lines) + 1)
        self.save(name, [*lines[:at], self.new_line(), self.new_line(), *lines[at:]])

    def move_lines(self) -> None:
        name = self.name()
        lines = self.lines_of(name)
        at, count = self.rng.randrange(len(lines)), self.rng.randrange(1, 4)
        moved, lines[at : at + count] = lines[at : at + count], []
        to = self.rng.randrange(len(lines) + 1)
        self.save(name, [*lines[:to], *moved, *lines[to:]])

    def remove_lines(self) -> None:
        name = self.name()
        lines = self.lines_of(name)
        del lines[self.rng.randrange(len(lines))]
        self.save(name, lines or [self.new_line()])

    def rename(self) -> None:
        self.memory.rename(self.name(), self.rng.choice(_NAMES))

    def merge(self) -> None:
        one, other = self.rng.sample(self.names(), 2) if len(self.names()) > 1 else [self.name()] * 2
        self.memory.rename(one, other, merge=True)

    def extract(self) -> None:
        name = self.name()
        lines = self.lines_of(name)
        at = self.rng.randrange(len(lines))
        part = [line for line in lines[at : at + 2] if WORD.match(line)]
        self.memory.extract(name, "\n".join(part), f"part {len(self.steps)}")

    def undo(self) -> None:
        self.memory.undo(edit=self.rng.choice(self.steps).edit)

    def redo(self) -> None:
        self.memory.redo()

    def restore(self) -> None:
        name = self.name()
        self.memory.restore(name, self.rng.choice(self.memory.log(name, 5)).rev)


def wrong_words(life: Life) -> list[tuple[str, str, int | None]]:
    """Return the words of which `why` names another edit than the one that wrote them: note, word, named edit.

    Copied words do not count: the copy is the work of the edit that copied it.
    """
    edits = {str(step.number): step.edit for step in life.steps}
    return [
        (name, word[0], passage.edit)
        for name in life.names()
        for passage in life.memory.why(f"/{name}")
        for word in WORD.finditer(passage.text)
        if edits[word[1]] != passage.edit and word[0] not in life.copied
    ]
