"""The preview of a linked note on the page, in a real browser on a real server."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tools.browser import faults, needs_browser, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = [pytest.mark.browser, needs_browser]

NOTES = {
    "hint.md": "To [[Tea]], to [[Tea#Water]], to [[nowhere]] and to [[Large]].\n",
    "Tea.md": "Tea is **hot**, says [[hint]].\n\n" + "More of it.\n\n" * 200 + "## Water\n\nSoft water.\n",
    "Large.md": "|a|\n|-|\n" + "|cell of a table|\n" * 3_000,
}


@pytest.fixture
def page(browser: "Browser", url: str) -> Iterator["Page"]:
    with opened(browser, f"{url}#/note/hint", expected=("404 (Not Found)",)) as page:
        link(page, "Tea").wait_for()
        yield page


def link(page: "Page", text: str) -> "Locator":
    return page.locator(".note-page .body").first.get_by_role("link", name=text, exact=True)


def card(page: "Page", name: str) -> "Locator":
    return page.get_by_role("group", name=f"Preview of {name}", exact=True)


def test_the_pointer_on_a_link_shows_the_beginning_of_its_note_or_of_the_part_that_is_named(page: "Page") -> None:
    link(page, "Tea").hover()
    card(page, "Tea").locator("strong", has_text="hot").wait_for()
    assert card(page, "Tea").locator("p").count() < 160, "it is the beginning alone"
    card(page, "Tea").hover()
    page.mouse.move(0, 0)
    card(page, "Tea").wait_for(state="detached")
    page.locator(".note-page .body a[href*=Water]").hover()
    card(page, "Tea › Water").get_by_text("Soft water.").wait_for()
    assert card(page, "Tea › Water").get_by_text("More of it.").count() == 0


def test_the_focus_of_the_keyboard_shows_it_and_escape_closes_it_alone(page: "Page") -> None:
    page.get_by_role("button", name="Edit", exact=True).focus()
    while page.evaluate("() => document.activeElement.textContent") != "Tea":
        page.keyboard.press("Tab")
    card(page, "Tea").wait_for()
    assert faults(page) == []
    page.keyboard.press("Escape")
    card(page, "Tea").wait_for(state="detached")
    assert page.url.endswith("#/note/hint")
    page.keyboard.press("Tab")
    card(page, "Tea › Water").wait_for()


def test_a_link_that_comes_below_a_resting_pointer_shows_its_note_once_the_pointer_moves(page: "Page") -> None:
    box = link(page, "Tea").bounding_box()
    assert box
    x, y = box["x"] + 5, box["y"] + box["height"] / 2
    page.locator(".note-page .body").evaluate("(body) => (body.style.visibility = 'hidden')")
    page.mouse.move(x, y)
    page.locator(".note-page .body").evaluate("(body) => (body.style.visibility = '')")
    link(page, "Tea").evaluate(
        """(link, [clientX, clientY]) => new Promise((done) => {
            const about = { clientX, clientY, pointerType: 'mouse', bubbles: true };
            link.dispatchEvent(new PointerEvent('pointerover', about));
            setTimeout(done, 900);
        })""",
        [x, y],
    )
    assert page.locator(".hover-card").count() == 0
    page.mouse.move(x + 3, y)
    card(page, "Tea").wait_for()


def test_a_large_block_is_cut_and_a_missing_note_has_no_preview(page: "Page") -> None:
    link(page, "Large").hover()
    card(page, "Large").wait_for()
    assert page.evaluate("() => document.querySelector('.hover-card').innerHTML.length") < 5_000
    page.mouse.move(0, 0)
    card(page, "Large").wait_for(state="detached")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    link(page, "nowhere").hover()
    link(page, "Tea").hover()
    card(page, "Tea").wait_for()
    assert not [one for one in requests if "nowhere" in one]


def test_a_preview_is_fetched_once_until_the_note_changes(page: "Page", vault: str) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for _ in range(2):
        link(page, "Tea").hover()
        card(page, "Tea").wait_for()
        page.mouse.move(0, 0)
        card(page, "Tea").wait_for(state="detached")
    assert len([one for one in requests if "/parts/Tea" in one]) == 1
    Path(vault, "Tea.md").write_text("Now cold.\n\n## Water\n\nSoft water.\n", encoding="utf-8")
    page.locator("#changes", has_text="Tea").wait_for(state="attached")
    link(page, "Tea").hover()
    card(page, "Tea").get_by_text("Now cold.").wait_for()


def test_a_touched_link_shows_no_preview(browser: "Browser", url: str) -> None:
    with opened(
        browser, f"{url}#/note/hint", viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True
    ) as page:
        page.evaluate(
            """() => {
                const wait = () => setTimeout(() => document.body.classList.add('waited'), 900);
                addEventListener('pointerover', wait);
            }"""
        )
        link(page, "Tea").evaluate(
            "(link) => link.dispatchEvent(new PointerEvent('pointerover', { pointerType: 'touch', bubbles: true }))"
        )
        page.locator("body.waited").wait_for()
        assert page.locator(".hover-card").count() == 0
