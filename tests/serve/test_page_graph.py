"""The graph of the page in a real browser, on a real server: what it shows, and what changes in it."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.tools.browser import called, eventually, expect, mapped, needs_browser, opened, served, until
from tests.tools.servers import http_server
from tests.tools.vaults import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, needs_browser]

NOTES = {
    "hint.md": "Start at [[topics/Vue]], [[topics/React]] and [[method/Cards]]; later [[Svelte]].\n",
    "topics/Vue.md": "Reactive, like [[topics/React]]. Watches quokkas.\n",
    "topics/React.md": "Hooks. See [[hint]].\n",
    "method/Cards.md": "One idea a card. See [[method/Links]].\n",
    "method/Links.md": "Links need reasons.\n",
    "Alone.md": "No link at all.\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> str:
    return write(tmp_path / "vault", NOTES)


@pytest.fixture
def url(vault: str) -> Iterator[str]:
    with served(vault) as address:
        yield address


def nodes(page: "Page", attribute: str = "label") -> dict[str, Any]:
    """What the picture has of each node; a missing one is under its target with a line break before it."""
    script = """name => {
        const { renderer } = zkmem;
        return Object.fromEntries(renderer.getGraph().mapNodes(key => [key, renderer.getNodeDisplayData(key)[name]]));
    }"""
    found: dict[str, Any] = page.evaluate(script, attribute)
    return found


def shown(page: "Page") -> set[str]:
    return {key for key, hidden in nodes(page, "hidden").items() if not hidden}


def place(page: "Page", key: str) -> tuple[float, float]:
    """Where a node is seen, in the window."""
    script = "k => zkmem.renderer.framedGraphToViewport(zkmem.renderer.getNodeDisplayData(k))"
    at, box = page.evaluate(script, key), page.locator(".stage").bounding_box()
    assert box
    return box["x"] + at["x"], box["y"] + at["y"]


def places(page: "Page") -> dict[str, list[float]]:
    """Where each node stands in the graph, whatever part of it is seen."""
    script = "() => Object.fromEntries(zkmem.renderer.getGraph().mapNodes((key, { x, y }) => [key, [x, y]]))"
    found: dict[str, list[float]] = page.evaluate(script)
    return found


def test_every_note_and_every_missing_target_is_in_the_graph_until_it_is_left_out(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        found = nodes(mapped(page), "inside")
        assert set(found) == {name.removesuffix(".md") for name in NOTES} | {"\nSvelte"}
        assert {key for key, inside in found.items() if inside} == {"\nSvelte"}  # hollow
        assert page.evaluate("zkmem.renderer.getGraph().size") == 7
        expect(page.locator(".stage")).to_have_attribute("aria-label", re.compile("6 notes, 7 links, 1 missing"))
        page.get_by_text("View", exact=True).click()
        page.get_by_role("checkbox", name="Missing notes").uncheck()
        until(page, "() => zkmem.renderer.getNodeDisplayData('\\nSvelte').hidden")
        page.get_by_label("Folder", exact=True).select_option(label="topics (2)")
        until(page, "() => zkmem.renderer.getNodeDisplayData('hint').hidden")
        eventually(page, lambda: shown(page), {"topics/Vue", "topics/React"})
        page.get_by_label("Folder", exact=True).select_option(label="All folders")
        page.locator(".legend").get_by_role("button", name="method").click()
        until(page, "() => zkmem.renderer.getNodeDisplayData('method/Cards').hidden")
        eventually(page, lambda: shown(page), {"hint", "Alone", "topics/Vue", "topics/React"})
        page.locator(".legend").get_by_role("button", name="method").click()
        page.goto(f"{url}#/note/method/Cards")
        page.locator(".body").wait_for()
        mapped(page).get_by_label("Show", exact=True).select_option(label="One link away")
        until(page, "() => zkmem.renderer.getNodeDisplayData('Alone').hidden")
        eventually(page, lambda: shown(page), {"method/Cards", "method/Links", "hint"})
        page.get_by_label("Show", exact=True).select_option(label="Two links away")
        until(page, "() => !zkmem.renderer.getNodeDisplayData('topics/Vue').hidden")
        eventually(page, lambda: "Alone" in shown(page), False)


def test_names_that_every_object_has_are_linked_like_others(browser: "Browser", vault: str) -> None:
    from playwright.sync_api import TimeoutError as TooLate  # noqa: PLC0415 - it is there if this test runs

    write(vault, {"constructor.md": "[[__proto__]] [[toString]]\n", "__proto__.md": "[[constructor]] [[hint]]\n"})
    with served(vault) as url, opened(browser, url) as page:
        page.goto(f"{url}#/note/constructor")
        page.locator(".body").wait_for()
        mapped(page)
        script = "() => zkmem.renderer.getGraph().mapEdges((_, __, from, to) => [from.trim(), to.trim()])"
        links = {(one, other) for one, other in page.evaluate(script) if {one, other} & {"constructor", "__proto__"}}
        named = {("constructor", "__proto__"), ("constructor", "toString"), ("__proto__", "constructor")}
        assert links == named | {("__proto__", "hint")}
        eventually(page, lambda: nodes(page, "highlighted")["\n\nconstructor"], True)
        for _ in range(10):  # on a busy machine the picture may still move to the note that is open
            page.mouse.click(*place(page, "\n\n__proto__"))
            with suppress(TooLate):
                page.wait_for_url("**/#/note/__proto__", timeout=3_000)
                break
        page.wait_for_url("**/#/note/__proto__", timeout=1_000)


def test_a_click_on_a_node_opens_its_note_and_a_drag_only_moves_it(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        x, y = place(mapped(page), "topics/Vue")
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 20, y + 10)
        page.mouse.move(x + 60, y + 30)
        page.mouse.up()
        until(page, "() => zkmem.renderer.getMouseCaptor().draggedEvents === 0")
        eventually(page, lambda: place(page, "topics/Vue"), pytest.approx((x + 60, y + 30), abs=2))
        assert "#" not in page.url
        page.mouse.move(x + 61, y + 30)
        page.mouse.click(*place(page, "topics/Vue"))
        page.wait_for_url("**/#/note/topics/Vue")


def test_a_node_can_be_dragged_in_a_frame_in_which_everything_is_arranged_anew(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        x, y = place(mapped(page), "topics/Vue")
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 20, y + 10)
        script = """([x, y]) => {
            zkmem.renderer.setSetting('labelSize', 13);
            const move = new MouseEvent('mousemove', { clientX: x, clientY: y, bubbles: true });
            document.querySelector('.stage canvas').dispatchEvent(move);
        }"""
        page.evaluate(script, [x + 60, y + 30])
        page.mouse.up()
        eventually(page, lambda: place(page, "topics/Vue"), pytest.approx((x + 60, y + 30), abs=2))


def test_a_reload_shows_the_same_picture_without_arranging_it_again(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        before = places(mapped(page))
        page.reload()
        assert places(mapped(page)) == {key: pytest.approx(place, abs=0.06) for key, place in before.items()}
        loaded = "() => performance.getEntriesByType('resource').map(({ name }) => name)"
        assert not [name for name in page.evaluate(loaded) if name.endswith("worker.js")]


def test_a_change_by_another_client_appears_with_everything_else_in_its_place(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        before = places(mapped(page))
        page.locator(".connection.live").wait_for(state="attached")
        called(url, "set_content", name="topics/Lit", content="Small. See [[topics/Vue]].\n")
        until(page, "() => zkmem.renderer.getGraph().hasDirectedEdge('topics/Lit', 'topics/Vue')")
        after = places(page)
        assert after.pop("topics/Lit")
        assert after == before
        expect(page.locator("#changes")).to_have_text("mcp changed topics/Lit")
        called(url, "set_content", name="Svelte", content="Compiled.\n")
        until(page, "() => zkmem.renderer.getGraph().hasNode('Svelte')")
        eventually(page, lambda: [key for key, inside in nodes(page, "inside").items() if inside], [])
        assert places(page)["Svelte"] == before["\nSvelte"]


def test_a_lost_connection_is_said_and_mended(browser: "Browser", vault: str) -> None:
    with ExitStack() as server:
        url = server.enter_context(served(vault))
        with opened(browser, url, expected=("ERR_",)) as page:
            mapped(page).locator(".connection.live").wait_for(state="attached")
            server.close()
            page.get_by_text("Not connected").wait_for()
            write(vault, {"Later.md": "Written meanwhile.\n"})
            server.enter_context(http_server(vault, "zettel", "--port", str(urlsplit(url).port)))
            page.locator(".connection.live").wait_for(state="attached")
            until(page, "() => zkmem.renderer.getGraph().hasNode('Later')")
