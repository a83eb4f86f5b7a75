"""`zkmem adopt`: Claude Code's memory of a project, in a folder of the vault and back."""

import json
import os
import pathlib
import re
import subprocess

import pytest

from tests.tools.forked import zkmem_command
from tests.tools.vaults import write
from zkmem.memory import Memory

INDEX = "- [Tea](tea.md) — what to drink\n"
TEA = "---\nname: tea\ndescription: what to drink\nmetadata:\n  type: user\n---\n\nGreen. See [[sugar]].\n"


class Desk:
    """A user's folder with a project, its memory by Claude Code, and a vault."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.project = root / "my_app.x"
        self.vault = pathlib.Path(write(root / "notes", {"hint.md": "See [[claude-code/my_app.x/tea]].\n"}))
        (self.project / ".git").mkdir(parents=True)
        name = re.sub("[^a-zA-Z0-9]", "-", str(self.project.resolve()))
        self.memory = root / "home" / ".claude" / "projects" / name / "memory"
        write(self.memory, {"MEMORY.md": INDEX, "tea.md": TEA, "sub/old.md": "old\n", ".hidden": "x"})
        self.settings = self.project / ".claude" / "settings.local.json"
        self.adopted = self.vault.resolve() / "claude-code" / "my_app.x"

    def run(
        self, *options: str, folder: pathlib.Path | None = None, named: bool = True, program: str = "claude-code"
    ) -> "subprocess.CompletedProcess[str]":
        """Run `zkmem adopt` in the project. `named`: name the vault."""
        vault = ["--vault", str(self.vault)] if named else []
        own = {"HOME": str(self.root / "home"), "CLAUDE_CONFIG_DIR": "", "CODEX_HOME": ""}
        own["XDG_CONFIG_HOME"] = str(self.root / "config")
        folder = folder or self.project
        return zkmem_command("adopt", program, *vault, *options, cwd=folder, environ={**os.environ, **own})


def every(root: pathlib.Path) -> dict[str, bytes]:
    """All files below a folder, hidden ones included, but not what zkmem keeps beside a vault."""
    files = (path for path in root.rglob("*") if path.is_file() and ".zkmem" not in path.parts)
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    return Desk(tmp_path)


def test_the_memory_is_moved_into_the_vault_in_one_edit_and_claude_code_is_told(desk: Desk) -> None:
    write(desk.project, {".claude/settings.local.json": '{\n  // mine\n  "model": "opus"\n}\n'})
    (desk.project / "src").mkdir()
    done = desk.run("--json", folder=desk.project / "src")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["moved"] == ["MEMORY.md", "sub/old.md", "tea.md"]
    assert answer["directory"] == str(desk.adopted)
    assert (desk.adopted / "MEMORY.md").read_text() == INDEX
    assert (desk.adopted / "tea.md").read_text() == TEA
    assert desk.settings.read_text() == (
        '{\n  // mine\n  "model": "opus",\n  "autoMemoryDirectory": ' + json.dumps(str(desk.adopted)) + "\n}\n"
    )
    assert every(desk.memory) == {".hidden": b"x"}
    memory = Memory(str(desk.vault))
    (edit,) = memory.log()
    assert (edit.tool, len(edit.notes)) == ("adopt", 3)
    memory.wait_ready()
    assert memory.read("claude-code/my_app.x/MEMORY").links == 1
    again = desk.run()
    assert again.stdout.startswith("moved 0 files")
    assert len(memory.log()) == 1


@pytest.mark.parametrize("named", [True, False])
def test_undo_gives_everything_back_also_what_was_written_since(desk: Desk, named: bool) -> None:
    before = every(desk.root / "home")
    assert desk.run().returncode == 0
    (desk.adopted / "new.md").write_text("written by Claude Code\n")
    done = desk.run("--undo", "--shared", named=named)
    assert (done.returncode, done.stderr.endswith(f"{desk.settings} names {desk.adopted}: leave out --shared.\n")) == (
        2,
        True,
    ), done.stderr
    done = desk.run("--undo", named=named)
    assert done.stdout.startswith("gave back 4 files")
    assert not desk.settings.parent.exists(), "it was not there before"
    new = str((desk.memory / "new.md").relative_to(desk.root / "home"))
    assert every(desk.root / "home") == {**before, new: b"written by Claude Code\n"}
    assert not list(desk.adopted.rglob("*.md"))
    Memory(str(desk.vault)).undo()
    assert (desk.adopted / "tea.md").read_text() == TEA


def test_a_call_that_was_interrupted_is_completed(desk: Desk) -> None:
    write(desk.adopted, {"MEMORY.md": INDEX})
    done = desk.run()
    assert done.stdout.startswith("moved 3 files")
    assert every(desk.memory) == {".hidden": b"x"}
    write(desk.memory, {"late.md": "written before the setting was read\n"})
    assert desk.run().stdout.startswith("moved 1 file")
    assert (desk.adopted / "late.md").exists()


def test_a_project_without_a_memory_gets_an_empty_folder(desk: Desk) -> None:
    for name in ("MEMORY.md", "tea.md", "sub/old.md"):
        (desk.memory / name).unlink()
    done = desk.run("--folder", "../out")
    assert (done.returncode, (desk.root / "out").exists()) == (2, False)
    assert desk.run().stdout.startswith("moved 0 files")
    assert desk.adopted.is_dir()
    assert json.loads(desk.settings.read_text()) == {"autoMemoryDirectory": str(desk.adopted)}
    assert desk.run("--undo").stdout.startswith("gave back 0 files")


def test_an_index_longer_than_claude_code_reads_is_named(desk: Desk) -> None:
    write(desk.memory, {"MEMORY.md": INDEX * 250})
    done = desk.run()
    assert done.returncode == 0
    assert "MEMORY.md has 250 lines" in done.stderr


@pytest.mark.parametrize(
    ("files", "options", "says"),
    [
        ({"notes/claude-code/my_app.x/x.md": "of another project"}, (), "has files already"),
        ({"notes/claude-code/my_app.x/tea.md": "another text"}, (), "with another text"),
        ({"my_app.x/.claude/settings.local.json": '{"autoMemoryDirectory": "/elsewhere"}'}, (), "/elsewhere"),
        ({"my_app.x/.claude/settings.local.json": "{"}, (), "cannot be edited: line 1"),
        ({"my_app.x/.claude/settings.local.json": "[]"}, (), "not an object"),
        ({"notes/claude-code/shared/tea.md": "another text"}, ("--shared",), "with another text"),
        ({"my_app.x/.claude/settings.local.json": '{"autoMemoryDirectory": "/x"}'}, ("--shared",), "alone"),
        ({}, ("--folder", "../out"), "would lead out"),
        ({}, ("--folder", ".hidden"), "hides a file"),
        ({}, ("--project", "nowhere"), "no folder"),
        ({}, ("--undo",), "Nothing was adopted: "),
        ({"my_app.x/.claude/settings.local.json": '{"autoMemoryDirectory": "/x"}'}, ("--undo",), "not in this vault"),
        ({"tree/.git": "gitdir: x"}, ("--project", "../tree"), "further working tree"),
    ],
    ids=lambda one: str(one)[:40],
)
def test_bad_input_is_refused_and_changes_nothing(
    desk: Desk, files: dict[str, str], options: tuple[str, ...], says: str
) -> None:
    write(desk.root, files)
    before = every(desk.root)
    done = desk.run(*options)
    assert done.returncode in {2, 4, 5}, done.stderr
    assert says in done.stderr
    assert every(desk.root) == before


def test_undo_where_nothing_was_adopted_says_so_without_a_vault(desk: Desk) -> None:
    said = f"Error: Nothing was adopted: {desk.settings} names "
    done = desk.run("--undo", named=False)
    assert (done.returncode, done.stderr) == (2, f"{said}no folder. Nothing was changed.\n")
    write(desk.root, {"my_app.x/.claude/settings.local.json": '{"autoMemoryDirectory": "/x"}'})
    done = desk.run("--undo", named=False)
    assert (done.returncode, done.stderr) == (2, f"{said}/x, which is in no vault. Nothing was changed.\n")
    done = desk.run("--undo", program="codex")
    assert (done.returncode, done.stderr) == (
        2,
        "Error: Nothing was adopted: codex/ has no files. Nothing was changed.\n",
    )


def test_undo_moves_no_notes_that_only_the_settings_of_a_stranger_name(desk: Desk) -> None:
    write(desk.vault, {"private/salary.md": "much\n"})
    write(desk.settings.parent, {desk.settings.name: json.dumps({"autoMemoryDirectory": f"{desk.vault}/private"})})
    before = every(desk.root)
    done = desk.run("--undo")
    assert (done.returncode, "has not moved the memory" in done.stderr) == (2, True)
    assert every(desk.root) == before
    assert desk.run("--folder", "private").returncode == 0, "as the sentence says"
    assert desk.run("--undo").stdout.startswith("gave back 4 files")


@pytest.mark.parametrize(("memory", "options"), [({}, ()), ({"MEMORY.md": INDEX}, ("--folder", "mem"))])
def test_two_projects_cannot_have_one_folder(desk: Desk, memory: dict[str, str], options: tuple[str, ...]) -> None:
    first, second = desk.root / "a" / "app", desk.root / "b" / "app"
    for project in (first, second):
        write(project, {".git/config": ""})
        name = re.sub("[^a-zA-Z0-9]", "-", str(project.resolve()))
        write(desk.memory.parents[1] / name / "memory", memory)
    assert desk.run(*options, folder=first).returncode == 0
    before = every(desk.root)
    done = desk.run(*options, folder=second)
    settings = first / ".claude" / "settings.local.json"
    assert (done.returncode, f"of another project: {settings} names it" in done.stderr) == (4, True), done.stderr
    assert every(desk.root) == before
    assert desk.run(*options, folder=first).returncode == 0
    assert desk.run("--undo", folder=first).stdout.startswith(f"gave back {len(memory)} file")
    assert desk.run(*options, folder=second).returncode == 0
    assert desk.run("--undo", folder=second).stdout.startswith(f"gave back {len(memory)} file")


def test_settings_that_cannot_be_written_leave_the_notes_where_they_are(desk: Desk) -> None:
    new = desk.settings.with_name(desk.settings.name + ".zkmem-new")
    for options in ((), ("--undo",)):
        new.mkdir(parents=True)  # root may write into any folder
        before = every(desk.root)
        done = desk.run(*options)
        assert (done.returncode, "Nothing was changed" in done.stderr) == (5, True), done.stderr
        assert every(desk.root) == before
        new.rmdir()
        assert desk.run(*options).returncode == 0


def test_all_projects_share_one_folder_and_one_index(desk: Desk) -> None:
    settings = desk.root / "home" / ".claude" / "settings.json"
    write(settings.parent, {settings.name: '{"model": "opus"}\n'})
    other = desk.root / "other"
    name = re.sub("[^a-zA-Z0-9]", "-", str(other.resolve()))
    memory = desk.memory.parents[1] / name / "memory"
    write(other, {".git/config": ""})
    write(memory, {"MEMORY.md": INDEX + "- [Cups](cups.md)\n", "cups.md": "Blue.\n"})

    done = desk.run("--shared")
    assert (done.returncode, done.stdout.partition("\n")[0]) == (
        0,
        "moved 3 files; Claude Code keeps its memory of all projects in",
    )
    assert "no longer reads the memory of 1 other project" in done.stderr
    shared = desk.vault.resolve() / "claude-code" / "shared"
    assert json.loads(settings.read_text()) == {"model": "opus", "autoMemoryDirectory": str(shared)}
    assert not desk.settings.exists()

    write(memory, {"tea.md": "Black.\n"})
    done = desk.run("--shared", folder=other)
    assert (done.returncode, "tea.md exists already" in done.stderr) == (4, True)
    assert (shared / "MEMORY.md").read_text() == INDEX
    assert (memory / "MEMORY.md").exists()
    (memory / "tea.md").unlink()
    done = desk.run("--shared", folder=other)
    assert (done.returncode, done.stderr) == (0, "")
    assert (shared / "MEMORY.md").read_text() == INDEX + "- [Cups](cups.md)\n"
    assert sorted(path.name for path in shared.rglob("*.md")) == ["MEMORY.md", "cups.md", "old.md", "tea.md"]
    assert not memory.exists()

    done = desk.run("--undo", named=False)
    said = f"Error: Nothing was adopted: {desk.settings} names no folder. Nothing was changed. "
    assert (done.returncode, done.stderr) == (2, f"{said}{settings} names {shared}: add --shared.\n")
    done = desk.run("--shared", "--undo", named=False)
    assert done.stdout == (
        f"gave back 4 files; Claude Code keeps its memory of {desk.project.resolve()} in\n{desk.memory}\n"
    )
    assert json.loads(settings.read_text()) == {"model": "opus"}
    assert (desk.memory / "cups.md").exists()


CODEX = {
    "MEMORY.md": "# Tea\n",
    "memory_summary.md": "v1\n",
    "rollout_summaries/2026-11-01-a.md": "One.\n",
    "raw_memories.md": "raw\n",
    "extensions/ad_hoc/notes/x.md": "x\n",
    ".git/HEAD": "ref\n",
}


def test_the_notes_of_codex_are_copied_and_copied_again_when_codex_changes_them(desk: Desk) -> None:
    own = desk.root / "home" / ".codex" / "memories"
    write(own, CODEX)
    before = every(own)
    done = desk.run("--json", program="codex")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["directory"] == str(own)
    assert answer["moved"] == [
        "codex/MEMORY.md",
        "codex/memory_summary.md",
        "codex/rollout_summaries/2026-11-01-a.md",
    ]
    copies = desk.vault / "codex"
    assert set(every(copies)) == {one.removeprefix("codex/") for one in answer["moved"]}
    assert every(own) == before
    assert len(Memory(str(desk.vault)).log()) == 1
    assert desk.run(program="codex").stdout.startswith("copied 0 notes")

    (copies / "memory_summary.md").write_text("by hand\n")
    write(own, {"MEMORY.md": "# Green tea\n", "memory_summary.md": "v1\nnew\n", "rollout_summaries/b.md": "Two.\n"})
    (own / "rollout_summaries" / "2026-11-01-a.md").unlink()
    done = desk.run(program="codex")
    assert (done.returncode, done.stdout.partition(";")[0]) == (0, "copied 2 notes")
    assert done.stderr == "codex/memory_summary.md was changed in the vault and stays; Codex has another text.\n"
    assert {path: data.decode() for path, data in every(copies).items()} == {
        "MEMORY.md": "# Green tea\n",
        "memory_summary.md": "by hand\n",
        "rollout_summaries/2026-11-01-a.md": "One.\n",
        "rollout_summaries/b.md": "Two.\n",
    }
    assert desk.run("--undo", program="codex").stdout.startswith("moved to the trash: 4 notes")
    assert not list(copies.rglob("*.md"))
    assert (own / "MEMORY.md").read_text() == "# Green tea\n"


@pytest.mark.parametrize(("options", "code", "says"), [((), 0, "has no notes in"), (("--shared",), 2, "one memory")])
def test_codex_without_a_memory_and_what_it_has_not(desk: Desk, options: tuple[str, ...], code: int, says: str) -> None:
    done = desk.run(*options, program="codex")
    assert (done.returncode, says in done.stderr) == (code, True)
