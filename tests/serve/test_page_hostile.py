"""Hostile notes on the page, in a real browser: no note stops the page, and Review can be used beside each."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tools.browser import expect, needs_browser, opened, served
from tests.tools.vaults import write
from zkmem.memory import Memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, needs_browser]

CASES = Path(__file__).parents[1] / "cases" / "hostile_notes.json"
KINDS: dict[str, str] = {
    kind: "".join(part if isinstance(part, str) else part[0] * part[1] for part in parts)
    for kind, parts in json.loads(CASES.read_text("utf-8")).items()
}
FORMULAS = [kind for kind in KINDS if kind.startswith("a formula")]


@contextmanager
def written(browser: "Browser", tmp_path: Path, text: str, **others: str | bytes) -> Iterator["Page"]:
    """The page of a vault in which a model has written a text into the note `evil`, and another one has written too."""
    vault = write(tmp_path / "vault", {"hint.md": "To [[evil]].\n", "outer.md": "![[evil]]\n", **others})
    Memory(vault).on_behalf(client="model 1").write("evil", text)
    Memory(vault).on_behalf(client="model 2").write("good", "A good note.\n")
    with served(vault) as url, opened(browser, url) as page:
        yield page


def go(page: "Page", address: str) -> None:
    page.evaluate("(address) => { location.hash = address; }", address)


@pytest.mark.parametrize("kind", FORMULAS)
def test_a_deep_formula_stays_as_it_is_written_wherever_it_is_shown(
    browser: "Browser", tmp_path: Path, kind: str
) -> None:
    with written(browser, tmp_path, KINDS[kind]) as page:
        refused = page.get_by_text("This formula could not be drawn.")
        for address in ("#/note/evil", "#/note/outer", "#/review"):
            go(page, address)
            expect(refused).to_have_count(1)
            expect(page.locator(".body .katex")).to_have_count(0)
        go(page, "#/note/hint")
        page.locator(".note-page .body").first.get_by_role("link", name="evil", exact=True).hover()
        page.locator(".hover-card").get_by_text("This formula could not be drawn.").wait_for()
