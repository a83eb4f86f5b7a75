"""The views of zkmem's tools in a host: a page around the AppBridge of MCP Apps from npm, in a browser."""

import os
import pathlib
import shutil
import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.conformance import node
from tests.tools.browser import chromium, expect, faults, needs_browser, until
from tests.tools.servers import http_server
from tests.tools.vaults import read, write
from zkmem.caller import Grant
from zkmem.memory import Memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FrameLocator, Page

pytestmark = [pytest.mark.node, pytest.mark.browser, needs_browser]

HOST = pathlib.Path(__file__).parent / "host.mjs"
PAGE = """<!doctype html><html lang="en"><title>Host</title><meta name="color-scheme" content="light dark">
<style>body { margin: 0 } iframe { width: 100%; border: 0; min-height: 100px }</style>
<main></main><script type="module">SCRIPT</script></html>"""
HOSTILE = (
    "<img src=x onerror=alert(1)> <script>alert(2)</script> [out](https://example.org) ![p](https://example.org/p.png)"
)
TEXTS = {
    "hint.md": "Start with [[tea]] and [[cup]].\n",
    "tea.md": "# Tea\n\nSteep it at 80 °C.\n\n# Water\n\nOf the well.\n\n# Time\n\nThree minutes, in a [[cup]].\n",
    "cup.md": "Of clay.\n",
    "old.md": "An old contract that nobody has a copy of.\n",
}


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of the host, with the packages that it needs."""
    if shutil.which("npm") is None:
        assert "ZKMEM_TEST_NODE" not in os.environ, "CI has node"
        pytest.skip("needs node")
    commands, made = node.installed(), tmp_path_factory.mktemp("host") / "host.js"
    packages = os.environ | {"NODE_PATH": str(commands.parent)}
    order = [str(commands / "esbuild"), str(HOST), "--bundle", "--format=esm", "--log-level=error", f"--outfile={made}"]
    subprocess.run(order, check=True, env=packages)
    return made.read_text("utf-8").replace("</script", "<\\/script")


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with chromium() as found:
        yield found


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    """A vault in which a client has deleted a note, written one, and changed two passages of a third."""
    vault = write(tmp_path / "vault", TEXTS)
    with Memory(vault) as memory:
        model = memory.on_behalf(client="codex 0.46.0")
        model.delete("old")
        model.write("mug", f"Big. {HOSTILE}\n")
        model.write("tea", TEXTS["tea.md"].replace("80", "75").replace("Three", "Four"))
    return vault


@pytest.fixture
def page(browser: "Browser", script: str, vault: str) -> Iterator["Page"]:
    """The host on a server of the vault."""
    with http_server(vault, "zettel,history,vault") as url:
        context = browser.new_context()
        context.route(
            "**/host.html", lambda route: route.fulfill(content_type="text/html", body=PAGE.replace("SCRIPT", script))
        )
        found = context.new_page()
        errors: list[str] = []
        found.on("pageerror", lambda error: errors.append(str(error)))
        found.on("request", lambda one: errors.append(one.url) if "example.org" in one.url else None)
        found.on("dialog", lambda dialog: errors.append(dialog.message))
        found.goto(url.removesuffix("mcp") + "host.html")
        tools = found.evaluate("url => host.connect(url)", url)
        assert {"review", "show_map"} <= set(tools)
        assert not {"review_change", "review_decide"} & set(tools), "the model does not see them"
        yield found
        context.close()
        assert errors == []


def shown(page: "Page", tool: str, **arguments: object) -> "FrameLocator":
    """Call a tool as the model does; return its view."""
    page.evaluate("([tool, given]) => host.call(tool, given)", [tool, arguments])
    return page.frame_locator("iframe")


def test_a_person_keeps_one_change_and_undoes_another(page: "Page", vault: str) -> None:
    text = page.evaluate("() => host.call('review')")
    assert text.splitlines()[0].startswith("1 client, 3 edits since ")
    assert text.splitlines()[1].startswith("old: deleted")
    view = page.frame_locator("iframe")
    rows = view.get_by_role("list", name="What happened to each note").get_by_role("listitem")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("old deleted")
    view.get_by_role("button", name="Keep: mug").click()
    expect(rows).to_have_count(2)
    expect(view.get_by_role("status")).to_have_text("kept mug")
    view.get_by_role("button", name="Undo: old").click()
    expect(view.get_by_role("group", name="Undo what was done to old?")).to_contain_text(
        "An old contract that nobody has a copy of."
    )
    assert "old.md" not in read(vault), "only a preview"
    view.get_by_role("button", name="Undo", exact=True).click()
    expect(rows).to_have_count(1)
    assert read(vault)["old.md"].decode() == TEXTS["old.md"]
    with Memory(vault) as memory:
        assert memory.log(limit=1)[0].author == "review in a chat"
    until(page, "() => host.contexts.length === 2")
    assert "undid what was done to old" in page.evaluate("() => host.contexts[1]")


def test_a_person_undoes_one_passage_with_the_keyboard(page: "Page", vault: str) -> None:
    view = shown(page, "review")
    row = view.get_by_role("button", name="tea changed")
    row.press("Enter")
    expect(row).to_have_attribute("aria-expanded", "true")
    expect(view.locator("ins")).to_have_text(["75", "Four"])
    view.get_by_role("button", name="Undo this passage…").nth(1).press("Enter")
    view.get_by_role("button", name="Undo", exact=True).press("Enter")
    expect(view.get_by_role("status")).to_contain_text("tea")
    assert read(vault)["tea.md"].decode() == TEXTS["tea.md"].replace("80", "75")


def test_the_html_of_a_note_leads_nowhere_and_loads_nothing(page: "Page") -> None:
    view = shown(page, "review")
    view.get_by_role("button", name="mug").first.click()
    expect(view.locator(".changed")).to_contain_text("Big.")
    assert view.locator(".changed :is([href], [src], [onerror], img, script)").count() == 0


def test_a_person_accepts_one_proposed_edit_and_drops_another(page: "Page", vault: str) -> None:
    with Memory(vault) as memory:
        bot = memory.restricted(Grant(proposes_as="bot"))
        for name in ("first", "second"):
            bot.write(name, "New.\n")
    assert "bot proposes 2 edits" in page.evaluate("() => host.call('review')")
    view = page.frame_locator("iframe")
    proposed = view.get_by_role("region", name="Proposed by bot")
    proposed.get_by_role("button", name="Created first", exact=True).click()
    expect(proposed.locator(".changed")).to_contain_text("New.")
    proposed.get_by_role("button", name="Accept Created first").click()
    expect(view.get_by_role("status")).to_have_text("accepted 1 proposed edit")
    proposed.get_by_role("button", name="Drop Created second").click()
    assert "first.md" in read(vault)
    view.get_by_role("button", name="Drop", exact=True).click()
    expect(proposed).to_have_count(0)
    assert "second.md" not in read(vault)


def test_the_map_shows_a_note_between_its_neighbours_and_follows_a_click(page: "Page") -> None:
    view = shown(page, "show_map", name="tea")
    expect(view.get_by_role("heading", name="tea")).to_be_visible()
    view.get_by_role("button", name="cup: linked from here").press("Enter")
    expect(view.get_by_role("heading", name="cup")).to_be_focused()
    expect(view.get_by_role("button", name="hint: links here")).to_be_visible()
    view.get_by_role("button", name="Back to tea").click()
    expect(view.get_by_role("heading", name="tea")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("tool", "given"), [("review", {}), ("show_map", {"name": "tea"})])
def test_a_view_has_the_hosts_colours_and_no_fault(
    page: "Page", tool: str, given: dict[str, object], theme: str
) -> None:
    page.set_viewport_size({"width": 320, "height": 700})
    page.evaluate("([tool, given, theme]) => host.call(tool, given, theme)", [tool, given, theme])
    view = page.frame_locator("iframe")
    view.get_by_role("button").first.wait_for()
    scheme = view.locator("html").evaluate("root => getComputedStyle(root).colorScheme")
    assert scheme == theme
    assert view.locator("html").evaluate("root => root.scrollWidth") <= 320
    inner = page.frames[1]
    assert faults(inner) == []  # type: ignore[arg-type]
