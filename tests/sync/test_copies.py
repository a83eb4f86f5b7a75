"""Copies that synchronisation services leave are recognised, and merged into their notes."""

import json
import pathlib
import subprocess

import pytest

from tests.tools.forked import zkmem_command
from tests.tools.vaults import read, write
from zkmem.caller import Grant
from zkmem.errors import BadArgument, Forbidden, Inexpressible, UnknownNote
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS

TEA = "# Tea\n\nGreen is good.\n\nBlack is strong.\n\nWhite is mild.\n"


def notes(root: str | pathlib.Path) -> dict[str, str]:
    """Return the notes of a vault by path, without the trash."""
    return {path: data.decode() for path, data in read(root).items() if not path.startswith(".")}


@pytest.mark.parametrize(
    ("name", "service", "title"),
    [
        ("tea.sync-conflict-20261122-101405-ABCDEF7", "Syncthing", "Other version: ABCDEF7, 2026-11-22 10:14"),
        ("tea (Ann's conflicted copy 2026-11-22)", "Dropbox", "Other version: Ann, 2026-11-22"),
        ("tea (ANNS-PC's conflicted copy)", "Dropbox", "Other version: ANNS-PC"),
        ("tea (Conflicted copy laptop 202611221014)", "Obsidian Sync", "Other version: laptop, 2026-11-22 10:14"),
        ("tea (conflicted copy 2026-11-22 101405)", "Nextcloud", "Other version: 2026-11-22 10:14"),
        ("tea_conflict-20261122-101405", "ownCloud", "Other version: 2026-11-22 10:14"),
        ("tea (SFConflict ann@example.org 2026-11-22-10-14-05)", "Seafile",
         "Other version: ann@example.org, 2026-11-22"),
        ("tea (Case Conflict 1)", "a synchronisation service", "Other version, from a synchronisation service"),
        ("tea (Selective Sync Conflict)", "a synchronisation service", "Other version, from a synchronisation service"),
        ("tea (Conflict 2)", "a synchronisation service", "Other version, from a synchronisation service"),
        ("tea.Conflict", "a synchronisation service", "Other version, from a synchronisation service"),
        ("tea [conflicted]", "a synchronisation service", "Other version, from a synchronisation service"),
        ("tea 2", "iCloud", "Other version, from iCloud"),
        ("tea (1)", "Google Drive", "Other version, from Google Drive"),
        ("tea-DESKTOP-4F2", "OneDrive", "Other version: DESKTOP-4F2"),
        ("tea-DESKTOP-AB12CD3", "OneDrive", "Other version: DESKTOP-AB12CD3"),
    ],
)  # fmt: skip
def test_the_copies_of_each_service_are_recognised(tmp_path: pathlib.Path, name: str, service: str, title: str) -> None:
    root = write(tmp_path, {"x/tea.md": TEA, f"x/{name}.md": TEA + "\nOolong.\n", "tea.md": "another"})
    with Memory(root) as memory:
        (copy,) = memory.copies()
        assert (copy.path, copy.of, copy.service, copy.title) == (f"x/{name}.md", "x/tea.md", service, title)
        assert "copy" in [one.kind for one in memory.check() if one.note == f"x/{name}"]


@pytest.mark.parametrize(
    "name",
    ["tea 2", "tea (1)", "tea-NOTES", "teaconflict", "conflict", "tea (conflict of interest)", "tea.sync-conflict"],
)
def test_a_note_that_is_no_copy_is_left_alone(tmp_path: pathlib.Path, name: str) -> None:
    root = write(tmp_path, {"tea.md": TEA, f"{name}.md": "# Something else\n\nOf the same house.\n"})
    with Memory(root) as memory:
        assert memory.copies() == []
        with pytest.raises(BadArgument, match="is not a conflict copy"):
            memory.merge_copy(name)
    assert len(notes(root)) == 2


def call(memory: Memory, tool: str, /, **arguments: object) -> object:
    (found,) = (one for toolset in TOOLSETS.values() for one in toolset.tools if one.name == tool)
    return found.call(memory, arguments).data


def test_elements_of_one_description_are_no_copies(tmp_path: pathlib.Path) -> None:
    text = "".join(f"line {number}\n" for number in range(9))
    with Memory(write(tmp_path, {})) as memory:
        call(memory, "addListMemory", name="tags", description="open tags", role="stack")
        for data in ("<div>", "<span>", text, text + "more\n"):
            call(memory, "pushStackElement", name="tags", data=data, description="opened here")
        assert {"tags/opened here.md", "tags/opened here 2.md", "tags/opened here 4.md"} <= {*notes(tmp_path)}
        assert memory.copies() == []
        assert [one.kind for one in memory.check()] == []
        with pytest.raises(BadArgument, match="is not a conflict copy"):
            memory.merge_copy("tags/opened here 2")


def test_memories_with_one_title_are_no_copies(tmp_path: pathlib.Path) -> None:
    with Memory(write(tmp_path, {})) as memory:
        for last in ("milk", "bread"):
            call(memory, "memory_add", content=f"To buy:\n- tea\n- rice\n- {last}\n", memory_type="semantic")
        assert {*notes(tmp_path)} == {"semantic/To buy.md", "semantic/To buy 2.md"}
        assert memory.copies() == []


@pytest.mark.parametrize(
    ("note", "copy", "is_copy"),
    [
        ("---\na: 1\nb: 2\nc: 3\n---\nGreen.\n", "---\na: 1\nb: 2\nc: 3\n---\nBlack.\n", False),
        ("---\na: 1\nb: 2\n---\n", "---\na: 1\nb: 2\n---\n", False),
        (f"---\na: 1\n---\n{TEA}", f"---\nb: 2\nc: 3\n---\n{TEA}More.\n", True),
        (f"---\ncreated: 2026-11-22\n---\n{TEA}", f"---\ncreated: 2026-11-22\n---\n{TEA}More.\n", True),
        (f"---\ncreated: 2026-11-22\n---\n{TEA}", f"---\nCreated: 2026-11-23\n---\n{TEA}More.\n", False),
        (f"---\n[\n---\n{TEA}", f"---\n[\n---\n{TEA}More.\n", True),
    ],
)
def test_the_frontmatter_makes_no_note_a_copy(tmp_path: pathlib.Path, note: str, copy: str, *, is_copy: bool) -> None:
    with Memory(write(tmp_path, {"tea.md": note, "tea 2.md": copy})) as memory:
        assert bool(memory.copies()) == is_copy


def test_only_links_that_a_caller_may_see_show_that_a_note_is_no_copy(tmp_path: pathlib.Path) -> None:
    files = {"in/tea.md": TEA, "in/tea 2.md": TEA + "More.\n", "out.md": "[[in/tea 2]]\n"}
    with Memory(write(tmp_path, files)) as memory:
        inside = memory.restricted(Grant("in"))
        assert memory.copies() == []
        assert [copy.path for copy in inside.copies()] == ["in/tea 2.md"]
        assert [one.kind for one in inside.check()] == ["copy"]
        with pytest.raises(BadArgument, match="is not a conflict copy"):
            memory.merge_copy("in/tea 2")
        with pytest.raises(Forbidden, match="outside of the folder"):
            inside.merge_copy("in/tea 2")


def test_changes_of_the_note_and_lines_of_the_copy_are_told_apart(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"tea.md": "old", "hub.md": "[[tea.sync-conflict-20261122-101405-ABCDEF7]]\n"})
    with Memory(root) as memory:
        memory.write("tea", TEA)
        memory.write("tea", TEA.replace("Green is good", "Sencha is good").replace("White is mild.\n", ""))
    other = TEA.replace("Black is strong", "Black is very strong") + "\nTheirs.\n"
    write(tmp_path, {"tea.sync-conflict-20261122-101405-ABCDEF7.md": other})
    with Memory(root) as memory:
        done = memory.merge_copy("tea.sync-conflict-20261122-101405-ABCDEF7")
        assert done.remarks == ["a callout shows the lines that have other words in the copy"]
        callout = "> [!conflict] Other version: ABCDEF7, 2026-11-22 10:14\n> Black is very strong."
        assert notes(root) == {
            "tea.md": f"# Tea\n\nSencha is good.\n\nBlack is strong.\n\n{callout}\n\n\nTheirs.\n",
            "hub.md": "[[tea]]\n",
        }
        (finding,) = memory.check()
        assert finding.kind == "conflict"
        assert "Other version: ABCDEF7, 2026-11-22 10:14" in finding.detail
        memory.undo()
        assert notes(root)["tea.sync-conflict-20261122-101405-ABCDEF7.md"] == other


def test_words_that_the_copy_does_not_have_yet_stay(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"tea.md": TEA.replace("Green is good", "Green is excellent")})  # by hand
    with Memory(root) as memory:
        memory.write("tea", "\nLater.\n", append=True)
    write(tmp_path, {"tea (1).md": TEA})
    with Memory(root) as memory:
        memory.merge_copy("tea (1)")
    assert "\nGreen is excellent.\n" in notes(root)["tea.md"]
    assert "\n> Green is good.\n" in notes(root)["tea.md"]


def test_without_a_base_no_line_of_either_is_lost(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"tea.md": TEA + "\nMine.\n", "tea 2.md": TEA.replace("Black", "Assam") + "\nTheirs.\n"})
    with Memory(root) as memory:
        memory.merge_copy("tea 2")
    assert list(notes(root)) == ["tea.md"]
    text = notes(root)["tea.md"]
    assert all(line in text for line in ("Mine.", "Theirs.", "Black is strong.", "Assam is strong."))
    assert text.count("Green is good.") == 1


def test_without_a_base_a_line_in_other_words_gets_a_callout(tmp_path: pathlib.Path) -> None:
    root = write(
        tmp_path, {"w.md": "White is rare.\n", "w.sync-conflict-20261120-093000-ABCDEF7.md": "White is very rare.\n"}
    )
    with Memory(root) as memory:
        done = memory.merge_copy("w.sync-conflict-20261120-093000-ABCDEF7")
    assert done.remarks == ["a callout shows the lines that have other words in the copy"]
    callout = "> [!conflict] Other version: ABCDEF7, 2026-11-20 09:30\n> White is very rare."
    assert notes(root) == {"w.md": f"White is rare.\n\n{callout}\n"}


@pytest.mark.parametrize("own", ["\nFrom Japan.\n", ""])
def test_a_merge_that_was_undone_is_made_again(tmp_path: pathlib.Path, own: str) -> None:
    copy = "tea.sync-conflict-20261120-093000-ABCDEF7"
    root = write(tmp_path, {"tea.md": f"Green.\n{own}", f"{copy}.md": "Green.\n\nTwo minutes.\n"})
    with Memory(root) as memory:
        memory.merge_copy(copy)
        merged = notes(root)["tea.md"]
        memory.undo()
        memory.merge_copy(copy)
    assert "Two minutes." in merged
    assert notes(root)["tea.md"] == merged


def test_lines_that_only_the_copy_lacks_stay(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"tea.md": "old"})
    with Memory(root) as memory:
        memory.write("tea", TEA)
        memory.write("tea", "\nLater.\n", append=True)
        memory.write("tea", "\nLast.\n", append=True)
    write(tmp_path, {"tea (1).md": TEA + "\nLast.\n\nTheirs.\n"})
    with Memory(root) as memory:
        memory.merge_copy("tea (1)")
    assert "Later." in notes(root)["tea.md"]
    assert "Theirs." in notes(root)["tea.md"]


def test_a_copy_of_a_note_that_does_not_exist_is_not_merged(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"tea (Case Conflict).md": TEA})
    with Memory(root) as memory:
        (finding,) = memory.check()
        assert finding.detail == (
            "a conflict copy of tea, from a synchronisation service; "
            "that note does not exist: rename the copy or delete it"
        )
        with pytest.raises(UnknownNote, match="There is no note 'tea'"):
            memory.merge_copy("tea (Case Conflict)")
    assert notes(root) == {"tea (Case Conflict).md": TEA}


@pytest.mark.parametrize(
    "name", ["tea (x\n\n```\nAnn's conflicted copy)", "x (b/c's conflicted copy)", "tea/ (Case Conflict)"]
)
def test_no_name_leads_out_of_its_line_or_folder(tmp_path: pathlib.Path, name: str) -> None:
    root = write(tmp_path, {"tea.md": TEA, "x.md": TEA, f"{name}.md": TEA + "\nTheirs.\n"})
    with Memory(root) as memory:
        assert memory.copies() == []


def test_a_label_has_no_markdown(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"tea.md": TEA, "tea ([[X]] <!-- %% `'s conflicted copy).md": TEA})
    with Memory(root) as memory:
        assert [copy.title for copy in memory.copies()] == ["Other version: X --"]


@pytest.mark.parametrize(
    ("note", "copy"),
    [
        ("Top\n\nnote [[X]]\n", "Top\n\n```\ncode\n"),
        ("note [a][1]\n\n[1]: Y.md\n", "copy [b][1]\n\n[1]: X.md\n"),
    ],
)
def test_a_merge_that_would_hide_a_link_is_refused(tmp_path: pathlib.Path, note: str, copy: str) -> None:
    files = {"tea.md": note, "tea (Case Conflict).md": copy, "X.md": "", "Y.md": ""}
    with Memory(write(tmp_path, files)) as memory, pytest.raises(Inexpressible, match="would be lost"):
        memory.merge_copy("tea (Case Conflict)")
    assert notes(tmp_path) == files


def run(root: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return zkmem_command("sync", *arguments, "-C", root)


COPIES = {"tea.md": TEA, "tea (1).md": TEA + "\nTheirs.\n", "tea (2).md": TEA + "\nAnd theirs.\n"}


class TestCommand:
    def test_it_merges_all_copies(self, tmp_path: pathlib.Path) -> None:
        root = write(tmp_path, COPIES)
        done = run(root, "--copies")
        assert (done.returncode, done.stdout) == (0, "tea (1) -> tea: merged\ntea (2) -> tea: merged\n")
        assert list(notes(root)) == ["tea.md"]
        assert all(line in notes(root)["tea.md"] for line in ("Theirs.", "And theirs."))
        assert (run(root, "--copies").stderr, list(notes(root))) == ("no conflict copies found\n", ["tea.md"])

    def test_all_copies_of_a_note_are_merged_although_each_changes_it(self, tmp_path: pathlib.Path) -> None:
        note = "Tea.\n\nGreen.\n\nBlack.\n"
        copies = {f"n{end}.md": f"{note}\n{end} adds.\n{end} adds more.\n" for end in (" (1)", " (2)", "-LAPTOP")}
        root = write(tmp_path, {"n.md": note, **copies})
        done = run(root, "--copies")
        assert done.returncode == 0, done.stdout
        assert list(notes(root)) == ["n.md"]

    def test_a_copy_of_a_copy_is_merged_first(self, tmp_path: pathlib.Path) -> None:
        root = write(
            tmp_path, {"t.md": TEA, "t (Conflict).md": TEA + "\nA.\n", "t (Conflict) (Conflict).md": TEA + "\nB.\n"}
        )
        assert run(root, "--copies").returncode == 0
        assert list(notes(root)) == ["t.md"]
        assert all(line in notes(root)["t.md"] for line in ("A.", "B."))

    def test_a_dry_run_changes_nothing(self, tmp_path: pathlib.Path) -> None:
        root = write(tmp_path, COPIES)
        done = run(root, "--copies", "--dry-run", "--json")
        assert [row["outcome"] for row in json.loads(done.stdout)["copies"]] == ["would be merged"] * 2
        assert notes(root) == COPIES
        write(tmp_path, {"cup (1).md": TEA, "cup (Case Conflict).md": TEA})
        assert run(root, "--copies", "--dry-run").returncode == 1

    def test_a_copy_that_cannot_be_merged_is_reported(self, tmp_path: pathlib.Path) -> None:
        root = write(tmp_path, {"tea (Case Conflict).md": TEA})
        done = run(root, "--copies")
        assert done.returncode == 1
        assert done.stdout.startswith("tea (Case Conflict) -> tea: not merged: there is no note 'tea'")
        assert run(root).returncode == 5
