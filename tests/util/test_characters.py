"""Texts with characters that set the direction of writing."""

from hypothesis import given
from hypothesis import strategies as st

from zkmem.util.characters import closed

STARTS, ENDS = "\u202a\u202b\u202d\u202e\u2066\u2067\u2068", "\u202c\u2069"


@given(st.text(alphabet=f"ab{STARTS}{ENDS}", max_size=12))
def test_each_direction_ends_in_a_closed_text_and_no_letter_is_lost(text: str) -> None:
    shown = closed(text)
    open_ones: list[str] = []
    for letter in shown:
        if letter in STARTS:
            open_ones.append(letter)
        elif letter in ENDS:
            assert (open_ones.pop() in "\u2066\u2067\u2068") == (letter == "\u2069")
    assert open_ones == []
    assert [one for one in shown if one not in ENDS] == [one for one in text if one not in ENDS]
    assert closed(shown) == shown


def test_a_text_without_directions_stays() -> None:
    assert closed("a (b) \u200e \u05d0") == "a (b) \u200e \u05d0"
