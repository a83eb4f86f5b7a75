"""The page in Chromium on a made vault: the first view on slow networks, and how the map appears, moves and grows.

`python -m benchmarks.page --notes 10000`. Graphics are those of the machine; without a graphics card, in software.
"""

import argparse
import functools
import itertools
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from benchmarks.generate import generate
from tests.tools.servers import http_server

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
_NETWORKS = {"0 ms": (0, -1), "80 ms": (80, -1), "150 ms": (150, -1), "150 ms, 1.6 Mbit/s": (150, 200_000)}
"""Milliseconds from a request to the answer, and bytes a second."""
_USABLE = """() => requestAnimationFrame(function look() {
  if (document.querySelector('main a[href^="#/note/"]')) performance.mark('zkmem:usable');
  else requestAnimationFrame(look);
})"""
_COUNT = """() => {
  window.frames_ = { count: 0, from: performance.now() };
  window.frames_.heard = () => { window.frames_.count += 1; };
  zkmem.renderer.on('afterRender', window.frames_.heard);
}"""
_RATE = """() => {
  const { count, from, heard } = window.frames_;
  zkmem.renderer.off('afterRender', heard);
  return 1000 * count / (performance.now() - from);
}"""

_GROW = """name => {
  const frames = new Promise(done => {
    let count = 0, from = 0;
    requestAnimationFrame(function frame(now) {
      if (from && !zkmem.recent.isGrowing(name)) done(1000 * count / (now - from));
      else requestAnimationFrame(frame);
      if (from) count += 1;
      else if (zkmem.recent.named().includes(name)) from = now;
    });
  });
  window.grown_ = frames;
}"""


def _ready(page: Page) -> None:
    page.locator(".stage[aria-busy=false]").wait_for(state="attached")


def _mark(page: Page, name: str) -> float:
    """When a mark was set, in milliseconds since the page was asked for; waits for it."""
    script = f"""async () => {{
      for (;;) {{
        const [mark] = performance.getEntriesByName('{name}');
        if (mark) return mark.startTime;
        await new Promise(requestAnimationFrame);
      }}
    }}"""
    return float(page.evaluate(script))


def _moved(page: Page, start: tuple[float, float], step: tuple[float, float], moves: int) -> float:
    """Frames a second while the mouse is held down and moved."""
    page.mouse.move(*start)
    page.mouse.down()
    page.evaluate(_COUNT)
    for at in range(1, moves + 1):
        page.mouse.move(start[0] + at * step[0], start[1] + at * step[1])
    rate = float(page.evaluate(_RATE))
    page.mouse.up()
    return rate


def _pan(page: Page) -> float:
    box = page.locator(".stage").bounding_box()
    assert box
    return _moved(page, (box["x"] + 30, box["y"] + box["height"] / 2), (3, 2), 60)


def _drag(page: Page) -> float:
    """Drag the heaviest node, in the middle of the picture; return the frames a second."""
    page.evaluate("""() => {
      const { renderer } = zkmem, graph = renderer.getGraph();
      const heaviest = graph.nodes().reduce((a, b) =>
        graph.getNodeAttribute(b, 'weight') > graph.getNodeAttribute(a, 'weight') ? b : a);
      const { x, y } = renderer.getNodeDisplayData(heaviest);
      renderer.getCamera().setState({ x, y, ratio: 0.5 });
    }""")
    box = page.locator(".stage").bounding_box()
    assert box
    return _moved(page, (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2), (2, 1), 60)


def _grow(page: Page, url: str, names: Iterator[str]) -> float:
    """Write a note that links to the heaviest one; return the frames a second while it grows from there."""
    heaviest = page.evaluate("""() => {
      const graph = zkmem.renderer.getGraph();
      zkmem.renderer.getCamera().setState({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
      return graph.filterNodes((_, { folder }) => folder !== null).reduce((a, b) =>
        graph.getNodeAttribute(b, 'weight') > graph.getNodeAttribute(a, 'weight') ? b : a);
    }""")
    name = next(names)
    page.evaluate(_GROW, name)
    text = {"content": f"Grows from [[{heaviest}]].\n"}
    answer = page.request.put(f"{url}api/notes/{name}", data=text, headers={"If-None-Match": "*"})
    assert answer.ok, answer.text()
    return float(page.evaluate("() => window.grown_"))


def _times(what: Callable[[], float], runs: int) -> dict[str, Any]:
    values = [what() for _ in range(runs)]
    return {"median": round(statistics.median(values), 1), "of": [round(value, 1) for value in sorted(values)]}


class _View(NamedTuple):
    """Until the page has a note to open, and for a second more."""

    ms: float
    requests: int  # that reached the server
    bytes: float  # with the headers


def _view(page: Page, session: CDPSession, act: Callable[[], object]) -> _View:
    asked: set[str] = set()
    received: list[float] = []

    def begun(event: dict[str, Any]) -> None:
        asked.add(event["requestId"])

    def kept(event: dict[str, Any]) -> None:
        if event.get("response", {"fromDiskCache": True})["fromDiskCache"]:
            asked.discard(event["requestId"])

    def ended(event: dict[str, Any]) -> None:
        received.append(event["encodedDataLength"])

    heard = {
        "requestWillBeSent": begun,
        "requestServedFromCache": kept,
        "responseReceived": kept,
        "loadingFinished": ended,
    }
    for name, hear in heard.items():
        session.on(f"Network.{name}", hear)
    act()
    ms = _mark(page, "zkmem:usable")
    page.wait_for_timeout(1000)
    for name, hear in heard.items():
        session.remove_listener(f"Network.{name}", hear)
    return _View(ms, len(asked), sum(received))


def first_views(browser: Browser, url: str, runs: int) -> dict[str, Any]:
    """The first view of Home and its reload, in networks of some delay and speed: medians."""
    found: dict[str, Any] = {}
    for network, (delay, speed) in _NETWORKS.items():
        views: dict[str, list[_View]] = {"first": [], "again": []}
        for _ in range(runs):
            with browser.new_context(viewport={"width": 1360, "height": 860}) as context:
                context.add_init_script(f"({_USABLE})()")
                page = context.new_page()
                session = context.new_cdp_session(page)
                limits = {"offline": False, "latency": delay, "downloadThroughput": speed, "uploadThroughput": -1}
                session.send("Network.enable")
                session.send("Network.emulateNetworkConditions", limits)
                views["first"].append(_view(page, session, functools.partial(page.goto, url)))
                views["again"].append(_view(page, session, page.reload))
        for which, seen in views.items():
            medians = (round(statistics.median(values)) for values in zip(*seen, strict=True))
            found[f"{network}, {which}"] = _View(*medians)._asdict()
    return found


def _open_map(page: Page) -> float:
    """Open the map; return when its first picture was seen, in milliseconds since the page was asked for."""
    page.locator("main > article").wait_for()
    page.keyboard.press("g")
    return _mark(page, "zkmem:first-picture")


def _visit(browser: Browser, url: str) -> float:
    with browser.new_context(viewport={"width": 1360, "height": 860}) as context:
        page = context.new_page()
        page.goto(url)
        return _open_map(page)


def measure(browser: Browser, url: str, runs: int) -> dict[str, Any]:
    """All figures: the first view; milliseconds to the map, with an empty store and on a reload; frames a second."""
    found: dict[str, Any] = {
        "first view": first_views(browser, url, runs),
        "first picture of the map, ms": _times(lambda: _visit(browser, url), runs),
    }
    page = browser.new_page(viewport={"width": 1360, "height": 860})
    page.set_default_timeout(120_000)
    page.goto(url)
    _open_map(page)
    _ready(page)
    found["arranged, s"] = round(_mark(page, "zkmem:arranged") / 1000, 1)
    found["frames a second, moving the picture"] = _times(lambda: _pan(page), runs)
    found["frames a second, dragging a note"] = _times(lambda: _drag(page), runs)
    page.locator(".connection.live").wait_for(state="attached")
    names = (f"Grown {at}" for at in itertools.count(1))
    found["frames a second, a new note grows"] = _times(lambda: _grow(page, url, names), runs)

    def again() -> float:
        page.reload()
        return _open_map(page)

    found["first picture of the map on a reload, ms"] = _times(again, runs)
    found["graphics"] = page.evaluate(
        "() => { const gl = document.createElement('canvas').getContext('webgl2');"
        " return gl.getParameter(gl.getExtension('WEBGL_debug_renderer_info').UNMASKED_RENDERER_WEBGL); }"
    )
    return found


def main() -> None:
    """Measure the page and print the figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description="Measure the page in Chromium.")
    parser.add_argument("--notes", type=int, default=10_000, help="notes in the made vault")
    parser.add_argument("--runs", type=int, default=5, help="how often each thing is measured")
    options = parser.parse_args()
    if not CHROMIUM:
        sys.exit("benchmarks.page needs Chromium; install it, for example: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        vault = str(Path(folder, "vault"))
        generate(vault, options.notes, seed=1)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with http_server(vault) as mcp:
            figures = measure(browser, mcp.removesuffix("mcp"), options.runs)
        browser.close()
    print(json.dumps({"notes": options.notes, **figures}, indent=2))


if __name__ == "__main__":
    main()
