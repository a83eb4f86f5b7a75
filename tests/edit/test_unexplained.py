"""Changes that no entry of the logs explains: the gaps between entries, renamings, and entries that continue others."""

import pytest

from zkmem.edit.unexplained import MOST_NAMED, PathStep, Unexplained, continued, effects, gaps_in, with_moves
from zkmem.vault.journal.log import AWAY, HAND, Change, Edit

PULL = "git pull"


def edit(number: int, *changes: Change, outside: str = "", more: int = 0, time: float = 0.0) -> Edit:
    return Edit(number, time, "", "", changes, outside=outside, more=more)


def test_only_notes_outside_of_hidden_folders_have_effects() -> None:
    moved = Change("a.md", "1", "1", ".trash/a.md")
    entry = edit(1, moved, Change("p.png", "1", "2"), Change(".obsidian/x.md", "1", "2"), Change("b.md", "1", "2"))
    assert list(effects(entry)) == [("a.md", "1", None), ("b.md", "1", "2")]


def test_a_gap_is_before_an_edit_that_found_another_text() -> None:
    first, second, by_hand = edit(1), edit(2), edit(3, outside=HAND)
    steps = [PathStep("1", "2", first), PathStep("3", "4", second), PathStep("1", "5", by_hand)]
    assert gaps_in(steps, "1") == ([("2", "3")], "5")
    assert gaps_in(steps, "4") == ([("2", "3")], "5")
    assert gaps_in(steps[1:], "4") == ([], "5"), "what came before the first step is explained"
    assert gaps_in([PathStep(None, "2", first), PathStep(None, "3", second)], None) == ([("2", None)], "3")
    assert gaps_in([], "1") == ([], "1")
    twice = [
        PathStep("1", None, first),
        PathStep("2", "3", first),
    ]  # one edit that moved a note away, and another to its place
    assert gaps_in(twice, "1") == ([], "3")


def test_a_note_has_moved_only_if_no_other_had_its_text() -> None:
    assert with_moves([Unexplained("new.md", None, "1"), Unexplained("old.md", "1", None)]) == [
        Change("old.md", "1", "1", "new.md")
    ]
    several = [Unexplained("a.md", "1", None), Unexplained("b.md", "1", None), Unexplained("c.md", None, "1")]
    assert with_moves(several) == [Change(one.path, one.before, one.after) for one in several]
    several = [Unexplained("a.md", "1", None), Unexplained("b.md", None, "1"), Unexplained("c.md", None, "1")]
    assert with_moves(several) == [Change(one.path, one.before, one.after) for one in several]


def test_a_save_continues_the_last_one_of_the_same_text() -> None:
    last, save = edit(1, Change("a.md", "1", "2"), outside=HAND), Change("a.md", "2", "3")
    joined = continued(edit(2, save, outside=HAND, time=300), last)
    assert (joined.changes, joined.replaces, joined.time) == ((Change("a.md", "1", "3"),), 1, 0)


@pytest.mark.parametrize(
    "entry",
    [
        edit(2, Change("a.md", "2", "3"), outside=HAND, time=301),
        edit(2, Change("a.md", "2", "3"), outside=AWAY),
        edit(2, Change("a.md", "2", None), outside=HAND),
        edit(2, Change("a.md", None, "3"), outside=HAND),
        edit(2, Change("a.md", "9", "3"), outside=HAND),
        edit(2, Change("b.md", "2", "3"), outside=HAND),
        edit(2, Change("a.md", "2", "2", "b.md"), outside=HAND),
        edit(2, Change("a.md", "2", "3"), Change("b.md", "2", "3"), outside=HAND),
    ],
)
def test_another_change_continues_nothing(entry: Edit) -> None:
    assert continued(entry, edit(1, Change("a.md", "1", "2"), outside=HAND)) is entry
    assert continued(entry, None) is entry


def test_what_happens_while_no_server_runs_is_not_joined() -> None:
    last, entry = (edit(one, Change("a.md", str(one), str(one + 1)), outside=AWAY) for one in (1, 2))
    assert continued(entry, last) is entry


def test_changes_by_git_of_different_files_are_joined_and_counted() -> None:
    last = edit(1, *(Change(f"{one}.md", "1", "2") for one in range(MOST_NAMED)), outside=PULL, more=5)
    entry = edit(2, Change("a.md", "1", "2"), Change("b.md", "1", "2"), outside=PULL, more=1)
    joined = continued(entry, last)
    assert (joined.changes, joined.more, joined.replaces) == (last.changes, 8, 1)
    again = edit(2, Change("1.md", "2", "3"), outside=PULL)
    assert continued(again, last) is again
