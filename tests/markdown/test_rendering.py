"""A note's text as HTML: one case for each construct, hostile texts, and the work for very large ones."""

import os
import re
from html import escape
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.markdown.test_html import HOSTILE, assert_harmless
from tests.tools.counts import calls_of
from zkmem.markdown.html import Anchor, Kind, Renderer
from zkmem.markdown.links import body_links
from zkmem.markdown.sections import Outline
from zkmem.markdown.tags import inline_tags

CASES = Path(__file__).parents[1] / "cases" / "rendering"
KINDS: dict[str, Kind] = {"png": "image", "mp3": "file"}


def rendered(text: str) -> str:
    """The HTML of a text from its first line on. Its links lead to notes or files of the names that they have."""
    renderer, body = Renderer(), text.encode()
    links = [(one, Anchor(KINDS.get(one.target[-3:], "note"), one.target)) for one in body_links(body)]
    return renderer.finished(renderer.part(body, links, 0))


def in_order(page: str) -> str:
    """The page with the attributes of each tag in alphabetical order: the sanitiser writes some in any order."""

    def tag(match: re.Match[str]) -> str:
        return "".join([match[1], *sorted(re.findall(r' [a-z-]+="[^"]*"', match[2])), ">"])

    return re.sub(r'(<[a-z][a-z0-9]*)((?: [a-z-]+="[^"]*")+)>', tag, page)


@pytest.mark.parametrize("case", sorted(one.stem for one in CASES.glob("*.md")))
def test_a_construct_is_rendered_as_its_case_says(case: str) -> None:
    got = in_order(rendered((CASES / f"{case}.md").read_text("utf-8")))
    assert_harmless(got)
    expected = CASES / f"{case}.html"
    if os.environ.get("ZKMEM_NEW_CASES"):
        expected.write_text(got, "utf-8")
    assert got == expected.read_text("utf-8")


def test_every_case_has_both_files() -> None:
    stems = [[one.stem for one in sorted(CASES.glob(f"*.{ending}"))] for ending in ("md", "html")]
    assert stems[0] == stems[1]


PIECES = st.sampled_from([
    "==", "%%", "^[", "]", "[", "> [!note]- ", "> ", "\n", "\n\n", "#tag ", " ^id", "- [ ] ", "- [-] ", "[^1]",
    "[^1]: ", "https://e.example/a", "*", "**", "`", "$", "| a |\n|---|\n| ", "# ", "![a|1](p.png)", "![[p.png|2x3]]",
    "\\", "x",
    "&#61;", "~~", "<b>", "</b>", "![", "](u)", "日", "\0",
])  # fmt: skip


@given(st.lists(PIECES | st.sampled_from(HOSTILE), max_size=14).map("".join))
@settings(max_examples=200)
def test_no_mixture_of_constructs_acts_or_loses_its_text(text: str) -> None:
    got = rendered(f"first\n\n{text}")
    assert_harmless(got)
    assert "first" in got


@given(st.lists(PIECES, max_size=14).map("".join))
@settings(max_examples=200)
def test_tags_and_headings_are_those_that_the_index_and_the_links_have(text: str) -> None:
    got, body = rendered(text), text.encode()
    if "%%" in text:  # the index has the tags in comments; a page does not show them
        return
    assert set(re.findall(r'data-tag="([^"]*)"', got)) <= set(inline_tags(body))
    if "|" not in text:  # the scanner sees no tables
        keys = [escape(one.text.replace("\0", "\ufffd")) for one in Outline(body).headings]
        assert re.findall(r'data-heading="([^"]*)"', got) == keys


MARKS = [
    "==", "==a ", "%%", "%% ", "%%a\n\n", "^[", "^[a]", "^[*", "[", "> [!note]\n", "> [!note] a\n> b\n\n", "#a ", "#a",
    " ^a", "^a\n\n", "- [ ] a\n", "- [-] a\n", "[^1]", "[^1]: a\n\n", "https://a", "https://a ", "https://", "~~==",
    "*==a ",
    "![a|1]", "\\==", "&#61;", "| a ", "|-|\n", "> ", "> > [!a] ", "- ", "# [!a]\n", ")", "https://e.e/((",
    "https://e.e/" + "." * 50,
]  # fmt: skip


@pytest.mark.parametrize("marks", MARKS)
def test_the_work_for_many_marks_grows_as_their_number(marks: str) -> None:
    few, many = marks * 1_000, marks * 2_000
    base = calls_of(lambda: rendered("a"))
    calls = [calls_of(lambda text=text: rendered(text)) - base for text in (few, many)]  # type: ignore[misc]
    assert calls[1] < 2.2 * calls[0] + 500


@pytest.mark.parametrize(
    "marks", ["==a", "%% a", "^[a ", "> [!note]- ", "> [!a]\n", "#a ", "- [ ] ", "[^1]", "https://a ", "> "]
)
def test_twenty_thousand_marks_are_shown_in_reasonable_size(marks: str) -> None:
    text = marks * (20_000 // (1 if len(marks) < 5 else 2))
    got = rendered(text)
    assert_harmless(got[:10_000])
    assert len(got) < 30 * len(text)
