"""The undo of a line of the brief: what edits did to one note, or one passage of it."""

import pathlib

import pytest

from tests.tools import story
from tests.tools.vaults import read, write
from zkmem.caller import Grant
from zkmem.errors import EditedSince, NothingToUndo, NoVersion, UnknownEdit
from zkmem.memory import Memory

BEFORE = "# A\n\nThe first part stays.\n\nThe second is old.\n\n## B\n\nThe third is old.\n\nThe fourth stays.\n"
AFTER = BEFORE.replace("second is old", "second is new").replace("third is old", "third is new")


@pytest.fixture
def m(tmp_path: pathlib.Path) -> Memory:
    return Memory(str(tmp_path))


def by(memory: Memory, client: str) -> Memory:
    return memory.on_behalf(client=client)


def text(memory: Memory, name: str) -> str:
    return read(memory.vault)[f"{name}.md"].decode()


def two_notes(memory: Memory) -> None:
    """Let one edit, the third, change two notes."""
    memory.write("a", "one\n")
    memory.write("b", "two\n")
    by(memory, "model").set_properties({"x": 1}, ["a", "b"])


def test_an_edit_of_one_note_is_undone_as_a_whole(m: Memory) -> None:
    m.write("a", BEFORE)
    by(m, "model").write("a", AFTER)
    assert m.preview_undo_line("a", 2).edits == ["2: changed a"]
    done = m.undo_line("a", 2)
    assert (done.edits, done.remarks, text(m, "a")) == (["2: changed a"], [], BEFORE)
    assert m.log(edit=2)[0].undone
    with pytest.raises(NothingToUndo, match="Edit 2 is undone already, by edit 3"):
        m.undo_line("a", 2)


def test_all_edits_of_a_line_are_undone_together(m: Memory) -> None:
    m.write("a", "one\n")
    for word in ("two", "three"):
        by(m, "model").append("a", f"{word}\n")
    m.undo_line("a", 3, first=2)
    assert text(m, "a") == "one\n"
    assert [one.rev for one in m.log() if one.undone] == ["3", "2"]


def test_of_an_edit_of_several_notes_only_one_note_is_undone(m: Memory) -> None:
    two_notes(m)
    preview = m.preview_undo_line("a", 3)
    assert ([one.path for one in preview.changes], preview.remarks) == (
        ["a.md"],
        ["Of edit 3, only what it did to a is undone."],
    )
    done = m.undo_line("a", 3)
    assert (done.notes, done.remarks) == (["a"], ["Of edit 3, only what it did to a is undone."])
    assert (text(m, "a"), "x: 1" in text(m, "b")) == ("one\n", True)
    (last, edit) = m.log(limit=2)
    assert (last.words, last.undoes, edit.undone) == ("Undid a part: changed a", (), False)
    with pytest.raises(NothingToUndo, match="'a' is as it was before edit 3 already"):
        m.undo_line("a", 3)
    m.undo(edit=3)
    assert (text(m, "a"), text(m, "b")) == ("one\n", "two\n"), "the rest can be undone later"
    m.redo()
    m.undo(edit=3)
    assert text(m, "b") == "two\n"


def test_another_note_that_took_the_earlier_name_is_left_as_it_is(m: Memory) -> None:
    m.write("a", "one\n")
    model = by(m, "model")
    model.rename("a", "b")
    model.write("a", "another\n")
    model.set_properties({"x": 1}, ["a", "b"])
    m.rename("a", "c")
    m.undo_line("b", 4, first=2)
    assert (text(m, "a"), "x: 1" in text(m, "c")) == ("one\n", True)


def test_the_links_to_a_note_whose_renaming_is_undone_in_part_follow_it(m: Memory) -> None:
    m.write("a", "[[d]]\n")
    m.write("b", "[[a]]\n")
    m.write("d", "x\n")
    by(m, "model").rename("a", "x/g")
    by(m, "model").rename("d", "f")
    m.append("b", "more\n")
    m.undo()  # b has the text again that it had after the renaming
    m.undo_line("x/g", 5, first=4)
    assert (text(m, "a"), text(m, "b")) == ("[[f]]\n", "[[a]]\n")


def test_a_note_that_was_merged_into_one_that_is_gone_is_brought_back(m: Memory) -> None:
    m.write("b", "one\n")
    model = by(m, "model")
    model.write("h", "two\n")
    model.rename("b", "h", merge=True)
    model.delete("h")
    (line,) = m.brief(client="model").lines
    assert (line.note, line.kind, line.first, line.edit) == ("b", "deleted", 3, 3)
    assert [one.name for one in m.change("b", 3).notes] == ["b"]
    m.mark_viewed("", [("b", 3, 3)])
    m.undo_line("b", 3)
    assert text(m, "b") == "one\n"


def test_the_undo_of_a_part_can_be_redone(m: Memory) -> None:
    two_notes(m)
    m.undo_line("a", 3)
    m.redo()
    assert "x: 1" in text(m, "a")
    m.undo_line("a", 3)
    m.redo(edit=6)
    assert "x: 1" in text(m, "a")


def test_an_undo_knows_what_was_renamed_meanwhile(m: Memory) -> None:
    two_notes(m)
    m.write("link", "See [[a]].\n")
    m.rename("a", "x/c")
    m.undo_line("a", 3)
    assert text(m, "x/c") == "one\n"
    m.write("d", "See [[link]], twice.\n\nAnd more.\n")
    by(m, "model").write("d", "See nothing.\n\nAnd less.\n")
    m.rename("link", "chain")
    m.undo_line("d", 8, passage=0)
    assert text(m, "d") == "See [[chain]], twice.\n\nAnd less.\n"


def test_one_passage_is_undone_and_what_came_later_stays(m: Memory) -> None:
    m.write("a", BEFORE)
    by(m, "model").write("a", AFTER)
    by(m, "other").write("a", AFTER.replace("fourth stays", "fourth is another"))
    preview = m.preview_undo_line("a", 2, passage=1)
    assert preview.remarks == ["Of edit 2, only one passage of a is undone."]
    m.undo_line("a", 2, passage=1)
    assert text(m, "a") == AFTER.replace("third is new", "third is old").replace("fourth stays", "fourth is another")
    m.undo_line("a", 2, passage=0)
    assert text(m, "a") == BEFORE.replace("fourth stays", "fourth is another")
    with pytest.raises(NothingToUndo, match="Nothing was undone: 'a' is as it was"):
        m.undo_line("a", 2, passage=0)
    with pytest.raises(NothingToUndo, match="has no such passage"):
        m.undo_line("a", 2, passage=2)


@pytest.mark.parametrize(
    ("before", "after", "passage", "undone"),
    [
        ("one\n\ntwo\n", "one\n\ntwo\n\nthree\n", 0, "one\n\ntwo\n\n"),  # added
        ("one\n\ntwo\n\nthree\n", "one\n\nthree\n", 0, "one\n\ntwo\n\nthree\n"),  # removed
        ("---\nx: 1\n---\none a\n", "---\nx: 2\n---\none b\n", 0, "---\nx: 2\n---\none a\n"),  # properties stay
        ("one a\r\n\r\ntwo\r\n", "one b\r\n\r\ntwo c\r\n", 0, "one a\r\n\r\ntwo c\r\n"),
        ("- a b\n- c d\n", "- a x\n- c y\n- e\n", 1, "- a x\n- c d\n- e\n"),
        ("one a", "one b\n\ntwo\n", 0, "one a\n\ntwo\n"),
        ("    code\n", "one\n\n    code\n", 0, "    code\n"),  # what is before a block is a part of it
        ("one a\n\n  - b\n", "one c\n\n  - b\n", 0, "one a\n\n  - b\n"),
        ("---\nx: 1\n---\none\n", "---\nx: 1\n---", 0, "---\nx: 1\n---\none\n"),
    ],
)
def test_passages_of_every_kind(m: Memory, before: str, after: str, passage: int, undone: str) -> None:
    write(m.vault, {"a.md": before})
    m.write("hint", "x")
    by(m, "model").write("a", after)
    assert m.change("a", 2).notes[0].passages[-1].number is not None
    m.undo_line("a", 2, passage=passage)
    assert text(m, "a") == undone


def test_a_passage_of_a_new_note_and_of_several_edits(m: Memory) -> None:
    model = by(m, "model")
    model.write("a", "one\n\ntwo\n")
    model.append("a", "\nthree\n")
    (note,) = m.change("a", 2, first=1).notes
    assert [one.number for one in note.passages] == [0, 1, 2]
    m.undo_line("a", 2, first=1, passage=1)
    assert text(m, "a") == "one\n\nthree\n"


def test_a_later_edit_in_the_way_is_named_and_nothing_changes(m: Memory) -> None:
    m.write("a", BEFORE)
    by(m, "model").write("a", AFTER)
    by(m, "other 1.2").write("a", AFTER.replace("second is new", "second is newest"))
    files = read(m.vault)
    with pytest.raises(EditedSince, match=r"Edit 2 .* cannot be undone in 'a': edit 3 \(other\) has changed the same"):
        m.undo_line("a", 2, passage=0)
    with pytest.raises(EditedSince):
        m.preview_undo_line("a", 2)
    assert read(m.vault) == files
    m.undo_line("a", 2, passage=1)
    m.delete("a")
    with pytest.raises(EditedSince, match="has deleted 'a'; undo that first"):
        m.undo_line("a", 2, passage=0)


def test_lines_of_a_day(tmp_path: pathlib.Path) -> None:
    story.story(tmp_path / "vault")
    before = {path: data.encode() for path, data in story.before().items()}
    with Memory(str(tmp_path / "vault")) as m:
        for line in m.brief(kind="merged").lines:
            m.undo_line(line.note, line.edit, first=line.first)
        line = m.brief(kind="extracted").lines[0]
        m.undo_line(line.note, line.edit, first=line.first)
        m.undo_line(story.DELETED, 29)
        m.undo_line(story.OVERWRITTEN, 18)
        m.undo_line("plans/garden", story.IN_THE_MIDDLE)
        m.undo_line("home/cellar", 44)
        now = read(m.vault)
        for path in ("inbox/tea.md", "kitchen/tea.md", "inbox/bread.md", "kitchen/bread.md", "reading/books.md"):
            assert now[path] == before[path]
        for name in (story.DELETED, story.OVERWRITTEN, "plans/garden"):
            assert now[f"{name}.md"] == before[f"{name}.md"]
        assert not {"reading/essays.md", "home/cellar.md"} & now.keys()
        with pytest.raises(NothingToUndo, match=r"Change 46 was made by git \(git pull\); undo it with git"):
            m.undo_line("places/tower", 46)
        assert not {"deleted", "overwritten", "merged", "extracted"} & {line.kind for line in m.brief().lines}


def test_only_what_the_caller_may_change_is_undone(m: Memory) -> None:
    m.write("in/a", "one\n")
    m.write("out/b", "two\n")
    by(m, "model").set_properties({"x": 1}, ["in/a", "out/b"])
    by(m, "model").append("in/a", "more\n")
    own = m.restricted(Grant("in"))
    own.undo_line("in/a", 4)
    for note, edit in (("in/a", 3), ("out/b", 3), ("out/b", 2)):
        with pytest.raises((UnknownEdit, NoVersion)):
            own.undo_line(note, edit)
    assert "x: 1" in text(m, "in/a")
