"""The live preview of the editor, what is beside a note while it is edited, and the button for a new note."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tools.browser import eventually, expect, faults, needs_browser, opened, until
from tests.tools.vaults import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = [pytest.mark.browser, needs_browser]

TEXT = """First line.

## A *soft* heading

Some **bold** and `co**de` with [[hint|a link]], [[hint]], ![[pic.png]] and [a page](https://example.org "t") ==high==.

- [ ] buy a pot
- plain
  - deeper

- apart

> quoted

שלום **עולם**

<img src=x onerror=alert(1)> `[[no]]` [[<b>x</b>]] \\*no\\* [reference] **two
lines**

```
**code** [[hint]] - [ ] no
```
"""
NOTES = {"note.md": TEXT, "hint.md": "Hint\n", "long.md": "\n\n".join(f"# Part {one}\n\nText." for one in range(200))}


@pytest.fixture
def page(browser: "Browser", url: str, vault: str) -> Iterator["Page"]:
    write(Path(vault), NOTES)
    with opened(browser, f"{url}#/note/note") as page:
        page.get_by_role("button", name="Edit", exact=True).click()
        page.locator(".cm-content:focus").wait_for()
        yield page


def line(page: "Page", text: str) -> "Locator":
    return page.locator(".editor .cm-line", has_text=text)


def saved(page: "Page", vault: str, text: str) -> None:
    page.keyboard.press("Control+s")
    eventually(page, Path(vault, "note.md").read_text, text)


def test_marks_are_hidden_but_in_the_line_of_the_cursor_and_the_text_stays(page: "Page", vault: str) -> None:
    expect(line(page, "heading")).to_have_text("A soft heading")
    expect(line(page, "Some bold")).to_have_text(
        "Some bold and co**de with a link, hint, ![[pic.png]] and a page high."
    )
    expect(line(page, "plain")).to_have_text("• plain")
    expect(line(page, "quoted")).to_have_text("quoted")
    expect(line(page, "onerror")).to_have_text("<img src=x onerror=alert(1)> [[no]] <b>x</b> \\*no\\* [reference] two")
    expect(line(page, "no").last).to_have_text("**code** [[hint]] - [ ] no")
    assert page.locator(".cm-content :is(img[src], b, a)").count() == 0
    assert line(page, "שלום").evaluate("(one) => getComputedStyle(one).direction") == "rtl"
    line(page, "Some bold").click()
    expect(line(page, "Some **bold**")).to_contain_text("[[hint|a link]], [[hint]], ![[pic.png]] and [a page](https")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(line(page, "heading")).to_have_text("## A *soft* heading")
    expect(line(page, "Some bold")).to_be_visible()
    assert faults(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Edit", exact=True).wait_for()
    assert Path(vault, "note.md").read_text() == TEXT


def test_what_is_very_deep_is_shown_as_it_is_written(page: "Page", url: str, vault: str) -> None:
    write(
        Path(vault), {"deep.md": "First.\n\n" + ">" * 200 + " **x**\n\n" + ">" * 5 + " **y**\n\n" + "- " * 200 + "z\n"}
    )
    page.goto(f"{url}#/note/deep")
    page.get_by_role("button", name="Edit", exact=True).click()
    expect(line(page, "y")).to_have_text("y")
    expect(line(page, "x")).to_contain_text("**x**")
    line(page, "z").wait_for()


def test_a_task_is_ticked_by_its_box_and_by_a_key_and_that_can_be_undone(page: "Page", vault: str) -> None:
    box = page.get_by_role("checkbox", name="buy a pot")
    box.first.click()
    expect(box.first).to_be_checked()
    saved(page, vault, TEXT.replace("- [ ] buy", "- [x] buy"))
    page.keyboard.press("Control+z")
    expect(box.first).not_to_be_checked()
    line(page, "buy a pot").click(position={"x": 100, "y": 10})
    expect(line(page, "buy a pot")).to_have_text("- [ ] buy a pot")
    page.keyboard.press("Control+Enter")
    expect(line(page, "buy a pot")).to_have_text("- [x] buy a pot")


def test_no_mark_appears_while_the_mouse_is_pressed_so_a_click_selects_nothing(page: "Page") -> None:
    box = line(page, "Some bold").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 200, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 201, box["y"] + 10)
    expect(line(page, "Some bold")).to_be_visible()
    page.mouse.up()
    line(page, "Some **bold**").wait_for()
    assert page.evaluate("() => getSelection().isCollapsed")


def test_a_link_is_opened_by_a_key_and_by_a_click(page: "Page", url: str) -> None:
    for is_click in (True, False):
        line(page, "Some bold").get_by_text("a link").click(modifiers=["Control"] if is_click else [])
        if not is_click:
            page.keyboard.press("Alt+Enter")
        page.get_by_role("heading", name="hint").wait_for()
        page.goto(f"{url}#/note/note")
        page.get_by_role("button", name="Edit", exact=True).click()
        page.locator(".cm-content:focus").wait_for()


def test_a_list_goes_on_without_a_blank_line(page: "Page", vault: str) -> None:
    line(page, "buy a pot").click(position={"x": 100, "y": 10})
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.type("and tea")
    saved(page, vault, TEXT.replace("- [ ] buy a pot\n", "- [ ] buy a pot\n- [ ] and tea\n"))


def test_the_source_is_on_a_key_and_this_is_remembered(page: "Page") -> None:
    source = page.get_by_role("button", name="Source", exact=True)
    expect(source).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Control+e")
    expect(source).to_have_attribute("aria-pressed", "true")
    expect(line(page, "heading")).to_have_text("## A *soft* heading")
    page.reload()
    page.get_by_role("button", name="Edit", exact=True).click()
    expect(line(page, "heading")).to_have_text("## A *soft* heading")
    source.click()
    expect(line(page, "heading")).to_have_text("A soft heading")


def test_text_that_an_input_method_composes_is_typed_once(page: "Page", vault: str) -> None:
    page.keyboard.press("Control+Home")
    client = page.context.new_cdp_session(page)
    for part in ("に", "にほ", "日本"):
        client.send("Input.imeSetComposition", {"text": part, "selectionStart": len(part), "selectionEnd": len(part)})
    client.send("Input.insertText", {"text": "日本"})
    expect(line(page, "First")).to_have_text("日本First line.")
    saved(page, vault, "日本" + TEXT)


def test_what_is_beside_the_note_stays_and_the_outline_leads_to_a_heading(page: "Page", url: str) -> None:
    page.get_by_role("region", name="Links to").get_by_role("link", name="hint").wait_for()
    page.goto(f"{url}#/note/long")
    page.get_by_role("button", name="Edit", exact=True).click()
    page.locator(".cm-content:focus").wait_for()
    page.keyboard.type("x")
    page.get_by_role("link", name="Part 150", exact=True).click()
    until(
        page,
        """() => {
            const top = document.querySelector('.cm-scroller').getBoundingClientRect().top;
            const line = [...document.querySelectorAll('.cm-line')].find((one) => one.textContent === '# Part 150');
            return line && Math.abs(line.getBoundingClientRect().top - top) < 40;
        }""",
    )
    expect(page.locator(".cm-content")).to_be_focused()
    assert page.get_by_role("dialog").count() == 0, "the text is not left"
    page.get_by_text("Not saved").wait_for()


@pytest.mark.parametrize("width", [390, 1400])
def test_a_new_note_is_one_button_whatever_is_shown(page: "Page", width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.get_by_role("button", name="New note", exact=True).click()
    page.get_by_role("dialog", name="New note").wait_for()
