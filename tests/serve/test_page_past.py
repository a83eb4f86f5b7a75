"""Notes as they were, on the page in a real browser: the slider over the moments, links, restoring, deleted notes."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.serve.test_page_notes import text_of
from tests.tools.browser import choose, expect, faults, needs_browser, opened, served, until
from tests.tools.inner import engine
from tests.tools.vaults import write
from zkmem.cli.tokens import tokens_of
from zkmem.hooks.answers import HookParts
from zkmem.memory import Memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, Route

pytestmark = [pytest.mark.browser, needs_browser]

NOTES = {
    "Tea.md": "# Making\n\nTea is cold, unlike [[Cup]].\n\n![[Water]]\n\n# Drinking\n\n- [ ] Buy\n",
    "Water.md": "Water is dry.\n",
    "Cup.md": "A cup of clay.\n",
}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def vault(tmp_path: Path) -> str:
    """Write a vault in which Claude has made edits 1 to 4."""
    vault = write(tmp_path / "vault", NOTES)
    claude = Memory(vault).on_behalf(client="Claude")
    claude.write("Tea", "Tea is warm", old="Tea is cold")
    claude.write("Water", "Water is wet.\n")
    claude.write("Cup", "A cup of glass.\n")
    claude.write("Tea", "Tea is hot", old="Tea is warm")
    return vault


def slider(page: "Page") -> "Locator":
    return page.get_by_role("slider", name="Moment")


def body(page: "Page") -> "Locator":
    return page.locator(".note-page > .body")


def test_the_moments_play_and_what_changed_is_tinted(browser: "Browser", vault: str) -> None:
    with served(vault) as url, opened(browser, f"{url}#/note/Tea?at=4") as page:
        expect(body(page)).to_contain_text("Tea is hot")
        page.get_by_role("button", name="Play").click()
        expect(body(page)).to_contain_text("Tea is cold")  # from the first moment on
        for text in ("Tea is warm", "Tea is hot"):
            expect(body(page).locator("p.fresh", has_text=text)).to_have_count(1)
            expect(body(page).locator(":is(h1, li, a).fresh")).to_have_count(0)
        page.get_by_role("button", name="Play").wait_for()  # it has ended
        slider(page).focus()
        page.keyboard.press("Space")
        page.get_by_role("button", name="Pause").wait_for()
        expect(body(page)).to_contain_text("Tea is cold")
        page.keyboard.press("Space")
        page.get_by_role("button", name="Play").wait_for()
        page.emulate_media(reduced_motion="reduce")
        page.reload()
        expect(slider(page)).to_have_count(1)
        expect(page.get_by_role("button", name="Play")).to_have_count(0)


def test_a_slider_leads_through_the_moments_and_links_stay_in_the_past(browser: "Browser", vault: str) -> None:
    with served(vault) as url, opened(browser, f"{url}#/note/Tea") as page:
        expect(body(page)).to_contain_text("Tea is hot")
        choose(page, "As it was…")
        expect(slider(page)).to_be_focused()
        expect(body(page)).to_contain_text("Tea is warm")
        expect(body(page)).to_contain_text("Water is dry.")  # the embed is of that moment
        page.wait_for_url("**/#/note/Tea?at=1")
        page.get_by_text(", after edit 1 by Claude").wait_for()
        page.keyboard.press("Home")
        expect(body(page)).to_contain_text("Tea is cold")
        assert ", before edit 1 by Claude" in (slider(page).get_attribute("aria-valuetext") or "")
        page.keyboard.press("ArrowRight")
        page.wait_for_url("**/#/note/Tea?at=1")
        choose(page, "1")
        expect(body(page).locator("details.expansion").first).to_contain_text("A cup of clay.")
        choose(page, "0")
        page.get_by_label("Changes of other notes, too").check()
        expect(slider(page)).to_have_attribute("max", "4")
        expect(slider(page)).to_be_focused()
        page.keyboard.press("ArrowRight")
        expect(body(page)).to_contain_text("Water is wet.")
        expect(body(page)).to_contain_text("Tea is warm")
        assert faults(page) == []
        page.emulate_media(color_scheme="dark")
        assert faults(page) == []
        expect(page.get_by_role("region", name="Outline").get_by_role("link")).to_have_count(2)
        page.keyboard.press("e")  # nothing is edited in the past
        body(page).get_by_role("link", name="Cup").click()
        expect(body(page)).to_contain_text("A cup of clay.")
        page.wait_for_url("**/#/note/Cup?at=2")
        page.go_back()
        expect(body(page)).to_contain_text("Tea is warm")
        page.go_back()  # the moments on the way were no steps
        expect(body(page)).to_contain_text("Tea is hot")
        assert slider(page).count() == 0


_WATCHED = """() => {
    const fetch = window.fetch;
    const open = new Set();
    window.seen = { most: 0, flickered: false };
    window.fetch = (url, options) => {
        const answer = fetch(url, options);
        if (!url.includes('/notes/')) return answer;
        open.add(answer);
        window.seen.most = Math.max(window.seen.most, open.size);
        options.signal.addEventListener('abort', () => open.delete(answer));
        return answer.finally(() => open.delete(answer));
    };
    new MutationObserver(() => {
        const text = document.querySelector('.note-page > .body')?.textContent ?? '';
        window.seen.flickered ||= !text.includes('Tea is');
    }).observe(document.body, { subtree: true, childList: true });
}"""
"""Counts the requests for notes that are under way at once, and notices when no text is shown."""


def test_the_moment_before_two_saves_by_an_editor_is_found(browser: "Browser", vault: str) -> None:
    write(vault, {"Mug.md": "A mug of tin.\n"})
    with Memory(vault) as memory:
        memory.load()
        engine(memory).recorder.start()
        engine(memory).recorder.flush()
        for text in ("once\n", "once and twice\n"):  # the second change contains the first
            write(vault, {"Mug.md": text})
            engine(memory).live.refresh()
            engine(memory).recorder.flush()
    with served(vault) as url, opened(browser, f"{url}#/note/Mug", expected=("404",)) as page:
        expect(body(page)).to_contain_text("once and twice")
        choose(page, "As it was…")
        page.get_by_text("The text that 'Mug' had at that time is not kept any more.").wait_for()


def test_only_the_last_moment_is_asked_for_and_the_text_stays_until_it_is_there(browser: "Browser", vault: str) -> None:
    held: list[Route] = []

    def hold(route: "Route") -> None:
        held.append(route)

    with served(vault) as url, opened(browser, f"{url}#/note/Tea?at=4", is_routed=True) as page:
        expect(body(page)).to_contain_text("Tea is hot")
        page.evaluate(_WATCHED)
        page.route("**/api/notes/Tea?*at=1", hold)
        with page.expect_request("**/api/notes/Tea?*at=1"):
            slider(page).press("ArrowLeft")
        expect(body(page)).to_contain_text("Tea is hot")
        slider(page).press("ArrowLeft")
        expect(body(page)).to_contain_text("Tea is cold")
        assert len(held) == 1
        assert page.evaluate("() => window.seen") == {"most": 1, "flickered": False}


def test_the_history_shows_what_models_were_given(browser: "Browser", vault: str) -> None:
    write(vault, {"hint.md": "Start here.\n"})
    memory = Memory(vault)
    memory.load()
    for source in ("startup", "compact"):
        data = json.dumps({"session_id": "x", "source": source}).encode()
        assert memory.answer_hook("session-start", "codex", data, HookParts())
    memory.close()
    with served(vault) as url, opened(browser, f"{url}#/history") as page:
        page.get_by_text("What models were given").click()
        given = page.get_by_role("list", name="What models were given").get_by_role("listitem")
        expect(given.first).to_contain_text("after a compaction")
        expect(given.last).to_contain_text("at the start of a session")
        expect(given.last).to_contain_text("codex")
        assert faults(page) == []
        given.first.get_by_role("link", name="hint").click()
        expect(body(page)).to_contain_text("Start here.")


def test_a_deleted_note_is_shown_from_the_review_and_restored(browser: "Browser", vault: str) -> None:
    Memory(vault).on_behalf(client="Claude").delete("Cup")
    with served(vault) as url, opened(browser, f"{url}#/review") as page:  # no request may fail
        page.get_by_role("list", name="What happened to each note").get_by_role("button", name="Cup").click()
        page.get_by_role("button", name="As it was…").click()
        expect(body(page)).to_have_text("A cup of glass.")
        restore, dialog = page.get_by_role("button", name="Restore this text…"), page.get_by_role("dialog")
        restore.click()
        page.keyboard.press("Escape")  # closes the question alone
        expect(dialog).to_have_count(0)
        restore.click()
        expect(dialog.locator(".diff .place")).to_have_text("Line 1")
        expect(dialog.locator(".diff .removed")).to_have_text("-A cup of glass.")
        dialog.get_by_role("button", name="Restore", exact=True).click()
        page.wait_for_url("**/#/note/Cup")
        expect(body(page)).to_have_text("A cup of glass.")
    assert text_of(vault, "Cup") == "A cup of glass.\n"


def test_a_reader_on_a_phone_restores_nothing_and_sees_what_is_not_known(browser: "Browser", vault: str) -> None:
    token = tokens_of(vault).add("reader", read_only=True)
    claude = Memory(vault).on_behalf(client="Claude")
    for number in range(201):
        claude.write("Water", f"Water {number}.\n")
    with served(vault) as url, opened(browser, url, expected=("401", "404"), **PHONE) as page:
        page.evaluate("(token) => sessionStorage.setItem('zkmem-token:/', token)", token)
        page.goto(f"{url}#/note/Water?at=5")
        page.reload()
        expect(body(page)).to_have_text("Water 0.")
        page.get_by_text("The last 200 moments").wait_for()
        assert slider(page).get_attribute("max") == "199"
        page.get_by_role("button", name="Show older ones").click()
        page.get_by_text("203 moments").wait_for()
        expect(slider(page)).to_have_value("2")
        restore = page.get_by_role("button", name="Restore this text…")
        expect(restore).to_be_disabled()
        expect(restore).to_have_accessible_description("You may only read this note.")
        until(page, "() => document.documentElement.scrollWidth <= innerWidth")
        assert faults(page) == []
        page.goto(f"{url}#/note/Water?at=900000")  # no such edit
        expect(page.get_by_role("alert")).to_contain_text("900000")
        expect(body(page)).to_have_count(0)


def test_a_renamed_note_says_its_present_name_and_leads_to_it(browser: "Browser", vault: str) -> None:
    Memory(vault).rename("Cup", "Mug")
    with served(vault) as url, opened(browser, f"{url}#/note/Cup?at=3") as page:
        expect(body(page)).to_have_text("A cup of glass.")
        page.get_by_text("Now called Mug").get_by_role("link", name="Mug").click()
        page.wait_for_url("**/#/note/Mug")
        expect(page.get_by_text("Now called")).to_have_count(0)


def test_the_words_that_are_selected_are_told_where_they_come_from(browser: "Browser", vault: str) -> None:
    with served(vault) as url, opened(browser, f"{url}#/note/Tea") as page:
        expect(body(page)).to_contain_text("Tea is hot")
        choose(page, "Why is this here?")
        dialog = page.get_by_role("dialog", name="Where Tea comes from")
        expect(dialog).to_contain_text("Claude")
        assert faults(page) == []
        passages = dialog.locator("blockquote")
        assert passages.count() > 1
        dialog.get_by_role("button", name="Close").click()
        page.evaluate(
            "() => { const note = document.querySelector('.note-page');"
            " const walk = document.createTreeWalker(note, NodeFilter.SHOW_TEXT);"
            " while (walk.nextNode() && !walk.currentNode.data.includes('hot'));"
            " const at = walk.currentNode.data.indexOf('hot');"
            " getSelection().setBaseAndExtent(walk.currentNode, at, walk.currentNode, at + 3); }"
        )
        choose(page, "Why is this here?")
        expect(passages).to_have_count(1)
        expect(passages).to_contain_text("hot")
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
