"""The page as an installed program: its manifest, and its service worker when the server does not answer."""

import json
import socket
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import httpx2
import pytest

from tests.tools.browser import eventually, expect, faults, needs_browser, opened, served
from tests.tools.servers import http_server
from tests.tools.vaults import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NOTES = {"hint.md": "Start here.\n"}
KEPT = ["icon.svg", "offline.css", "offline.html", "offline.js"]
CONTROLLED = "() => navigator.serviceWorker.controller !== null"
FILES = """async () => {
    const caches_ = await Promise.all((await caches.keys()).map((key) => caches.open(key)));
    const requests = (await Promise.all(caches_.map((cache) => cache.keys()))).flat();
    return requests.map(({ url }) => url);
}"""


def free_port() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


def controlled(page: "Page") -> "Page":
    """The page, when its service worker answers for it."""
    page.get_by_text("Start here.").wait_for()
    page.wait_for_function(CONTROLLED)
    return page


@pytest.mark.browser
@needs_browser
def test_without_a_server_the_page_says_so_and_comes_back_with_it(
    browser: "Browser", tmp_path_factory: pytest.TempPathFactory
) -> None:
    vault, port = write(tmp_path_factory.mktemp("vault"), NOTES), free_port()
    url = f"http://127.0.0.1:{port}/"
    with browser.new_context(service_workers="allow") as context:
        page = context.new_page()
        with http_server(vault, "zettel", "--port", port):
            page.goto(f"{url}#/note/hint")
            controlled(page)
            page.reload()
            controlled(page)
            eventually(page, lambda: sorted(one.removeprefix(url) for one in page.evaluate(FILES)), KEPT)
        page.reload()
        page.get_by_role("heading", name="zkmem is not running").wait_for()
        expect(page.locator("#address")).to_have_text(f"127.0.0.1:{port}")
        expect(page.locator("main")).to_have_css("text-align", "center")
        assert faults(page) == []
        page.get_by_role("button", name="Try again").click()
        page.get_by_text("Still no answer.").wait_for()
        with http_server(vault, "zettel", "--port", port):
            page.get_by_text("Start here.").wait_for()
            page.wait_for_url(f"{url}#/note/hint")


@pytest.mark.browser
@needs_browser
def test_the_page_breaks_no_rule_with_its_service_worker(
    browser: "Browser", tmp_path_factory: pytest.TempPathFactory
) -> None:
    vault = write(tmp_path_factory.mktemp("vault"), NOTES)
    with served(vault) as url, opened(browser, f"{url}#/note/hint", service_workers="allow") as page:
        controlled(page).reload()
        controlled(page)
        session = page.context.new_cdp_session(page)
        found = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
        assert {one["errorId"] for one in found} <= {"in-incognito"}  # as every context of a test is
        assert session.send("Page.getAppManifest")["errors"] == []


def test_the_manifest_stays_below_the_address_of_the_page(tmp_path_factory: pytest.TempPathFactory) -> None:
    with served(write(tmp_path_factory.mktemp("vault"), NOTES)) as url:
        answer = httpx2.get(f"{url}manifest.webmanifest")
        assert answer.headers["content-type"] == "application/manifest+json"
        manifest = json.loads(answer.text)
        place = "https://example.org/notes/"
        for one in (manifest["id"], manifest["start_url"], manifest["scope"]):
            assert urljoin(f"{place}manifest.webmanifest", one) == place
        for shortcut in manifest["shortcuts"]:
            assert urljoin(f"{place}manifest.webmanifest", shortcut["url"]).startswith(f"{place}#/")
        for icon in manifest["icons"]:
            picture = httpx2.get(urljoin(url, icon["src"]))
            assert picture.headers["content-type"] == icon["type"]
            if icon["type"] == "image/png":
                size = int.from_bytes(picture.content[16:20], "big")
                assert icon["sizes"] == f"{size}x{size}"
