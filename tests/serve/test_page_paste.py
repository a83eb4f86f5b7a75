"""Pasting and dropping into the editor of the page, and beside it: files and HTML, in a real browser."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tools.browser import called, eventually, expect, needs_browser, opened
from tests.tools.vaults import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = [pytest.mark.browser, needs_browser]

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
NOTES = {"in/note.md": "Before after.\n\n```\ncode\n```\n"}
GIVE = """([kind, content, files, where]) => {
    const data = new DataTransfer();
    for (const [type, text] of Object.entries(content)) data.setData(type, text);
    for (const [name, type, bytes] of files) {
        data.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name, { type }));
    }
    const target = document.querySelector(where);
    const { left, top } = (target.querySelector('.cm-line') ?? target).getBoundingClientRect();
    const options = { bubbles: true, cancelable: true };
    return !target.dispatchEvent(kind === 'paste'
        ? new ClipboardEvent('paste', { ...options, clipboardData: data })
        : new DragEvent('drop', { ...options, dataTransfer: data, clientX: left + 1, clientY: top + 5 }));
}"""


@pytest.fixture
def page(browser: "Browser", url: str, vault: str) -> Iterator["Page"]:
    write(Path(vault), NOTES)
    with opened(browser, url, expected=("422 (Unprocessable",)) as page:
        page.evaluate("() => localStorage.setItem('zkmem:source', 'on')")
        page.goto(f"{url}#/note/in/note")
        page.get_by_role("button", name="Edit", exact=True).click()
        page.locator(".cm-content:focus").wait_for()
        yield page


def give(
    page: "Page",
    kind: str,
    content: dict[str, str] | None = None,
    files: tuple[tuple[str, str, bytes], ...] = (),
    where: str = ".cm-content",
) -> None:
    """Paste or drop; the browser must do nothing by itself with a file, for it would leave the page."""
    sent = [[name, type_, base64.b64encode(data).decode()] for name, type_, data in files]
    assert page.evaluate(GIVE, [kind, content or {}, sent, where]) or not files


def lines(page: "Page") -> "Locator":
    return page.locator(".editor .cm-line")


def text(page: "Page") -> str:
    return "\n".join(lines(page).all_inner_texts())


def test_a_pasted_picture_is_stored_and_embedded_where_the_cursor_was(page: "Page", vault: str) -> None:
    page.keyboard.press("Control+Home")
    for _ in "Before ":
        page.keyboard.press("ArrowRight")
    give(page, "paste", files=(("image.png", "image/png", PIXEL),))
    page.keyboard.press("Control+Home")
    page.keyboard.type("Typed. ")
    page.locator(".cm-line", has_text="Typed. Before ![[in/attachments/Pasted image").wait_for()
    expect(lines(page).first).to_have_text(re.compile(r"\.png\]\]after\.$"))
    page.keyboard.press("Control+s")
    page.get_by_text("Saved", exact=True).wait_for()
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.querySelector('.body img')?.naturalWidth === 1")
    [stored] = [one for one in Path(vault, "in/attachments").iterdir() if one.name.startswith("Pasted image")]
    assert stored.read_bytes() == PIXEL


def test_a_dropped_picture_keeps_its_name_and_the_server_frees_it(page: "Page", vault: str) -> None:
    for _ in range(2):
        give(page, "drop", files=(("Tea [pot].png", "image/png", PIXEL),))
        page.locator(".cm-line", has_text="![[in/attachments/Tea pot.png]]").wait_for()
    page.locator(".cm-line", has_text="![[in/attachments/Tea pot 1.png]]").wait_for()
    assert text(page).startswith("![[in/attachments/Tea pot")
    assert Path(vault, "in/attachments/Tea pot 1.png").read_bytes() == PIXEL


def test_what_cannot_be_stored_is_refused_with_a_sentence(page: "Page", vault: str) -> None:
    before = text(page)
    for name, kind, data, sentence in (
        (
            "a.png",
            "image/png",
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            "“a.png” is not stored. The file is no PNG",
        ),
        ("a.zip", "application/zip", bytes(16_000_001), "“a.zip” is not stored. It has more than 16 MB"),
    ):
        give(page, "paste", files=((name, kind, data),))
        page.get_by_role("alert").get_by_text(sentence).wait_for()
        assert text(page) == before
    assert not list(Path(vault).rglob("a.*"))


PDF, ZIP = ("Report.pdf", "application/pdf", b"%PDF-1.7"), ("x.zip", "application/zip", b"PK\3\4")


@pytest.mark.parametrize("kind", ["paste", "drop"])
def test_files_of_any_kind_are_stored_and_linked_each_in_a_line(page: "Page", vault: str, kind: str) -> None:
    page.keyboard.press("Control+Home")
    give(page, kind, files=((f"By {kind}.PDF", *PDF[1:]), (f"By {kind}.zip", *ZIP[1:])))
    page.locator(".cm-line", has_text=f"By {kind}.zip").wait_for()
    assert text(page).startswith(f"![[in/attachments/By {kind}.pdf]]\n[[in/attachments/By {kind}.zip]]Before after.")
    assert Path(vault, f"in/attachments/By {kind}.pdf").read_bytes() == PDF[2]


def test_while_a_file_is_sent_the_editor_says_which(page: "Page") -> None:
    page.route("**/api/attachments", lambda route: None)
    give(page, "drop", files=(PDF, ZIP))
    page.get_by_role("status").get_by_text("Storing “Report.pdf”, 1 of 2…").wait_for()
    page.get_by_role("progressbar", name="Part that is sent").wait_for()


def test_discarding_the_text_takes_its_files_back_unless_another_note_links_to_them(
    page: "Page", url: str, vault: str
) -> None:
    give(page, "drop", files=(("taken back.pdf", *PDF[1:]), ("kept.pdf", *PDF[1:])))
    page.locator(".cm-line", has_text="kept.pdf").wait_for()
    called(url, "set_content", name="in/other", content="[[in/attachments/kept.pdf]]")
    page.reload()
    page.get_by_text("This is what you typed before.").wait_for()
    page.locator(".cm-content").click()
    page.keyboard.press("Escape")
    with page.expect_response("**/api/attachments/discard"):
        page.get_by_role("button", name="Discard").click()
    stored = {one.name for one in Path(vault, "in/attachments").iterdir()}
    assert "kept.pdf" in stored
    assert "taken back.pdf" not in stored


def test_a_file_whose_link_was_saved_and_then_cut_stays(page: "Page", vault: str) -> None:
    before = text(page)
    give(page, "drop", files=(("cut.pdf", *PDF[1:]),))
    page.locator(".cm-line", has_text="cut.pdf").wait_for()
    page.keyboard.press("Control+s")
    page.get_by_text("Saved", exact=True).wait_for()
    page.keyboard.press("Control+z")
    assert text(page) == before
    page.keyboard.press("Control+s")
    eventually(page, lambda: "cut.pdf" in Path(vault, "in/note.md").read_text(), expected=False)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Edit", exact=True).wait_for()
    page.evaluate("() => fetch('api/vault')")
    assert Path(vault, "in/attachments/cut.pdf").exists(), "it may be pasted into another note"


def test_a_file_that_is_dropped_on_a_note_opens_the_editor_and_is_linked_at_the_end(page: "Page", vault: str) -> None:
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Edit", exact=True).wait_for()
    give(page, "drop", files=(ZIP, PDF), where=".note-page .body")
    page.locator(".cm-line", has_text="Report").wait_for()
    assert re.search(r"```\n+\[\[in/attachments/x.*zip\]\]\n!\[\[in/attachments/Report.*pdf\]\]$", text(page))
    page.keyboard.press("Control+s")
    page.get_by_text("Saved", exact=True).wait_for()
    page.keyboard.press("Escape")
    page.locator(".body a.file, .body a[data-file]").first.wait_for()
    assert "[[in/attachments/x" in Path(vault, "in/note.md").read_text()


def test_a_file_that_is_dropped_beside_the_editor_is_linked_at_the_cursor(page: "Page") -> None:
    page.keyboard.press("Control+Home")
    give(page, "drop", files=(PDF,), where=".toolbar")
    page.locator(".cm-line", has_text="Report").wait_for()
    assert text(page).startswith("![[in/attachments/Report")


def test_a_file_that_is_dropped_where_no_note_is_open_says_what_to_do(page: "Page", url: str) -> None:
    page.goto(url)
    page.get_by_role("heading", name="Start here").or_(page.locator(".home")).first.wait_for()
    give(page, "drop", files=(PDF,), where="main")
    page.get_by_role("alert").get_by_text("Open the note that the file belongs to").wait_for()


HTML = """<meta charset="utf-8"><b style="font-weight:normal"><h2>Title</h2><p>Some <strong>bold</strong>, <em>soft</em>
and <del>gone</del> text with a <a href="https://example.org/x">link</a> and a <a href="javascript:alert(1)">trap</a>.
</p><ul><li>one</li><li>two</li></ul><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr>
</tbody></table><script>alert(1)</script><img src="data:image/png;base64,AAAA" alt="inline"></b>"""


def test_pasted_html_becomes_markdown(page: "Page") -> None:
    page.keyboard.press("Control+a")
    give(page, "paste", {"text/html": HTML, "text/plain": "Title Some bold"})
    page.locator(".cm-line", has_text="## Title").wait_for()
    pasted = text(page)
    assert "Some **bold**, *soft* and ~~gone~~ text with a [link](https://example.org/x) and a trap." in pasted
    assert "- one\n- two\n" in pasted
    assert "| a   | b   |\n| --- | --- |\n| 1   | 2   |" in pasted
    for part in ("javascript", "alert", "base64", "<"):
        assert part not in pasted


def test_text_without_formatting_and_in_code_is_pasted_as_it_is(page: "Page") -> None:
    page.keyboard.press("Control+Home")
    give(page, "paste", {"text/plain": "**as** it is <b> "})
    html = "<div style='color:red'><span>let x = 1; </span></div>"
    give(page, "paste", {"text/html": html, "text/plain": "let x = 1; "})
    expect(lines(page).first).to_have_text("**as** it is <b> let x = 1; Before after.")
    page.locator(".cm-line", has_text="code").click()
    page.keyboard.press("End")
    give(page, "paste", {"text/html": "<b>bold</b>", "text/plain": " bold"})
    expect(lines(page).filter(has_text="code")).to_have_text("code bold")
