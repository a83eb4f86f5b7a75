"""The commands `sync`, `clone` and `init --remote`, as processes."""

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sync.machines import git
from tests.sync.shared import Shared
from tests.tools.forked import zkmem_command
from tests.tools.vaults import allow_git, write


def zkmem(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command of zkmem in a folder, which is also the home folder of its user."""
    environ = {**os.environ, "HOME": str(cwd), "ZKMEM_SYNC_MACHINE": ""}
    return zkmem_command(*arguments, environ=environ, cwd=cwd)


@pytest.mark.parametrize("address", ["{}.git", "~/{}.git", "../home/{}.git"])
def test_the_address_of_a_folder_begins_at_the_current_folder(tmp_path: Path, address: str) -> None:
    home = tmp_path / "home"
    for name in ("right", "decoy"):
        git(tmp_path, "init", "-q", "--bare", "-b", "main", str(home / f"{name}.git"))
        made = zkmem("init", f"first/{name}", "--git", "--remote", address.format(name), cwd=home)
        assert made.returncode == 0, made.stderr
        write(home / "first" / name, {f"{name}.md": "text\n"})
        assert zkmem("sync", "-C", f"first/{name}", cwd=home).stdout == "pushed: 2 commits\n"
    (home / "deep" / "er").mkdir(parents=True)
    (home / "deep" / "right.git").symlink_to(home / "decoy.git")  # beside the new folder
    cloned = zkmem("clone", address.format("right"), "deep/er/notes", cwd=home)
    assert cloned.returncode == 0, cloned.stderr
    assert (home / "deep" / "er" / "notes" / "right.md").exists()
    done = zkmem("sync", "-C", "deep/er/notes", "--remote", address.format("right"), cwd=home)
    assert done.stdout == "up to date\n" if "/" in address else "no remote 'right.git'" in done.stderr


@pytest.mark.parametrize(("branch", "is_empty"), [("main", False), ("master", True), ("trunk/notes", False)])
def test_a_new_vault_has_the_default_branch_of_its_remote(tmp_path: Path, branch: str, is_empty: bool) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", branch, "shared.git")
    if not is_empty:
        git(tmp_path, "clone", "-q", "shared.git", "other")
        write(tmp_path / "other", {"README.md": "A vault.\n"})
        git(tmp_path / "other", "add", "-A")
        git(tmp_path / "other", "commit", "-qm", "first")
        git(tmp_path / "other", "push", "-q", "origin", f"HEAD:{branch}", "HEAD:aside")
    assert zkmem("init", "vault", "--git", "--remote", "shared.git", cwd=tmp_path).returncode == 0
    write(tmp_path / "vault", {"tea.md": "Green.\n"})
    done = zkmem("sync", "-C", "vault", *(() if is_empty else ("--accept-unrelated",)), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    branches = git(tmp_path / "shared.git", "for-each-ref", "--format=%(refname:short)").split()
    assert branches == ([branch] if is_empty else sorted([branch, "aside"]))
    assert "tea.md" in git(tmp_path / "shared.git", "ls-tree", "--name-only", "HEAD")
    assert git(tmp_path / "vault", "pull", "--no-rebase").strip() == "Already up to date."


def test_a_vault_whose_repository_was_there_keeps_its_branch(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "shared.git")
    git(tmp_path, "init", "-q", "-b", "mine", "vault")
    allow_git(tmp_path / "vault")
    assert zkmem("init", "vault", "--git", "--remote", "shared.git", cwd=tmp_path).returncode == 0
    assert git(tmp_path / "vault", "symbolic-ref", "--short", "HEAD") == "mine\n"


def test_a_vault_in_a_repository_with_another_remote_is_not_made(tmp_path: Path) -> None:
    for name in ("shared.git", "other.git"):
        git(tmp_path, "init", "-q", "--bare", name)
    git(tmp_path, "clone", "-q", "other.git", "code")
    (tmp_path / "code/vault").mkdir()
    allow_git(tmp_path / "code/vault")
    done = zkmem("init", "code/vault", "--git", "--remote", "shared.git", cwd=tmp_path)
    assert "the remote origin has the address" in done.stderr
    assert not list((tmp_path / "code/vault").iterdir())


def test_a_remote_is_not_added_to_a_repository_that_is_not_allowed(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "shared.git")
    git(tmp_path, "init", "-q", "vault")
    config, outside = tmp_path / "vault/.git/config", tmp_path / "outside"
    before = config.rename(outside).read_bytes()
    config.symlink_to(outside)
    done = zkmem("init", "vault", "--git", "--remote", "shared.git", cwd=tmp_path)
    assert done.returncode == 5
    assert "The remote was not added: git does not run in this vault, whose repository you have not" in done.stderr
    assert f"; `zkmem trust {tmp_path}/vault` shows what it asks for, and allows it" in done.stderr
    assert outside.read_bytes() == before
    assert os.listdir(tmp_path / "vault") == [".git"]


@pytest.mark.parametrize("settings", ["", "max_chars = 5000\n"])
def test_a_remote_is_added_to_a_repository_that_init_makes(tmp_path: Path, settings: str) -> None:
    git(tmp_path, "init", "-q", "--bare", "shared.git")
    write(tmp_path / "vault", {".zkmem/config.toml": settings} if settings else {})
    done = zkmem("init", "vault", "--git", "--remote", "shared.git", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert git(tmp_path / "vault", "remote", "get-url", "origin").strip() == str(tmp_path / "shared.git")
    told = f"zkmem does not know whose folder this was, so git runs only after: zkmem trust {tmp_path}/vault\n"
    assert (told in done.stdout) == bool(settings)


def test_a_vault_is_made_though_its_remote_cannot_be_reached(tmp_path: Path) -> None:
    done = zkmem("init", "vault", "--git", "--remote", "http://ann:s3cret@127.0.0.1:1/notes.git", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "'http://127.0.0.1:1/notes.git' cannot be reached" in done.stdout
    assert f"git -C {tmp_path}/vault branch -m NAME" in done.stdout
    assert git(tmp_path / "vault", "remote", "get-url", "origin").strip() == "http://ann:s3cret@127.0.0.1:1/notes.git"


@pytest.mark.parametrize("clone", [("zkmem", "clone"), ("git", "clone", "-q")])
def test_two_people_who_clone_an_empty_remote_are_not_asked_whether_it_is_theirs(
    tmp_path: Path, clone: tuple[str, ...]
) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "shared.git")
    for name in ("ann", "bob"):
        if clone[0] == "git":
            git(tmp_path, *clone[1:], "shared.git", name)
            assert zkmem("init", name, "--git", cwd=tmp_path).returncode == 0
            allow_git(tmp_path / name)
        else:
            assert zkmem(*clone[1:], "shared.git", name, cwd=tmp_path).returncode == 0
        write(tmp_path / name, {f"{name}.md": "text\n"})
    for name in ("ann", "bob", "ann"):
        done = zkmem("sync", "-C", name, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    for name in ("ann", "bob"):
        assert {"ann.md", "bob.md"} <= {path.name for path in (tmp_path / name).iterdir()}


def test_init_takes_only_a_remote_that_takes_pushes(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "work")
    git(tmp_path, "init", "-q", "--bare", "vault/inside.git")
    (tmp_path / "empty").mkdir()
    for remote, sentence in {
        "work": "has a work tree (it is not bare), so it takes no pushes",
        "vault/inside.git": "is inside the vault;",
        "file://localhost/x": "There is no repository at '/localhost/x'",
        "empty": "cannot be used as a repository",
        "nothing": "There is no repository at",
        "ext::sh -c true": "zkmem supports only the protocols file, git, http, https, ssh",
    }.items():
        done = zkmem("init", "vault", "--git", "--remote", remote, cwd=tmp_path)
        assert (done.returncode, sentence in done.stderr) == (2, True), done.stderr
        assert "git init --bare" in done.stderr or remote in {"vault/inside.git", "ext::sh -c true"}
    assert os.listdir(tmp_path / "vault") == ["inside.git"]


def test_a_remote_on_a_disk_that_is_not_there_now_is_offline(tmp_path: Path) -> None:
    shared = Shared(tmp_path, {"tea.md": "Green.\n"})
    shared.remote.rename(tmp_path / "away.git")
    assert "not there now" in shared.sync("laptop").offline
    done = zkmem("clone", str(shared.remote), "new", cwd=tmp_path)
    assert done.returncode
    assert "there is no repository" in done.stderr


def test_a_key_is_pushed_only_with_the_option_yes(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "shared.git")
    assert zkmem("clone", "shared.git", "ann", cwd=tmp_path).returncode == 0
    write(tmp_path / "ann", {"keys.md": "ghp_" + "Zq7Lw2Nx9Rt4" * 3})
    done = zkmem("sync", "-C", "ann", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "(line 1 of keys). Take it out of the notes and of these commits" in done.stderr
    assert "or, to push it, run `zkmem sync --yes` in the vault" in done.stderr
    assert zkmem("sync", "-C", "ann", "--yes", cwd=tmp_path).returncode == 0
    assert "keys.md" in git(tmp_path / "shared.git", "ls-tree", "--name-only", "main")
    assert zkmem("sync", "-C", "ann", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("answer", ["n", "y"])
def test_a_terminal_is_asked_whether_a_key_is_pushed(tmp_path: Path, answer: str) -> None:
    shared = Shared(tmp_path, {"tea.md": "Green.\n"})
    write(shared.root("laptop"), {"keys.md": "ghp_" + "Zq7Lw2Nx9Rt4" * 3})
    write(shared.root("desktop"), {"theirs.md": "Theirs.\n"})
    shared.sync("desktop")

    allow_git(shared.root("laptop"))

    def on_a_terminal(*options: str) -> "subprocess.CompletedProcess[str]":
        person, terminal = pty.openpty()
        os.write(person, answer.encode() + b"\n")
        command = [sys.executable, "-m", "zkmem", "sync", "-C", str(shared.root("laptop")), *options]
        done = subprocess.run(command, stdin=terminal, capture_output=True, text=True, check=False, timeout=120)
        os.close(person)
        os.close(terminal)
        return done

    previewed = on_a_terminal("--dry-run")
    assert (previewed.returncode, "[y/N]" in previewed.stderr) == (1, False), "there is nothing to agree to"
    done = on_a_terminal()
    assert done.stderr.startswith(
        "The remote would get what looks like a key: this looks like a token (line 1 of keys).\n"
        "Push it all the same? [y/N]: "
    )
    said = done.stderr.partition("[y/N]: ")[2]
    assert said == ("" if answer == "y" else "Error: Nothing was pushed; what came from the remote was merged here.\n")
    assert done.returncode == (0 if answer == "y" else 1)
    assert ("keys.md" in git(shared.remote, "ls-tree", "--name-only", "main")) == (answer == "y")


def test_a_clone_to_a_folder_that_is_not_empty_names_what_it_has(tmp_path: Path) -> None:
    Shared(tmp_path, {"tea.md": "Green.\n"})
    done = zkmem("clone", "remote.git", "laptop", cwd=tmp_path)
    assert "The folder 'laptop' is not empty: it has '.git'. Name another folder." in done.stderr


def test_a_clone_that_fails_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for folder in ("there/new/notes", "there"):
        assert zkmem("clone", "missing.git", folder, cwd=tmp_path).returncode
        assert (os.listdir(tmp_path), os.listdir(tmp_path / "there")) == (["there"], [])


def test_a_server_says_that_it_synchronises(tmp_path: Path) -> None:
    shared = Shared(tmp_path, {"tea.md": "Green.\n"})
    address = f"file://ann:secret@{shared.remote}"
    environ = {**os.environ, "ZKMEM_SYNC_REMOTE": address, "ZKMEM_SYNC_EVERY": "90"}
    command = [sys.executable, "-m", "zkmem", "serve", str(shared.root("laptop")), "--sync"]
    done = subprocess.run(command, input=b"", capture_output=True, check=True, env=environ, timeout=120)
    first = done.stderr.decode().splitlines()[0]
    assert first == f"Synchronises with file://{shared.remote} every 90 s, and 5 s after an edit (see: zkmem doctor)"


def wrapped_git(folder: Path, patch: pytest.MonkeyPatch, script: str) -> None:
    """Let all processes run some lines of a shell script before each git command."""
    (folder / "bin").mkdir()
    (folder / "bin" / "git").write_text(f'#!/bin/sh\n{script}\nexec {shutil.which("git")} "$@"\n')
    (folder / "bin" / "git").chmod(0o755)
    patch.setenv("PATH", f"{folder}/bin:{os.environ['PATH']}")


def test_a_clone_that_fails_removes_no_file_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody writes a file there while git looks at the remote, or while it writes files."""
    Shared(tmp_path, {"tea.md": "Green.\n"})
    mine = tmp_path / "new" / "notes" / "mine.md"
    write = f"mkdir -p {mine.parent}; echo > {mine}"
    wrapped_git(tmp_path, monkeypatch, f'case "$*" in *$MOMENT*) {write};; esac')
    for moment in ("ls-remote", "checkout"):
        monkeypatch.setenv("MOMENT", moment)
        done = zkmem("clone", "remote.git", "new/notes", cwd=tmp_path)
        assert (done.returncode, "it has 'mine.md'" in done.stderr) == (5, True), done.stderr
        assert os.listdir(mine.parent) == ["mine.md"]
        mine.unlink()


@pytest.mark.parametrize(("moment", "number", "code"), [("clone", "INT", 130), ("checkout", "TERM", 143)])
def test_an_interrupted_clone_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, number: str, code: int
) -> None:
    Shared(tmp_path, {"tea.md": "Green.\n"})
    stop = f'for last; do :; done; mkdir -p "$last/.git"; kill -{number} $PPID; sleep 60'
    wrapped_git(tmp_path, monkeypatch, f'case "$*" in *" {moment} "*) {stop};; esac')
    assert zkmem("clone", "remote.git", "new/notes", cwd=tmp_path).returncode == code
    assert not (tmp_path / "new").exists()


def test_a_file_cannot_be_the_folder_of_a_clone(tmp_path: Path) -> None:
    Shared(tmp_path, {"tea.md": "Green.\n"})
    (tmp_path / "plain").write_text("text")
    for folder, reason in {"plain": "File exists", "plain/new": "Not a directory"}.items():
        done = zkmem("clone", "remote.git", folder, cwd=tmp_path)
        assert (done.returncode, f"{folder}': {reason}." in done.stderr) == (5, True), done.stderr
    assert (tmp_path / "plain").read_text() == "text"


def test_a_vault_below_the_top_of_a_repository_is_cloned_as_that_vault(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "shared.git")
    git(tmp_path, "init", "-q", "-b", "main", "work")
    git(tmp_path / "work", "remote", "add", "origin", str(tmp_path / "shared.git"))
    assert zkmem("init", "work/deep/vault", "--git", cwd=tmp_path).returncode == 0
    allow_git(tmp_path / "work/deep/vault")
    write(tmp_path / "work", {"code.py": "", "deep/vault/tea.md": "Green.\n"})
    assert zkmem("sync", "-C", "work/deep/vault", cwd=tmp_path).returncode == 0
    assert zkmem("clone", "shared.git", "copy", cwd=tmp_path).stdout == f"2 notes in {tmp_path}/copy/deep/vault\n"
    assert not (tmp_path / "copy" / ".zkmem").exists()
    assert zkmem("set", "mate", "Hot.", "-C", "copy/deep/vault", cwd=tmp_path).returncode == 0
    assert zkmem("sync", "-C", "copy/deep/vault", cwd=tmp_path).stdout == "pushed: 1 commit\n"
