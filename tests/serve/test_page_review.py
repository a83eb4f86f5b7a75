"""The review in a real browser: what others did, what the person keeps, and what is taken back."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.serve.test_page_notes import NOTES, at, edit, origin, save, text_of
from tests.tools.browser import called, expect, faults, faults_in_both, needs_browser, opened, served, until
from tests.tools.story import DELETED, EDITS, OVERWRITTEN, story
from tests.tools.vaults import read, write
from zkmem.memory import Memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = [pytest.mark.browser, needs_browser]


@pytest.fixture
def vault(tmp_path: Path) -> str:
    return write(tmp_path / "vault", NOTES)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the vault of the day with 46 edits."""
    folder = tmp_path_factory.mktemp("story") / "vault"
    story(folder)
    return folder


def review_of(page: "Page") -> "Locator":
    page.goto(origin(page) + "#/review")
    return page.locator(".sentence")


def line(page: "Page", note: str) -> "Locator":
    """The line of a note in the brief."""
    return page.locator(".line", has=page.locator(f'.line-note:text-is("{note}")'))


def opened_line(page: "Page", note: str) -> "Locator":
    found = line(page, note)
    found.locator("[data-row]").click()
    found.get_by_role("region", name=note, exact=True).wait_for()
    return found


def sitting(page: "Page", words: str) -> None:
    """Open a sitting, which the list of all sittings describes with these words."""
    all_sittings = page.locator(".sittings-section")
    if not all_sittings.evaluate("details => details.open"):
        all_sittings.locator("summary").click()
    page.get_by_role("list", name="All sittings").get_by_role("link", name=words).click()
    page.get_by_role("link", name="Show everything new").wait_for()


def test_what_a_model_writes_is_told_with_its_words_and_marked_as_seen(browser: "Browser", vault: str) -> None:
    with at(browser, vault) as page:
        sentence = review_of(page)
        page.get_by_text("No tool has edited this vault yet.").wait_for()
        called(origin(page), "set_content", name="topics/React", content="a shape", old="a tree")
        called(origin(page), "set_content", name="topics/Hooks", content="Used in [[React]].\n")
        expect(sentence).to_contain_text("2 edits since")
        expect(sentence.get_by_role("link")).to_have_text(["1 note created", "1 changed", "Replay on the map"])
        page.get_by_role("link", name="Review (2)").wait_for()
        react = opened_line(page, "topics/React")
        expect(react.locator(".changed del")).to_have_text("tree")
        expect(react.locator(".changed ins")).to_have_text("shape")
        hooks = opened_line(page, "topics/Hooks")
        expect(hooks.get_by_role("link", name="React", exact=True)).to_be_visible()
        assert not faults(page)
        page.get_by_role("button", name="Mark all 2 as seen").click()
        expect(sentence).to_have_text("Nothing new since you last looked.")
        expect(sentence).to_be_focused()
        page.get_by_role("link", name="Review", exact=True).wait_for()
        page.get_by_role("button", name="Undo", exact=True).click()
        expect(sentence).to_contain_text("2 edits since")
        page.get_by_role("link", name="Review (2)").wait_for()
        page.get_by_role("button", name="Mark all 2 as seen").click()
        page.get_by_role("link", name="Review", exact=True).wait_for()
        page.reload()
        sitting(page, "2 edits")
        page.get_by_role("checkbox", name="Seen: topics/React").click()
        page.get_by_role("link", name="Review (1)").wait_for()
        opened_line(page, "topics/React").get_by_text("shape").wait_for()


def test_a_day_is_understood_on_one_and_a_half_screens(browser: "Browser", told: Path) -> None:
    size = {"width": 1280, "height": 800}
    with served(str(told)) as url, opened(browser, f"{url}#/note/hint", viewport=size) as page:
        page.get_by_role("link", name=f"Review ({EDITS})").click()
        rows = page.locator(".line [data-row]")
        rows.first.wait_for()
        until(page, f"() => document.querySelector('#panel').scrollHeight <= {1.5 * size['height']}")
        for number, (note, words) in enumerate([(DELETED, "deleted"), (OVERWRITTEN, "overwritten")]):
            expect(rows.nth(number)).to_be_in_viewport()
            expect(rows.nth(number)).to_contain_text(note)
            expect(rows.nth(number)).to_contain_text(words)
        sentence = page.locator(".sentence")
        expect(sentence).to_contain_text(f"2 clients, changes by hand and git pull, {EDITS} edits since")
        expect(sentence.get_by_role("link").first).to_have_text("1 note deleted")
        whole = rows.count()
        sentence.get_by_role("link", name="1 overwritten").click()
        page.wait_for_url("**/#/review?kind=overwritten")
        expect(rows).to_have_count(1)
        page.get_by_role("link", name="codex").click()
        page.wait_for_url("**/#/review?kind=overwritten&client=codex")
        expect(rows).to_have_count(0)
        page.go_back()
        expect(rows).to_have_count(1)
        page.reload()
        expect(rows).to_have_count(1)
        page.get_by_role("link", name="Show everything new").click()
        expect(rows).to_have_count(whole)
        assert not faults_in_both(page)


def test_the_lines_are_read_ticked_and_undone_with_the_keyboard_alone(
    browser: "Browser", told: Path, tmp_path: Path
) -> None:
    vault = shutil.copytree(told, tmp_path / "vault")
    with served(str(vault)) as url, opened(browser, f"{url}#/review") as page:
        rows, keys = page.locator(".line [data-row]"), page.keyboard
        rows.nth(2).wait_for()
        assert page.evaluate("() => document.documentElement.scrollHeight === innerHeight")  # only the panel scrolls
        keys.press("j")
        expect(rows.first).to_be_focused()
        keys.press("j")
        keys.press("k")
        expect(rows.first).to_be_focused()
        keys.press("Enter")
        page.get_by_role("region", name=DELETED).locator("del, .removed").first.wait_for()
        keys.press("x")
        ticked = page.get_by_role("checkbox", name=f"Seen: {DELETED}")
        expect(ticked).to_be_checked()
        expect(rows.first).to_have_attribute("aria-expanded", "false")
        expect(rows.nth(1)).to_be_focused()
        page.get_by_role("link", name=f"Review ({EDITS - 1})").wait_for()
        keys.press("u")
        dialog = page.get_by_role("dialog", name="Undo what was done to this note?")
        dialog.get_by_text("1 note would change").wait_for()
        assert not faults(page, every=True)
        dialog.get_by_role("button", name="Undo", exact=True).click()
        dialog.wait_for(state="detached")
        line(page, OVERWRITTEN).get_by_text("undone").wait_for()
        expect(rows.nth(1)).to_be_focused()
        assert not faults(page)
        keys.press("s")
        expect(page.locator(".sentence")).to_have_text("Nothing new since you last looked.")
        page.get_by_role("link", name="Review", exact=True).wait_for()
        keys.press("?")
        page.get_by_role("heading", name="In the review").wait_for()
    assert len((vault / f"{OVERWRITTEN}.md").read_text()) > 1000


def test_one_edit_in_the_middle_and_one_passage_are_undone_and_the_others_stay(
    browser: "Browser", told: Path, tmp_path: Path
) -> None:
    vault = shutil.copytree(told, tmp_path / "vault")
    before = read(vault)
    with served(str(vault)) as url, opened(browser, f"{url}#/review") as page:
        opened_line(page, "plans/garden").get_by_role("button", name="Undo…", exact=True).click()
        dialog = page.get_by_role("dialog", name="Undo what was done to this note?")
        dialog.get_by_text("1 note would change").wait_for()
        dialog.get_by_role("button", name="Undo", exact=True).click()
        line(page, "plans/garden").get_by_text("undone").wait_for()
        after = read(vault)
        assert b"Everything waits" not in after["plans/garden.md"]
        assert [path for path in before if after.get(path) != before[path]] == ["plans/garden.md"]
        budget = opened_line(page, OVERWRITTEN)
        budget.get_by_role("button", name="Undo this passage…").nth(1).click()
        dialog = page.get_by_role("dialog", name="Undo this passage?")
        dialog.get_by_text("1 note would change").wait_for()
        dialog.get_by_role("button", name="Undo", exact=True).click()
        dialog.wait_for(state="detached")
    now = read(vault)[f"{OVERWRITTEN}.md"]
    assert b"To be done again" in now
    assert len(now) > len(after[f"{OVERWRITTEN}.md"])


def test_a_sitting_is_undone_after_a_look_and_later_edits_stay(browser: "Browser", vault: str) -> None:
    before = read(vault)
    model = Memory(vault).on_behalf(client="model")
    model.write("topics/React", "It has a shape.", old="It has a tree.")
    model.rename("hint", "start")
    model.write("new", "New.\n")
    with at(browser, vault, "#/note/topics%2FReact") as page:
        edit(page, "Mine.")
        save(page)
        review_of(page)
        sitting(page, "model: 3 edits")
        page.get_by_role("button", name="Undo all of this…").click()
        dialog = page.get_by_role("dialog", name="Undo all of this?")
        dialog.get_by_text("notes would").wait_for()
        expect(dialog.get_by_role("heading", name="hint renamed")).to_be_visible()
        dialog.get_by_role("button", name="Undo", exact=True).click()
        dialog.wait_for(state="detached")
        expect(line(page, "new").get_by_text("undone")).to_be_visible()
        expect(page.get_by_role("button", name="Undo all of this…")).to_be_hidden()
    after = read(vault)
    assert after.pop("topics/React.md") == before.pop("topics/React.md") + b"Mine."
    assert after == before


def test_changes_by_hand_are_listed_and_undone(browser: "Browser", vault: str) -> None:
    Memory(vault).on_behalf(client="model").write("new", "New.\n")
    before = text_of(vault, "topics/React")
    with at(browser, vault, "#/review") as page:
        sentence = page.locator(".sentence")
        expect(sentence).to_contain_text("model, 1 edit since")
        Path(vault, "topics/React.md").write_text(before.replace("a tree", "leaves"))
        expect(sentence).to_contain_text("model and changes by hand, 2 edits since")
        by_hand = opened_line(page, "topics/React")
        expect(by_hand.locator(".changed del")).to_have_text("a tree")
        by_hand.get_by_role("button", name="Undo…", exact=True).click()
        dialog = page.get_by_role("dialog", name="Undo what was done to this note?")
        dialog.get_by_role("button", name="Undo", exact=True).click()
        dialog.wait_for(state="detached")
        by_hand.get_by_text("undone").wait_for()
        assert not faults(page)
    assert text_of(vault, "topics/React") == before


def test_an_undo_that_cannot_be_made_says_what_is_in_the_way(browser: "Browser", vault: str) -> None:
    model = Memory(vault).on_behalf(client="model")
    model.write("topics/React", "It has a shape.", old="It has a tree.")
    Memory(vault).on_behalf(client="other").write("topics/React", "It has leaves.", old="It has a shape.")
    with at(browser, vault, expected=("409 (Conflict)",)) as page:
        review_of(page)
        sitting(page, "model: 1 edit")
        page.get_by_role("button", name="Undo all of this…").click()
        dialog = page.get_by_role("dialog", name="Undo all of this?")
        sentence = dialog.get_by_text("has changed the same lines")
        assert sentence.inner_text().startswith(
            "Edit 1 (model) cannot be undone in 'topics/React': edit 2 (other) has changed the same lines. Around "
            "line 4 it has 'It has leaves.'; without the edit it would have 'It has a tree.'. Nothing was undone."
        )
        expect(dialog.get_by_role("button", name="Undo", exact=True)).to_be_disabled()
        sentence.get_by_role("link", name="edit 2", exact=True).click()
        dialog.wait_for(state="detached")
        page.get_by_role("heading", name="Edit 2", exact=True).wait_for()
        row = page.get_by_role("list", name="Edits").get_by_role("button").first
        expect(row).to_contain_text("other")
        expect(page.locator(".revision .body ins")).to_have_text("leaves")
        assert not faults(page)
    assert "leaves" in text_of(vault, "topics/React")


def test_the_rest_of_a_sitting_is_undone_where_a_change_is_in_the_way(browser: "Browser", vault: str) -> None:
    before = read(vault)
    model = Memory(vault).on_behalf(client="model")
    model.write("new", "New.\n")
    model.write("topics/React", "It has a shape.", old="It has a tree.")
    model.write("other", "Other.\n")
    Path(vault, "topics/React.md").write_text(text_of(vault, "topics/React").replace("a shape", "leaves"))
    kept = text_of(vault, "topics/React")
    with at(browser, vault, expected=("409 (Conflict)",)) as page:
        review_of(page)
        sitting(page, "model: 3 edits")
        page.get_by_role("button", name="Undo all of this…").click()
        dialog = page.get_by_role("dialog", name="Undo all of this?")
        dialog.get_by_text("1 edit stays:").wait_for()
        reason = dialog.get_by_role("listitem").first.inner_text()
        assert "cannot be undone in 'topics/React': a change by hand has changed the same lines" in reason
        assert "Nothing was undone" not in reason
        dialog.get_by_role("button", name="Undo the rest", exact=True).click()
        dialog.wait_for(state="detached")
        page.get_by_text("by model, but 1 edit stays.").wait_for()
        page.get_by_role("link", name="Show everything new").click()
        page.locator(".sittings").get_by_text("2 edits undone").wait_for(state="attached")
        assert not faults(page)
    assert read(vault) == before | {"topics/React.md": kept.encode()}


def test_what_one_writes_on_the_page_is_ones_own(browser: "Browser", vault: str) -> None:
    with at(browser, vault, "#/note/hint") as page:
        with page.expect_response("**/api/review*"):
            edit(page, "Typed.")
            save(page)
        assert page.locator(".strip").is_hidden()
        expect(review_of(page)).to_have_text("Nothing new since you last looked.")
        sitting(page, "You: 1 edit")
        expect(page.get_by_role("button", name="as seen")).to_be_hidden()
        page.goto(origin(page) + "#/history")
        page.locator(".history .tag", has_text="you").wait_for()


def test_all_lines_of_a_filter_are_marked_as_seen_however_many_there_are(browser: "Browser", vault: str) -> None:
    memory = Memory(vault)
    memory.on_behalf(client="model 1").delete("topics/React")
    for number in range(220):  # more than the page asks for at once
        memory.on_behalf(client="one" if number < 110 else "two").write(f"new {number}", "Something.\n")
    with at(browser, vault, "#/review?kind=created") as page:
        page.get_by_role("button", name="Mark these 220 as seen").click()
        page.get_by_text("Marked as seen: 220 notes.").wait_for()
        expect(review_of(page)).to_contain_text("1 edit since")
        assert not faults(page)


def test_the_edits_of_one_folder_are_read_where_several_have_edits(browser: "Browser", vault: str) -> None:
    model = Memory(vault).on_behalf(client="model 1")
    for name in ("topics/New", "topics/Newer", "other/New"):
        model.write(name, "Something.\n")
    with at(browser, vault, "#/review") as page:
        page.get_by_label("Lines of a folder").select_option("topics")
        page.wait_for_url("**/#/review?folder=topics")
        expect(page.locator(".line-note")).to_have_text(["topics/Newer", "topics/New"])
        expect(page.get_by_label("Lines of a folder")).to_have_value("topics")
        page.get_by_role("button", name="Mark these 2 as seen").click()
        expect(review_of(page)).to_contain_text("1 edit since")
        expect(page.get_by_label("Lines of a folder")).to_have_count(0)


def test_one_edit_of_the_history_is_undone(browser: "Browser", vault: str) -> None:
    write(vault, {"data.base": "views: []\n"})
    model = Memory(vault).on_behalf(client="model 1")
    model.write("topics/React", "It has a shape.", old="It has a tree.")
    model.write("topics/React", "More.\n", append=True)
    model.rewrite_file("data.base", lambda text: text + "\n")
    with at(browser, vault, "#/history") as page:
        page.locator(".history .row").first.click()
        page.locator(".revision").get_by_role("button", name="data.base", exact=True).wait_for()
        expect(page.locator(".revision").get_by_role("link")).to_have_text(["Edit 3"])
        page.locator(".history .row").nth(2).click()
        page.get_by_role("button", name="Undo this edit…").click()
        dialog = page.get_by_role("dialog", name="Undo this edit?")
        dialog.get_by_text("1 note would").wait_for()
        dialog.get_by_role("button", name="Undo", exact=True).click()
        dialog.wait_for(state="detached")
        expect(page.locator(".revision").get_by_role("link", name="Edit 1", exact=True)).to_be_visible()
        expect(page.locator(".revision .body del")).to_have_text("tree")
        expect(page.get_by_role("button", name="Undo this edit…")).to_be_hidden()
        assert "It has a tree." in text_of(vault, "topics/React")
        assert text_of(vault, "topics/React").endswith("More.\n")
        page.get_by_role("region", name="Messages").get_by_role("button", name="Redo…").click()
        dialog = page.get_by_role("dialog", name="Redo the last undo?")
        expect(dialog.locator(".changed .body ins")).to_have_text("shape")
        dialog.get_by_role("button", name="Redo", exact=True).click()
        page.get_by_text("Redone: ").wait_for()
        assert "It has a shape." in text_of(vault, "topics/React")


def test_the_review_fits_a_phone(browser: "Browser", vault: str) -> None:
    model = Memory(vault).on_behalf(client="a model with a rather long name 1.2.3")
    model.write("a/" + "long" * 40, "- [[topics/React]]\n\n" + "word " * 200)
    with at(browser, vault, "#/review", viewport={"width": 360, "height": 740}, has_touch=True) as page:
        opened_line(page, "a/" + "long" * 40).get_by_text("word word").wait_for()
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
            memory.on_behalf(client=f"client-{number}").write("topics/React", f"Line {number}.\n", append=True)
    with at(browser, vault) as page:
        page.goto(origin(page) + "#/review")
        rows = page.get_by_role("list", name="All sittings").get_by_role("listitem")
        page.locator(".sittings-section summary").click()
        older = page.get_by_role("button", name="Show older ones")
        for shown in (20, 40):
            expect(rows).to_have_count(shown)
            older.click()
        expect(rows).to_have_count(45)
        rows.get_by_role("link", name="client-0: 1 edit").wait_for()
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
        theirs = opened_line(page, "green tea")
        theirs.get_by_role("button", name="Put 70 °C there").click()
        theirs.get_by_text("mended").wait_for()
        assert not faults(page)
    assert text_of(vault, "steeping") == TEA["steeping.md"].replace("80 °C", "70 °C")
    assert text_of(vault, "oven") == TEA["oven.md"]


def test_a_button_with_a_long_name_is_no_wider_than_a_phone(browser: "Browser", tmp_path: Path) -> None:
    with Memory(str(tmp_path)) as memory:
        for client, folder in (("x" * 250, "y" * 200), ("one", "&lt;\u05e9\u05dc")):
            memory.on_behalf(client=client).write(f"{folder}/note", "Tea.\n")
        memory.write("own", "Tea.\n")
    size = {"width": 390, "height": 800}
    with served(str(tmp_path)) as url, opened(browser, f"{url}#/review", viewport=size) as page:
        page.locator(".brief .button").first.wait_for()
        names = {" ".join(name.split()) for name in page.locator(".brief .button").all_inner_texts()}
        assert names == {f"{'x' * 250} 1", "one 1"}
        widths = page.locator(".brief :is(.button, select)").evaluate_all("(all) => all.map((one) => one.offsetWidth)")
        assert max(widths) <= 390  # on a phone, the row of buttons is moved sideways
        expect(page.get_by_label("Lines of a folder")).to_be_in_viewport(ratio=1)
