"""Find quoted passages, in any note without long waits."""

import contextlib

import pytest

from tests.tools.growth import growth
from zkmem.edit.passage import find_exact, find_quoted
from zkmem.errors import NoPassage

UNITS = ["n", "ab ", "a\n", "a\n\n", "# a\n", "字 ", "  ", "\n...\n", "n\u0301 "]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("end", ["", "Z", "\n...\nZ"])
def test_the_time_grows_with_the_length_of_note_and_passage_only(unit: str, end: str) -> None:
    def find(text: str) -> None:
        passage = text[: len(text) // 2] + end
        for way in (find_exact, find_quoted):
            with contextlib.suppress(NoPassage):
                way(text, passage, "note")

    assert growth(find, unit) <= 6


def test_other_white_space_is_found_between_words_and_within_them() -> None:
    text = "One two\n\tthree  four.\n"
    assert find_quoted(text, "wo three\n\nfou", "note") == (text.index("wo"), text.index("r.\n"))
