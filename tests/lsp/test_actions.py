"""Code actions in an editor: quick fixes of links, extraction, merges, and links made of names."""

import pathlib

import pytest
from lsprotocol import types

from tests.tools.language_client import EVERYTHING, LanguageClient
from tests.tools.language_connection import RequestRefused
from tests.tools.vaults import Files, read, write
from zkmem.memory import Memory

FILES: Files = {
    "s.md": "See [[Vue component]] and [[twin]], [[Vue components#Usag]] or [[Vue components#^notee-1]].\r\n\r\n"
    "## A part: with /marks\r\n\r\nfirst words of [[twin|a]] **text** 😀 and more\r\n\r\nVue components\r\n",
    "Vue components.md": "# Usage\n\ntext ^note-1\n",
    "a/twin.md": "one\n",
    "b/twin.md": "two\n",
}


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    return pathlib.Path(write(tmp_path / "vault", {**FILES, ".zkmem/config.toml": ""}))


def notes(root: str | pathlib.Path) -> dict[str, bytes]:
    return {path: data for path, data in read(root, hidden=True).items() if not path.startswith(".zkmem/")}


def text(root: pathlib.Path, path: str) -> str:
    return read(root)[path].decode()


def test_a_link_to_nothing_is_mended_by_the_nearest_name_or_a_new_note(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        editor.show("s.md")
        offers = editor.actions_at("s.md", "[[Vue")
        assert list(offers) == ["Create the note 'Vue component'", "Link to 'Vue components'"]
        assert all(one.kind == types.CodeActionKind.QuickFix and one.edit is None for one in offers.values())
        assert offers["Link to 'Vue components'"].is_preferred
        editor.choose(offers["Create the note 'Vue component'"])
        assert text(root, "Vue component.md") == ""
        editor.choose(offers["Link to 'Vue components'"])
        assert editor.texts[editor.uri("s.md")].startswith("See [[Vue components|Vue component]] and")


def test_an_alias_is_mended_by_the_note_that_has_it(root: pathlib.Path) -> None:
    (root / "Other.md").write_text("---\naliases: [vue component]\n---\n")
    with Memory(str(root), durable=False) as memory:
        memory.load_search()
    with LanguageClient(root) as editor:
        editor.show("s.md")
        editor.choose(editor.actions_at("s.md", "[[Vue")["Link to 'Other'"])
        assert editor.texts[editor.uri("s.md")].startswith("See [[Other|Vue component]] and")


def test_an_alias_that_is_mistyped_is_mended_by_the_note_that_has_it(root: pathlib.Path) -> None:
    (root / "Other.md").write_text("---\naliases: [unrelated, Kubernetes Guide, kubernetes guides]\n---\n")
    with Memory(str(root), durable=False) as memory:
        memory.load_search()
    with LanguageClient(root) as editor:
        editor.show("s.md", "[[Kubernets guide]] [[Kubrick]]\n")
        offers = editor.actions_at("s.md", "[[Kubern")
        assert list(offers) == ["Create the note 'Kubernets guide'", "Link to 'Other'"]
        assert "Link to 'Other'" not in editor.actions_at("s.md", "[[Kubri")
        editor.choose(offers["Link to 'Other'"])
        assert editor.texts[editor.uri("s.md")].startswith("[[Other|Kubernets guide]]")


def test_the_links_of_a_note_that_was_never_saved_can_be_mended(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        editor.show("a/new.md", "[[Vue component]], [[Vue components#Nothing]]")
        editor.choose(editor.actions_at("a/new.md", "[[Vue")["Link to 'Vue components'"])
        assert editor.texts[editor.uri("a/new.md")].startswith("[[Vue components|Vue component]], ")
        assert not (root / "a/new.md").exists()


def test_a_note_that_was_never_saved_is_saved_before_it_is_merged(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        editor.show("new.md", "[[Vue components]]")
        with pytest.raises(RequestRefused, match="save it first"):
            editor.choose(editor.actions_at("new.md", "[[Vue")["Merge this note into 'Vue components'"])


def test_an_ambiguous_link_can_get_the_path_of_each_note(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        editor.show("s.md")
        offers = editor.actions_at("s.md", "[[twin", only=["quickfix"])
        assert {title: one.is_preferred for title, one in offers.items()} == {
            "Link to 'a/twin'": True,
            "Link to 'b/twin'": None,
        }
        editor.choose(offers["Link to 'b/twin'"])
        assert "[[b/twin]], [[Vue" in editor.texts[editor.uri("s.md")]


def test_a_link_to_a_missing_part_is_mended_by_the_nearest_one(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        editor.show("s.md")
        editor.choose(editor.actions_at("s.md", "#Us")["Link to '#Usage'"])
        editor.choose(editor.actions_at("s.md", "#^n")["Link to '#^note-1'"])
        assert "[[Vue components#Usage]] or [[Vue components#^note-1]]" in editor.texts[editor.uri("s.md")]


def test_an_action_carries_the_diagnostic_that_it_mends(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        uri = editor.show("s.md")
        faults = editor.diagnostics(uri)
        assert [one.code for one in faults] == ["missing", "ambiguous", "missing-heading", "missing-block", "ambiguous"]
        for fault in faults:
            params = types.CodeActionParams(
                types.TextDocumentIdentifier(uri), fault.range, types.CodeActionContext(faults, only=["quickfix"])
            )
            offers = editor.ask(types.TEXT_DOCUMENT_CODE_ACTION, params)
            assert offers
            assert [one.diagnostics for one in offers] == [(fault,)] * len(offers)


def test_a_selection_is_extracted_as_the_tool_does(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    other = write(tmp_path / "other", FILES)
    passage = "## A part: with /marks\r\n\r\nfirst words of [[twin|a]] **text** 😀 and more\r\n"
    with LanguageClient(root) as editor:
        editor.show("s.md")
        offer = editor.actions("s.md", passage, only=["refactor"])["Extract to the note 'A part with marks'"]
        assert offer.kind == types.CodeActionKind.RefactorExtract
        editor.choose(offer)
        editor.save()
        Memory(other, durable=False).extract("s", passage.strip().replace("\r\n", "\n"), "A part with marks")
        assert read(root) == read(other)
        assert "Extract to the note 'first words of a text 😀'" not in editor.actions("s.md", "and [[twin]]")
        with pytest.raises(RequestRefused, match="has changed since this was offered"):
            editor.choose(offer)


def test_a_passage_without_words_gets_a_name_that_is_free(root: pathlib.Path) -> None:
    (root / "Extract.md").write_text("")
    with LanguageClient(root) as editor:
        editor.show("s.md", "a ??? b")
        assert list(editor.actions("s.md", "???")) == ["Extract to the note 'Extract 1'"]
        assert list(editor.actions("s.md", " ")) == []


def test_a_note_is_merged_into_the_one_of_a_link_as_the_tool_does(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    other = write(tmp_path / "other", FILES)
    with LanguageClient(root) as editor:
        editor.show("a/twin.md")
        offers = editor.actions_at("a/twin.md", "one")
        assert list(offers) == ["Merge this note into 'b/twin'"]
        editor.choose(offers["Merge this note into 'b/twin'"])
        Memory(other, durable=False).rename("a/twin", "b/twin", merge=True)
        assert notes(root) == notes(other)
        editor.show("s.md")
        assert list(editor.actions_at("s.md", "[[Vue components", only=["refactor"])) == [
            "Merge this note into 'Vue components'"
        ]


def test_a_selected_name_of_a_note_becomes_a_link(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        editor.show("s.md")
        uri = editor.uri("s.md")
        editor.open(uri, editor.texts[uri].replace("Vue components\r\n", "😀 vue components\r\n"), 2)
        offers = editor.actions("s.md", "vue components")
        editor.choose(offers["Make it a link to 'Vue components'"])
        assert editor.texts[uri].endswith("😀 [[Vue components|vue components]]\r\n")


def test_conflicts_with_one_title_are_each_shown_at_their_place(root: pathlib.Path) -> None:
    callout = "> [!conflict] Also written on laptop, 2026-11-22 10:14\n> White.\n"
    (root / "s.md").write_text(f"Black.\n\n{callout}\nGreen.\n\n{callout}")
    with LanguageClient(root) as editor:
        assert [fault.range.start.line for fault in editor.diagnostics(editor.show("s.md"))] == [2, 7]
    [found] = [one for one in Memory(str(root)).check() if one.kind == "conflict"]
    assert found.detail.startswith("2 callouts 'Also written on laptop")


def test_a_conflict_is_decided(root: pathlib.Path) -> None:
    callout = "> [!conflict] Also written on laptop, 2026-11-22 10:14\n> White.\n"
    (root / "s.md").write_text(f"---\nx: 1\n---\nBlack.\n\n{callout}\nEnd.\n")
    with LanguageClient(root) as editor:
        uri = editor.show("s.md")
        (fault,) = editor.diagnostics(uri)
        context = types.CodeActionContext([fault], only=["quickfix"])
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), fault.range, context)
        offers = {one.title: one for one in editor.ask(types.TEXT_DOCUMENT_CODE_ACTION, params)}
        assert [one.diagnostics for one in offers.values()] == [(fault,)] * 2
        kept, used = (editor.ask(types.CODE_ACTION_RESOLVE, one) for one in offers.values())
        before = editor.texts[uri]
        editor.carry_out(kept.edit)
        assert editor.texts[uri] == "---\nx: 1\n---\nBlack.\n\nEnd.\n"
        editor.open(uri, before, 1)
        editor.carry_out(used.edit)
        assert editor.texts[uri] == "---\nx: 1\n---\nWhite.\n\nEnd.\n"
        assert not editor.actions_at("s.md", "End", only=["quickfix"])


def test_a_client_that_does_not_resolve_actions_gets_them_with_their_edits(root: pathlib.Path) -> None:
    simple = types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities())
    with LanguageClient(root, simple) as editor:
        editor.show("s.md")
        offers = editor.actions_at("s.md", "[[Vue")
        assert list(offers) == ["Link to 'Vue components'"]  # it cannot create files
        assert offers["Link to 'Vue components'"].edit.changes
        editor.choose(offers["Link to 'Vue components'"])
        assert "[[Vue components|Vue component]]" in editor.texts[editor.uri("s.md")]


def test_an_action_that_is_none_of_ours_is_refused(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        for data in (None, {}, {"change": "x"}, {"change": "merge", "path": "../x", "arguments": ["../y"]}, [1]):
            with pytest.raises(RequestRefused):
                editor.ask(types.CODE_ACTION_RESOLVE, types.CodeAction("x", data=data))
        assert editor.server.code_action_provider
    assert notes(root) == {path: str(data).encode() for path, data in FILES.items()}


def test_nothing_is_offered_of_kinds_that_are_not_wanted(root: pathlib.Path) -> None:
    with LanguageClient(root, EVERYTHING) as editor:
        editor.show("s.md")
        assert not editor.actions_at("s.md", "[[Vue", only=["source"])
        assert not editor.actions("s.md", "first words", only=["refactor.inline"])
        assert editor.actions("s.md", "first words", only=["refactor.extract"])
