"""The documents say what the code does: what they show is run, what they list is made from it, links lead somewhere."""

import pathlib
import re
from urllib.parse import unquote

import pytest

from tests.tools import pictures, reference, transcripts
from zkmem.settings import Settings, about

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")


def named(page: pathlib.Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", transcripts.pages(), ids=named)
def test_every_command_and_call_in_the_documents_answers_what_they_say(page: pathlib.Path) -> None:
    text = page.read_text("utf-8")
    assert transcripts.rerun(text) == text


def test_an_answer_that_is_not_what_is_shown_is_found_and_a_time_is_not() -> None:
    page = "```console\n$ echo 2026-11-20 09:30 $HOME; echo two\n{}\n```\n"
    as_it_is = page.format("2025-01-01 00:00 /home/you\ntwo")
    assert transcripts.rerun(as_it_is) == as_it_is
    assert "/home/you\ntwo\n" in transcripts.rerun(page.format("2026-11-20 09:30 /home/you\n2"))


def test_an_answer_of_a_tool_that_is_not_what_is_shown_is_found_and_a_time_is_not() -> None:
    page = '```mcp zkmem serve zkmem/sample_vault --toolsets zettel,history\n> set_content(name="a", content="{}")\n'
    page += "created a; etag f6b7b5ea9d0d\n\n> log()\n1  2025-01-01 00:00  set_content a  (assistant 1.0)\n```\n"
    as_it_is = transcripts.rerun(page.format("x"))
    assert as_it_is != page.format("x")
    assert transcripts.rerun(as_it_is) == as_it_is
    assert "  2025-01-01 00:00  " in as_it_is


@pytest.mark.parametrize("name", reference.PAGES)
def test_the_reference_is_made_from_the_code(name: str) -> None:
    assert (reference.FOLDER / f"{name}.md").read_text("utf-8") == reference.page(name)


def test_every_setting_says_what_it_is_for() -> None:
    assert all(about(name).meaning for name in Settings._fields)


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_the_pictures_of_the_ranking_are_drawn_from_real_weights(name: str) -> None:
    assert (pictures.FOLDER / f"{name}.svg").read_text("utf-8") == pictures.drawn(name)


def test_the_table_of_weights_is_what_zkmem_computes() -> None:
    text = pictures.PAGE.read_text("utf-8")
    assert pictures.with_table(text) == text
    assert text.count("index → note 1") == 5


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_in_the_documents_leads_to_what_is_there(page: pathlib.Path) -> None:
    for target in _LINK.findall(_CODE.sub("", page.read_text("utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = unquote(target).partition("#")
        found = page.parent / path if path else page
        assert found.exists(), target
        if fragment:
            assert fragment in anchors(found), target


def anchors(page: pathlib.Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", _FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_document_is_reached_from_the_index() -> None:
    reached, new = set(), [ROOT / "docs" / "README.md"]
    while new:
        page = new.pop().resolve()
        if page not in reached and page.suffix == ".md" and page.exists():
            reached.add(page)
            targets = _LINK.findall(_CODE.sub("", page.read_text("utf-8")))
            new += [page.parent / unquote(each).partition("#")[0] for each in targets if ":" not in each]
    assert not set((ROOT / "docs").rglob("*.md")) - reached
