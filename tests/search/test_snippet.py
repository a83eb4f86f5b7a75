"""Choose the passage that a search shows."""

import pytest

from zkmem.search.snippet import note_snippet, snippet


def table(count: int) -> str:
    rows = [f"| row {number} of many things | {number} |\n" for number in range(count)]
    return "".join(["text\n\n| what | how |\n|:--|--:|\n", *rows, "| **tea** | 80 \\| 90 °C |\n", *rows])


@pytest.mark.parametrize(("text", "word"), [("n" * 400 + "\n\nOne n.", "n"), ("n\u0301" * 400 + " One ń.", "n")])
def test_a_word_is_not_found_within_a_longer_one(text: str, word: str) -> None:
    assert snippet(text, [word]).endswith(text[-6:])


def test_a_long_word_that_does_not_fit_is_shown_in_part() -> None:
    assert snippet(f"{'a' * 300} {'n' * 300} {'b' * 300}", ["n" * 300]) == f"…{'n' * 138}…"


@pytest.mark.parametrize(
    ("text", "words", "passage"),
    [
        ("# A *title*\n\n- [ ] one **tea**\n- see [[x/y|the note]]\n", ["tea"], "A title one tea see the note"),
        ("x\n\n" * 300 + "A [tea](https://example.org) `pot`.\n" + "y\n\n" * 300, ["tea"], "A tea pot."),
        ("w " * 900 + "**tea**" + " w" * 900, ["tea"], " w tea w "),
        ('---\nup: "[[tea|Green tea]]"\nlist:\n  - "[[a]]"\n  - tea\n---\nz\n', ["tea"], "up: Green tea list: a, tea"),
        ("---\nsize: 3\n---\nThe **name** matched.\n", ["tea"], "The name matched."),
        (table(300), ["tea"], "row 299 of many things 299 tea 80 | 90 °C row 0 of many things"),
        (table(2_000).replace("\n", "\n> "), ["tea"], "row 1999 of many things 1999 tea 80 | 90 °C row 0"),
        ("w | x\n-|-\n" + "y | z\n" * 100 + "tea | 80\n", ["tea"], "y z tea 80"),
        (f"w | x\n-|{'-' * 100}\ntea | 80\n", ["tea"], "…tea 80"),
        ("a or | b\n" * 100 + "tea | 80\n", ["tea"], "a or | b tea | 80"),
        ("%% only tea in a comment %%\n", ["tea"], "%% only tea in a comment %%"),
        ("<script>tea</script>\n\n**after**\n", ["tea"], "after"),
    ],
)
def test_a_passage_for_a_person_has_no_marks(text: str, words: list[str], passage: str) -> None:
    shown = note_snippet(text.encode(), words, (), rendered=True)
    assert passage in shown
    assert len(shown) <= 210
    assert "**" not in shown
