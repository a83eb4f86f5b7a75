"""Hover, definition, references, links, symbols and folding."""

import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from lsprotocol import types

from tests.tools.language_connection import until
from tests.tools.lsp_process import Client, client_of, marked, uri_of
from tests.tools.vaults import write

A = """---
up: '[[b]]'
---
# A

See [[b#Two]], [[zz]] and [x](topics/c.md#deep-part).[^1]

- one
- two ^blk

> [!note]
> x
> y

```py
a
b
```

[^1]: foot
"""
NOTES = {
    "a.md": A,
    "b.md": "# B\n\n## Two\n\nText [[a]] <img src=http://e/x> [l](command:x) ![i](http://e/x.png)\n\n"
    "## Three\n\n[[a#^blk]] [[zz]]\n",
    "topics/c.md": "---\naliases: [Sea]\n---\n# C\n\n## Deep part\n\n[[a]] [[b]] [[dup]]\n",
    "one/dup.md": "first",
    "two/dup.md": "second",
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    tree = types.DocumentSymbolClientCapabilities(hierarchical_document_symbol_support=True)
    declared = types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(document_symbol=tree))
    with client_of(write(tmp_path_factory.mktemp("reading") / "vault", NOTES), declared) as client:
        yield client


def about(client: Client, path: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(uri_of(client.folder, path))


def ask_at(client: Client, method: str, path: str, before: str, **more: Any) -> Any:
    """Return the answer about the place after a text in a note of the table."""
    _, place = marked(NOTES[path].replace(before, before + "¦", 1))
    return client.ask(
        method, {"textDocument": {"uri": uri_of(client.folder, path)}, "position": vars_of(place), **more}
    )


def vars_of(place: types.Position) -> dict[str, int]:
    return {"line": place.line, "character": place.character}


def places(client: Client, found: list[types.Location]) -> list[tuple[str, int]]:
    """Return the path and the line of each place."""
    return [(one.uri.removeprefix(uri_of(client.folder, "")).lstrip("/"), one.range.start.line) for one in found]


@pytest.mark.parametrize(
    ("path", "before", "wanted"),
    [
        ("a.md", "[[b#T", [("b.md", 2)]),
        ("a.md", "up: '[[b", [("b.md", 0)]),
        ("a.md", "(topics/c.md", [("topics/c.md", 5)]),
        ("a.md", "[[zz", []),
        ("a.md", "[^1", [("a.md", 19)]),
        ("b.md", "[[a#^", [("a.md", 8)]),
        ("topics/c.md", "[[du", [("one/dup.md", 0), ("two/dup.md", 0)]),
    ],
)
def test_a_link_leads_to_its_note_and_its_part(
    client: Client, path: str, before: str, wanted: list[tuple[str, int]]
) -> None:
    assert places(client, ask_at(client, types.TEXT_DOCUMENT_DEFINITION, path, before)) == wanted


@pytest.mark.parametrize(
    ("path", "before", "wanted"),
    [
        ("a.md", "# A", [("b.md", 4), ("b.md", 8), ("topics/c.md", 7)]),
        ("a.md", "- one", [("b.md", 4), ("b.md", 8), ("topics/c.md", 7)]),
        ("a.md", "^bl", [("b.md", 8)]),
        ("a.md", "[[zz", [("a.md", 5), ("b.md", 8)]),
        ("b.md", "## Tw", [("a.md", 5)]),
        ("topics/c.md", "## Deep", [("a.md", 5)]),
        ("a.md", "[[b", [("a.md", 1), ("a.md", 5), ("topics/c.md", 7)]),
    ],
)
def test_references_are_all_links_to_what_stands_there(
    client: Client, path: str, before: str, wanted: list[tuple[str, int]]
) -> None:
    found = ask_at(client, types.TEXT_DOCUMENT_REFERENCES, path, before, context={"includeDeclaration": False})
    assert sorted(places(client, found)) == wanted


LABELS = """é [text][Two  of B], [c][] and [c], ![p][c] `[c]` [no][none] [web][w]

[two of b]: b.md#Two
[c]: topics/c.md
[w]: https://e.org
"""


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("[te", ("b.md", 2)), ("[text][Tw", ("b.md", 2)), ("[c][", ("topics/c.md", 0)), ("and [", ("topics/c.md", 0)),
        ("![p", ("topics/c.md", 0)), ("`[", None), ("[no][n", None), ("[web", None), ("[two of b]: b", ("b.md", 2)),
    ],
)  # fmt: skip
def test_a_link_by_a_label_leads_where_its_definition_does(
    client: Client, before: str, wanted: tuple[str, int] | None
) -> None:
    text, place = marked(LABELS.replace(before, before + "¦", 1))
    at = {"textDocument": {"uri": client.open("labels.md", text).uri}, "position": vars_of(place)}
    assert places(client, client.ask(types.TEXT_DOCUMENT_DEFINITION, at)) == ([wanted] if wanted else [])
    hover = client.ask(types.TEXT_DOCUMENT_HOVER, at)
    assert (hover is not None) == (wanted is not None)
    if wanted and "]:" not in before:
        assert hover.range.start.line == hover.range.end.line == 0
        assert hover.range.start < place <= hover.range.end
        found = client.ask(types.TEXT_DOCUMENT_REFERENCES, at | {"context": {"includeDeclaration": True}})
        assert places(client, found)[0] == wanted
        assert ("labels.md", 2 if wanted[0] == "b.md" else 3) in places(client, found)
    client.notify(types.TEXT_DOCUMENT_DID_CLOSE, types.DidCloseTextDocumentParams(about(client, "labels.md")))


def test_references_of_a_tag_are_its_uses_and_those_of_tags_in_it(client: Client) -> None:
    text = (
        "---\ntags: [x, red/deep, 'Red']\n---\n# T #other\n\né #red, **#rEd** `#red` #redder\n\n- x\n\t- #red/deep/er\n"
    )
    uri = client.open("tags.md", text).uri
    write(client.folder, {"one/tagged.md": "---\ntag: '#red, blue'\n---\n#blue\n"})
    client.notify(types.WORKSPACE_DID_CREATE_FILES,
                  types.CreateFilesParams([types.FileCreate(uri_of(client.folder, "one/tagged.md"))]))  # fmt: skip

    def uses(before: str) -> list[tuple[str, int, int, int]]:
        _, place = marked(text.replace(before, before + "¦", 1))
        about = {"textDocument": {"uri": uri}, "position": vars_of(place), "context": {"includeDeclaration": True}}
        found = client.ask(types.TEXT_DOCUMENT_REFERENCES, about)
        spans = ((one.range.start, one.range.end) for one in found)
        return [(path, line, start.character, end.character)
                for (path, line), (start, end) in zip(places(client, found), spans, strict=True)]  # fmt: skip

    mine = [("tags.md", 1, 10, 18), ("tags.md", 1, 21, 24), ("tags.md", 5, 2, 6), ("tags.md", 5, 10, 14)]
    nested = ("tags.md", 8, 3, 15)
    until(lambda: uses("é #r") == [*mine, nested, ("one/tagged.md", 1, 6, 10)])
    assert uses("'Re") == uses("é #r")
    assert uses("red/de") == [mine[0], nested]
    assert uses("#other") == [("tags.md", 3, 4, 10)]
    (pathlib.Path(client.folder) / "one/tagged.md").unlink()
    client.notify(types.TEXT_DOCUMENT_DID_CLOSE, types.DidCloseTextDocumentParams(about(client, "tags.md")))


def test_a_list_of_references_that_is_cut_says_so(client: Client) -> None:
    uri = client.open("many.md", "[[b]]\n" * 1_001).uri
    at = {
        "textDocument": {"uri": uri},
        "position": {"line": 0, "character": 3},
        "context": {"includeDeclaration": False},
    }
    assert len(client.ask(types.TEXT_DOCUMENT_REFERENCES, at)) == 1_000
    shown = client.notice(types.WINDOW_SHOW_MESSAGE)["message"]
    assert shown == "zkmem shows 1,000 references; there may be more."
    client.notify(types.TEXT_DOCUMENT_DID_CLOSE, types.DidCloseTextDocumentParams(about(client, "many.md")))


def test_references_count_the_links_of_a_text_that_is_not_saved(client: Client) -> None:
    client.open("draft.md", "\n\n[[b#three]]")
    found = ask_at(client, types.TEXT_DOCUMENT_REFERENCES, "b.md", "## Three", context={"includeDeclaration": True})
    assert places(client, found) == [("b.md", 6), ("draft.md", 2)]
    client.notify(types.TEXT_DOCUMENT_DID_CLOSE, types.DidCloseTextDocumentParams(about(client, "draft.md")))


def test_hover_shows_a_note_and_those_that_it_links_to_and_nothing_in_it_acts(client: Client) -> None:
    hover = ask_at(client, types.TEXT_DOCUMENT_HOVER, "a.md", "up: '[[b")
    shown = hover.contents.value.replace("\u2060", "")
    assert shown.startswith("**b**\n\n# B\n\n## Two\n\nText [[a]] ")
    assert "\n\n> [[a]]\n>\n> # A\n>\n> See [[b#Two]], [[zz]] and [x](topics/c.md#deep-part).[^1]\n" in shown
    assert shown.count("> - two ^blk") == 1
    for mark in ("]]start", "]]end", "(Cut here", "get_content", "\n\n\n"):
        assert mark not in shown
    assert hover.range == types.Range(types.Position(1, 5), types.Position(1, 10))
    part = ask_at(client, types.TEXT_DOCUMENT_HOVER, "a.md", "(topics/c").contents.value
    assert part.startswith("**topics/c**\n\n## Deep part")
    assert "Links to it: 2 notes" in ask_at(client, types.TEXT_DOCUMENT_HOVER, "a.md", "[[z").contents.value
    assert ask_at(client, types.TEXT_DOCUMENT_HOVER, "a.md", "# A") is None


def test_hover_has_no_marks_for_a_model(client: Client) -> None:
    long = "".join(f"word {number}\n\n" for number in range(2_000))
    write(client.folder, {"long.md": long, "embeds.md": "A\n\n![[long]]\n\n![[b]]start\n\nsee [[long#x]] on"})
    text, place = marked("See [[embeds¦]].")
    at = {"textDocument": {"uri": client.open("odd.md", text).uri}, "position": vars_of(place)}
    until(lambda: client.ask(types.TEXT_DOCUMENT_DEFINITION, at))
    shown = client.ask(types.TEXT_DOCUMENT_HOVER, at).contents.value.replace("\u2060", "")
    assert shown.startswith("**embeds**\n\nA\n\n> [[long]]\n>\n> word 0\n>\n> word 1\n")
    assert shown.endswith("\n>\n> …\n\n![[b]]start\n\nsee [[long#x]] on")
    assert "get_content" not in shown
    for path in ("long.md", "embeds.md"):
        (pathlib.Path(client.folder) / path).unlink()
    client.notify(types.TEXT_DOCUMENT_DID_CLOSE, types.DidCloseTextDocumentParams(about(client, "odd.md")))


def test_links_of_a_document_lead_to_the_line_of_a_heading(client: Client) -> None:
    links = client.ask(types.TEXT_DOCUMENT_DOCUMENT_LINK, types.DocumentLinkParams(about(client, "a.md")))
    resolved = [one if one.target else client.ask(types.DOCUMENT_LINK_RESOLVE, one) for one in links]
    root = uri_of(client.folder, "")
    wanted = ["/b.md", "/b.md#L3", "/topics/c.md#L6"]
    assert [one.target.removeprefix(root.rstrip("/")) for one in resolved] == wanted


def test_symbols_are_the_tree_of_headings_with_their_blocks(client: Client) -> None:
    symbols = client.ask(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams(about(client, "b.md")))
    assert [(one.name, [inner.name for inner in one.children]) for one in symbols] == [("B", ["Two", "Three"])]
    (top,) = client.ask(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams(about(client, "a.md")))
    assert [one.name for one in top.children] == ["^blk"]
    for one in (top, *top.children, *symbols, *symbols[0].children):
        inner, outer = one.selection_range, one.range
        assert (outer.start.line, outer.start.character) <= (inner.start.line, inner.start.character)
        assert (inner.end.line, inner.end.character) <= (outer.end.line, outer.end.character)


def test_notes_aliases_and_headings_are_found_in_the_vault(client: Client) -> None:
    def found(text: str) -> set[tuple[str, str]]:
        symbols = client.ask(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams(text))
        return {(one.name, one.location.uri.removeprefix(uri_of(client.folder, "")).lstrip("/")) for one in symbols}

    assert found("c") == {("topics/c", "topics/c.md"), ("C", "topics/c.md")}
    assert found("sea") == {("Sea", "topics/c.md")}
    assert found("deep") == {("Deep part", "topics/c.md")}


def test_symbols_are_found_by_words_in_any_order_and_by_their_letters(tmp_path: pathlib.Path) -> None:
    notes = {
        "decision log.md": "---\naliases: [Book of choices]\n---\n## Where it began\n",
        "dead clog.md": "", "log of decisions.md": "", "decl.og.md": "", "declog.md": "",
        "other.md": "# Deciding by logs\n",
    }  # fmt: skip
    with client_of(write(tmp_path, notes)) as client:

        def found(text: str) -> list[str]:
            return [one.name for one in client.ask(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams(text))]

        assert found("declog") == ["declog", "decl.og", "dead clog", "decision log", "Deciding by logs"]
        assert found("log decision") == ["decision log", "log of decisions"]
        assert found("log decid") == ["Deciding by logs"]
        assert found("choices book") == ["Book of choices"]
        assert found("bchoi") == ["Book of choices"]
        assert found("began where") == found("whbeg") == ["Where it began"]
        assert found("100%") == found("x_y") == found("[^") == []


def test_a_list_of_symbols_that_is_cut_says_so(tmp_path: pathlib.Path) -> None:
    with client_of(write(tmp_path, {f"note {number}.md": "" for number in range(51)})) as client:
        assert len(client.ask(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams("note"))) == 50
        text = "zkmem shows only the first 50 notes, aliases and headings for 'note'."
        assert client.notice(types.WINDOW_LOG_MESSAGE)["message"] == text


def test_a_text_that_is_very_long_is_looked_for_by_its_beginning(client: Client) -> None:
    found = client.ask(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams("sea" + " " * 300 + "a " * 200_000))
    assert [one.name for one in found] == ["Sea"]


def test_sections_callouts_and_long_code_can_be_folded(client: Client) -> None:
    ranges = client.ask(types.TEXT_DOCUMENT_FOLDING_RANGE, types.FoldingRangeParams(about(client, "a.md")))
    assert [(one.start_line, one.end_line) for one in ranges] == [(0, 2), (3, 19), (10, 12), (14, 17)]


def test_a_client_that_declares_nothing_gets_ranges_and_a_flat_list(client: Client) -> None:
    with client_of(client.folder) as plain:
        (deep,) = plain.ask(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams("deep"))
        assert deep.location.range == types.Range(types.Position(5, 0), types.Position(5, 12))
        for one in plain.ask(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams("dup")):
            assert one.location.range.start == types.Position(0, 0)
        symbols = plain.ask(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams(about(plain, "b.md")))
        assert [(one.name, one.location.range.start.line) for one in symbols] == [("B", 0), ("Two", 2), ("Three", 6)]


def test_a_heading_of_the_vault_is_found_where_it_is_in_a_text_that_is_not_saved(client: Client) -> None:
    client.open("topics/c.md", "é\n\n\n\n## Deep part\n")
    (found,) = client.ask(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams("deep"))
    assert found.location.range.start.line == 4
    client.notify(types.TEXT_DOCUMENT_DID_CLOSE, types.DidCloseTextDocumentParams(about(client, "topics/c.md")))
