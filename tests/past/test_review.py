"""The review: sittings, what became of each note, and what a person has looked at."""

import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.errors import UnknownEdit
from zkmem.memory import Memory
from zkmem.vault.journal import log as edit_log
from zkmem.vault.journal import seen
from zkmem.vault.journal.seen import Ranges


@pytest.fixture
def m(tmp_path: pathlib.Path) -> Memory:
    return Memory(str(tmp_path))


def by(memory: Memory, client: str) -> Memory:
    return memory.on_behalf(client=client)


def outcomes(memory: Memory, edit: int) -> list[tuple[str, str, str]]:
    (card,) = [one for one in memory.review().sittings if one.edit == edit]
    found = [(one.name, one.was, one.outcome) for one in memory.change(None, edit, first=1).notes]
    assert found == [tuple(one) for one in card.notes]
    return found


def test_clients_that_work_at_the_same_time_have_a_sitting_each(m: Memory) -> None:
    for number in range(3):
        by(m, "one").write("a", f"line {number}\n", append=True)
        by(m, "two").write("b", f"line {number}\n", append=True)
    assert [(one.edit, one.client, one.edits) for one in m.review().sittings] == [(6, "two", 3), (5, "one", 3)]


def test_a_pause_ends_a_sitting(m: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit_log, "PAUSE_S", 0.0)
    for number in range(3):
        m.write("a", f"{number}")
    assert [one.edit for one in m.review().sittings] == [3, 2, 1]
    page = m.review(limit=2)
    assert ([one.edit for one in page.sittings], page.next) == ([3, 2], 2)
    page = m.review(before=2)
    assert ([one.edit for one in page.sittings], page.next) == ([1], None)


def test_what_became_of_each_note(m: Memory) -> None:
    old = by(m, "old")
    for name in ("changed", "renamed", "deleted", "as before"):
        old.write(name, f"{name}\n")
    new = by(m, "new")
    new.write("created", "created\n")
    new.write("changed", "other\n")
    new.rename("renamed", "x/renamed")
    new.delete("deleted")
    new.write("as before", "other\n")
    new.write("as before", "as before\n")
    new.write("in between", "x\n")
    new.delete("in between")
    assert outcomes(m, 12) == [
        ("created", "", "created"),
        ("changed", "changed", "changed"),
        ("x/renamed", "renamed", "renamed"),
        ("deleted", "deleted", "deleted"),
    ]
    assert m.undo(edit=12, sitting=True)
    assert m.review().sittings[1].undone


def test_a_sitting_counts_its_edits_that_are_undone(m: Memory) -> None:
    model, person = by(m, "model"), by(m, "person")
    for name in ("a", "b", "c"):
        model.write(name, f"{name}\n")
    person.undo(edit=2)
    assert [(one.edits, one.edits_undone, one.undone) for one in m.review().sittings] == [(1, 0, False), (3, 1, False)]
    person.redo()
    assert m.review().sittings[1].edits_undone == 0
    person.undo(edit=3, sitting=True)
    assert (m.review().sittings[1].edits_undone, m.review().sittings[1].undone) == (3, True)


def test_the_words_of_others_in_the_same_note_are_left_out(m: Memory) -> None:
    by(m, "one").write("a", "one\n\ntwo\n\nthree\n")
    by(m, "two").write("a", "ONE\n\ntwo\n\nthree\n")
    by(m, "one").write("a", "ONE\n\ntwo\n\nTHREE\n")
    by(m, "two").write("a", "ONE\n\nTWO\n\nTHREE\n")
    (note,) = m.change(None, 4, first=1).notes
    assert (note.added, note.removed) == (2, 2)
    assert 'marked">THREE' not in note.html
    (note,) = m.change(None, 2, first=1).notes
    assert (note.added, note.removed) == (1, 1), "later edits of the sitting are left out"


def test_a_text_that_is_no_longer_stored_has_a_sentence_in_its_place(m: Memory, tmp_path: pathlib.Path) -> None:
    m.write("a", "one\n")
    m.write("a", "two\n")
    m.on_behalf(client="later").write("a", "three\n")
    for version in (tmp_path / ".zkmem/versions").glob("[0-9a-f]*"):
        version.unlink()
    (note,) = m.change(None, 2, first=1).notes
    assert (note.outcome, note.html, note.trouble) == (
        "created",
        "",
        "The text before or after these edits is not stored.",
    )


def test_the_review_warns_of_what_was_added_and_looks_like_a_key(m: Memory) -> None:
    key = "ghp_" + "Zq7Lw2Nx9Rt4" * 3
    m.write("a", "one\n")
    by(m, "one").write("a", f"one\n\n{key}\n")
    by(m, "two").write("a", f"ONE\n\n{key}\n")
    assert [note.warnings for note in m.change(None, 2, first=1).notes] == [["this looks like a token (line 3)"]]
    assert [note.warnings for note in m.change(None, 3, first=1).notes] == [[]]


def test_each_person_has_marks_of_their_own(m: Memory, tmp_path: pathlib.Path) -> None:
    by(m, "one").write("a", "1")
    by(m, "two").write("a", "2")
    m.mark_seen("ann", 2)
    assert [one.seen for one in m.review("ann").sittings] == [True, False]
    assert m.brief("ann").edits == 1
    assert m.brief("ann", {"one"}).edits == 0, "what one has done oneself is not new"
    assert m.brief("bob").edits == 2
    by(m, "two").write("a", "3")
    assert [one.seen for one in Memory(str(tmp_path)).review("ann").sittings] == [False, False]
    m.mark_seen("ann", 3, earlier=True)
    assert m.brief("ann").edits == 0
    with pytest.raises(UnknownEdit):
        m.mark_seen("ann", 9)


def test_a_damaged_file_of_marks_is_written_anew(m: Memory, tmp_path: pathlib.Path) -> None:
    m.write("a", "1")
    for text in ("no json", '{"": [[2, 1]]}', '{"": [["1", 1]]}', "[]"):
        (tmp_path / ".zkmem/seen.json").write_text(text)
        assert m.brief().edits == 1
        m.mark_seen("", 1)
        assert m.brief().edits == 0


def test_half_a_character_in_the_name_of_a_person_does_not_stop_the_others(m: Memory, tmp_path: pathlib.Path) -> None:
    m.set_properties({"x": 1}, [m.write(name, "1").name for name in ("a", "b")])
    for name in ("seen.json", "viewed.json"):
        (tmp_path / ".zkmem" / name).write_text('{"\\ud800": [[1, 1]]}')
    m.mark_viewed("", [("a", 1, 3)])
    assert [line.viewed for line in m.brief().lines if line.note == "a"] == [True]


def test_the_marks_are_bounded_and_no_edit_counts_as_seen_that_was_not() -> None:
    ranges = Ranges([(1, 9)]).with_numbers(range(20, 10_000, 2))
    assert len(ranges.ranges) == 2_000
    assert 9 in ranges
    assert 20 not in ranges
    assert 9_998 in ranges
    assert not any(number in ranges for number in range(21, 10_000, 2))


@given(st.sets(st.integers(1, 40)), st.sets(st.integers(0, 41)))
def test_numbers_are_taken_out_of_ranges(numbers: set[int], others: set[int]) -> None:
    ranges = Ranges().with_numbers(numbers).without(Ranges.of(others))
    assert {number for number in range(50) if number in ranges} == numbers - others


def test_thousands_of_numbers_are_taken_out_of_a_range_at_once() -> None:
    assert len(Ranges([(1, 100_000)]).without(Ranges.of(range(2, 100_000, 2))).ranges) == 50_000


def test_the_many_marks_of_one_person_do_not_cost_those_of_another(m: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [m.write(f"{'long' * 20} {number}", "1").name for number in range(6)]
    m.set_properties({"x": 1}, names)
    monkeypatch.setattr(seen, "_MOST_BYTES", 500)
    m.mark_viewed("ann", [(names[0], 1, 7)])
    m.mark_viewed("bob", [(name, number, 7) for number, name in enumerate(names[:5], 1)])
    assert {line.note: line.viewed for line in m.brief("ann").lines}[names[0]]


def test_a_caller_with_a_folder_sees_only_edits_in_it(m: Memory) -> None:
    m.write("secret", "nobody's business\n")
    m.write("in/a", "[[secret]]\n")
    m.rename("secret", "in/b")
    confined = m.restricted(Grant("in"))
    (card,) = confined.review().sittings
    assert (card.edit, [one.name for one in card.notes]) == (2, ["in/a"])
    (note,) = confined.change(None, 2, first=1).notes
    assert note.name == "in/a"
    with pytest.raises(UnknownEdit):
        confined.change(None, 3, first=1)


def test_a_caller_with_a_folder_gets_no_link_that_leads_out_in_changed_words(tmp_path: pathlib.Path) -> None:
    pages = []
    for name, notes in (("whole", {"in/x.md": "", "out/secret.md": "x\n"}), ("alone", {"in/x.md": ""})):
        with Memory(write(tmp_path / name, notes)) as memory:
            memory.write("in/b", "B.\n")
            memory.write("in/a", "[[secret]] and [[b]]\n")
            (note,) = [
                one for one in memory.restricted(Grant("in")).change(None, 2, first=1).notes if one.name == "in/a"
            ]
            pages.append(note.html)
    assert pages[0] == pages[1]
    assert "in/b" in pages[0]


def test_a_card_names_the_newest_notes(m: Memory) -> None:
    for number in range(40):
        m.write(f"n{number}", "n\n")
    m.write("centre", "centre\n")
    card = m.review().sittings[0]
    assert (len(card.notes), card.notes[-1].name) == (20, "centre")


def test_a_deletion_shows_the_text_that_is_gone(m: Memory) -> None:
    m.write("gone", "One.\n")
    m.write("gone", "Two.\n", append=True)
    m.delete("gone")
    edit = m.review().sittings[0].edit
    m.write("other", "Later.\n")
    with_edits = {one.name: one for one in m.change(None, edit, first=1).notes}
    assert "gone" not in with_edits  # it was there only in between
    memory = m.on_behalf(client="another")
    memory.write("kept", "Text of it.\n")
    m.on_behalf(client="a third").delete("kept")
    [deleted] = m.change(None, m.review().sittings[0].edit, first=1).notes
    assert (deleted.outcome, deleted.added, deleted.removed) == ("deleted", 0, 3)
    assert "Text of it." in deleted.html
