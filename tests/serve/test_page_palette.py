"""The command palette of the page and its keys, in a real browser on a real server."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.tools.browser import eventually, expect, faults_in_both, needs_browser, opened, served, until
from tests.tools.vaults import write
from zkmem.cli.tokens import tokens_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, needs_browser]

NOTES = {
    "hint.md": "Start at [[tea/Green]].\n",
    "tea/Green.md": "---\naliases: [Sencha]\ntags: [drink/hot]\n---\n# Steeping\n\nAt 70 °C.\n\n"
    + "Long.\n\n" * 60
    + "## Second infusion\n\nHotter.\n",
    "tea/Black.md": "From [[tea/Green]]. #drink\n",
    "tea/Edit notes.md": "About editing.\n",
    "Greenhouse.md": "Glass.\n",
}
MISSING = ("404 (Not Found)",)


@pytest.fixture
def page(browser: "Browser", url: str) -> Iterator["Page"]:
    with opened(browser, f"{url}#/note/hint", expected=MISSING) as page:
        page.get_by_text("Start at").wait_for()
        yield page


def test_all_results_have_an_address_and_keep_the_filters_as_they_are_typed(page: "Page") -> None:
    ask(page, "long path:tea/ 70")
    page.get_by_role("option", name="All results").click()
    page.wait_for_url("**/#/search/long%20path%3Atea%2F%2070")
    eventually(page, lambda: page.title().partition(" – ")[0], "Search: long path:tea/ 70")
    results = page.get_by_role("region", name="Text").get_by_role("listitem")
    expect(results).to_have_count(1)
    expect(results.locator("mark").first).to_have_text("70")
    expect(results).to_contain_text(re.compile("Steeping At 70 °C\\. Long\\."))  # without the mark of the heading
    results.get_by_role("link", name="Green").click()
    page.locator(".body").wait_for()
    page.go_back()
    results.get_by_role("link", name="Green").wait_for()
    eventually(page, lambda: page.evaluate("document.activeElement.textContent"), "tea/Green")
    field = page.get_by_role("searchbox", name="Words and filters")
    expect(field).to_have_value("long path:tea/ 70")
    field.fill("zzzz")
    field.press("Enter")
    page.wait_for_url("**/#/search/zzzz")
    page.get_by_text("Nothing was found.").get_by_role("link").first.click()  # a note that the server proposes
    page.locator(".body").wait_for()
    page.locator("#search").fill("-x")
    page.get_by_role("option", name="All results").click()
    page.wait_for_url("**/#/search/-x")
    page.reload()
    expect(field).to_have_value("-x")


def test_the_palette_offers_the_latest_notes_before_anything_is_typed(page: "Page") -> None:
    ask(page, "")
    latest = page.get_by_role("group", name="Changed last").get_by_role("option")
    expect(latest.first).to_be_visible()
    assert "hint" not in latest.all_inner_texts(), "it is open"


def ask(page: "Page", text: str) -> None:
    page.keyboard.press("Control+k")
    page.get_by_role("dialog", name="Commands").wait_for()
    page.keyboard.type(text)


def selected(page: "Page") -> str:
    """Return the row that Enter would choose, as the input names it to a screen reader."""
    row = page.get_by_role("combobox", name="Open a note or run a command").get_attribute("aria-activedescendant")
    text: str = page.evaluate("(id) => document.getElementById(id)?.querySelector('.row-title').textContent ?? ''", row)
    return text


def test_a_note_opens_by_a_part_of_its_name_and_the_focus_is_on_it(page: "Page") -> None:
    ask(page, "gree")
    page.get_by_role("option", name="Green tea/").wait_for()
    expect(page.get_by_role("group", name="Notes").get_by_role("option").first).to_have_text(re.compile("^Green"))
    page.keyboard.press("ArrowDown")
    eventually(page, lambda: selected(page), "Greenhouse")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/#/note/tea/Green")
    page.locator("h2.title:focus").wait_for()
    ask(page, "re")
    page.get_by_role("option", name="Green tea/").wait_for()
    eventually(page, lambda: selected(page)[:2], "Re")  # a command, before the notes that have it inside
    expect(page.get_by_role("option", name="Green tea/").locator("b")).to_have_text("re")
    page.get_by_role("combobox", name="Open a note or run a command").evaluate(
        """(input) => {  // Enter counts that comes before the answer
            input.value = 'greenh';
            input.dispatchEvent(new InputEvent('input', { bubbles: true }));
            input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
        }"""
    )
    page.wait_for_url("**/#/note/Greenhouse")


def test_aliases_headings_and_tags_lead_to_their_places(page: "Page") -> None:
    ask(page, "sench")
    page.get_by_role("group", name="Aliases").get_by_role("option", name="Sencha").click()
    page.wait_for_url("**/#/note/tea/Green")
    ask(page, "second inf")
    page.get_by_role("group", name="Headings").get_by_role("option").click()
    page.wait_for_url("**/#/note/tea/Green?*Second*")
    page.locator(".reached", has_text="Second infusion").wait_for()
    ask(page, "#dri")
    page.get_by_role("option", name="#drink/hot").wait_for()
    expect(page.get_by_role("dialog").get_by_role("option").first).to_have_text("#drink 1", use_inner_text=True)
    page.keyboard.press("Enter")
    page.wait_for_url("**/#/tag/drink")


def test_a_command_runs_by_words_of_its_name(page: "Page") -> None:
    ask(page, "edit th")
    eventually(page, lambda: selected(page), "Edit this note")
    page.keyboard.press("Enter")
    page.locator(".cm-content:focus").wait_for()
    ask(page, ">")
    titles = page.get_by_role("dialog").locator("[role=option] .row-title")
    eventually(page, lambda: titles.all_inner_texts()[:2], ["Save", "Finish editing"])
    page.keyboard.type(" finish")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Edit", exact=True).wait_for()
    ask(page, "rename")
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="Rename hint").wait_for()


def test_escape_closes_the_palette_and_gives_the_focus_back(page: "Page") -> None:
    page.get_by_role("button", name="Edit", exact=True).focus()
    ask(page, "zzzzz")
    page.get_by_role("option", name="Create “zzzzz”").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    page.locator("button:focus", has_text="Edit").wait_for()


def test_a_new_note_is_written_at_once_and_escape_asks_before_it_is_lost(page: "Page", vault: str) -> None:
    page.keyboard.press("n")
    page.get_by_label("Name, with its folders").fill("tea/White")
    page.keyboard.press("Enter")
    page.locator(".cm-content:focus").wait_for()
    page.keyboard.type("Very mild ")
    for _ in "mild":
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Control+b")
    page.keyboard.press("Control+i")
    expect(page.locator(".cm-line")).to_have_text("Very ***mild***")
    page.keyboard.press("Control+b")
    page.keyboard.press("Escape")
    page.get_by_role("dialog", name="Unsaved changes").wait_for()
    page.keyboard.press("Escape")
    page.locator(".cm-content:focus").wait_for()
    page.keyboard.press("Control+s")
    page.get_by_text("Saved", exact=True).wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Edit", exact=True).wait_for()
    assert Path(vault, "tea/White.md").read_text(encoding="utf-8") == "Very *mild* "
    ask(page, ">undo")
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="Undo the last edit?").get_by_role("button", name="Undo").click()
    page.get_by_text("This note is not there any more.").wait_for()
    assert not Path(vault, "tea/White.md").exists()
    page.evaluate("() => (location.hash = '#/tidy')")
    page.locator(".lists .title").wait_for()
    ask(page, "tea/White")
    page.get_by_role("option", name="Create").click()
    page.get_by_role("button", name="Restore").click()
    page.get_by_text("tea/White is restored.").wait_for()


def test_the_search_box_takes_filters_and_the_help_names_them(page: "Page") -> None:
    page.locator("#search").fill("tag:drink -from")
    page.get_by_role("listbox", name="Notes found").get_by_role("option", name="tea/Green").wait_for()
    until(page, "() => document.querySelectorAll('#found [role=option]').length === 2")  # with all results
    page.locator("#search").fill("tag:drnk")
    page.get_by_text("Did you mean tag:drink").wait_for()
    page.locator("#search").fill("Greenh")  # a name has it, so no step is needed
    page.get_by_role("listbox", name="Notes found").get_by_role("option", name="Greenhouse", exact=True).wait_for()
    expect(page.get_by_text("Nothing was found")).to_be_hidden()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Help").click()
    help_text = page.get_by_role("dialog", name="Keys and search filters").inner_text()
    shown = ("tag:", "path:", '"some words"', "-word", "on:yesterday")
    for part in (*shown, "Ctrl K", "Ctrl S", "Ctrl B", "n", "e", "Esc"):
        assert part in help_text


def test_a_reader_is_offered_no_edit(browser: "Browser", tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    token = tokens_of(vault).add("reader", read_only=True)
    with served(vault) as url, opened(browser, f"{url}#/note/hint", expected=("401",)) as page:
        page.get_by_label("Token").fill(token)
        page.keyboard.press("Enter")
        page.get_by_text("Start at").wait_for()
        ask(page, "new")
        until(page, "() => document.querySelector('.palette [role=status]').textContent.includes('found')")
        expect(page.get_by_role("option", name="New note")).to_have_count(0)
        expect(page.get_by_role("option", name="Create")).to_have_count(0)


@pytest.mark.parametrize("options", [{}, {"viewport": {"width": 390, "height": 780}, "has_touch": True}])
def test_axe_finds_no_serious_fault_in_the_palette(browser: "Browser", url: str, options: dict[str, Any]) -> None:
    with opened(browser, url, **options) as page:
        page.get_by_role("button", name="Commands").click()
        assert faults_in_both(page) == []
        page.keyboard.type("st")
        page.get_by_role("group", name="Headings").wait_for()
        assert faults_in_both(page) == []
        until(page, "() => document.documentElement.scrollWidth <= innerWidth")
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        page.get_by_role("dialog", name="New note").wait_for()
        assert faults_in_both(page) == []
