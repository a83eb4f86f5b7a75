"""What is derived from many notes, while others change them."""

import os
import pathlib

import pytest

from tests.tools.inner import engine
from tests.tools.vaults import write
from zkmem.errors import Closed
from zkmem.index.check import Properties
from zkmem.index.live import Behind
from zkmem.memory import Memory
from zkmem.records.tables import Tables

MANY = [f"n{number}.md" for number in range(150)]  # more than a table looks at while its user holds the index


def saved(memory: Memory, root: pathlib.Path, text: str) -> None:
    """Save many notes by hand, and have the index know it."""
    write(root, dict.fromkeys(MANY, text))
    engine(memory).live.take_in(MANY)


def test_a_check_goes_on_when_many_notes_change_while_it_reads(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Memory(write(tmp_path, dict.fromkeys(MANY, "# H\n")))
    memory.load()
    real, texts = engine(memory).tables._read, ["[[gone]]\n"]

    def read(path: str) -> bytes:
        data = real(path)
        if path == max(MANY) and texts:  # the last one
            saved(memory, tmp_path, texts.pop())
        return data

    monkeypatch.setattr(engine(memory).tables, "_read", read)
    assert [one.note for one in memory.check()] == sorted(path.removesuffix(".md") for path in MANY)
    assert not texts


def test_a_change_that_another_thread_was_told_of_is_not_forgotten(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, dict.fromkeys(MANY, "---\naliases: old\n---\n")))
    memory.load()
    early = [True]

    def read(path: str) -> bytes:
        data = engine(memory).store.read(path)[0]
        if early:  # a person saves the note that was just read, and somebody else wants the table
            early.clear()
            saved(memory, tmp_path, "---\naliases: new\n---\n")
            with engine(memory).live.as_it_is(), pytest.raises(Behind):
                tables.of(Properties)
        return data

    tables = Tables(engine(memory).session, read)
    while True:
        try:
            with engine(memory).live.as_it_is():
                aliases = tables.of(Properties).aliases
            break
        except Behind as behind:
            behind.catch_up()
    assert aliases == {path: ["new"] for path in MANY}


def test_a_table_in_use_reads_many_changed_notes_before_it_is_asked_again(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, dict.fromkeys(MANY, "---\naliases: old\n---\n")))
    memory.check()
    write(tmp_path, dict.fromkeys(MANY, "---\naliases: new\n---\n"))
    engine(memory).live._follow(MANY)
    with engine(memory).live.as_it_is():
        assert engine(memory).tables.of(Properties).aliases == {path: ["new"] for path in MANY}


def test_a_note_that_the_index_never_knew_is_in_no_table(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "[[b#H]]\n", "b.md": "# H\n"}))
    assert memory.check() == []
    os.rename(tmp_path / "a.md", tmp_path / "c.md")
    engine(memory).live.take_in(["a.md", "c.md"])
    os.rename(tmp_path / "c.md", tmp_path / "a.md")
    engine(memory).live.take_in(["a.md", "c.md"])
    os.rename(tmp_path / "a.md", tmp_path / "c.md")  # for a moment, in which the table looks at it
    memory.check()
    os.rename(tmp_path / "c.md", tmp_path / "a.md")
    write(tmp_path, {"b.md": "# Other\n"})
    memory.wait_ready()
    assert [one.note for one in memory.check()] == ["a"]


def test_a_note_that_was_away_while_a_table_looked_for_it_is_in_it_when_it_is_back(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path / "vault", {"d/a.md": "---\naliases: one\n---\n", "b.md": ""})
    memory = Memory(root)
    memory.load()
    os.rename(tmp_path / "vault/d", tmp_path / "away")
    with engine(memory).live.as_it_is():
        assert engine(memory).tables.of(Properties).aliases == {}
    os.rename(tmp_path / "away", tmp_path / "vault/d")  # with the stamps that the index knew
    memory.wait_ready()
    with engine(memory).live.as_it_is():
        assert engine(memory).tables.of(Properties).aliases == {"d/a.md": ["one"]}


def test_a_check_ends_when_the_memory_is_told_to_stop(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {f"m{number}.md": "" for number in range(2500)}))  # a check pauses after 2,000
    memory.check()
    memory.stop()
    with pytest.raises(Closed):
        memory.check()
