"""Texts that come back: their links lead to the notes that they meant, whatever names these have now."""

import pathlib
from collections.abc import Iterator

import pytest

from tests.sync.machines import git
from tests.tools.histories import History
from tests.tools.inner import catch_up, commit_edits
from tests.tools.vaults import read, write
from zkmem.caller import Caller, Grant
from zkmem.errors import EditedSince, StaleEtag
from zkmem.memory import Memory

BOT = Caller(Grant(proposes_as="bot"), client="claude")


@pytest.fixture
def m(tmp_path: pathlib.Path) -> Memory:
    """Return a vault with a note `tea` and a note `hint` that links to it: edits 1 and 2."""
    memory = Memory(str(tmp_path), durable=False).on_behalf(client="one")
    memory.write("tea", "Green tea.\n")
    memory.write("hint", "I like [[tea]].\n")
    return memory


def hint(root: pathlib.Path) -> str:
    return (root / "hint.md").read_text("utf-8")


class TestUndo:
    @pytest.mark.parametrize("is_taken", [False, True])
    def test_a_deleted_note_comes_back_with_the_names_of_now(
        self, m: Memory, tmp_path: pathlib.Path, is_taken: bool
    ) -> None:
        m.delete("hint")
        m.rename("tea", "green tea")
        if is_taken:
            m.write("tea", "Black.\n")
        m.undo(edit=3)
        assert hint(tmp_path) == "I like [[green tea]].\n"
        m.redo()
        m.undo()
        assert hint(tmp_path) == "I like [[green tea]].\n"

    def test_a_removed_link_comes_back_with_the_name_of_now(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("hint", "No link.\n")
        m.rename("tea", "green tea")
        m.write("hint", "Below.\n", append=True)
        m.undo(edit=3)
        assert hint(tmp_path) == "I like [[green tea]].\n\nBelow.\n"

    def test_a_note_that_was_merged_since_is_the_one_with_its_text(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("hint", "No link.\n")
        m.write("drinks", "All drinks.\n")
        m.rename("tea", "drinks", merge=True)
        m.rename("drinks", "cold/drinks")
        m.undo(edit=3)
        assert hint(tmp_path) == "I like [[drinks]].\n"

    def test_a_link_to_a_note_that_is_gone_leads_to_no_other_one(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("old/tea", "Another one.\n")
        m.write("hint", "No link.\n")
        m.rename("tea", "my/tea")
        m.delete("my/tea")
        m.undo(edit=4)
        assert hint(tmp_path) == "I like [[my/tea]].\n"
        m.undo(edit=6)
        assert m.read("hint").missing == []

    def test_a_missing_note_that_was_made_and_renamed_since_is_found(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("hint", "I want [[cup]].\n")
        m.write("hint", "No link.\n")
        m.write("cup", "Of clay.\n")
        m.rename("cup", "kitchen/mug")
        m.undo(edit=4)
        assert hint(tmp_path) == "I want [[mug]].\n"

    def test_a_renaming_by_hand_counts_if_a_server_has_recorded_it(self, tmp_path: pathlib.Path) -> None:
        write(tmp_path, {"tea.md": "Green tea.\n", "hint.md": "I like [[tea]].\n"})
        with Memory(str(tmp_path)) as memory:
            memory.write("hint", "No link.\n")
            memory.start()
            memory.wait_ready()
            (tmp_path / "tea.md").rename(tmp_path / "green tea.md")
            memory.undo()
        assert hint(tmp_path) == "I like [[green tea]].\n"

    def test_relative_links_of_a_note_that_was_moved_since(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("notes/a", "[t](../tea.md) and [[./b]].\n")
        m.write("notes/b", "B.\n")
        m.write("notes/a", "No link.\n")
        m.rename("notes/a", "deep/er/a")
        m.rename("tea", "drinks/tea")
        m.undo(edit=5)
        assert (tmp_path / "deep/er/a.md").read_text() == "[t](../../drinks/tea.md) and [[../../notes/b]].\n"

    def test_a_canvas(self, m: Memory, tmp_path: pathlib.Path) -> None:
        canvas = '{"nodes":[{"id":"1","type":"file","file":"tea.md","x":0,"y":0,"width":1,"height":1}],"edges":[]}'
        m.create_files({"board.canvas": canvas.encode()})
        m.rewrite_file("board.canvas", lambda _: '{"nodes":[],"edges":[]}')
        m.rename("tea", "green tea")
        m.undo(edit=4)
        assert (tmp_path / "board.canvas").read_text() == canvas.replace("tea.md", "green tea.md")

    def test_a_caller_with_a_folder_learns_no_name_outside(self, m: Memory, tmp_path: pathlib.Path) -> None:
        caller = m.restricted(Grant("own"))
        caller.write("own/a", "See [[tea]].\n")
        caller.write("own/a", "No link.\n")
        m.rename("tea", "secret")
        caller.undo(edit=4)
        assert (tmp_path / "own/a.md").read_text() == "See [[tea]].\n"

    def test_a_renaming_that_was_undone_and_redone_leaves_no_trace(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("hint", "No link, [[x]].\n")
        m.rename("tea", "x")
        for _ in range(2):
            m.undo()
        m.redo()
        m.redo()
        m.undo(edit=3)
        assert hint(tmp_path) == "I like [[x]].\n"

    def test_links_that_were_written_since_lead_to_the_note_that_is_merged_again(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        m.write("drinks", "All drinks.\n")
        m.rename("tea", "drinks", merge=True)
        m.undo()
        m.rename("drinks", "all drinks")
        m.write("hint", "Again: [[tea]].\n", append=True)
        m.redo(edit=5)
        assert hint(tmp_path) == "I like [[all drinks]].\n\nAgain: [[all drinks]].\n"
        m.write("hint", "No link.\n")
        m.restore("hint", "2")
        assert hint(tmp_path) == "I like [[all drinks]].\n"

    def test_links_to_an_extracted_passage_lead_to_the_note_that_gets_it_back(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        m.write("list", "One.\n\nTwo.\n")
        m.extract("list", "Two.", "two")
        m.rename("list", "all")
        m.write("hint", "See [[two]] and [t](two.md).\n")
        assert m.undo(edit=4).remarks == []
        assert hint(tmp_path) == "See [[all]] and [t](all.md).\n"
        assert (tmp_path / "all.md").read_text() == "One.\n\nTwo.\n"
        m.redo()
        assert hint(tmp_path) == "See [[two]] and [t](two.md).\n"
        m.undo()
        m.delete("hint")
        m.undo()
        assert hint(tmp_path) == "See [[all]] and [t](all.md).\n"
        m.restore("hint", "6")
        assert hint(tmp_path) == "See [[all]] and [t](all.md).\n"

    def test_links_to_a_passage_of_a_note_that_is_removed_too_stay(self, m: Memory, tmp_path: pathlib.Path) -> None:
        other = m.on_behalf(client="other")
        other.write("list", "One.\n\nTwo.\n")
        other.extract("list", "Two.", "two")
        m.write("hint", "See [[two]].\n")
        assert other.undo(edit=4, sitting=True).remarks == ["two is still linked from hint"]
        assert hint(tmp_path) == "See [[two]].\n"

    def test_links_to_a_passage_of_a_passage_lead_to_the_note_of_both(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("list", "One.\n\nTwo.\n\nThree.\n")
        other = m.on_behalf(client="other")
        other.extract("list", "Two.\n\nThree.", "two")
        other.extract("two", "Three.", "three")
        m.write("hint", "See [[three]].\n")
        assert other.undo(edit=4, sitting=True).remarks == []
        assert hint(tmp_path) == "See [[list]].\n"

    def test_a_redone_extraction_is_undone_as_the_first_one(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("list", "One.\n\nTwo.\n")
        m.extract("list", "Two.", "two")
        m.undo()
        m.redo()
        m.write("hint", "See [[two]].\n")
        assert m.undo(edit=4).remarks == []
        assert hint(tmp_path) == "See [[list]].\n"

    def test_a_note_whose_removal_is_undone_after_it_was_removed_again(self, m: Memory, tmp_path: pathlib.Path) -> None:
        two = m.on_behalf(client="two")
        two.undo(edit=1)  # edit 3 removes tea
        m.restore("tea", "1")
        m.write("cup", "Of [[tea]].\n")
        two.delete("cup")  # edit 6
        m.undo(edit=4)
        m.write("tea", "Black.\n")
        m.rename("tea", "black tea")
        two.undo(edit=6, sitting=True)
        assert (tmp_path / "cup.md").read_text() == "Of [[tea]].\n"

    def test_a_note_that_is_restored_although_another_one_had_its_name(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("hint", "No link.\n")  # edit 3
        m.delete("tea")
        m.write("tea", "Black.\n")
        m.rename("tea", "black tea")
        m.restore("tea", "1")
        m.undo(edit=3)
        assert hint(tmp_path) == "I like [[tea]].\n"

    def test_links_to_a_deleted_note_that_comes_back_under_an_earlier_name(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        other = m.on_behalf(client="two")
        other.rename("tea", "green tea")  # edit 3
        other.delete("green tea")
        m.write("hint", "More.\n", append=True)
        other.undo(edit=4, sitting=True)
        assert hint(tmp_path) == "I like [[tea]].\n\nMore.\n"

    def test_a_deleted_note_comes_back_under_an_earlier_name_for_a_caller_with_a_folder(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        caller = m.on_behalf(client="two").restricted(Grant("own"))
        m.write("own/cup", "Of clay.\n")
        caller.rename("own/cup", "own/mug")  # edit 4
        caller.delete("own/mug")
        m.write("hint", "I want a [[mug]].\n")
        m.write("own/a", "See [[mug]].\n")
        caller.undo(edit=5, sitting=True)
        assert hint(tmp_path) == "I want a [[mug]].\n"
        assert (tmp_path / "own/a.md").read_text() == "See [[cup]].\n"

    @pytest.mark.parametrize("guests", [1, 2])
    def test_a_name_that_other_notes_had_while_the_note_was_away(
        self, m: Memory, tmp_path: pathlib.Path, guests: int
    ) -> None:
        m.write("cup", "Of [[tea]].\n")  # edit 3
        m.write("cup", "Glass.\n")
        m.undo(edit=1)
        for number in range(guests):
            m.write("tea", "Black.\n")
            m.rename("tea", f"black tea {number}")
        m.redo(edit=5)
        m.undo(edit=4)
        assert (tmp_path / "cup.md").read_text() == "Of [[tea]].\n"

    def test_a_name_that_another_note_had_while_a_note_with_edits_was_away(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        other = m.on_behalf(client="two")
        m.write("cup", "Of [[tea]].\n")
        m.write("list", "One.\n")
        other.write("list", "Two.\n")  # edit 5
        m.write("tea", "More.\n", append=True)
        other.write("cup", "Glass.\n")
        m.delete("tea")
        m.write("tea", "Black.\n")
        m.rename("tea", "black tea")
        m.undo(edit=8)
        other.undo(edit=7, sitting=True)
        assert (tmp_path / "cup.md").read_text() == "Of [[tea]].\n"

    def test_a_passage_that_is_taken_out_again_is_the_same_note(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("list", "One.\n\nTwo.\n")
        m.extract("list", "Two.", "two")
        m.write("hint", "See [[two]].\n")
        m.write("hint", "No link.\n")
        m.undo(edit=4)
        m.write("list", "\nEnd.\n", append=True)
        m.redo(edit=7)
        m.restore("hint", "5")
        assert hint(tmp_path) == "See [[two]].\n"


class TestWhatIsInTheWay:
    def test_an_undone_renaming_by_somebody_else_is_not(self, m: Memory, tmp_path: pathlib.Path) -> None:
        """It has changed `hint`, too, which the caller may not see. The renamed note was edited before the undo."""
        caller = m.restricted(Grant("own"))
        m.write("own/tea", "Green tea.\n")
        m.write("hint", "I like [[own/tea]].\n")
        caller.write("own/tea", "Hot.\n", append=True)
        m.rename("own/tea", "own/drink")
        m.write("own/drink", "Cold.\n", append=True)
        m.undo()
        m.undo()
        caller.undo(edit=5)
        assert (tmp_path / "own" / "tea.md").read_text() == "Green tea.\n"

    def test_a_deletion_of_the_renamed_note_is(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.rename("tea", "green tea")
        m.on_behalf(client="other").delete("green tea")
        before = read(tmp_path, hidden=True)
        with pytest.raises(EditedSince, match=r"edit 4 \(other\) has deleted 'green tea'; undo that first"):
            m.undo(edit=3)
        assert read(tmp_path, hidden=True) == before
        m.undo(edit=4)
        m.undo(edit=3)
        assert read(tmp_path) == {"tea.md": b"Green tea.\n", "hint.md": b"I like [[tea]].\n"}

    def test_a_deletion_of_the_extracted_note_is(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("list", "One.\n\nTwo.\n")
        m.extract("list", "Two.", "two")
        m.delete("two")
        with pytest.raises(EditedSince, match=r"edit 5 \(one\) has deleted 'two'; undo that first"):
            m.undo(edit=4)
        m.undo(edit=5)
        m.undo(edit=4)
        assert (tmp_path / "list.md").read_text() == "One.\n\nTwo.\n"
        assert not (tmp_path / "two.md").exists()

    def test_a_merge_of_the_renamed_note_is(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("z", "Z.\n")
        m.rename("tea", "y")
        m.on_behalf(client="other").rename("y", "z", merge=True)
        before = read(tmp_path, hidden=True)
        with pytest.raises(EditedSince, match=r"edit 5 \(other\) has merged 'y'; undo that first"):
            m.undo(edit=4)
        assert read(tmp_path, hidden=True) == before
        assert m.log()[0].rev == "5"
        m.undo(edit=5)
        m.undo(edit=4)
        assert hint(tmp_path) == "I like [[tea]].\n"

    def test_a_link_that_zkmem_has_updated_is_not(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.rename("tea", "green tea")
        m.undo(edit=2)
        assert set(read(tmp_path)) == {"green tea.md"}

    def test_a_link_that_zkmem_has_updated_beside_a_change_is_not(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("hint", "See [[tea]], too.\n", append=True)
        m.rename("tea", "green tea")
        m.write("hint", "Below.\n", append=True)
        m.undo(edit=3)
        assert hint(tmp_path) == "I like [[green tea]].\n\nBelow.\n"
        m.redo()
        assert hint(tmp_path) == "I like [[green tea]].\n\nSee [[green tea]], too.\n\nBelow.\n"

    def test_a_longer_path_that_a_namesake_made_necessary_is_not(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("people/Tom", "Tom.\n")
        m.write("hint", "Ask [[Tom]].\n", append=True)
        m.write("/Tom", "Another one.\n")
        m.delete("/Tom")
        m.write("hint", "Below.\n", append=True)
        m.undo(edit=4)
        assert hint(tmp_path) == "I like [[tea]].\n\nBelow.\n"

    def test_a_real_change_is_and_its_edit_is_named(self, m: Memory) -> None:
        m.write("hint", "See [[tea]], too.\n", append=True)
        m.rename("tea", "green tea")
        m.on_behalf(client="other").write("hint", "Not [[green tea]].\n", old="See [[green tea]], too.\n")
        with pytest.raises(EditedSince, match=r"edit 5 \(other\) has changed the same lines"):
            m.undo(edit=3)

    def test_a_deletion_is_redone_although_a_link_was_updated(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.delete("hint")
        m.undo()
        m.rename("tea", "green tea")
        m.redo(edit=4)
        assert set(read(tmp_path)) == {"green tea.md"}
        m.undo()
        assert hint(tmp_path) == "I like [[green tea]].\n"


class TestRestore:
    @pytest.mark.parametrize("rev", ["2", "etag"])
    def test_its_links_have_the_names_of_now(self, m: Memory, tmp_path: pathlib.Path, rev: str) -> None:
        rev = m.read("hint").etag if rev == "etag" else rev
        m.write("hint", "No link.\n")
        m.rename("tea", "green tea")
        m.write("tea", "Black.\n")
        done = m.restore("hint", rev)
        assert hint(tmp_path) == "I like [[green tea]].\n"
        assert done.remarks == ["updated the links to notes that were renamed since"]

    def test_links_to_a_deleted_note_lead_to_it_again_but_not_those_that_were_written_since(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        m.delete("tea")
        m.write("old/tea", "Black.\n")
        m.write("late", "Late: [[tea]].\n")
        assert m.restore("/tea", "1").relinked == ["late"]
        assert hint(tmp_path) == "I like [[tea]].\n"
        assert (tmp_path / "late.md").read_text() == "Late: [[old/tea]].\n"

    def test_a_text_that_is_the_present_one_but_for_names_changes_nothing(self, m: Memory) -> None:
        m.rename("tea", "green tea")
        done = m.restore("hint", "2")
        assert (done.outcome, done.remarks) == ("unchanged", [])

    def test_the_text_of_an_earlier_name_is_that_of_the_same_note(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.rename("hint", "start")
        m.write("start", "No link.\n")
        m.rename("tea", "drinks/mate")
        m.write("hint", "Another one.\n")
        m.restore("start", "2")
        assert (tmp_path / "start.md").read_text() == "I like [[mate]].\n"

    def test_a_link_of_the_note_to_itself_does_not_lead_to_a_newer_one(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("tea", "[[tea]] is green.\n")
        m.delete("tea")
        m.write("tea", "Black tea.\n")
        m.rename("tea", "black")
        m.restore("tea", "3")
        assert (tmp_path / "tea.md").read_text() == "[[tea]] is green.\n"

    def test_a_note_that_was_renamed_by_hand_after_the_undo_of_an_older_edit(self, tmp_path: pathlib.Path) -> None:
        """Between the undo and the edit that it undid is an edit that stays, so the note's past has all three."""
        with Memory(str(tmp_path)) as memory:
            memory.write("hint", "I like [[tea]].\n")
            memory.write("hint", "No link.\n")
            memory.write("tea", "Green tea.\n\nAt 75 °C.\n\nIn a pot.\n")
            memory.write("tea", "Sencha", old="Green tea")
            memory.write("tea", "In a cup", old="In a pot")
            memory.undo(edit=4)
            memory.start()
            memory.wait_ready()
            (tmp_path / "tea.md").rename(tmp_path / "green tea.md")
            memory.wait_ready()
            memory.restore("hint", "1")
        assert hint(tmp_path) == "I like [[green tea]].\n"

    def test_a_text_that_a_commit_still_has_after_an_edit_by_hand(self, tmp_path: pathlib.Path) -> None:
        """Obsidian has renamed another note and updated the link; the commit of a tool's rename leaves out both."""
        git(tmp_path, "init", "-q")
        with Memory(str(tmp_path), git=True) as memory:
            memory.write("tea", "Green tea.\n")
            memory.write("hint", "I like [[tea]].\n")
            memory.start()
            memory.wait_ready()
            (tmp_path / "tea.md").rename(tmp_path / "green tea.md")
            (tmp_path / "hint.md").write_text("I like [[green tea]].\n")
            memory.wait_ready()
            memory.rename("hint", "start")
            memory.write("tea", "Black.\n")
            renaming = memory.log("start")[0].rev
            assert memory.show("start", renaming) == "I like [[tea]].\n"
            memory.restore("start", renaming)
        assert (tmp_path / "start.md").read_text() == "I like [[green tea]].\n"

    def test_a_commit_that_has_an_edit_but_no_earlier_one_by_hand(self, tmp_path: pathlib.Path) -> None:
        """The commit's text was never on disk: it has the words of the edit, but the old name of a renamed note."""
        git(tmp_path, "init", "-q")
        with Memory(str(tmp_path), git=True) as memory:
            memory.write("tea", "Green tea.\n")
            memory.write("hint", "I like [[tea]].\n\nA.\n\nB.\n")
            memory.start()
            memory.wait_ready()
            (tmp_path / "tea.md").rename(tmp_path / "green tea.md")
            (tmp_path / "hint.md").write_text("I like [[green tea]].\n\nA.\n\nB.\n")
            catch_up(memory)
            memory.write("hint", "More.\n", append=True)
            commit_edits(memory)
            commit = git(tmp_path, "rev-parse", "HEAD").strip()
            assert memory.show("hint", commit) == "I like [[tea]].\n\nA.\n\nB.\n\nMore.\n"
            memory.write("hint", "No link.\n")
            memory.restore("hint", commit)
        assert hint(tmp_path).startswith("I like [[green tea]].\n")

    def test_a_commit_in_which_the_note_had_another_path(self, tmp_path: pathlib.Path) -> None:
        git(tmp_path, "init", "-q")
        with Memory(str(tmp_path), git=True) as memory:
            memory.write("in/tea", "Green tea.\n")
            memory.write("in/hint", "I like [this](tea.md).\n" + "And more.\n" * 20)
            first = memory.log("in/hint")[0].rev
            memory.rename("in/hint", "/start")
            memory.write("start", "No link.\n")
            memory.restore("start", first)
        assert (tmp_path / "start.md").read_text() == "I like [this](in/tea.md).\n" + "And more.\n" * 20

    def test_a_link_to_a_note_that_an_undo_had_removed_at_that_moment(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.rename("tea", "green tea")
        m.write("tea", "Black.\n")
        m.write("list", "See [[tea]].\n")
        m.undo(edit=4)
        m.write("list", "Below.\n", append=True)
        m.redo(edit=6)
        m.write("list", "No link.\n")
        m.restore("list", "7")
        assert (tmp_path / "list.md").read_text() == "See [[tea]].\n\nBelow.\n"


class TestProposals:
    @pytest.fixture
    def bot(self, m: Memory, tmp_path: pathlib.Path) -> Iterator[Memory]:
        with Memory(str(tmp_path), BOT) as memory:
            yield memory

    def test_they_are_accepted_with_the_names_of_now(self, bot: Memory, m: Memory, tmp_path: pathlib.Path) -> None:
        bot.write("hint", "More of [[tea]] and [t](tea.md).\n", append=True)
        bot.write("new", "About [[tea]].\n")
        m.rename("tea", "green tea")
        m.write("tea", "Black.\n")
        assert m.accept("bot").left == []
        assert hint(tmp_path) == "I like [[green tea]].\n\nMore of [[green tea]] and [t](green%20tea.md).\n"
        assert (tmp_path / "new.md").read_text() == "About [[green tea]].\n"

    def test_a_later_one_may_link_to_a_new_note_of_the_old_name(
        self, bot: Memory, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        bot.write("list", "First [[tea]].\n")
        m.rename("tea", "green tea")
        m.write("tea", "Black.\n")
        bot.write("other", "Then [[tea]].\n")
        assert m.accept("bot").left == []
        assert (tmp_path / "list.md").read_text() == "First [[green tea]].\n"
        assert (tmp_path / "other.md").read_text() == "Then [[tea]].\n"

    def test_a_name_that_only_a_proposed_renaming_gives_is_understood(
        self, bot: Memory, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        bot.rename("tea", "green tea")
        bot.write("new", "About [[green tea]].\n")
        assert m.accept("bot", [2]).left == []
        assert (tmp_path / "new.md").read_text() == "About [[tea]].\n"
        assert m.accept("bot").left == []
        assert (tmp_path / "new.md").read_text() == "About [[green tea]].\n"

    def test_a_merge_that_is_accepted_and_taken_back_leaves_no_trace(
        self, bot: Memory, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        bot.write("cup", "Glass.\n")
        bot.rename("tea", "cup", merge=True)
        bot.undo()
        m.write("late", "Late: [[tea]].\n")
        m.accept("bot", [2])
        assert (tmp_path / "late.md").read_text() == "Late: [[cup]].\n"
        m.write("late", "More.\n", append=True)
        m.rename("late", "/later")
        assert m.accept("bot").left == []
        assert (tmp_path / "later.md").read_text() == "Late: [[tea]].\n\nMore.\n"

    def test_a_note_that_an_accepted_edit_changed_under_a_later_name_had_that_of_then(
        self, bot: Memory, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        m.write("old/cup", "Glass.\n")
        bot.write("tea", "More.\n", append=True)
        bot.write("hint", "In a [[cup]].\n", append=True)
        m.rename("tea", "/cup")
        assert m.accept("bot").left == []
        assert hint(tmp_path) == "I like [[cup]].\n\nIn a [[old/cup]].\n"

    @pytest.mark.parametrize("parts", [[[1, 2, 3]], [[1], [2], [3]], [[3], [1, 2]], [[1], [3], [2]]], ids=str)
    @pytest.mark.parametrize("is_late", [False, True], ids=["before", "after"])
    def test_links_to_notes_that_have_exchanged_their_names_in_any_order_of_acceptance(
        self, bot: Memory, m: Memory, tmp_path: pathlib.Path, parts: list[list[int]], is_late: bool
    ) -> None:
        m.write("cup", "Glass.\n")
        bot.write("tea", "More tea.\n", append=True)
        bot.write("cup", "More cups.\n", append=True)
        for step in ["rename", "write"] if is_late else ["write", "rename"]:
            if step == "write":
                bot.write("new", "Drink [[tea]] from a [[cup]].\n")
            else:
                m.rename("tea", "other")
                m.rename("cup", "tea")
                m.rename("other", "cup")
                bot.wait_ready()
        assert [m.accept("bot", part).accepted for part in parts] == parts
        assert (tmp_path / "cup.md").read_text() == "Green tea.\n\nMore tea.\n"
        assert (tmp_path / "tea.md").read_text() == "Glass.\n\nMore cups.\n"
        assert (tmp_path / "new.md").read_text() == "Drink [[cup]] from a [[tea]].\n"

    @pytest.mark.parametrize("text", ["I like [[/tea]].\n", "I like [[Tea]].\n", "I like [tea](tea.md).\n"])
    def test_another_spelling_of_a_link_is_accepted(
        self, bot: Memory, m: Memory, tmp_path: pathlib.Path, text: str
    ) -> None:
        bot.write("hint", text)
        assert m.accept("bot").left == []
        assert hint(tmp_path) == text

    @pytest.mark.parametrize("parts", [[[1, 2, 3]], [[3], [1, 2]], [[1], [2], [3]], [[2, 3], [1]]], ids=str)
    def test_unchanged_lines_keep_their_links_to_notes_that_have_exchanged_their_names(
        self, bot: Memory, m: Memory, tmp_path: pathlib.Path, parts: list[list[int]]
    ) -> None:
        m.write("cup", "Glass.\n")
        bot.write("tea", "More tea.\n", append=True)
        bot.write("cup", "More cups.\n", append=True)
        m.rename("tea", "other")
        m.rename("cup", "tea")
        m.rename("other", "cup")
        bot.wait_ready()
        bot.write("hint", "From a [[cup]].\n", append=True)  # the client still sees both notes at their old names
        assert [m.accept("bot", part).accepted for part in parts] == parts
        assert hint(tmp_path) == "I like [[cup]].\n\nFrom a [[tea]].\n"

    def test_a_link_to_a_new_note_at_a_path_that_an_accepted_renaming_left(
        self, bot: Memory, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        m.write("old/tea", "Black.\n")
        bot.write("cup", "Glass.\n")
        bot.rename("/tea", "green tea")
        assert m.accept("bot", [2]).accepted == [2]
        m.write("/tea", "White.\n")
        bot.wait_ready()
        bot.write("hint", "And [[tea]].\n", append=True)
        assert m.accept("bot").left == []
        assert hint(tmp_path) == "I like [[green tea]].\n\nAnd [[tea]].\n"

    def test_a_link_to_a_note_that_the_client_read_with_its_own_changes(
        self, bot: Memory, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        bot.write("tea", "More.\n", append=True)
        m.rename("tea", "green tea")
        m.write("tea", "Black.\n")
        bot.write("hint", "Again [[tea]].\n", append=True)
        assert m.accept("bot").left == []
        assert hint(tmp_path) == "I like [[green tea]].\n\nAgain [[green tea]].\n"

    def test_a_proposed_undo_brings_back_no_name_of_the_past(
        self, bot: Memory, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        bot.write("hint", "None", old="I like [[tea]].")
        m.rename("tea", "green tea")
        m.write("tea", "Black.\n")
        bot.undo()
        assert m.accept("bot").left == []
        assert hint(tmp_path) == "I like [[green tea]].\n"

    def test_a_link_to_a_note_that_is_only_proposed_keeps_its_name(
        self, bot: Memory, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        bot.write("one", "New.\n")
        bot.rename("one", "two")
        bot.write("hint", "See [[two]].\n", append=True)
        assert m.accept("bot", [3]).left == []
        assert hint(tmp_path) == "I like [[tea]].\n\nSee [[two]].\n"
        assert m.accept("bot").left == []
        assert m.check() == []

    def test_a_deletion_is_accepted_although_a_link_was_updated(
        self, bot: Memory, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        bot.delete("hint")
        m.write("a/cup", "Glass.\n")
        m.rename("tea", "/z/cup")
        m.delete("a/cup")
        assert hint(tmp_path) == "I like [[z/cup]].\n", "longer than it must be now"
        assert m.accept("bot").left == []
        assert not (tmp_path / "hint.md").exists()

    def test_the_renaming_of_a_deleted_note_changes_no_link(
        self, bot: Memory, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        bot.rename("tea", "green tea")
        m.delete("tea")
        [left] = m.accept("bot").left
        assert "edit 3 (one) has deleted 'tea'; undo that first" in left.reason
        assert hint(tmp_path) == "I like [[tea]].\n"


class TestWritingBack:
    """A text of an earlier moment that a client writes again, as it was or with changes."""

    @pytest.fixture(params=[False, True], ids=["free", "taken"])
    def old(self, request: pytest.FixtureRequest, m: Memory) -> str:
        """Rename `tea` and, if that is asked for, make another note of this name; return the old etag of `hint`."""
        old = m.read("hint").etag
        m.rename("tea", "green tea")
        if request.param:
            m.write("tea", "Black.\n")
        return old

    def test_a_text_that_was_made_from_an_older_one(self, m: Memory, tmp_path: pathlib.Path, old: str) -> None:
        done = m.write("hint", "I like [[tea]].\nAnd [[tea|all of it]].\n", etag=old)
        assert hint(tmp_path) == "I like [[green tea]].\nAnd [[green tea|all of it]].\n"
        assert done.remarks == ["updated the links to notes that were renamed since"]
        assert done.merged == []

    def test_a_change_in_the_line_of_a_link_that_zkmem_has_updated(
        self, m: Memory, tmp_path: pathlib.Path, old: str
    ) -> None:
        m.write("hint", "I love [[tea]].\n", etag=old)
        assert hint(tmp_path) == "I love [[green tea]].\n"

    def test_a_passage_of_an_older_text(self, m: Memory, tmp_path: pathlib.Path, old: str) -> None:
        m.write("hint", "[[tea]] is good", old="I like [[tea]]", etag=old)
        assert hint(tmp_path) == "[[green tea]] is good.\n"

    def test_a_section_of_an_older_text(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("hint", "I like [[tea]].\n# More\nYes.\n")
        old = m.read("hint").etag
        m.rename("tea", "green tea")
        m.edit_section("hint", "More", "[[tea]].", "replace", etag=old)
        assert hint(tmp_path) == "I like [[green tea]].\n# More\n[[green tea]].\n"

    def test_text_that_is_added_to_an_older_one(self, m: Memory, tmp_path: pathlib.Path, old: str) -> None:
        m.write("hint", "Again: [[tea]].\n", append=True, etag=old)
        assert hint(tmp_path) == "I like [[green tea]].\n\nAgain: [[green tea]].\n"

    def test_a_real_change_in_the_same_line_is_still_a_conflict(self, m: Memory, old: str) -> None:
        m.write("hint", "I hate [[green tea]].\n")
        with pytest.raises(StaleEtag, match="in the same lines"):
            m.write("hint", "I love [[tea]].\n", etag=old)

    def test_the_etag_of_an_earlier_name_is_that_of_the_same_note(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("hint", "See [[tea]].\n")
        old = m.read("hint").etag
        m.rename("hint", "in/clue")
        m.rename("tea", "green tea")
        other = Memory(str(tmp_path), durable=False)  # which has read nothing
        other.write("in/clue", "Look: [[tea]].\n", etag=old)
        assert (tmp_path / "in" / "clue.md").read_text() == "Look: [[green tea]].\n"

    def test_a_new_link_means_the_present_note_first(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.write("hint", "No link.\n")
        old = m.read("hint").etag
        m.rename("tea", "green tea")
        m.write("tea", "Black.\n")
        m.write("hint", "More.\n", append=True)
        m.write("hint", "Now [[tea]].\n", etag=old)
        assert hint(tmp_path) == "Now [[tea]].\n\nMore.\n"

    def test_what_a_session_has_read_of_an_earlier_moment(self, m: Memory, tmp_path: pathlib.Path, old: str) -> None:
        text = m.read_earlier("hint", "2").note.text
        assert text == "I like [[tea]].\n"
        m.write("hint", text + "Really.\n")
        assert hint(tmp_path) == "I like [[green tea]].\nReally.\n"
        if (tmp_path / "tea.md").exists():
            m.write("hint", "No link.\n")
            m.write("hint", "Now [[tea]].\n")
            assert hint(tmp_path) == "Now [[tea]].\n", "the older text is done with"

    def test_what_a_session_was_shown_of_a_note_with_other_line_ends(self, tmp_path: pathlib.Path) -> None:
        write(tmp_path, {"tea.md": "Green.\r\n", "hint.md": "I like [[tea]].\r\nYes.\r\n"})
        m = Memory(str(tmp_path), durable=False)
        m.write("hint", "No", old="Yes")
        m.rename("tea", "green tea")
        m.write("tea", "Black.\n")
        text = m.show("hint", "1").replace("\r\n", "\n")
        m.write("hint", text + "More.\n")
        assert (tmp_path / "hint.md").read_bytes() == b"I like [[green tea]].\r\nNo.\r\nMore.\r\n"

    def test_another_spelling_of_a_link_of_the_older_text(self, m: Memory, tmp_path: pathlib.Path, old: str) -> None:
        m.write("hint", "I like [[tea]].\n[[Tea]], [[/tea]], [x](tea.md)\n", etag=old)
        assert hint(tmp_path) == "I like [[green tea]].\n[[green tea]], [[/green tea]], [x](green%20tea.md)\n"

    def test_text_that_is_added_after_a_read(self, m: Memory, tmp_path: pathlib.Path) -> None:
        m.read("hint")
        m.on_behalf(client="two").rename("tea", "green tea")
        m.write("hint", "Again: [[tea]].\n", append=True)
        assert hint(tmp_path) == "I like [[green tea]].\n\nAgain: [[green tea]].\n"

    def test_a_deleted_note_that_a_session_writes_again(self, m: Memory, tmp_path: pathlib.Path, old: str) -> None:
        m.delete("hint")
        m.write("hint", m.read_earlier("hint", "2").note.text)
        assert hint(tmp_path) == "I like [[green tea]].\n"

    @pytest.mark.parametrize("is_deleted", [False, True])
    def test_a_text_that_the_note_had_already(self, m: Memory, tmp_path: pathlib.Path, is_deleted: bool) -> None:
        m.rename("tea", "green tea")
        if is_deleted:
            m.delete("hint")
        other = Memory(str(tmp_path), durable=False)  # which has read nothing
        done = other.write("hint", "I like [[tea]].\n")
        assert hint(tmp_path) == "I like [[green tea]].\n"
        assert done.remarks == ["updated the links to notes that were renamed since"]

    def test_one_whose_links_lead_elsewhere_now_is_written_and_this_is_said(
        self, m: Memory, tmp_path: pathlib.Path
    ) -> None:
        m.rename("tea", "green tea")
        m.write("tea", "Black.\n")
        done = Memory(str(tmp_path), durable=False).write("hint", "I like [[tea]].\n")
        assert hint(tmp_path) == "I like [[tea]].\n"
        assert done.remarks == [
            "the note had this text before, but with links to other notes; restore it to get those links"
        ]

    def test_a_caller_with_a_folder_learns_no_name_outside(self, m: Memory, tmp_path: pathlib.Path) -> None:
        own = m.restricted(Grant("own"))
        own.write("own/note", "See [[tea]].\n")
        old = own.read("own/note").etag
        own.write("own/note", "Now.\n")
        m.rename("tea", "secret")
        own.write("own/note", "See [[tea]].\n")
        own.write("own/note", "See [[tea]]!\n", etag=old)
        assert (tmp_path / "own" / "note.md").read_text() == "See [[tea]]!\n"


@pytest.mark.parametrize("seed", range(4))
def test_in_random_histories_no_link_leads_elsewhere_and_no_undo_is_half(tmp_path: pathlib.Path, seed: int) -> None:
    """`python -m tests.tools.histories 2000` lives through more of them."""
    history = History(tmp_path, seed)
    try:
        history.live(30)
    finally:
        history.close()
    assert history.done["undo"] + history.done["redo"] + history.done["restore"] > 2
