"""Which folder a command takes for the vault, as a process."""

import os
import pathlib
import subprocess
import sys

import pytest

from tests.tools.configurations import Desk
from tests.tools.vaults import read, write

FILES = {"a.md": "alpha\n", "sub/b.md": "beta\n"}
WITHOUT = (
    "get a", "ls", "path a", "edit a", "set a x", "rm a", "mv a b", "hints", "suggest", "search alpha",
    "extract a b alpha", "log", "show a@1", "diff a", "restore a@1", "undo", "redo", "check", "watch", "export",
    "import memory.jsonl", "token add x", "token list", "token remove x", "serve",
    "serve --mode http --port 0", "trust", "install cursor --force",
)  # fmt: skip


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    return Desk(tmp_path / "home")


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    return pathlib.Path(write(tmp_path / "notes", FILES))


@pytest.mark.parametrize("command", WITHOUT)
def test_no_command_takes_the_current_folder_if_it_is_no_vault(command: str, desk: Desk, folder: pathlib.Path) -> None:
    write(folder, {"memory.jsonl": ""})
    before = read(str(folder), hidden=True)
    done = desk.run(*command.split(), cwd=folder)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    for says in ("No vault is named", "--vault DIR", "ZKMEM_VAULT", ".zkmem/", "zkmem init"):
        assert says in done.stderr
    assert read(str(folder), hidden=True) == before


def test_doctor_says_that_no_vault_is_named(desk: Desk, folder: pathlib.Path) -> None:
    done = desk.run("doctor", cwd=folder)
    assert done.returncode == 1
    assert "vault: No vault is named" in done.stdout


def test_a_folder_is_a_vault_by_its_name_alone(desk: Desk, folder: pathlib.Path) -> None:
    assert desk.run("get", "a", "--vault", "../notes", cwd=folder).stdout == "alpha\n"
    assert desk.run("get", "a", "--vault", ".", cwd=folder).stdout == "alpha\n"
    assert desk.run("get", "a", ZKMEM_VAULT=str(folder)).stdout == "alpha\n"


def test_the_nearest_folder_with_a_state_is_the_vault(desk: Desk, folder: pathlib.Path) -> None:
    assert desk.run("init", cwd=folder).stdout.startswith(f"the vault {folder} is ready")
    assert desk.run("get", "a", cwd=folder / "sub").stdout == "alpha\n"
    other = pathlib.Path(write(folder.parent / "other", {"a.md": "other\n"}))
    assert desk.run("get", "a", cwd=folder, ZKMEM_VAULT=str(other)).stdout == "other\n"
    assert desk.run("get", "a", "-C", str(folder), cwd=other, ZKMEM_VAULT=str(other)).stdout == "alpha\n"
    assert desk.run("init", str(folder / "sub")).returncode == 0
    assert desk.run("get", "b", cwd=folder / "sub").stdout == "beta\n"


@pytest.mark.parametrize("command", [["get", "a", "-C", ""], ["serve", ""], ["init", ""], ["trust", ""]])
def test_an_empty_name_is_not_the_current_folder(command: list[str], desk: Desk, folder: pathlib.Path) -> None:
    (folder / ".zkmem").mkdir()
    done = desk.run(*command, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: The name of the vault is empty")


@pytest.mark.parametrize(
    "command", [["get", "a", "-C", "~"], ["serve", "~"], ["init"], ["get", "a", "-C", "/"], ["hints"]]
)
def test_the_home_folder_and_what_holds_it_are_refused(command: list[str], desk: Desk) -> None:
    write(desk.folder, FILES)
    if command == ["hints"]:
        (desk.folder / ".zkmem").mkdir()
    before = os.listdir(desk.folder)
    done = desk.run(*command)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is or contains your home folder" in done.stderr
    assert "--any-folder" in done.stderr
    assert os.listdir(desk.folder) == before


def test_the_home_folder_is_the_vault_of_who_insists(desk: Desk) -> None:
    write(desk.folder, FILES)
    assert desk.run("--any-folder", "get", "a", "-C", "~").stdout == "alpha\n"
    assert desk.run("get", "a", "-C", "~", ZKMEM_ANY_FOLDER="1").stdout == "alpha\n"
    assert desk.run("--any-folder", "init").returncode == 0
    done = desk.run("--any-folder", "install", "cursor", "--print")
    assert f'"args": ["--any-folder", "serve", "{desk.folder}"]' in done.stdout


def test_a_current_folder_that_is_gone_is_no_vault(desk: Desk, folder: pathlib.Path) -> None:
    gone = folder / "gone"
    gone.mkdir()
    code = "import os, sys; os.rmdir(os.getcwd()); os.execv(sys.argv[1], [sys.argv[1], 'hints'])"
    program = str(pathlib.Path(sys.executable).with_name("zkmem"))
    done = subprocess.run(
        [sys.executable, "-c", code, program], cwd=gone, capture_output=True, text=True, check=False, env=desk.environ
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "The current folder no longer exists" in done.stderr
