"""Processes take turns at a folder, and nobody waits for ever."""

import fcntl
import os
import pathlib

from zkmem.util.folder_lock import locked_folder


def test_a_process_waits_for_its_turn_but_not_for_ever(tmp_path: pathlib.Path) -> None:
    folder = str(tmp_path)
    other = os.open(folder, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    with locked_folder(folder, 0.01) as waited:
        assert waited
    os.close(other)
    with locked_folder(folder, 60) as waited:
        assert not waited
        with locked_folder(folder, 0.01) as waits:  # each opens the folder anew, as two processes would
            assert waits
    with locked_folder(folder, 60) as waited:
        assert not waited
    assert os.listdir(folder) == []


def test_a_folder_that_does_not_exist_is_no_obstacle(tmp_path: pathlib.Path) -> None:
    with locked_folder(str(tmp_path / "gone"), 60) as waited:
        assert not waited
