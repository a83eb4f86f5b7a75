"""Find quoted passages in a note."""

import pytest

from zkmem.edit.passage import find_exact, find_quoted
from zkmem.errors import NoPassage

LONG = " ".join(f"Sentence {number} says that item {number * 7} was bought." for number in range(400))
PLANS = f"# Trip\n\nThe plan.\n\n## Plan for summer\n\n{LONG}\n\n### Plan for summer nights\n\n## Plan\n"


def test_other_white_space_is_found_between_words_and_within_them() -> None:
    text = "One two\n\tthree  four.\n"
    assert find_quoted(text, "wo three\n\nfou", "note") == (text.index("wo"), text.index("r.\n"))


@pytest.mark.parametrize(
    ("passage", "line"),
    [("## Plan", "## Plan"), ("## Plan for summer", "## Plan for summer"), ("# Plan", "## Plan")],
)
def test_a_heading_is_told_from_the_lines_that_begin_with_it(passage: str, line: str) -> None:
    for find in (find_exact, find_quoted):
        start, end = find(PLANS, passage, "Trip")
        assert PLANS[PLANS.rindex("\n", 0, start) + 1 : PLANS.index("\n", start)] == line
        assert PLANS[start:end] == passage


def test_a_heading_that_is_there_twice_is_refused() -> None:
    with pytest.raises(NoPassage, match="2 times in 'Trip', at lines 1, 3"):
        find_exact("## Plan\n\n## Plan\n", "## Plan", "Trip")


@pytest.mark.parametrize(
    ("passage", "nearest"),
    [
        ("Sentence 300 says that item 2100 was sold.", "line 7: 'Sentence 300 says that item 2100"),
        ("In short, item 2121 was bought", "line 7: 'says that item 2121 was bought. "),
        ("Sentence 300 says that item 2100 was bought. Sentence 301 has", "line 7: 'item 2100 was bought. Sentence"),
        ("Summer plan", "line 5: '## Plan for summer'"),
        ("### Nights", "line 9: '### Plan for summer nights'"),
    ],
)  # fmt: skip
def test_the_nearest_text_is_a_heading_or_inside_of_a_long_line(passage: str, nearest: str) -> None:
    for find in (find_exact, find_quoted):
        with pytest.raises(NoPassage) as told:
            find(PLANS, passage, "Trip")
        assert f"The nearest text is {nearest}" in str(told.value)


@pytest.mark.parametrize(
    ("passage", "says"),
    [
        ("# Trip\n\nThe plans.", "It begins like line 1, but line 3 is 'The plan.', not 'The plans.'."),
        ("The plan.\n## Plan", "It begins like line 3, but line 4 is '', not '## Plan'."),
        ("The plan.\n\n  ## Plan for summer", "It is like the text from line 3, but for the blanks."),
        ("## Plan\n\nMore", "It begins like line 11, but line 13 is '', not 'More'."),
    ],
)
def test_the_first_line_that_differs_is_told(passage: str, says: str) -> None:
    with pytest.raises(NoPassage) as told:
        find_exact(PLANS, passage, "Trip")
    assert says in str(told.value)


def test_the_middle_of_a_passage_inside_of_a_line_may_be_left_out() -> None:
    start, end = find_quoted(LONG, "Sentence 7 says\n...\nitem 63 was bought.", "Trip")
    assert LONG[start:end].startswith("Sentence 7 says that item 49 was bought. Sentence 8")
    assert LONG[start:end].endswith(" Sentence 9 says that item 63 was bought.")
