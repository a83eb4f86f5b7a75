"""What the map of the page tells: the colours of groups, in a real browser and by arithmetic."""

import itertools
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import zkmem
from tests.serve.test_page_graph import NOTES
from tests.tools.browser import chromium, needs_browser, opened, served, settled, until
from tests.tools.vaults import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STYLE = Path(zkmem.__file__).parent / "serve" / "page" / "style.css"
SEEN_BY = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
}
"""What people with some cones see of linear red, green and blue (Machado and others, 2009)."""

Colour = tuple[float, float, float]


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with chromium() as found:
        yield found


@pytest.fixture
def vault(tmp_path: Path) -> str:
    return write(tmp_path / "vault", NOTES)


@pytest.fixture
def url(vault: str) -> Iterator[str]:
    with served(vault) as address:
        yield address


def asked(page: "Page", module: str, script: str) -> Any:
    """The value of an expression; `m` is one of the graph's modules, `random` returns the same numbers each time."""
    seeded = "let state = 7; const random = () => ((state = (state * 48271) % 2147483647) - 1) / 2147483646"
    return page.evaluate(f"async () => {{ const m = await import('./graph/{module}.js'); {seeded}; return {script}; }}")


# Colours


def palettes() -> dict[str, dict[str, Colour]]:
    """The hexadecimal colours of the graph in both themes, as linear red, green and blue."""
    blocks = re.findall(r"color-scheme: (\w+);(.*?)\}", STYLE.read_text(encoding="utf-8"), re.DOTALL)
    of = {theme: re.findall(r"--(group-\w+|graph-back): #(\w{6});", text) for theme, text in blocks}
    return {theme: {name: linear(colour) for name, colour in colours} for theme, colours in of.items()}


def linear(colour: str) -> Colour:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4))
    one, two, three = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue))
    return one, two, three


def seen(colour: Colour, by: str) -> Colour:
    """A colour in Oklab, where equal distances look alike."""
    r, g, b = (sum(part * one for part, one in zip(row, colour, strict=True)) for row in SEEN_BY[by])
    long, middle, short = (
        math.cbrt(x * r + y * g + z * b)
        for x, y, z in (
            (0.4122214708, 0.5363325363, 0.0514459929),
            (0.2119034982, 0.6806995451, 0.1073969566),
            (0.0883024619, 0.2817188376, 0.6299787005),
        )
    )
    return (
        0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short,
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_two_colours_of_groups_differ_for_people_who_lack_cones_too_and_stand_out(theme: str) -> None:
    colours = palettes()[theme]
    groups = {name: colour for name, colour in colours.items() if re.fullmatch(r"group-\d+", name)}
    assert len(groups) == 12
    for by in SEEN_BY:
        for one, other in itertools.combinations(groups, 2):
            assert math.dist(seen(groups[one], by), seen(groups[other], by)) > 0.08, (by, one, other)
    back = 0.05 + sum(
        weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), colours["graph-back"], strict=True)
    )
    for name, colour in groups.items():
        light = 0.05 + sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), colour, strict=True))
        assert max(light / back, back / light) >= 3, name


def colours_of_folders(page: "Page") -> dict[str, str]:
    script = """() => Object.fromEntries(zkmem.renderer.getGraph().mapNodes((key, { folder }) =>
        [folder, zkmem.renderer.getNodeDisplayData(key).color]))"""
    found: dict[str, str] = page.evaluate(script)
    return found


@pytest.mark.browser
@needs_browser
def test_a_folder_keeps_its_colour_while_others_grow_and_appear_and_after_a_reload(
    browser: "Browser", vault: str, url: str
) -> None:
    with opened(browser, url) as page:
        before = colours_of_folders(settled(page))
        page.locator(".connection.live").wait_for(state="attached")
        write(vault, {f"method/More {at}.md": "More.\n" for at in range(5)} | {"aaa/New.md": "New.\n"})
        until(page, "() => zkmem.renderer.getGraph().order === 13")
        after = colours_of_folders(page)
        assert after | before == after
        assert len(set(after.values())) == len(after)
        legend = page.locator(".legend li").all_inner_texts()
        assert legend[0].split() == ["method", "7"]
        page.reload()
        assert colours_of_folders(settled(page)) == after


@pytest.mark.browser
@needs_browser
def test_the_name_decides_about_the_colour_of_a_folder(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        settled(page)
        script = """Array.from({ length: 200 }, (_, turn) => {
            const names = Array.from({ length: 1 + turn % 30 }, () => `f${Math.floor(random() * 1e6)}`);
            const first = m.withSlots({}, names), again = m.withSlots({}, [...names].reverse());
            const more = m.withSlots(first, [...names, 'a', 'z', 'constructor', '__proto__']);
            const few = new Set(names).size <= 12;
            return names.every(name => first[name] === again[name] && more[name] === first[name])
                && (!few || new Set(Object.values(first)).size === new Set(names).size)
                && m.withSlots({}, names.slice(0, 1))[names[0]] === m.preferences(names[0])[0];
        }).every(Boolean)"""
        assert asked(page, "slots", script)


@pytest.mark.browser
@needs_browser
def test_a_community_keeps_its_number_while_it_has_most_of_its_notes(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        settled(page)
        of = "[...m.renumbered({}, {})]".format
        assert asked(page, "communities", of("Array(5).fill(m.NONE)", "[9, 4, 4, 9, 4]")) == [1, 0, 0, 1, 0]
        assert asked(page, "communities", of("[0, 0, 0, 1, 1]", "[3, 3, 8, 8, 8]")) == [0, 0, 1, 1, 1]
        assert asked(page, "communities", of("[0, 0, 1, 1, 1, 1]", "[5, 5, 6, 6, 7, 7]")) == [0, 0, 1, 1, 2, 2]
        assert asked(page, "communities", of("[0, 0, 2, 2, m.NONE]", "[5, 5, 5, 5, 6]")) == [0, 0, 0, 0, 1]
        script = """Array.from({ length: 200 }, () => {
            const now = Array.from({ length: 60 }, () => Math.floor(random() * 8));
            const before = now.map(one => random() < 0.2 ? m.NONE : random() < 0.2 ? 40 : one + 10);
            const after = m.renumbered(before, now);
            const pairs = new Set(now.map((one, at) => `${one} ${after[at]}`));
            return pairs.size === new Set(now).size && pairs.size === new Set(after).size;
        }).every(Boolean)"""
        assert asked(page, "communities", script)
