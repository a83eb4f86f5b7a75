"""Views of .base files on the page: they are listed, shown, sorted and edited."""

import pathlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.tools.browser import expect, faults, needs_browser, opened, served, settled
from tests.tools.vaults import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BASE = """
filters: file.hasTag("book")
formulas: {stars: 'if(rating > 4, "good", "fair")'}
properties: {file.name: {displayName: Book}}
views:
  - name: Shelf
    order: [file.name, rating, done, author, formula.stars, tags]
  - name: By author
    groupBy: {property: author, direction: ASC}
    order: [rating]
    summaries: {note.rating: Average}
"""
NOTES = {
    "Dune.md": "---\nrating: 5\ndone: true\nauthor: '[[Herbert]]'\ntags: [book]\n---\n# keep\n",
    "Emma.md": "---\nrating: 3\ndone: false\nauthor: Austen\ntags: [book, old]\n---\n",
    "Herbert.md": "He wrote.\n",
    "lists/books.base": BASE,
    "broken.base": "filters: [",
}


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    return write(tmp_path / "vault", NOTES)


@pytest.fixture
def url(vault: str) -> Iterator[str]:
    with served(vault) as address:
        yield address


@pytest.mark.browser
@needs_browser
def test_a_base_is_a_table_that_is_sorted_and_edited(browser: "Browser", url: str, vault: str) -> None:
    with opened(browser, url) as page:
        settled(page).get_by_role("link", name="Tables").click()
        page.get_by_role("link", name="lists/books.base").click()
        rows = page.locator("tbody tr")
        page.get_by_role("link", name="Herbert").wait_for()
        assert faults(page) == []
        expect(rows.locator("th")).to_have_text(["Dune", "Emma"])
        page.get_by_role("button", name="rating", exact=True).click()
        page.locator('th[aria-sort="ascending"]').wait_for()
        rows.first.get_by_role("link", name="Emma").wait_for()
        expect(rows.locator("th")).to_have_text(["Emma", "Dune"])
        page.get_by_role("button", name="Edit rating of Dune: 5").click()
        page.get_by_label("rating of Dune").fill("2")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Edit rating of Dune: 2").wait_for()
        page.get_by_role("checkbox", name="done of Emma").click()
        # a table that is drawn again meanwhile shows the stored value until the new one is saved
        page.get_by_role("checkbox", name="done of Emma", checked=True).wait_for()
        page.get_by_role("button", name="Edit tags of Emma: book, old").click()
        page.get_by_label("tags of Emma").fill("book, new")
        page.get_by_role("heading", name="lists/books.base").click()  # leaves the field
        page.get_by_role("button", name="Edit tags of Emma: book, new").wait_for()
        page.get_by_role("button", name="Edit author of Emma: Austen").click()
        page.get_by_label("author of Emma").fill("nobody")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Edit author of Emma: Austen").wait_for()
    text = pathlib.Path(vault, "Dune.md").read_text("utf-8")
    assert text == "---\nrating: 2\ndone: true\nauthor: '[[Herbert]]'\ntags: [book]\n---\n# keep\n"
    text = pathlib.Path(vault, "Emma.md").read_text("utf-8")
    assert text == "---\nrating: 3\ndone: true\nauthor: Austen\ntags:\n  - book\n  - new\n---\n"


@pytest.mark.browser
@needs_browser
def test_another_view_a_group_and_a_broken_base(browser: "Browser", url: str) -> None:
    with opened(browser, f"{url}#/base/lists/books.base", expected=("422",)) as page:
        page.get_by_label("View").select_option("By author")
        page.get_by_label("Table By author").wait_for()
        expect(page.locator("tbody tr")).to_have_text(
            ["Austen 1", "Emma\t3", "[[Herbert]] 1", "Dune\t5"], use_inner_text=True
        )
        expect(page.locator("tfoot")).to_have_text(["\tAverage: 4"], use_inner_text=True)
        expect(page.locator("thead th")).to_have_text(["Book", "rating"])
        expect(page.get_by_label("View")).to_have_value("By author")
        assert faults(page) == []
        page.evaluate("location.hash = '#/base/broken.base'")
        page.get_by_text("The base is not YAML").wait_for()
