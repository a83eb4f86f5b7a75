"""No text makes a function slow that looks at the headings of a note."""

import pytest

from tests.tools.growth import growth
from zkmem.markdown.sections import Outline
from zkmem.recall.choices import headings

UNITS = ["# a\n", "## a\n\n", "a\n=\n", "a\n-\n", "# a\n## a\n", "#\n", "# [[a]]\n", "- # a\n", "> # a\n"]


@pytest.mark.parametrize("unit", UNITS)
def test_headings_of_one_text(unit: str) -> None:
    assert growth(lambda text: headings(text.encode(), "", 10), unit) <= 6
    assert growth(lambda text: Outline(text.encode()).heading("#a#a#a#b"), unit) <= 6
