"""Processes take turns at a folder, and nobody waits for ever."""

import errno
import fcntl
import os
import pathlib

import pytest

from zkmem.util.locks import Turn, locked_folder


def test_a_process_waits_for_its_turn_but_not_for_ever(tmp_path: pathlib.Path) -> None:
    folder = str(tmp_path)
    other = os.open(folder, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    with locked_folder(folder, 0.01) as turn:
        assert turn.has_timed_out
        assert turn.waited_s >= 0.01
    os.close(other)
    with locked_folder(folder, 60) as turn:
        assert turn == Turn()
        with locked_folder(folder, 0.01) as second:  # each opens the folder anew, as two processes would
            assert second.has_timed_out
    with locked_folder(folder, 60) as turn:
        assert turn == Turn()
    assert os.listdir(folder) == []


def test_a_folder_that_does_not_exist_is_no_obstacle(tmp_path: pathlib.Path) -> None:
    with locked_folder(str(tmp_path / "gone"), 60) as turn:
        assert turn == Turn()


def test_nobody_waits_on_a_disk_without_locks(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    with locked_folder(str(tmp_path), 60) as turn:
        assert turn == Turn()
