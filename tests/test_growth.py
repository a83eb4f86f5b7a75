"""No text that is repeated takes a function more time than its length explains."""

import pytest

from tests.tools.growth import FUNCTIONS, MOST, growth, texts


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_time_grows_with_the_length_of_the_text_only(name: str) -> None:
    grown = {text: growth(FUNCTIONS[name], *text) for text in texts()}
    assert {text: times for text, times in grown.items() if times > MOST} == {}
