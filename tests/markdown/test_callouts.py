"""Conflict callouts: finding them, the lines that they are about, and removing them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkmem.markdown.callouts import (
    GIT_MARKERS,
    CalloutLines,
    conflict_titles,
    find_callouts,
    lines_here,
    resolved,
    with_callouts,
)

TITLE = "Also written on laptop, 2026-11-22 10:14"
CALLOUT = f"> [!conflict] {TITLE}\n> "


def sides(body: str) -> list[tuple[str | None, str]]:
    """For each conflict the lines that stand, None if they are not known, and those of the other side."""
    lines = body.split("\n")
    found = [(one, lines_here(lines, one)) for one in find_callouts(lines)]
    return [("\n".join(lines[at.start : at.stop]) if at else None, "\n".join(one.other)) for one, at in found]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("Green.\n\n" + CALLOUT + "Black.\n\nEnd.\n", [("Green.", "Black.")], id="a paragraph"),
        pytest.param("# Tea\n" + CALLOUT + "# Teas\n", [("# Tea", "# Teas")], id="a heading, and no blank line"),
        pytest.param("- a\n- buy 2 eggs\n- c\n\n" + CALLOUT + "- buy 3 eggs\n", [("- buy 2 eggs", "- buy 3 eggs")],
                     id="an item of a list"),
        pytest.param("- a b c d\n- e f g h\n\n" + CALLOUT + "- a b c x\n> - e f g x\n",
                     [("- a b c d\n- e f g h", "- a b c x\n- e f g x")], id="all items"),
        pytest.param("Green.\nCeylon.\nWhite.\n\n" + CALLOUT + "Assam.\n", [(None, "Assam.")], id="nothing is alike"),
        pytest.param("- a tea 1\n- a tea 2\n\n" + CALLOUT + "- a tea 3\n", [(None, "- a tea 3")], id="two are alike"),
        pytest.param(CALLOUT + "Black.\n\nGreen.\n", [(None, "Black.")], id="the beginning of the body"),
        pytest.param("\n\n" + CALLOUT + "Black.\n", [(None, "Black.")], id="below blank lines"),
        pytest.param("Green.\n\n[a]: b\n\n" + CALLOUT + "[a]: c\n", [(None, "[a]: c")], id="below no block"),
        pytest.param("Green.\n\n" + CALLOUT + "Black.\n\n" + CALLOUT + "White.\n",
                     [("Green.", "Black."), ("Green.", "White.")], id="two below one block"),
        pytest.param("Green.\n\n" + CALLOUT.removesuffix("\n> ") + "\n", [(None, "")], id="no lines"),
        pytest.param("Green.\n\n" + CALLOUT + "\n>   code\nlazy\n", [("Green.", "\n  code")], id="a lazy line"),
        pytest.param("```\nGreen.\n\n" + CALLOUT + "Black.\n```\n", [], id="in code"),
        pytest.param("> " + CALLOUT.replace("\n", "\n> ") + "Black.\n", [], id="quoted"),
        pytest.param("a b\n" * 9_000 + "\n" + CALLOUT + "a b\n", [(None, "a b")], id="a block of many lines"),
    ],
)  # fmt: skip
def test_both_sides_of_each_callout_are_found(body: str, expected: list[tuple[str | None, str]]) -> None:
    assert sides(body) == expected
    assert conflict_titles(body.encode()) == [TITLE] * len(expected)


GIT = "<<<<<<< HEAD\nBlack.\n=======\nWhite.\n>>>>>>> 1a2b3c4\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (GIT, 1),
        (f"---\nk: 1\n---\nText.\n\n{GIT}{GIT}", 1),
        (GIT.replace("\n", "\r\n"), 1),
        (GIT.replace("=======", "||||||| 4d5e6f\nGreen.\n======="), 1),
        (f"```text\n{GIT}```\n", 0),
        (f"```text\n{GIT}```\n{GIT}", 1),
        ("Heading\n=======\n\n>>>>>>> quoted\n\nA <<<<<<< B\n", 0),
        (GIT.replace("=======", "------"), 0),
    ],
)
def test_a_conflict_that_was_committed_with_the_markers_of_git_is_one(body: str, expected: int) -> None:
    assert conflict_titles(body.encode()) == [GIT_MARKERS] * expected


def test_the_other_side_replaces_the_lines_that_stand() -> None:
    lines = f"- a\n- buy 2 eggs\n- c\n\n{CALLOUT}- buy 3 eggs\n> - and milk\n\nEnd.".split("\n")
    assert resolved(lines, 0, other=True) is None, "two lines are like none"
    lines.remove("> - and milk")
    assert resolved(lines, 0, other=True) == ["- a", "- buy 3 eggs", "- c", "", "End."]
    assert resolved(lines, 0, other=False) == ["- a", "- buy 2 eggs", "- c", "", "End."]
    assert resolved(lines, 1, other=False) is None


BODIES = st.lists(
    st.sampled_from(["", "Green.", "- item", "  more", "> quote", "# Tea", "---", "```", "| a | b |", "[a]: b", "%%",
                     "> [!conflict] x", "> y", "lazy"]),
    max_size=12,
)  # fmt: skip


@given(BODIES)
def test_removing_a_callout_removes_its_lines_and_one_of_two_blank_lines(lines: list[str]) -> None:
    for number, callout in enumerate(find_callouts(lines)):
        own = [lines[at] for at in callout.lines]
        assert all(line.startswith(">") for line in own)
        rest = resolved(lines, number, other=False)
        assert rest is not None
        start = callout.lines.start
        kept = [*lines[:start], *lines[callout.lines.stop :]]
        between_blanks = start and not any(line.strip() for line in kept[start - 1 : start + 1])
        assert rest == ([*kept[: start - 1], *kept[start:]] if between_blanks else kept)


@given(BODIES, st.lists(st.sampled_from(["Black.", "- other", "  x", ""]), min_size=1, max_size=3), st.integers(0, 11))
def test_a_callout_that_was_put_into_a_body_is_found_and_removed(lines: list[str], other: list[str], at: int) -> None:
    before = find_callouts(lines)
    if at >= len(lines) or before:
        return
    body = with_callouts(lines, [CalloutLines(at, other)], TITLE)
    (callout,) = find_callouts(body)
    assert callout.other == [line.rstrip() for line in other]
    kept = resolved(body, 0, other=False)
    assert kept is not None
    assert [line for line in kept if line] == [line for line in lines if line]
    here, used = lines_here(body, callout), resolved(body, 0, other=True)
    assert (here is None) == (used is None)
    if here is not None and used is not None:
        assert set(here) <= set(callout.block)
        assert used == [*kept[: here.start], *callout.other, *kept[here.stop :]]


def test_a_number_of_no_conflict_changes_nothing() -> None:
    lines = ["one", "", "> [!conflict] x", "> two"]
    assert [resolved(lines, number, other=False) for number in (-1, 1)] == [None, None]
