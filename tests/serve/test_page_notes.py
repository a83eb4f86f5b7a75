"""The panel of the page in a real browser, on a real server: reading and editing notes, lists, history."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.sync.shared import Shared, hook
from tests.tools.browser import (
    called,
    choose,
    eventually,
    expect,
    faults,
    faults_in_both,
    needs_browser,
    opened,
    served,
    until,
)
from tests.tools.vaults import read, write
from zkmem.cli.tokens import tokens_of
from zkmem.errors import NotSynced

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, Route

pytestmark = [pytest.mark.browser, needs_browser]

NOTES = {
    "hint.md": "Start at [[topics/Vue]] or [[React]]; later [[Svelte]].\n\n## Further down\n\nThe end.\n",
    "topics/Vue.md": "---\ntags: [web, ui]\nyear: 2014\n---\n"
    "Vue has parts: ![[topics/Parts]]\n\nSee [[hint#Further down]].\n",
    "topics/React.md": "React is older.\n\nIt has hooks.\nIt has a tree.\n\nBack to [[hint]].\n",
    "topics/Parts.md": "Parts are small.\n",
    "a/Twin.md": "One.\n",
    "b/Twin.md": "Two.\n",
    "Who.md": "Means [[Twin]].\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> str:
    return write(tmp_path / "vault", NOTES)


@contextmanager
def at(
    browser: "Browser",
    vault: str,
    address: str = "",
    *,
    conflict: bool = False,
    as_modules: bool = False,
    expected: tuple[str, ...] = (),
    **options: Any,
) -> Iterator["Page"]:
    """The page at an address, `#/note/hint` for instance; with a `conflict` the browser reports a refused save.

    `as_modules`: so that the test can import one of the page's modules as the page does.
    """
    expected += ("404 (Not Found)", *(["412 (Precondition Failed)"] if conflict else []))  # a missing note
    environ = {"ZKMEM_PAGE_MODULES": "1"} if as_modules else {}
    with served(vault, **environ) as url, opened(browser, url, expected=expected, **options) as page:
        page.goto(url + address)
        yield page


def text_of(vault: str, name: str) -> str:
    return Path(vault, f"{name}.md").read_bytes().decode()


def edit(page: "Page", typed: str, *, key: str = "Control+End") -> None:
    """Open the editor of the note that is shown, and type at its end, or where `key` leads."""
    page.get_by_role("button", name="Edit", exact=True).click()
    content(page).wait_for()
    page.keyboard.press(key)
    page.keyboard.type(typed)


def content(page: "Page") -> "Locator":
    return page.locator(".editor .text .cm-content")


def typed_text(page: "Page") -> str:
    """The text in the editor, which then shows its source."""
    page.evaluate("() => document.querySelector('[title^=\"Show all marks\"][aria-pressed=false]')?.click()")
    return "\n".join(page.locator(".editor .text .cm-line").all_text_contents())


def save(page: "Page") -> None:
    page.keyboard.press("Control+s")
    saved(page)


def saved(page: "Page") -> None:
    page.locator(".status", has_text=re.compile("^Saved$")).wait_for()


def origin(page: "Page") -> str:
    address: str = page.url
    return address.partition("#")[0]


# Reading


def test_a_note_is_shown_with_its_properties_its_links_and_who_links_to_it(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Vue") as page:
        page.get_by_text("Vue has parts:").wait_for()
        expect(page.locator(".title")).to_have_text(re.compile(r"^\s*topics/\s*Vue\s*$"))
        rows = page.locator(".properties tr")
        expect(rows).to_have_text(["tags web ui ✎", "year 2014"], use_inner_text=True)
        linked, linking = (page.get_by_role("region", name=name) for name in ("Links to", "Linked from"))
        expect(linked.get_by_role("link")).to_have_text(["topics/Parts", "hint"])
        expect(linking.get_by_role("link")).to_have_text(["hint"])


def test_a_link_opens_the_note_in_the_panel_or_in_place_as_deep_as_is_chosen(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/hint") as page:
        page.locator(".body").get_by_role("link", name="React").click()
        page.get_by_text("React is older.").wait_for()
        page.wait_for_url("**/#/note/topics%2FReact")
        page.go_back()
        page.get_by_text("Start at").wait_for()
        expect(page.locator("details.expansion")).to_have_count(0)
        choose(page, "1")
        page.get_by_text("Vue has parts:").wait_for()
        expect(page.get_by_text("Parts are small.")).to_have_count(0)
        choose(page, "2")
        page.locator("details details", has_text="Parts are small.").wait_for()
        page.goto(origin(page) + "#/note/React")  # a short name leads to the address of its note
        page.wait_for_url("**/#/note/topics/React")


def test_a_long_note_is_read_on_to_its_end_and_anew_if_it_has_changed_meanwhile(browser: "Browser", vault: str) -> None:
    write(vault, {"long.md": "".join(f"[[M{i}]]\n\n" for i in range(3_000))})
    with at(browser, vault, "#/note/long", is_routed=True) as page:
        links, more = page.locator(".body a"), page.get_by_role("button", name="Read on")
        more.wait_for()

        def stale(route: "Route") -> None:
            route.fulfill(json={"etag": "another", "html": "<p>never shown</p>", "next_offset": None})

        page.route("**/api/parts/long?*", stale, times=1)
        with page.expect_response("**/api/notes/long?*"):
            more.click()
        assert page.get_by_text("never shown").count() == 0
        more.click()
        until(page, "() => document.querySelectorAll('.body a').length > 2_000")
        expect(more).to_have_count(0)  # this is the end
        assert links.all_text_contents() == [f"M{i}" for i in range(3_000)]
        beside = page.get_by_role("region", name="Links to")
        expect(beside.get_by_role("heading")).to_contain_text("3,000")
        expect(beside.locator("li")).to_have_count(1_000)
        page.get_by_text("… and 2,000 more").wait_for()


def test_a_missing_note_is_marked_and_can_be_written(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/hint") as page:
        page.locator(".aside .missing").get_by_role("link", name="Svelte", exact=True).click()
        page.get_by_text("This note is not written yet.").wait_for()
        assert not Path(vault, "Svelte.md").exists()
        page.get_by_role("button", name="Create this note").click()
        content(page).wait_for()
        page.keyboard.type("It compiles.")
        save(page)
        assert text_of(vault, "Svelte") == "It compiles."


def test_a_name_that_several_notes_share_leads_to_each_of_them(browser: "Browser", vault: str) -> None:
    write(vault, {"a/Twin.md": "One.\n", "b/Twin.md": "Two.\n"})
    with at(browser, vault, "#/note/Twin", expected=("409 (Conflict)",)) as page:
        page.get_by_role("alert").get_by_role("link", name="b/Twin").click()
        page.locator(".body", has_text="Two.").wait_for()
        expect(page.locator(".toast")).to_have_count(0)


def live(page: "Page") -> None:
    page.locator(".connection.live").wait_for(state="attached")


# Editing


def test_an_edit_is_saved_to_the_file_and_nothing_else_changes(browser: "Browser", vault: str) -> None:
    before = read(vault)
    with at(browser, vault, "#/note/topics/Vue") as page:
        page.get_by_text("Vue has parts:").wait_for()
        page.keyboard.press("e")
        content(page).wait_for()
        page.keyboard.press("Control+End")
        page.keyboard.type("And **more**.")
        save(page)
        page.get_by_role("button", name="Done").click()
        page.locator(".body strong", has_text="more").wait_for()
    after = {**before, "topics/Vue.md": before["topics/Vue.md"] + b"And **more**."}
    assert read(vault) == after


def test_what_was_not_typed_stays_as_it_was(browser: "Browser", vault: str) -> None:
    texts = ["a\r\nb\r\n", "a\r\nb\nc\n", "a\n\ttab\u00a0x\u2028y\n\n\n", "\ufeffbom\n"]
    write(vault, {f"odd {number}.md": text.encode() for number, text in enumerate(texts)})
    with at(browser, vault) as page:
        for number, text in enumerate(texts):
            page.goto(f"{origin(page)}#/note/odd {number}")
            edit(page, "end")
            save(page)
            assert Path(vault, f"odd {number}.md").read_bytes() == text.encode() + b"end"
            page.keyboard.press("Escape")
            page.get_by_role("button", name="Edit", exact=True).wait_for()


def test_two_brackets_complete_to_a_name(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/hint") as page:
        edit(page, "")
        for opening in ("[[", "![["):
            page.keyboard.type(opening)
            page.get_by_role("option", name="topics/Parts").wait_for()
            page.keyboard.type("rea")
            page.get_by_role("option", name="topics/React").wait_for()
            page.wait_for_function("() => document.querySelectorAll('.cm-tooltip-autocomplete li').length === 1")
            page.keyboard.press("Enter")
            page.keyboard.type(" is good. ")
        save(page)
    assert text_of(vault, "hint") == f"{NOTES['hint.md']}[[topics/React]] is good. ![[topics/React]] is good. "


def test_a_clean_merge_is_saved_and_says_which_lines_came_from_others(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/React") as page:
        edit(page, "Mine first. ", key="Control+Home")
        live(page)
        called(origin(page), "set_content", name="topics/React", content="- Theirs last.\n", append=True)
        page.get_by_text("Your text is untouched").wait_for()
        assert "Theirs" not in typed_text(page)
        save(page)
        page.get_by_text("merged with the changes of others").wait_for()
        expect(page.locator(".diff .added")).to_have_text(["+- Theirs last.\n"], use_inner_text=True)
        eventually(page, lambda: typed_text(page), "Mine first. " + NOTES["topics/React.md"] + "- Theirs last.\n")
    assert text_of(vault, "topics/React") == "Mine first. " + NOTES["topics/React.md"] + "- Theirs last.\n"


def test_what_is_typed_while_a_save_is_under_way_is_kept_beside_what_was_merged(browser: "Browser", vault: str) -> None:
    held: list[Route] = []

    def hold(route: "Route") -> None:
        """Let all saves pass but the first."""
        if held:
            route.continue_()
        held.append(route)

    with at(browser, vault, "#/note/topics/React", is_routed=True) as page:
        edit(page, "Mine first. ", key="Control+Home")
        Path(vault, "topics/React.md").write_text(NOTES["topics/React.md"] + "Theirs last.\n", encoding="utf-8")
        page.route("**/api/notes/topics/React", hold)
        with page.expect_request("**/api/notes/topics/React"):
            page.keyboard.press("Control+s")
        page.keyboard.type("And later. ")
        held[0].continue_()
        page.get_by_text("merged with the changes of others").wait_for()
        page.locator(".status", has_text="Not saved").wait_for()
        page.locator(".editor .cm-line", has_text="Theirs last.").wait_for()
        save(page)
    expected = "Mine first. And later. " + NOTES["topics/React.md"] + "Theirs last.\n"
    assert text_of(vault, "topics/React") == expected


def conflicting(page: "Page", vault: str) -> None:
    """Type into a line that somebody else changes meanwhile, and save; they add a line, too."""
    edit(page, "My ", key="Control+Home")
    theirs = NOTES["topics/React.md"].replace("React is older", "React is much older") + "Theirs last.\n"
    Path(vault, "topics/React.md").write_text(theirs, encoding="utf-8")
    page.keyboard.press("Control+s")
    page.locator(".conflict .cm-content").first.wait_for()


def test_a_conflict_shows_both_versions_can_be_put_off_and_survives_a_reload(browser: "Browser", vault: str) -> None:
    wide = {"width": 1400, "height": 900}
    with at(browser, vault, "#/note/topics/React", conflict=True, is_routed=True, viewport=wide) as page:
        page.route("**/api/merge", lambda route: route.abort())  # the refusal has the proposal
        conflicting(page, vault)
        theirs, mine = page.locator(".conflict .cm-content").all()
        expect(theirs).to_contain_text("React is much older.")
        expect(mine).to_contain_text("My React is older.")
        expect(mine).to_contain_text("Theirs last.")  # what only they changed is in the proposal
        expect(page.locator(".conflict")).to_contain_text("In 1 place both changed the same lines")
        page.get_by_role("button", name="Back to my text").click()
        content(page).wait_for()
        eventually(page, lambda: typed_text(page), "My " + NOTES["topics/React.md"])
        page.get_by_role("button", name="Save", exact=True).click()
        page.locator(".conflict .cm-content").last.click()
        assert text_of(vault, "topics/React").startswith("React is much older.")
        page.keyboard.press("Control+End")
        page.keyboard.type("Half merged.")
        reload(page)
        page.locator(".conflict .cm-content").first.wait_for()
        expect(page.locator(".conflict .cm-content").last).to_contain_text("Half merged.")
        page.get_by_role("button", name="Save this text").click()
        saved(page)
    rest = NOTES["topics/React.md"].partition("\n")[2]
    assert text_of(vault, "topics/React") == f"My React is older.\n{rest}Theirs last.\nHalf merged."


def test_a_conflict_is_resolved_place_by_place_without_loss(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/React", conflict=True, viewport={"width": 1400, "height": 900}) as page:
        conflicting(page, vault)
        page.get_by_role("button", name="Take theirs →").focus()
        page.keyboard.press("Enter")
        page.get_by_text("differs from what is saved in 0 places").wait_for()
        page.locator(".conflict .cm-content").last.click()
        page.keyboard.press("Control+End")
        page.keyboard.type("Both agree.")
        page.get_by_role("button", name="Save this text").click()
        saved(page)
    rest = NOTES["topics/React.md"].partition("\n")[2]
    assert text_of(vault, "topics/React") == f"React is much older.\n{rest}Theirs last.\nBoth agree."


def test_a_conflict_is_resolved_in_one_column_on_a_phone(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/React", conflict=True, viewport={"width": 390, "height": 800}) as page:
        conflicting(page, vault)
        expect(page.locator(".conflict .cm-content")).to_have_count(1)
        take = page.get_by_role("button", name="Take theirs", exact=True).first
        colours = "one => [getComputedStyle(one).color, getComputedStyle(one).backgroundColor]"
        text, ground = take.evaluate(colours)
        assert text != ground, "the button can be read"
        take.click()
        page.get_by_text("differs from what is saved in 0 places").wait_for()
        page.get_by_role("button", name="Take all of mine").click()
        page.get_by_text("differs from what is saved in 2 places").wait_for()
        page.get_by_role("button", name="Keep both").click()
        page.locator(".conflict .cm-content").get_by_text("Also written by others").wait_for()
        assert not faults(page)
        page.get_by_role("button", name="Save this text").click()
        saved(page)
    first, _, rest = NOTES["topics/React.md"].partition("\n")
    mine, callout, lines, *others = text_of(vault, "topics/React").split("\n\n", 2)
    assert (mine, lines) == (f"My {first}", rest.removeprefix("\n") + "Theirs last.\n")
    assert not others
    assert re.fullmatch(r"> \[!conflict\] Also written by others, [\d: -]{16}\n> React is much older\.", callout)


def reload(page: "Page") -> None:
    """Reload, and agree to leave the page if it asks."""
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()


def test_what_a_save_would_merge_is_no_conflict_on_the_page(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/React", viewport={"width": 1400, "height": 900}) as page:
        page.get_by_role("button", name="Edit", exact=True).click()
        page.locator(".editor .cm-line", has_text="It has hooks.").click()
        page.keyboard.press("End")
        page.keyboard.type(" Mine.")
        live(page)
        called(origin(page), "set_content", name="topics/React", old="It has a tree.", content="It has a forest.")
        page.get_by_role("button", name="Compare").click()
        page.get_by_text("No line was changed by both").wait_for()
        page.get_by_role("button", name="Save this text").click()
        saved(page)
    expected = NOTES["topics/React.md"].replace("hooks.", "hooks. Mine.").replace("a tree", "a forest")
    assert text_of(vault, "topics/React") == expected


FILLED = """() => {
    for (let size = 1 << 24; size >= 1; size >>= 1) {
        try {
            for (;;) sessionStorage.setItem(`other ${sessionStorage.length}`, 'x'.repeat(size));
        } catch {
            // there is less room
        }
    }
}"""


def test_a_warning_appears_when_the_browser_has_no_room_for_a_text(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Parts") as page:
        page.evaluate(FILLED)
        edit(page, "Typed.")
        page.get_by_role("alert").get_by_text("save before you reload").wait_for()
        save(page)
    assert text_of(vault, "topics/Parts") == "Parts are small.\nTyped."


def test_a_new_note_that_somebody_else_has_made_meanwhile_is_not_overwritten(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/New", conflict=True) as page:
        page.get_by_role("button", name="Create this note").click()
        content(page).wait_for()
        page.keyboard.type("My text.")
        write(vault, {"New.md": "Their text.\n"})
        page.keyboard.press("Control+s")
        page.locator(".conflict .cm-content").first.wait_for()
        expect(page.locator(".conflict")).to_contain_text("Their text.")
    assert text_of(vault, "New") == "Their text.\n"


def test_a_note_that_is_deleted_while_it_is_edited_is_saved_as_a_new_one(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Parts", conflict=True) as page:
        edit(page, "More.")
        live(page)
        called(origin(page), "delete_content", name="topics/Parts")
        page.get_by_text("deleted or renamed while you edited it").wait_for()
        assert not Path(vault, "topics/Parts.md").exists()
        with page.expect_response(lambda response: response.request.method == "PUT"):
            page.keyboard.press("Control+s")  # is refused
        eventually(page, lambda: typed_text(page), "Parts are small.\nMore.")
        save(page)
    assert text_of(vault, "topics/Parts") == "Parts are small.\nMore."


def test_typed_text_survives_a_reload(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Parts") as page:
        edit(page, "Typed, not saved.")
        page.locator(".status", has_text="Not saved").wait_for()
        reload(page)
        content(page).wait_for()
        eventually(page, lambda: typed_text(page), "Parts are small.\nTyped, not saved.")
        write(vault, {"topics/Parts.md": "Parts are tiny.\n"})
        reload(page)
        page.get_by_text("This is what you typed before").wait_for()
        page.get_by_text("Your text is untouched").wait_for()
        eventually(page, lambda: typed_text(page), "Parts are small.\nTyped, not saved.")
        write(vault, {"topics/Parts.md": NOTES["topics/Parts.md"]})
        save(page)
        until(page, "() => !Object.keys(sessionStorage).some((key) => key.startsWith('zkmem-draft:'))")
    assert text_of(vault, "topics/Parts") == "Parts are small.\nTyped, not saved."


def test_leaving_with_typed_text_asks(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Parts") as page:
        edit(page, "Typed.")
        page.get_by_role("navigation", name="Parts").get_by_role("link", name="Tidy").click()
        page.get_by_role("button", name="Keep editing").click()
        expect(content(page)).to_have_text(re.compile(r"Typed\.$"))
        page.wait_for_url("**/#/note/topics/Parts")
        page.get_by_role("navigation", name="Parts").get_by_role("link", name="Tidy").click()
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        page.wait_for_url("**/#/tidy")
    assert text_of(vault, "topics/Parts") == "Parts are small.\nTyped."


def refusing(status: int) -> Callable[["Route"], None]:
    return lambda route: route.fulfill(status=status, body="<h1>No</h1>")


def test_typed_text_stays_when_the_connection_is_lost_or_a_proxy_refuses(browser: "Browser", vault: str) -> None:
    refusals = (401, 403, 502)
    expected = ("ERR_INTERNET_DISCONNECTED", *(f" {status} " for status in refusals))
    with at(browser, vault, "#/note/topics/Parts", is_routed=True, as_modules=True, expected=expected) as page:
        edit(page, "Typed.")
        text = "Parts are small.\nTyped."
        page.context.set_offline(True)
        page.keyboard.press("Control+s")
        page.get_by_role("alert").get_by_text("Not saved.").wait_for()
        eventually(page, lambda: typed_text(page), text)
        page.context.set_offline(False)
        page.get_by_role("button", name="Try again").click()
        saved(page)
        for status in refusals:
            content(page).click()
            page.keyboard.press("Control+End")
            page.keyboard.type(str(status))
            text += str(status)
            page.route("**/api/notes/**", refusing(status))
            with page.expect_response("**/api/notes/**"):
                page.evaluate(  # the page looks what others changed
                    "() => import('./state.js').then(({ changed }) =>"
                    " (changed.value = { names: ['topics/Parts'], by: null, at: Date.now() }))"
                )
            page.keyboard.press("Control+s")
            if status == 401:
                page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
            page.get_by_role("alert").get_by_text("Not saved.").wait_for()
            eventually(page, lambda: typed_text(page), text)
            page.unroute("**/api/notes/**")
            save(page) if page.locator(".cm-focused").count() else page.get_by_role("button", name="Try again").click()
            saved(page)
    assert text_of(vault, "topics/Parts") == text


# Edits over several notes


def test_a_rename_changes_exactly_the_files_that_were_shown_before(browser: "Browser", vault: str) -> None:
    before = read(vault)
    with at(browser, vault, "#/note/topics/React") as page:
        choose(page, "Rename…")
        page.get_by_label("New name").fill("old/Reacting")
        shown = page.get_by_role("dialog").locator(".changes > li")
        shown.first.wait_for()
        paths = [one.split(" → ")[-1] for one in page.locator(".changes summary").all_inner_texts()]
        expect(page.locator(".changes")).to_contain_text("[[Reacting]]")
        assert read(vault) == before
        page.get_by_role("button", name="Rename", exact=True).click()
        page.wait_for_url("**/#/note/old/Reacting")
        page.get_by_text("Links were updated in 1 note.").wait_for()
    after = read(vault)
    assert (
        sorted(path for path in after if after[path] != before.get(path))
        == sorted(paths)
        == ["hint.md", "old/Reacting.md"]
    )
    assert "topics/React.md" not in after


def test_the_effect_of_a_rename_is_shown_while_the_new_name_is_typed(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/hint", expected=("422",)) as page:
        choose(page, "Rename…")
        page.get_by_label("New name").fill("parts")
        page.get_by_text("There is a note topics/Parts.").wait_for()
        page.keyboard.press("Escape")
        page.goto(origin(page) + "#/note/topics/Parts")
        page.get_by_text("Parts are small.").wait_for()
        choose(page, "Rename…")
        page.get_by_label("New name").fill("../outside")
        page.get_by_text("cannot be used").wait_for()
        expect(page.get_by_role("button", name="Rename", exact=True)).to_be_disabled()
        page.get_by_label("New name").fill("/Pieces")
        page.get_by_text("new folder: the root (before: topics)").wait_for()
        page.get_by_label("New name").fill("Pieces")
        page.get_by_text("Renaming to topics/Pieces:").wait_for()
        page.get_by_role("button", name="Rename", exact=True).click()
        page.wait_for_url("**/#/note/topics/Pieces")
        assert Path(vault, "topics/Pieces.md").exists()
        page.get_by_text("Parts are small.").wait_for()
        choose(page, "Rename…")
        page.get_by_label("New name").fill("topics/React")
        page.get_by_text("the two become one").wait_for()
        page.get_by_role("button", name="Merge").click()
        page.wait_for_url("**/#/note/topics/React")
    assert not Path(vault, "topics/Pieces.md").exists()
    assert "Parts are small." in text_of(vault, "topics/React")


def test_a_selected_passage_is_moved_to_a_note_of_its_own(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/React") as page:
        edit(page, "", key="Control+Home")
        for key in ("ArrowDown", "ArrowDown", "Shift+ArrowDown", "Shift+End"):
            page.keyboard.press(key)
        page.get_by_role("button", name="Extract…").click()
        page.get_by_label("Name of the note").fill("topics/Hooks")
        page.locator(".changes > li").nth(1).wait_for()
        assert not Path(vault, "topics/Hooks.md").exists()
        page.get_by_role("button", name="Extract", exact=True).click()
        page.get_by_role("dialog").wait_for(state="detached")
        eventually(page, lambda: typed_text(page), "React is older.\n\n[[topics/Hooks]]\n\nBack to [[hint]].\n")
    assert text_of(vault, "topics/Hooks").strip() == "It has hooks.\nIt has a tree."
    assert text_of(vault, "topics/React") == "React is older.\n\n[[topics/Hooks]]\n\nBack to [[hint]].\n"


def test_typed_text_is_saved_before_a_passage_of_it_is_moved(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Parts") as page:
        edit(page, "New line.")
        page.keyboard.press("Shift+Home")
        page.get_by_role("button", name="Extract…").click()
        page.get_by_label("Name of the note").fill("Other")
        page.get_by_role("button", name="Save them").click()
        page.locator(".changes > li").nth(1).wait_for()
        page.get_by_role("button", name="Extract", exact=True).click()
        page.get_by_role("dialog").wait_for(state="detached")
    assert text_of(vault, "topics/Other").strip() == "New line."
    assert text_of(vault, "topics/Parts") == "Parts are small.\n[[topics/Other]]"


def test_a_deletion_names_the_links_that_would_dangle_and_can_be_taken_back(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Parts") as page:
        choose(page, "Delete…")
        dialog = page.get_by_role("dialog")
        dialog.get_by_text("1 note links to it").wait_for()
        expect(dialog.locator("li")).to_have_text(["topics/Vue"])
        dialog.get_by_role("button", name="Cancel").click()
        assert Path(vault, "topics/Parts.md").exists()
        choose(page, "Delete…")
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        page.get_by_text("This note is not there any more.").wait_for()
        assert not Path(vault, "topics/Parts.md").exists()
        assert Path(vault, ".trash/Parts.md").exists() or Path(vault, ".trash/topics/Parts.md").exists()
        restore = page.get_by_role("button", name="Restore")
        restore.wait_for()
        assert page.locator(".trouble").count() == 0
        assert page.get_by_text("zkmem restore").count() == 0
        restore.click()
        page.get_by_text("topics/Parts is restored.").wait_for()
        page.locator(".body", has_text="Parts are small.").wait_for()
    assert Path(vault, "topics/Parts.md").exists()


# Conflicts of two machines

CONFLICT = """\
# Tea

Green, at 75 °C.

> [!conflict] Also written on laptop, 2026-11-22 10:14
> Green, at 80 °C.

- Ceylon

> [!conflict] Also written on desktop, 2026-11-22 10:15
> - Assam
> - Darjeeling
"""


def conflict(page: "Page", machine: str) -> "Locator":
    return page.get_by_role("group", name=re.compile(f"^Conflict [0-9]: Also written on {machine},"))


def test_a_conflict_shows_both_sides_and_either_can_be_kept(browser: "Browser", vault: str) -> None:
    write(vault, {"Tea.md": CONFLICT, "Odd.md": CONFLICT.partition("\n\n")[2].partition("\n\n")[2]})
    with at(browser, vault, "#/note/Odd") as page:
        conflict(page, "laptop").get_by_role("button", name="Keep this").wait_for()
        expect(conflict(page, "laptop").get_by_role("button", name="Use the other")).to_have_count(0)
        page.get_by_text("It is not certain which lines").wait_for()
        page.goto(origin(page) + "#/note/Tea")
        page.get_by_text("Green, at 75 °C.").first.wait_for()
        first = conflict(page, "laptop")
        first.wait_for()
        expect(first.locator("pre")).to_have_text(["Green, at 75 °C.", "Green, at 80 °C."])
        assert faults(page) == []
        first.get_by_role("button", name="Use the other").focus()
        page.keyboard.press("Enter")
        page.get_by_text("Tea has the other version now.").wait_for()
        first.wait_for(state="detached")
        chosen = "# Tea\n\nGreen, at 80 °C.\n\n- Ceylon\n"
        assert text_of(vault, "Tea").startswith(f"{chosen}\n> [!conflict]")
        expect(page.locator(":focus")).to_have_text("Tea")
        conflict(page, "desktop").get_by_role("button", name="Keep this").click()
        page.locator(".two-versions").wait_for(state="detached")
        assert text_of(vault, "Tea") == chosen
        assert not page.locator(".news").inner_text(), "the change is the person's own"
        page.goto(origin(page) + "#/history")
        page.get_by_role("button", name="Undo the last edit…").click()
        page.get_by_role("dialog").get_by_role("button", name="Undo").click()
        page.get_by_text("Undone: ").wait_for()
        assert text_of(vault, "Tea").startswith(f"{chosen}\n> [!conflict]")


def test_a_choice_keeps_what_others_wrote_meanwhile(browser: "Browser", vault: str) -> None:
    write(vault, {"Tea.md": CONFLICT})
    with at(browser, vault, "#/note/Tea", conflict=True, is_routed=True) as page:
        button = conflict(page, "laptop").get_by_role("button", name="Use the other")
        button.wait_for()

        def meanwhile(old: str, new: str) -> None:
            """Change the note before the next choice arrives at the server."""

            def late(route: "Route") -> None:
                Path(vault, "Tea.md").write_text(text_of(vault, "Tea").replace(old, new), "utf-8")
                route.continue_()

            page.route("**/api/resolve", late, times=1)

        meanwhile("at 75 °C", "at 70 °C")
        button.click()
        page.get_by_role("alert").get_by_text("has changed since you read it, in the same lines").wait_for()
        assert "at 70 °C" in text_of(vault, "Tea")
        page.locator(".two-versions pre", has_text="Green, at 70 °C.").wait_for()
        meanwhile("- Ceylon", "- Ceylon, black")
        button.click()
        page.get_by_text("Tea has the other version now.").wait_for()
        assert "Green, at 80 °C.\n\n- Ceylon, black\n" in text_of(vault, "Tea")


# Lists


def test_home_and_tidy_say_what_is_wrong_with_hint_until_it_is_right(browser: "Browser", vault: str) -> None:
    with at(browser, vault) as page:
        page.get_by_role("link", name=re.compile("where readers begin, needs tidying")).click()
        wrong = page.get_by_role("region", name="Where readers begin")
        expect(wrong).to_contain_text("hint links to notes that do not exist: Svelte.")
        live(page)
        wrong.get_by_role("button", name="Propose a draft").click()
        page.get_by_text("zkmem-hint proposes").wait_for()
        page.get_by_role("button", name="Accept all").click()
        page.get_by_text("Accepted").wait_for()
        assert "zkmem hint" in text_of(vault, "hint")
        page.goto(origin(page) + "#/tidy")
        called(origin(page), "set_content", name="Svelte", content="It is here.\n")
        expect(wrong).to_have_count(0)


def test_each_list_shows_its_findings_and_opens_their_notes(browser: "Browser", vault: str) -> None:
    write(vault, {"Long.md": "word " * 1000, "Broken.md": "---\na: [\n---\ntext\n", "Tea.md": CONFLICT})
    with at(browser, vault, "#/list/hints") as page:

        def of(name: str) -> "Locator":
            return page.get_by_role("list", name=name).locator("li")

        of("Where to start").get_by_role("link", name="hint").wait_for()
        page.goto(origin(page) + "#/list/suggestions")
        of("Suggestions").get_by_role("link", name="Long").wait_for()
        expect(of("Suggestions").filter(has_text="Long")).to_contain_text("5,000 characters")
        page.goto(origin(page) + "#/list/check")
        page.get_by_text("they are not YAML").wait_for()
        expect(of("Other findings")).to_have_count(1)  # missing and ambiguous ones have lists of their own
        page.goto(origin(page) + "#/list/ambiguous")
        page.get_by_text("The link Twin means").wait_for()
        expect(page.locator(".title .count")).to_have_text("1")
        of("Ambiguous links").get_by_role("link").click()
        page.wait_for_url("**/#/note/Who")
        page.get_by_role("link", name="Tidy").click()
        page.get_by_role("navigation", name="What to tidy").get_by_role("link", name="Conflicts").click()
        of("Conflicts").get_by_role("link", name="Tea").first.click()
        page.get_by_role("button", name="Keep this").first.wait_for()
        page.goto(origin(page) + "#/list/missing")
        expect(of("Missing notes")).to_contain_text("Svelte")
        expect(of("Missing notes")).to_contain_text("linked from hint")
        live(page)
        called(origin(page), "set_content", name="Svelte", content="It is here.\n")
        page.get_by_text("Nothing to do here.").wait_for()


def test_what_the_index_knows_is_listed_while_the_notes_are_read(browser: "Browser", vault: str) -> None:
    write(vault, {"Broken.md": "---\na: [\n---\ntext\n"})
    held: list[Route] = []
    with at(browser, vault, is_routed=True) as page:
        page.route("**/findings?*look=notes*", lambda route: held.append(route))  # noqa: PLW0108 - no built-in
        page.goto(origin(page) + "#/tidy")
        expect(page.get_by_role("list", name="Missing notes")).to_contain_text("Svelte")
        page.get_by_role("status").get_by_text("Reading the notes").wait_for()
        others = page.get_by_role("navigation", name="What to tidy").get_by_role("link", name="Other findings")
        expect(others).to_have_count(0)
        eventually(page, lambda: len(held), 1)
        held[0].continue_()
        others.wait_for()
        expect(page.get_by_text("Reading the notes")).to_have_count(0)


def test_arrow_keys_move_in_a_list_and_enter_opens(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/list/hints") as page:
        links = page.locator(".rows [data-row]")
        links.first.focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        name = links.nth(1).inner_text()
        page.keyboard.press("Enter")
        page.locator(".title", has_text=name.rpartition("/")[2]).wait_for()


def test_the_list_of_conflicts_shows_the_state_of_the_synchronisation(browser: "Browser", tmp_path: Path) -> None:
    shared = Shared(tmp_path, {"Tea.md": "# Tea\n"}, ("laptop",))
    with at(browser, str(shared.root("laptop")), "#/list/conflict") as page:
        state = page.get_by_role("region", name="Synchronisation")
        state.wait_for()
        expect(state).to_contain_text("Last synchronised with origin: ")
        expect(state).to_contain_text("Nothing waits.")
        hook(shared.remote, "pre-receive", "echo protected; exit 1\n")
        write(shared.root("laptop"), {"Mate.md": "# Mate\n"})
        with pytest.raises(NotSynced):
            shared.sync("laptop")
        page.reload()
        state.get_by_role("alert").wait_for()
        expect(state).to_contain_text("1 commit to push.")
        expect(state).to_contain_text("The last attempt failed, ")
        expect(state).to_contain_text("protected")


# History


def test_the_history_shows_what_each_edit_did_and_takes_it_back_and_makes_it_again(
    browser: "Browser", vault: str
) -> None:
    with at(browser, vault, "#/history", expected=("409",)) as page:
        dialog = page.get_by_role("dialog")
        page.get_by_role("button", name="Undo the last edit…").click()
        dialog.get_by_text("There is nothing to undo.").wait_for()
        expect(dialog.get_by_role("button", name="Undo")).to_be_disabled()
        page.keyboard.press("Escape")
        called(origin(page), "set_content", name="topics/Parts", content="Changed.\n")
        page.get_by_role("button", name="Changed topics/Parts").wait_for()
        redo = page.get_by_role("toolbar", name="Undo").get_by_role("button", name="Redo…")
        expect(redo).to_be_disabled()
        page.get_by_role("button", name="Undo the last edit…").click()
        dialog.get_by_text("1: changed topics/Parts").wait_for()
        dialog.get_by_text("1 note would change").wait_for()
        assert text_of(vault, "topics/Parts") == "Changed.\n"
        dialog.get_by_role("button", name="Undo").click()
        page.get_by_text("Undone: ").wait_for()
        assert text_of(vault, "topics/Parts") == "Parts are small.\n"
        page.get_by_role("button", name="Undid edit 1: changed topics/Parts").wait_for()
        redo.click()
        dialog.get_by_text("1: changed topics/Parts").wait_for()
        dialog.get_by_role("button", name="Redo").click()
        page.get_by_text("Redone: ").wait_for()
        expect(redo).to_be_disabled()
        assert text_of(vault, "topics/Parts") == "Changed.\n"
        called(origin(page), "rename_content", name="topics/Parts", new_name="topics/Pieces")
        called(origin(page), "set_content", name="New", content="Born.\n")
        page.locator(".row", has_text="Created New").click()
        page.get_by_text("Born.").wait_for()
        page.locator(".row", has_text="Renamed topics/Parts to topics/Pieces").click()
        relinked = page.locator(".revision").get_by_role("region", name="topics/Vue", exact=True)
        expect(relinked.locator(".body")).to_contain_text("Vue has parts: topics/Parts Pieces")


def test_the_past_of_a_note_is_shown_and_can_be_restored_even_if_it_is_deleted(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Parts") as page:
        for text in ("Second.\n", "Third.\n"):
            called(origin(page), "set_content", name="topics/Parts", content=text)
        page.get_by_text("Third.").wait_for()
        choose(page, "History")
        page.locator(".row").nth(1).wait_for()
        page.locator(".row").first.click()
        expect(page.locator(".changed .removed")).to_have_text("Second.")
        expect(page.locator(".changed .added")).to_have_text("Third.")
        page.locator(".row").first.click()
        page.locator(".row").nth(1).click()
        page.get_by_role("button", name="Restore…").click()
        page.get_by_role("dialog").get_by_role("button", name="Restore").click()
        page.wait_for_url("**/#/note/topics/Parts")
        page.locator(".body", has_text="Second.").wait_for()
        assert text_of(vault, "topics/Parts") == "Second.\n"
        called(origin(page), "delete_content", name="topics/Parts")
        page.goto(origin(page) + "#/history/topics/Parts")
        page.get_by_role("button", name="Deleted topics/Parts").click()
        page.locator(".changed .removed", has_text="Second.").wait_for()
        page.get_by_role("button", name="The text then").click()
        page.locator(".diff.plain", has_text="Second.").wait_for()
        page.get_by_role("button", name="Restore…").click()
        page.get_by_role("dialog").get_by_role("button", name="Restore").click()
        page.locator(".body", has_text="Second.").wait_for()
    assert text_of(vault, "topics/Parts") == "Second.\n"


# Who may not write, and what may not run


def test_who_may_only_read_gets_no_controls_to_edit(browser: "Browser", vault: str) -> None:
    token = tokens_of(vault).add("reader", read_only=True)
    with served(vault) as url, opened(browser, url, expected=("401", "404")) as page:
        page.evaluate("(token) => sessionStorage.setItem('zkmem-token:/', token)", token)
        page.goto(url + "#/note/topics/Parts")
        page.reload()
        page.locator(".body", has_text="Parts are small.").wait_for()
        page.keyboard.press("e")
        page.locator("article button").click()
        expect(page.get_by_role("menu")).not_to_contain_text("Rename…")
        page.keyboard.press("Escape")
        expect(page.get_by_role("menu")).to_be_hidden()
        page.goto(url + "#/note/Nothing")
        page.get_by_text("This note is not written yet.").wait_for()
        expect(page.locator("article button")).to_have_count(0)
        expect(page.get_by_role("button", name="New note")).to_have_count(0)
        page.goto(url + "#/history")
        page.get_by_text("No edit is known.").wait_for()
        expect(page.locator("article button")).to_have_count(0)


HOSTILE = """---
title: "<img src=x onerror=window.ran=1>"
---
<script>window.ran = 1</script>
<img src=x onerror="window.ran = 1">
<img src="http://example.invalid/pixel.png">
![](http://example.invalid/pixel.png)
<svg onload="window.ran = 1"><script>window.ran = 1</script></svg>
<iframe src="javascript:parent.ran = 1" srcdoc="<script>parent.ran = 1</script>"></iframe>
<a href="javascript:window.ran = 1">click</a> [md](javascript:window.ran=1) [data](data:text/html,<script>1</script>)
<form action="http://example.invalid/"><button>send</button><input autofocus onfocus="window.ran = 1"></form>
<style>body { display: none }</style>
<div style="position: fixed; background: url(http://example.invalid/)" onmouseover="window.ran = 1">over</div>
<details open ontoggle="window.ran = 1"><summary>s</summary></details>
<meta http-equiv="refresh" content="0; url=http://example.invalid/"> <base href="http://example.invalid/">

[[<img src=x onerror=window.ran=1>]] [[x|<img src=x onerror=window.ran=1>]] ![[<script>.png]]
${ran} `<script>window.ran = 1</script>`
"""


def test_a_note_full_of_scripts_runs_nothing_and_asks_no_other_host(browser: "Browser", vault: str) -> None:
    write(vault, {"Hostile.md": HOSTILE, "<img src=x onerror=window.ran=1>.md": "[[Hostile]]\n"})
    asked: list[str] = []
    with at(browser, vault, "#/note/Hostile") as page:
        page.on("dialog", lambda dialog: asked.append(dialog.message))
        page.locator(".properties").get_by_text("onerror").wait_for()
        for link in page.locator(".body a").all():
            assert re.match(r"#/note/|https?:", link.get_attribute("href") or "#/note/")
        expect(
            page.locator(".body :is(script, style, iframe, form, meta, base, svg, [onerror], [style])")
        ).to_have_count(0)
        choose(page, "2")
        page.locator("details.expansion").first.wait_for()
        page.get_by_role("button", name="Edit", exact=True).click()
        content(page).wait_for()
        page.get_by_role("button", name="Done").click()
        for address in ("#/list/hints", "#/list/missing", "#/list/check", "#/history"):
            page.goto(origin(page) + address)
            page.locator(".title").wait_for()
        assert page.evaluate("() => window.ran") is None
        assert asked == []
        assert page.url.startswith("http://127.0.0.1:")


# For everyone


def test_expanded_changed_and_conflicting_text_has_no_serious_fault_of_access(browser: "Browser", vault: str) -> None:
    """See test_page_layout for the other views."""
    write(vault, {"Tea.md": CONFLICT})
    with at(browser, vault, "#/note/topics/Vue") as page:
        choose(page, "1")
        page.locator("details.expansion").first.wait_for()
        assert faults_in_both(page) == []
        page.goto(origin(page) + "#/note/Tea")
        conflict(page, "laptop").wait_for()
        assert faults_in_both(page) == []
        called(origin(page), "set_content", name="topics/Parts", content="Changed.\n")
        page.goto(origin(page) + "#/history/topics/Parts")
        page.locator(".row").click()
        page.locator(".changed .body").first.wait_for()
        assert faults_in_both(page) == []


def test_dialogs_have_no_serious_fault_of_access(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Parts") as page:
        choose(page, "Rename…")
        page.get_by_label("New name").fill("topics/React")
        page.locator(".changes > li").first.wait_for()
        assert faults_in_both(page) == []
        page.keyboard.press("Escape")
        choose(page, "Delete…")
        page.get_by_text("1 note links to it").wait_for()
        assert faults_in_both(page) == []
        page.keyboard.press("Escape")
        edit(page, "", key="Control+Home")
        page.keyboard.press("Shift+End")
        page.get_by_role("button", name="Extract…").click()
        page.get_by_label("Name of the note").fill("Other")
        page.locator(".changes > li").first.wait_for()
        assert faults_in_both(page) == []
        page.keyboard.press("Escape")
        content(page).click()
        page.keyboard.type("Typed.")
        page.get_by_role("button", name="Done").click()
        page.get_by_role("button", name="Keep editing").wait_for()
        assert faults_in_both(page) == []


@pytest.mark.parametrize("width", [1400, 390])
def test_the_editor_has_no_serious_fault_of_access(browser: "Browser", vault: str, width: int) -> None:
    size = {"width": width, "height": 800}
    with at(browser, vault, "#/note/topics/React", conflict=True, viewport=size) as page:
        edit(page, "[[")
        page.locator(".cm-tooltip-autocomplete").get_by_role("option").first.wait_for()
        assert faults_in_both(page) == []
        page.keyboard.press("Escape")
        page.keyboard.press("Control+f")
        page.get_by_placeholder("Find").wait_for()
        assert faults_in_both(page) == []
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Done").click()
        page.get_by_role("button", name="Discard").click()
        conflicting(page, vault)
        assert faults_in_both(page) == []


def test_escape_stays_at_a_note_since_nothing_is_open(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Parts") as page:
        for name, sign in (("topics/Parts", ".body"), ("Unwritten", "article button.primary")):
            page.goto(f"{origin(page)}#/note/{name}")
            page.locator(sign).wait_for()
            page.keyboard.press("Escape")
            page.keyboard.press("?")  # a key after it has an effect
            page.get_by_role("dialog").get_by_role("button", name="Close").click()
            expect(page.locator(sign)).to_be_visible()
            assert page.url.endswith(f"#/note/{name}")


def test_everything_is_done_from_the_keyboard(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics/Parts") as page:
        page.locator(".body").wait_for()
        page.keyboard.press("e")
        page.locator(".cm-focused").wait_for()
        page.keyboard.press("Control+End")
        page.keyboard.type("More.")
        save(page)
        page.keyboard.press("Shift+Tab")  # Tab leaves the text: nobody is caught in it
        expect(page.locator(":focus")).to_have_text("Source")
        for _ in range(3):
            page.keyboard.press("Shift+Tab")
        page.keyboard.press("Enter")
        page.locator(".body", has_text="More.").wait_for()
        page.get_by_role("button", name="More actions").focus()
        page.keyboard.press("Enter")
        page.keyboard.press("End")
        page.keyboard.press("ArrowUp")
        expect(page.locator(":focus")).to_have_text("Rename…")
        page.keyboard.press("Enter")
        page.locator("dialog[open]").get_by_label("New name").wait_for()
        page.keyboard.press("Control+a")
        page.keyboard.type("topics/Pieces")
        page.locator(".changes > li").first.wait_for()
        page.keyboard.press("Enter")
        page.wait_for_url("**/#/note/topics/Pieces")
        page.locator(".body", has_text="More.").wait_for()
        page.keyboard.press("Escape")  # nothing is open that it would close
        expect(page.locator(".body")).to_contain_text("More.")
    assert text_of(vault, "topics/Pieces") == "Parts are small.\nMore."


_CHAPTER = "## Chapter {0}\n\nThe *rain* of day {0} fell on [[topics/Vue|a roof]],\nand nobody was there.\n\n- one\n\n"
LONG = "".join(map(_CHAPTER.format, range(80)))


def test_the_editor_opens_at_the_passage_that_was_read_and_the_note_shows_it_afterwards(
    browser: "Browser", vault: str
) -> None:
    write(Path(vault), {"Long.md": f"---\nyear: 2026\n---\n{LONG}"})
    top = "document.getElementById('panel').scrollTop"
    is_seen = """(text, box) => {
        const edge = document.querySelector(box).getBoundingClientRect().top;
        const away = (one) => one.getBoundingClientRect().top - edge;
        return [...document.querySelectorAll(`${box} :is(.cm-line, p, h2)`)]
            .some((one) => one.textContent.includes(text) && away(one) > -60 && away(one) < 160);
    }"""
    with at(browser, vault, "#/note/Long") as page:
        page.get_by_text("The rain of day 50 fell").evaluate("one => one.scrollIntoView({ block: 'start' })")
        until(page, f"() => {top} > 1000")
        page.keyboard.press("e")
        page.locator(".cm-content").wait_for()
        until(page, f"() => ({is_seen})('of day 50 fell', '.cm-scroller')")
        until(page, f"() => {top} === 0")
        page.keyboard.type("Yes. ")  # where the cursor is
        page.keyboard.press("Control+s")
        page.get_by_text("Saved", exact=True).wait_for()
        page.keyboard.press("Escape")
        page.get_by_text("Yes. The rain of day 50 fell").wait_for()
        until(page, f"() => ({is_seen})('of day 50 fell', '#panel')")
        page.keyboard.press("e")
        page.locator(".cm-content").wait_for()
        until(page, f"() => ({is_seen})('of day 50 fell', '.cm-scroller')")  # the editor has scrolled to it
        page.locator(".cm-scroller").evaluate("one => one.scrollTo({ top: 700 })")
        until(page, "() => Math.abs(document.querySelector('.cm-scroller').scrollTop - 700) < 200")
        until(page, f"() => ({is_seen})('of day', '.cm-scroller')")
        days = "[...Array(80).keys()]"
        found = page.evaluate(f"() => {days}.filter((at) => ({is_seen})(`of day ${{at}} `, '.cm-scroller'))")
        page.keyboard.press("Escape")
        until(page, f"() => ({is_seen})('of day {found[0]} fell', '#panel')")


def test_the_text_stays_where_it_is_on_a_phone_when_it_is_not_saved(browser: "Browser", vault: str) -> None:
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with at(browser, vault, "#/note/hint", **phone) as page:
        page.get_by_role("button", name="Edit", exact=True).click()
        page.locator(".cm-focused").wait_for()
        places = [page.locator(".cm-content").bounding_box()]
        page.keyboard.type("More ")
        page.get_by_text("Not saved").wait_for()
        places.append(page.locator(".cm-content").bounding_box())
        assert places[0] is not None
        assert places[1] is not None
        assert places[0]["y"] == places[1]["y"]
        status = page.locator(".toolbar .status")
        eventually(page, lambda: status.evaluate("one => one.scrollWidth <= one.clientWidth"), True)
