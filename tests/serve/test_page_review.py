"""The review in a real browser: what others did, what the person keeps, and what is taken back."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.serve.test_page_notes import NOTES, at, edit, origin, save, text_of
from tests.tools.browser import called, expect, faults, needs_browser, until
from tests.tools.vaults import read, write
from zkmem.memory import Memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = [pytest.mark.browser, needs_browser]


@pytest.fixture
def vault(tmp_path: Path) -> str:
    return write(tmp_path / "vault", NOTES)


def card(page: "Page", name: str) -> "Locator":
    return page.get_by_role("article", name=name)


def review_of(page: "Page") -> "Locator":
    page.goto(origin(page) + "#/review")
    return page.get_by_role("heading", level=2)


def test_what_a_model_writes_is_shown_with_its_words_and_kept(browser: "Browser", vault: str) -> None:
    with at(browser, vault) as page:
        heading = review_of(page)
        page.get_by_text("No tool has edited this vault yet.").wait_for()
        called(origin(page), "set_content", name="topics/React", content="a shape", old="a tree")
        called(origin(page), "set_content", name="topics/Hooks", content="Used in [[React]].\n")
        page.get_by_role("heading", name="2 edits since you last looked").wait_for()
        page.get_by_role("link", name="Review (2)").wait_for()
        react = page.get_by_role("region", name="topics/React", exact=True)
        react.get_by_text("tree").wait_for()
        expect(react.locator("del").last).to_have_text("tree")
        expect(react.locator("ins").last).to_have_text("shape")
        hooks = page.get_by_role("region", name="topics/Hooks", exact=True)
        expect(hooks.get_by_text("created")).to_be_visible()
        expect(hooks.get_by_role("link", name="React", exact=True)).to_be_visible()
        assert not faults(page)
        page.get_by_role("button", name="Got it", exact=True).click()
        page.get_by_role("heading", name="Recent edits").wait_for()
        page.reload()
        expect(heading).to_have_text("Recent edits")
        page.get_by_role("button", name="Show changes").click()
        react.get_by_text("shape").wait_for()


def test_a_sitting_is_undone_after_a_look_and_later_edits_stay(browser: "Browser", vault: str) -> None:
    before = read(vault)
    model = Memory(vault).on_behalf(client="model 1")
    model.write("topics/React", "It has a shape.", old="It has a tree.")
    model.rename("hint", "start")
    model.write("new", "New.\n")
    with at(browser, vault, "#/note/topics%2FReact") as page:
        edit(page, "Mine.")
        save(page)
        review_of(page)
        model_card = card(page, "3 edits in")
        model_card.get_by_role("button", name="Undo…").click()
        dialog = page.get_by_role("dialog", name="Undo all of this?")
        dialog.get_by_text("files would").wait_for()
        expect(dialog.get_by_text("start.md").first).to_be_visible()
        dialog.get_by_role("button", name="Undo", exact=True).click()
        dialog.wait_for(state="detached")
        model_card.get_by_text("undone").wait_for()
    after = read(vault)
    assert after.pop("topics/React.md") == before.pop("topics/React.md") + b"Mine."
    assert after == before


def test_changes_by_hand_are_listed_and_undone(browser: "Browser", vault: str) -> None:
    Memory(vault).on_behalf(client="model 1").write("new", "New.\n")
    before = text_of(vault, "topics/React")
    with at(browser, vault, "#/review") as page:
        page.get_by_role("heading", name="1 edit since you last looked").wait_for()
        Path(vault, "topics/React.md").write_text(before.replace("a tree", "leaves"))
        page.get_by_role("heading", name="2 edits since you last looked").wait_for()
        by_hand = card(page, "1 change in 1 note: By hand")
        by_hand.get_by_text("leaves").wait_for()
        expect(by_hand.locator("del").last).to_have_text("a tree")
        by_hand.get_by_role("button", name="Undo…").click()
        dialog = page.get_by_role("dialog", name="Undo all of this?")
        dialog.get_by_role("button", name="Undo", exact=True).click()
        dialog.wait_for(state="detached")
        by_hand.get_by_text("undone").wait_for()
        assert not faults(page)
    assert text_of(vault, "topics/React") == before


def test_an_undo_that_cannot_be_made_says_what_is_in_the_way(browser: "Browser", vault: str) -> None:
    model = Memory(vault).on_behalf(client="model 1")
    model.write("topics/React", "It has a shape.", old="It has a tree.")
    Memory(vault).on_behalf(client="model 2").write("topics/React", "It has leaves.", old="It has a shape.")
    with at(browser, vault, expected=("409 (Conflict)",)) as page:
        review_of(page)
        card(page, "by model 1").get_by_role("button", name="Undo…").click()
        dialog = page.get_by_role("dialog", name="Undo all of this?")
        sentence = dialog.get_by_text("has changed the same lines")
        assert sentence.inner_text().startswith(
            "Edit 1 (model 1) cannot be undone in 'topics/React': edit 2 (model 2) has changed the same lines. Around "
            "line 4 it has 'It has leaves.'; without the edit it would have 'It has a tree.'. Nothing was undone."
        )
        expect(dialog.get_by_role("button", name="Undo", exact=True)).to_be_disabled()
        sentence.get_by_role("link", name="edit 2", exact=True).click()
        dialog.wait_for(state="detached")
        page.get_by_role("heading", name="Edit 2", exact=True).wait_for()
        row = page.get_by_role("list", name="Edits").get_by_role("button").first
        expect(row).to_contain_text("no. 2")
        page.get_by_text("+It has leaves.").wait_for()
        assert not faults(page)
    assert "leaves" in text_of(vault, "topics/React")


def test_the_rest_of_a_sitting_is_undone_where_a_change_is_in_the_way(browser: "Browser", vault: str) -> None:
    before = read(vault)
    model = Memory(vault).on_behalf(client="model 1")
    model.write("new", "New.\n")
    model.write("topics/React", "It has a shape.", old="It has a tree.")
    model.write("other", "Other.\n")
    Path(vault, "topics/React.md").write_text(text_of(vault, "topics/React").replace("a shape", "leaves"))
    kept = text_of(vault, "topics/React")
    with at(browser, vault, expected=("409 (Conflict)",)) as page:
        review_of(page)
        card(page, "3 edits in").get_by_role("button", name="Undo…").click()
        dialog = page.get_by_role("dialog", name="Undo all of this?")
        dialog.get_by_text("1 edit stays:").wait_for()
        reason = dialog.get_by_role("listitem").first.inner_text()
        assert "cannot be undone in 'topics/React': a change by hand has changed the same lines" in reason
        assert "Nothing was undone" not in reason
        dialog.get_by_role("button", name="Undo the rest", exact=True).click()
        dialog.wait_for(state="detached")
        page.get_by_text("by model 1, but 1 edit stays.").wait_for()
        rest = card(page, "3 edits in")
        rest.get_by_text("2 edits undone").wait_for()
        assert not faults(page)
        rest.get_by_role("button", name="Undo the rest…").click()
        page.get_by_role("dialog", name="Undo the rest?").get_by_text("has changed the same lines").wait_for()
    assert read(vault) == before | {"topics/React.md": kept.encode()}


def test_what_one_writes_on_the_page_is_ones_own(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/hint") as page:
        with page.expect_response("**/api/review*"):
            edit(page, "Typed.")
            save(page)
        assert page.locator(".strip").is_hidden()
        review_of(page)
        mine = card(page, "1 edit in 1 note by You")
        mine.wait_for()
        expect(page.get_by_role("heading", name="Recent edits")).to_be_visible()
        expect(mine.get_by_role("button", name="Got it", exact=True)).to_be_hidden()
        page.goto(origin(page) + "#/history")
        page.locator(".history .tag", has_text="you").wait_for()


def test_one_edit_of_the_history_is_undone(browser: "Browser", vault: str) -> None:
    model = Memory(vault).on_behalf(client="model 1")
    model.write("topics/React", "It has a shape.", old="It has a tree.")
    model.write("topics/React", "More.\n", append=True)
    with at(browser, vault, "#/history") as page:
        page.locator(".history .row").nth(1).click()
        page.get_by_role("button", name="Undo this edit…").click()
        dialog = page.get_by_role("dialog", name="Undo this edit?")
        dialog.get_by_text("1 file would").wait_for()
        dialog.get_by_role("button", name="Undo", exact=True).click()
        dialog.wait_for(state="detached")
        undone = page.get_by_role("button", name="undone")
        expect(undone).to_contain_text("no. 1")
        page.get_by_text("-It has a tree.").wait_for()
        expect(page.get_by_role("button", name="Undo this edit…")).to_be_hidden()
    assert "It has a tree." in text_of(vault, "topics/React")
    assert text_of(vault, "topics/React").endswith("More.\n")


def test_the_review_fits_a_phone(browser: "Browser", vault: str) -> None:
    model = Memory(vault).on_behalf(client="a model with a rather long name 1.2.3")
    model.write("a/" + "long" * 40, "- [[topics/React]]\n\n" + "word " * 200)
    with at(browser, vault, "#/review", viewport={"width": 360, "height": 740}, has_touch=True) as page:
        page.get_by_role("region", name="a/" + "long" * 40).get_by_text("word word").wait_for()
        until(page, "() => document.documentElement.scrollWidth <= innerWidth")
        assert not faults(page)


def test_a_strip_says_what_a_model_does_and_its_passage_is_tinted(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/topics%2FReact") as page:
        page.locator(".body").get_by_text("It has a tree.").wait_for()
        called(origin(page), "set_content", name="topics/React", content="a shape", old="a tree")
        strip = page.locator(".strip")
        strip.get_by_text("changed topics/React").wait_for()
        page.locator(".body .fresh", has_text="a shape").wait_for()
        assert page.locator(".body .fresh").count() == 1, "the other paragraphs are not tinted"
        called(origin(page), "set_content", name="topics/Hooks", content="Used in [[React]].\n")
        strip.get_by_text("created topics/Hooks").wait_for()
        called(origin(page), "set_content", name="topics/Vue", content="[[Hooks]] are there, too.\n")
        strip.get_by_text("changed topics/Vue").wait_for()
        assert not faults(page)
        strip.get_by_role("link").first.click()
        page.wait_for_url("**/#/note/topics/*")


LISTS = """- one
- two
  - two a
  - two b
- three

1. first

   more

| a | b |
|---|---|
| c | d |
| e | f |

> quoted
>
> quoted, too

- [ ] task
"""


def test_only_the_item_the_row_or_the_paragraph_that_has_changed_is_tinted(browser: "Browser", vault: str) -> None:
    write(vault, {"Lists.md": LISTS})
    with at(browser, vault, "#/note/Lists") as page:
        tinted = page.locator(".body .fresh")
        page.locator(".body").get_by_text("three").wait_for()
        changes = [("- three", "- three!"), ("two a", "two A"), ("- two\n", "- 2\n"), ("   more", "   more!"),
                   ("| e |", "| EE |"), ("quoted, too", "quoted!"), ("- one", "- zero\n- one")]  # fmt: skip
        for old, new in changes:
            called(origin(page), "set_content", name="Lists", content=new, old=old)
            words = new.split("\n")[0].strip("-| ")
            page.locator(".body .fresh", has_text=words).wait_for()
            expect(tinted).to_have_text(["EE\tf" if words == "EE" else words], use_inner_text=True)


def test_older_sittings_are_listed_to_the_beginning(browser: "Browser", vault: str) -> None:
    with Memory(vault) as memory:
        for number in range(45):  # the edits of different clients are different sittings
            memory.on_behalf(client=f"client {number}").write("topics/React", f"Line {number}.\n", append=True)
    with at(browser, vault) as page:
        page.goto(origin(page) + "#/review")
        older = page.get_by_role("button", name="Show older ones")
        for shown in (20, 40):
            page.locator(".review .card").nth(shown - 1).wait_for()
            expect(page.locator(".review .card")).to_have_count(shown)
            older.click()
        page.get_by_role("article", name="1 edit in 1 note by client 0", exact=True).wait_for()
        expect(page.locator(".review .card")).to_have_count(45)
        expect(older).to_have_count(0)


TEA = {
    "green tea.md": "Brew green tea at 80 °C.\n",
    "steeping.md": "- Green tea is steeped: brew at 80 °C\n- Black tea: 95 °C\n",
    "oven.md": "Bread: 80 °C.\n",
}


def test_what_a_correction_leaves_in_other_notes_is_mended_with_one_click(browser: "Browser", tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", TEA)
    with at(browser, vault, "#/note/green tea") as page:
        edit(page, "Brew green tea at 75 °C. The key: ghp_" + "Zq7Lw2Nx9Rt4" * 3, key="Control+a")
        save(page)
        page.get_by_text("this looks like a token (line 1)").wait_for()
        page.get_by_text("80 °C still in: steeping").wait_for()
        others = page.get_by_role("list", name="Other notes that still have it")
        expect(others.get_by_role("listitem")).to_have_count(1)
        others.get_by_role("button", name="Put 75 °C there").click()
        others.get_by_text("mended").wait_for()
        assert text_of(vault, "steeping") == TEA["steeping.md"].replace("80 °C", "75 °C")
        called(origin(page), "set_content", name="green tea", content="70 °C", old="75 °C")
        review_of(page)
        theirs = page.get_by_role("article").first
        theirs.get_by_role("button", name="Put 70 °C there").click()
        theirs.get_by_text("mended").wait_for()
        assert not faults(page)
    assert text_of(vault, "steeping") == TEA["steeping.md"].replace("80 °C", "70 °C")
    assert text_of(vault, "oven") == TEA["oven.md"]
