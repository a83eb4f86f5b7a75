"""Links, names and edits on a file system that ignores case, as those of macOS and Windows do.

`windows` is the fake of Windows' calls, which every machine has; it serves this process alone.
"""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools import crashes, fake_windows, insensitive
from tests.tools.inner import engine, index_faults
from tests.tools.renames import edges
from tests.tools.vaults import git, read, write
from zkmem.errors import Taken, ZkError
from zkmem.memory import Memory
from zkmem.names import fold

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="both kinds are made of calls of Linux")

MOUNTED = pytest.mark.skipif(insensitive.missing() is not None, reason=str(insensitive.missing()))
WINDOWS = "windows"
TEA = {"tea.md": "Green.\n", "hint.md": "[[Tea]] [[tea|x]] [[TEA]]\n"}
TOPICS = {
    "topics/a.md": "[[b]]\n",
    "topics/Sub/b.md": "[[topics/a]]\n",
    "hint.md": "[[topics/a]] [t](topics/Sub/b.md)\n",
}


@pytest.fixture(scope="module", params=[WINDOWS, *(pytest.param(kind, marks=MOUNTED) for kind in insensitive.KINDS)])
def disk(request: pytest.FixtureRequest) -> Iterator[str]:
    with contextlib.ExitStack() as stack:
        if request.param == WINDOWS:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="zkmem-names-"))
            stack.enter_context(fake_windows.installed(folder))
            yield folder
        else:
            yield stack.enter_context(insensitive.mounted(request.param))


@pytest.fixture
def shared_disk(disk: str) -> str:
    """Return a folder that other processes, too, see on such a file system."""
    if fake_windows.current:
        pytest.skip("the fake serves one process")
    return disk


@pytest.fixture
def root(disk: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(dir=disk, ignore_cleanup_errors=True) as folder:
        yield folder


def names(root: str) -> set[str]:
    """Return the names of the files and folders in a vault, as they are spelled."""
    return {os.path.relpath(full, root) for full in map(str, pathlib.Path(root).glob("[!.]*/**/*"))} | {
        name for name in os.listdir(root) if name[0] != "."
    }


def agrees(memory: Memory) -> bool:
    """Return whether the index of a memory equals one that is built from the files."""
    assert index_faults(memory) == []
    return True


def test_a_link_finds_its_note_in_any_case(root: str) -> None:
    memory = Memory(write(root, TEA))
    assert [memory.read(name).name for name in ("Tea", "tea", "TEA")] == ["tea"] * 3
    assert edges(root) == {("hint.md", "tea.md")}
    memory.write("TEA", "More.\n", append=True)
    assert names(root) == {"tea.md", "hint.md"}
    assert read(root)["tea.md"] == b"Green.\n\nMore.\n"


def test_a_note_gets_another_spelling_of_its_name_and_the_first_one_back(root: str) -> None:
    memory = Memory(write(root, TEA))
    memory.rename("tea", "Tea")
    assert names(root) == {"Tea.md", "hint.md"}
    assert agrees(memory)
    memory.undo()
    assert names(root) == {"tea.md", "hint.md"}
    assert read(root) == {path: text.encode() for path, text in TEA.items()}
    assert agrees(memory)


def test_a_folder_gets_another_spelling_of_its_name_and_the_first_one_back(root: str) -> None:
    memory = Memory(write(root, TOPICS))
    before = names(root)
    memory.move_files("topics", "Topics")
    assert names(root) == {name.replace("topics", "Topics") for name in before}
    assert agrees(memory)
    memory.move_files("Topics/Sub", "Topics/SUB")
    assert agrees(memory)
    memory.undo()
    memory.undo()
    assert names(root) == before
    assert read(root) == {path: text.encode() for path, text in TOPICS.items()}
    assert agrees(memory)


def test_a_new_note_takes_the_place_of_no_other(root: str) -> None:
    memory = Memory(write(root, {"tea.md": "Green.\n", "b.md": "x\n", "topics/a.md": "", "ÉTÉ.md": "summer\n"}))
    before = read(root)
    for refused in (
        lambda: memory.create_files({"Tea.md": b"new"}),
        lambda: memory.create_files({"Topics/b.md": b"new"}),
        lambda: memory.rename("b", "TEA", merge=False),
        lambda: memory.rename("b", "été", merge=False),
        lambda: memory.move_files("b.md", "Tea.md"),
        lambda: memory.write("TOPICS/c", "new"),
    ):
        with pytest.raises(Taken):
            refused()
    assert read(root) == before


def test_names_that_only_the_disk_takes_for_one_are_refused(root: str) -> None:
    """macOS folds more letters than zkmem does."""
    names = ("STRASSE", "Σ")
    if not os.path.exists(os.path.join(write(root, {"Straße.md": "a\n"}), f"{names[0]}.md")):
        pytest.skip("this disk does not fold them")
    memory = Memory(write(root, {"ς.md": "a\n", "b.md": "x\n"}))
    before = read(root)
    for new in names:
        with pytest.raises(Taken):
            memory.write(new, "new")
        with pytest.raises(Taken):
            memory.rename("b", new, merge=True)
    assert read(root) == before


def test_both_unicode_forms_of_a_name_are_one_note(root: str) -> None:
    decomposed = "e\u0301te\u0301.md"
    memory = Memory(write(root, {decomposed: "summer\n", "hint.md": "[[été]] [[ÉTÉ]]\n"}))
    assert memory.read("été").text == "summer\n"
    memory.write("été", "More.\n", append=True)
    memory.rename("été", "Été")
    assert agrees(memory)
    memory.undo()
    assert agrees(memory)
    assert len(names(root)) == 2


def test_notes_with_one_name_share_the_trash(root: str) -> None:
    memory = Memory(write(root, {"a/Tea.md": "1", "b/tea.md": "2", "c/TEA.md": "3"}))
    for name in ("a/Tea", "b/tea", "c/TEA"):
        memory.delete(name)
    trash = os.path.join(root, ".trash")
    assert {pathlib.Path(trash, name).read_text() for name in os.listdir(trash)} == {"1", "2", "3"}
    for _ in range(3):
        memory.undo()
    assert read(root) == {"a/Tea.md": b"1", "b/tea.md": b"2", "c/TEA.md": b"3"}


def test_a_folder_that_is_empty_lends_its_name_to_a_new_one(root: str) -> None:
    memory = Memory(write(root, {"topics/sub/a.md": "", "b.md": ""}))
    memory.rename("topics/sub/a", "/a")
    memory.write("Topics/Sub/a", "")
    assert agrees(memory)
    memory.rename("b", "Topics/new/b")
    assert agrees(memory)


def test_a_note_is_once_in_the_index_if_its_letters_are_two_in_the_other_case(root: str) -> None:
    memory = Memory(write(root, {"topics/İ.md": "", "topics/ß.md": ""}))
    memory.load()
    memory.move_files("topics", "Topics")
    assert agrees(memory)


def test_a_note_that_a_person_respells_is_one_note(root: str) -> None:
    memory = Memory(write(root, TEA | TOPICS))
    memory.load()
    os.rename(os.path.join(root, "tea.md"), os.path.join(root, "Tea.md"))
    os.rename(os.path.join(root, "topics"), os.path.join(root, "Topics"))
    engine(memory).live.take_in(["tea.md", "Tea.md", "topics", "Topics"])
    assert agrees(memory)
    memory.write("tea", "More.\n", append=True)
    assert agrees(memory)


STEMS = ["tea", "Tea", "TEA", "été", "ÉTÉ", "e\u0301te\u0301", "Note", "note", "K", "\u212a", "İ", "ß", "SS"]
FOLDERS = ["", "topics/", "Topics/", "topics/Sub/", "été/"]
NAMES = st.builds(str.__add__, st.sampled_from(FOLDERS), st.sampled_from(STEMS))


@settings(max_examples=12)
@given(
    turns=st.lists(
        st.tuples(st.sampled_from(["write", "rename", "delete", "undo", "folder"]), NAMES, NAMES), max_size=8
    )
)
def test_random_edits_keep_every_note_and_the_index(disk: str, turns: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory(dir=disk, ignore_cleanup_errors=True) as root:
        texts = ["one\n", "two\n", "three\n"]
        memory = Memory(write(root, dict(zip(("tea.md", "topics/Note.md", "été/ß.md"), texts, strict=True))))
        for turn, one, other in turns:
            with contextlib.suppress(ZkError):
                if turn == "write":
                    memory.create_files({f"{one}.md": b"new\n"})
                elif turn == "rename":
                    memory.rename(one, other, merge=False)
                elif turn == "folder":
                    memory.move_files(one.rpartition("/")[0] or "topics", other.rpartition("/")[0] or "new")
                elif turn == "delete":
                    memory.delete(one)
                else:
                    memory.undo()
            assert agrees(memory)
        kept = {data.decode() for path, data in read(root, hidden=True).items() if not path.startswith(".zkmem")}
        assert set(texts) <= kept
        assert len(set(map(fold, read(root)))) == len(read(root))


def test_killed_at_every_call_a_respelling_is_made_or_not(shared_disk: str) -> None:
    edit = lambda memory: memory.rename("note", "NOTE")  # noqa: E731
    with tempfile.TemporaryDirectory(dir=shared_disk, ignore_cleanup_errors=True) as folder:
        template = crashes.make(os.path.join(folder, "template"), 1)
        found = dict(crashes.at_every_call(template, edit, folder, step=3))
    assert set(found.values()) == {"old", "new"}


def test_edits_of_two_processes_by_names_in_different_case_are_all_kept(shared_disk: str, root: str) -> None:
    write(root, {"tea.md": ""})
    code = (
        "import sys; from zkmem.memory import Memory; m = Memory(sys.argv[1])\n"
        "for n in range(20): m.write(sys.argv[2], f'{sys.argv[2]} {n}.', append=True)"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, root, name]) for name in ("tea", "TEA")]
    assert [writer.wait() for writer in writers] == [0, 0]
    text = read(root)["tea.md"].decode()
    assert all(f"{name} {number}." in text for name in ("tea", "TEA") for number in range(20))


def test_git_gets_the_new_spelling(shared_disk: str, root: str) -> None:
    write(root, TEA)
    git(root, "init", "-q")
    git(root, "config", "user.email", "a@b")
    git(root, "config", "user.name", "a")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    with contextlib.closing(Memory(root, git=True)) as memory:
        memory.rename("tea", "Tea")
        memory.write("Tea", "More.\n", append=True)
    assert set(git(root, "ls-files").splitlines()) >= {"Tea.md", "hint.md"}
    assert "tea.md" not in git(root, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    assert git(root, "show", "HEAD:Tea.md").endswith("More.\n")
    assert git(root, "status", "--porcelain", "--untracked-files=no") == ""
