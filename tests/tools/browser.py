"""A real browser on the page of a real server, and the errors that it reports."""

import importlib.util
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import pytest
from mcp import Client
from mcp_types import Implementation

from tests.tools.servers import http_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request
    from playwright.sync_api._generated import LocatorAssertions

T = TypeVar("T")

_WHOLE = ("chromium", "chromium-browser", "google-chrome")
_COMMANDS = ("chromium-headless-shell", *_WHOLE)
"""The first takes a quarter less processor time: it has no windows, no viewer of PDF and no processes for frames."""
_DISABLED = [
    # what Playwright disables: only the last such list of a command line counts
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay",
    "HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled",
    "PreconnectToSearch",
    # pages of the address bar, for which each context would start two processes: half of what it costs
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
]  # fmt: skip
FLAGS = [
    # only WebGL emulates a graphics processor: for whole pages, that would take a fifth more of the processor
    *("--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader"),
    f"--disable-features={','.join(_DISABLED)}",
]
_PATIENCE_S = 30  # as long as Playwright waits for an element that it shall click
_AXE = Path(__file__).parents[1] / "axe" / "axe.min.js"
_STILL = "() => Promise.all(document.getAnimations().map((one) => Promise.race([one.finished, one.ready])))"
_NO_URL = re.compile(r"(?!)")  # matches nothing
_ABSENT = not any(map(shutil.which, _WHOLE)) or importlib.util.find_spec("playwright") is None

needs_browser = pytest.mark.skipif(
    _ABSENT and not os.environ.get("ZKMEM_TEST_BROWSER"), reason="needs Chromium and playwright"
)


@contextmanager
def chromium(*, is_whole: bool = False) -> Iterator["Browser"]:
    """Start Chromium with WebGL in software. A module must end it, since its event loop disturbs other tests.

    `is_whole`: whether it must be the Chromium that people use.
    """
    from playwright.sync_api import expect, sync_playwright  # noqa: PLC0415 - optional

    command = next(filter(None, map(shutil.which, _WHOLE if is_whole else _COMMANDS)), None)  # None: Playwright's own
    expect.set_options(timeout=1_000 * _PATIENCE_S)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=command, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def served(vault: str, toolsets: str = "zettel", **environ: str) -> Iterator[str]:
    """Serve the vault during the block; yield the page's address, with a slash at its end."""
    with http_server(vault, toolsets, **environ) as mcp:
        yield mcp.removesuffix("mcp")


@contextmanager
def opened(
    browser: "Browser", url: str, *, expected: tuple[str, ...] = (), is_routed: bool = False, **options: Any
) -> Iterator["Page"]:
    """Open the page in a new context. At the end, check that it had no error, broke no policy and asked no other host.

    `expected` are parts of console messages that the test provokes; `is_routed`: the test will set a route;
    `options` are those of a browser context.
    """
    # requests that a service worker answers pass by the routes of a test
    context = browser.new_context(**{"service_workers": "block", **options})
    # From the first route on, Chromium stops each request for Playwright. It tells the page's process so with a delay,
    # and a request in between is neither stopped nor seen by a test. So the first route is set before there is a page.
    # A page that has no route loads in three quarters of the time.
    if is_routed:
        context.route(_NO_URL, lambda route: route.continue_())
    page = context.new_page()
    complaints: list[str] = []
    origin = "/".join(url.split("/")[:3]) + "/"

    def hear(message: "ConsoleMessage") -> None:
        if message.type == "error":  # a broken policy is one, too
            complaints.append(message.text)

    def see(request: "Request") -> None:
        if not request.url.startswith((origin, "blob:", "data:")):
            complaints.append(request.url)

    page.on("console", hear)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", see)
    try:
        page.goto(url)
        yield page
        unexpected = [one for one in complaints if not any(part in one for part in expected)]
        assert unexpected == [], unexpected
    finally:
        context.close()


def settled(page: "Page") -> "Page":
    """The page, when its view is there, and its map, if it shows one, is arranged."""
    until(page, "() => document.querySelector('main > *') && !document.querySelector('.waiting, [aria-busy=true]')")
    return page


def mapped(page: "Page") -> "Page":
    """The page with the whole map, when it is arranged."""
    if not settled(page).locator(".show-graph").count():
        page.get_by_role("button", name="Map", exact=True).click()
    until(
        page,
        """() => document.querySelector('.show-graph') && document.querySelector('.stage[aria-busy=false]') &&
            zkmem.renderer.getDimensions().width === document.querySelector('#graph').clientWidth &&
            !zkmem.renderer.getCamera().isAnimated()""",
    )
    return page


def choose(page: "Page", action: str) -> None:
    """Choose from the menu of the open note."""
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menu").get_by_role("menuitem", name=action).or_(
        page.get_by_role("menu").get_by_role("menuitemradio", name=action)
    ).click()


def expect(locator: "Locator") -> "LocatorAssertions":
    """Return Playwright's assertions about elements; each of them waits until it holds."""
    from playwright.sync_api import expect as assertions  # noqa: PLC0415 - optional

    return assertions(locator)


def eventually(page: "Page", read: Callable[[], T], expected: object) -> None:
    """Read a value at each frame of the page until it is the expected one, and assert that it is.

    Use this where `expect` has no assertion. For what must never appear, use `assert` after a sign that the action has
    ended.
    """
    end = time.monotonic() + _PATIENCE_S
    while (value := read()) != expected and time.monotonic() < end:
        page.evaluate("() => new Promise(requestAnimationFrame)")
    assert value == expected


def until(page: "Page", script: str) -> None:
    """Ask a function of the page at each of its frames until it answers true."""
    page.evaluate(
        f"""async () => {{
            const end = performance.now() + {1_000 * _PATIENCE_S};
            while (!({script})()) {{
                if (performance.now() > end) throw new Error({script!r} + ' stays false');
                await new Promise(requestAnimationFrame);
            }}
        }}"""
    )


def called(url: str, tool: str, by: Implementation | None = None, **arguments: object) -> str:
    """Call a tool as another client of the same server; return the text of its answer."""

    async def call() -> str:
        async with Client(f"{url}mcp", client_info=by) as client:
            result = await client.call_tool(tool, arguments)
            return "".join(getattr(part, "text", "") for part in result.content)

    with anyio.from_thread.start_blocking_portal() as portal:  # the browser's loop has this thread
        return portal.call(call)


def faults(page: "Page", *, every: bool = False, of_colours: bool = False) -> list[str]:
    """Return the serious and critical faults that axe-core finds in what is shown now; with `every`, all of them.

    `of_colours`: only those that depend on colours.
    """
    page.evaluate(_STILL)
    if page.evaluate("() => typeof window.axe === 'undefined'"):
        page.evaluate(_AXE.read_text(encoding="utf-8"))
    options: dict[str, object] = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": every}}}
    if of_colours:
        options = {
            "resultTypes": ["violations"],
            "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
        }
    found = page.evaluate("(options) => axe.run(document, options)", options)["violations"]
    bad = [one for one in found if every or one["impact"] in {"serious", "critical"}]
    return [f"{one['id']}: {node['html'][:150]}" for one in bad for node in one["nodes"]]


def faults_in_both(page: "Page", *, every: bool = False) -> list[str]:
    """Return the faults in dark colours and in light ones, as `faults` does; the page keeps the light ones."""
    result = []
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        until(page, f"() => (document.documentElement.dataset.theme ?? {scheme!r}) === {scheme!r}")
        result += faults(page, every=every, of_colours=scheme == "dark")
    return result
