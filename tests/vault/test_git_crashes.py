"""With git, an edit whose process is killed before its commit is committed by a later process."""

import contextlib
import logging
import os
import pathlib
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.tools.crashes import arm, die, in_child
from tests.tools.inner import commit_edits
from tests.tools.vaults import git, write
from zkmem.memory import Memory
from zkmem.vault import platform
from zkmem.vault.git.mirror import Mirror
from zkmem.vault.journal.log import Edit, Log


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)


def empty(root: str) -> None:
    """A repository without commits, and a vault without state."""


def with_past(root: str) -> None:
    """A repository with a commit, and edits that were made before git was turned on."""
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    Memory(root).write("old", "1\n")
    Memory(root).write("old", "2\n")


def with_commits(root: str) -> None:
    """A repository to which an edit was committed already."""
    memory = Memory(root, git=True)
    memory.write("old", "1\n")
    memory.close()


def with_a_new_log(root: str) -> None:
    """A repository with commits of more edits than the log has, since somebody removed the log."""
    with_commits(root)
    shutil.rmtree(os.path.join(root, ".zkmem/versions"))


def killed_at_every_call(template: str, folder: pathlib.Path, step: int = 1) -> Iterator[tuple[int, str]]:
    """Kill a rename at each of its system calls (or every so many), with its commit; yields the call and the vault."""
    fatal, alive = 1 - step, False
    while not alive:
        fatal += step
        root = shutil.copytree(template, folder / str(fatal))

        def work(root: str = str(root), fatal: int = fatal) -> None:
            memory = Memory(root, git=True)
            memory.load()
            arm(lambda count, _: die() if count == fatal else None)
            memory.rename("a", "b")
            memory.close()

        alive = in_child(work) == 0
        yield fatal, str(root)
        shutil.rmtree(root)


def committed(root: str) -> list[int]:
    """The numbers of the edits that have a commit, the first one first."""
    told = git(root, "log", "--reverse", "--format=%(trailers:key=Zkmem-Edit,valueonly)", "HEAD")
    return [int(number) for number in told.split()]


def test_the_first_edits_may_come_from_many_threads_at_once(tmp_path: pathlib.Path) -> None:
    for turn in range(4):
        root = str(tmp_path / str(turn))
        os.mkdir(root)
        git(root, "init", "-q")
        memory = Memory(root, git=True)
        memory.load()
        ready = threading.Barrier(8)

        def write_one(number: int, memory: Memory = memory, ready: threading.Barrier = ready) -> None:
            ready.wait()
            memory.write(f"n{number}", "x\n")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write_one, range(8)))
        memory.close()
        assert committed(root) == list(range(1, 9))


def test_a_first_edit_that_is_made_while_another_process_begins_gets_its_commit(tmp_path: pathlib.Path) -> None:
    """That edit is in the log already, and its commit is still to be made."""
    root = str(tmp_path)
    git(root, "init", "-q")
    look = Log.last

    def edit_without_commit() -> None:
        patch.setattr(Mirror, "commit", lambda *_: die())
        Memory(root, git=True).write("n1", "x\n")

    def look_late(log: Log) -> Edit | None:
        patch.undo()
        assert in_child(edit_without_commit) == -signal.SIGKILL
        return look(log)

    with Memory(root, git=True) as memory, pytest.MonkeyPatch.context() as patch:
        memory.load()
        patch.setattr(Log, "last", look_late)
        memory.write("n2", "x\n")
    assert committed(root) == [1, 2]


@pytest.mark.parametrize(
    ("state", "start", "step"),
    [
        pytest.param(with_commits, False, 4, id="at every fourth call"),
        pytest.param(empty, False, 5, marks=pytest.mark.slow, id="without commits"),
        pytest.param(with_past, True, 5, marks=pytest.mark.slow, id="with a past, at the next start"),
        pytest.param(with_a_new_log, True, 5, marks=pytest.mark.slow, id="with a new log, at the next start"),
    ],
)
def test_an_edit_that_was_killed_before_its_commit_is_committed_later(
    tmp_path: pathlib.Path, state: Callable[[str], None], start: bool, step: int
) -> None:
    template = write(tmp_path / "template", {"a.md": "A\n", "c.md": "[[a]]\n", ".gitignore": ".trash/\n.zkmem/\n"})
    git(template, "init", "-q")
    state(template)
    before = [] if state is empty or state is with_past else committed(template)
    first = 3 if state is with_past else 2 if state is with_commits else 1
    seen = set()
    for fatal, root in killed_at_every_call(template, tmp_path, step):
        memory = Memory(root, git=True)
        memory.load()
        done = os.path.exists(os.path.join(root, "b.md"))
        if start:
            memory.start(watch=False)
        else:
            memory.write("next", "x\n")
        memory.close()
        expected = [first] * done + [first + done] * (not start)
        if expected:
            assert committed(root) == before + expected, fatal
            assert git(root, "status", "--porcelain", "b.md", "next.md") == "", fatal
        seen.add(done)
    assert seen == {False, True}


def _is_waited_for(root: str) -> bool:
    """Return whether somebody waits for the vault, and therefore holds the turn."""
    with open(os.path.join(root, ".zkmem/turn"), "ab") as file:
        return not platform.current.try_lock(file.fileno())


@pytest.mark.parametrize("swaps", [True, False])
@pytest.mark.parametrize("text", ["See [[new]], too.\n", "See [[new]].\n\nA last line.\n"])
def test_a_commit_that_is_made_during_the_next_edit_lacks_nothing(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, swaps: bool, text: str
) -> None:
    """Between the steps of the next edit, the text that the first edit wrote is in the journal alone."""
    root = write(tmp_path, {"target.md": "Target.\n", "note.md": "See [[target]].\n", ".gitignore": ".zkmem/\n"})
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    with contextlib.closing(Memory(root, git=True)) as committing:
        committing.write("first", "1\n")
    memory = Memory(root)
    memory.rename("target", "new")  # it has no commit yet
    exchange, rename_to_free = platform.current.exchange, platform.current.rename_to_free
    commits: list[threading.Thread] = []

    def commit() -> None:
        if not commits:
            commits.append(threading.Thread(target=commit_edits, args=[committing]))
            commits[0].start()
            while commits[0].is_alive() and not _is_waited_for(root):
                commits[0].join(0.01)

    def swap(slot: str, full: str) -> None:
        if not swaps:
            raise platform.Unsupported
        exchange(slot, full)
        commit()

    def move(full: str, to: str) -> None:
        commit()  # the path is free
        rename_to_free(full, to)

    monkeypatch.setattr(platform.current, "exchange", swap)
    monkeypatch.setattr(platform.current, "rename_to_free", move)
    memory.write("note", text)
    commits[0].join()
    commit_edits(committing)
    assert git(root, "show", "HEAD:note.md") == text
    assert git(root, "show", "HEAD~1:note.md") == "See [[new]].\n"
    assert git(root, "status", "--porcelain") == ""
