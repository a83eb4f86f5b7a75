"""What the map of the page shows: the colours of groups, the places of notes and regions."""

import math
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.serve.test_page_graph import NOTES, nodes, place, places, shown
from tests.tools.browser import (
    called,
    choose,
    eventually,
    expect,
    faults_in_both,
    mapped,
    needs_browser,
    opened,
    served,
    settled,
    until,
)
from tests.tools.vaults import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

SAMPLE = Path(__file__).parents[2] / "sample_vault"


@pytest.fixture(scope="module")
def islands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve `ISLANDS` to the tests that only read; return the address of the page."""
    with served(write(tmp_path_factory.mktemp("islands"), ISLANDS)) as address:
        yield address


def asked(page: "Page", module: str, script: str) -> Any:
    """The value of an expression; `m` is one of the graph's modules, `random` returns the same numbers each time."""
    seeded = "let state = 7; const random = () => ((state = (state * 48271) % 2147483647) - 1) / 2147483646"
    return page.evaluate(f"async () => {{ const m = await import('./graph/{module}.js'); {seeded}; return {script}; }}")


def texts(page: "Page") -> list[str]:
    """The names of notes that are written in the picture."""
    found: list[str] = page.evaluate("() => zkmem.names().map(({ text }) => text)")
    return found


# Colours


def colours_of_folders(page: "Page") -> dict[str, str]:
    script = """() => Object.fromEntries(zkmem.renderer.getGraph().mapNodes((key, { folder }) =>
        [folder, zkmem.renderer.getNodeDisplayData(key).color]))"""
    found: dict[str, str] = page.evaluate(script)
    return found


@pytest.mark.browser
@needs_browser
def test_a_folder_keeps_its_colour_while_others_grow_and_appear_and_after_a_reload(
    browser: "Browser", tmp_path: Path
) -> None:
    vault = write(tmp_path / "vault", NOTES)
    with served(vault) as url, opened(browser, url) as page:
        before = colours_of_folders(mapped(page))
        page.locator(".connection.live").wait_for(state="attached")
        write(vault, {f"method/More {at}.md": "More.\n" for at in range(5)} | {"aaa/New.md": "New.\n"})
        until(page, "() => zkmem.renderer.getGraph().order === 13")
        after = colours_of_folders(page)
        assert after | before == after
        assert len(set(after.values())) == len(after)
        expect(page.locator(".legend li").first).to_have_text(re.compile(r"^\s*method\s*7\s*$"))
        page.reload()
        assert colours_of_folders(mapped(page)) == after


# Places

ISLANDS = {
    **{f"cats/Cat {at}.md": f"[[Cat {(at + 1) % 6}]] and [[Cat {(at + 2) % 6}]].\n" for at in range(6)},
    **{f"dogs/Dog {at}.md": f"[[Dog {(at + 1) % 6}]] and [[Dog {(at + 2) % 6}]].\n" for at in range(6)},
    **{
        f"{kind}/Bird {at}.md": f"[[Bird {(at + 1) % 6}]] [[Bird {(at + 2) % 6}]]\n" for at, kind in enumerate("abcdef")
    },
    "cats/Cat 0.md": "[[Cat 1]], [[Cat 2]], and [[Dog 0]].\n",
    **{f"Alone {at}.md": "Nothing.\n" for at in range(9)},
}


@pytest.mark.browser
@needs_browser
def test_components_are_apart_and_notes_without_links_are_in_rows_below(browser: "Browser", islands: str) -> None:
    with opened(browser, islands) as page:
        found = places(mapped(page))
        linked = {name: place for name, place in found.items() if not name.startswith("Alone")}
        unlinked = [place for name, place in found.items() if name.startswith("Alone")]
        assert max(y for _, y in unlinked) < min(y for _, y in linked.values()) - 12
        assert len({tuple(place) for place in unlinked}) == 9
        assert len({round(y, 3) for _, y in unlinked}) <= 3
        birds = [place for name, place in linked.items() if "Bird" in name]
        others = [place for name, place in linked.items() if "Bird" not in name]
        across = max(math.dist(one, other) for one in birds for other in birds)
        assert min(math.dist(one, other) for one in birds for other in others) > 24
        assert across < min(max(math.dist(one, other) for other in others) for one in birds)


@pytest.mark.browser
@needs_browser
def test_a_note_that_shall_be_shown_is_in_the_middle_after_the_first_layout(browser: "Browser", islands: str) -> None:
    with opened(browser, f"{islands}#/note/a/Bird%200", reduced_motion="reduce") as page:
        choose(settled(page), "Show in map")
        (x, y), box = place(mapped(page), "a/Bird 0"), page.locator(".stage").bounding_box()
        assert box
        assert math.dist((x, y), (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)) < 50


@pytest.mark.browser
@needs_browser
def test_a_region_has_the_name_of_its_folder_or_of_its_heaviest_note(browser: "Browser", islands: str) -> None:
    with opened(browser, islands) as page:
        mapped(page)
        regions = asked(page, "regions", "m.regionsOf(zkmem.renderer.getGraph()).map(({ name }) => name)")
        assert len(regions) == 3
        assert {"cats", "dogs"} < set(regions)
        (last,) = set(regions) - {"cats", "dogs"}
        assert last.startswith("Bird ")
        eventually(
            page,
            lambda: set(page.evaluate("() => zkmem.regions().map(({ name }) => name)")),
            {"cats", "dogs", "No links"},
        )
        eventually(page, lambda: last in texts(page), True)  # the name of the note is that of its region
        page.get_by_text("View", exact=True).click()
        page.get_by_label("Names", exact=True).select_option(label="No names")
        until(page, "() => zkmem.regions().length === 0")


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_new_note_grows_from_the_note_it_is_linked_to_in_the_hue_of_its_client(
    browser: "Browser", tmp_path: Path, motion: str
) -> None:
    vault = write(tmp_path / "vault", ISLANDS)
    with served(vault) as url, opened(browser, url, reduced_motion=motion) as page:
        mapped(page)
        page.locator(".connection.live").wait_for(state="attached")
        page.evaluate("""() => {
            const { moveTo, lineTo, stroke } = CanvasRenderingContext2D.prototype;
            let from, length;
            Object.assign(zkmem, { lines: [], rings: [] });
            Object.assign(CanvasRenderingContext2D.prototype, {
                moveTo(x, y) { [from, length] = [[x, y], null]; moveTo.call(this, x, y); },
                lineTo(x, y) { length = Math.hypot(x - from?.[0], y - from?.[1]); lineTo.call(this, x, y); },
                stroke() {
                    if (this.lineWidth === 2 && length !== null) zkmem.lines.push([this.strokeStyle, length]);
                    if (this.lineWidth === 3) zkmem.rings.push(this.strokeStyle);
                    length = null;
                    stroke.call(this);
                },
            });
        }""")
        called(url, "set_content", name="dogs/Puppy", content="See [[Dog 3]].\n")
        until(page, "() => zkmem.renderer.getGraph().hasNode('dogs/Puppy')")
        until(page, "() => !zkmem.renderer.getNodeDisplayData('dogs/Puppy').hidden")
        eventually(page, lambda: page.evaluate("() => zkmem.recent.named()"), ["dogs/Puppy"])
        hue = page.evaluate("""async () => {
            const { client } = (await (await fetch('api/review')).json()).sittings[0];
            const { hueOf } = await import('./common/hue.js');
            const context = document.createElement('canvas').getContext('2d');
            context.strokeStyle = `hsl(${hueOf(client)} 55% 50%)`;
            return context.strokeStyle;
        }""")
        lengths = [length for colour, length in page.evaluate("() => zkmem.lines") if colour == hue]
        if motion == "reduce":  # the scale of the picture may change with the new note
            assert min(lengths) > 0.9 * max(lengths)
        else:
            assert lengths[0] < 0.5 * lengths[-1]
        called(url, "set_content", name="dogs/Puppy", content="See [[Dog 4]].\n")
        until(page, f"() => zkmem.rings.includes({hue!r})")


@pytest.mark.browser
@needs_browser
def test_a_note_that_appears_while_the_graph_is_arranged_ends_beside_what_links_to_it(
    browser: "Browser", tmp_path: Path
) -> None:
    many = {f"{at % 9}/{at}.md": f"[[{(at * 7 + 1) % 1200}]] [[{(at // 40) * 40}]]\n" for at in range(1200)}
    held: list[Route] = []
    with served(write(tmp_path / "vault", many)) as url, opened(browser, f"{url}icon.svg", is_routed=True) as page:

        def hold(route: "Route") -> None:  # the layout waits for the test
            held.append(route)

        page.route("**/graph/worker.js", hold)
        page.goto(url)
        page.locator(".connection.live").wait_for(state="attached")
        page.keyboard.press("g")
        until(page, "() => window.zkmem")
        before = places(page)
        called(url, "set_content", name="Late", content="See [[40]].\n")
        until(page, "() => zkmem.renderer.getGraph().hasNode('Late')")
        assert before.items() <= places(page).items()
        held[0].continue_()
        after = places(mapped(page))
        assert math.dist(after["4/40"], before["4/40"]) > 120
        assert math.dist(after["Late"], after["4/40"]) < 120
        assert min(math.dist(after["Late"], other) for name, other in after.items() if name != "Late") > 4


# Names of the small map


@pytest.mark.browser
@needs_browser
def test_the_small_map_beside_a_note_names_the_note_and_those_around_it(browser: "Browser", islands: str) -> None:
    with opened(browser, islands) as page:
        settled(page)
        page.goto(f"{islands}#/note/cats/Cat 3")
        until(page, "() => window.zkmem?.names()[0]?.text === 'Cat 3'")
        until(page, "() => !zkmem.renderer.getCamera().isAnimated()")
        around = {"Cat 1", "Cat 2", "Cat 4", "Cat 5"}
        eventually(page, lambda: bool(around & set(texts(page))), True)
        eventually(page, lambda: set(texts(page)) - around - {"Cat 3"}, set())
        box = page.locator(".stage").bounding_box()
        assert box
        for key in ("cats/Cat 3", *(f"cats/{name}" for name in around)):
            x, y = place(page, key)
            assert 0 < x - box["x"] < box["width"]
            assert 0 < y - box["y"] < box["height"]
        until(page, "() => zkmem.regions().length === 0")
        page.keyboard.press("g")
        until(page, "() => zkmem.regions().length > 0")


@pytest.mark.browser
@needs_browser
def test_the_map_names_the_heaviest_notes_and_no_name_lies_on_another_or_on_a_note(
    browser: "Browser", tmp_path: Path
) -> None:
    vault = shutil.copytree(SAMPLE, tmp_path / "vault").as_posix()
    size: Any = {"width": 1280, "height": 800}
    with served(vault) as url, opened(browser, url, viewport=size, reduced_motion="reduce") as page:
        mapped(page)
        found = page.evaluate(
            """() => {
                const { renderer } = zkmem, graph = renderer.getGraph(), boxes = [...zkmem.names(), ...zkmem.regions()];
                const meet = (one, other) => one !== other && one.left < other.right && other.left < one.right
                    && one.top < other.bottom && other.top < one.bottom;
                const discs = graph.nodes().map((key) => ({
                    ...renderer.framedGraphToViewport(renderer.getNodeDisplayData(key)),
                    size: renderer.scaleSize(renderer.getNodeDisplayData(key).size) }));
                const isOn = ({ x, y, size }, { left, right, top, bottom }) => Math.hypot(
                    x - Math.max(left, Math.min(x, right)), y - Math.max(top, Math.min(y, bottom))) < size;
                return {
                    crossed: boxes.filter((one) => boxes.some((other) => meet(one, other))).length,
                    covering: boxes.filter((box) => discs.some((disc) => isOn(disc, box))).map(({ text }) => text),
                    heaviest: graph.mapNodes((_, { label, weight }) => ({ label, weight }))
                        .sort((one, other) => other.weight - one.weight).slice(0, 12).map(({ label }) => label),
                };
            }"""
        )
        assert found["crossed"] == 0
        assert found["covering"] == []
        eventually(page, lambda: set(found["heaviest"]) - set(texts(page)), set())
        assert "hint" in found["heaviest"]
        page.evaluate("() => zkmem.renderer.emit('enterNode', { node: 'hint' })")
        until(page, "() => !zkmem.names().some(({ key }) => key === 'hint')")  # its name is in a box
        near = "zkmem.renderer.getGraph().neighbors('hint')"
        until(page, f"() => zkmem.names().filter(({{ key }}) => {near}.includes(key)).length > 5")


# Odd vaults, and people who see or point otherwise

LONG = "a name that goes on and on " * 7
LONG_NAMES = {f"{at} {LONG}".strip() + ".md": f"[[{(at + 1) % 9} {LONG.strip()}]]\n" for at in range(9)}
ODD_VAULTS: dict[str, dict[str, str]] = {
    "no note": {},
    "one note": {"Only.md": "Nothing.\n"},
    "two notes": {"A.md": "[[B]]\n", "B.md": "[[A]]\n"},
    "odd names": {
        **LONG_NAMES,
        **{f"{at}{'x' * 199}.md": f"[[{(at + 1) % 9}{'x' * 199}]]\n" for at in range(9)},
        **{f"ملاحظة {at}.md": f"[[ملاحظة {(at * 3 + 1) % 15}]]\n" for at in range(15)},
    },
    "odd links": {
        **{f"{at}.md": f"[[{at}]]\n" for at in range(20)},
        **{f"To {at}.md": f"[[Missing {at}]] [[Nowhere]]\n" for at in range(20)},
    },
    "a star": {"Hub.md": "\n".join(f"[[{at}]]" for at in range(300)), **{f"{at}.md": "x\n" for at in range(300)}},
    "10,000 notes without links": {f"{at % 7}/Note {at}.md": "x\n" for at in range(10_000)},
}


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("notes", ODD_VAULTS.values(), ids=ODD_VAULTS.keys())
def test_an_odd_vault_has_a_sensible_picture(browser: "Browser", tmp_path: Path, notes: dict[str, str]) -> None:
    (tmp_path / "vault").mkdir()
    with served(write(tmp_path / "vault", notes)) as url, opened(browser, url) as page:
        found = places(mapped(page))
        assert len(found) >= len(notes)
        assert all(math.isfinite(number) for place in found.values() for number in place)
        assert len({tuple(place) for place in found.values()}) == len(found)
        expect(page.get_by_text("There are no notes yet.")).to_be_visible(visible=not notes)
        page.locator(".stage").hover()
        page.mouse.wheel(0, -300)
        called(url, "set_content", name="Later", content="No link.\n")
        until(page, "() => zkmem.renderer.getGraph().hasNode('Later')")
        mapped(page)
        assert {name: place for name, place in places(page).items() if name != "Later"} == found
        expect(page.get_by_text("There are no notes yet.")).to_be_hidden()


@pytest.mark.browser
@needs_browser
def test_a_name_of_200_characters_is_shown_whole_under_the_mouse_within_the_picture(
    browser: "Browser", tmp_path: Path
) -> None:
    with served(write(tmp_path / "vault", LONG_NAMES)) as url, opened(browser, url) as page:
        mapped(page)
        written = page.evaluate(
            """async () => {
                const { hoverDrawer } = await import('./graph/boxes.js');
                const { renderer } = zkmem, texts = [];
                const context = renderer.getCanvases().hovers.getContext('2d'), write = context.fillText;
                context.fillText = (text, x, y) => {
                    const right = x + context.measureText(text).width;
                    texts.push([text, x >= 0 && right <= context.canvas.clientWidth && y > 0]);
                };
                const colours = () => ({ label: '#000', box: '#fff', accent: '#00f' });
                const [key] = renderer.getGraph().nodes(), width = context.canvas.clientWidth;
                const draw = hoverDrawer(colours, () => true);
                for (const x of [5, width / 2, width - 5]) {
                    draw(context, { x, y: 5, size: 8, label: 'short', whole: key }, renderer.getSettings());
                }
                context.fillText = write;
                return { key, texts };
            }"""
        )
        assert "".join(text for text, _ in written["texts"]) == 3 * written["key"]
        assert all(within for _, within in written["texts"])


@pytest.mark.browser
@needs_browser
def test_nothing_moves_for_a_person_who_wants_less_motion(browser: "Browser", islands: str) -> None:
    with opened(browser, islands, reduced_motion="reduce") as page:
        seen = "() => new Set([...zkmem.seen].map(String)).size"
        mapped(page).get_by_text("View", exact=True).click()
        page.evaluate("""() => {
            zkmem.seen = [];
            zkmem.renderer.on('afterRender', () => {
                const { x, y } = zkmem.renderer.getGraph().getNodeAttributes('cats/Cat 1');
                zkmem.seen.push([x, y]);
            });
        }""")
        page.get_by_role("button", name="Arrange again").click()
        mapped(page)
        assert page.evaluate(seen) <= 2  # before and after
        page.get_by_role("button", name="Zoom in").click()
        assert not page.evaluate("() => zkmem.renderer.getCamera().isAnimated()")


@pytest.mark.browser
@needs_browser
def test_on_a_phone_each_target_is_44_pixels_high_and_a_finger_beside_a_note_opens_it(
    browser: "Browser", islands: str
) -> None:
    phone: dict[str, Any] = {
        "viewport": {"width": 390, "height": 780},
        "has_touch": True,
        "is_mobile": True,
    }
    with opened(browser, islands, **phone) as page:
        mapped(page)
        until(page, "() => zkmem.renderer.getSetting('labelSize') >= 14")
        x, y = place(page, "cats/Cat 1")
        page.touchscreen.tap(x + 10, y + 10)
        page.wait_for_url("**/#/note/cats/Cat%201")
        page.get_by_role("button", name="Map", exact=True).click()
        page.get_by_text("View", exact=True).click()
        targets = page.locator("#graph :is(button, select, summary, input:not([type=checkbox])):visible, #graph .check")
        for target in targets.all():
            box = target.bounding_box()
            assert box
            assert box["height"] >= 44, target.inner_text()
        assert faults_in_both(page) == []


# Choices: sizes, ages, tags, writers, a path, and growth

DATED = {
    "Old.md": "---\ncreated: 2020-01-01\ntags: [past]\n---\nSee [[Middle]].\n",
    "Middle.md": "---\ncreated: 2022-02-02\naliases: [Eldest]\n---\nSee [[New]] and [[Not yet]]. #present/now\n",
    "2024-03-03 New.md": "See [[Middle]]. #present\n",
    "New.md": "---\ncreated: 2025-05-05\n---\nSee [[2024-03-03 New]].\n",
    "Far.md": "---\ncreated: 2021-01-01\n---\nNothing.\n",
}


def dated_vault(folder: Path) -> str:
    vault = write(folder, DATED)
    for name, days in {"Old.md": 400, "Middle.md": 40, "Far.md": 10}.items():
        then = time.time() - 86_400 * days
        os.utime(Path(vault, name), (then, then))
    return vault


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve `DATED` to the tests that only read; return the address of the page."""
    with served(dated_vault(tmp_path_factory.mktemp("dated"))) as address:
        yield address


def slide(page: "Page", label: str, value: float) -> None:
    page.get_by_label(label, exact=True).fill(str(value))


@pytest.mark.browser
@needs_browser
def test_notes_are_shown_by_tag_and_by_who_wrote_them_last(browser: "Browser", tmp_path: Path) -> None:
    with served(dated_vault(tmp_path / "vault")) as url, opened(browser, url) as page:
        mapped(page).locator(".connection.live").wait_for(state="attached")
        page.get_by_text("View", exact=True).click()
        tag = page.get_by_label("Tag", exact=True)
        tag.select_option(label="present (1)")
        until(page, "() => zkmem.renderer.getNodeDisplayData('Old').hidden")
        eventually(page, lambda: shown(page), {"Middle", "2024-03-03 New", "\nNot yet"})  # a tag has those below it
        tag.select_option(label="All tags")
        until(page, "() => !zkmem.renderer.getNodeDisplayData('Old').hidden")
        called(url, "set_content", name="Far", content="Written by a model.\n")
        page.get_by_label("Writer", exact=True).select_option(label="mcp (1)")
        until(page, "() => zkmem.renderer.getNodeDisplayData('Old').hidden")
        eventually(page, lambda: shown(page), {"Far"})


@pytest.mark.browser
@needs_browser
def test_sizes_follow_links_and_old_notes_are_faint_or_left_out(browser: "Browser", dated: str) -> None:
    with opened(browser, dated) as page:
        mapped(page).get_by_text("View", exact=True).click()
        by_weight = nodes(page, "size")
        page.get_by_label("Size", exact=True).select_option(label="By links")
        until(page, f"() => zkmem.renderer.getNodeDisplayData('Middle').size !== {by_weight['Middle']}")
        sizes = nodes(page, "size")
        assert max(sizes, key=lambda key: sizes[key]) == "Middle"
        slide(page, "Size of notes", 2)
        until(page, f"() => zkmem.renderer.getNodeDisplayData('Middle').size > {1.9 * sizes['Middle']}")
        eventually(page, lambda: nodes(page, "size"), {key: pytest.approx(2 * size) for key, size in sizes.items()})
        before = nodes(page, "color")
        age = page.get_by_label("Changed within", exact=True)
        until(page, "() => ![...document.querySelectorAll('input[type=range]')].some((one) => one.disabled)")
        age.focus()
        for _ in range(3):
            age.press("ArrowRight")
        expect(age).to_have_attribute("aria-valuetext", "30 days")
        until(page, f"() => zkmem.renderer.getNodeDisplayData('Old').color !== '{before['Old']}'")
        eventually(page, lambda: {key for key, _ in nodes(page, "color").items() - before.items()}, {"Old", "Middle"})
        page.get_by_role("checkbox", name="Leave out older notes").check()
        until(page, "() => zkmem.renderer.getNodeDisplayData('Old').hidden")
        eventually(page, lambda: shown(page), {"2024-03-03 New", "New", "Far"})


@pytest.mark.browser
@needs_browser
def test_the_shortest_path_between_two_notes_is_marked_and_told_in_words(browser: "Browser", dated: str) -> None:
    with opened(browser, dated) as page:
        page.goto(f"{dated}#/note/Old")
        mapped(page).get_by_text("Path", exact=True).click()
        until(page, "() => [...document.querySelectorAll('.controls input')].some((one) => one.value === 'Old')")
        page.get_by_label("To", exact=True).fill("2024-03-03 New")
        steps = page.locator(".path li")
        words = ["Old links to Middle", "Middle is linked from 2024-03-03 New"]
        expect(steps).to_have_text(words, use_inner_text=True)
        until(page, "() => zkmem.renderer.getNodeDisplayData('Middle').highlighted")
        assert not nodes(page, "highlighted")["Far"]
        page.get_by_label("To", exact=True).fill("Not yet")
        page.get_by_text("links to the missing").wait_for()
        page.get_by_label("To", exact=True).fill("far")
        page.get_by_text("No path of links joins them.").wait_for()
        page.get_by_label("To", exact=True).fill("Nowhere")
        page.get_by_text("There is no note “Nowhere”.").wait_for()
        page.get_by_label("To", exact=True).fill("eldest")
        steps.first.wait_for()
        page.get_by_role("button", name="Clear").click()
        until(page, "() => !zkmem.renderer.getNodeDisplayData('Middle').highlighted")


@pytest.mark.browser
@needs_browser
def test_the_timeline_shows_the_notes_that_were_there_at_a_time(browser: "Browser", dated: str) -> None:
    with opened(browser, dated) as page:
        mapped(page).get_by_text("Timeline", exact=True).click()
        page.get_by_text("5 notes", exact=False).first.wait_for()
        slider = page.get_by_label("Notes until then", exact=True)
        until(page, "() => !document.querySelector('input[type=range][max=\"5\"]')?.disabled")
        slide(page, "Notes until then", 2)
        until(page, "() => zkmem.renderer.getNodeDisplayData('New').hidden")
        eventually(page, lambda: shown(page), {"Old", "Far"})
        expect(slider).to_have_attribute("aria-valuetext", re.compile("2 notes"))
        expect(slider).to_have_attribute("aria-valuetext", re.compile("2021"))
        slider.press("ArrowRight")
        until(page, "() => !zkmem.renderer.getNodeDisplayData('Middle').hidden")
        eventually(page, lambda: shown(page), {"Old", "Far", "Middle", "\nNot yet"})
        before = places(page)
        page.get_by_role("button", name="Play").click()
        page.get_by_role("button", name="Play").wait_for()  # it has come to its end
        until(page, "() => !zkmem.renderer.getNodeDisplayData('New').hidden")
        eventually(page, lambda: shown(page), set(before))
        assert places(page) == before
        slide(page, "Notes until then", 1)
        until(page, "() => zkmem.renderer.getNodeDisplayData('Far').hidden")
        page.get_by_text("Timeline", exact=True).click()
        until(page, "() => !zkmem.renderer.getNodeDisplayData('Far').hidden")


@pytest.fixture(scope="module")
def many_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    notes = {f"folder number {at % 14}/{at}.md": f"[[{at - 1}]] [[Missing]]\n" for at in range(60)}
    with served(write(tmp_path_factory.mktemp("folders"), notes)) as address:
        yield address


COVERED = """() => {
    const controls = [...document.querySelectorAll('#graph :is(button, summary, select, input), .tabs :is(a, button)')];
    const seen = controls.filter((one) => one.checkVisibility());
    const stage = document.querySelector('.stage').getBoundingClientRect();
    const faults = seen.filter((one) => {
        if (one.closest('.controls-body, .legend')) one.scrollIntoView({ block: 'nearest', inline: 'nearest' });
        const { left, right, top, bottom } = one.getBoundingClientRect();
        const points = [left + 3, (left + right) / 2, right - 3].map((x) => [x, (top + bottom) / 2]);
        return !points.every(([x, y]) => one.contains(document.elementFromPoint(x, y)));
    });
    const bars = document.querySelectorAll('.map-bar, .map-foot, .legend');
    const inPicture = [...bars, ...seen.filter((one) => !one.closest('.controls-body, .legend'))].filter((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        return left < stage.right && right > stage.left && top < stage.bottom && bottom > stage.top;
    });
    const name = (one) => one.ariaLabel ?? one.labels?.[0]?.textContent.trim() ?? one.textContent.trim();
    return { all: seen.map(name), faults: faults.map(name), inPicture: inPicture.map(name) };
}"""


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1024, 700), (390, 844)])
def test_no_control_of_the_map_lies_on_another_or_on_the_picture(
    browser: "Browser", many_folders: str, width: int, height: int
) -> None:
    is_phone = width < 720
    size = {"width": width, "height": height}
    with opened(browser, many_folders, viewport=size, has_touch=is_phone, is_mobile=is_phone) as page:
        mapped(page)
        for tool in (None, "View", "Path", "Timeline"):
            if tool:
                page.get_by_text(tool, exact=True).click()
                expect(page.locator(".controls[open]")).to_have_count(1)
            found = page.evaluate(COVERED)
            assert {"View", "Path", "Timeline", "Zoom in", "Show all"} <= {*found["all"]}
            assert (found["faults"], found["inPicture"]) == ([], []), tool
            within = {"View": "Arrange again", "Path": "Clear", "Timeline": "Notes until then", None: "Zoom out"}
            assert within[tool] in found["all"]
        close = page.get_by_role("button", name="Close the map")
        (close if close.is_visible() else page.get_by_role("button", name="Map", exact=True)).click()
        expect(page.locator(".show-panel")).to_have_count(1)


@pytest.mark.browser
@needs_browser
def test_axe_finds_no_serious_fault_in_the_tools_of_the_graph(browser: "Browser", dated: str) -> None:
    with opened(browser, dated, reduced_motion="reduce") as page:
        mapped(page).get_by_text("View", exact=True).click()
        expect(page.get_by_role("main", name="Map")).to_have_count(1)
        page.get_by_label("Tag", exact=True).wait_for()
        assert faults_in_both(page) == []
        page.get_by_text("Path", exact=True).click()
        page.get_by_label("From", exact=True).fill("Old")
        page.get_by_label("To", exact=True).fill("New")
        page.locator(".path li").first.wait_for()
        assert faults_in_both(page) == []
        page.get_by_text("Timeline", exact=True).click()
        page.get_by_label("Notes until then", exact=True).wait_for()
        expect(page.get_by_role("button", name="Play")).to_be_hidden()
        assert faults_in_both(page) == []


# What a visit costs


@pytest.mark.browser
@needs_browser
def test_the_first_view_is_small_and_asks_for_times_and_tags_only_when_somebody_wants_them(
    browser: "Browser", dated: str
) -> None:
    with opened(browser, dated) as page:
        asked_for: list[str] = []
        page.on("request", lambda request: asked_for.append(request.url))
        page.reload()
        mapped(page)
        assert not [one for one in asked_for if "/api/table" in one or "/api/log" in one]
        script = "() => performance.getEntriesByType('resource').reduce((sum, one) => sum + one.encodedBodySize, 0)"
        assert page.evaluate(script) < 400_000
        page.get_by_text("View", exact=True).click()
        page.get_by_label("Tag", exact=True).wait_for()
        assert [one for one in asked_for if "/api/table" in one]


@pytest.mark.browser
@needs_browser
def test_the_links_of_the_open_note_and_of_the_one_under_the_mouse_are_drawn_whatever_is_left_out(
    browser: "Browser", islands: str
) -> None:
    with opened(browser, islands) as page:
        mapped(page)
        painted = """() => {
            const { overlay } = zkmem.renderer.getCanvases();
            const { data } = overlay.getContext('2d').getImageData(0, 0, overlay.width, overlay.height);
            return data.reduce((sum, part, at) => sum + (at % 4 === 3 && part > 0), 0);
        }"""
        page.get_by_text("View", exact=True).click()
        page.get_by_label("Names", exact=True).select_option(label="No names")
        until(page, f"() => ({painted})() === 0")
        page.goto(f"{islands}#/note/cats/Cat 0")
        until(page, f"() => ({painted})() > 100")
        page.goto(f"{islands}#")
        until(page, f"() => ({painted})() === 0")
        mapped(page).mouse.move(*place(page, "dogs/Dog 2"))
        until(page, f"() => ({painted})() > 100")
