"""Notes as the vault was: what is read at a moment equals what was read at that moment."""

import os
import pathlib
import random
import tempfile
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.inner import engine
from zkmem.errors import AmbiguousName, NoVersion, UnknownNote, ZkError
from zkmem.memory import Memory

NAMES = ["a", "b", "Tea", "tea b", "x/a", "x/c", "y/z/a"]
DEPTH = 2


def read_now(memory: Memory, name: str) -> tuple[Any, ...]:
    note = memory.read(name, DEPTH)
    return note.text, note.etag, note.links, note.missing, note.linked_from, note.left


def read_then(memory: Memory, name: str, at: str) -> tuple[Any, ...]:
    note = memory.read_earlier(name, at, DEPTH, then_first=True, backlinks=True).note
    return note.text, note.etag, note.links, note.missing, note.linked_from, note.left


class Lived:
    """A vault that is edited at random, and what was read after each edit."""

    def __init__(self, root: str, seed: int, *, git: bool, watched: bool) -> None:
        self.root, self.random, self.watched = root, random.Random(seed), watched
        self.memory = Memory(root, git=git, durable=False)
        self.memory.set_up(git=git, settings=".zkmem/config.toml")
        self.texts = 0
        self.read: dict[int, dict[str, tuple[Any, ...]]] = {}
        self.memory.load()
        if watched:
            engine(self.memory).recorder.start()
            engine(self.memory).recorder.flush()

    def names(self) -> list[str]:
        return sorted(self.memory.graph().names)

    def text(self) -> str:
        links = " ".join(f"[[{self.random.choice(NAMES)}]]" for _ in range(self.random.randrange(3)))
        self.texts += 1  # no text comes back: nobody can know of one that was changed by hand, and changed back
        return f"text {self.texts}\n\nSee {links}.\n"

    def full(self, name: str) -> str:
        return os.path.join(self.root, f"{name}.md")

    def edit(self) -> None:
        random_, memory = self.random, self.memory
        names = self.names()
        what = random_.choice(["write", "append", "rename", "merge", "delete", "undo", "hand", "hand move", "hand rm"])
        one = random_.choice(names or ["a"])
        if what == "write":
            memory.write(random_.choice(NAMES), self.text())
        elif what == "append":
            memory.write(one, self.text(), append=True)
        elif what in {"rename", "merge"}:
            memory.rename(one, random_.choice(NAMES), merge=what == "merge")
        elif what == "delete":
            memory.delete(one)
        elif what == "undo":
            memory.undo()
        else:
            self.by_hand(what, one)

    def by_hand(self, what: str, one: str) -> None:
        new = self.full(self.random.choice(NAMES))
        if what == "hand":
            os.makedirs(os.path.dirname(new), exist_ok=True)
            pathlib.Path(new).write_text(self.text(), "utf-8")
        elif what == "hand rm" and os.path.exists(self.full(one)):
            os.unlink(self.full(one))
        elif what == "hand move" and os.path.exists(self.full(one)) and not os.path.exists(new):
            os.makedirs(os.path.dirname(new), exist_ok=True)
            os.rename(self.full(one), new)
        engine(self.memory).live.refresh()
        if self.watched:
            engine(self.memory).recorder.flush()

    def step(self) -> None:
        try:
            self.edit()
        except ZkError:
            return
        last = engine(self.memory).journal.last()
        if last is not None and last.number not in self.read:  # else somebody changed a note by hand, unrecorded
            self.read[last.number] = {name: read_now(self.memory, name) for name in self.names()}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32), st.booleans(), st.booleans())
def test_a_note_of_an_edit_is_what_was_read_right_after_it(seed: int, git: bool, watched: bool) -> None:
    with tempfile.TemporaryDirectory() as root:
        lived = Lived(root, seed, git=git, watched=watched)
        for _ in range(14):
            lived.step()
        for number, notes in lived.read.items():
            for name in notes:
                check(lived, number, name)
        lived.memory.close()


def check(lived: Lived, number: int, name: str) -> None:
    wanted = lived.read[number][name]
    if lived.watched:
        if engine(lived.memory).as_of.files.logged.entry(number) is None:
            return  # a later save of the same note has joined this one, so the log has it no more
        assert read_then(lived.memory, name, str(number)) == wanted, (number, name)
        return
    try:  # changes by hand were not recorded: a text is the right one or none
        found = lived.memory.read_earlier(name, str(number), then_first=True)
    except (NoVersion, UnknownNote, AmbiguousName):
        return
    is_committed = lived.memory.git and found.remarks  # and not what was on the disk
    assert found.note.name != name or found.note.etag == wanted[1] or is_committed, (number, name)
