"""Small files that are replaced in one step, also when a process is killed meanwhile."""

import multiprocessing
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from zkmem.util.replacing import replace_file

KILLED = """
import os, signal, sys
from zkmem.util.replacing import replace_file

calls = 0

def killed(event, arguments):
    global calls
    if event in {"open", "os.rename"}:
        calls += 1
        if calls == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(killed)
replace_file(sys.argv[1], b"new", unless=lambda: int(sys.argv[2]) == 0 and os.kill(os.getpid(), signal.SIGKILL))
"""


@pytest.mark.parametrize("moment", [0, 1, 2])  # before the rename, when the file is opened, when it is renamed
def test_a_killed_process_leaves_the_old_file_and_nothing_that_stays(tmp_path: Path, moment: int) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path), str(moment)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    assert replace_file(str(path), b"newer")
    assert path.read_bytes() == b"newer"
    assert os.listdir(tmp_path) == ["f"]


def write_often(path: str, data: bytes) -> None:
    for _ in range(200):
        replace_file(path, data, durable=False)


def test_processes_that_replace_one_file_leave_one_of_their_texts(tmp_path: Path) -> None:
    path = tmp_path / "f"
    texts = [b"a" * 100_000, b"b" * 200_000, b"c"]
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=write_often, args=(str(path), text)) for text in texts]
    for process in processes:
        process.start()
    while any(process.is_alive() for process in processes):
        if path.exists():
            assert path.read_bytes() in texts
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert path.read_bytes() in texts
    assert os.listdir(tmp_path) == ["f"]


def test_a_file_is_not_replaced_if_there_is_a_reason_at_the_last_moment(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    assert not replace_file(str(path), b"new", unless=lambda: True)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["f"]


def test_a_new_file_has_the_permissions_that_are_asked_for(tmp_path: Path) -> None:
    like, path = tmp_path / "like", tmp_path / "f"
    like.touch()
    like.chmod(0o604)
    replace_file(str(path), b"", mode=0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    replace_file(str(path), b"", mode=0o600, like=str(like))
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    replace_file(str(path), b"", mode=0o600, like=str(tmp_path / "missing"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_what_is_no_file_is_not_removed(tmp_path: Path, kind: str) -> None:
    path, new, other = tmp_path / "f", tmp_path / "f.zkmem-new", tmp_path / "other"
    path.write_bytes(b"old")
    other.write_bytes(b"theirs")
    if kind == "link":
        new.symlink_to(other)
    elif kind == "folder":
        new.mkdir()
    else:
        os.mkfifo(new)
    with pytest.raises(OSError, match=r"f\.zkmem-new"):
        replace_file(str(path), b"new")
    assert path.read_bytes() == b"old"
    assert other.read_bytes() == b"theirs"
    assert os.path.lexists(new)
