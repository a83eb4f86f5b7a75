"""Undo of any edit and of a sitting: what came after it stays."""

import pathlib
import random
import re
import shutil
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.inner import index_faults
from tests.tools.vaults import read
from zkmem.caller import Grant
from zkmem.edit import undo
from zkmem.errors import BadArgument, EditedSince, NothingToUndo, NoVersion, UnknownEdit, ZkError
from zkmem.memory import Memory
from zkmem.vault.files import etag
from zkmem.vault.journal import log as edit_log

TEA = "# Tea\n\nSteep it at 80 °C.\n\nDrink it.\n"


@pytest.fixture
def m(tmp_path: pathlib.Path) -> Memory:
    memory = Memory(str(tmp_path)).on_behalf(client="one")
    memory.write("tea", TEA)
    return memory


def by(memory: Memory, client: str) -> Memory:
    return memory.on_behalf(client=client)


def text(root: pathlib.Path, name: str) -> str:
    return (root / f"{name}.md").read_text("utf-8")


class TestOneEdit:
    def test_what_later_edits_wrote_stays(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("tea", TEA.replace("80", "70"))
        by(m, "other").write("tea", "More.\n", append=True)
        assert m.undo(edit=2).notes == ["tea"]
        assert text(tmp_path, "tea") == TEA + "\nMore.\n"
        m.redo(edit=4)
        assert text(tmp_path, "tea") == TEA.replace("80", "70") + "\nMore.\n"

    def test_what_a_person_wrote_stays(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("tea", TEA.replace("80", "70"))
        (tmp_path / "tea.md").write_text(TEA.replace("80", "70") + "By hand.\n", "utf-8")
        m.undo()
        assert text(tmp_path, "tea") == TEA + "By hand.\n"

    def test_a_deletion_that_is_redone_leaves_the_links_that_were_written_since(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        m.rename("tea", "drinks/tea")
        m.delete("tea")
        m.undo()
        m.write("a", "[[drinks/tea]]\n")
        m.redo(edit=4)
        assert text(tmp_path, "a") == "[[drinks/tea]]\n"

    def test_an_edit_of_the_same_lines_is_named_with_the_lines(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("tea", TEA.replace("80", "70"))
        by(m, "other").write("tea", TEA.replace("80", "70") + "More.\n")
        by(m, "other").write("tea", TEA.replace("80", "60") + "More.\n")
        before = read(tmp_path)
        with pytest.raises(EditedSince) as refused:
            m.undo(edit=2)
        assert str(refused.value) == (
            "Edit 2 (one) cannot be undone in 'tea': edit 4 (other) has changed the same lines. Around line 3 it "
            "has 'Steep it at 60 °C.'; without the edit it would have 'Steep it at 80 °C.'. Nothing was undone. To "
            "give a single note an older text, use restore."
        )
        assert read(tmp_path) == before

    def test_nothing_is_done_to_a_note_if_another_one_is_in_the_way(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("a", "[[tea]]\n")
        m.write("b", "[[tea]]\n")
        m.extract("tea", "Drink it.\n", "drinking")
        by(m, "other").write("drinking", "Slowly.", append=True)
        before = read(tmp_path)
        with pytest.raises(EditedSince, match=r"it has created 'drinking', and edit 5 \(other\) has changed that note"):
            m.undo(edit=4)
        assert read(tmp_path) == before

    def test_a_note_that_it_made_is_removed_and_remaining_links_are_named(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        m.write("a", "A\n")
        by(m, "other").write("b", "[[a]]\n")
        assert m.undo(edit=2).remarks == ["a is still linked from b"]
        assert set(read(tmp_path)) == {"tea.md", "b.md"}

    def test_a_note_that_was_deleted_since_stays_deleted(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("a", "A\n")
        m.write("a", "B\n")
        by(m, "other").delete("a")
        with pytest.raises(NothingToUndo, match="There is nothing left to undo: a stays deleted"):
            m.undo(edit=2)
        with pytest.raises(EditedSince, match=r"edit 4 \(other\) has deleted 'a'; undo that first"):
            m.undo(edit=3)
        assert set(read(tmp_path)) == {"tea.md"}

    def test_no_passage_is_lost_because_the_note_that_it_came_from_is_deleted(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        m.extract("tea", "Drink it.\n", "drinking")
        by(m, "other").delete("tea")
        before = read(tmp_path, hidden=True)
        with pytest.raises(EditedSince, match=r"edit 3 \(other\) has deleted 'tea'; undo that first"):
            m.undo(edit=2)
        assert read(tmp_path, hidden=True) == before

    def test_a_redo_deletes_no_text_that_was_written_since(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.delete("tea")
        m.undo(edit=2)
        by(m, "other").write("tea", "More.\n", append=True)
        with pytest.raises(EditedSince, match=r"Undo 3 \(one\) cannot be redone: edit 4 \(other\) has changed 'tea'"):
            m.redo(edit=3)
        assert text(tmp_path, "tea") == TEA + "\nMore.\n"

    def test_a_line_that_was_added_by_hand_keeps_its_end(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("a", "one")
        m.write("a", "one\ntwo\n")
        (tmp_path / "a.md").write_text("one\ntwo\nthree\n")
        m.undo(edit=3)
        assert text(tmp_path, "a") == "one\nthree\n"

    def test_a_deleted_note_comes_back_although_edits_came_after(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("a", "A\n")
        m.delete("a")
        m.write("tea", "More.\n", append=True)
        m.undo(edit=3)
        assert read(tmp_path) == {"a.md": b"A\n", "tea.md": (TEA + "\nMore.\n").encode()}

    def test_a_deleted_note_whose_name_is_taken_does_not_come_back(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("a", "A\n")
        m.delete("a")
        m.write("a", "Another\n")
        with pytest.raises(EditedSince, match=r"Edit 3 \(one\) cannot be undone: there is another file called 'a' now"):
            m.undo(edit=3)
        assert text(tmp_path, "a") == "Another\n"

    def test_a_merge_of_two_notes_is_taken_apart(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("a", "A, a note.\n")
        m.write("b", "[[a]]\n")
        m.rename("a", "tea", merge=True)
        by(m, "other").write("b", "Later, [[tea]].\n", append=True)
        m.undo(edit=4)
        assert text(tmp_path, "a") == "A, a note.\n"
        assert text(tmp_path, "tea") == TEA
        assert text(tmp_path, "b") == "[[a]]\n\nLater, [[tea]].\n"

    def test_a_renaming_and_a_new_note_of_the_old_name_are_undone_and_redone_together(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        m.rename("tea", "sencha")
        m.write("tea", "New.\n")
        m.undo(2)
        assert text(tmp_path, "tea") == TEA
        m.redo()
        assert (text(tmp_path, "sencha"), text(tmp_path, "tea")) == (TEA, "New.\n")
        m.undo()
        assert text(tmp_path, "tea") == TEA

    def test_only_an_edit_that_is_in_effect_can_be_undone(self, m: Memory) -> None:
        m.write("tea", "More.\n", append=True)
        m.undo(edit=2)
        with pytest.raises(NothingToUndo, match="Edit 2 is undone already, by edit 3"):
            m.undo(edit=2)
        with pytest.raises(NothingToUndo, match="Edit 3 is an undo; to make the undone edits again, redo it"):
            m.undo(edit=3)
        m.redo(edit=3)
        with pytest.raises(NothingToUndo, match="Undo 3 is redone already, by edit 4"):
            m.redo(edit=3)
        with pytest.raises(NothingToUndo, match="Edit 4 is no undo"):
            m.redo(edit=4)
        m.undo(edit=2)  # which edit 4 has redone
        with pytest.raises(NothingToUndo, match="Undo 3 was redone, and undo 5 has undone that: redo 5 instead"):
            m.redo(edit=3)
        assert [one.undone for one in m.review().sittings] == [False]
        assert m.log(limit=1)[0].undoes == ("4",)
        with pytest.raises(NothingToUndo, match="There is one edit to undo"):
            m.undo(2)
        with pytest.raises(UnknownEdit, match="There is no edit 9"):
            m.undo(edit=9)

    def test_an_undo_or_redo_that_would_change_nothing_is_refused_and_uses_up_nothing(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        m.write("tea", TEA + "More.\n")
        m.write("tea", TEA)
        for _ in range(2):
            with pytest.raises(NothingToUndo, match=r"without edit 2 \(one\), the notes would be as they"):
                m.undo(edit=2)
        m.undo(edit=3)
        assert text(tmp_path, "tea") == TEA + "More.\n"
        m.undo(edit=2)
        assert text(tmp_path, "tea") == TEA
        (tmp_path / "tea.md").write_text(TEA + "More.\n")
        with pytest.raises(NothingToUndo, match=r"Nothing was redone: without undo 5 \(one\), the notes would be"):
            m.redo(edit=5)
        (tmp_path / "tea.md").write_text(TEA)
        m.redo(edit=5)
        assert text(tmp_path, "tea") == TEA + "More.\n"

    def test_a_redo_after_a_later_edit_needs_the_number_of_the_undo_and_the_error_names_it(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        with pytest.raises(NothingToUndo, match="There is nothing to redo"):
            m.redo()
        m.write("tea", "More.\n", append=True)
        m.undo()
        m.write("cup", "Glass.\n")
        with pytest.raises(NothingToUndo, match=r"after the last undo\. To redo it nevertheless, give its number: 3"):
            m.redo()
        m.redo(edit=3)
        assert text(tmp_path, "tea") == TEA + "\nMore.\n"
        with pytest.raises(NothingToUndo, match="There is nothing to redo"):
            m.redo()

    def test_edits_that_took_each_other_back_are_undone_together(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("tea", TEA + "More.\n")
        m.write("tea", TEA)
        done = m.undo(2)
        assert (done.notes, done.remarks) == ([], ["the notes stay as they are"])
        m.redo()
        m.undo()
        m.undo()
        assert read(tmp_path) == {}

    def test_an_undo_whose_texts_are_no_longer_stored_is_refused(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("tea", "More.\n", append=True)
        by(m, "other").write("tea", "Again.\n", append=True)
        for version in (tmp_path / ".zkmem/versions").glob("[0-9a-f]*"):
            version.unlink()
        with pytest.raises((EditedSince, NoVersion), match="no longer stored"):
            m.undo(edit=2)

    def test_a_preview_changes_nothing(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("tea", TEA.replace("80", "70"))
        m.write("tea", "More.\n", append=True)
        before = read(tmp_path)
        (change,) = m.preview_undo(edit=2).changes
        assert "-Steep it at 70 °C.\n+Steep it at 80 °C.\n" in change.diff
        assert read(tmp_path) == before


class TestARenaming:
    def test_links_that_were_made_since_get_the_older_name(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("a", "[[tea]] is old.\n")
        m.rename("tea", "drinks/green tea")
        by(m, "other").write("b", "[[green tea]] is new.\n")
        by(m, "other").write("a", "Changed: [[green tea]] is old.\n")
        (tmp_path / "c.md").write_text("[[green tea]] by hand.\n")
        m.undo(edit=3)
        assert read(tmp_path) == {
            "tea.md": TEA.encode(),
            "a.md": b"Changed: [[tea]] is old.\n",
            "b.md": b"[[tea]] is new.\n",
            "c.md": b"[[tea]] by hand.\n",
        }
        assert not index_faults(m)

    def test_a_broken_link_from_before_it_is_left_as_it_is(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("a", "[[green tea]] is not there yet.\n")
        m.rename("tea", "green tea")
        m.write("b", "x\n")
        m.undo(edit=3)
        assert text(tmp_path, "a") == "[[green tea]] is not there yet.\n"

    def test_a_later_renaming_is_in_the_way(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.rename("tea", "b")
        by(m, "other").rename("b", "c")
        with pytest.raises(EditedSince, match=r"edit 3 \(other\) has renamed 'b' to 'c'"):
            m.undo(edit=2)
        assert set(read(tmp_path)) == {"c.md"}

    def test_notes_that_changed_their_names_get_them_back(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("a", "A [[tea]]\n")
        for old, new in (("tea", "t"), ("a", "tea"), ("t", "a")):
            by(m, "two").rename(old, new)
        by(m, "other").write("tea", "Later, [[a]].\n", append=True)
        m.undo(edit=5, sitting=True)
        assert read(tmp_path) == {"tea.md": TEA.encode(), "a.md": b"A [[tea]]\n\nLater, [[tea]].\n"}


class TestASitting:
    def test_the_lines_of_other_clients_stay(self, m: Memory, tmp_path: pathlib.Path) -> None:
        other, late = by(m, "other"), by(m, "late")
        for number in range(3):
            other.write("tea", f"\n## Other {number}\n\nfrom other {number}\n", append=True)
            late.write("tea", f"\n## Late {number}\n\nfrom late {number}\n", append=True)
        late.write("new", "[[tea]]\n")
        assert len(m.undo(edit=3, sitting=True).edits) == 4
        expected = TEA + "".join(f"\n## Other {number}\n\nfrom other {number}\n" for number in range(3))
        assert read(tmp_path) == {"tea.md": expected.encode()}
        with pytest.raises(NothingToUndo, match="The sitting of edit 3 is undone already"):
            m.undo(edit=3, sitting=True)

    def test_what_is_undone_in_it_is_not_undone_twice(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("tea", "One.\n", append=True)
        m.undo()
        m.write("tea", "Two.\n" + TEA)
        m.redo(edit=3)
        assert text(tmp_path, "tea") == "Two.\n" + TEA + "\nOne.\n"
        m.undo(edit=1, sitting=True)
        assert read(tmp_path) == {}

    def test_an_undo_of_others_that_was_redone_in_it_changes_nothing(self, m: Memory, tmp_path: pathlib.Path) -> None:
        c = by(m, "c")
        c.write("b", "x\n")
        m.write("tea", "More.\n", append=True)
        c.undo(edit=3)
        c.redo()
        m.undo(edit=2, sitting=True)
        assert read(tmp_path) == {"tea.md": (TEA + "\nMore.\n").encode()}

    def test_a_file_is_found_although_its_renaming_was_undone_in_between(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        c = by(m, "c")
        c.write("z", "z\n")
        m.rename("tea", "b")
        c.write("b", "\nTODO\n", append=True)
        m.undo(edit=3)
        m.write("b", TEA + "\nTODO\n\nmine\n")
        c.undo(edit=4, sitting=True)
        assert read(tmp_path) == {"tea.md": TEA.encode(), "b.md": (TEA + "\nTODO\n\nmine\n").encode()}

    def test_two_files_do_not_come_back_under_one_name(self, m: Memory, tmp_path: pathlib.Path) -> None:
        c = by(m, "c")
        c.delete("tea")
        m.write("tea", "Another one.\n")
        c.delete("tea")
        shutil.rmtree(tmp_path / ".trash")
        with pytest.raises(EditedSince, match="two files called 'tea' would come back"):
            m.undo(edit=2, sitting=True)
        assert read(tmp_path) == {}

    def test_a_caller_with_a_folder_does_not_change_a_note_that_took_the_place_of_another(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        c = by(m, "c").restricted(Grant("in"))
        m.write("in/a", "# T\n")
        c.write("in/a", "# T\n\nTODO\n")
        m.rename("in/a", "out/a")
        m.write("in/a", "# T\n\nTODO\n\nother\n")
        with pytest.raises(EditedSince, match="a later edit has also changed notes outside of your folder") as refused:
            c.undo(edit=3)
        assert "out" not in str(refused.value).replace("outside", "")
        assert text(tmp_path, "in/a") == "# T\n\nTODO\n\nother\n"

    def test_a_renamed_note_that_was_deleted_together_with_notes_outside_stays_deleted(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        c = by(m, "c").restricted(Grant("in"))
        m.write("in/a", "A\n")
        c.rename("in/a", "in/b")
        m.rename("in/b", "/out")  # which becomes a note outside,
        m.delete("out")
        before = read(tmp_path, hidden=True)
        with pytest.raises((EditedSince, NothingToUndo)) as refused:
            c.undo(edit=3)
        assert "out" not in str(refused.value).replace("outside", "")
        assert read(tmp_path, hidden=True) == before

    def test_a_pause_ends_it(self, m: Memory, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
        m.write("tea", "Later.\n", append=True)
        monkeypatch.setattr(edit_log, "PAUSE_S", 0.0)
        m.undo(edit=2, sitting=True)
        assert text(tmp_path, "tea") == TEA

    def test_a_part_of_it_is_undone_where_a_later_change_is_in_the_way(self, m: Memory, tmp_path: pathlib.Path) -> None:
        bot, before = by(m, "bot"), read(tmp_path)
        for name in ("a", "b", "c"):
            bot.write(name, f"A {name}.\n")
        bot.write("tea", "\nBy the bot.\n", append=True)
        bot.write("tea", "\n## More\n\nMore by the bot.\n", append=True)
        by(m, "me").write("tea", "By me.", old="By the bot.")
        with pytest.raises(EditedSince, match="Nothing was undone"):
            m.undo(edit=6, sitting=True)
        ahead = m.preview_undo(edit=6, sitting=True, partial=True)
        assert set(read(tmp_path)) == {*before, "a.md", "b.md", "c.md"}
        done = m.undo(edit=6, sitting=True, partial=True)
        assert [one.split(":")[0] for one in done.edits] == ["6", "4", "3", "2"]
        assert [change.path for change in ahead.changes] == [f"{name}.md" for name in ("c", "b", "a", "tea")]
        reason = (
            "Edit 5 (bot) cannot be undone in 'tea': edit 7 (me) has changed the same lines. Around line 6 it has "
            "'By me.' and more; without the edit it would have nothing."
        )
        assert done.left == list(ahead.left) == [(5, reason)]
        assert read(tmp_path) == {"tea.md": (TEA + "\nBy me.\n").encode()}
        assert [one.undone for one in m.review().sittings if one.client == "bot"] == [False]
        with pytest.raises(EditedSince, match=r"Edit 5 \(bot\) cannot be undone in 'tea'"):
            m.undo(edit=6, sitting=True, partial=True)
        m.redo()
        assert text(tmp_path, "tea") == TEA + "\nBy me.\n\n## More\n\nMore by the bot.\n"
        assert text(tmp_path, "a") == "A a.\n"

    def test_edits_that_others_depend_on_stay_with_these(self, m: Memory, tmp_path: pathlib.Path) -> None:
        bot = by(m, "bot")
        bot.write("new", "By the bot.\n")
        bot.write("new", "More.\n", append=True)
        bot.write("other", "x\n")
        by(m, "me").write("new", "More of it.", old="More.")
        done = m.undo(edit=2, sitting=True, partial=True)
        assert [one.edit for one in done.left] == [3, 2]
        assert text(tmp_path, "new") == "By the bot.\n\nMore of it.\n"
        assert "other.md" not in read(tmp_path)

    def test_a_part_without_anything_in_the_way_is_all_of_it(self, m: Memory, tmp_path: pathlib.Path) -> None:
        by(m, "bot").write("new", "x\n")
        assert m.undo(edit=2, sitting=True, partial=True).left == []
        assert set(read(tmp_path)) == {"tea.md"}

    def test_a_sitting_with_too_many_edits_in_the_way_is_refused(
        self, m: Memory, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bot = by(m, "bot")
        for number in range(5):
            bot.write(f"n{number}", "x\n")
            m.write(f"n{number}", "y\n")
        monkeypatch.setattr(undo, "_MOST_TRIES", 5)
        before = read(tmp_path)
        with pytest.raises(EditedSince, match="Too many edits of this sitting cannot be undone"):
            m.undo(edit=2, sitting=True, partial=True)
        assert read(tmp_path) == before

    def test_only_a_sitting_is_undone_in_part(self, m: Memory) -> None:
        with pytest.raises(BadArgument, match="Only a sitting or a session can be undone in part"):
            m.undo(edit=1, partial=True)

    def test_an_edit_must_be_given(self, m: Memory) -> None:
        with pytest.raises(ZkError, match="give the number of one of its edits"):
            m.undo(sitting=True)


def lines_of(root: pathlib.Path) -> set[str]:
    return set(re.findall(r"line \d+", "\n".join(text(root, path[:-3]) for path in read(root))))


def random_edit(rng: random.Random, number: int, root: pathlib.Path) -> Callable[[Memory], object]:
    """An edit of a random note: a line of its own between two blank ones, so that edits seldom meet."""
    names = [path[:-3] for path in read(root)]
    name = rng.choice(names) if names else "a"
    action = rng.choice(["line", "line", "line", "new", "rename", "delete"])
    if action == "rename" and names:
        return lambda memory: memory.rename(name, f"n{number}")
    if action == "delete" and len(names) > 2:
        return lambda memory: memory.delete(name)
    if action == "new" or not names:
        return lambda memory: memory.write(f"new {number}", f"line {number}\n\n[[{name}]]\n\nend\n")
    base = text(root, name)
    old = base.split("\n\n")
    old.insert(rng.randrange(len(old) + 1), f"line {number} [[{rng.choice(names)}]]")
    return lambda memory: memory.write(name, "\n\n".join(old), etag=etag(base.encode()))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 1 << 32), whole=st.booleans())
def test_an_undo_takes_out_its_own_lines_and_no_others(
    tmp_path_factory: pytest.TempPathFactory, seed: int, whole: bool
) -> None:
    rng = random.Random(seed)
    root = tmp_path_factory.mktemp("vault")
    memory = Memory(str(root))
    authors: dict[int, str] = {}
    for number in range(1, 15):
        authors[number] = rng.choice(["one", "two"])
        memory.on_behalf(client=authors[number]).write("a", "a\n\nb\n\nc\n") if number == 1 else random_edit(
            rng, number, root
        )(memory.on_behalf(client=authors[number]))
    chosen = rng.randrange(1, 15)
    numbers = {number for number in authors if authors[number] == authors[chosen]} if whole else {chosen}
    before, lines = read(root), lines_of(root)
    try:
        memory.on_behalf(client="undo").undo(edit=chosen, sitting=whole)
    except (EditedSince, NothingToUndo):
        assert read(root) == before
        return
    mine = {f"line {number}" for number in numbers}
    assert lines_of(root) >= lines - mine
    assert not lines_of(root) & mine
    assert not index_faults(memory)
    after = read(root)
    memory.redo()
    assert read(root) == before
    memory.undo()
    assert read(root) == after
