"""The blocks of a body: items, headings and rules, as the parser of links sees them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkmem.markdown.sections import Outline
from zkmem.records.blocks import parsed, scan

LINES = st.sampled_from([
    "- a", "* b", "+ c", "-", "-  two", " - in", "  - deep", "    - deeper", "1. one", "2) two", "- - n", "- [ ] t",
    "- [[x]]", "- 2. x", '- "q"', "- _x_", "* _ _", "- ---", "---", "- - -", "***", "===", "", " ", "\t", "text",
    "  more", "    code", "# H", "## H ##", "# _h_", "#", "### x\u00a0", "```", "~~~~", "- ```", "<!-- c", "-->",
    "<div>", "%%", "%% c %%", "- x %%", "> - q", "> # q", "[^1]: f", "    - in f", "[r]: x", "| a |", "- a\r", "\r",
    "x\r- y", "é", "- \u00e9", "\udc80", "$$", "- $$",
])  # fmt: skip
BODIES = st.one_of(st.lists(LINES, max_size=9).map("\n".join), st.text(max_size=40))


@given(BODIES)
def test_a_plain_body_has_the_blocks_that_the_parser_finds(body: str) -> None:
    assert scan(body)._replace(is_plain=False) == parsed(body)


@given(BODIES)
def test_every_block_has_lines_of_its_own(body: str) -> None:
    blocks = scan(body)
    starts = [*(one.line for one in blocks.headings), *blocks.rules, *(item.start for item in blocks.items)]
    assert len(set(starts)) == len(starts)
    assert "\n".join(blocks.lines) == body
    inside = [number for item in blocks.items for number in item.lines]
    assert len(set(inside)) == len(inside)
    assert not {*inside} & {*(one.line for one in blocks.headings), *blocks.rules}
    assert {item.start for item in blocks.items} <= blocks.entries


@given(BODIES.filter(lambda body: "\r" not in body))
def test_the_headings_are_those_that_links_can_lead_to(body: str) -> None:
    linked = [(one.level, one.raw) for one in Outline(body.encode(errors="replace")).headings]
    found = [(one.level, one.text) for one in scan(body.encode(errors="replace").decode()).headings]
    rest = iter(linked)  # those in a list or a quote are not in `found`
    assert all(one in rest for one in found)


@pytest.mark.parametrize(
    ("body", "items", "headings", "rules"),
    [
        ("- a\n- b\n\t- child\n\n  more\n\n- c\n", ["a", "b\n- child\n\nmore", "c"], [], []),
        ("- a\nlazy\n\nno\n", ["a\nlazy"], [], []),
        (" - a\n", ["a"], [], []),
        ("    - code\n", [], [], []),
        ("- a\n<div>\n- html\n\n- b\n", ["a", "b"], [], []),
        ("<script>\n- html\n\n- html\n</script>\n- b\n", ["b"], [], []),
        ("> - quoted\n\n1. numbered\n   - inner\n", [], [], []),
        ("- a\n%%\n- hidden\n# hidden\n\n---\n%%\n\n- b\n", ["a", "b"], [], []),
        ("Title\n===\nOther\n---\n\n---\n- a\n---\n", ["a"], [(0, 1, "Title"), (2, 2, "Other")], [5, 7]),
        ("text\n-\n", [], [(0, 2, "text")], []),  # underlined with one mark
        ("    code\n---\n", [], [], [1]),  # nothing to underline
        ("1. one\n---\n", [], [], [1]),
        ("## A ##\n- # in an item\n", ["# in an item"], [(0, 2, "A")], []),
        ("```\n# no\n- no\n---\n```\n# yes", [], [(5, 1, "yes")], []),
        ("-\n\n  no part of an empty item\n", [""], [], []),
    ],
)
def test_blocks(body: str, items: list[str], headings: list[tuple[int, int, str]], rules: list[int]) -> None:
    blocks = scan(body)
    assert [item.text for item in blocks.items] == items
    assert [tuple(heading) for heading in blocks.headings] == headings
    assert blocks.rules == rules


def test_an_entry_is_the_line_of_an_item_of_any_list() -> None:
    assert scan("- a\n  - b\n\n1. c\n   d\n> - e\n\n    - code\n").entries == {0, 1, 3, 5}
