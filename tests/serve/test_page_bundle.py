"""The bundle of the page: made from the page's modules, kept by browsers, and few requests for the first view."""

import hashlib
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

import zkmem
from tests.tools.browser import needs_browser, opened
from tests.tools.servers import http_server
from tests.tools.vaults import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGE = Path(zkmem.__file__).parent / "serve" / "page"
BUNDLE = PAGE / "bundle"
MADE_FROM = {".js", ".mjs", ".css", ".html", ".svg", ".png", ".woff2", ".webmanifest", ".json"}
NOTES = {"hint.md": "Start here: [[drawn]].\n",
         "drawn.md": "$x$\n\n```mermaid\ngraph LR; a-->b\n```\n\n```js\nlet x;\n```\n"}  # fmt: skip
MOST_REQUESTS = 12
AT = re.search(r"b/([0-9a-f]{16})/", (BUNDLE / "index.html").read_text("utf-8"))


def digest() -> str:
    """The digest of all that the bundle is made from, as vendor/bundle.mjs computes it."""
    files = (path for path in PAGE.rglob("*") if path.suffix in MADE_FROM and path.is_file())
    paths = {
        path.relative_to(PAGE).as_posix(): path for path in files if not {"node_modules", "bundle"} & {*path.parts}
    }
    lines = [f"{name} {hashlib.sha256(paths[name].read_bytes()).hexdigest()}\n" for name in sorted(paths)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]


def test_the_bundle_is_made_from_the_scripts_as_they_are() -> None:
    assert AT
    assert AT[1] == digest(), "the bundle is older than its sources: make bundle"


@pytest.mark.node
@pytest.mark.skipif(not shutil.which("npm"), reason="needs npm")
def test_the_bundle_is_what_the_build_makes(tmp_path: Path) -> None:
    if not (PAGE / "vendor" / "node_modules" / "esbuild").is_dir():
        pytest.skip("make bundle has not installed esbuild")
    subprocess.run(["node", str(PAGE / "vendor" / "bundle.mjs"), str(tmp_path)], check=True)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert made == {path.relative_to(BUNDLE): path.read_bytes() for path in BUNDLE.rglob("*") if path.is_file()}


# Over HTTP


@pytest.mark.parametrize(
    "path", ["main.js", "main.css", "editor.js", "graph/worker.js", "vendor/editor.js", "vendor/math.css", "icon.svg"]
)
def test_a_browser_keeps_a_file_whose_address_changes_with_it(url: str, path: str) -> None:
    assert AT
    answer = httpx2.get(f"{url}{AT[0]}{path}", headers={"Accept-Encoding": "gzip"})
    file = BUNDLE / path if (BUNDLE / path).exists() else PAGE / path
    assert answer.content == file.read_bytes()
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")


@pytest.mark.parametrize("path", ["b/0123456789abcdef/main.js", "bundle/main.js", "{}index.html", "{}../site.py", "{}"])
def test_another_version_of_a_file_is_not_found(url: str, path: str) -> None:
    assert AT
    assert httpx2.get(url + path.format(AT[0])).status_code == 404


def test_each_file_of_the_bundle_names_only_files_that_are_served(url: str) -> None:
    assert AT
    for script in BUNDLE.rglob("*.js"):
        below = script.relative_to(BUNDLE).parent
        for named in re.findall(r'(?:\bfrom|\bimport|\bimport\()"(\.{1,2}/[^"]+)"', script.read_text("utf-8")):
            assert httpx2.head(f"{url}{AT[0]}{below / named}").status_code == 200, (script, named)
    for named in re.findall(r"url\(\"?(\./[^\")]+)", (BUNDLE / "main.css").read_text("utf-8")):
        assert httpx2.head(f"{url}{AT[0]}{named}").status_code == 200, named


def test_a_setting_serves_the_modules_themselves(tmp_path: Path) -> None:
    assert AT
    with http_server(write(tmp_path, NOTES), ZKMEM_PAGE_MODULES="true") as mcp:
        url = mcp.removesuffix("mcp")
        assert 'src="main.js"' in httpx2.get(url).text
        assert httpx2.get(f"{url}{AT[0]}main.js").status_code == 404


# In a browser


def asked_for(page: "Page", act: Callable[[], object]) -> list[str]:
    """What the page asks the server for while something is done, until its stream of changes has begun."""
    paths: dict[str, str] = {}

    def see(event: dict[str, Any]) -> None:
        paths[event["requestId"]] = event["request"]["url"]

    def forget(event: dict[str, Any]) -> None:
        if event.get("response", {"fromDiskCache": True})["fromDiskCache"]:
            paths.pop(event["requestId"], None)

    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.requestWillBeSent", see)
    session.on("Network.requestServedFromCache", forget)
    session.on("Network.responseReceived", forget)
    act()
    page.get_by_role("link", name="hint").first.wait_for()
    page.locator(".connection.live").wait_for(state="attached")
    page.evaluate("() => new Promise(requestIdleCallback)")
    session.detach()
    return list(paths.values())


@pytest.mark.browser
@needs_browser
def test_the_first_view_takes_few_requests_and_a_reload_no_script(browser: "Browser", url: str) -> None:
    with opened(browser, f"{url}icon.svg") as page:
        first = asked_for(page, lambda: page.goto(url))
        assert len(first) <= MOST_REQUESTS, first
        again = asked_for(page, page.reload)
        assert [one for one in again if "/b/" in one or one.endswith((".js", ".css"))] == [], again


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("modules", ["true", "false"])
def test_the_page_runs_as_modules_and_as_a_bundle(browser: "Browser", vault: str, modules: str) -> None:
    with http_server(vault, ZKMEM_PAGE_MODULES=modules) as mcp, opened(browser, mcp[:-3] + "#/note/drawn") as page:
        for drawn in (".katex", "img.diagram", ".hljs-keyword"):
            page.locator(drawn).first.wait_for()


@pytest.mark.browser
@needs_browser
def test_a_page_that_is_older_than_the_server_says_so_when_it_needs_another_script(
    browser: "Browser", url: str
) -> None:
    with opened(browser, url, expected=("404",), is_routed=True) as page:
        page.get_by_role("link", name="hint").first.wait_for()
        page.route("**/graph.js", lambda route: route.fulfill(status=404))
        page.keyboard.press("g")
        page.get_by_text("If zkmem has been updated, reload the page.").wait_for()
        page.reload()
        page.unroute("**/graph.js")
        page.keyboard.press("g")
        page.locator(".stage[aria-busy=false]").wait_for()


@pytest.mark.browser
@needs_browser
def test_a_dialog_whose_script_does_not_load_says_so_and_can_be_tried_again(browser: "Browser", url: str) -> None:
    with opened(browser, f"{url}icon.svg", expected=("404",), is_routed=True) as page:
        page.route("**/parts.js", lambda route: route.fulfill(status=404))
        page.goto(url)
        page.get_by_role("link", name="hint").first.wait_for()
        page.keyboard.press("?")
        page.locator(".toast", has_text="reload the page").wait_for()
        page.unroute("**/parts.js")
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Keys and search filters").wait_for()
