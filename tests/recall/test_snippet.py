"""Choose the passage that a search shows, quickly for every text and word."""

import pytest

from tests.tools.growth import growth
from zkmem.recall.snippet import snippet
from zkmem.util.words import terms

UNITS = ["n", "ab ", "a_", "1", "字", "字 ", "n\u0301", "\u0301", "か\u3099", "한", "ا", "\n", ". ", "#", "[[a]]", "_"]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("length", [1, 60, 255])
def test_the_time_grows_with_the_length_of_the_text_only(unit: str, length: int) -> None:
    """A hash, a key or an encoded picture is one long word. A word of the query may be at each of its letters."""
    word = (unit * length)[:length]
    words = terms(word) or ["n"]
    assert growth(lambda text: snippet(f"{text}\n\n{word}\n", words), unit) <= 6
    assert growth(lambda text: snippet(text, terms(text)), unit) <= 6


@pytest.mark.parametrize(("text", "word"), [("n" * 400 + "\n\nOne n.", "n"), ("n\u0301" * 400 + " One ń.", "n")])
def test_a_word_is_not_found_within_a_longer_one(text: str, word: str) -> None:
    assert snippet(text, [word]).endswith(text[-6:])


def test_a_long_word_that_does_not_fit_is_shown_in_part() -> None:
    assert snippet(f"{'a' * 300} {'n' * 300} {'b' * 300}", ["n" * 300]) == f"…{'n' * 138}…"
