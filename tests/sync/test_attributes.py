"""Machines exchange files that git converts: with a filter that encrypts them, or in another encoding on disk."""

import base64
from pathlib import Path

import pytest

from tests.sync.edits import put, rename
from tests.sync.machines import git
from tests.sync.shared import Shared
from tests.test_large import peak
from tests.tools.vaults import write
from zkmem.errors import NotSynced
from zkmem.sync.report import Report
from zkmem.vault.files import MB
from zkmem.vault.git.command import Git
from zkmem.vault.git.worktree import Edits, Worktree

NOTES = {"hint.md": "See [[x.secret]] and [[a]].\n", "a.md": "Apples.\n", "x.secret.md": "one\n\ntwo\n\nthree\n"}
CRYPT = "*.secret.md filter=crypt\n*.key filter=crypt\n"
UTF16 = "*.secret.md working-tree-encoding=UTF-16LE-BOM eol=lf\n"


class Converting(Shared):
    """Machines on which a filter is configured and allowed."""

    def sync(self, *machines: str, **options: bool) -> Report:
        for machine in machines:
            git(self.root(machine), "config", "filter.crypt.clean", "base64 -w0")
            git(self.root(machine), "config", "filter.crypt.smudge", "base64 -d")
            git(self.root(machine), "config", "filter.crypt.required", "true")
        return super().sync(*machines, **options)

    def stored(self, path: str) -> bytes:
        """Return the text of a file on the remote, as it was before the filter."""
        return base64.b64decode(git(self.remote, "show", f"main:{path}"), validate=True)

    def named(self, text: str) -> list[str]:
        """Return the files on the remote with this text, as they were before the filter."""
        paths = git(self.remote, "ls-tree", "--name-only", "main").splitlines()
        return [path for path in paths if ".secret" in path and self.stored(path) == text.encode()]

    def agree(self, *first: str) -> None:
        """Synchronise these machines, then the desktop and the laptop until they agree on each byte."""
        self.sync(*first, "desktop", "laptop", "desktop")
        assert self.head("laptop") == self.head("desktop")
        assert self.status("laptop") == self.status("desktop") == ""
        assert self.on_disk("laptop") == self.on_disk("desktop")

    def on_disk(self, machine: str) -> dict[str, bytes]:
        """Return the bytes on disk of each file of the last commit, by path."""
        paths = git(self.root(machine), "ls-files").splitlines()
        return {path: (self.root(machine) / path).read_bytes() for path in paths}


@pytest.fixture
def shared(tmp_path: Path) -> Converting:
    """Two machines that have an encrypted note."""
    return Converting(tmp_path, {**NOTES, ".gitattributes": CRYPT})


def test_both_versions_of_an_encrypted_note_are_kept(shared: Converting) -> None:
    shared.edit("laptop", put("x.secret.md", "ONE\n\ntwo\n\nthree\n"), put("a.md", "Apples.\nRed.\n"))
    shared.edit("desktop", put("x.secret.md", "one\n\ntwo\n\nTHREE\n"), put("a.md", "Many.\nApples.\n"))
    shared.agree("laptop", "desktop")
    notes = shared.notes("laptop")
    texts = {name: text for name, text in notes.items() if ".secret" in name}
    assert sorted(texts.values()) == ["ONE\n\ntwo\n\nthree\n", "one\n\ntwo\n\nTHREE\n"]
    assert {shared.stored(name).decode() for name in texts} == set(texts.values())
    assert notes["a.md"] == "Many.\nApples.\nRed.\n"


def test_two_new_encrypted_notes_of_one_name_are_both_kept(shared: Converting) -> None:
    for machine in ("laptop", "desktop"):
        shared.edit(machine, put("new.secret.md", f"{machine}\n"))
    shared.agree("laptop", "desktop")
    assert len(shared.named("laptop\n")) == len(shared.named("desktop\n")) == 1


def test_an_edit_of_an_encrypted_note_that_was_merged_elsewhere_is_kept(shared: Converting) -> None:
    shared.edit("laptop", rename("x.secret", "a"))
    shared.edit("desktop", put("x.secret.md", "one\n\ntwo\n\nthree\nfour\n"))
    shared.agree("laptop", "desktop")
    assert len(shared.named("one\n\ntwo\n\nthree\nfour\n")) == 1
    assert "three" in shared.notes("laptop")["a.md"]


def test_an_encrypted_note_that_one_machine_renames_and_the_other_edits_is_one_note(shared: Converting) -> None:
    shared.edit("laptop", rename("x.secret", "y.secret"))
    shared.edit("desktop", put("x.secret.md", "one\n\ntwo\n\nthree\nfour\n"), put("n.md", "[[x.secret]]\n"))
    shared.agree("laptop", "desktop")
    notes = shared.notes("laptop")
    assert notes["y.secret.md"] == "one\n\ntwo\n\nthree\nfour\n"
    assert notes["n.md"] == "[[y.secret]]\n"
    assert "x.secret.md" not in notes


def test_rules_of_one_machine_only_change_no_merge(shared: Converting) -> None:
    shared.edit("laptop", put(".git/info/attributes", "a.md filter=lfs\n"), put("a.md", "Apples.\nRed.\n"))
    shared.send("desktop", put("a.md", "Many.\nApples.\n"))
    shared.agree("laptop")
    assert shared.notes("laptop")["a.md"] == "Many.\nApples.\nRed.\n"


def test_rules_that_arrive_with_their_files_apply_to_them(tmp_path: Path) -> None:
    """A filter, and a change of the encoding of files that git stores as before."""
    shared = Converting(
        tmp_path, {"a.txt": "A\n", "b.txt": "B\n", ".conf": "c\n", "x.secret.md": "x\n", ".old.key": "1\n"}
    )
    root = shared.root("desktop")
    rules = CRYPT + "[ab].txt working-tree-encoding=UTF-16LE-BOM eol=lf\n.conf working-tree-encoding=UTF-16LE-BOM\n"
    write(root, {".gitattributes": rules, "new.secret.md": "new\n", ".new.key": "k\n", "x.secret.md": "x\ny\n"})
    write(root, {".old.key": "2\n", "a.txt": "A\nmore\n".encode("utf-16"), "b.txt": "B\n".encode("utf-16")})
    write(root, {".conf": "c\n".encode("utf-16")})
    shared.edit("laptop", put("c.md", "c\n"))
    shared.sync("desktop", "laptop")
    for path in shared.on_disk("laptop"):
        (shared.root("laptop") / path).touch()  # git compares the bytes with the last commit then
    assert shared.status("laptop") == ""
    shared.agree()
    files = shared.on_disk("laptop")
    assert (files["a.txt"].decode("utf-16"), files["b.txt"].decode("utf-16")) == ("A\nmore\n", "B\n")
    assert (files[".old.key"], files["new.secret.md"]) == (b"2\n", b"new\n")
    assert (shared.stored("x.secret.md"), shared.stored(".new.key")) == (b"x\ny\n", b"k\n")
    assert (git(shared.remote, "show", "main:a.txt"), git(shared.remote, "show", "main:b.txt")) == ("A\nmore\n", "B\n")


def test_new_rules_are_put_back_if_the_files_cannot_be_written(shared: Converting) -> None:
    root = shared.root("desktop")
    shared.sync("desktop")
    write(root, {".gitattributes": CRYPT + UTF16.replace("*.secret.md", "a.txt"), "new.secret.md": "no base64\n"})
    git(root, "-c", "filter.crypt.clean=cat", "add", "-A")
    git(root, "commit", "-qm", "by hand")
    git(root, "push", "-q", "origin", "HEAD:main")
    before = shared.on_disk("laptop")
    with pytest.raises(NotSynced):
        shared.sync("laptop")
    assert shared.on_disk("laptop") == before
    assert shared.status("laptop") == ""


def test_edited_notes_with_an_encoding_are_in_memory_one_at_a_time(tmp_path: Path) -> None:
    root = write(tmp_path, {".gitattributes": "*.md working-tree-encoding=latin1\n"})
    git(tmp_path, "init", "-q")
    write(tmp_path, {f"n{number}.md": "x" * MB for number in range(12)})
    worktree = Worktree(Git(root, f"{root}/.git/index-of-zkmem"))
    found: list[Edits] = []
    assert peak(lambda: found.append(worktree.edited())) < 6 * MB
    assert len(found[0].saved) == 13
