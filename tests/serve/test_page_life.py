"""The page over time: steps through the history, what others do meanwhile, tokens that come and go."""

import re
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from tests.serve.test_page_notes import NOTES, at, content, edit, live, origin, save, saved, text_of, typed_text
from tests.tools.browser import called, choose, eventually, expect, needs_browser, opened, served, settled, until
from tests.tools.forked import zkmem_command
from tests.tools.servers import http_server
from tests.tools.vaults import write
from zkmem.cli.tokens import tokens_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response, Route

pytestmark = [pytest.mark.browser, needs_browser]


@pytest.fixture
def vault(tmp_path: Path) -> str:
    return write(tmp_path / "vault", NOTES)


# Where one is


def typed_on_the_way(page: "Page") -> None:
    """Go from a list to a note, and type into it."""
    page.goto(origin(page) + "#/list/hints")
    page.locator(".rows").get_by_role("link", name="hint").click()
    page.locator(".body").wait_for()
    edit(page, "Typed.")


def test_a_step_back_that_is_refused_leaves_the_history_as_it_was(browser: "Browser", vault: str) -> None:
    with at(browser, vault) as page:
        typed_on_the_way(page)
        page.go_back()
        page.get_by_role("button", name="Keep editing").click()
        page.wait_for_url("**/#/note/hint")
        expect(content(page)).to_have_text(re.compile(r"Typed\.$"))
        page.go_back()
        page.get_by_role("button", name="Discard").click()
        page.get_by_role("heading", name="Where to start").wait_for()
        page.wait_for_url("**/#/list/hints")


FORTH_WITH_THE_QUESTION = """() => {
  new MutationObserver((_, observer) => {
    if (!document.querySelector('dialog.note-dialog')) return;
    observer.disconnect();
    history.forward();
    window.wentForth = true;
  }).observe(document.body, { childList: true, subtree: true });
}"""
"""Step forth as soon as the question is in the page, before it is painted."""


def test_a_step_back_and_forth_while_the_question_stands_stays_in_the_text(browser: "Browser", vault: str) -> None:
    with at(browser, vault) as page:
        typed_on_the_way(page)
        page.evaluate(FORTH_WITH_THE_QUESTION)
        page.go_back()
        until(page, "() => window.wentForth")
        page.get_by_role("dialog", name="Unsaved changes").wait_for(state="hidden")
        page.wait_for_url("**/#/note/hint")
        expect(content(page)).to_have_text(re.compile(r"Typed\.$"))


LEFT = "() => [Math.round(document.getElementById('panel').scrollTop), document.activeElement.textContent]"


@pytest.mark.parametrize("width", [390, 1280])
def test_back_and_forth_come_to_the_place_and_the_focus_that_were_left(
    browser: "Browser", vault: str, width: int
) -> None:
    text = "Text with [[Nowhere]].\n\n" * 40
    write(vault, {f"many/Note {number}.md": f"{text}[[hint]]" for number in range(60)})
    with at(browser, vault, "#/list/hints", viewport={"width": width, "height": 600}) as page:
        left = []
        for link, next_text in (("many/Note 41", "Text with"), ("hint", "Start at")):
            page.locator("main").get_by_role("link", name=link, exact=True).last.focus()
            left.append((page.url, page.evaluate(LEFT)))
            page.keyboard.press("Enter")
            page.locator(".body").get_by_text(next_text).first.wait_for()
            eventually(page, lambda: page.evaluate(LEFT)[0], 0)
        assert [top > 300 for _, (top, _) in left] == [True, True]
        for go, (url, place) in ((page.go_back, left[1]), (page.go_back, left[0]), (page.go_forward, left[1])):
            go()
            page.wait_for_url(url)
            eventually(page, lambda: page.evaluate(LEFT), place)
        page.evaluate("() => (location.hash = '#/tidy')")
        page.get_by_role("heading", name="Missing notes").wait_for()
        assert page.evaluate(LEFT)[0] == 0


def test_back_to_a_search_shows_as_many_hits_as_were_left(browser: "Browser", vault: str) -> None:
    write(vault, {f"many/Note {number}.md": "Quokka.\n" for number in range(70)})
    with at(browser, vault, "#/search/quokka") as page:
        hits = page.get_by_role("region", name="Text").get_by_role("link")
        page.get_by_role("button", name="Show more").click()
        expect(hits).to_have_count(70)
        hits.last.click()
        page.locator(".body").wait_for()
        page.go_back()
        expect(hits).to_have_count(70)
        eventually(page, lambda: hits.last.evaluate("one => one === document.activeElement"), True)


def test_a_note_that_is_opened_by_another_spelling_is_one_step(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/list/hints") as page:
        page.locator(".rows").get_by_role("link", name="hint").wait_for()
        page.goto(origin(page) + "#/note/vue")
        page.wait_for_url("**/#/note/topics/Vue")
        edit(page, "Typed.")
        page.go_back()
        page.get_by_role("button", name="Keep editing").click()
        page.wait_for_url("**/#/note/topics/Vue")
        expect(content(page)).to_have_text(re.compile(r"Typed\.$"))


def test_the_window_is_called_as_what_is_open(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Vue") as page:
        until(page, "() => document.title === 'topics/Vue – vault – zkmem'")
        page.goto(origin(page) + "#/list/missing")
        until(page, "() => document.title === 'Missing notes – vault – zkmem'")
        page.goto(origin(page) + "#/history/hint")
        until(page, "() => document.title === 'hint – History – vault – zkmem'")


# What others do meanwhile


def test_news_takes_neither_the_focus_nor_what_was_folded(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/hint") as page:
        live(page)
        choose(page, "1")
        page.locator("details", has_text="React is older.").locator("summary").click()
        page.locator(".body").get_by_role("link", name="Svelte").focus()
        called(origin(page), "set_content", name="hint", content="More here. " + NOTES["hint.md"])
        page.locator(".body", has_text="More here.").wait_for()
        page.get_by_text("This note was changed by mcp").wait_for()  # as the client calls itself
        expect(page.locator(":focus")).to_have_text("Svelte")
        folds = page.locator("details.expansion")
        eventually(page, lambda: [one.get_attribute("open") for one in folds.all()], ["", None])


@pytest.mark.parametrize(("address", "words"), [("", "1 edit since"), ("#/note/hint", "More here.")])
def test_an_edit_before_the_first_connection_to_the_events_is_shown(
    browser: "Browser", vault: str, address: str, words: str
) -> None:
    with served(vault) as url, opened(browser, f"{url}icon.svg", is_routed=True) as page:
        held: list[Route] = []
        page.route("**/api/events", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
        page.goto(url + address)
        page.locator("main").get_by_text("Start at").first.wait_for()
        eventually(page, lambda: len(held), 1)
        called(url, "set_content", name="hint", content="More here. " + NOTES["hint.md"])
        held[0].continue_()
        page.locator("main").get_by_text(words).first.wait_for()


def test_a_model_that_never_rests_is_followed(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Parts", as_modules=True) as page:
        page.locator(".body", has_text="Parts are small.").wait_for()
        live(page)
        news = "state => setInterval(() => (state.changed.value = { names: ['Other'], at: Date.now() }), 50)"
        page.evaluate(f"() => import('./state.js').then({news})")
        called(origin(page), "set_content", name="topics/Parts", content="Parts are tiny.\n")
        page.locator(".body", has_text="Parts are tiny.").wait_for()


def test_a_note_that_was_renamed_or_deleted_while_it_is_read_leads_to_what_became_of_it(
    browser: "Browser", vault: str
) -> None:
    with at(browser, vault, "#/note/topics/Parts") as page:
        page.locator(".body", has_text="Parts are small.").wait_for()
        live(page)
        called(origin(page), "rename_content", name="topics/Parts", new_name="topics/Pieces")
        page.get_by_text("This note is not there any more.").wait_for()
        page.locator("article").get_by_role("link", name="topics/Pieces").click()
        page.locator(".body", has_text="Parts are small.").wait_for()
        called(origin(page), "delete_content", name="topics/Pieces")
        page.get_by_text("Last edit, by mcp: Deleted topics/Pieces").wait_for()
        page.get_by_role("link", name="History").click()
        page.locator(".row", has_text="Deleted topics/Pieces").wait_for()


def test_a_note_that_was_renamed_with_many_others_leads_to_its_new_name(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Parts") as page:
        for name in ("topics/Parts", "a/Twin", "b/Twin", "Who", "topics/Vue"):
            called(origin(page), "rename_content", name=name, new_name=f"{name} 2")
        page.evaluate("() => import('./server/api.js').then(({ api }) => api.undo({ count: 5 }))")
        page.goto(origin(page) + "#/note/topics/Parts 2")
        page.locator("article").get_by_role("link", name="topics/Parts").click()
        page.locator(".body", has_text="Parts are small.").wait_for()


def test_who_changed_a_note_that_is_edited_is_told(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/React") as page:
        edit(page, "Mine.")
        live(page)
        called(origin(page), "set_content", name="topics/React", content="Theirs.\n", append=True)
        page.get_by_text("This note was changed by mcp").wait_for()
        Path(vault, "topics/React.md").write_text("By an editor.\n", encoding="utf-8")
        page.get_by_text("This note was changed by somebody else").wait_for()


def test_a_note_of_nothing_says_so(browser: "Browser", vault: str) -> None:
    write(vault, {"Empty.md": ""})
    with at(browser, vault, "#/note/Empty") as page:
        page.get_by_text("This note is empty.").wait_for()
        edit(page, "No more.")
        save(page)
        page.get_by_role("button", name="Done").click()
        page.locator(".body", has_text="No more.").wait_for()
        expect(page.get_by_text("This note is empty.")).to_have_count(0)


def test_findings_are_listed_however_many_links_are_missing(browser: "Browser", vault: str) -> None:
    write(vault, {"Many.md": " ".join(f"[[gone {number}]]" for number in range(1100)), "odd?.md": "Odd.\n"})
    with at(browser, vault, "#/list/check") as page:
        page.get_by_role("list", name="Other findings").get_by_role("link", name="odd?").wait_for()


# Tokens


def signed_in(page: "Page", token: str) -> None:
    page.locator("#sign-in-title").wait_for()
    page.get_by_role("textbox", name="Token").fill(token)
    page.get_by_role("button", name="Sign in").click()


def removed(vault: str, name: str) -> None:
    """Remove a token as a person does, while the server runs."""
    zkmem_command("token", "remove", name, "--vault", vault, check=True)


def test_what_is_typed_outlives_its_token_and_the_news_come_again_with_another(browser: "Browser", vault: str) -> None:
    tokens = tokens_of(vault)
    first, second = tokens.add("first"), tokens.add("second")
    with ExitStack() as server:
        url = server.enter_context(served(vault))
        with opened(browser, url, expected=("401", "ERR_")) as page:
            signed_in(page, first)
            live(page)
            page.goto(url + "#/note/topics/Parts")
            edit(page, "Typed.")
            removed(vault, "first")
            server.close()
            server.enter_context(http_server(vault, "zettel", "--port", str(urlsplit(url).port)))
            page.get_by_text("Not connected").wait_for()
            page.get_by_role("alert").get_by_text("The server needs a token.").wait_for()
            page.get_by_role("button", name="Save", exact=True).click()
            page.get_by_text("The token was refused.").wait_for()
            signed_in(page, second)
            saved(page)
            live(page)
    assert text_of(vault, "topics/Parts") == "Parts are small.\nTyped."


def test_a_change_by_others_asks_for_no_token_while_one_types(browser: "Browser", vault: str) -> None:
    tokens = tokens_of(vault)
    first, second = tokens.add("first"), tokens.add("second")
    with served(vault) as url, opened(browser, url, expected=("401",)) as page:
        signed_in(page, first)
        page.goto(url + "#/note/topics/Parts")
        edit(page, "Typed")
        live(page)
        removed(vault, "first")
        with page.expect_response(lambda response: response.status == 401):
            Path(vault, "topics/Parts.md").write_text("Theirs.\n", encoding="utf-8")
        page.get_by_role("alert").get_by_text("The server needs a token.").wait_for()
        page.keyboard.type(" without a break.")
        eventually(page, lambda: typed_text(page), "Parts are small.\nTyped without a break.")
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.get_by_role("button", name="Sign in to").click()
        signed_in(page, second)
        page.get_by_text("This note was changed by somebody else").wait_for()
        expect(page.get_by_text("The server needs a token.")).to_have_count(0)


def refused(page: "Page", typed: str) -> AbstractContextManager[object]:
    """Return a context that waits until the server has answered 401 to what was asked after these letters."""

    def is_refusal(response: "Response") -> bool:
        asked = unquote(response.request.url) + (response.request.post_data or "")
        return response.status == 401 and re.search(rf"{typed}(?!\w)", asked) is not None

    return page.expect_response(is_refusal)


@pytest.mark.parametrize("field", ["Search notes", "New name"])
def test_no_field_asks_for_a_token_while_one_types_into_it(browser: "Browser", vault: str, field: str) -> None:
    with at(browser, vault, "#/note/topics/Parts", expected=("401",), is_routed=True) as page:
        choose(page, "Rename…") if field.startswith("New") else settled(page)
        page.get_by_label(field).click()
        page.keyboard.press("End")
        page.route("**/api/**", lambda route: route.fulfill(status=401, body="No"))
        with refused(page, "a"):
            page.keyboard.type("a")
        page.get_by_role("alert").get_by_text("The server needs a token.").first.wait_for()
        with refused(page, "ab"):  # else it may be answered after `unroute`
            page.keyboard.type("b")
        expect(page.get_by_label(field)).to_have_value(re.compile("ab$"))
        place = page.get_by_role("dialog") if field.startswith("New") else page  # a message may also be behind it
        place.get_by_role("button", name="Sign in to").first.click()
        page.unroute("**/api/**")  # not before the click: the message goes when the page gets an answer again
        signed_in(page, "any")
        page.get_by_label(field).click()
        result = (
            "Nothing was found." if field.startswith("Search") else "Renaming to topics/Partsab: 2 notes would change"
        )
        page.get_by_text(result).wait_for()


def test_a_name_can_be_typed_on_when_others_delete_the_note(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Parts") as page:
        live(page)
        choose(page, "Rename…")
        page.get_by_label("New name").fill("a")
        called(origin(page), "delete_content", name="topics/Parts")
        page.locator("article").get_by_text("There is no note 'topics/Parts'").first.wait_for()
        page.keyboard.type(" free")
        expect(page.get_by_label("New name")).to_have_value("a free")
        page.get_by_role("button", name="Cancel").click()
        page.get_by_text("This note is not there any more.").wait_for()


def test_who_signs_out_is_asked_first_what_becomes_of_the_text(browser: "Browser", vault: str) -> None:
    token = tokens_of(vault).add("eve")
    with served(vault) as url, opened(browser, url, expected=("401",)) as page:
        signed_in(page, token)
        settled(page)
        page.goto(url + "#/note/topics/Parts")
        edit(page, "Typed.")
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("button", name="Keep editing").click()
        save(page)
        page.get_by_role("button", name="Sign out").click()
        page.locator("#sign-in-title").wait_for()
        until(page, "() => !Object.keys(localStorage).some((key) => key.includes('places'))")


def test_a_token_for_a_folder_offers_no_note_outside_of_it(browser: "Browser", vault: str) -> None:
    token = tokens_of(vault).add("eve", folder="topics")
    with served(vault) as url, opened(browser, url, expected=("401", "404")) as page:
        signed_in(page, token)
        page.get_by_role("button", name="New note…").click()
        expect(page.get_by_label("Name, with its folders")).to_have_value("topics/")
        page.keyboard.press("Escape")
        page.goto(url + "#/note/topics/New")
        page.get_by_role("button", name="Create this note").wait_for()
        page.goto(url + "#/note/New")
        page.get_by_text("There is no note 'New'").wait_for()
        page.keyboard.press("e")
        expect(page.get_by_role("button", name="Create this note")).to_have_count(0)
        expect(content(page)).to_have_count(0)
