"""Aliases, headings and tags that contain a text, for the page's command palette and for text editors."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.markdown.sections import Outline
from zkmem.memory import Memory
from zkmem.recall.choices import headings
from zkmem.search.entry import heading_lines
from zkmem.util.words import tokens

NOTES = {
    "tea/Green.md": "---\naliases: [Sencha, Grüner Tee]\ntags: [drink/tea]\n---\n# Steeping it\n\nAt 70 °C.\n",
    "tea/Black.md": "---\nalias: Assam\ntags: [drink]\n---\n## Where it grows\n\nIn Assam.\n\n### Water\n\nSoft.\n",
    "Water.md": "Water\n=====\n\nSoft or hard. #drink\n\n```\n# Water in code\n```\n\n## 茶道の水\n",
}


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(write(tmp_path / "vault", NOTES), durable=False)


def test_an_alias_leads_to_its_note_as_the_note_spells_it(memory: Memory) -> None:
    assert memory.places("gruner").aliases == [("Grüner Tee", "tea/Green")]
    assert memory.places("ASSAM").aliases == [("Assam", "tea/Black")]
    assert memory.places("water").aliases == []


def test_a_heading_is_found_by_the_words_and_the_beginning_of_one(memory: Memory) -> None:
    assert memory.places("where it gr").headings == [("Where it grows", "tea/Black", "#Where it grows", 2)]
    assert [(one.name, one.text) for one in memory.places("wat").headings] == [
        ("Water", "Water"),
        ("tea/Black", "Water"),
    ]
    assert [one.text for one in memory.places("茶道").headings] == ["茶道の水"]
    assert memory.places("in code").headings == [], "code has no headings"


def test_tags_come_with_the_number_of_their_notes(memory: Memory) -> None:
    assert memory.places("#drink").tags == [("drink", 2), ("drink/tea", 1)]
    assert memory.places("").tags == [("drink", 2), ("drink/tea", 1)]
    assert memory.places("nothing").tags == []


def test_a_beginning_comes_before_that_of_a_word_and_that_before_the_inside_of_one(tmp_path: Path) -> None:
    words = ["A tart", "Art", "Party", "Modern art", "Artist"]
    notes = {
        f"{one}.md": f"---\naliases: [{one} alias]\ntags: [{'-'.join(one.split())}]\n---\n# {one} here\n"
        for one in words
    }
    memory = Memory(write(tmp_path / "vault", notes), durable=False)
    expected = ["Art", "Artist", "Modern art", "A tart", "Party"]
    assert memory.complete("art") == (expected, 5)
    places = memory.places("art")
    assert [one.name for one in places.aliases] == ["Art", "Artist", "Modern art", "Party", "A tart"]
    assert [one.name for one in places.headings] == ["Art", "Artist", "Modern art"]
    assert [one.tag for one in places.tags] == ["art", "artist", "modern-art", "a-tart", "party"]


def test_no_more_are_returned_than_are_asked_for(memory: Memory) -> None:
    assert len(memory.places("wat", limit=1).headings) == len(memory.places("", limit=1).tags) == 1


def test_a_caller_with_a_folder_gets_places_in_it_alone(memory: Memory) -> None:
    places = memory.restricted(Grant("tea")).places("water")
    assert [one.name for one in places.headings] == ["tea/Black"]
    assert memory.restricted(Grant("tea")).places("drink").tags == [("drink", 1), ("drink/tea", 1)]


@pytest.mark.parametrize("text", ['"', "'", "*", "a AND", "-", "#", "^", "\ue001x", "x" * 1000, "𝔘"])
def test_no_text_is_an_expression_of_the_index(memory: Memory, text: str) -> None:
    assert memory.places(text).remarks == []


WORDS = ["tea", "teapot", "Téa", "steam", "ste", "am", "茶", "茶道", "#", "*x*", "teas"]
HEADINGS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
LINES = st.sampled_from(
    ["# a", "b", "> c", "===", "---", "> ---", "- # d", "", " ", "```", "%%", "e\u2028f", "  =", "#"]
)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@given(st.lists(st.tuples(LINES | st.text(max_size=8), ENDS), max_size=12))
def test_the_lines_that_may_belong_to_headings_have_all_words_of_the_headings(lines: list[tuple[str, str]]) -> None:
    body = "".join(map("".join, lines)).encode(errors="replace")
    words = {word for line in heading_lines(body.decode()) for word in tokens(line)}
    assert {word for heading in Outline(body).headings for word in tokens(heading.raw)} <= words


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(HEADINGS, max_size=3), min_size=1, max_size=6), st.data())
def test_the_headings_are_those_that_a_plain_search_finds(notes: list[list[str]], data: st.DataObject) -> None:
    every = sorted({heading for headings in notes for heading in headings} or {"tea"})
    words = data.draw(st.sampled_from(every)).split()
    text = " ".join(words[data.draw(st.integers(0, len(words) - 1)) :])
    text = text[: data.draw(st.integers(1, len(text)))].strip()
    if not tokens(text):
        return
    with tempfile.TemporaryDirectory() as folder:
        bodies = ["\n\n".join(f"# {heading}" for heading in headings) for headings in notes]
        memory = Memory(write(folder, {f"{at}.md": body for at, body in enumerate(bodies)}), durable=False)
        with memory:
            found = [(one.name, one.text) for one in memory.places(text, limit=100).headings]
            editor = memory.in_editor()
            in_editor, _ = editor.find(text, editor.read)
    expected = [
        (str(at), heading.raw)
        for at, outline in enumerate(Outline(body.encode()) for body in bodies)
        for number, heading in enumerate(outline.headings)
        if heading.text and comparable(text) in comparable(heading.raw)
        if outline.subpath_to(number, f"#{heading.linked}") is not None  # a link can lead to it
    ]
    begins = [one for one in expected if f" {comparable(text)}" in f" {comparable(one[1])}"]
    assert set(begins) <= set(found) <= set(expected)
    shown = [(one.path.removesuffix(".md"), one.text) for one in in_editor if one.kind == "heading"]
    assert set(shown[: len(set(found))]) == set(found)  # those with only the letters come after these


def comparable(text: str) -> str:
    return text.lower().replace("é", "e").strip()


def test_a_heading_after_very_many_of_another_text_is_offered() -> None:
    assert [one.written for one in headings(b"# a\n" * 2_000 + b"# ab\n", "a")] == ["a", "ab"]
