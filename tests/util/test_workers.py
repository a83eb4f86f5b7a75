"""Processes that share work: their answers, and what happens when one of them does not answer."""

import os
import subprocess
import sys
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from tests.tools.answering import answer
from zkmem.util import workers
from zkmem.util.workers import Workers, command, cores

HERE = os.getpid()


def started() -> Workers:
    return Workers("tests.tools.answering", (), answer)


def test_other_processes_answer_in_order() -> None:
    requests = [None, 5, "é\udce9", b"x" * 1_000_000, [1, (2.5, {"a": True})], *range(300)]
    with started() as processes:
        answers = list(processes.answers(requests))
    assert [request for request, _ in answers] == requests
    others = {process for _, process in answers}
    assert HERE not in others
    assert len(others) == min(cores(), 4)


@pytest.mark.parametrize("trouble", ["die", "hang"])
def test_this_process_answers_what_another_does_not(trouble: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_PATIENCE_S", 2.0)
    with started() as processes:
        assert processes.submit("before").result()[1] != HERE
        assert processes.submit(trouble).result() == [trouble, HERE]
        assert [request for request, _ in processes.answers(range(100))] == list(range(100))


@pytest.mark.parametrize("program", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho nonsense that is longer\n", "nothing"])
def test_this_process_answers_when_there_is_no_other(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "python").write_text(program)
    (tmp_path / "python").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with started() as processes:
        assert list(processes.answers(range(9))) == [[number, HERE] for number in range(9)]


def test_the_end_does_not_wait_for_answers() -> None:
    processes = started()
    waiting = [processes.submit("hang") for _ in range(20)]
    processes.close()
    for each in waiting:
        with pytest.raises((CancelledError, EOFError, OSError)):
            each.result()


def test_a_process_does_not_import_from_the_folder_in_which_it_starts(tmp_path: Path) -> None:
    for name in ("json", "regex", "zkmem", "resource"):
        (tmp_path / f"{name}.py").write_text("open('imported', 'w')\n")
    ended = subprocess.run(
        command("zkmem.toolsets.think.worker", ("regex",), "5"),
        input=b'{"pattern": "a+", "groups": [["caat"], ["x"]]}',
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        check=True,
    )
    assert b"0" in ended.stdout
    assert not (tmp_path / "imported").exists()
