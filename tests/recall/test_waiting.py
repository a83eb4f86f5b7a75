"""Reads in a thread that must not wait, such as that of a server's event loop."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tools import inner
from tests.tools.vaults import write
from zkmem import Memory
from zkmem.caller import Grant
from zkmem.errors import BadName
from zkmem.recall.ranking import Hint
from zkmem.util.waiting import WouldWait, without_waiting

NOTES: dict[str, str | bytes] = {"a.md": "To [[b]].\n", "b.md": "B.\n", "large.md": "word " * 20_000}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(str(write(tmp_path, NOTES))) as opened:
        opened.load()
        yield opened


def test_a_short_note_and_known_hints_are_read_without_waiting(memory: Memory) -> None:
    assert without_waiting(memory.read, "a").text == "To [[b]].\n"
    hints = memory.hints()
    assert without_waiting(memory.hints) == hints


def test_an_error_that_needs_no_search_is_raised_without_waiting(memory: Memory) -> None:
    with pytest.raises(BadName):
        without_waiting(memory.read, "../a")


@pytest.mark.parametrize(("name", "depth"), [("a", 1), ("large", 0), ("no such note", 0), ("a#b", 0), ("b" * 2_000, 0)])
def test_a_call_that_may_read_much_is_not_made_without_waiting(memory: Memory, name: str, depth: int) -> None:
    with pytest.raises(WouldWait):
        without_waiting(memory.read, name, depth)


@pytest.mark.parametrize("name", ["no such note", "twin"])
def test_an_error_that_names_others_is_not_raised_without_waiting(tmp_path: Path, name: str) -> None:
    root = write(tmp_path, {"own/a/twin.md": "", "own/b/twin.md": "", "c/twin.md": "", "own/d.md": "D.\n"})
    with Memory(str(root)) as whole:
        whole.load()
        for memory in (whole, whole.restricted(Grant("own"))):
            assert without_waiting(memory.read, "own/d").text == "D.\n"
            with pytest.raises(WouldWait):
                without_waiting(memory.read, name)


def test_a_caller_with_a_folder_does_not_wait_for_the_names(tmp_path: Path) -> None:
    with Memory(str(write(tmp_path, {"own/a.md": "A.\n"}))) as whole:
        inner.engine(whole).live.prepare()  # the names are not read yet
        with pytest.raises(WouldWait):
            without_waiting(whole.restricted(Grant("own")).read, "own/a")


def test_a_note_with_many_backlinks_is_not_read_without_waiting(tmp_path: Path) -> None:
    root = write(tmp_path, {"hub.md": "", **{f"n{number}.md": "[[hub]]" for number in range(501)}})
    with Memory(str(root)) as memory:
        memory.load()
        with pytest.raises(WouldWait):
            without_waiting(memory.read, "hub")


def test_nothing_waits_for_the_index(tmp_path: Path) -> None:
    with Memory(str(write(tmp_path, NOTES))) as memory:
        with pytest.raises(WouldWait):
            without_waiting(memory.read, "a")
        with pytest.raises(WouldWait):
            without_waiting(memory.hints)


def test_nothing_waits_for_a_thread_that_holds_the_index(memory: Memory) -> None:
    memory.hints()
    held, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        with inner.index_lock(memory):
            held.set()
            go_on.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        assert held.wait(30)
        for read in (lambda: memory.read("a"), memory.hints):
            with pytest.raises(WouldWait):
                without_waiting(read)
    finally:
        go_on.set()
        holder.join()
    assert without_waiting(memory.read, "a").text


def test_notes_are_not_ranked_without_waiting(memory: Memory) -> None:
    with pytest.raises(WouldWait):
        without_waiting(memory.hints)
    memory.hints()
    memory.write("b", "To [[a]].")  # a loop of links: all weights are computed again
    with pytest.raises(WouldWait):
        without_waiting(memory.hints)
    with pytest.raises(WouldWait):
        without_waiting(memory.search, "word")


def test_hints_follow_a_small_change_without_waiting(memory: Memory) -> None:
    memory.hints()
    memory.write("b", "To [[c]], [[d]] and [[e]].")
    found = without_waiting(memory.hints)
    assert [(hint.name, hint.links) for hint in found[:2]] == [("b", 3), ("a", 1)]
    assert found == hints_from_scratch(memory)


@pytest.mark.parametrize("limit", ["zkmem.recall.weights._MOST_IN_LOOP", "zkmem.recall.ranking._MOST_IN_LOOP"])
def test_a_change_that_takes_long_is_not_lost(memory: Memory, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    memory.hints()
    monkeypatch.setattr(limit, 0)
    memory.write("b", "To [[c]], [[d]] and [[e]].")
    for _ in range(2):
        with pytest.raises(WouldWait):
            without_waiting(memory.hints)
    assert memory.hints() == hints_from_scratch(memory)


def test_a_hub_keeps_a_caller_with_a_folder_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, str | bytes] = {f"own/{number}.md": "To [[hub]].\n" for number in range(20)}
    with Memory(str(write(tmp_path, {**files, "own/hub.md": "Hub.\n", "own/x.md": "X.\n"}))) as whole:
        whole.load()
        restricted = whole.restricted(Grant("own"))
        for memory in (whole, restricted):
            memory.hints()
            assert without_waiting(memory.hints) == memory.hints()
        monkeypatch.setattr("zkmem.recall.ranking._MOST_IN_LOOP", 15)
        assert without_waiting(whole.hints)
        with pytest.raises(WouldWait):  # the backlinks below the folder must be counted
            without_waiting(restricted.hints)
        monkeypatch.setattr("zkmem.recall.ranking._MOST_IN_LOOP", 40)
        assert without_waiting(restricted.hints)
        monkeypatch.setattr("zkmem.recall.ranking._MOST_IN_LOOP", 24)
        whole.write("own/x", "To [[own/hub]].", append=True)  # 2 notes in two rankings, and 21 backlinks in one
        with pytest.raises(WouldWait):
            without_waiting(whole.hints)
        assert whole.hints() == hints_from_scratch(whole)


def hints_from_scratch(memory: Memory) -> list[Hint]:
    """The hints of a process that has just started."""
    with Memory(memory.vault) as other:
        return other.hints()


@pytest.mark.parametrize("read", [lambda memory: memory.read("a"), lambda memory: memory.hints()])
def test_nothing_waits_for_another_machine(memory: Memory, read: Callable[[Memory], object]) -> None:
    read(memory)
    inner.engine(memory).store.is_remote = True
    with pytest.raises(WouldWait):
        without_waiting(read, memory)
