"""The lock between processes on a file."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from zkmem.vault import platform
from zkmem.vault.journal.lock import LockFile
from zkmem.vault.platform import Linked

HOLD = "import sys; from zkmem.vault.journal.lock import LockFile; lock = LockFile(sys.argv[1]); \
print(lock.acquire(0), flush=True); sys.stdin.read()"


@contextmanager
def holder(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that holds the lock until it is killed."""
    words, pipe = [sys.executable, "-c", HOLD, str(path)], subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "True\n"
        yield process
        process.kill()


def test_one_process_holds_the_lock_until_it_is_killed(tmp_path: Path) -> None:
    lock = LockFile(str(tmp_path / "lock"))
    with holder(tmp_path / "lock") as process:
        assert not lock.acquire(0)
        assert not lock.acquire(0.01)
        process.send_signal(signal.SIGKILL)
        assert lock.acquire(30)
    lock.release()


def test_one_object_of_a_process_holds_the_lock(tmp_path: Path) -> None:
    first, second = (LockFile(str(tmp_path / "lock")) for _ in range(2))
    for _ in range(3):
        assert first.acquire(0)
        assert not second.acquire(0)
        first.release()
        assert second.acquire(0)
        assert not first.acquire(0)
        second.release()


def test_nothing_stays_open(tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd")
    lock, other = (LockFile(str(tmp_path / "lock")) for _ in range(2))
    assert lock.acquire(0)
    assert not other.acquire(0)
    lock.release()
    assert os.listdir("/proc/self/fd") == before


def test_a_lock_on_a_file_that_was_replaced_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, lock, other = tmp_path / "lock", LockFile(str(tmp_path / "lock")), LockFile(str(tmp_path / "lock"))
    path.touch()
    really = os.open

    def replaced(*arguments: int | str, **options: int) -> int:
        """Open the file, and replace it before it is locked."""
        handle = really(*arguments, **options)  # type: ignore[arg-type]
        monkeypatch.undo()
        path.unlink()
        assert other.acquire(0)
        return handle

    monkeypatch.setattr(platform.current, "opened", replaced)
    assert not lock.acquire(0), "the other one holds the file that is there now"
    other.release()
    assert lock.acquire(0)
    lock.release()


def test_a_pipe_in_its_place_does_not_hang_the_process(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lock")
    lock = LockFile(str(tmp_path / "lock"))
    assert lock.acquire(0)
    with pytest.raises(OSError, match="seek"):
        lock.write(b"x")
    lock.release()


@pytest.mark.parametrize("target", ["elsewhere", "nowhere"])
def test_a_link_in_its_place_is_not_followed(tmp_path: Path, target: str) -> None:
    (tmp_path / "elsewhere").touch()
    (tmp_path / "lock").symlink_to(tmp_path / target)
    with pytest.raises(Linked):
        LockFile(str(tmp_path / "lock")).acquire(0)
    assert not (tmp_path / "nowhere").exists()


def test_a_forked_process_does_not_keep_the_lock(tmp_path: Path) -> None:
    lock, other = (LockFile(str(tmp_path / "lock")) for _ in range(2))
    assert lock.acquire(0)
    ended, end = os.pipe()
    if (child := os.fork()) == 0:  # it has a copy of the handle
        os.close(end)
        os.read(ended, 1)
        os._exit(0)
    try:
        lock.release()
        assert other.acquire(0)
        other.release()
    finally:
        os.close(end)
        os.waitpid(child, 0)
        os.close(ended)
