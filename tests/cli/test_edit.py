"""The command `edit`, with editors that are programs."""

import contextlib
import fcntl
import os
import pathlib
import signal
import subprocess
import sys

import pytest

from tests.cli.test_cli import zkmem
from tests.tools.vaults import read, write

TEXT = "first\nsecond\nthird\n"


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> pathlib.Path:
    return pathlib.Path(write(tmp_path / "notes", {"x/a.md": TEXT}))


@pytest.fixture
def copies(tmp_path: pathlib.Path) -> pathlib.Path:
    (folder := tmp_path / "copies").mkdir()
    return folder


def edit(
    vault: pathlib.Path, copies: pathlib.Path, name: str, script: str, **environ: str
) -> subprocess.CompletedProcess[str]:
    """Run `zkmem edit` with a script of the shell as the editor, in the folder of the vault; `$1` is its file."""
    editor = copies.parent / "my editor"
    editor.write_text(f"#!/bin/sh\nset -e\ncd '{vault}'\n{script}\n")
    editor.chmod(0o755)
    command = f"'{editor}' --wait"
    return zkmem("edit", name, "-C", str(vault), **{"VISUAL": "", "EDITOR": command, "TMPDIR": str(copies), **environ})


def test_a_note_is_edited_in_the_editor_of_the_user(vault: pathlib.Path, copies: pathlib.Path) -> None:
    done = edit(vault, copies, "a", "sed -i s/second/2/ $2")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("replaced x/a; etag ")
    assert read(vault) == {"x/a.md": b"first\n2\nthird\n"}
    assert edit(vault, copies, "a", "exit 1", VISUAL="sed -i s/2/two/").returncode == 0, "VISUAL comes first"
    assert read(vault) == {"x/a.md": b"first\ntwo\nthird\n"}
    assert not list(copies.iterdir())


def test_a_new_note_is_made_if_the_editor_saves_a_text(vault: pathlib.Path, copies: pathlib.Path) -> None:
    done = edit(vault, copies, "x/new", "true")
    assert (done.returncode, done.stdout) == (0, "Nothing was changed.\n")
    assert "If its window is still open, what you save there is lost" in done.stderr  # as with `code` alone
    assert edit(vault, copies, "x/new", "echo new > $2").stdout.startswith("created x/new; etag ")
    assert read(vault) == {"x/a.md": TEXT.encode(), "x/new.md": b"new\n"}


def test_what_others_save_meanwhile_is_merged(vault: pathlib.Path, copies: pathlib.Path) -> None:
    done = edit(vault, copies, "a", "sed -i s/first/1/ x/a.md; sed -i s/third/3/ $2")
    assert (done.returncode, done.stderr) == (0, "")
    assert "These changes of others were merged into it:\n" in done.stdout
    assert read(vault) == {"x/a.md": b"1\nsecond\n3\n"}


@pytest.mark.parametrize(
    ("name", "script", "code", "kept"),
    [
        ("a", "sed -i s/first/1/ x/a.md; sed -i s/first/one/ $2", 4, b"one\nsecond\nthird\n"),
        ("a", "rm x/a.md; echo mine >> $2", 4, TEXT.encode() + b"mine\n"),
        ("new", "echo theirs > new.md; echo mine > $2", 4, b"mine\n"),
        ("a#b", "echo mine > $2", 2, b"mine\n"),
        ("a", r"printf '\377' > $2", 2, b"\xff"),
    ],
)
def test_a_text_that_cannot_be_saved_is_kept(
    vault: pathlib.Path, copies: pathlib.Path, name: str, script: str, code: int, kept: bytes
) -> None:
    done = edit(vault, copies, name, script)
    assert (done.returncode, done.stdout) == (code, "")
    (copy,) = copies.iterdir()
    assert done.stderr.startswith("Error: ")
    assert done.stderr.endswith(f"\nYour text is kept in {copy}\n")
    assert copy.read_bytes() == kept
    assert b"mine" not in b"".join(read(vault).values())


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo x > $2; exit 3", "Your text is kept in "),
        ("exit 3", "failed; nothing was changed. Name another one in EDITOR."),
        ("echo > $2", "The text is empty; nothing was changed. To delete the note, use: zkmem rm x/a"),
    ],
)
def test_an_editor_that_fails_or_empties_the_note_changes_nothing(
    vault: pathlib.Path, copies: pathlib.Path, script: str, says: str
) -> None:
    done = edit(vault, copies, "a", script)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert read(vault) == {"x/a.md": TEXT.encode()}
    assert bool(list(copies.iterdir())) == ("kept" in says)


def test_a_missing_editor_is_told_in_a_sentence(vault: pathlib.Path, copies: pathlib.Path) -> None:
    done = edit(vault, copies, "a", "", EDITOR="no-such-editor")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "no-such-editor" in done.stderr
    assert "Name another one in EDITOR." in done.stderr


def test_a_text_whose_saving_is_interrupted_is_kept(vault: pathlib.Path, copies: pathlib.Path) -> None:
    (vault / ".zkmem").mkdir()
    environ = {**os.environ, "VISUAL": "", "EDITOR": "sed -i s/second/2/", "TMPDIR": str(copies)}
    with open(vault / ".zkmem" / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the command waits for it when it saves
        command = [sys.executable, "-m", "zkmem", "edit", "a", "-C", str(vault)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ) as process:
            while process.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(2)
                if any("second" not in copy.read_text() for copy in copies.glob("*.md")):  # the editor has ended
                    process.send_signal(signal.SIGINT)
            assert process.stderr
            told = process.stderr.read()
    (copy,) = copies.iterdir()
    assert (process.returncode, told.strip()) == (130, f"Your text is kept in {copy}")
    assert copy.read_text() == TEXT.replace("second", "2")


def test_ctrl_c_is_for_the_editor(vault: pathlib.Path, copies: pathlib.Path) -> None:
    done = edit(vault, copies, "a", "kill -INT $PPID; echo more >> $2")
    assert (done.returncode, done.stderr) == (0, "")
    assert read(vault) == {"x/a.md": TEXT.encode() + b"more\n"}
