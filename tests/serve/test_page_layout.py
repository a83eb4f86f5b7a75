"""The columns of the page: folders, the menu of a note, what is beside it, the map, Home and Tidy."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.tools.browser import (
    called,
    choose,
    eventually,
    expect,
    faults,
    faults_in_both,
    mapped,
    needs_browser,
    opened,
    served,
    settled,
    until,
)
from tests.tools.vaults import read, write
from zkmem.memory import Memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, needs_browser]

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
NOTES = {
    "hint.md": "Start at [[method/Cards]].\n",
    "method/Cards.md": "---\naliases: [Slips]\n---\nOne idea a card.\n\n# First\n\n"
    + "Text.\n\n" * 60
    + "## Inner\n\nA [[Twin]].\n",
    "method/deep/Under.md": "Good slips are short. [[hint]]\n",
    "method/Other.md": "Why. Write [[Cards|a card]] for each idea! More.\n",
    "a/Twin.md": "1\n",
    "b/Twin.md": "2\n",
    "Ends.md": "[[Slips]] and [[Nowhere]].\n",
}


def folders(page: "Page") -> list[str]:
    names = "rows => rows.map(row => row.firstChild.textContent)"
    found: list[str] = page.locator(".folders [data-row]").evaluate_all(names)
    return found


def test_folders_open_and_close_and_the_one_of_the_open_note_is_open(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        tree = settled(page).get_by_role("navigation", name="Folders")
        eventually(page, lambda: folders(page), ["a", "b", "method", "Ends", "hint"])
        tree.get_by_role("button", name="method 4 notes").or_(tree.get_by_role("button", name="method")).click()
        eventually(page, lambda: folders(page), ["a", "b", "method", "deep", "Cards", "Other", "Ends", "hint"])
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url("**/#/note/method/Cards")
        expect(tree.locator("[aria-current=page]")).to_have_text("Cards")
        tree.get_by_role("button", name="method").click()
        eventually(page, lambda: folders(page), ["a", "b", "method", "Ends", "hint"])
        page.goto(f"{url}#/note/method/deep/Under")
        tree.get_by_role("link", name="Under").wait_for()


def test_a_folder_of_many_notes_is_rendered_in_parts(browser: "Browser", tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", {f"many/n{at}.md": "x\n" for at in range(450)})
    with served(vault) as url, opened(browser, url) as page:
        settled(page).get_by_role("button", name="many").click()
        expect(page.locator(".folders [data-row]")).to_have_count(1 + 200 + 1)
        page.get_by_role("button", name="Show 200 more rows").click()
        page.get_by_role("button", name="Show 50 more rows").click()
        expect(page.locator(".folders [data-row]")).to_have_count(1 + 450)


def test_the_menu_is_used_by_keys_and_pins_a_note_to_home(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        page.goto(f"{url}#/note/method/Cards")
        button = page.get_by_role("button", name="More actions")
        button.focus()
        page.keyboard.press("ArrowDown")
        focused = page.locator(":focus")
        expect(focused).to_have_text("Pin to Home")
        page.keyboard.press("ArrowUp")
        expect(focused).to_have_text("Delete…")
        page.keyboard.press("h")
        expect(focused).to_have_text("History")
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        expect(button).to_be_focused()
        page.keyboard.press("Enter")
        page.get_by_role("menuitem", name="Unpin").wait_for()
        page.keyboard.press("Escape")
        expect(button).to_have_attribute("aria-expanded", "false")
        assert "#/note/" in page.url, "Escape closed only the menu"
        page.reload()
        page.get_by_role("link", name="Home", exact=True).first.click()
        page.get_by_role("region", name="Pinned").get_by_role("link", name="method/Cards").click()
        choose(page, "Unpin")
        page.goto(f"{url}#")
        page.get_by_role("heading", name="Where to start").wait_for()
        expect(page.get_by_role("region", name="Pinned")).to_be_hidden()


def test_beside_a_note_are_its_outline_and_the_sentences_about_it(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        page.goto(f"{url}#/note/method/Cards")
        linking = page.get_by_role("region", name="Linked from")
        linking.get_by_text("Write a card for each idea!").wait_for()
        expect(linking).not_to_contain_text("Why")
        expect(
            page.get_by_role("region", name="Unlinked mentions").get_by_text("Good slips are short.")
        ).to_be_visible()
        outline = page.get_by_role("region", name="Outline")
        expect(outline.get_by_role("link")).to_have_text(["First", "Inner"])
        outline.get_by_role("link", name="Inner").click()
        until(page, "() => document.querySelector('.reached')?.textContent === 'Inner'")
        until(page, "() => document.querySelector('#panel').scrollTop > 500")


def test_a_mention_becomes_a_link_with_one_click(browser: "Browser", tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    with served(vault) as url, opened(browser, url) as page:
        page.goto(f"{url}#/note/method/Cards")
        page.get_by_role("button", name="Link “slips” in method/deep/Under").click()
        page.get_by_role("region", name="Linked from").get_by_text("Good slips are short.").wait_for()
        page.get_by_role("region", name="Unlinked mentions").wait_for(state="detached")
        assert read(vault)["method/deep/Under.md"] == b"Good [[Cards|slips]] are short. [[hint]]\n"


def test_the_map_is_a_mode_and_the_note_stays_where_it_was(browser: "Browser", url: str) -> None:
    with opened(browser, url) as page:
        page.goto(f"{url}#/note/method/Cards")
        settled(page).locator(".body").wait_for()
        until(page, "() => window.zkmem?.renderer.getNodeDisplayData('a/Twin')?.hidden === false")  # one link away
        assert not page.evaluate("() => zkmem.renderer.getGraph().hasNode('method/deep/Under')"), "it is not loaded"
        page.evaluate("() => document.querySelector('#panel').scrollTo(0, 300)")
        page.keyboard.press("g")
        until(page, "() => zkmem.renderer.getNodeDisplayData('method/deep/Under')?.hidden === false")
        expect(page.locator("main")).to_be_hidden()
        page.get_by_text("Path", exact=True).click()
        page.get_by_label("To", exact=True).focus()
        page.keyboard.press("Escape")
        expect(page.locator(".controls[open]")).to_have_count(0)
        expect(page.locator("main")).to_be_hidden()
        page.keyboard.press("Escape")
        page.locator(".show-panel").wait_for()
        expect(page.locator("main")).to_be_visible()
        until(page, "() => document.querySelector('#panel').scrollTop === 300")
        assert "#/note/method/Cards" in page.url
        page.keyboard.press("g")
        page.get_by_role("button", name="Close the map").click()
        expect(page.locator("main")).to_be_visible()


def test_an_empty_vault_says_how_to_begin(browser: "Browser", tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    vault = str(tmp_path / "vault")
    with served(vault) as url, opened(browser, url, expected=("404",)) as page:
        page.get_by_role("heading", name="Welcome").wait_for()
        page.get_by_text(f"claude mcp add --transport http zkmem {url}mcp").wait_for()
        assert faults(page) == []
        page.get_by_role("button", name="Create a note").click()
        question = page.get_by_role("dialog", name="New note")
        expect(question.get_by_label("Name, with its folders")).to_have_value("hint")
        page.keyboard.type("hint")
        expect(question.get_by_label("Name, with its folders")).to_have_value("hint")
        question.get_by_role("button", name="Write it").click()
        page.locator(".cm-focused").wait_for()
        page.keyboard.type("It begins.")
        page.keyboard.press("Control+s")
        page.get_by_role("button", name="Done").click()
        page.locator(".body", has_text="It begins.").wait_for()
    assert read(vault)["hint.md"] == b"It begins."


def test_home_shows_what_is_new_where_to_start_and_what_changed(browser: "Browser", tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    with served(vault) as url, opened(browser, url) as page:
        start = page.get_by_role("list", name="Where to start")
        start.get_by_text("Start at Cards.").wait_for()
        page.locator(".connection.live").wait_for(state="attached")
        called(url, "set_content", name="method/New", content="# New\n\nA model wrote this.\n")
        news = page.get_by_role("region", name="What happened")
        news.get_by_text("1 edit since").wait_for()
        recent = page.get_by_role("list", name="Recently changed").get_by_role("listitem")
        expect(recent.first.get_by_role("paragraph")).to_have_text("A model wrote this.")
        news.get_by_role("link", name="1 note created").click()
        page.get_by_role("link", name="Show everything new").wait_for()
        page.get_by_role("link", name="History of all edits").click()
        page.get_by_role("heading", name="History").wait_for()


def test_tidy_counts_the_findings_and_mends_links_with_one_click(browser: "Browser", tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    model = Memory(vault).on_behalf(client="model")
    model.write("Nowhere", "It was here.\n")
    model.delete("Nowhere")
    with served(vault) as url, opened(browser, url, expected=("404",)) as page:
        page.goto(f"{url}#/tidy")
        kinds = page.get_by_role("navigation", name="What to tidy")
        kinds.get_by_role("link", name="Missing notes 2").wait_for()
        expect(kinds.get_by_role("link")).to_have_text(["Missing notes 2", "Ambiguous links 1"], use_inner_text=True)
        page.get_by_text("Did you mean method/Cards?").wait_for()
        page.get_by_role("button", name="Link to method/Cards").click()
        kinds.get_by_role("link", name="Missing notes 1").wait_for()
        assert read(vault)["Ends.md"] == b"[[Cards|Slips]] and [[Nowhere]].\n"
        kinds.get_by_role("link", name="Ambiguous links").click()
        page.get_by_role("button", name="b/Twin", exact=True).click()
        page.get_by_text("Nothing to do here.").wait_for()
        assert read(vault)["method/Cards.md"].endswith(b"A [[b/Twin]].\n")
        kinds.get_by_role("link", name="Missing notes").click()
        page.get_by_role("button", name="Create Nowhere").click()
        page.locator(".cm-focused").wait_for()
        expect(page.locator(".title")).to_have_text("Nowhere")
        page.go_back()
        page.get_by_text("Last edit, by model").wait_for()
        page.get_by_role("button", name="Restore Nowhere").click()
        page.get_by_text("Nowhere is restored.").wait_for()
        page.get_by_text("Nothing to do here.").wait_for()
        assert read(vault)["Nowhere.md"] == b"It was here.\n"


def test_tidy_asks_once_what_the_index_knows_and_once_what_the_notes_say(browser: "Browser", tmp_path: Path) -> None:
    notes = {
        "A.md": "[[Gone]] and [[gone|it]].\n",
        "B.md": "[[GONE]]\n",
        "C.md": "[[Away]] [[odd?]]\n",
        "D.md": " ".join(f"[[Z{number}]]" for number in range(120)),
        "odd?.md": "Odd.\n",
    }
    vault = write(tmp_path / "vault", notes)
    with served(vault) as url, opened(browser, url) as page:
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url.removeprefix(url)))
        kinds = page.get_by_role("navigation", name="What to tidy")
        for address, path in (("#/tidy", "first"), ("#/list/check", "other"), ("#/list/missing", "missing")):
            page.goto(f"{url}#/")
            page.get_by_role("heading", name="Where to start").wait_for()
            requests.clear()
            page.goto(url + address)
            kinds.get_by_role("link", name="Missing notes 122").wait_for()
            page.locator(".title .count").wait_for()
            settled(page)
            asked = [one for one in requests if "findings" in one]
            assert asked == [f"api/findings?kind={path}&count=1000&look={look}" for look in ("index", "notes")]
            count = page.locator(".title .count").inner_text()
            expect(kinds.locator("[aria-current]")).to_have_text(re.compile(rf"\b{count}$"), use_inner_text=True)
            expect(page.locator(".rows > li")).to_have_count(min(100, int(count)))
        expect(page.locator(".rows > li").first).to_have_text(
            re.compile(r"^Gone\s+linked from A, B"), use_inner_text=True
        )
        page.get_by_role("button", name="Show 22 more").click()
        expect(page.locator(".rows > li")).to_have_count(122)


@pytest.mark.parametrize(("width", "height"), [(390, 600), (1280, 720)])
def test_the_buttons_of_a_long_dialog_are_in_view(browser: "Browser", tmp_path: Path, width: int, height: int) -> None:
    vault = write(tmp_path / "vault", NOTES | {f"Long name of note {n}.md": "See [[Cards]].\n" for n in range(28)})
    with served(vault) as url, opened(browser, url, viewport={"width": width, "height": height}) as page:
        page.goto(f"{url}#/note/method/Cards")
        page.locator(".body").wait_for()

        def buttons_are_in_view(*names: str) -> None:
            dialog = page.get_by_role("dialog")
            eventually(page, lambda: dialog.evaluate("one => one.scrollHeight > one.clientHeight"), True)
            assert dialog.evaluate("one => one.scrollTop") == 0, "a dialog begins at its top"
            for top in (0, 10_000):
                dialog.evaluate("(one, top) => one.scrollTo(0, top)", top)
                for name in names:
                    box = dialog.get_by_role("button", name=name, exact=True).bounding_box()
                    assert box
                    assert box["y"] + box["height"] <= height
                    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
                    assert page.evaluate("([x, y]) => document.elementFromPoint(x, y).textContent", middle) == name
            page.keyboard.press("Escape")
            dialog.wait_for(state="hidden")

        choose(page, "Rename…")
        page.get_by_role("dialog").get_by_label("New name").fill("method/Slips of paper")
        page.get_by_role("dialog").get_by_text("notes would change").wait_for()
        buttons_are_in_view("Cancel", "Rename")
        choose(page, "Delete…")
        buttons_are_in_view("Cancel", "Delete")
        page.keyboard.press("?")
        buttons_are_in_view("Close")


WIDE = "| a long cell | another |\n|---|---|\n| words that go on and on | `and_code_that_cannot_be_broken_anywhere` |\n"
VIEWS = {  # an address, and what is there when the view is
    "#/": ".openings",
    "#/note/method/Cards": ".passages button",
    "#/note/Rich": ".body pre[tabindex]",
    "#/note/Rich?at=1": ".body pre[tabindex]",
    "#/note/Nowhere": "article .toolbar button",
    "#/list/hints": ".rows li",
    "#/list/missing": ".rows li",
    "#/list/ambiguous": ".rows li",
    "#/list/conflict": ".rows li",
    "#/list/check": ".rows li",
    "#/list/suggestions": ".rows li",
    "#/list/bases": ".rows li",
    "#/tag/drink": ".rows li",
    "#/base/All.base": "table td",
    "#/history": ".history button",
    "#/edit/1": ".revision",
    "#/history/Rich": ".history button",
    "#/review": ".review",
    "#/search/card": ".results li",
}


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_axe_finds_no_fault_in_any_view(browser: "Browser", tmp_path: Path, options: dict[str, Any]) -> None:
    rich = {
        "Rich.md": "---\ntags: [drink]\nup: '[[hint]]'\n---\n# One\n\n### Three\n\n- [ ] task\n\n```python\n"
        + "print('a line of code that has to be scrolled') " * 5
        + f"\n```\n\n{WIDE}\n> [!tip]- Title\n> text\n\n[[Nowhere]] ![[gone.png]] ![[hint]] foot[^1]\n\n[^1]: note\n",
        "All.base": "views:\n  - type: table\n    name: All\n    order: [file.name, tags]\n",
        "Conflict.md": "Read.\n\n> [!conflict] Also written on laptop, 2026-11-22 10:14\n> Read on Sunday.\n",
        "Long.md": "word " * 3_000,
        "Broken.md": "---\nx: [\n---\n",
    }
    vault = write(tmp_path / "vault", NOTES | rich)
    with served(vault) as url, opened(browser, url, expected=("404 (Not Found)",), **options) as page:
        called(url, "set_content", name="Rich", old="task", content="better task")
        for address, sign in VIEWS.items():
            page.goto(url + address)
            settled(page).locator(sign).first.wait_for()
            assert (address, faults_in_both(page, every=True)) == (address, [])
        page.goto(f"{url}#/note/method/Cards")
        page.get_by_role("button", name="More actions").click()
        assert faults_in_both(page, every=True) == []
        assert faults_in_both(mapped(page), every=True) == []


def test_on_a_phone_the_tabs_are_one_row_and_targets_are_large(browser: "Browser", url: str) -> None:
    with opened(browser, url, **PHONE) as page:
        page.get_by_role("heading", name="Where to start").wait_for()
        tabs = page.locator(".tabs > *")
        boxes = [box for tab in tabs.all() if (box := tab.bounding_box())]
        assert len(boxes) == 5
        assert len({box["y"] for box in boxes}) == 1
        page.get_by_role("button", name="Folders").click()
        page.locator(".folders").get_by_role("button", name="method").click()
        large(page, ".folders [data-row]")
        page.locator(".folders").get_by_role("link", name="Cards").click()
        page.get_by_role("region", name="Linked from").wait_for()
        page.get_by_role("button", name="More actions").click()
        large(page, ".tabs > *, .head button, .head [role^=menuitem]")
        until(page, "() => document.documentElement.scrollWidth <= innerWidth")


def large(page: "Page", selector: str) -> None:
    """Check that each such element is high enough to touch."""
    for target in page.locator(selector).all():
        box = target.bounding_box()
        assert box
        assert box["height"] >= 44, target.inner_text()
