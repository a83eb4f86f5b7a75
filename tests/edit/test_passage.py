"""Find quoted passages in a note."""

from zkmem.edit.passage import find_quoted


def test_other_white_space_is_found_between_words_and_within_them() -> None:
    text = "One two\n\tthree  four.\n"
    assert find_quoted(text, "wo three\n\nfou", "note") == (text.index("wo"), text.index("r.\n"))
