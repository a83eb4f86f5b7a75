"""Choose the passage that a search shows."""

import pytest

from zkmem.search.snippet import snippet


@pytest.mark.parametrize(("text", "word"), [("n" * 400 + "\n\nOne n.", "n"), ("n\u0301" * 400 + " One ń.", "n")])
def test_a_word_is_not_found_within_a_longer_one(text: str, word: str) -> None:
    assert snippet(text, [word]).endswith(text[-6:])


def test_a_long_word_that_does_not_fit_is_shown_in_part() -> None:
    assert snippet(f"{'a' * 300} {'n' * 300} {'b' * 300}", ["n" * 300]) == f"…{'n' * 138}…"
