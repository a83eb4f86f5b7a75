"""Hostile notes on the page, in a real browser: no note stops the page, and Review can be used beside each."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.serve.test_page_review import opened_line
from tests.tools.browser import chromium, expect, needs_browser, opened, served, until
from tests.tools.vaults import Files, write
from zkmem.memory import Memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, needs_browser]

CASES = Path(__file__).parents[1] / "cases" / "hostile_notes.json"
KINDS: dict[str, str] = {
    kind: "".join(part if isinstance(part, str) else part[0] * part[1] for part in parts)
    for kind, parts in json.loads(CASES.read_text("utf-8")).items()
}
PDF = (  # its script asks for a password as soon as it is shown
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction 4 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n"
    b"4 0 obj<</S/JavaScript/JS(app.response('Your zkmem password:'))>>endobj trailer<</Root 1 0 R>>\n%%EOF\n"
)
PDF_VIEWER = ("chrome-extension://", "chrome://")  # Chromium's own, which it loads for a PDF
BLANKS = "a diagram of blocks with very many blanks"
SLOW = KINDS[BLANKS]
QUICK = "```mermaid\ngraph TD; A-->B\n```\n"


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Start the browser that people use: others may run frames in other processes than it does."""
    with chromium(is_whole=True) as found:
        yield found


@contextmanager
def written(
    browser: "Browser",
    tmp_path: Path,
    texts: str | dict[str, str],
    *,
    others: Files | None = None,
    expected: tuple[str, ...] = (),
) -> Iterator["Page"]:
    """Open the page of a vault in which each of some models has written a note; a single text is in the note `evil`.

    The last model has written the note `good`.
    """
    evil = {"evil": texts} if isinstance(texts, str) else texts
    outer = "\n\n".join(f"![[{name}]]" for name in evil)
    links = "\n\n".join(f"To [[{name}]]." for name in evil)
    vault = write(tmp_path / "vault", {"hint.md": links, "outer.md": outer, **(others or {})})
    for number, (name, text) in enumerate([*evil.items(), ("good", "A good note.\n")], start=1):
        Memory(vault).on_behalf(client=f"model {number}").write(name, text)
    with served(vault) as url, opened(browser, url, expected=expected) as page:
        yield page


def go(page: "Page", address: str) -> None:
    page.evaluate("(address) => { location.hash = address; }", address)


def read(page: "Page", name: str) -> None:
    """Open a note, and wait for its text."""
    go(page, f"#/note/{name}")
    expect(page.locator(".title")).to_have_text(name)
    page.locator(".body").first.wait_for()


def test_a_deep_formula_stays_as_it_is_written_wherever_it_is_shown(browser: "Browser", tmp_path: Path) -> None:
    formulas = {kind: text for kind, text in KINDS.items() if kind.startswith("a formula")}
    embeds = {f"outer of {kind}.md": f"![[{kind}]]\n" for kind in formulas}
    with written(browser, tmp_path, formulas, others=embeds) as page:
        refused = page.get_by_text("This formula could not be drawn.")
        go(page, "#/review")
        for kind in formulas:
            expect(opened_line(page, kind).get_by_text("This formula could not be drawn.")).to_have_count(1)
        expect(page.locator(".body .katex")).to_have_count(0)
        for kind in formulas:
            for name in (kind, f"outer of {kind}"):
                read(page, name)
                expect(refused).to_have_count(1)
                expect(page.locator(".body .katex")).to_have_count(0)
            read(page, "hint")
            page.locator(".note-page .body").first.get_by_role("link", name=kind, exact=True).hover()
            page.locator(".hover-card").get_by_text("This formula could not be drawn.").wait_for()


@pytest.mark.slow  # some take the five seconds that each may have
def test_a_diagram_is_drawn_or_given_up_while_the_page_answers(browser: "Browser", tmp_path: Path) -> None:
    diagrams = {kind: f"{text}\n{QUICK}" for kind, text in KINDS.items() if kind.startswith("a diagram")}
    del diagrams[BLANKS]  # the next test
    of_mermaid = ("<rect> attribute", "<g> attribute")  # its remarks on sizes that it could not compute
    with written(browser, tmp_path, diagrams, expected=of_mermaid) as page:
        for kind in diagrams:
            read(page, kind)
            page.locator("iframe.drawing").wait_for(state="attached")
            page.get_by_role("button", name="More actions").click()  # long before the frame is ended
            page.get_by_role("menu").wait_for()
            page.keyboard.press("Escape")
            page.locator(".body img.diagram, .body .undrawn").first.wait_for()
            page.locator(".body img.diagram").or_(page.get_by_role("button", name="Draw this diagram")).last.wait_for()


def test_a_frame_that_is_busy_is_ended_and_the_next_diagrams_wait_for_a_click(
    browser: "Browser", tmp_path: Path
) -> None:
    with written(browser, tmp_path, SLOW + QUICK) as page:
        go(page, "#/note/evil")
        page.get_by_text("This diagram takes too long to draw.").wait_for()
        expect(page.locator("iframe.drawing")).to_have_count(0)
        expect(page.locator(".body")).to_contain_text("space:99999999")
        page.get_by_role("button", name="Draw this diagram").click()
        page.locator(".body img.diagram").wait_for()
        expect(page.locator(".undrawn")).to_have_count(1)


def test_a_frame_that_is_busy_is_ended_with_the_note_that_needs_it(browser: "Browser", tmp_path: Path) -> None:
    with written(browser, tmp_path, SLOW, others={"quick.md": QUICK}) as page:
        go(page, "#/note/evil")
        page.locator("iframe.drawing").wait_for(state="attached")
        go(page, "#/note/quick")
        page.locator(".body img.diagram").wait_for()
        expect(page.locator(".undrawn")).to_have_count(0)


def test_diagrams_in_review_and_in_previews_are_drawn_after_a_click(browser: "Browser", tmp_path: Path) -> None:
    with written(browser, tmp_path, QUICK) as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
        button = page.get_by_role("button", name="Draw this diagram")
        go(page, "#/review")
        opened_line(page, "evil").get_by_role("button", name="Draw this diagram").wait_for()
        go(page, "#/note/hint")
        page.locator(".note-page .body").first.get_by_role("link", name="evil", exact=True).hover()
        page.locator(".hover-card").get_by_role("button", name="Draw this diagram").wait_for()
        assert not {"diagram.html", "diagram.js"} & {*asked}
        button.click()
        page.locator(".hover-card img.diagram").wait_for()
        go(page, "#/review")
        opened_line(page, "evil").get_by_role("button", name="Draw this diagram").click()
        page.locator(".line img.diagram").wait_for()


def test_the_frame_that_draws_has_neither_the_origin_of_the_page_nor_a_network(
    browser: "Browser", tmp_path: Path
) -> None:
    with written(browser, tmp_path, QUICK, expected=("Content Security Policy",)) as page:
        go(page, "#/note/evil")
        page.locator(".body img.diagram").wait_for()
        frame = next(one for one in page.frames if one.url.endswith("diagram.html"))
        assert frame.evaluate("() => origin") == "null"
        for forbidden in (
            "sessionStorage.length",
            "localStorage.length",
            "parent.document",
            "top.zkmem",
            "indexedDB.open('x')",
        ):
            assert frame.evaluate(f"() => {{ try {{ {forbidden}; return ''; }} catch (e) {{ return e.name; }} }}") == (
                "SecurityError"
            ), forbidden
        address = page.url.partition("#")[0]
        reached = f"() => fetch('{address}main.js', {{ mode: 'no-cors' }}).then(() => 'reached', () => 'refused')"
        assert frame.evaluate(reached) == "refused"


def test_code_that_takes_too_long_to_colour_stays_plain_while_the_page_answers(
    browser: "Browser", tmp_path: Path
) -> None:
    code = {kind: text for kind, text in KINDS.items() if kind.startswith("code")}
    with written(browser, tmp_path, code, others={"quick.md": "```python\nreturn 2\n```\n"}) as page:
        for kind in code:
            read(page, kind)
            until(page, "() => performance.getEntriesByType('resource').some((one) => one.name.endsWith('worker.js'))")
            read(page, "quick")  # it has the worker without waiting for the end of the other
            expect(page.locator(".hljs-keyword")).to_have_text(["return"])


BREAKS = """() => {
    const { set, get } = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML');
    Object.defineProperty(Element.prototype, 'innerHTML', {
        get, set(text) { if (text.includes('BREAKS')) throw new Error('BREAKS'); set.call(this, text); },
    });
}"""


def test_a_text_that_cannot_be_shown_leaves_the_other_lines_of_review(browser: "Browser", tmp_path: Path) -> None:
    with written(browser, tmp_path, "It BREAKS the page.\n", expected=("BREAKS",)) as page:
        page.evaluate(BREAKS)
        go(page, "#/review")
        evil, good = opened_line(page, "evil"), opened_line(page, "good")
        evil.get_by_text("This part could not be shown.").wait_for()
        expect(good).to_contain_text("A good note.")
        good.get_by_role("checkbox").check()
        expect(good.locator(".changed")).to_have_count(0)
        evil.get_by_role("button", name="Undo…", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="Undo", exact=True).click()
        evil.get_by_text("undone").wait_for()


def test_a_pdf_is_not_even_fetched_before_a_click_and_then_has_a_tab_of_its_own(
    browser: "Browser", tmp_path: Path
) -> None:
    text = "![[x.pdf]] ![[x.pdf#page=1|one]] ![alt](x.PDF)\n\n![[gone.png]] ![[last.wav]]\n"
    files = {"x.pdf": PDF, "last.wav": b"x"}
    left = "ERR_FILE_NOT_FOUND"  # the sound, if its note is left while the player reads it
    with written(browser, tmp_path, text, expected=(*PDF_VIEWER, left), others=files) as page:
        asked: list[str] = []
        asked_all = "() => performance.getEntriesByType('resource').some((one) => one.name.includes('last.wav'))"
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: pytest.fail(dialog.message))
        for address in ("#/note/evil", "#/note/outer", "#/review"):
            page.reload()  # forgets what was fetched
            go(page, address)
            if address == "#/review":
                opened_line(page, "evil")
            page.get_by_role("button", name="x.pdf", exact=True).first.wait_for()
            until(page, asked_all)
        go(page, "#/note/hint")
        page.locator(".note-page .body").first.get_by_role("link", name="evil", exact=True).hover()
        page.locator(".hover-card").get_by_role("button", name="x.pdf", exact=True).first.wait_for()
        assert page.locator("iframe, embed, object").count() == 0
        assert not [one for one in asked if ".pdf" in one.lower()]
        go(page, "#/note/evil")
        page.on("popup", lambda tab: tab.on("dialog", lambda dialog: dialog.dismiss()))
        with page.expect_popup() as tab:
            page.get_by_role("button", name="one", exact=True).click()
        tab.value.wait_for_url("blob:**#page=1")
        expect(page.locator(".body")).to_be_visible()


BOMB = (  # ten circles in ten groups in ten groups ..., nine times
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><g id="a0"><circle r="2"/></g>'
    + "".join(f'<g id="a{level + 1}">{f"""<use href="#a{level}"/>""" * 10}</g>' for level in range(9))
    + "</svg>"
)


def test_a_picture_of_very_many_elements_is_not_drawn_and_others_are(browser: "Browser", tmp_path: Path) -> None:
    good = BOMB.replace("#a", "#b").replace('<g id="a1">', '<g id="b0"/><g id="a1">')  # no element shows another one
    files = {"bomb.svg": BOMB, "old.svg": BOMB.replace("href", "xlink:href"), "good.svg": good}
    files["old.svg"] = files["old.svg"].replace("<svg ", '<svg xmlns:xlink="http://www.w3.org/1999/xlink" ')
    with written(browser, tmp_path, "![[bomb.svg]] ![[old.svg]] ![[good.svg]]\n", others=files) as page:
        go(page, "#/note/evil")
        expect(page.get_by_text("this picture is too complex.")).to_have_count(2)
        until(page, "() => document.querySelector('.body img')?.naturalWidth === 9")


TURNING = ["to\u202egpj.exe", "end\u2069\u202ed", "\u2066in\u202dner", "\u202bright"]
# Finds the elements in which a name that sets a direction has an effect on the text beside it
TURNED = """() => {
    const controls = /[\\u202a-\\u202e\\u2066-\\u2069]/, found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { data, parentElement } = walker.currentNode;
        if (!controls.test(data)) continue;
        const starts = data.match(/[\\u202a\\u202b\\u202d\\u202e\\u2066-\\u2068]/g)?.length ?? 0;
        const ends = data.match(/[\\u202c\\u2069]/g)?.length ?? 0;
        const isApart = /isolate|plaintext/.test(getComputedStyle(parentElement).unicodeBidi);
        if (starts !== ends || !isApart) found.push(parentElement.outerHTML);
    }
    return found;
}"""


def test_names_that_set_the_direction_of_writing_have_no_effect_on_the_text_beside_them(
    browser: "Browser", tmp_path: Path
) -> None:
    links = "".join(f"- [[{name}]] after, ![[{name}]]\n" for name in TURNING)
    others: Files = {f"{name}/{name}.md": "# Of it\n\n[[hint]]\n" for name in TURNING}
    with written(browser, tmp_path, links, others=others) as page:
        vault = str(tmp_path / "vault")
        for name in TURNING:
            Memory(vault).on_behalf(client=f"by {name}").write(f"{name}/{name}", "Of it\n\n[[evil]]\n")
        shown = page.get_by_text(re.compile("\u202e|\u202d"))
        first = f"{TURNING[0]}/{TURNING[0]}"
        for address in (
            "#",
            "#/review",
            "#/history",
            "#/note/evil",
            f"#/note/{quote(first, safe='')}",
            "#/list/notes",
            "#/tidy",
        ):
            go(page, address)
            page.reload()
            shown.first.wait_for(state="attached")
            page.locator(".waiting").first.wait_for(state="detached")
            if address == "#/review":
                page.get_by_role("button", name="Open all").click()
                page.locator(".changed").first.wait_for()
            assert page.evaluate(TURNED) == [], address
        go(page, f"#/note/{quote(first, safe='')}")
        until(page, "() => document.title.startsWith('\u2068')")
        page.get_by_role("button", name="More actions").click()
        page.get_by_role("menuitem", name="Delete").click()
        page.get_by_role("dialog").wait_for()
        assert page.evaluate(TURNED) == []
        page.keyboard.press("Escape")
        page.keyboard.press("Control+k")
        page.keyboard.type("gpj")
        page.get_by_role("option").first.wait_for()
        assert page.evaluate(TURNED) == []


@pytest.mark.slow
def test_review_can_be_used_beside_every_kind_of_hostile_note(browser: "Browser", tmp_path: Path) -> None:
    of_drawing = ("<rect> attribute", "<g> attribute", "404 (Not Found)")
    with written(browser, tmp_path, KINDS, expected=of_drawing) as page:
        review = page.context.new_page()
        review.goto(page.url.partition("#")[0] + "#/review")
        for kind in KINDS:
            page.bring_to_front()
            go(page, f"#/note/{kind}")
            review.bring_to_front()  # a tab behind another one takes two seconds for a click
            evil = opened_line(review, kind)
            evil.locator(".changed .body").first.wait_for(state="attached")
            evil.get_by_role("button", name="Undo…", exact=True).click()  # while the note is drawn in its own tab
            review.get_by_role("dialog").get_by_role("button", name="Undo", exact=True).click()
            evil.get_by_text("undone").wait_for()
            evil.locator("[data-row]").click()  # else each undo loads again what all open lines show
        page.bring_to_front()
        go(page, "#/review")  # in the tab that has shown all of them
        opened_line(page, "good").locator("[data-row]").click()
