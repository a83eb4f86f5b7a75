"""Why is this here? The edit that wrote each word of a note."""

import pathlib
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.blamed import Life, wrong_words
from tests.tools.inner import catch_up, engine
from zkmem.errors import BadArgument, NoSection, UnknownNote
from zkmem.memory import Memory
from zkmem.past import blame


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**9), by_hand=st.booleans())
def test_each_word_has_the_edit_that_wrote_it_whatever_moved_it_since(seed: int, by_hand: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        life = Life(pathlib.Path(folder), seed, by_hand=by_hand)
        told = [step.what for step in life.live(20)]
        assert wrong_words(life) == [], told
        life.memory.close()


@pytest.fixture
def m(tmp_path: pathlib.Path) -> Memory:
    return Memory(str(tmp_path)).on_behalf(client="claude-code 2.1")


def told(memory: Memory, name: str) -> list[tuple[str, int | None]]:
    return [(passage.text, passage.edit) for passage in memory.why(name)]


def test_a_passage_is_followed_word_by_word_through_other_notes(m: Memory) -> None:
    m.write("tea", "# Tea\n\nGreen tea wants 80 °C.\nSee [[cup]].\n")  # 1
    m.write("cup", "# Cup\n\nOf red clay from Banko.\n")  # 2
    m.write("tea", "# Tea\n\nGreen tea wants 75 °C.\nSee [[cup]].\n")  # 3
    m.rename("cup", "mug")  # 4
    m.rename("mug", "tea", merge=True)  # 5
    m.undo(edit=3)  # 6
    assert told(m, "tea:3") == [("Green tea wants 80 °C.", 1)]
    m.redo()  # 7
    m.extract("tea", "Green tea wants 75 °C.", "green")  # 8
    assert [text for text, edit in told(m, "tea") if edit == 2] == ["# Cup\n\nOf red clay from Banko."]
    assert told(m, "green") == [("Green tea wants", 1), ("75", 3), ("°C.", 1)]
    assert told(m, "green:1") == told(m, "green")
    [cup] = m.why("tea#Cup")
    assert (cup.text, cup.edit, cup.note, cup.did) == ("# Cup\n\nOf red clay from Banko.", 2, "cup", "created cup")
    for wrong, error in (("tea:99", BadArgument), ("tea#Milk", NoSection), ("milk", UnknownNote)):
        with pytest.raises(error):
            m.why(wrong)


def test_the_words_for_who_wrote_are_those_of_the_history(tmp_path: pathlib.Path, m: Memory) -> None:
    note = tmp_path / "tea.md"
    note.write_text("Older than the log.\n")
    m.start()
    m.wait_ready()
    assert engine(m).recorder.ready.wait(30)
    m.write("tea", "By a tool.\n", append=True)
    note.write_text(note.read_text() + "By a person.\n")
    catch_up(m)
    older, by_tool, by_hand = (one.in_words for one in m.why("tea"))
    assert older == "before the first edit that zkmem knows"
    assert (by_tool.startswith("claude-code, 2"), by_hand.startswith("you, by hand, 2")) == (True, True)
    m.close()
    note.write_text(note.read_text() + "While nobody looked.\n")
    *_, last = Memory(str(tmp_path)).why("tea")
    assert last.in_words == "while zkmem was not running"


def test_what_is_not_known_any_more_is_said(tmp_path: pathlib.Path, m: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 6):
        m.write("tea", f"Line {number} of this note.\n", append=True)
    versions = tmp_path / ".zkmem" / "versions"
    kept = {engine(m).journal.log.last().changes[0].before}  # type: ignore[union-attr]
    for path in versions.iterdir():
        if len(path.stem) == 12 and path.stem not in kept:
            path.unlink()
    first, last = m.why("tea")
    assert (first.text.count("Line"), first.edit, first.earliest, last.edit, last.earliest) == (4, 4, 1, 5, None)
    assert first.in_words.endswith("in one of the edits 1 to 4: older texts are not kept")
    assert first._replace(edit=0).in_words.endswith("in edit 1 or later: older texts are not kept")
    monkeypatch.setattr(blame, "_MOST_TEXTS", 0)
    [only] = m.why("tea")
    assert (only.edit, only.earliest) == (5, 1)


def test_moved_lines_and_copied_ones(m: Memory) -> None:
    m.write("tea", "One line of tea.\n---\nAnother line of tea.\n")
    m.write("tea", "Another line of tea.\nNew and unlike.\nOne line of tea.\n---\nOne line of tea.\n")
    assert [edit for _, edit in told(m, "tea")] == [1, 2, 1, 2]
