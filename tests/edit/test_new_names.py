"""What a new name means for a rename, a merge and an extraction: a folder, an existing note or a new one."""

import pathlib
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.vaults import read, write
from zkmem.errors import AmbiguousName, BadArgument, BadName, Taken, UnknownNote, Unwritable, ZkError
from zkmem.memory import Memory
from zkmem.names import folder_of
from zkmem.toolsets.table import TOOLSETS

TOOLS = {tool.name: tool for tool in TOOLSETS["zettel"].tools}
FILES = {
    "people/Tom.md": "Tom.\n",
    "people/Thomas.md": "Thomas. A passage.\n",
    "work/dup.md": "one\n",
    "home/dup.md": "two\n",
    "work/extra.md": "Extra.\n",
    "a.md": "See [[Tom]] and [[people/Thomas]].\n",
    "deep/work/plan.md": "Plan. A passage.\n",
    "v1.png": "a picture, which is no note",
}


def memory(root: pathlib.Path, files: dict[str, str] = FILES) -> Memory:
    return Memory(write(root, files), durable=False)


@pytest.fixture
def m(tmp_path: pathlib.Path) -> Memory:
    return memory(tmp_path)


NEW = [  # the new name of a note, and the name that it gets
    ("people/Thomas", "Tim", "people/Tim"),
    ("a", "b", "b"),
    ("people/Thomas", "/Tim", "Tim"),
    ("people/Thomas", "new/Tim", "new/Tim"),
    ("people/Thomas", "/new/Tim", "new/Tim"),
    ("people/Thomas", "home/", "home/Thomas"),
    ("people/Thomas", "/home/", "home/Thomas"),
    ("people/Thomas", "new/folder/", "new/folder/Thomas"),
    ("people/Thomas", "/", "Thomas"),
    ("people/Thomas", "Tim.md", "people/Tim"),
    ("people/Thomas", "Thomas A. Smith", "people/Thomas A. Smith"),
    ("people/Thomas", "/Tom", "Tom"),
    ("people/Thomas", "/work/Tom", "work/Tom"),
    ("people/Thomas", "/dup", "dup"),
    ("people/Thomas", "v1.png", "people/v1.png"),
    ("people/Thomas", "/v1.png", "v1.png"),
]
OWN = [  # another spelling of a note's own name, or a path that only ends with it
    ("people/Thomas", "thomas", "people/thomas"),
    ("people/Thomas", "thomaS.md", "people/thomaS"),
    ("people/Thomas", "/people/thomas", "people/thomas"),
    ("people/Thomas", "people/thomas", "people/thomas"),
    ("work/dup", "Dup", "work/Dup"),
    ("deep/work/plan", "work/plan", "work/plan"),
    ("people/Thomas", "work/Thomas", "work/Thomas"),
    ("people/Thomas", "/Thomas", "Thomas"),
]
SAME = [("people/Thomas", name) for name in ("Thomas", "Thomas.md", "people/Thomas", "/people/Thomas", "people/")] + [
    ("work/dup", "dup"),
    ("a", "/"),
    ("a", "[[a]]"),
]
EXISTING = [  # spellings that mean the note people/Tom
    "Tom", "tom", "Tom.md", "people/Tom", "/people/tom", "[[Tom]]", "[[people/Tom#Part|x]]", "zkmem://note/people/Tom",
]  # fmt: skip


class TestARename:
    @pytest.mark.parametrize(("name", "new_name", "expected"), [*NEW, *OWN])
    def test_goes_where_the_new_name_says(self, m: Memory, name: str, new_name: str, expected: str) -> None:
        before = read(m.vault)
        done = m.rename(name, new_name)
        assert (done.outcome, done.name.removeprefix("/")) == ("moved", expected)
        after = read(m.vault)
        assert after[f"{expected}.md"] == before[f"{name}.md"]
        assert after.keys() == before.keys() - {f"{name}.md"} | {f"{expected}.md"}
        assert not {one.kind for one in m.check()} & {"missing"}

    @pytest.mark.parametrize(("name", "new_name"), SAME)
    def test_to_the_very_name_changes_nothing(self, m: Memory, name: str, new_name: str) -> None:
        before = read(m.vault)
        assert m.rename(name, new_name).outcome == "unchanged"
        assert read(m.vault) == before

    @pytest.mark.parametrize("new_name", EXISTING)
    @pytest.mark.parametrize("name", ["people/Thomas", "deep/work/plan", "a"])
    def test_to_a_name_that_reads_as_a_note_is_a_merge(self, m: Memory, name: str, new_name: str) -> None:
        done = m.rename(name, new_name, merge=True)
        assert (done.outcome, done.name) == ("merged", "people/Tom")
        assert f"{name}.md" not in read(m.vault)
        assert read(m.vault)["people/Tom.md"].startswith(b"Tom.\n\n---\n\n")

    @pytest.mark.parametrize("new_name", EXISTING)
    def test_that_must_not_merge_names_the_note_and_a_way_to_another_one(self, m: Memory, new_name: str) -> None:
        before = read(m.vault)
        with pytest.raises(Taken, match="There is a note 'people/Tom' already") as told:
            m.rename("deep/work/plan", new_name, merge=False)
        assert read(m.vault) == before
        if new_name in {"Tom", "tom", "Tom.md"}:
            way = re.search("For another note of this name, give: '(/deep/work/[^']+)'", str(told.value))
            assert way
            assert m.rename("deep/work/plan", way[1], merge=False).outcome == "moved"

    def test_to_a_name_of_several_notes_is_refused_as_a_read_is(self, m: Memory) -> None:
        before = read(m.vault)
        with pytest.raises(AmbiguousName) as reading:
            m.read("dup")
        for call in (lambda: m.rename("a", "dup"), lambda: m.preview_rename("a", "dup"),
                     lambda: m.rename("a", "dup", merge=False)):  # fmt: skip
            with pytest.raises(AmbiguousName) as told:
                call()
            assert str(told.value).startswith(str(reading.value))
            assert str(told.value).endswith("For another note of this name, give: '/dup'.")
        with pytest.raises(AmbiguousName) as told:
            m.rename("work/extra", "dup")
        assert str(told.value) == str(reading.value), "there is one in its folder"
        assert read(m.vault) == before

    @pytest.mark.parametrize("new_name", ["", "  ", "../x", "people/../x", "x:y", "people//x/", "[[new]]"])
    def test_to_what_cannot_be_a_name_changes_nothing(self, m: Memory, new_name: str) -> None:
        before = read(m.vault)
        for name in ("people/Thomas", "a"):
            with pytest.raises(BadName):
                m.rename(name, new_name)
        assert read(m.vault) == before

    def test_is_previewed_as_it_is_made(self, m: Memory) -> None:
        for name, new_name in [(one, new) for one, new, _ in [*NEW, *OWN]] + [("a", new) for new in EXISTING]:
            preview = m.preview_rename(name, new_name, merge=True)
            done = m.rename(name, new_name, merge=True)
            assert (preview.outcome, preview.remarks) == (done.outcome, done.remarks)
            to = {change.path: change.to for change in preview.changes}
            assert done.outcome == "merged" or to[f"{name}.md"] == f"{done.name.removeprefix('/')}.md"
            m.undo()

    def test_answers_with_the_folder_if_that_changes_and_with_namesakes(self, m: Memory) -> None:
        def answer(name: str, new_name: str) -> str:
            text = TOOLS["rename_content"].call(m, {"name": name, "new_name": new_name}).texts[0]
            m.undo()
            return text

        assert "folder" not in answer("Thomas", "Tim")
        assert "folder" not in answer("Thomas", "Tom")
        assert "new folder: home (before: people)" in answer("Thomas", "home/")
        assert "new folder: the root (before: people)" in answer("Thomas", "/Tim")
        assert "new folder: people (before: the root)" in answer("a", "people/a")
        assert "another note is called Tom: people/Tom" in answer("Thomas", "/Tom")
        assert "other notes are called dup: home/dup, work/dup" in answer("Thomas", "/dup")
        assert "called" not in answer("Thomas", "Tim")

    def test_its_own_name_changes_nothing_and_the_answer_says_how_to_write_the_root(self, m: Memory) -> None:
        done = m.rename("people/Thomas", "Thomas")
        assert (done.outcome, done.name) == ("unchanged", "people/Thomas")
        assert done.remarks == [
            "a new name without a slash leaves the note in its folder; for the root, give: '/Thomas'"
        ]
        assert m.rename("a", "a").remarks == []

    def test_into_a_folder_that_is_a_note_is_refused(self, m: Memory) -> None:
        with pytest.raises(
            Unwritable, match=r"'a\.md/a\.md' cannot be written: a file stands where the folder 'a\.md'"
        ):
            m.rename("a", "a.md/")

    def test_into_a_folder_whose_twin_exists_is_refused(self, m: Memory) -> None:
        for new_name in ("People/", "People/x", "/HOME/x"):
            with pytest.raises(Taken, match="spell it like that"):
                m.rename("a", new_name, merge=True)


class TestAnExtraction:
    @pytest.mark.parametrize(
        ("new_name", "expected"), [(new, to) for name, new, to in NEW if name == "people/Thomas" and to != "Thomas"]
    )
    def test_goes_where_the_new_name_says(self, m: Memory, new_name: str, expected: str) -> None:
        done = m.extract("Thomas", "A passage.", new_name)
        assert (done.note.outcome, done.note.name.removeprefix("/")) == ("created", expected)
        assert read(m.vault)[f"{expected}.md"] == b"A passage.\n"

    @pytest.mark.parametrize("new_name", EXISTING)
    def test_to_a_name_that_reads_as_a_note_is_added_to_it(self, m: Memory, new_name: str) -> None:
        for name in ("Thomas", "plan"):
            done = m.extract(name, "A passage.", new_name)
            assert (done.note.outcome, done.note.name) == ("appended", "people/Tom")
        assert read(m.vault)["people/Tom.md"] == b"Tom.\n\nA passage.\n\nA passage.\n"

    def test_to_a_name_of_several_notes_or_its_own_is_refused(self, m: Memory) -> None:
        before = read(m.vault)
        for call in (m.extract, m.preview_extract):
            with pytest.raises(AmbiguousName):
                call("Thomas", "A passage.", "dup")
            for own in ("Thomas", "thomas", "people/THOMAS", "people/", "[[Thomas]]"):
                with pytest.raises(BadArgument, match="is 'people/Thomas' itself"):
                    call("Thomas", "A passage.", own)
        assert read(m.vault) == before


class TestAnEditor:
    def test_renames_a_note_as_the_tool_does(self, m: Memory) -> None:
        editor = m.in_editor()
        for name, new_name, expected in [*NEW, *OWN]:
            assert editor.rename(f"{name}.md", new_name).moves == {f"{name}.md": f"{expected}.md"}
        for new_name in EXISTING:
            with pytest.raises(Taken, match="There is a note 'people/Tom' already"):
                editor.rename("a.md", new_name)
        with pytest.raises(AmbiguousName):
            editor.rename("a.md", "dup")

    def test_proposes_a_name_for_a_passage_that_means_no_note(self, tmp_path: pathlib.Path) -> None:
        text = b"Tom\n\ndata.csv\n"
        files = {"a.md": text.decode(), "people/Tom.md": "", "people/Tom 1.md": "", "x/data.csv": ""}
        editor = memory(tmp_path, files).in_editor()
        for start, end, name in ((0, 3, "Tom 2"), (5, 13, "data.csv")):
            assert editor.passage_name("a.md", text, start, end) == name
            assert f"{name}.md" in {change.path for change in editor.extract("a.md", start, end, name).texts}


def test_a_picture_is_stored_beside_the_note_that_the_name_means(m: Memory) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + bytes(20)
    assert folder_of(m.attach("Tom", "p", picture).path).startswith("people/")
    assert not folder_of(m.attach("/Tom", "p", picture).path).startswith("people/")
    with pytest.raises(AmbiguousName):
        m.attach("dup", "p", picture)


PARTS = st.sampled_from(["Tom", "tom", "Thomas", "dup", "plan", "new", "people", "work", "home", "deep", "a"])
NAMES = st.builds(
    lambda lead, parts, end: lead + "/".join(parts) + end,
    st.sampled_from(["", "/"]),
    st.lists(PARTS, min_size=1, max_size=3),
    st.sampled_from(["", "", ".md", "/"]),
)


def meaning(m: Memory, name: str) -> str | None:
    """What a read of a name means: the note, None for no note, "?" for several."""
    try:
        return m.read(name).name.removeprefix("/")
    except UnknownNote:
        return None
    except AmbiguousName:
        return "?"


@given(name=st.sampled_from(sorted(path[:-3] for path in FILES if path.endswith(".md"))), new_name=NAMES)
def test_always_a_new_name_means_the_note_that_a_read_of_it_means_else_a_path(
    tmp_path_factory: pytest.TempPathFactory, name: str, new_name: str
) -> None:
    m = memory(tmp_path_factory.mktemp("vault"))
    is_folder, is_plain = new_name.endswith("/"), "/" not in new_name
    path = new_name.strip("/").removesuffix(".md")
    path = f"{path}/{name.rpartition('/')[2]}" if is_folder else path
    at = f"{folder_of(name)}/{path}".removeprefix("/") if is_plain else path
    read_as = "?" if at.lower() == name.lower() else meaning(m, f"/{at}" if is_folder else new_name)
    outcome: Any
    try:
        done = m.rename(name, new_name, merge=True)
        outcome = done.outcome, done.name.removeprefix("/")
    except ZkError as error:
        outcome = type(error)
    if at.lower() == name.lower():
        assert outcome == ("unchanged" if at == name else "moved", at)
    elif read_as == "?":
        assert outcome is AmbiguousName
    elif read_as is not None and read_as != name:
        assert outcome == ("merged", read_as)
    else:
        assert outcome in {("moved", at), Taken}, "a folder or file may be in the way"
