"""Proposed edits in a real browser: they appear, are looked at, accepted in part, and dropped."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.serve.test_page_notes import NOTES, at, origin
from tests.tools.browser import expect, faults, needs_browser
from tests.tools.vaults import read, write
from zkmem.caller import Caller, Grant
from zkmem.memory import Memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

pytestmark = [pytest.mark.browser, needs_browser]


def hue_of(element: "Locator") -> str:
    hue: str = element.evaluate("element => getComputedStyle(element).getPropertyValue('--hue')")
    assert hue.isdecimal()
    return hue


def unfold(card: "Locator", *names: str) -> None:
    """Open the lines of these notes."""
    for name in names:
        card.locator("summary", has_text=name).click()


def test_a_person_looks_at_proposed_edits_and_accepts_some_and_drops_the_others(
    browser: "Browser", tmp_path: Path
) -> None:
    vault = write(tmp_path / "vault", NOTES)
    with Memory(vault, Caller(Grant(proposes_as="night"), client="night: claude")) as bot:
        bot.write("topics/React", "a shape", old="a tree")
        bot.write("topics/Hooks", "Used in [[React]].\n")
        bot.write("topics/Hooks", "More of it.\n", append=True)
        bot.write("topics/Vapour", "Nothing.\n")
    before = read(vault)
    with at(browser, vault) as page:
        page.goto(origin(page) + "#")
        notice = page.get_by_text("night: claude proposes 4 edits.")
        hue = hue_of(notice)
        page.get_by_role("link", name="Review (4)").click()
        card = page.get_by_role("article", name="Proposed by night: claude")
        assert hue_of(card) == hue
        react = card.get_by_role("region", name="topics/React", exact=True)
        unfold(card, "topics/React", "topics/Hooks")
        expect(react.locator("del").last).to_have_text("tree")
        expect(card.get_by_role("region", name="topics/Hooks", exact=True)).to_be_visible()
        assert not faults(page)
        card.get_by_role("button", name="Choose edits").click()
        boxes = card.get_by_role("checkbox")
        expect(boxes).to_have_count(4)
        expect(card.get_by_role("button", name="Accept chosen")).to_be_disabled()
        boxes.nth(2).check()
        for number, is_checked in enumerate([False, True, True, False]):
            expect(boxes.nth(number)).to_be_checked(checked=is_checked)
        boxes.nth(1).uncheck()
        expect(boxes.nth(2)).not_to_be_checked()
        groups = card.get_by_role("group", name="Choose by client, folder or kind")
        groups.get_by_role("button", name="created 2").click()
        expect(groups.get_by_role("button", name="all 4")).to_have_attribute("aria-pressed", "mixed")
        for number, is_checked in enumerate([False, True, False, True]):
            expect(boxes.nth(number)).to_be_checked(checked=is_checked)
        groups.get_by_role("button", name="created 2").click()
        boxes.nth(2).check()
        assert not faults(page)
        card.get_by_role("button", name="Accept chosen").click()
        page.get_by_text("Accepted: 2 edits by night: claude.").wait_for()
        page.get_by_role("link", name="Review (2)").or_(page.get_by_role("link", name="Review (4)")).wait_for()
        assert read(vault) == before | {"topics/Hooks.md": b"Used in [[React]].\n\nMore of it.\n"}
        accepted = (
            page.get_by_role("list", name="All sittings").get_by_role("listitem").filter(has_text="night: claude")
        )
        assert hue_of(accepted) == hue
        card.get_by_role("button", name="Show all changes").click()
        card.get_by_role("button", name="Drop all…").click()
        page.get_by_role("dialog").get_by_role("button", name="Drop").click()
        page.get_by_text("Dropped: 2 edits by night: claude.").wait_for()
        card.wait_for(state="detached")
        assert read(vault) == before | {"topics/Hooks.md": b"Used in [[React]].\n\nMore of it.\n"}
        assert not (Path(vault) / ".zkmem/proposed").exists()
        with Memory(vault, Caller(Grant(proposes_as="night"))) as bot:
            bot.write("Later", "Proposed while the page is open.\n")
        page.get_by_role("article", name="Proposed by night", exact=True).get_by_text(
            "while the page is open"
        ).wait_for()


def test_the_page_says_that_edits_were_not_checked_though_none_is_blocked(browser: "Browser", tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    with Memory(vault, Caller(Grant(proposes_as="night")), durable=False) as bot:
        for number in range(101):
            bot.write(f"new {number}", "New.\n")
    with at(browser, vault) as page:
        page.goto(origin(page) + "#/review")
        card = page.get_by_role("article", name="Proposed by night")
        card.get_by_text("1 later edit is not checked yet.").wait_for()


def test_an_edit_that_cannot_be_made_is_explained_and_kept_as_a_new_note(browser: "Browser", tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", NOTES)
    with Memory(vault, Caller(Grant(proposes_as="night"))) as bot:
        bot.write("Fresh", "New.\n")
        bot.write("topics/React", "Short.\n")
    with Memory(vault) as me:
        me.delete("topics/React")
    with at(browser, vault) as page:
        page.goto(origin(page) + "#/review")
        card = page.get_by_role("article", name="Proposed by night")
        card.get_by_role("note").get_by_text("1 edit cannot be accepted as the notes are now:").wait_for()
        card.get_by_role("button", name="Choose edits").click()
        row = card.get_by_role("listitem").filter(has_text="Changed topics/React")
        row.get_by_text("'topics/React'").wait_for()
        expect(card.get_by_role("listitem").filter(has_text="Fresh Show")).to_have_count(1)  # with a blank between
        expect(row.get_by_role("button", name="Open both versions")).to_be_hidden()
        assert not faults(page)
        card.get_by_role("button", name="Show all changes").click()
        expect(page.get_by_role("article", name="Review").locator("h2").first).to_have_text("Proposed edits")
        unfold(card, "Fresh")
        card.get_by_role("region", name="Fresh").wait_for()
        card.get_by_role("button", name="Accept all").click()
        card.get_by_role("alert").get_by_text("1 edit could not be made, and still waits:").wait_for()
        card.get_by_role("alert").get_by_text("Accepted: 1 edit.").wait_for()
        card.get_by_role("region", name="Fresh").wait_for(state="detached")
        assert not faults(page)
        card.get_by_role("button", name="Keep as a new note").click()
        card.wait_for(state="detached")
        assert read(vault)["topics/React.md"] == b"Short.\n"


def test_both_versions_of_a_note_are_merged_where_a_proposed_edit_is_in_conflict(
    browser: "Browser", tmp_path: Path
) -> None:
    vault = write(tmp_path / "vault", NOTES)
    with Memory(vault, Caller(Grant(proposes_as="night"))) as bot:
        bot.write("topics/React", "It has a shape.", old="It has a tree.")
        bot.write("topics/React", "More.\n", append=True)
    with Memory(vault) as me:
        me.write("topics/React", "It has leaves.", old="It has a tree.")
    with at(browser, vault) as page:
        page.goto(origin(page) + "#/review")
        card = page.get_by_role("article", name="Proposed by night")
        blocked = card.get_by_role("note")
        blocked.get_by_text("2 edits cannot be accepted as the notes are now:").wait_for()
        blocked.get_by_role("button", name="Open both versions").click()
        dialog = page.get_by_role("dialog", name="Merge the proposed edit")
        dialog.get_by_text("In 1 place both changed the same lines.").wait_for()
        assert not faults(page)
        dialog.get_by_label("With the proposed edit, to be saved").get_by_text("It has a shape.").dblclick()
        page.keyboard.press("End")
        page.keyboard.type(" And leaves.")
        page.keyboard.press("Escape")
        expect(dialog).to_be_visible()
        dialog.get_by_role("button", name="Save this text").click()
        dialog.wait_for(state="detached")
        page.get_by_text("Accepted, as you merged it: topics/React.").wait_for()
        assert b"It has a shape. And leaves.\n" in read(vault)["topics/React.md"]
        card.get_by_role("button", name="Accept all").click()
        card.wait_for(state="detached")
        assert read(vault)["topics/React.md"].endswith(b"More.\n")
