"""The replay on the map: it plays, pauses, and ends with the map as it is."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tools import story
from tests.tools.browser import called, eventually, expect, faults_in_both, mapped, needs_browser, opened, served, until
from zkmem.memory import Memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = [pytest.mark.browser, needs_browser]

SHOWN = """() => {
    const [renderer, graph] = [zkmem.renderer, zkmem.renderer.getGraph()];
    const isShown = (key) => !renderer.getNodeDisplayData(key).hidden;
    const links = graph.filterEdges((edge, _, source, target) =>
        !renderer.getEdgeDisplayData(edge).hidden && isShown(source) && isShown(target));
    return [graph.filterNodes(isShown).sort(), links.map((edge) => graph.extremities(edge).join('>')).sort()];
}"""


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    vault = tmp_path_factory.mktemp("day") / "vault"
    story.story(vault)
    with served(str(vault)) as url:
        yield url


def at(page: "Page", edit: int) -> None:
    """Move the slider by hand."""
    page.get_by_role("slider", name="Edit").fill(str(edit))
    until(page, f"() => document.querySelector('.replay input').value === '{edit}'")


def test_a_replay_plays_pauses_and_ends_with_the_map_as_it_is(browser: "Browser", day: str) -> None:
    with opened(browser, day) as page:
        now = mapped(page).evaluate(SHOWN)
        page.goto(f"{day}#/review")
        page.get_by_role("link", name="Replay on the map").click()
        slider = page.get_by_role("slider", name="Edit")
        expect(slider).to_be_focused()
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        until(page, "() => Number(document.querySelector('.replay input').value) > 1")
        expect(page.locator(".replay [role=status]")).to_have_text(re.compile("^Before 46 edits, "))
        page.keyboard.press("Space")
        expect(page.get_by_role("button", name="Play")).to_be_visible()
        at(page, 0)
        until(page, f"() => ({SHOWN})()[0].includes('{story.DELETED}')")
        names, links = page.evaluate(SHOWN)
        assert {story.DELETED, "inbox/tea", "people/Ann Lee"} <= set(names)
        assert "places/bakery" not in names
        assert f"hint>{story.DELETED}" in links
        expect(page.locator(".replay .caption")).to_have_text(re.compile("^Before 46 edits, "))
        label = "() => zkmem.renderer.getGraph().getNodeAttribute('people/Ann Lee', 'label')"
        assert page.evaluate(label) == "ann"
        at(page, 44)
        assert page.evaluate(label) == "Ann Lee"
        page.keyboard.press("Space")
        expect(slider).to_have_value("46")
        expect(page.get_by_role("button", name="Play")).to_be_visible()
        eventually(page, lambda: page.evaluate(SHOWN), now)
        assert faults_in_both(page) == []
        page.keyboard.press("Escape")
        expect(page.locator(".replay")).to_have_count(0)
        until(page, "() => location.hash === '#/map' && !zkmem.renderer.getGraph().hasNode('inbox/tea')")
        assert page.evaluate(SHOWN) == now
        page.keyboard.press("Escape")
        expect(page.get_by_role("link", name="Replay on the map")).to_be_visible()


def test_who_asked_for_less_motion_sees_the_end_and_can_move_the_slider(browser: "Browser", day: str) -> None:
    with opened(browser, f"{day}#/map?replay=20", reduced_motion="reduce") as page:
        slider = page.get_by_role("slider", name="Edit")
        expect(slider).to_have_value("25")  # 24 edits, and those of others since
        expect(page.get_by_role("button", name=re.compile("Play|Pause"))).to_have_count(0)
        expect(page.locator(".replay .caption")).to_have_text(re.compile(": 22 later edits$"))
        page.keyboard.press("ArrowLeft")
        expect(slider).to_have_attribute("aria-valuetext", re.compile("claude-code: changed work/minutes$"))
        page.get_by_text("Replay", exact=True).click()
        page.get_by_role("link", name="Since yesterday").click()
        expect(slider).to_have_value("46")
        assert page.evaluate("() => location.hash") == "#/map?replay=yesterday"


def test_a_map_that_was_asked_for_before_a_replay_does_not_take_its_place(browser: "Browser", tmp_path: Path) -> None:
    with Memory(str(tmp_path)) as memory:
        memory.write("tea", "[[gone]]\n")
        memory.write("gone", "[[tea]]\n")
        memory.delete("gone")
    held: list[Route] = []
    with served(str(tmp_path)) as url, opened(browser, f"{url}icon.svg", is_routed=True) as page:
        page.goto(f"{url}#/map")
        page.locator(".connection.live").wait_for(state="attached")
        mapped(page)
        page.route("**/api/graph", lambda route: held.append(route))  # noqa: PLW0108 - no built-in
        called(url, "set_content", name="late", content="Later.\n")
        eventually(page, lambda: len(held), 1)
        page.evaluate("() => { location.hash = '#/map?replay=1'; }")
        has_deleted = "() => zkmem.renderer.getGraph().hasNode('gone')"
        until(page, has_deleted)
        with page.expect_response("**/api/graph"):
            held[0].continue_()
        expect(page.get_by_role("button", name="Play")).to_be_visible()
        assert page.evaluate(has_deleted)
