"""Fields of a section: what is set, and what stays byte for byte."""

import pytest

from zkmem.toolsets.text.write import count_up, set_field


@pytest.mark.parametrize(
    ("there", "after"),
    [
        ("- Trust: 75/100", "- Trust: 80/100"),
        ("- Trust: 75/100 (since May)", "- Trust: 80/100 (since May)"),
        ("- **Trust:** 75/100", "- **Trust:** 80/100"),
        ("- **Trust**: 75/100", "- **Trust**: 80/100"),
        ("- __trust__ :  75 / 100, since May", "- __trust__ :  80/100, since May"),
        ("- **Trust: 75/100**", "- **Trust: 80/100**"),
        ("- **Trust: high**", "- **Trust: 80/100**"),
        ("- Trust: **75/100** of late", "- Trust: **80/100** of late"),
        ("- Trust：75/100（五月）", "- Trust：80/100（五月）"),
        ("- Trust: 7.5/10 (roughly)", "- Trust: 80/100 (roughly)"),
        ("- Trust: 75 % or so", "- Trust: 80/100 or so"),
        ("- Trust: 7-8/10", "- Trust: 80/100"),
        ("- Trust: 75th of all", "- Trust: 80/100"),
        ("- Trust: 1,000", "- Trust: 80/100"),
        ("- Trust: high", "- Trust: 80/100"),
        ("- Trust:", "- Trust: 80/100"),
        ("- Trust: 75/100\n  since May", "- Trust: 80/100\n  since May"),
        ("- Trust: high\n  since May\n\tand so\n  - item\n", "- Trust: 80/100\n  - item\n"),
        ("- Trust: high  \n  since May  \n\n  more\n", "- Trust: 80/100  \n\n  more\n"),
        ("- Trust: high\nmore\n", "- Trust: 80/100\nmore\n"),
        ("- Ann\n  - Trust: 5/100\n- Trust: 75/100\n", "- Ann\n  - Trust: 5/100\n- Trust: 80/100\n"),
        ("```\n- Trust: 5/100\n```\n- Trust: 75/100\n", "```\n- Trust: 5/100\n```\n- Trust: 80/100\n"),
    ],
)
def test_a_number_is_set(there: str, after: str) -> None:
    assert set_field(f"# T\n\n## Status\n{there}", "status", "Trust", "80/100") == f"# T\n\n## Status\n{after}"


def test_a_text_is_set_with_the_lines_that_go_on_with_it() -> None:
    text = "## Mood\n- Notes: one\n  two\n- Status: 5 of 7 [[link]]\n\n## Else\n- Notes: three\n"
    after = "## Mood\n- Notes: x\n- Status: happy\n\n## Else\n- Notes: three\n"
    assert set_field(set_field(text, "Mood", "Notes", "x"), "Mood", "Status", "happy") == after


def test_what_is_missing_is_added() -> None:
    assert set_field("## Mood\n- Status: happy", "Mood", "Notes", "x") == "## Mood\n- Status: happy\n- Notes: x\n"


@pytest.mark.parametrize(
    ("there", "after"),
    [
        ("- Total: 42", "- Total: 43"),
        ("- **Total:** 42 (since 2020)", "- **Total:** 43 (since 2020)"),
        ("- Total: **42**", "- Total: **43**"),
        ("- Total: 1,234", "- Total: 1,234"),
        ("- Total: 4.2", "- Total: 4.2"),
        ("- Total: many", "- Total: many"),
        ("- Total:", "- Total: 1"),
        ("- Else: 1\n", "- Else: 1\n- Total: 1\n"),
    ],
)
def test_a_number_is_counted_up(there: str, after: str) -> None:
    assert count_up(f"## Status\n{there}", "Status", "Total") == f"## Status\n{after}"
