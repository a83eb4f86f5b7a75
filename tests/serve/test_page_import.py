"""The notes of an import in a real browser: from the command to notes in the vault and on the map."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.serve.test_page_graph import place
from tests.serve.test_page_notes import at, origin
from tests.tools.browser import eventually, expect, faults_in_both, mapped, needs_browser
from tests.tools.vaults import read, write
from tests.transcripts.test_importing import SAID, transcript, zkmem

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

pytestmark = [pytest.mark.browser, needs_browser]

PALE = """() => {
    const graph = zkmem.renderer.getGraph();
    return graph.filterNodes((_, node) => node.proposed).length + ' of ' + graph.order;
}"""


def imported(tmp_path: Path) -> str:
    """Return a vault to which an import has proposed four notes, of two projects and two months."""
    vault = write(tmp_path / "vault", {".zkmem/.gitignore": "", "Tea.md": "Leaves.\n"})
    for number, text in enumerate(SAID):
        project, month = ("tea", 10) if number % 2 == 0 else ("garden", 11)
        transcript(tmp_path / "home", number, [text], project, f"2026-{month}-0{number + 1}")
    done = zkmem(vault, tmp_path / "home", "import", "--from", "claude-code")
    assert "4 notes proposed, from 2 months, 2 projects" in done.stdout + done.stderr
    return vault


def test_no_welcome_comes_before_an_import_that_waits(browser: "Browser", tmp_path: Path) -> None:
    with at(browser, imported(tmp_path)) as page:
        address = origin(page)
        page.goto("about:blank")
        page.add_init_script(
            "new MutationObserver(() => { globalThis.welcomed ||= !!document.querySelector('.steps'); })"
            ".observe(document, { subtree: true, childList: true })"
        )
        held = list["Route"]()
        page.route("**/api/proposed", lambda route: held.append(route), times=1)  # noqa: PLW0108 - playwright marks a function
        with page.expect_response("**/api/home*") as home, page.expect_request("**/api/proposed"):
            page.goto(address + "#")
        home.value.finished()
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        held[0].continue_()
        page.get_by_text("4 notes proposed, from 2 months, 2 projects.").wait_for()
        assert not page.evaluate("() => globalThis.welcomed")


def test_a_person_looks_at_an_import_drops_a_note_accepts_a_group_and_sees_the_map_fill(
    browser: "Browser", tmp_path: Path
) -> None:
    vault = imported(tmp_path)
    with at(browser, vault) as page:
        page.goto(origin(page) + "#")
        page.get_by_text("4 notes proposed, from 2 months, 2 projects.").wait_for()
        expect(page.get_by_role("heading", name="Welcome")).to_be_hidden()
        page.get_by_role("link", name="Look at them").click()
        card = page.get_by_role("article", name="Proposed by")
        expect(card.get_by_role("button", name="2026-")).to_have_count(0)
        card.locator("summary", has_text="tea").press("Enter")
        card.locator("summary", has_text="October 2026").press("Enter")
        line = card.get_by_role("button", name="2026-10-01 Last week Ann Miller gave me gyokuro")
        line.press("Enter")
        card.get_by_role("region").get_by_text("which was bitter").wait_for()
        links = card.get_by_text("Would link to:")
        expect(links.get_by_role("link", name="tea")).to_have_attribute("href", "#/note/Tea")
        links.get_by_text("Ann Miller missing").wait_for()
        assert not faults_in_both(page, every=True)
        mapped(page)
        eventually(page, lambda: page.evaluate(PALE), "4 of 7")  # with Tea, and with two that are missing
        pale = page.evaluate("() => zkmem.renderer.getGraph().findNode((_, node) => node.proposed)")
        page.mouse.click(*place(mapped(page), pale))
        page.wait_for_url("**/#/review")
        expect(card).to_be_in_viewport()
        card.get_by_role("checkbox", name="2026-10-03").press("Space")
        expect(card.get_by_role("checkbox", name="All of tea")).to_have_js_property("indeterminate", True)
        card.get_by_role("button", name="Drop chosen (1)…").click()
        page.get_by_role("dialog").get_by_role("button", name="Drop").click()
        page.get_by_text("Dropped: 1 note").wait_for()
        card.get_by_role("checkbox", name="All of garden").check()
        card.get_by_role("button", name="Accept chosen (2)").click()
        page.get_by_text("Accepted: 2 notes").wait_for()
        card.get_by_role("heading", name="1 note proposed, from 1 month, 1 project").wait_for()
        assert sum(path.startswith("conversations/garden/") for path in read(vault)) == 2
        assert not any(path.startswith("conversations/tea/") for path in read(vault))
        mapped(page)
        eventually(page, lambda: page.evaluate(PALE), "1 of 6")
        page.goto(origin(page) + "#/history")
        page.get_by_role("button", name="Undo").first.click()
        page.get_by_role("dialog").get_by_role("button", name="Undo").click()
        page.get_by_text("Undone").first.wait_for()
        assert sum(path.startswith("conversations/garden/") for path in read(vault)) == 1
