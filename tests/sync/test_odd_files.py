"""Machines exchange unusual files: names in other Unicode forms, hidden, ignored, executable files, and links."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.sync.edits import append, move, put, remove, rename
from tests.sync.machines import git
from tests.sync.shared import Shared, run
from tests.tools.crashes import die, in_child
from tests.tools.vaults import write
from zkmem.errors import NotSynced
from zkmem.names import composed
from zkmem.vault.git.checkout import Checkout
from zkmem.vault.git.command import GitTrouble

NFC, NFD = "caf\u00e9.md", "cafe\u0301.md"


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    return Shared(
        tmp_path, {"hint.md": "See [[a]] and [[caf\u00e9]].\n", "a.md": "Apples are red.\n", "b.md": "Bananas.\n"}
    )


def by_git(shared: Shared, *commands: str) -> None:
    """Run shell commands in the clone of somebody who uses plain git; commit and push all."""
    clone = shared.root("plain")
    if not clone.exists():
        git(shared.folder, "clone", "-q", str(shared.remote), str(clone))
    git(clone, "pull", "-q")
    for command in commands:
        assert run("sh", "-ec", command, cwd=clone).returncode == 0
        git(clone, "add", "-A")
        git(clone, "commit", "-qm", "by git")
    git(clone, "push", "-q")


def text(shared: Shared, machine: str, path: str) -> str:
    return (shared.root(machine) / path).read_text()


class TestUnicodeForms:
    @pytest.mark.parametrize(("old", "new"), [(NFC, NFD), (NFD, NFC)])
    def test_another_form_of_a_name_loses_no_edit(self, shared: Shared, old: str, new: str) -> None:
        by_git(shared, f"echo coffee > {old}")
        shared.meet()
        by_git(shared, f"git mv {old} {new}")
        shared.edit("desktop", put(old, "coffee\nand milk\n"))
        shared.meet()
        assert text(shared, "laptop", NFC) == "coffee\nand milk\n"
        assert shared.notes("laptop").keys() & {NFC, NFD} == {NFC}
        assert git(shared.remote, "ls-tree", "--name-only", "-z", "main", NFC, NFD) == NFC + "\0"

    @pytest.mark.parametrize("path", [NFD, f"cafe\u0301/{NFC}"])
    def test_a_form_that_git_alone_changes_stays(self, shared: Shared, path: str) -> None:
        by_git(shared, f"mkdir -p $(dirname {path}); echo coffee > {path}")
        shared.meet()
        shared.edit("desktop", rename("a", "apples"), append(composed(path).removesuffix(".md"), "with [[apples]]\n"))
        shared.meet()
        assert text(shared, "laptop", path) == "coffee\n\nwith [[apples]]\n"
        listed = git(shared.remote, "ls-tree", "-r", "--name-only", "-z", "main").split("\0")
        assert [one for one in listed if not one.isascii()] == [path]
        by_git(shared, "git mv apples.md apples2.md")
        shared.meet()
        assert text(shared, "laptop", path) == "coffee\n\nwith [[apples2]]\n"

    def test_a_name_that_is_ascii_in_another_form_is_no_note_and_travels(self, shared: Shared) -> None:
        """The Kelvin sign is a K in NFC."""
        shared.edit("laptop", put("\u212a.md", "Kelvin\n"))
        shared.meet()
        shared.edit("desktop", put("\u212a.md", "Kelvin 2\n"))
        shared.meet()
        for machine in ("laptop", "desktop"):
            assert text(shared, machine, "\u212a.md") == "Kelvin 2\n"

    def test_an_untouched_note_in_another_form_gets_its_links_updated(self, shared: Shared) -> None:
        by_git(shared, f"echo '[[a]]' > {NFD}")
        shared.meet()
        by_git(shared, "git mv a.md apples.md")
        shared.meet()
        assert text(shared, "laptop", NFD) == "[[apples]]\n"

    def test_two_files_with_one_name_are_reported(self, shared: Shared) -> None:
        by_git(shared, f"echo one > {NFC}; echo two > {NFD}")
        before = shared.notes("laptop")
        with pytest.raises(NotSynced, match=r"one name in different Unicode forms"):
            shared.sync("laptop")
        assert shared.notes("laptop") == before

    @pytest.mark.parametrize("names", [("caf\u00e9.md", "cafe\u0301.md"), ("\u00e9/a.md", "e\u0301/b.md")])
    def test_two_forms_are_reported_on_the_machine_that_has_both(self, shared: Shared, names: tuple[str, str]) -> None:
        shared.send("laptop", put(names[0], "one\n"))
        head = shared.head("laptop")
        shared.edit("laptop", put(names[1], "two\n"))
        for dry_run in (True, False):
            with pytest.raises(NotSynced, match=r"here, are one name in different Unicode forms; rename one"):
                shared.sync("laptop", dry_run=dry_run)
        assert shared.head("laptop") == head

    def test_a_folder_in_two_forms_is_reported_before_anything_is_written(self, shared: Shared) -> None:
        for machine, folder in (("laptop", "caf\u00e9"), ("desktop", "cafe\u0301")):
            (shared.root(machine) / folder).mkdir()
            (shared.root(machine) / folder / f"{machine}.md").write_text(f"{machine}\n")
        shared.sync("laptop")
        before = shared.notes("desktop")
        with pytest.raises(NotSynced, match=r"one name in different Unicode forms; rename one"):
            shared.sync("desktop")
        assert shared.notes("desktop") == before

    def test_names_that_are_not_utf8_travel_as_they_are(self, shared: Shared) -> None:
        clone = shared.root("plain")
        by_git(shared, "echo x > x.txt")
        Path(os.fsdecode(os.fsencode(clone) + b"/b\xff.md")).write_text("odd\n")
        by_git(shared, "echo y > y.txt")
        shared.edit("desktop", put("b.md", "Yellow.\n"))
        shared.meet()
        assert Path(os.fsdecode(os.fsencode(shared.root("laptop")) + b"/b\xff.md")).read_text() == "odd\n"


class TestHiddenFiles:
    def test_lines_of_both_machines_are_kept(self, shared: Shared) -> None:
        for machine, line in (("laptop", "secrets/"), ("desktop", "tmp/")):
            with (shared.root(machine) / ".gitignore").open("a") as file:
                file.write(f"{line}\n")
        (shared.root("laptop") / "secrets").mkdir()
        (shared.root("laptop") / "secrets" / "pin.md").write_text("1234\n")
        shared.sync("laptop", "desktop", "laptop", "laptop")
        lines = text(shared, "desktop", ".gitignore").splitlines()
        assert (lines[:2], sorted(lines[2:])) == ([".trash/", ".zkmem/"], ["secrets/", "tmp/"])
        assert "pin.md" not in git(shared.remote, "ls-tree", "-r", "--name-only", "main")

    @pytest.mark.parametrize("setting", ["* text=auto", "* text", "core.autocrlf"])
    def test_one_with_other_line_ends_than_git_would_store_is_no_edit(self, shared: Shared, setting: str) -> None:
        paths = (".obsidian/snippets/x.css", "x.css")
        shared.edit("laptop", *(put(path, "a {}\r\nb {}\r\n") for path in paths))
        shared.meet()
        if setting.startswith("core"):
            git(shared.root("laptop"), "config", setting, "input")
        else:
            shared.edit("laptop", put(".gitattributes", setting + "\n"))
            shared.sync("laptop", "desktop")  # what git itself says of the file now depends on its stamps
        shared.edit("desktop", *(put(path, "a {}\r\nb {}\r\nc {}\r\n") for path in paths))
        shared.sync("desktop", "laptop", "desktop")
        for path in paths:
            assert text(shared, "laptop", path).split() == ["a", "{}", "b", "{}", "c", "{}"]

    def test_those_of_both_machines_are_merged(self, shared: Shared) -> None:
        lines = {name: "".join(f"{name} {line}\n" for line in range(9)) for name in ("a", "b")}
        shared.edit("laptop", *(put(f".{name}", lines[name]) for name in lines))
        shared.meet()
        for machine, name, data in (("laptop", "a", ".Data.json"), ("desktop", "b", ".data.json")):
            new = {".words": f"{machine}\n", ".settings.json": f'{{"by": "{machine}"}}\n', data: f'"{machine}"\n'}
            shared.edit(machine, move(f".{name}", ".c"), *(put(path, line) for path, line in new.items()))
        shared.meet("laptop", "desktop")
        assert sorted(text(shared, "laptop", ".words").splitlines()) == ["desktop", "laptop"]
        assert text(shared, "laptop", ".settings.json").count("by") == 1
        assert set(text(shared, "laptop", ".c").splitlines()) == set("".join(lines.values()).splitlines())
        texts = [path.read_text() for path in shared.root("laptop").glob(".[Dd]ata*")]  # two names
        assert sorted(texts) == ['"desktop"\n', '"laptop"\n']

    def test_a_kill_before_they_are_written_reverts_nothing(self, shared: Shared) -> None:
        shared.send("laptop", put(".words", "one\n"), put("new.md", "new\n"))

        def work() -> None:
            Checkout._write_others = lambda *_: die()  # type: ignore[method-assign]
            shared.sync("desktop")

        assert in_child(work) < 0
        shared.meet()
        assert text(shared, "laptop", ".words") == "one\n"

    def test_one_saved_after_a_kill_is_merged(self, shared: Shared) -> None:
        shared.edit("laptop", put(".words", "one\ntwo\nthree\n"))
        shared.meet()
        shared.send("laptop", put(".words", "ONE\ntwo\nthree\n"), put("new.md", "new\n"))

        def work() -> None:
            Checkout.check_out = lambda *_: die()  # type: ignore[method-assign, assignment]
            shared.sync("desktop")

        assert in_child(work) < 0
        shared.edit("desktop", put(".words", "one\ntwo\nthree\nfour\n"))
        shared.meet()
        assert text(shared, "laptop", ".words") == "ONE\ntwo\nthree\nfour\n"

    def test_settings_of_a_removed_plugin_do_not_follow_to_a_similar_new_one(self, shared: Shared) -> None:
        settings = '{{\n  "server": "a.example.org",\n  "color": "red",\n  "plugin": "{}",\n  "token": "{}"\n}}\n'
        old, new = (".obsidian/plugins/old/data.json", ".obsidian/plugins/new/data.json")
        shared.edit("laptop", put(old, settings.format("old", "")))
        shared.meet()
        shared.edit("laptop", remove(old), put(new, settings.format("new", "")))
        shared.edit("desktop", put(old, settings.format("old", "1234")))
        shared.meet()
        assert text(shared, "laptop", new) == settings.format("new", "")
        assert text(shared, "laptop", old) == settings.format("old", "1234")

    def test_a_link_out_of_the_vault_is_not_followed(self, shared: Shared) -> None:
        outside = shared.folder / "outside"
        outside.mkdir()
        (outside / "words").write_text("one\n")
        (shared.root("laptop") / ".own").mkdir()
        (shared.root("laptop") / ".own" / "words").write_text("one\n")
        shared.meet()
        git(shared.root("desktop"), "update-index", "--skip-worktree", ".own/words")
        (shared.root("desktop") / ".own" / "words").unlink()
        (shared.root("desktop") / ".own").rmdir()
        (shared.root("desktop") / ".own").symlink_to(outside)
        (shared.root("laptop") / ".own" / "words").unlink()
        shared.sync("laptop")
        with pytest.raises(NotSynced, match=r"\.own/words"):
            shared.sync("desktop")
        assert (outside / "words").read_text() == "one\n"


class TestIgnoredFiles:
    @pytest.mark.parametrize(
        ("path", "commands", "named"),
        [
            (".env", "echo bait > .env", "'.env' must change, but it is not as in the last commit"),
            ("private.md", "echo bait > private.md", "'private.md' must change"),
            (".env", "mkdir .env; echo x > .env/x", "'.env/x' must change"),
            ("mine", "mkdir mine; echo x > mine/x.md", "'mine' must change"),
        ],
    )
    def test_one_in_the_place_of_something_new_is_reported_and_not_pushed(
        self, shared: Shared, path: str, commands: str, named: str
    ) -> None:
        shared.edit("laptop", put(".gitignore", f".trash/\n.zkmem/\n{path}\n"))
        shared.meet()
        shared.edit("desktop", put(path, "PIN 1234\n"))
        by_git(shared, f"{commands}; git add -f {path}")
        pushed = git(shared.remote, "rev-parse", "main")
        for dry_run in (True, False, False):
            with pytest.raises(NotSynced, match=re.escape(named)):
                shared.sync("desktop", dry_run=dry_run)
        assert text(shared, "desktop", path) == "PIN 1234\n"
        assert git(shared.remote, "rev-parse", "main") == pushed

    @pytest.mark.parametrize("rules", ["kept.log", "kept.log\\n!/secrets/\\n!icon*"])
    def test_they_stay_private_when_the_remote_ignores_them_no_longer(self, shared: Shared, rules: str) -> None:
        shared.edit("laptop", put(".gitignore", ".trash/\n.zkmem/\n/secrets/\n*.log\nicon?\n"))
        shared.meet()
        for path in ("secrets/pin.md", "we [ird]!.log", "kept.log", "icon\r"):
            (shared.root("desktop") / path).parent.mkdir(exist_ok=True)
            shared.edit("desktop", put(path, "PIN 1234\n"))
        by_git(shared, f"printf '.trash/\\n.zkmem/\\n{rules}\\n' > .gitignore")
        report = shared.sync("desktop")
        stays = "private, because git ignored it until now (`git add` shares a file)"
        assert report.remarks == [f"{stays}: 'icon\\r', 'secrets/', 'we [ird]!.log'"]
        before = git(shared.remote, "ls-tree", "-r", "--name-only", "main")
        (shared.root("desktop") / "secrets" / "more.md").write_text("PIN 5678\n")
        shared.sync("desktop")
        assert git(shared.remote, "ls-tree", "-r", "--name-only", "main") == before
        git(shared.root("desktop"), "add", "secrets/pin.md")
        shared.sync("desktop")
        assert git(shared.remote, "ls-tree", "-r", "--name-only", "main", "secrets") == "secrets/pin.md\n"

    def test_they_stay_private_when_a_tool_edits_them(self, shared: Shared) -> None:
        shared.edit("laptop", put(".gitignore", ".trash/\n.zkmem/\n/secrets/\ndiary.md\nmoved.md\n"))
        shared.meet()
        for path in ("secrets/pin.md", "diary.md", "moved.md"):
            (shared.root("desktop") / path).parent.mkdir(exist_ok=True)
            shared.edit("desktop", put(path, "PIN 1234, see [[a]].\n"))
        by_git(shared, "printf '.trash/\\n.zkmem/\\n' > .gitignore")
        shared.sync("desktop")
        before = git(shared.remote, "ls-tree", "-r", "--name-only", "main")
        with shared.memory("desktop") as memory:
            memory.write("diary", "More.\n", append=True)
            memory.write("secrets/new", "PIN 5678\n")
            memory.rename("moved", "open")
            memory.rename("a", "b", merge=True)  # updates the links in all three
        shared.sync("desktop")
        shared.send("desktop", put("open.md", "PIN 9, by hand\n"))
        assert git(shared.remote, "ls-tree", "-r", "--name-only", "main") == "".join(
            line for line in before.splitlines(True) if line != "a.md\n"
        )
        assert text(shared, "desktop", "diary.md") == "PIN 1234, see [[b]].\n\nMore.\n"
        git(shared.root("desktop"), "add", "diary.md")
        shared.send("desktop", append("diary", "Shared.\n"))
        assert git(shared.remote, "show", "main:diary.md").endswith("More.\n\nShared.\n")

    def test_they_stay_private_when_the_synchronisation_fails(self, shared: Shared) -> None:
        shared.edit("laptop", put(".gitignore", ".trash/\n.zkmem/\nsecret.md\n"))
        shared.meet()
        shared.edit("desktop", put("secret.md", "PIN 1234\n"))
        by_git(shared, "printf '.trash/\\n.zkmem/\\n' > .gitignore")

        def fail(*_: object) -> None:
            raise GitTrouble("the index is locked")

        def work() -> None:
            Checkout._set_modes = fail  # type: ignore[method-assign, assignment]
            shared.sync("desktop")

        assert in_child(work) == 3
        for _ in range(2):
            shared.sync("desktop")
        assert "secret.md" not in git(shared.remote, "ls-tree", "-r", "--name-only", "main")

    def test_one_that_a_person_removes_from_git_goes_from_the_remote(self, shared: Shared) -> None:
        git(shared.root("laptop"), "rm", "-q", "--cached", "b.md")
        shared.send("laptop", put(".gitignore", ".trash/\n.zkmem/\nb.md\n"))
        assert "b.md" not in git(shared.remote, "ls-tree", "--name-only", "main").split()
        assert text(shared, "laptop", "b.md") == "Bananas.\n"

    def test_notes_of_one_machine_only_do_not_change_the_merge(self, shared: Shared, tmp_path: Path) -> None:
        shared.send("laptop", rename("a", "fruit/apples"))
        shared.edit("desktop", put("hint.md", "See [[a]].\nAnd [[a]].\n"))
        git(shared.root("desktop"), "commit", "-qam", "more")
        git(tmp_path, "clone", "-q", "--mirror", str(shared.remote), str(tmp_path / "other.git"))
        run("cp", "-a", str(shared.root("desktop")), str(tmp_path / "with"))
        git(tmp_path / "with", "remote", "set-url", "origin", "../other.git")
        nested = shared.root("with") / "nested"
        nested.mkdir()
        git(nested, "init", "-q")
        (nested / "apples.md").write_text("Other apples.\n")
        git(nested, "add", "-A")
        git(nested, "commit", "-qm", "nested")
        shared.sync("desktop", "with")
        assert shared.head("desktop") == shared.head("with")


class TestModesAndKinds:
    def test_a_mode_is_taken_over_and_ends_there(self, shared: Shared) -> None:
        (shared.root("laptop") / "a.md").chmod(0o755)
        shared.meet()
        assert os.access(shared.root("desktop") / "a.md", os.X_OK)
        (shared.root("desktop") / "a.md").chmod(0o644)
        shared.meet()
        assert not os.access(shared.root("laptop") / "a.md", os.X_OK)

    def test_a_mode_and_an_edit_are_both_kept(self, shared: Shared) -> None:
        paths = ("p.png", "t.txt", ".app.json", ".words")
        shared.edit("laptop", *(put(path, b"one\0\n" if path == "p.png" else b"one\n") for path in paths))
        shared.meet()
        shared.edit("laptop", *(put(path, "edited\n") for path in paths))
        for path in paths:
            (shared.root("desktop") / path).chmod(0o755)
        assert len(shared.meet("laptop", "desktop")) == 5
        for path in paths:
            assert text(shared, "desktop", path) == "edited\n"
            assert os.access(shared.root("laptop") / path, os.X_OK)

    def test_what_another_machine_changes_keeps_its_permissions(self, shared: Shared) -> None:
        """A file or folder that only its owner may read stays so, whatever writes or moves it."""
        names = ("a.md", "a.bin", "moved.md", "grows.bin", ".hidden/k", "old.bin", "shrinks.bin")
        paths = [*(f"secret/{name}" for name in names), ".app/k.txt", ".app/old.txt", "open.md", "own.md"]
        files = {path: f"{path}\n" * 10 for path in paths}
        write(shared.root("desktop"), files | {"secret/shrinks.bin": "k" * 2000})
        shared.meet()
        top = shared.root("laptop")
        for path in files:
            (top / path).chmod(0o644 if path == "open.md" else 0o600)
        for folder in ("secret", "secret/.hidden", ".app"):
            (top / folder).chmod(0o700)
        by_git(
            shared,
            "for f in secret/a.md secret/a.bin secret/.hidden/k .app/k.txt; do echo more >> $f; done",
            "seq 1000 >> secret/grows.bin; echo k > secret/shrinks.bin; git mv .app .application",
            "git mv secret diary; git mv open.md x.md",
            "git mv own.md open.md",
            "git mv x.md own.md",
        )
        with shared.memory("laptop", max_note_bytes=1000) as memory:
            memory.sync()
        entries = [path.relative_to(top) for path in (*top.rglob("diary/**/*"), *top.rglob(".application/*"))]
        modes = {str(path): oct((top / path).stat().st_mode & 0o777) for path in entries}
        assert modes == dict.fromkeys(modes, "0o600") | {"diary/.hidden": "0o700"}
        assert len(modes) == 10
        assert [oct((top / path).stat().st_mode & 0o777) for path in ("diary", ".application")] == ["0o700"] * 2
        assert (top / "open.md").read_text() == files["own.md"]
        assert [oct((top / path).stat().st_mode & 0o777) for path in ("open.md", "own.md")] == ["0o600", "0o644"]
        assert shared.status("laptop") == ""

    def test_an_edit_of_a_note_that_became_a_link_elsewhere_stays(self, shared: Shared) -> None:
        shared.send("desktop", put("b.md", "Bananas.\nYellow.\n"))
        clone = shared.root("plain")
        git(shared.folder, "clone", "-q", str(shared.remote), str(clone))
        git(clone, "reset", "-q", "--hard", "HEAD^")
        (clone / "b.md").unlink()
        (clone / "b.md").symlink_to("a.md")
        git(clone, "add", "-A")
        assert (
            run("env", "GIT_COMMITTER_DATE=2030-01-01T00:00Z", "git", "commit", "-qm", "link", cwd=clone).returncode
            == 0
        )
        git(shared.remote, "update-ref", "refs/heads/main", git(clone, "rev-parse", "HEAD^").strip())
        git(clone, "push", "-q")
        shared.sync("desktop", accept_rewritten=True)
        assert git(shared.remote, "show", "main:b.md") == "Bananas.\nYellow.\n"
        shared.meet()
        assert text(shared, "laptop", "b.md") == "Bananas.\nYellow.\n"

    def test_a_note_that_becomes_a_link_elsewhere_stays_a_note(self, shared: Shared) -> None:
        by_git(shared, "rm b.md; ln -s a.md b.md")
        shared.sync("desktop")
        shared.edit("desktop", put("b.md", "Bananas.\nYellow.\n"))
        shared.meet()
        assert text(shared, "laptop", "b.md") == "Bananas.\nYellow.\n"

    def test_a_folder_that_became_a_link_is_reported(self, shared: Shared) -> None:
        (shared.root("laptop") / "deep").mkdir()
        (shared.root("laptop") / "deep" / "x.md").write_text("x\n")
        shared.meet()
        outside = shared.folder / "outside"
        (shared.root("desktop") / "deep").rename(outside)
        (shared.root("desktop") / "deep").symlink_to(outside)
        with pytest.raises(NotSynced, match="'deep' is a symbolic link here"):
            shared.sync("desktop")
        assert (outside / "x.md").read_text() == "x\n"

    def test_a_file_and_a_folder_with_one_name_both_stay(self, shared: Shared) -> None:
        (shared.root("laptop") / "new").mkdir()
        (shared.root("laptop") / "new" / "n.md").write_text("n\n")
        shared.edit("desktop", put("new", "file\n"))
        notes = shared.meet("laptop", "desktop")
        assert notes["new/n.md"] == "n\n"
        assert [value for path, value in notes.items() if path.startswith("new (desktop ")] == ["file\n"]

    def test_files_and_folders_become_each_other(self, shared: Shared) -> None:
        files = {".own/words": "one\n", "x.md/tea.md": "one\n" * 9, "y.md/tea.md": "two\n" * 9, "box/y.md": "y\n"}
        shared.edit("laptop", put("thing", "x\n"), *(put(path, data) for path, data in files.items()))
        shared.meet()
        (shared.root("desktop") / "way.md" / "in").mkdir(parents=True)  # an empty folder is not in the way
        by_git(
            shared,
            "rm -r .own x.md y.md box thing; mkdir thing; echo t > thing/t.md; "
            "for name in .own x.md y.md box way.md; do echo $name > $name; done",
        )
        shared.meet()
        assert text(shared, "desktop", "thing/t.md") == "t\n"
        for name in (".own", "x.md", "y.md", "box", "way.md"):
            assert text(shared, "desktop", name) == f"{name}\n"
        by_git(shared, "rm .own; mkdir .own; echo two > .own/words")
        shared.meet()
        assert text(shared, "desktop", ".own/words") == "two\n"

    @pytest.mark.parametrize("value", ["true", "input"])
    def test_other_line_ends_on_disk_are_no_edit(self, shared: Shared, value: str) -> None:
        git(shared.root("desktop"), "config", "core.autocrlf", value)
        shared.edit("desktop", put("a.md", b"Apples are red.\r\nAnd green.\r\n"))
        shared.edit("laptop", put("b.md", "Bananas.\nYellow.\n"), put("hint.md", "One.\nTwo.\nThree.\n"))
        shared.meet("laptop", "desktop")
        assert git(shared.remote, "show", "main:a.md") == "Apples are red.\nAnd green.\n"
        assert git(shared.remote, "show", "main:hint.md") == "One.\nTwo.\nThree.\n"

    def test_the_name_of_a_version_beside_another_is_not_too_long(self, shared: Shared) -> None:
        path = "\u00e9" * 120 + ".png"
        for machine in ("laptop", "desktop"):
            shared.edit(machine, put(path, machine))
            shared.sync(machine)
        shared.meet()
        found = [name for name in shared.notes("laptop") if name.startswith("\u00e9")]
        assert sorted(shared.notes("laptop")[name] for name in found) == ["desktop", "laptop"]
        assert len(max(found, key=len).encode()) <= 255


class TestWhatOthersSay:
    def test_two_notes_that_swapped_names_keep_their_links(self, shared: Shared) -> None:
        by_git(shared, "git mv a.md tmp.md", "git mv b.md a.md", "git mv tmp.md b.md")
        shared.meet()
        assert text(shared, "desktop", "hint.md").startswith("See [[b]]")

    def test_two_moves_to_one_path_are_one_move(self, shared: Shared) -> None:
        clone = shared.root("plain")
        by_git(shared, "echo q > q.md")
        git(clone, "rm", "-q", "a.md", "b.md")
        (clone / "z.md").write_text("z\n")
        git(clone, "add", "-A")
        git(clone, "commit", "-qm", "x\n\nZkmem-Moved: a.md -> z.md\nZkmem-Moved: b.md -> z.md")
        git(clone, "push", "-q")
        shared.meet()
        assert "z.md" in shared.notes("desktop")

    def test_replaced_objects_change_no_merge(self, shared: Shared) -> None:
        note = git(shared.root("desktop"), "rev-parse", "HEAD:a.md").strip()
        other = subprocess.run(
            ["git", "hash-object", "-w", "--stdin"],
            cwd=shared.root("desktop"), input=b"forged\n", capture_output=True, check=True,
        ).stdout.decode().strip()  # fmt: skip
        git(shared.root("desktop"), "replace", note, other)
        shared.edit("desktop", put("a.md", "Apples are red.\nAnd green.\n"))
        shared.edit("laptop", put("a.md", "Ripe: apples are red.\n"))
        shared.sync("laptop", "desktop")
        assert "forged" not in git(shared.remote, "show", "main:a.md")

    def test_a_lock_on_the_remote_is_reported(self, shared: Shared) -> None:
        (shared.remote / "refs/heads/main.lock").touch()
        shared.edit("desktop", put("a.md", "More.\n"))
        with pytest.raises(NotSynced, match="cannot lock ref"):
            shared.sync("desktop")

    @pytest.mark.parametrize("where", ["repository", "user"])
    def test_a_file_is_pushed_as_its_filter_makes_it(
        self, shared: Shared, where: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        by_git(shared, "echo '*.md filter=crypt' > .gitattributes")
        shared.meet()
        if where == "user":
            config = shared.folder / "gitconfig"
            config.write_text('[filter "crypt"]\n\tclean = tr a-z b-za\n')
            monkeypatch.setenv("HOME", str(shared.folder))
            config.rename(shared.folder / ".gitconfig")
        else:
            git(shared.root("desktop"), "config", "filter.crypt.clean", "tr a-z b-za")
        shared.send("desktop", put("a.md", "secret\n"))
        assert git(shared.remote, "show", "main:a.md") == "tfdsfu\n"
        assert "secret" not in git(shared.remote, "log", "-p", "main")
