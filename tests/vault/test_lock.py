"""One lock for all processes: held for an edit alone, fair, and named when it cannot be had."""

import contextlib
import multiprocessing
import os
import pathlib
import signal
import subprocess
import threading
from collections.abc import Iterator

import pytest

from tests.tools.inner import index_faults
from tests.tools.vaults import read, write
from zkmem.edit.journal import Journal
from zkmem.errors import Busy, NewerState, Unwritable
from zkmem.memory import Memory
from zkmem.vault import platform
from zkmem.vault.journal.lock import VaultLock
from zkmem.vault.journal.state import StateFolder
from zkmem.vault.store import Store

SPAWN = multiprocessing.get_context("spawn")


def _hold(root: str, told: "multiprocessing.synchronize.Event") -> None:
    with Journal(Store(root)).hold():
        told.set()
        signal.pause()


@contextlib.contextmanager
def holder(root: pathlib.Path) -> Iterator[multiprocessing.process.BaseProcess]:
    """A process that holds the lock of a vault."""
    told = SPAWN.Event()
    process = SPAWN.Process(target=_hold, args=(str(root), told))
    process.start()
    assert told.wait(60)
    try:
        yield process
    finally:
        process.kill()
        process.join()


def test_an_edit_that_cannot_have_the_lock_names_the_holder_and_changes_nothing(tmp_path: pathlib.Path) -> None:
    m = Memory(write(tmp_path, {"a.md": "x"}), lock_timeout_s=0.05)
    with holder(tmp_path) as process:
        with pytest.raises(Busy, match=f"process {process.pid} on .*nothing was changed"):
            m.write("a", "y")
        assert read(tmp_path) == {"a.md": b"x"}
        assert m.read("a").text == "x"
    m.write("a", "y")
    assert read(tmp_path) == {"a.md": b"y"}


def test_whoever_waits_is_not_refused_while_others_get_on(tmp_path: pathlib.Path) -> None:
    """Every attempt fails, but each time somebody else has made an edit since."""
    one, other = VaultLock(StateFolder(str(tmp_path)), 0.0), VaultLock(StateFolder(str(tmp_path)), 0.0)
    attempts = []

    def acquire(_: float) -> bool:
        attempts.append(1)
        with other.hold():
            return len(attempts) == 5

    one._wait_for(acquire)
    assert len(attempts) == 5
    with pytest.raises(Busy):
        one._wait_for(lambda _: False)


def test_a_holder_that_dies_frees_the_lock(tmp_path: pathlib.Path) -> None:
    with holder(tmp_path) as process:
        process.kill()
        process.join()
        Memory(str(tmp_path), lock_timeout_s=30).write("a", "y")
    assert read(tmp_path) == {"a.md": b"y"}


def test_a_journal_of_a_living_process_is_waited_for(tmp_path: pathlib.Path) -> None:
    """Not recovered under its feet: the files are left alone while the lock is held."""
    m = Memory(write(tmp_path, {"a.md": "x"}))
    m.write("b", "y")
    with holder(tmp_path):
        write(tmp_path, {".zkmem/journal/abc.0": "mine"})
        other = Memory(str(tmp_path), lock_timeout_s=0.05)
        assert other.read("a").text == "x"
        assert (tmp_path / ".zkmem/journal/abc.0").exists()
    Memory(str(tmp_path)).load()
    assert os.listdir(tmp_path / ".zkmem/journal") == []


def _edits(root: str, number: int, count: int) -> None:
    m = Memory(root, lock_timeout_s=60)
    m.start()
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            m.write("log", f"- {name}\n", append=True)
            m.write(f"new/{name}", f"[[log]] [[target {number}]] {name}\n")
        except BaseException as error:  # noqa: BLE001 - told below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"{number}-{n}",)) for n in range(count)]
    for thread in threads:
        thread.start()
    m.rename(f"target {number}", f"renamed/{number}")
    for thread in threads:
        thread.join()
    m.close()
    assert not failures, failures


def test_four_processes_lose_nothing_and_refuse_nothing(tmp_path: pathlib.Path) -> None:
    targets = {f"target {number}.md": f"target {number}\n" for number in range(4)}
    shared = "".join(f"[[target {number}]]\n" for number in range(4))
    write(tmp_path, {"log.md": "", **targets, **{f"referrer {n}.md": shared for n in range(5)}})
    processes = [SPAWN.Process(target=_edits, args=(str(tmp_path), number, 12)) for number in range(4)]
    for process in processes:
        process.start()
    by_hand = []
    log = tmp_path / "log.md"
    for number in range(40):  # a person who saves the note again and again: swapped in, so that nothing else is lost
        line = f"hand {number}\n"
        (tmp_path / ".by hand").write_bytes(log.read_bytes() + line.encode())
        seen = (tmp_path / ".by hand").read_bytes().removesuffix(line.encode())
        platform.current.exchange(str(tmp_path / ".by hand"), str(log))
        if (tmp_path / ".by hand").read_bytes() == seen:
            by_hand.append(line.strip())
        else:
            platform.current.exchange(str(tmp_path / ".by hand"), str(log))
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    os.unlink(tmp_path / ".by hand")
    names = [f"{number}-{n}" for number in range(4) for n in range(12)]
    assert sorted(line for line in log.read_text().splitlines() if "-" in line) == sorted(f"- {name}" for name in names)
    assert set(by_hand) <= set(log.read_text().splitlines())
    assert len(log.read_text().splitlines()) == len(set(log.read_text().splitlines()))
    files = read(tmp_path, hidden=True)
    for n in range(5):
        assert files[f"referrer {n}.md"].decode() == "".join(f"[[{number}]]\n" for number in range(4))
    assert {path for path in files if path.startswith("new/")} == {f"new/{name}.md" for name in names}
    for name in names:
        assert f"[[{name[0]}]]".encode() in files[f"new/{name}.md"] or b"[[renamed/" in files[f"new/{name}.md"] \
            or f"[[target {name[0]}]]".encode() in files[f"new/{name}.md"]  # fmt: skip
    m = Memory(str(tmp_path))
    m.load()
    assert index_faults(m) == []


def test_another_process_is_up_to_date_at_its_next_edit(tmp_path: pathlib.Path) -> None:
    """By the log of edits: no watcher runs here."""
    one, other = Memory(str(tmp_path)), Memory(write(tmp_path, {"x/b.md": "B"}))
    one.load()
    other.load()
    one.write("a", "[[b]]")
    other.write("/b", "another b")
    assert read(tmp_path)["a.md"] == b"[[x/b]]"


class TestState:
    def test_an_older_zkmem_does_not_write_to_a_newer_state_folder(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {"a.md": "x"}))
        m.write("a", "y")
        (tmp_path / ".zkmem/format").write_text("2\n")
        with pytest.raises(NewerState, match="update this zkmem"):
            m.write("a", "z")
        assert Memory(str(tmp_path)).read("a").text == "y"
        assert read(tmp_path) == {"a.md": b"y"}

    def test_a_state_folder_that_leads_elsewhere_is_not_used(self, tmp_path: pathlib.Path) -> None:
        root = tmp_path / "vault"
        write(root, {"a.md": "x"})
        (tmp_path / "elsewhere").mkdir()
        (root / ".zkmem").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(Unwritable, match="symbolic link"):
            Memory(str(root)).write("a", "y")
        assert os.listdir(tmp_path / "elsewhere") == []

    def test_git_sees_only_the_settings(self, tmp_path: pathlib.Path) -> None:
        Memory(str(tmp_path)).write("a", "x")
        write(tmp_path, {".zkmem/config.toml": ""})
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
        told = subprocess.run(["git", "status", "--porcelain", "-uall"], cwd=tmp_path, check=True, capture_output=True)
        assert told.stdout.split() == [b"??", b".zkmem/.gitignore", b"??", b".zkmem/config.toml", b"??", b"a.md"]

    def test_what_was_removed_of_it_is_made_again(self, tmp_path: pathlib.Path) -> None:
        m = Memory(str(tmp_path))
        m.write("a", "x")
        os.rmdir(tmp_path / ".zkmem/journal")
        m.write("a", "y")
        assert read(tmp_path) == {"a.md": b"y"}
