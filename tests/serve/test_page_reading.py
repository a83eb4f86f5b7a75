"""Reading a note on the page as in Obsidian, in a real browser: callouts, embeds, tags, footnotes and tasks."""

import io
import re
import struct
import wave
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import zkmem
from tests.tools.browser import (
    eventually,
    expect,
    faults,
    faults_in_both,
    needs_browser,
    opened,
    served,
    settled,
    until,
)
from tests.tools.vaults import write
from zkmem.memory import Memory
from zkmem.names import EMBEDDED

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, needs_browser]

LINES = "A line of text that is here so that the note is long.\n\n" * 40


def png() -> bytes:
    """A picture of 8 by 8 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\0" + b"\x40\x80\xc0" * 8) * 8)
    header = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def wav() -> bytes:
    """Half a second of silence."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8_000)
        sound.writeframes(b"\x80" * 4_000)
    return file.getvalue()


PDF_VIEWER = ("chrome-extension://", "chrome://")  # Chromium's own, which it loads for a PDF
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Count 0/Kids[]>>endobj\n%%EOF\n"

NOTES: dict[str, str | bytes] = {
    "callouts.md": "> [!tip] A title *with* [[other|a link]]\n> Inside.\n\n> [!faq]- Folded\n> Hidden text.\n\n"
    "> [!bug]+ Open\n> > [!todo] Nested\n> > Deep.\n",
    "marks.md": "A ==bright== word, %%a secret%% and #topic/one.\n\nhttps://example.org/a and one[^1].\n\n"
    f"{LINES}[app](obsidian://open?vault=x) and [file](gone.pdf)\n\n[^1]: The footnote.\n",
    "other.md": f"#topic\n\n{LINES}## First\n\n{LINES}## Second one\n\n{LINES}A block. ^block\n\n{LINES}"
    f"| table |\n|---|\n| x |\n\n^table\n\n{LINES}",
    "embeds.md": "before ![[part#Two]] after\n\n![[picture.png|40]] ![[picture.png|40x20]]\n\n![[sound.wav]]\n\n"
    "![[paper.pdf]]\n\n[[page.html]]\n\n![[gone.mp3]]\n",
    "part.md": "# One\n\nOf one.\n\n# Two\n\nOf two. ![[picture.png]]\n",
    "picture.png": png(),
    "sound.wav": wav(),
    "paper.pdf": PDF,
    "page.html": "<script>document.title = 'bad'</script>",
    "tasks.md": "---\nup: '[[other#First|shown]]'\nmore: ['[[gone]]', text]\ntags: [topic]\nsite: https://example.org\n---\n"
    "- [ ] one\n- [x] two\n  1. [ ] three\n\nText.\n\n> - [-] four\n",
    "wide.md": "| "
    + " | ".join(["a rather long heading"] * 12)
    + " |\n"
    + "|---" * 12
    + "|\n| "
    + "x | " * 12
    + "\n\nשלום\n",
    "drawn.md": "Inline $a^2 + b^2$ and $$\\frac{1}{2} \\sum_{i=0}^n \\sqrt{x_i} \\boxed{y} \\overbrace{abc}$$\n\n"
    "```python\ndef f(x):\n    return 1  # <b>one</b>\n```\n\n```unheardof\nx\n```\n\n"
    "```mermaid\ngraph TD; A[Begin <b>x</b>]-->B{Choose}; B-->|yes| C\n```\n\n"
    "```mermaid\nsequenceDiagram\n  Ann->>Bob: Hello\n```\n",
    "faulty.md": "Formula $\\nosuch{a}$ here.\n\n```mermaid\nno diagram -- at all\n```\n",
    "hostile.md": '```mermaid\ngraph TD; A["<img src=https://evil.example/a.png onerror=alert(1)>"]-->B\n'
    'click A href "javascript:alert(1)"\n```\n\n'
    '```mermaid\ngraph TD\n  C@{ img: "https://evil.example/b.png", w: 60, h: 60 }\n```\n\n'
    '```mermaid\n%%{init: {"themeCSS": "@import url(https://evil.example/c.css)", "securityLevel": "loose"}}%%\n'
    "graph TD; D-->E\n```\n\n$\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://evil.example/d.png}$\n",
    "plain.md": "Nothing to draw.\n",
    "links.md": f"[[other#Second one]]\n\n[[other#^block]]\n\n[[other#^table]]\n\n[[other#First#No such]]\n\n{LINES}"
    f"[[#Here]]\n\n{LINES}## Here\n\n{LINES}",
}


@pytest.fixture
def vault(tmp_path: Path) -> str:
    return write(tmp_path / "vault", NOTES)


@contextmanager
def at(
    browser: "Browser", vault: str, address: str, *, expected: tuple[str, ...] = (), **options: Any
) -> Iterator["Page"]:
    """The page at the address of a note, when the note is there."""
    with served(vault) as url, opened(browser, url, expected=expected, **options) as page:
        page.goto(url + address)
        page.locator(".body").first.wait_for()
        yield page


def is_at_top(page: "Page", selector: str) -> None:
    """Wait until an element is at the top of the panel, below the tabs."""
    until(
        page,
        f"""() => {{
            const one = document.querySelector({selector!r});
            const top = one?.getBoundingClientRect().top - document.getElementById('panel').getBoundingClientRect().top;
            return top > -5 && top < 120;
        }}""",
    )


def scroll(page: "Page", top: int) -> None:
    page.evaluate(f"() => document.getElementById('panel').scrollTo({{ top: {top}, behavior: 'instant' }})")


def scrolled(page: "Page") -> int:
    top: int = page.evaluate("() => Math.round(document.getElementById('panel').scrollTop)")
    return top


# Callouts


def test_callouts_have_an_icon_a_title_and_can_be_folded(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/callouts") as page:
        expect(page.locator(".callout-title").first).to_have_text("A title with a link")
        icon = page.evaluate("() => getComputedStyle(document.querySelector('.callout-title'), '::before').maskImage")
        assert icon.startswith('url("data:image/svg+xml')
        hidden = page.get_by_text("Hidden text.")
        expect(hidden).to_be_hidden()
        page.locator("summary", has_text="Folded").click()
        hidden.wait_for()
        expect(page.get_by_text("Deep.")).to_be_visible()
        page.locator("summary", has_text="Open").click()
        expect(page.get_by_text("Deep.")).to_be_hidden()
        expect(page.locator(".body")).not_to_contain_text("[!")
        assert faults_in_both(page) == []


def test_a_callout_stays_as_it_was_folded_when_the_note_changes(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/callouts") as page:
        page.locator("summary", has_text="Folded").click()
        page.locator("summary", has_text="Open").click()
        write(vault, {"callouts.md": f"{NOTES['callouts.md']!s}\nNew line.\n"})
        page.get_by_text("New line.").wait_for()
        expect(page.get_by_text("Hidden text.")).to_be_visible()
        expect(page.get_by_text("Deep.")).to_be_hidden()


# Marks in the text


def test_marks_are_shown_and_what_does_not_open_says_why(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/marks") as page:
        expect(page.locator(".body mark")).to_have_text("bright")
        expect(page.locator(".body")).not_to_contain_text("secret")
        expect(page.get_by_role("link", name="https://example.org/a")).to_have_attribute("rel", "noopener noreferrer")
        assert faults(page) == []
        page.locator("a.footnote").click()
        until(page, "() => document.activeElement?.matches('a.back')")
        expect(page.get_by_text("The footnote.")).to_be_visible()
        page.keyboard.press("Enter")
        until(page, "() => document.activeElement?.matches('a.footnote')")
        page.get_by_role("button", name="app").click()
        page.get_by_text("This page cannot open “obsidian:” addresses: obsidian://open?vault=x").wait_for()
        page.get_by_role("button", name="file").click()
        page.get_by_text("There is no file “gone.pdf” in this vault.").wait_for()


def test_a_tag_opens_the_list_of_its_notes(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/marks") as page:
        page.get_by_role("link", name="#topic/one").click()
        rows = page.locator(".rows a")
        rows.first.wait_for()
        expect(rows).to_have_text(["marks"])
        page.goto(page.url.replace("topic%2Fone", "topic"))
        until(page, "() => document.querySelectorAll('.rows a').length === 3")
        expect(rows).to_have_text(["marks", "other", "tasks"])  # a nested tag counts, and one in a property
        assert faults(page) == []
        page.goto(page.url.replace("topic", "unused"))
        page.get_by_text("No note has this tag.").wait_for()


# Places in a note


def test_a_link_leads_to_its_place_and_back_to_where_it_was(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/links") as page:
        settled(page)  # the page scrolls to the beginning of the note once it has arrived there
        scroll(page, 30)
        page.get_by_role("link", name="other > Second one").click()
        is_at_top(page, ".body [data-heading='second one']")
        page.wait_for_url(re.compile(r"\?%23"))
        page.reload()
        is_at_top(page, ".body [data-heading='second one']")
        scroll(page, 10)
        page.go_back()
        page.get_by_role("link", name="other > Second one").wait_for()
        until(page, "() => Math.round(document.getElementById('panel').scrollTop) === 30")
        page.go_forward()
        page.get_by_text("A block.").wait_for()
        until(page, "() => Math.round(document.getElementById('panel').scrollTop) === 10")
        for link, there in (("^block", "p:has([data-block=block])"), ("^table", ".table")):
            page.go_back()
            page.get_by_role("link", name=f"other > {link}").click()
            is_at_top(page, f".body {there}")
        page.go_back()
        page.get_by_role("link", name="other > First > No such").click()  # there is no such place
        page.get_by_text("A block.").wait_for()
        eventually(page, lambda: scrolled(page), 0)


def test_a_place_in_the_same_note_is_a_step_in_the_history(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/links") as page:
        link = page.get_by_role("link", name="Here", exact=True)
        link.scroll_into_view_if_needed()
        top = scrolled(page)
        link.click()
        is_at_top(page, ".body [data-heading=here]")
        page.go_back()
        until(page, f"() => Math.round(document.getElementById('panel').scrollTop) === {top}")
        link.click()
        is_at_top(page, ".body [data-heading=here]")
        link.click()  # the address is the same
        is_at_top(page, ".body [data-heading=here]")


def test_back_waits_for_images_that_make_a_note_longer(browser: "Browser", vault: str) -> None:
    write(vault, {"images.md": "[[plain]]\n\n" + "![[picture.png|300x900]]\n\n![[large.svg]]\n\n" * 2})
    tall = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="1500"><rect width="90" height="1500"/></svg>'
    write(vault, {"large.svg": tall})
    with at(browser, vault, "#/note/images") as page:
        until(page, "() => [...document.querySelectorAll('.body img')].every((one) => one.naturalWidth)")
        page.evaluate("() => (location.hash = '#/note/plain')")
        page.get_by_text("Nothing to draw.").wait_for()
        page.go_back()
        until(page, "() => [...document.querySelectorAll('.body img')].filter((one) => one.naturalWidth).length === 4")
        scroll(page, 4000)
        top = scrolled(page)
        assert top > 2000
        page.evaluate("() => (location.hash = '#/note/plain')")
        page.get_by_text("Nothing to draw.").wait_for()
        page.go_back()
        until(page, f"() => Math.round(document.getElementById('panel').scrollTop) === {top}")


def test_a_note_of_half_a_megabyte_is_shown_in_parts(browser: "Browser", vault: str) -> None:
    unit = "> [!tip] Title\n> A ==marked== line with #tag and text that goes on and on.\n\n| a |\n|---|\n| b |\n\n"
    text = unit * (450_000 // len(unit))
    write(vault, {"big.md": text})
    with at(browser, vault, "#/note/big") as page:
        for parts in (2, 3):  # of 2,000 callouts each
            page.get_by_role("button", name="Read on").click()
            until(page, f"() => document.querySelectorAll('.body').length === {parts}")
        expect(page.get_by_role("button", name="Read on")).to_have_count(0)
        expect(page.locator(".callout")).to_have_count(text.count("[!tip]"))
        expect(page.locator(".body table")).to_have_count(text.count("|---|"))
        assert "[!" not in page.evaluate("() => document.querySelector('.body').textContent")


def test_a_place_in_a_part_of_a_long_note_that_is_not_loaded_is_found(browser: "Browser", vault: str) -> None:
    many = "".join(f"[[M{i}]]\n\n" for i in range(3_000))
    write(vault, {"long.md": f"[[#Far away]]\n\n{many}## Far away\n", "top.md": f"# Top\n\n{many}## Far *away*\n\nx\n"})
    with at(browser, vault, "#/note/long") as page:
        page.get_by_role("link", name="Far away").first.click()
        until(page, "() => document.querySelector('[data-heading=\"far away\"]')?.getBoundingClientRect().top < 900")
        expect(page.get_by_role("button", name="Read on")).to_have_count(0)
        page.goto(page.url.partition("#")[0] + "#/note/top")
        outline = page.get_by_role("region", name="Outline")
        outline.get_by_role("link").nth(1).wait_for()
        expect(outline.get_by_role("link")).to_have_text(["Top", "Far away"])
        expect(page.get_by_role("button", name="Read on")).to_be_visible()
        outline.get_by_role("link", name="Far").click()
        until(page, "() => document.querySelector('.reached')?.textContent === 'Far away'")


# Embeds and files


def test_an_embed_shows_its_part_and_files_are_shown_opened_or_saved(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/embeds", expected=PDF_VIEWER) as page:
        embed = page.locator(".embed")
        expect(embed).to_contain_text("Of two.")
        expect(embed).not_to_contain_text("Of one.")
        until(page, "() => [...document.querySelectorAll('.body img')].every((one) => one.naturalWidth === 8)")
        sizes = "() => [...document.querySelectorAll('.body > p img')].map((one) => [one.width, one.height])"
        eventually(page, lambda: page.evaluate(sizes), [[40, 40], [40, 20]])
        until(page, "() => document.querySelector('audio')?.duration > 0.4")
        assert faults(page) == []
        with page.context.expect_page() as tab:
            page.get_by_role("button", name="paper.pdf").click()
        until(page, "() => true")
        assert tab.value.url.startswith("blob:") or tab.value.url in {"about:blank", ":", ""}
        with page.expect_download() as saved:
            page.get_by_role("button", name="page.html").click()
        assert saved.value.suggested_filename == "page.html"
        assert page.title() != "bad"
        embed.get_by_role("link", name="part > Two").click()
        page.locator(".body .reached[data-heading=two]").wait_for()


def test_a_file_is_no_note_whatever_address_and_history_name_it(browser: "Browser", vault: str) -> None:
    rule = re.search(
        r"const FILE = /(.+)/i", (Path(zkmem.__file__).parent / "serve/page/common/names.js").read_text("utf-8")
    )
    assert rule
    assert all(re.search(rule[1], f"a{suffix}") for suffix in EMBEDDED)
    assert not any(re.search(rule[1], name) for name in ("png", "a.png.b", "version 1.2", "a.md"))
    Memory(vault).on_behalf(client="model").attach("embeds", "drawn.png", png())
    with served(vault) as url, opened(browser, url + "#/note/gone.png", expected=("404",)) as page:
        page.get_by_text("There is no such file in this vault.").wait_for()
        expect(page.get_by_role("button", name="Create this note")).to_have_count(0)
        page.goto(url + "#/history")
        page.locator(".history .row").first.click()
        heading = page.locator(".revision h4", has_text="drawn.png")
        with page.context.expect_page():
            heading.get_by_role("button", name="drawn.png").click()
        expect(heading.get_by_role("link")).to_have_count(0)


# Tasks, properties and tables


def test_a_task_is_ticked_in_the_file(browser: "Browser", vault: str) -> None:
    def boxes() -> list[str]:
        text = Path(vault, "tasks.md").read_text("utf-8")
        return [text[at + 1] for at in range(len(text)) if text[at] == "[" and text[at + 2 : at + 3] == "]"]

    with at(browser, vault, "#/note/tasks") as page:
        before = Path(vault, "tasks.md").read_bytes()
        for number, expected in enumerate([["x", "x", " ", "-"], ["x", " ", " ", "-"], ["x", " ", "x", "-"]]):
            with page.expect_response(lambda response: response.request.method == "PUT"):
                page.locator(".body input").nth(number).click()
            assert boxes() == expected
        with page.expect_response(lambda response: response.request.method == "PUT"):
            page.get_by_role("checkbox", name="four").uncheck()
        assert boxes() == ["x", " ", "x", " "]
        after = Path(vault, "tasks.md").read_bytes()
        assert len(after) == len(before)
        assert sum(one != other for one, other in zip(before, after, strict=True)) == 4
        assert faults(page) == []


def test_a_task_in_an_embed_is_ticked_in_its_own_note(browser: "Browser", vault: str) -> None:
    todo = "---\nx: 1\n---\n- [ ] zero\n\n## Today\n\n\n- [ ] one\n- [ ] two\n"
    write(
        vault, {"todo.md": todo, "outer.md": "- [ ] own\n\n![[todo#Today]]\n\n![[inner]]\n", "inner.md": "![[todo]]\n"}
    )
    with at(browser, vault, "#/note/outer") as page:
        with page.expect_response(lambda response: response.request.method == "PUT"):
            page.get_by_role("checkbox", name="two").first.check()
        page.locator(".embed input:checked").nth(1).wait_for()  # the other embed of the note, too
        assert Path(vault, "todo.md").read_text("utf-8") == todo.replace("[ ] two", "[x] two")
        with page.expect_response(lambda response: response.request.method == "PUT"):
            page.get_by_role("checkbox", name="zero").check()
        assert Path(vault, "todo.md").read_text("utf-8") == todo.replace("[ ] two", "[x] two").replace("[ ] z", "[x] z")
        assert Path(vault, "outer.md").read_text("utf-8").startswith("- [ ] own\n")


def test_a_tick_is_merged_with_other_changes_or_refused(browser: "Browser", vault: str) -> None:
    failures = "412 (Precondition Failed)", "ERR_FAILED"
    with at(browser, vault, "#/note/tasks", expected=failures, is_routed=True) as page:
        page.route("**/api/events", lambda route: route.abort())
        page.reload()
        page.locator(".body input").first.wait_for()
        text = Path(vault, "tasks.md").read_text("utf-8")
        write(vault, {"tasks.md": text.replace("Text.", "Other text.")})
        page.get_by_role("checkbox", name="one").check()
        page.get_by_text("Other text.").wait_for()
        assert "- [x] one" in Path(vault, "tasks.md").read_text("utf-8")
        text = Path(vault, "tasks.md").read_text("utf-8")
        write(vault, {"tasks.md": text.replace("- [x] two", "- [x] two, and more")})
        page.get_by_role("checkbox", name="two").uncheck()
        page.get_by_role("alert").wait_for()
        page.locator(".body", has_text="two, and more").wait_for()
        assert "- [x] two, and more" in Path(vault, "tasks.md").read_text("utf-8")
        expect(page.get_by_role("checkbox", name="two")).to_be_checked()


def test_properties_are_lists_and_links(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/tasks") as page:
        table = page.locator(".properties")
        expect(table.locator("li")).to_have_text(["gone", "text", "topic"])
        expect(table.get_by_role("link", name="https://example.org")).to_have_attribute("target", "_blank")
        assert faults(page) == []
        table.get_by_role("link", name="shown").click()
        is_at_top(page, ".body [data-heading=first]")
        page.go_back()
        table.get_by_role("link", name="topic").click()
        page.locator(".rows a").first.wait_for()


def test_a_wide_table_scrolls_in_its_own_box_and_text_has_its_own_direction(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/wide") as page:
        wide, panel = page.evaluate(
            """() => [document.querySelector('.body .table'), document.getElementById('panel')]
                .map((one) => one.scrollWidth > one.clientWidth)"""
        )
        assert (wide, panel) == (True, False)
        expect(page.locator(".body p").first).to_have_css("direction", "rtl")
        assert faults(page) == []


# What is drawn


def test_formulas_code_and_diagrams_are_drawn_by_scripts_that_are_loaded_when_a_note_needs_them(
    browser: "Browser", vault: str
) -> None:
    with at(browser, vault, "#/note/plain") as page:
        page.get_by_text("Nothing to draw.").wait_for()
        loaded = page.evaluate("() => performance.getEntriesByType('resource').map((one) => one.name)")
        assert not [one for one in loaded if "math" in one or "diagram" in one or "vendor/code" in one]
        page.goto(page.url.partition("#")[0] + "#/note/drawn")
        until(page, "() => document.querySelectorAll('.body .katex').length === 2")
        until(page, "() => document.querySelectorAll('.body img.diagram').length === 2")
        until(page, "() => [...document.querySelectorAll('img.diagram')].every((one) => one.naturalWidth > 50)")
        until(page, "() => document.fonts.check('16px KaTeX_Main')")
        expect(page.locator(".hljs-keyword")).to_have_text(["def", "return"])
        code = "def f(x):\n    return 1  # <b>one</b>\n"
        eventually(page, page.locator("pre code").first.inner_text, code)
        expect(page.locator("img.diagram").first).to_have_attribute("alt", re.compile("^Diagram: graph TD"))
        expect(page.locator(".undrawn")).to_have_count(0)
        page.evaluate("() => document.querySelectorAll('img.diagram').forEach((one) => (one.dataset.old = '1'))")
        assert faults_in_both(page) == []
        until(page, "() => document.querySelectorAll('.body img.diagram:not([data-old])').length === 2")


def test_what_cannot_be_drawn_shows_its_source_and_one_line(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/faulty") as page:
        page.get_by_text("This formula could not be drawn.").wait_for()
        page.get_by_text("This diagram could not be drawn.").wait_for()
        expect(page.locator(".body")).to_contain_text("\\nosuch{a}")
        expect(page.locator(".body")).to_contain_text("no diagram -- at all")
        assert faults(page) == []


def test_nothing_that_is_drawn_acts_or_asks_another_host(browser: "Browser", vault: str) -> None:
    refused = ("Content Security Policy", "https://evil.example/b.png")  # the policy of the frame stops it
    with at(browser, vault, "#/note/hostile", expected=refused) as page:
        stopped: list[str | None] = []
        page.on("requestfailed", lambda request: stopped.extend([request.failure] if "evil" in request.url else []))
        page.on("dialog", lambda dialog: pytest.fail(dialog.message))
        page.reload()
        done = "document.querySelectorAll('.diagram').length + document.querySelectorAll('.undrawn').length"
        until(page, f"() => {done} >= 3")
        assert set(stopped) <= {"csp"}
        expect(page.locator(".body a[href^='javascript']")).to_have_count(0)
        expect(page.locator(".body :is(script, iframe, foreignObject)")).to_have_count(0)
