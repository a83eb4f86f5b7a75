"""The shell of the page: search, sign-in, help, colours, what a screen reader gets, and what a browser may load."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest

from tests.serve.test_page_graph import NOTES
from tests.tools import screenshots
from tests.tools.browser import (
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
from zkmem.cli.tokens import tokens_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "zkmem" / "serve" / "page"


# In a browser


@pytest.mark.browser
@needs_browser
def test_the_search_finds_names_and_text_and_opens_what_is_chosen_by_keys(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        settled(page).keyboard.press("/")
        page.keyboard.type("quokka")
        page.get_by_role("option", name="topics/Vue").wait_for()
        expect(page.get_by_role("listbox").get_by_role("group").first).to_have_text(re.compile("^Text"))
        page.locator("#search").fill("rea")
        page.get_by_role("option", name="topics/React", exact=True).wait_for()
        page.keyboard.press("ArrowDown")
        expect(page.locator("#search")).to_have_attribute("aria-activedescendant", "found-0")
        page.keyboard.press("Enter")
        page.wait_for_url("**/#/note/topics/React")
        expect(page.get_by_role("listbox")).to_be_hidden()
        until(
            page,
            """() => {
                const renderer = window.zkmem?.renderer;
                if (!renderer) return false;
                const { width, height } = renderer.getDimensions();
                const { x, y } = renderer.framedGraphToViewport(renderer.getNodeDisplayData('topics/React'));
                return !renderer.getGraph().hasNode('Alone') && x > 0 && x < width && y > 0 && y < height;
            }""",
        )


@pytest.mark.browser
@needs_browser
def test_the_search_orders_names_as_the_palette_does_and_is_empty_after_a_note_is_opened(
    browser: "Browser", tmp_path: Path
) -> None:
    names = ["z/Open", "m/Opener", "b/Open house", "c/An open door", "a/Reopening", "a/open/Folder"]
    with served(write(tmp_path, {f"{name}.md": "x\n" for name in sorted(names)})) as url, opened(browser, url) as page:
        page.locator("#search").fill("open")
        found = page.locator("#found").get_by_role("option")
        found.first.wait_for()
        eventually(page, lambda: ["".join(one.split("\n")) for one in found.all_inner_texts()], [*names, "All results"])
        found.first.click()
        page.wait_for_url("**/#/note/z/Open")
        expect(page.locator("#search")).to_have_value("")
        page.keyboard.press("Control+k")
        page.get_by_role("dialog", name="Commands").wait_for()
        page.keyboard.type("open")
        rows = page.get_by_role("dialog").get_by_role("group", name="Notes").get_by_role("option")
        short = [one.rpartition("/")[2] for one in names]
        eventually(page, lambda: [one.split("\n")[0] for one in rows.all_inner_texts()], short)


@pytest.mark.browser
@needs_browser
def test_the_search_offers_the_notes_that_its_hits_link_to(browser: "Browser", tmp_path: Path) -> None:
    hit = f"quince {'padding ' * 60} [[deep/Linked]] [[quince jam]]\n"
    files = {"hit.md": hit, "deep/Linked.md": "# Linked\n", "quince jam.md": "Sweet.\n"}
    with served(write(tmp_path, files)) as url, opened(browser, url) as page:
        page.locator("#search").fill("quince")
        linked = page.locator("#found").get_by_role("group", name="Linked from these").get_by_role("option")
        linked.first.wait_for()
        assert ["".join(one.split("\n")) for one in linked.all_inner_texts()] == ["deep/Linked"]
        page.keyboard.press("ArrowUp")  # to the last option, which is all results
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        page.wait_for_url("**/#/note/deep/Linked")


@pytest.mark.browser
@needs_browser
def test_a_filter_that_is_not_complete_yet_is_told_in_the_list(browser: "Browser", url: str) -> None:
    with opened(browser, url, expected=("status of 422",)) as page:
        page.locator("#search").fill("after:yeste")
        page.get_by_text("'after:yeste' has no date").wait_for()
        expect(page.locator("#found")).to_contain_text("'after:yeste' has no date")
        expect(page.locator(".toast")).to_have_count(0)


@pytest.mark.browser
@needs_browser
def test_a_key_that_is_pressed_as_the_answer_appears_counts(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        settled(page).locator("#search").fill("zzzz")
        page.get_by_text(re.compile(r"Nothing was found\. .*\[\[")).wait_for()
        page.keyboard.press("Escape")
        expect(page.get_by_text("Nothing was found.")).to_be_hidden()
        page.evaluate(
            """() => new MutationObserver((_, observer) => {
                if (!document.querySelector('#found [role=option]')) return;
                observer.disconnect();
                const press = new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true });
                document.querySelector('#search').dispatchEvent(press);
                requestAnimationFrame(() => setTimeout(() => document.body.classList.add('drawn'), 100));
            }).observe(document.querySelector('#found'), { childList: true, subtree: true })"""
        )
        page.locator("#search").fill("rea")
        page.locator("body.drawn").wait_for()
        expect(page.locator("#search")).to_have_attribute("aria-activedescendant", "found-0")


@pytest.mark.browser
@needs_browser
def test_the_colours_follow_the_system_until_one_chooses(browser: "Browser", url: str) -> None:
    with opened(browser, url, color_scheme="dark") as page:
        mapped(page)
        theme = page.locator("html")
        edge = "() => zkmem.renderer.getSetting('defaultEdgeColor')"
        expect(theme).to_have_attribute("data-theme", "dark")
        dark = page.evaluate(edge)
        page.get_by_role("button", name="Colours: like the system").click()
        expect(theme).to_have_attribute("data-theme", "light")
        colours = "() => [...document.querySelectorAll('meta[name=theme-color]')].map((one) => one.content)"
        assert page.evaluate(colours) == ["#ffffff", "#ffffff"]  # of the bar around an installed page
        eventually(page, lambda: page.evaluate(edge) != dark, True)
        page.reload()
        expect(settled(page).locator("html")).to_have_attribute("data-theme", "light")


@pytest.mark.browser
@needs_browser
def test_the_keys_are_told_by_a_question_mark(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        settled(page).keyboard.press("?")
        page.get_by_role("dialog", name="Keys and search filters").wait_for()
        expect(page.locator(":focus")).to_have_text("Close")
        expect(page.get_by_role("heading", name="Keys and search filters")).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("dialog", name="Keys and search filters").wait_for(state="hidden")


@pytest.mark.browser
@needs_browser
def test_a_server_that_wants_a_token_gets_it_from_the_dialog(browser: "Browser", tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    token = tokens_of(vault).add("eve", folder="topics")
    with served(vault) as url, opened(browser, url, expected=("401 (Unauthorized)",)) as page:
        dialog = page.get_by_role("dialog", name="Sign in to")
        dialog.get_by_label("Token").fill("zkm_wrong")
        dialog.get_by_role("button", name="Sign in").click()
        dialog.get_by_text("The token was refused.").wait_for()
        stored = "() => Object.values(sessionStorage).join()"
        assert "zkm_wrong" not in page.evaluate(stored)
        dialog.get_by_label("Token").fill("no token: ✗")
        page.keyboard.press("Enter")
        page.locator("input[type=password]").and_(page.locator(":focus")).wait_for()
        dialog.get_by_text("The token was refused.").wait_for()
        page.keyboard.type(token)  # in place of the other one, which is selected
        page.keyboard.press("Enter")
        notes = "() => zkmem.renderer.getGraph().nodes().filter((key) => !key.includes('\\n'))"
        eventually(page, lambda: set(mapped(page).evaluate(notes)), {"topics/Vue", "topics/React"})
        page.locator(".connection.live").wait_for(state="attached")
        page.get_by_role("button", name="Sign out").click()
        dialog.wait_for()


@pytest.mark.browser
@needs_browser
def test_on_a_phone_graph_and_notes_are_two_tabs(browser: "Browser", url: str) -> None:
    with opened(browser, f"{url}#/note/topics/Vue", viewport={"width": 390, "height": 780}, has_touch=True) as page:
        settled(page).locator("main").get_by_text("Watches quokkas").wait_for()
        expect(page.locator("#graph")).to_be_hidden()
        tabs = page.locator(".tabs")  # none is out of sight
        eventually(page, lambda: tabs.evaluate("tabs => tabs.scrollWidth <= tabs.clientWidth"), True)
        page.get_by_role("button", name="Map", exact=True).click()
        expect(page.locator("main")).to_be_hidden()
        expect(page.locator("#graph")).to_be_visible()
        until(page, "() => window.zkmem?.renderer.getDimensions().width > 300")
        until(page, "() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.browser
@needs_browser
def test_axe_finds_no_serious_fault(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        mapped(page).get_by_text("View", exact=True).click()
        page.locator(".connection.live").wait_for(state="attached")
        assert faults_in_both(page) == []
        page.goto(f"{url}#/note/topics/Vue")
        page.locator("main").get_by_text("Watches quokkas").wait_for()
        page.locator("#search").fill("rea")
        page.get_by_role("option").first.wait_for()
        page.keyboard.press("ArrowDown")
        assert faults_in_both(page) == []
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Help").click()
        assert faults_in_both(page) == []


@pytest.mark.long
@needs_browser
@pytest.mark.browser
def test_the_pictures_of_the_documents_can_be_made(browser: "Browser", tmp_path: Path) -> None:
    screenshots.make(tmp_path, browser)
    made, there = ({path.name for path in folder.glob("page-*")} for folder in (tmp_path, screenshots.FOLDER))
    assert made == there == {path.name for path in tmp_path.iterdir()}
    for path in tmp_path.iterdir():
        assert path.read_bytes().startswith((b"\x89PNG", b"RIFF"))
        assert path.stat().st_size > 20_000, "an empty page is smaller"


# Over HTTP


def test_the_page_is_served_under_a_strict_policy_with_a_nonce_of_its_own_each_time(url: str) -> None:
    first, second = httpx2.get(url), httpx2.get(url)
    policy = first.headers["content-security-policy"]
    nonce = policy.partition("'nonce-")[2].partition("'")[0]
    assert f'content="{nonce}"' in first.text
    assert nonce not in second.text
    assert first.headers["cache-control"] == "no-store"
    assert policy.replace(nonce, "N") == (
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-N'; img-src 'self' blob: data:; "
        "media-src blob:; connect-src 'self'; font-src 'self'; worker-src 'self'; manifest-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-src 'self'; frame-ancestors 'none'"
    )
    assert first.headers["x-content-type-options"] == "nosniff"
    assert first.headers["referrer-policy"] == "no-referrer"
    assert first.headers["cross-origin-opener-policy"] == "same-origin"


def test_the_frame_of_diagrams_has_a_policy_without_an_origin_and_without_connections(url: str) -> None:
    answer = httpx2.get(f"{url}diagram.html")
    policy = answer.headers["content-security-policy"]
    nonce = policy.partition("'nonce-")[2].partition("'")[0]
    assert f'<script nonce="{nonce}">' in answer.text
    assert policy.replace(nonce, "N") == (
        "sandbox allow-scripts; default-src 'none'; script-src 'nonce-N' blob:; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )


@pytest.mark.parametrize("path", ["main.js", "style.css", "graph/worker.js", "vendor/ui.js", "vendor/LICENSES.txt"])
def test_a_file_of_the_page_is_kept_by_the_browser_only_as_long_as_it_is_the_same(url: str, path: str) -> None:
    answer = httpx2.get(url + path, headers={"Accept-Encoding": "gzip"})
    assert answer.content == (PAGE / path).read_bytes()
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == "no-cache"
    again = httpx2.get(url + path, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    head = httpx2.head(url + path, headers={"Accept-Encoding": "identity"})
    assert (head.status_code, head.content) == (200, b"")
    assert int(head.headers["content-length"]) == (PAGE / path).stat().st_size
    plain = httpx2.get(url + path, headers={"Accept-Encoding": "gzip;q=0"})
    assert "content-encoding" not in plain.headers


@pytest.mark.parametrize(
    "path",
    ["nothing.js", "graph", "graph/", "vendor/package.json", "vendor/build.mjs", "vendor/entries/ui.js",
     "vendor/ui.d.ts", "../site.py", "%2e%2e/site.py", "..%2fsite.py", "/etc/passwd", "graph/..%2f..%2fsite.py",
     "main.js/", "main.js%00"],
)  # fmt: skip
def test_what_is_no_part_of_the_page_is_not_found(url: str, path: str) -> None:
    answer = httpx2.get(url + path)
    assert answer.status_code == 404
    assert answer.headers["x-content-type-options"] == "nosniff"


# The scripts of others


@pytest.mark.node
@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_the_logic_of_the_scripts_holds_without_a_browser() -> None:
    scripts = sorted(map(str, (Path(__file__).parents[1] / "page").glob("*.test.mjs")))
    done = subprocess.run(["node", "--test", *scripts], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout
    assert re.search(r"pass [1-9]", done.stdout)


@pytest.mark.node
@pytest.mark.skipif(not shutil.which("npm"), reason="needs npm")
def test_the_vendored_scripts_are_what_npm_and_the_build_make(tmp_path: Path) -> None:
    vendor = PAGE / "vendor"
    installed = f"{vendor.relative_to(ROOT)}/node_modules/.installed"  # by `make check-page`, too
    if subprocess.run(["make", "-s", installed], cwd=ROOT, check=False).returncode:
        pytest.skip("npm does not get the packages")
    subprocess.run(["node", vendor / "build.mjs", tmp_path], check=True)
    made = [*(entry.name for entry in (vendor / "entries").iterdir()), "LICENSES.txt"]
    made += [f"fonts/{font.name}" for font in (vendor / "fonts").iterdir()]
    for name in made:
        assert (tmp_path / name).read_bytes() == (vendor / name).read_bytes(), name


@pytest.mark.parametrize("entry", sorted((PAGE / "vendor" / "entries").glob("*.js")), ids=lambda entry: entry.stem)
def test_every_name_that_is_bundled_is_used(entry: Path) -> None:
    exports = re.findall(r"export (?:const (\w+)|\{([^}]*)\})", entry.read_text(encoding="utf-8"))
    bundled = {re.split(r"\bas\b", name)[-1].strip() for pair in exports for name in ",".join(pair).split(",")} - {""}
    # an `@import` names a type, which is in no bundle
    imports = re.compile(r"(?<!@)import \{([^}]*)\} from '[./]+/vendor/" + re.escape(entry.name))
    lists = [names for script in _scripts() for names in imports.findall(script.read_text(encoding="utf-8"))]
    if entry.stem == "diagram":  # its frame gets it as a text
        lists += re.findall(r"library\.(\w+)", (PAGE / "diagram.html").read_text(encoding="utf-8"))
    assert bundled == {name.strip() for names in lists for name in names.split(",")} - {""}


def test_every_script_of_the_page_names_only_scripts_that_are_there() -> None:
    imported = re.compile(r"^(?:import|export|\}) [^']*'(\.{1,2}/[^']+)'", re.MULTILINE)
    for script in _scripts():
        for named in imported.findall(script.read_text(encoding="utf-8")):
            assert (script.parent / named).is_file(), (script, named)
    assert len(_scripts()) > 20


def _scripts() -> list[Path]:
    return [path for path in PAGE.rglob("*.js") if not {"vendor", "bundle"} & {*path.parts}]
