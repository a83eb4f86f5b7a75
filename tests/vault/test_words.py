"""What an edit did, in words."""

from typing import Any

import pytest

from zkmem.vault.journal.log import Change, Edit, Pair, client_name, client_version
from zkmem.vault.journal.words import as_title, happened, in_words, with_number

WRITE, NEW, GONE = Change("a.md", "1", "2"), Change("b.md", None, "3"), Change("c.md", "4", None)
MOVE, RELINK = Change("a.md", "1", "1", "x/b.md"), Change("z.md", "5", "6")
TRASH, BACK = Change("a.md", "1", "1", ".trash/a.md"), Change(".trash/a.md", "1", "1", "a.md")


def edit(*changes: Change, tool: str = "set_content", undoes: tuple[int, ...] = ()) -> Edit:
    return Edit(7, 0.0, tool, "", changes, undoes)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (edit(WRITE), "changed a"),
        (edit(NEW, WRITE), "created b, changed a"),
        (edit(GONE), "deleted c"),
        (edit(MOVE, RELINK), "renamed a to x/b"),
        (edit(MOVE, NEW), "renamed a to x/b, created b"),
        (edit(TRASH, RELINK), "deleted a, changed z"),
        (edit(BACK), "restored a"),
        (edit(Change(".trash/a.md", "1", None)), "changed nothing"),
        (edit(Change("p.png", None, "1")), "created p.png"),
        (edit(*(Change(f"{at}.md", "1", "2") for at in range(5))), "changed 0, 1, 2 and 2 more"),
        (edit(WRITE, undoes=(3,), tool="undo"), "undid edit 3: changed a"),
        (edit(WRITE, undoes=(3, 4, 5, 6), tool="undo"), "undid edits 3, 4, 5 and 1 more: changed a"),
        (edit(WRITE, undoes=(6,), tool="redo"), "undid the undo 6: changed a"),
        (edit(TRASH, WRITE)._replace(merged=(Pair("a.md", "b.md"),)), "merged a into b"),
        (edit(TRASH, WRITE, RELINK)._replace(merged=(Pair("a.md", "b.md"),)), "merged a into b"),
        (edit(NEW, GONE, WRITE), "deleted c, created b, changed a"),
        (edit(NEW, WRITE)._replace(extracted=(Pair("a.md", "b.md"),)), "extracted b from a"),
        (edit(WRITE)._replace(outside="hand", more=4), "changed a and 4 more"),
    ],
)
def test_an_edit_is_said_in_words(made: Edit, words: str) -> None:
    assert in_words(made) == words


def test_what_is_overwritten_comes_before_what_is_changed() -> None:
    assert in_words(edit(NEW, Change("z.md", "5", "6"), WRITE), {"a.md"}) == "overwrote a, created b, changed z"


@pytest.mark.parametrize(
    ("kinds", "more", "words"),
    [
        (["deleted"], {"gone": 1}, "deleted: 1 word gone"),
        (["overwritten", "merged"], {"gone": 9, "merged": ["a", "b"]}, "overwritten: 9 words gone; merged from a, b"),
        (["extracted"], {"extracted": list("abcde"), "gone": 3}, "extracted to a, b, c and 2 more"),
        (["renamed", "changed"], {"was": "tea", "times": 2}, "renamed from tea; changed 2 times"),
        (["changed"], {"times": 10, "is_appended": True}, "appended 10 times"),
        (["created"], {"times": 3}, "created"),
        (["relinked"], {}, "relinked"),
    ],
)  # fmt: skip
def test_what_happened_to_a_note_is_said_in_words(kinds: list[str], more: dict[str, Any], words: str) -> None:
    assert happened(kinds, **more) == words


def test_a_client_has_a_name_and_a_version() -> None:
    names = ["claude-code 2.1.330", "ann: codex v0.46.0-beta.1+x", "command line", "page", "", "2.1", "Studio Code"]
    assert [client_name(one) for one in names] == [
        "claude-code", "ann: codex", "command line", "page", "", "2.1", "Studio Code",
    ]  # fmt: skip
    assert client_version(*names) == "2.1.330, v0.46.0-beta.1+x"


def test_a_title_begins_with_a_capital_and_a_list_has_the_number() -> None:
    assert as_title(edit(MOVE)) == "Renamed a to x/b"
    assert with_number(edit(MOVE)) == "7: renamed a to x/b"
