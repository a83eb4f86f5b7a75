"""The page in Chromium on a made vault: the time to the first picture, and frames a second while it moves or grows.

`python -m benchmarks.page --notes 10000`. Graphics are those of the machine; without a graphics card, in software.
"""

import argparse
import itertools
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.generate import generate
from tests.tools.servers import http_server

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
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


def _visit(browser: Browser, url: str) -> float:
    context = browser.new_context(viewport={"width": 1360, "height": 860})
    page = context.new_page()
    page.goto(url)
    first = _mark(page, "zkmem:first-picture")
    context.close()
    return first


def measure(browser: Browser, url: str, runs: int) -> dict[str, Any]:
    """All figures: milliseconds to the first picture, with an empty store and on a reload; frames a second."""
    found: dict[str, Any] = {"first picture, ms": _times(lambda: _visit(browser, url), runs)}
    page = browser.new_page(viewport={"width": 1360, "height": 860})
    page.set_default_timeout(120_000)
    page.goto(url)
    _ready(page)
    page.keyboard.press("g")  # the whole map
    found["arranged, s"] = round(_mark(page, "zkmem:arranged") / 1000, 1)
    found["frames a second, moving the picture"] = _times(lambda: _pan(page), runs)
    found["frames a second, dragging a note"] = _times(lambda: _drag(page), runs)
    page.locator(".connection.live").wait_for(state="attached")
    names = (f"Grown {at}" for at in itertools.count(1))
    found["frames a second, a new note grows"] = _times(lambda: _grow(page, url, names), runs)

    def again() -> float:
        page.reload()
        return _mark(page, "zkmem:first-picture")

    found["first picture on a reload, ms"] = _times(again, runs)
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
