"""Functions that read the headings of a note are quick for every text."""

import pytest

from tests.tools.growth import growth
from zkmem.markdown.sections import Outline
from zkmem.recall.choices import headings

UNITS = ["# a\n", "## a\n\n", "a\n=\n", "a\n-\n", "# a\n## a\n", "#\n", "# [[a]]\n", "- # a\n", "> # a\n"]


@pytest.mark.parametrize("unit", UNITS)
def test_the_time_for_headings_grows_no_faster_than_the_note(unit: str) -> None:
    assert growth(lambda text: headings(text.encode(), "", 10), unit) <= 6
    assert growth(lambda text: Outline(text.encode()).heading("#a#a#a#b"), unit) <= 6


def test_a_heading_after_very_many_of_another_text_is_offered() -> None:
    assert [one.written for one in headings(b"# a\n" * 2_000 + b"# ab\n", "a", 10)] == ["a", "ab"]
