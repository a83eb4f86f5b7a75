"""Edits that wait at the same time: made together, and as if one had been made after the other."""

import errno
import os
import pathlib
import shutil
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.crashes import EDITS, EIGHT, arm, in_child, killed, make, recovered
from tests.tools.inner import edit_with, index_faults
from tests.tools.together import together
from tests.tools.vaults import read, write
from zkmem.edit.plan import Plan, View
from zkmem.edit.write import plan_write
from zkmem.engine import Engine
from zkmem.errors import AmbiguousName, Busy, NoPassage, StaleEtag, Unwritable, ZkError
from zkmem.memory import Memory
from zkmem.records.outcome import Edited

Edit = Callable[[Memory], object]


def append(name: str, line: str) -> Edit:
    return lambda memory: memory.write(name, line, append=True)


def lines(root: pathlib.Path, name: str) -> list[str]:
    """Return the lines of a note that are not blank."""
    return list(filter(None, (root / f"{name}.md").read_text("utf-8").splitlines()))


@pytest.fixture
def engine(tmp_path: pathlib.Path) -> Engine:
    return Engine(write(tmp_path, {"a.md": "# A\n", "b.md": "[[a]]\n", "x/c.md": "[[b]]\n"}))


def flushes(work: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how often some work flushes a file or a folder."""
    count, fsync = 0, os.fsync

    def counted(handle: int) -> None:
        nonlocal count
        count += 1
        fsync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", counted)
        work()
    return count


def test_many_edits_need_the_flushes_of_one(
    engine: Engine, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Memory(engine).write("a", "first", append=True)
    alone = flushes(lambda: Memory(engine).write("a", "alone", append=True), monkeypatch)
    edits = [append("a", f"line {number}") for number in range(20)]
    assert flushes(lambda: together(engine, edits), monkeypatch) == alone
    assert lines(tmp_path, "a") == ["# A", "first", "alone", *(f"line {number}" for number in range(20))]


def test_each_edit_stays_one_of_its_own(engine: Engine, tmp_path: pathlib.Path) -> None:
    memory = Memory(engine)
    told: list[list[str]] = []
    memory.listen(told.append)
    done = together(engine, [append("a", "one"), append("new", "two"), append("a", "[[new]]"), append("new", "four")])
    assert [one.outcome for one in done if isinstance(one, Edited)] == ["appended", "created", "appended", "appended"]
    edits = list(engine.journal.log.backwards())
    assert [edit.number for edit in edits] == [4, 3, 2, 1]
    assert [edit.changes[0].path for edit in edits] == ["new.md", "a.md", "new.md", "a.md"]
    assert edits[1].changes[0].before == edits[3].changes[0].after
    assert told == [["a", "new"]]
    assert not index_faults(memory)
    seen = []
    for _ in edits:
        seen.append({path: data.decode() for path, data in read(tmp_path).items() if path in {"a.md", "new.md"}})
        memory.undo()
    assert seen == [
        {"a.md": "# A\none\n\n[[new]]", "new.md": "two\n\nfour"},
        {"a.md": "# A\none\n\n[[new]]", "new.md": "two"},
        {"a.md": "# A\none", "new.md": "two"},
        {"a.md": "# A\none"},
    ]
    assert read(tmp_path)["a.md"] == b"# A\n"


def test_an_edit_that_fails_takes_no_other_with_it(engine: Engine, tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"y/c.md": ""})
    Memory(engine).load()
    done = together(
        engine,
        [
            append("a", "one"),
            lambda memory: memory.write("a", "x", old="not there"),
            lambda memory: memory.write("a", "x", etag="0123456789ab"),
            append("c", "x"),
            append("a", "two"),
            lambda memory: memory.write("a", "1", old="one"),
        ],
    )
    assert [type(one) for one in done] == [Edited, NoPassage, StaleEtag, AmbiguousName, Edited, Edited]
    assert lines(tmp_path, "a") == ["# A", "1", "two"]
    assert not index_faults(Memory(engine))


def test_renames_deletions_and_undo_are_made_in_their_turn(engine: Engine, tmp_path: pathlib.Path) -> None:
    done = together(
        engine,
        [
            append("a", "one"),
            lambda memory: memory.rename("a", "z"),
            append("z", "two"),
            append("b", "three"),
            lambda memory: memory.delete("x/c"),
            append("z", "four"),
            lambda memory: memory.undo(),
            append("z", "five"),
        ],
    )
    assert not [one for one in done if isinstance(one, Exception)]
    assert read(tmp_path) == {"z.md": b"# A\none\n\ntwo\n\nfive", "b.md": b"[[z]]\n\nthree"}
    assert not index_faults(Memory(engine))


def test_each_rename_has_a_hold_of_the_vault_for_itself(engine: Engine, tmp_path: pathlib.Path) -> None:
    """A process that waits gives up if one hold of the vault takes too long, so no hold makes many renames."""

    def holds() -> int:
        return int((tmp_path / ".zkmem/lock").read_text("utf-8").split("its edit")[1])

    Memory(engine).write("a", "one", append=True)
    before = holds()
    names = ["a", "a1", "a2", "a3", "a4", "a5"]
    done = together(engine, [partial(Memory.rename, name=old, new_name=new) for old, new in pairwise(names)])
    assert not [one for one in done if isinstance(one, Exception)]
    assert holds() == before + 1 + len(done)  # `together` holds it, too


class TestAFileThatIsSavedByHandMeanwhile:
    """The file is saved by the planner of a later edit: after the first was planned, and before it is made."""

    def test_all_is_kept(self, engine: Engine, tmp_path: pathlib.Path) -> None:
        saved = threading.Event()

        def planner(view: View) -> Plan:
            if not saved.is_set():
                saved.set()
                (tmp_path / "a.md").write_text("by hand\n")
            return plan_write(view, "b", "three", append=True)

        edits: list[Edit] = [append("a", "one"), lambda memory: edit_with(memory, planner), append("a", "two")]
        assert not [one for one in together(engine, edits) if isinstance(one, Exception)]
        assert (lines(tmp_path, "a"), lines(tmp_path, "b")) == (["by hand", "one", "two"], ["[[a]]", "three"])
        assert not index_faults(Memory(engine))

    def test_a_note_that_is_made_by_hand(self, engine: Engine, tmp_path: pathlib.Path) -> None:
        saved = threading.Event()

        def planner(view: View) -> Plan:
            if not saved.is_set():
                saved.set()
                (tmp_path / "new.md").write_text("by hand\n")
            return plan_write(view, "b", "three", append=True)

        edits: list[Edit] = [
            append("new", "one"),
            lambda memory: edit_with(memory, planner),
            append("new", "two"),
        ]
        assert not [one for one in together(engine, edits) if isinstance(one, Exception)]
        assert (lines(tmp_path, "new"), lines(tmp_path, "b")) == (["by hand", "one", "two"], ["[[a]]", "three"])
        assert not index_faults(Memory(engine))


def test_a_file_that_cannot_be_written_refuses_its_own_edits_alone(engine: Engine, tmp_path: pathlib.Path) -> None:
    os.chmod(tmp_path / "b.md", 0o400)
    done = together(engine, [append("a", "one"), append("b", "x"), append("a", "two")])
    assert [type(one) for one in done] == [Edited, Unwritable, Edited]
    assert (lines(tmp_path, "a"), lines(tmp_path, "b")) == (["# A", "one", "two"], ["[[a]]"])
    assert not index_faults(Memory(engine))


def test_all_of_them_are_in_the_log_if_a_crash_is_recovered(tmp_path: pathlib.Path) -> None:
    template = make(str(tmp_path / "template"), 1)
    logged = set()
    for fatal in range(20, 80, 3):
        root = str(shutil.copytree(template, tmp_path / str(fatal)))
        killed(root, EDITS["together"], fatal)
        made = b"A line." in recovered(root)["note.md"]
        numbers = [edit.number for edit in Engine(root).journal.log.backwards()]
        assert numbers == list(range(len(numbers), 0, -1))
        assert len(numbers) == (3 + len(EIGHT) if made else 3)
        logged.add(made)
        shutil.rmtree(root)
    assert logged == {True, False}


@pytest.mark.long
@pytest.mark.slow
def test_a_disk_that_fails_once_at_any_call_loses_no_acknowledged_edit(tmp_path: pathlib.Path) -> None:
    template = make(str(tmp_path / "template"), 1)
    refused = 0
    for fatal in range(2, 150, 2):
        root = str(shutil.copytree(template, tmp_path / str(fatal)))
        told = tmp_path / f"{fatal}.told"

        def work(root: str = root, told: pathlib.Path = told, fatal: int = fatal) -> None:
            def happens(count: int, _: str) -> None:
                if count == fatal:
                    raise OSError(errno.EIO, os.strerror(errno.EIO))

            engine = Engine(root)
            engine.live.need_links()
            arm(happens)
            done = together(engine, EIGHT)
            told.write_text("".join("-" if isinstance(one, Exception) else "+" for one in done))

        in_child(work)
        found = recovered(root)
        if told.exists():
            acknowledged = told.read_text()
            refused += "-" in acknowledged
            for number, text in ((0, b"A line."), (1, b"Another one"), (7, b"A last line.")):
                assert (text in found["note.md"]) == (acknowledged[number] == "+"), (fatal, acknowledged)
            assert (b"Replaced" in found["other.md"]) == (acknowledged[2] == "+")
        shutil.rmtree(root)
    assert refused


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.sampled_from("abcd"), st.sampled_from(["x", "[[a]]", "[[d]]"])),
        st.tuples(st.just("write"), st.sampled_from("abcd"), st.sampled_from(["new [[b]]", "# Other"])),
        st.tuples(st.just("rename"), st.sampled_from("abcd"), st.sampled_from("abcde")),
        st.tuples(st.just("delete"), st.sampled_from("abcd"), st.just("")),
        st.tuples(st.just("undo"), st.just(""), st.just("")),
    ),
    min_size=1,
    max_size=8,
)


def edit_of(step: tuple[str, str, str]) -> Edit:
    what, name, value = step
    return {
        "append": lambda memory: memory.write(name, value, append=True),
        "write": lambda memory: memory.write(name, value),
        "rename": lambda memory: memory.rename(name, value, merge=True),
        "delete": lambda memory: memory.delete(name),
        "undo": lambda memory: memory.undo(),
    }[what]


@settings(max_examples=40)
@given(steps=STEPS)
def test_edits_made_together_are_those_made_one_after_the_other(
    steps: list[tuple[str, str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    files = {"a.md": "[[b]]\n", "b.md": "[[a]] [[c]]\n", "c.md": ""}
    one, other = (tmp_path_factory.mktemp(name) for name in ("one", "other"))
    engine, serial = Engine(write(one, files)), Engine(write(other, files))
    for each in (engine, serial):  # so that an undo among the steps could take back the wrong edit
        Memory(each).write("c", "before", append=True)
    done = together(engine, list(map(edit_of, steps)))
    assert not index_faults(Memory(engine))
    made = list(engine.journal.log.backwards())[-2::-1]
    for edit in made:  # in the order in which they were made
        edit_of(steps[int(edit.client)])(Memory(serial).on_behalf(client=edit.client))
    assert [(edit.changes, edit.undoes) for edit in serial.journal.log.backwards()][-2::-1] == [
        (edit.changes, edit.undoes) for edit in made
    ]
    assert read(one) == read(other)
    unchanged = {number for number, outcome in enumerate(done) if getattr(outcome, "outcome", "") == "unchanged"}
    refused = {number for number, outcome in enumerate(done) if isinstance(outcome, Exception)}
    assert all(isinstance(done[number], ZkError) for number in refused)
    assert sorted([*(int(edit.client) for edit in made), *unchanged, *refused]) == list(range(len(steps)))


def test_an_edit_that_hangs_does_not_hang_the_others(tmp_path: pathlib.Path) -> None:
    engine = Engine(write(tmp_path, {"a.md": "# A\n", "b.md": "# B\n"}), lock_timeout_s=0.2)
    engine.live.need_links()
    begun, goes_on = threading.Event(), threading.Event()

    def hangs(view: View) -> Plan:
        begun.set()
        goes_on.wait()
        return plan_write(view, "a", "x", append=True)

    hanging = threading.Thread(target=edit_with, args=(Memory(engine), hangs))
    hanging.start()
    begun.wait()
    write(tmp_path, {"by hand.md": "A change that the next call would take in.\n"})
    try:
        with pytest.raises(Busy, match=r"has held the vault for more than 0\.2 s \(process"):
            Memory(engine).write("b", "x", append=True)
    finally:
        goes_on.set()
        hanging.join()
    Memory(engine).write("b", "y", append=True)
    assert (lines(tmp_path, "a"), lines(tmp_path, "b")) == (["# A", "x"], ["# B", "y"])


def test_a_vault_that_another_process_holds_refuses_all_that_wait_at_once(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path, {"a.md": "# A\n"})
    engine, other = Engine(root, lock_timeout_s=1.0), Engine(root)
    tries, hold = 0, engine.journal.hold

    def counted() -> AbstractContextManager[None]:
        nonlocal tries
        tries += 1
        return hold()

    monkeypatch.setattr(engine.journal, "hold", counted)
    held, ended = threading.Event(), threading.Event()

    def keep() -> None:
        with other.journal.hold():
            held.set()
            ended.wait()

    keeper = threading.Thread(target=keep)
    keeper.start()
    held.wait()
    try:
        done = together(engine, [append("a", "x")] * 6, holds=False)
    finally:
        ended.set()
        keeper.join()
    assert [type(one) for one in done] == [Busy] * 6
    assert tries == 1
    Memory(engine).write("a", "after", append=True)
    assert lines(tmp_path, "a") == ["# A", "after"]
