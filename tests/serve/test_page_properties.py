"""Editing the properties of a note on the page, in a real browser on a real server."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tools.browser import called, eventually, expect, faults, needs_browser, opened
from tests.tools.vaults import write
from zkmem.memory import Memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = [pytest.mark.browser, needs_browser]

NOTES = {
    "note.md": """---
status: draft # why
rating: 4
done: false
due: 2026-12-01
tags: [tea]
source: "[[hint]]"
nested: {a: 1}
---
Text
""",
    "hint.md": "---\nStatus: done\nseries: Cups\ntags: [tea/green]\n---\nHint\n",
}


@pytest.fixture
def page(browser: "Browser", url: str, vault: str) -> Iterator["Page"]:
    write(Path(vault), NOTES)
    with opened(browser, f"{url}#/note/note", expected=("412 (Precondition", "422 (Unprocessable")) as page:
        page.get_by_role("button", name="Edit status: draft").wait_for()
        yield page


def text(page: "Page", vault: str, part: str) -> None:
    """Wait until the note has a part."""
    eventually(page, lambda: part in Path(vault, "note.md").read_text(), expected=True)


def button(page: "Page", name: str) -> "Locator":
    return page.get_by_role("button", name=name, exact=True)


def test_each_type_has_its_field_and_all_else_in_the_note_stays(page: "Page", vault: str) -> None:
    assert faults(page) == []
    button(page, "Edit status: draft").press("Enter")
    page.keyboard.type("in work")
    page.keyboard.press("Enter")
    expect(button(page, "Edit status: in work")).to_be_focused()
    button(page, "Edit rating: 4").click()
    page.get_by_role("spinbutton", name="rating").fill("4.5")
    page.get_by_role("checkbox", name="done").click()
    expect(page.get_by_role("checkbox", name="done")).to_be_checked()
    button(page, "Edit due: 2026-12-01").click()
    page.get_by_label("due", exact=True).fill("2027-01-02")
    page.keyboard.press("Enter")
    button(page, "Edit tags: tea").click()
    page.keyboard.type("#slow food")
    page.keyboard.press("Enter")
    page.keyboard.type("cup")
    page.keyboard.press("Enter")
    button(page, "Remove tea").click()
    assert faults(page) == []
    page.keyboard.press("Escape")
    button(page, "Edit tags: slow-food, cup").wait_for()
    assert Path(vault, "note.md").read_text() == (
        "---\nstatus: in work # why\nrating: 4.5\ndone: true\ndue: 2027-01-02\ntags:\n  - slow-food\n  - cup\n"
        'source: "[[hint]]"\nnested: {a: 1}\n---\nText\n'
    )
    assert page.get_by_role("status").get_by_text("was changed by").count() == 0
    page.get_by_role("link", name="hint").first.wait_for()


def test_escape_leaves_a_value_as_it_was(page: "Page", vault: str) -> None:
    before = Path(vault, "note.md").read_text()
    button(page, "Edit status: draft").click()
    page.keyboard.type("x")
    page.keyboard.press("Escape")
    expect(button(page, "Edit status: draft")).to_be_focused()
    assert Path(vault, "note.md").read_text() == before


def test_a_property_is_added_renamed_retyped_and_removed(page: "Page", vault: str) -> None:
    button(page, "Add property").click()
    page.keyboard.type("Status")
    page.get_by_text("The note has this property already.").wait_for()
    page.get_by_label("Name", exact=True).fill("pages")
    page.get_by_role("combobox", name="Type").select_option("Number")
    page.get_by_label("Value", exact=True).fill("12")
    assert faults(page) == []
    page.keyboard.press("Enter")
    text(page, vault, "nested: {a: 1}\npages: 12\n---")
    button(page, "Property status").click()
    page.get_by_role("menuitem", name="Rename…").click()
    page.keyboard.type("state")
    page.keyboard.press("Enter")
    text(page, vault, "---\nstate: draft # why\nrating")
    expect(button(page, "Property state")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.get_by_role("menuitemradio", name="List", exact=True).click()
    text(page, vault, "state: # why\n  - draft\nrating")
    button(page, "Property rating").click()
    page.get_by_role("menuitemradio", name="Date", exact=True).click()
    page.get_by_role("alert").get_by_text("“4” cannot become: Date.").wait_for()
    button(page, "Property rating").click()
    page.get_by_role("menuitem", name="Remove").click()
    expect(button(page, "Property rating")).to_have_count(0)
    expect(button(page, "Add property")).to_be_focused()
    assert "rating" not in Path(vault, "note.md").read_text()


def test_a_value_that_a_model_has_changed_meanwhile_is_not_replaced(page: "Page", url: str, vault: str) -> None:
    button(page, "Edit status: draft").click()
    page.keyboard.type("mine")
    called(url, "set_content", name="note", content="status: theirs", old="status: draft")
    page.get_by_text("This note was changed by").wait_for()  # the page shows the new text around the field
    page.keyboard.press("Enter")
    page.get_by_role("alert").get_by_text("has another value since; look at it").wait_for()
    assert "status: theirs # why" in Path(vault, "note.md").read_text()
    page.get_by_label("status", exact=True).press("Enter")
    text(page, vault, "status: mine # why")


def test_a_list_that_a_model_has_changed_meanwhile_is_not_replaced(page: "Page", vault: str) -> None:
    button(page, "Edit tags: tea").click()
    page.keyboard.type("mine\n")
    text(page, vault, "mine")
    Memory(vault).on_behalf(client="model").set_properties({"tags": ["theirs"]}, ["note"])
    page.get_by_text("This note was changed by").wait_for()
    page.keyboard.type("late\n")
    page.get_by_role("alert").get_by_text("has another value since; look at it").wait_for()
    button(page, "Edit tags: theirs").wait_for()
    assert "late" not in Path(vault, "note.md").read_text()


def test_a_hostile_property_stays_text(page: "Page", url: str, vault: str) -> None:
    write(Path(vault), {"note.md": '---\n"<img src=x onerror=alert(1)>": "<b>\u202ex</b>"\n---\n'})
    page.reload()
    button(page, "Property <img src=x onerror=alert(1)>").wait_for()
    assert page.locator(".properties :is(img, b)").count() == 0


def test_names_and_values_that_the_vault_has_are_proposed(page: "Page") -> None:
    def proposed(field: "Locator") -> list[str]:
        values: list[str] = field.evaluate("field => [...field.list.options].map((one) => one.value)")
        return values

    button(page, "Add property").click()
    form = page.get_by_role("form", name="New property")
    form.get_by_label("Name").fill("ser")
    eventually(page, lambda: proposed(form.get_by_label("Name")), ["series"])
    form.get_by_label("Name").fill("series")
    eventually(page, lambda: proposed(form.get_by_label("Value")), ["Cups"])
    form.get_by_role("button", name="Cancel").click()
    button(page, "Edit status: draft").click()
    page.get_by_role("combobox", name="status").fill("do")
    eventually(page, lambda: proposed(page.get_by_role("combobox", name="status")), ["done"])
    page.keyboard.press("Escape")
    button(page, "Edit tags: tea").click()
    eventually(page, lambda: proposed(page.get_by_role("combobox", name="Add to tags")), ["tea", "tea/green"])
