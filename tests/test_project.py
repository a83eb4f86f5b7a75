"""A project's file `.zkmem-vault`: which vault it names, and that it has no effect until the user allows that."""

import json
import os
import pathlib

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.tools.configurations import Desk
from tests.tools.forked import zkmem_program
from tests.tools.vaults import read, write


class Work:
    """A user's desk with two vaults and a project in a repository, whose file names one of them."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.desk = Desk(folder / "home")
        home = self.desk.folder
        self.named = pathlib.Path(write(home / "work", {"hint.md": "of work\n"}))
        self.other = pathlib.Path(write(home / "notes", {"hint.md": "of mine\n"}))
        self.folder = pathlib.Path(write(home / "code" / "project", {".git/HEAD": "x", "src/deep/a.py": ""}))
        self.file = self.folder / ".zkmem-vault"
        self.file.write_text("../../work\n")

    def allow(self) -> None:
        done = self.desk.run("trust", "--project", "--yes", cwd=self.folder)
        assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "allowed")

    def hint(self, folder: pathlib.Path | None = None) -> str:
        """The note of the vault that a command uses in a folder, or the error."""
        done = self.desk.run("get", "hint", cwd=folder or self.folder / "src/deep")
        return done.stdout or done.stderr


@pytest.fixture
def work(tmp_path: pathlib.Path) -> Work:
    return Work(tmp_path)


def test_a_file_has_no_effect_until_the_user_allows_it(work: Work) -> None:
    before = read(str(work.named), hidden=True)
    refused = work.hint()
    assert refused.count("\n") == 1
    for says in (str(work.file), str(work.named), "zkmem trust --project", "--vault"):
        assert says in refused
    done = work.desk.run("trust", "--project", cwd=work.folder)
    assert (done.returncode, "no terminal" in done.stderr) == (2, True)
    shown = json.loads(work.desk.run("trust", "--project", "--json", cwd=work.folder / "src").stdout)
    assert shown == {"project": str(work.file), "vault": str(work.named), "trusted": False}
    assert work.hint() == refused
    assert read(str(work.named), hidden=True) == before

    work.allow()
    assert work.hint() == "of work\n"
    assert work.hint(work.folder) == "of work\n"
    assert work.desk.run("trust", "--project", cwd=work.folder).stdout.endswith("allowed already\n")
    assert json.loads(work.desk.run("trust", "--list", "--json").stdout)["projects"] == [
        {"project": str(work.file), "vault": str(work.named)}
    ]
    assert str(work.file) in work.desk.run("trust", "--list").stdout
    assert work.desk.run("untrust", str(work.folder)).returncode == 0
    assert work.hint() == refused
    assert work.desk.run("untrust", str(work.folder)).returncode == 2


def test_what_was_allowed_is_this_file_and_this_vault(work: Work) -> None:
    work.allow()
    work.file.write_text("../../notes\n")
    assert "names the vault" in work.hint()
    work.file.write_text("~/work")
    assert work.hint() == "of work\n"
    work.file.write_text(f"{work.named}\n")
    assert work.hint() == "of work\n"
    (work.folder / "link").symlink_to(work.named)
    work.file.write_text("link\n")
    assert work.hint() == "of work\n"
    (work.folder / "link").unlink()
    (work.folder / "link").symlink_to(work.other)
    assert "names the vault" in work.hint()
    copy = work.folder.with_name("copy")
    work.file.write_text("../../work\n")
    os.rename(work.folder, copy)
    assert "names the vault" in work.hint(copy)


def test_the_search_ends_at_the_repository_and_at_the_home_folder(work: Work, tmp_path: pathlib.Path) -> None:
    (tmp_path / ".zkmem-vault").write_text("home/notes\n")
    (work.desk.folder / ".zkmem-vault").write_text("notes\n")
    work.file.unlink()
    assert "No vault is named" in work.hint()
    assert "names the vault" in work.hint(work.desk.folder / "code")
    (work.desk.folder / ".zkmem-vault").unlink()
    assert "No vault is named" in work.hint(work.desk.folder / "code")
    elsewhere = pathlib.Path(write(tmp_path / "elsewhere", {"sub/a": ""}))
    assert "No vault is named" in work.hint(elsewhere)
    (elsewhere / ".zkmem-vault").write_text(str(work.named))
    assert "No vault is named" in work.hint(elsewhere / "sub")
    assert "names the vault" in work.hint(elsewhere)


def test_a_vault_that_is_named_or_nearer_comes_first(work: Work) -> None:
    run = work.desk.run
    assert run("get", "hint", "--vault", str(work.other), cwd=work.folder).stdout == "of mine\n"
    assert run("get", "hint", cwd=work.folder, ZKMEM_VAULT=str(work.other)).stdout == "of mine\n"
    inner = write(work.folder / "docs", {"hint.md": "of the project\n"})
    assert run("init", inner).returncode == 0
    assert work.hint(pathlib.Path(inner)) == "of the project\n"
    assert run("init", str(work.folder)).returncode == 0
    assert work.hint(work.folder) == "of the project\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "one line"),
        (b" \n\n", "one line"),
        (b"../../work\n../../notes\n", "one line"),
        (b"../../wo\x00rk", "one line"),
        (b"../../work\x1b[2J", "one line"),
        (b"x" * 5_000, "at most 4096 bytes"),
        (b"../../w\xffrk", "cannot be read"),
        ("link", "is not a file"),
        ("pipe", "is not a file"),
        ("folder", "is not a file"),
    ],
)
def test_a_file_that_names_no_vault_is_refused(content: bytes | str, says: str, work: Work) -> None:
    if isinstance(content, bytes):
        work.file.write_bytes(content)
    else:
        work.file.unlink()
        if content == "link":
            work.file.symlink_to(work.named / "hint.md")
        elif content == "pipe":
            os.mkfifo(work.file)
        else:
            work.file.mkdir()
    for order in (["get", "hint"], ["trust", "--project", "--yes"], ["serve", str(work.other), "--per-project"]):
        done = work.desk.run(*order, cwd=work.folder)
        assert (done.returncode, done.stdout, says in done.stderr) == (2, "", True), done.stderr
        assert "\x1b" not in done.stderr


def test_a_project_cannot_name_the_home_folder_or_what_does_not_exist(work: Work) -> None:
    nowhere = work.folder.parent / "nowhere"
    for name in ("~", "../../.."):
        work.file.write_text(name)
        work.allow()
        assert "home folder" in work.hint()
    work.file.write_text("../nowhere")
    refused = work.desk.run("trust", "--project", "--yes", cwd=work.folder)
    assert (refused.returncode, "which does not exist" in refused.stderr) == (2, True)
    nowhere.mkdir()
    work.allow()
    nowhere.rmdir()
    assert "does not exist" in work.hint()
    assert not nowhere.exists()


@pytest.mark.anyio
async def test_a_client_gets_the_vault_of_the_project_in_which_it_starts_the_server(work: Work) -> None:
    work.allow()
    words = ["serve", str(work.other), "--per-project"]
    for folder, text in ((work.folder / "src/deep", "of work"), (work.desk.folder, "of mine")):
        started = StdioServerParameters(command=zkmem_program(), args=words, cwd=folder, env=work.desk.environ)
        async with Client(started) as connected:
            result = await connected.call_tool("get_content", {"name": "hint"})
        assert text in str(result.content[0])


def test_an_entry_has_the_absolute_path_of_the_vault_that_the_project_names(work: Work) -> None:
    work.allow()
    done = work.desk.run("install", "cursor", "--project", "--json", cwd=work.folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["command"][-2:] == ["serve", str(work.named)]
    done = work.desk.run(
        "install", "codex", "--force", "--vault", "~/notes", "--per-project", "--json", cwd=work.folder
    )
    assert json.loads(done.stdout)["command"][-3:] == ["serve", str(work.other), "--per-project"]
