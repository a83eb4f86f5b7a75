"""The hunks that turn one text into another, and their unified format."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkmem.util.hunks import Hunk
from zkmem.util.threeway import hunks, unified

_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")
_NAMES = ("a/note.md", "b/note.md")

texts = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n"]), max_size=40)


def shown_hunks(shown: list[str]) -> list[tuple[tuple[int, int], tuple[int, int], list[str]]]:
    """Return for each hunk the ranges of lines that its header names, from 0, before and after; and its lines."""
    starts = [number for number, line in enumerate(shown) if line.startswith("@@")]
    found = []
    for start, end in pairwise([*starts, len(shown)]):
        header = _HEADER.fullmatch(shown[start])
        assert header, shown[start]
        one, some, other, others = (1 if digits is None else int(digits) for digits in header.groups())
        ranges = [(first - bool(count), first - bool(count) + count) for first, count in ((one, some), (other, others))]
        found.append((ranges[0], ranges[1], shown[start + 1 : end]))
    return found


@given(texts, texts)
def test_a_header_names_the_lines_of_its_hunk(before: list[str], after: list[str]) -> None:
    shown = list(unified(before, after, _NAMES))
    assert shown[:2] == ([] if before == after else ["--- a/note.md\n", "+++ b/note.md\n"])
    result, done = [], 0
    for (start, end), (first, last), lines in shown_hunks(shown):
        assert before[start:end] == [line[1:] for line in lines if line[0] in " -"]
        assert after[first:last] == [line[1:] for line in lines if line[0] in " +"]
        result += before[done:start] + after[first:last]
        done = end
    assert result + before[done:] == after


@pytest.mark.parametrize(
    ("before", "after", "headers"),
    [
        ("", "a", ["-0,0 +1"]),
        ("a", "", ["-1 +0,0"]),
        ("a", "b", ["-1 +1"]),
        ("abcdefgh", "abcdXefgh", ["-2,6 +2,7"]),
        ("abcdefghijklmn", "aXXcdefghijklYn", ["-1,5 +1,6", "-10,5 +11,5"]),
        ("abcdefghijklmn", "aXcdefghYjklmn", ["-1,12 +1,12"]),  # six lines between two changes: one hunk
        ("abcdefghijklmno", "aXcdefghiYklmno", ["-1,5 +1,5", "-7,7 +7,7"]),
    ],
)
def test_headers_by_example(before: str, after: str, headers: list[str]) -> None:
    """As `diff -u` has them: a range of one line is a number, and an empty one names the line before it."""
    shown = list(unified([f"{one}\n" for one in before], [f"{one}\n" for one in after], _NAMES))
    assert [line for line in shown if line.startswith("@@")] == [f"@@ {header} @@\n" for header in headers]


def test_a_blank_line_is_not_matched_in_place_of_a_line_with_text() -> None:
    left, right = ["one", "", "two", "", "same"], ["same", "", "new"]
    assert hunks(left, right) == [Hunk(0, 4, []), Hunk(5, 5, ["", "new"])]


def test_equal_paragraphs_are_matched_together_with_the_blank_lines_between_them() -> None:
    left, right = ["moved", "", "one", "", "two"], ["one", "", "two", "", "moved"]
    assert hunks(left, right) == [Hunk(0, 2, []), Hunk(5, 5, ["", "moved"])]
