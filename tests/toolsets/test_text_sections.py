"""Sections of a text, and additions to them: pure, for every text."""

import sys
from collections.abc import Callable
from itertools import takewhile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zkmem.errors import BadArgument
from zkmem.markdown.note import write_text
from zkmem.markdown.properties import changed
from zkmem.records.pages import Page
from zkmem.toolsets.text.append import clean_title, closed, merged, points
from zkmem.toolsets.text.sections import fact_in, split

LINES = st.sampled_from([
    "# Title", "## A", "## B ##", "##", "### deep", "### Two", "#### deep", " ###### deep", "  ### in",
    "## a # #", "- x", "- y", "  - z", "    ## code", "", " ", "text", "more",
    "```", "```py", "~~~~", "  ```", "<!--", "-->", "<!-- one -->", "%%", "%% note %%", "| a | b |", "\tx", "1. one",
    " ## A", "\x0b", "é", "a\r", "---", "\\# no", "#tag", "  ", "- [[link]]",
])  # fmt: skip
TEXTS = st.one_of(
    st.lists(LINES, max_size=14).map("\n".join),
    st.lists(LINES, max_size=14).map(lambda found: "".join(line + "\n" for line in found)),
    st.text(max_size=60),
)


def common(one: str | bytes, other: str | bytes) -> int:
    """How long the beginning is that both have."""
    return next((at for at in range(len(one)) if one[at : at + 1] != other[at : at + 1]), len(one))


@given(TEXTS)
def test_the_sections_make_up_the_text(text: str) -> None:
    assert "".join(section.text for section in split(text)) == text


@given(TEXTS, TEXTS, st.sampled_from(["A", "New", None]))
def test_what_was_added_once_is_there(text: str, content: str, section: str | None) -> None:
    once = merged(text, content, section)
    assert merged(once, content, section) == once


@given(TEXTS, st.lists(LINES.filter(lambda line: not line.lstrip().startswith("#")), max_size=8).map("\n".join))
def test_additions_leave_every_other_character_as_it_is(text: str, content: str) -> None:
    after = merged(text, content, "A")
    assert after.endswith(text[common(text, after) :])
    assert len(after) >= len(text)


@given(TEXTS, TEXTS)
def test_every_line_of_an_addition_is_in_its_section(text: str, content: str) -> None:
    after = merged(text, points(content), "New")
    wanted = {line.strip() for line in points(content).split("\n") if line.strip()}
    found = {line.text.strip() for one in split(after) if one.title.casefold() == "new" for line in one.below}
    assert wanted <= found


@given(TEXTS)
def test_points_hold_no_heading_and_leave_no_block_open(text: str) -> None:
    found = points(text)
    assert all(not section.level for section in split(found))
    assert closed(found) in {found, found + "\n"}


SUB = st.lists(st.sampled_from(["### Ann", "### Bob", "#### Bob", "###### Cy", "- tea", "- rum", ""]), max_size=8)


def below_headings(text: str) -> set[tuple[str, ...]]:
    """The lines of a text, each with the headings that it is below."""
    found, path = set(), [""]
    for line in filter(None, text.split("\n")):
        if line.startswith("#"):
            level = line.index(" ")
            path = [one for one in path if one.find(" ") < level] + [line]
        found.add((*path, line))
    return found


@given(SUB.map("\n".join), SUB.map("\n".join))
def test_every_line_of_an_addition_is_below_its_deeper_heading(there: str, content: str) -> None:
    text = f"# T\n\n## A\n{there}\n\n## Z\n- end\n"
    after = merged(text, content, "A")
    wanted = below_headings(f"# T\n## A\n{content}") | below_headings(text)
    assert below_headings(after) == wanted


FACTS = st.sampled_from([
    "- Home: Shanghai", "- Home: Tokyo", "Home: Kyoto", "- **Home:** Oslo", "- home: x", "- Age: 3", "- Age: 4",
    "  - Age: 5", "  more", "- plain", "", "### Ann", "## B", "- https://x", "- 12:30 tea", "```", "* Home：京都",
    "- **Home: Bonn**", "\x0b- Home: x", "- **: y", "-  : z",
])  # fmt: skip
FACT_TEXTS = st.lists(FACTS, max_size=10).map("\n".join)


@given(FACT_TEXTS, FACT_TEXTS, st.sampled_from(["A", "B", None]))
def test_facts_that_were_set_once_are_set(text: str, content: str, section: str | None) -> None:
    once = merged(text, content, section, by_key=True)
    assert merged(once, content, section, by_key=True) == once


@pytest.mark.parametrize(
    ("text", "content", "after"),
    [
        # one fact in several forms
        ("* Home：京都\n", "- Home: Rome", "* Home：Rome\n"),
        ("- **Home:** Rome\n- Home: Oslo\n", "- home: Rome", "- **Home:** Rome\n- Home: Oslo\n"),
        # a list whose values are in several parts of what is added
        ("- Age: 3\n", "- Age: 3\n- Age: 3\n## B\n- Age: 4", "- Age: 3\n- Age: 4\n"),
        ("- Home: a\n", "- Home: b\n## C\n## B\n- Home: c", "- Home: a\n- Home: b\n- Home: c\n\n## C\n"),
        ("### D\n- Age: 3\n", "### D\n- Age: 4\n### D\n- Age: 5", "### D\n- Age: 3\n- Age: 4\n- Age: 5\n"),
    ],
)  # fmt: skip
def test_facts_in_other_forms_and_in_several_parts_are_set_once(text: str, content: str, after: str) -> None:
    assert merged(f"## B\n{text}", content, "B", by_key=True) == f"## B\n{after}"
    assert merged(f"## B\n{after}", content, "B", by_key=True) == f"## B\n{after}"


@given(FACT_TEXTS, FACTS.filter(lambda line: fact_in(line) is not None and line[0] != " "))
@example("- Home: Shanghai\n```\n### Ann\n```\n- Home: Shanghai", "- Home: Tokyo")
def test_a_key_that_stood_once_stands_once_and_with_the_new_value(text: str, new: str) -> None:
    def facts(text: str) -> list[tuple[str, str]]:
        below = next((one.below for one in split(text) if one.title == "A"), ())
        heads = takewhile(lambda line: line.inside or not line.text.startswith("#"), below)
        return [found for line in heads if not line.inside and line.text[0] != " " and (found := fact_in(line.text))]

    there = f"## A\n{text.lstrip()}\n"  # an indented first line is a fact, others belong to the line above
    key, value = fact_in(new) or ("", "")
    before, after = facts(there), facts(merged(there, new, "A", by_key=True))
    if [one for one, _ in before].count(key) == 1:
        assert [one for one in after if one[0] == key] == [(key, value)]
    assert [one for one in after if one[0] != key] == [one for one in before if one[0] != key]


def test_lines_without_facts_are_merged_alike_by_key() -> None:
    text, content = "## A\n- x\n", "- 12:30 tea\n- https://x\n- She said, loudly: no\n"
    assert merged(text, content, "A", by_key=True) == merged(text, content, "A")


@pytest.mark.parametrize(
    ("text", "content", "after"),
    [
        ("- Location: Shanghai\n", "- Location: Tokyo", "- Location: Tokyo\n"),
        ("- Location: Shanghai\n", "Location: Tokyo", "- Location: Tokyo\n"),
        ("Location: Shanghai\n", "- location: Tokyo", "Location: Tokyo\n"),
        ("- J\n- **Location:** Shanghai\n\n- x\n", "- Location: Tokyo", "- J\n- **Location:** Tokyo\n\n- x\n"),
        ("- Home: a\n  going on\n  - since May\n\n", "- Home: b\n- Age: 3", "- Home: b\n  - since May\n- Age: 3\n\n"),
        ("- Home: a\n  - since May\n", "- Home: b\n  - since June", "- Home: b\n  - since June\n"),
        ("- Home: a\n### Ann\n- Home: b\n", "### Ann\n- Home: c", "- Home: a\n### Ann\n- Home: c\n"),
        ("- Phone: 1\n- Phone: 2\n", "- Phone: 3", "- Phone: 1\n- Phone: 2\n- Phone: 3\n"),
        ("- Phone: 1\n", "- Phone: 1\n- Phone: 2", "- Phone: 1\n- Phone: 2\n"),
        ("- x\n  - Home: a\n", "- Home: b", "- x\n  - Home: a\n- Home: b\n"),
        ("```\nHome: a\n```\n", "- Home: b", "```\nHome: a\n```\n\n- Home: b\n"),
        ("- **Home: a**\n", "- **Home: b**", "- **Home: b**\n"),
        ("- 地点：上海\n", "- 地点：东京", "- 地点：东京\n"),
    ],
)  # fmt: skip
def test_facts_by_key(text: str, content: str, after: str) -> None:
    end = "\n## B\n- Location: Rome\n- Home: Rome\n"
    assert merged(f"## A\n{text}{end}", content, "A", by_key=True) == f"## A\n{after}{end}"


@pytest.mark.parametrize("heading", ["", "## A\n", "### P{}\n"])
def test_many_facts_cost_as_much_as_they_are_many(heading: str) -> None:
    def work(many: int) -> int:
        def content(value: str) -> str:
            return "".join(f"{heading.format(number)}- b{number}: {value}\n" for number in range(many))

        text = merged("# T\n\n## A\n", content("old"), "A")
        return calls(lambda: merged(text, content("new"), "A", by_key=True))

    assert work(400) < work(100) * 5


def calls(work: Callable[[], object]) -> int:
    """How many functions are called in some work."""
    count = 0

    def called(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("heading", ["## P{}", "### P{}", "## A\n### P{}", "## A"])
def test_many_sections_cost_as_much_as_they_are_many(heading: str) -> None:
    def work(many: int) -> int:
        content = "".join(f"{heading.format(number)}\n- b{number}\n" for number in range(many))
        return calls(lambda: merged("# T\n\n## A\n- a\n", content, "A"))

    assert work(400) < work(100) * 5


HEADS = st.sampled_from(
    ["", "---\n---\n", "---\na:  1 # x\n---\n", "---\n", "---\na: 1\n---", "\ufeff", "---\n- x\n---\n"]
)


@given(HEADS, TEXTS, st.sampled_from(["\n", "\r\n"]), LINES.filter(lambda line: line != "---" and "#" not in line))
def test_additions_leave_every_other_byte_of_a_note_as_it_is(head: str, text: str, end: str, content: str) -> None:
    data = (head + text).replace("\n", end).encode(errors="replace")
    page = Page("a.md", data)
    if page.text.text.startswith("\ufeff"):
        return  # a second byte order mark
    assert write_text(changed(page.text, {}, page.body), page.text) == data
    after = write_text(changed(page.text, {}, merged(page.body, content, "A")), page.text)
    assert after.endswith(data[common(data, after) :])


@pytest.mark.parametrize(
    ("text", "content", "after"),
    [
        ("", "- x", "## A\n- x\n"),
        ("# T\n\n## A\n- x\n\n## B\n- z\n", "- x\n- y", "# T\n\n## A\n- x\n- y\n\n## B\n- z\n"),
        ("## A\n- x", "  - x", "## A\n- x"),
        ("## A\n- x", "y", "## A\n- x\n\ny\n"),
        ("## A\n\n## B\n", "- x", "## A\n- x\n\n## B\n"),
        ("## A\n```\n## B\n", "- x", "## A\n```\n## B\n```\n\n- x\n"),
        ("```\n## A\n```\n", "- x", "```\n## A\n```\n\n## A\n- x\n"),
        ("## a\n- x\n  - z\n", "- y\n  - z", "## a\n- x\n  - z\n- y\n  - z\n"),
        ("## A\n- x\n", "## A\n- y\n## B\n- z\n# C\n- c", "## A\n- x\n- y\n\n## B\n- z\n\n## C\n- c\n"),
        ("## A\n- x\n", "```\nopen", "## A\n- x\n\n```\nopen\n```\n"),
        ("## A\n```\n}\n```\n", "```\n{\n}\n```", "## A\n```\n}\n```\n\n```\n{\n}\n```\n"),
        ("## A\n| a |\n", "| b |", "## A\n| a |\n| b |\n"),
        ("## A\n- x\n", "## A\n    ## B", "## A\n- x\n\n\\## B\n"),
        ("## A\n- x\n  - y\n    - z\n  - w\n", "- x\n  - w\n    - z",
         "## A\n- x\n  - y\n    - z\n  - w\n- x\n  - w\n    - z\n"),
        ("## A\n- x\n  - y\n    - z\n", "- x\n    - y\n        - z", "## A\n- x\n  - y\n    - z\n"),
        ("## A\n- x\n  ```\n  a\n  b\n  ```\n", "- x\n  ```\n  b\n  a\n  ```",
         "## A\n- x\n  ```\n  a\n  b\n  ```\n- x\n  ```\n  b\n  a\n  ```\n"),
        ("## A\n### a\n- x\n### b\n- y\n", "### b\n- x", "## A\n### a\n- x\n### b\n- y\n- x\n"),
        ("## A\n### a\n- x\n\n### b\n", "### A\n- y", "## A\n### a\n- x\n- y\n\n### b\n"),
        ("## A\n### a\n- x\n\n## B\n", "- y\n### b\n- z", "## A\n- y\n### a\n- x\n\n### b\n- z\n\n## B\n"),
        ("## A\n### a\n- x\n", "#### b\n- y", "## A\n#### b\n- y\n### a\n- x\n"),
        ("### a\n- x\n", "- y\n## N\n### b\n- y\n### c", "### a\n- x\n\n## A\n- y\n\n## N\n### b\n- y\n### c\n"),
        ("## A\n```\n  ", "### a\n# B", "## A\n```\n```\n\n### a\n  \n## B\n"),
        ("## A\n- x\n", "# Big", "## A\n- x\n\n## Big\n"),
        ("## A\n- x\n", "## Big\n## A", "## A\n- x\n\n## Big\n"),
    ],
)  # fmt: skip
def test_additions(text: str, content: str, after: str) -> None:
    assert merged(text, content, "A") == after


TITLED = st.lists(FACTS | st.just("# T"), max_size=10).map("\n".join)


@given(TITLED, TITLED, st.sampled_from(["A", "B"]), st.booleans())
def test_no_line_for_a_section_goes_above_it(text: str, content: str, section: str, by_key: bool) -> None:
    there = closed(f"# T\n{text}")
    once = merged(there, content, section, by_key=by_key)
    assert merged(once, content, section, by_key=by_key) == once
    assert split(once)[0].text.rstrip() == split(there)[0].text.rstrip()


@pytest.mark.parametrize("by_key", [False, True])
@pytest.mark.parametrize(
    ("text", "content", "after"),
    [
        ("# T\n\n## A\n- x\n", "# T\n\n- y", "# T\n\n## A\n- x\n- y\n"),
        ("# T\n\n## A\n- x\n", "# t #\n- y\n## B\n- z", "# T\n\n## A\n- x\n- y\n\n## B\n- z\n"),
        ("# T\n\n## A\n- x\n", "# T\n### D\n- y", "# T\n\n## A\n- x\n\n### D\n- y\n"),
        ("# T\n\n## A\n- x\n", "# T\n\n## A\n- y", "# T\n\n## A\n- x\n- y\n"),
        ("# T\n\n## B\n- x\n", "# T\n- y", "# T\n\n## B\n- x\n\n## A\n- y\n"),
        ("# T\n\n## B\n- x\n", "# T\n## B\n- y", "# T\n\n## B\n- x\n- y\n"),
        ("# T\n\n## B\n- x\n", "# T", "# T\n\n## B\n- x\n"),
        ("# T\n- Age: 3\n## A\n- Job: a\n", "# T\n- Age: 4", "# T\n- Age: 3\n## A\n- Job: a\n- Age: 4\n"),
    ],
)  # fmt: skip
def test_lines_below_a_repeated_title_go_to_the_section(text: str, content: str, after: str, by_key: bool) -> None:
    assert merged(text, content, "A", by_key=by_key) == after
    assert merged(after, content, "A", by_key=by_key) == after


def test_facts_below_a_repeated_title_replace_those_of_the_section() -> None:
    text = "# T\n- Age: 3\n\n## A\n- Age: 4\n"
    assert merged(text, "# T\n- Age: 5", "A", by_key=True) == "# T\n- Age: 3\n\n## A\n- Age: 5\n"
    both = merged(text, "- Age: 5\n# T\n- Age: 6", "A", by_key=True)
    assert both == "# T\n- Age: 3\n\n## A\n- Age: 4\n- Age: 5\n- Age: 6\n"


def test_points() -> None:
    assert points("one\n-\n\u200b\n* \n\n* two\n  - three\n ## four\n") == "- one\n* two\n  - three\n- ## four"


@pytest.mark.parametrize(
    ("given", "title"), [("Skills", "Skills"), (" ## Skills  and\nmore", "Skills and more"), ("C#", "C#")]
)
def test_a_title_is_what_a_heading_can_hold(given: str, title: str) -> None:
    assert clean_title(given) == title


@pytest.mark.parametrize("given", ["", " ", "##", "# #", "a #", "\n", "\u200b", "-"])
def test_what_no_heading_can_hold_is_refused(given: str) -> None:
    with pytest.raises(BadArgument, match="Skills"):
        clean_title(given)
