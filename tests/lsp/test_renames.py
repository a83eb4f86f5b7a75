"""Renames and moves in an editor: of notes, headings, blocks, missing notes and files."""

import pathlib

import pytest
from lsprotocol import types

from tests.tools.editor import Refused
from tests.tools.language_client import LanguageClient
from tests.tools.language_connection import RequestRefused, ServerProcess
from tests.tools.vaults import Files, read, write
from zkmem.memory import Memory

FILES: Files = {
    "a/Old.md": "---\ntitle: Old\n---\n# Old\n\n## A part\n\ntext ^id\n",
    "s.md": "😀 [[Old|x]] [[Old#A part]] [t](a/Old.md#^id) [[Gone]] plain ![[p.png]]\n",
    "closed.md": "[[a/Old]] [[Gone#H]]\r\n",
    "p.png": b"\x89PNG",
}


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    return pathlib.Path(write(tmp_path / "vault", {**FILES, ".zkmem/config.toml": ""}))


def texts(root: pathlib.Path) -> dict[str, str]:
    return {path: data.decode() for path, data in read(root).items() if path.endswith(".md")}


def test_what_can_be_renamed_is_shown_with_its_name(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        editor.show("s.md")
        editor.show("a/Old.md", "# Old\n\nA part\n---\n\nunsaved ^id\n")

        def shown(path: str, wanted: str) -> tuple[str, str] | None:
            answer = editor.prepare(path, wanted)
            if answer is None:
                return None
            lines = editor.texts[editor.uri(path)].encode("utf-16-le").decode("utf-16-le").split("\n")
            line = lines[answer.range.start.line].encode("utf-16-le")
            part = line[2 * answer.range.start.character : 2 * answer.range.end.character].decode("utf-16-le")
            return part, answer.placeholder

        assert shown("s.md", "[[Ol") == ("Old", "Old")
        assert shown("s.md", "Old|x") == ("Old", "Old")
        assert shown("s.md", "#A p") == ("A part", "A part")
        assert shown("s.md", "a/O") == ("a/Old.md", "Old")
        assert shown("s.md", "#^i") == ("^id", "id")
        assert shown("s.md", "Gon") == ("Gone", "Gone")
        assert shown("s.md", "pla") is None
        assert shown("s.md", "[p.p") == ("p.png", "p.png")
        assert shown("a/Old.md", "# O") == ("Old", "Old")
        assert shown("a/Old.md", "A p") == ("A part", "A part")
        assert shown("a/Old.md", "^i") == ("id", "id")
        assert editor.server.rename_provider == types.RenameOptions(prepare_provider=True)


def test_a_note_is_renamed_from_a_link_as_the_tool_does(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    other = write(tmp_path / "other", FILES)
    with LanguageClient(root, server=ServerProcess()) as editor:
        editor.show("s.md")
        editor.rename("s.md", "[[Ol", "New")
        editor.save()
    Memory(other, durable=False).rename("a/Old", "a/New")
    assert read(root) == read(other)


def test_a_note_is_renamed_from_its_title_with_the_title(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        editor.show("a/Old.md")
        editor.rename("a/Old.md", "# Ol", "b/New")
        editor.save()
    assert texts(root) == {
        "b/New.md": "---\ntitle: New\n---\n# New\n\n## A part\n\ntext ^id\n",
        "s.md": "😀 [[New|x]] [[New#A part]] [t](b/New.md#^id) [[Gone]] plain ![[p.png]]\n",
        "closed.md": "[[b/New]] [[Gone#H]]\r\n",
    }


def test_parts_and_missing_notes_are_renamed_with_their_links(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        editor.show("s.md")
        editor.show("a/Old.md")
        editor.rename("s.md", "#A p", "B")
        editor.rename("a/Old.md", "^i", "other")
        editor.rename("s.md", "[[Go", "Found")
        editor.rename("s.md", "[[Fo", "/a/Old")
        editor.save()
    assert texts(root) == {
        "a/Old.md": "---\ntitle: Old\n---\n# Old\n\n## B\n\ntext ^other\n",
        "s.md": "😀 [[Old|x]] [[Old#B]] [t](a/Old.md#^other) [[Old]] plain ![[p.png]]\n",
        "closed.md": "[[a/Old]] [[Old#H]]\r\n",
    }


def test_a_file_that_is_no_note_is_renamed_from_a_link(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        editor.show("s.md")
        for name in ("../q", "q|.png", "/s.md", ""):
            with pytest.raises(RequestRefused):
                editor.rename("s.md", "[p.p", name)
        editor.rename("s.md", "[p.p", "q")
        editor.rename("s.md", "[q.p", "pictures/r.jpg")
        editor.save()
    assert read(root)["pictures/r.jpg"] == FILES["p.png"]
    assert "![[r.jpg]]" in texts(root)["s.md"]


def test_a_name_that_is_not_allowed_is_refused_with_a_sentence(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        editor.show("s.md")
        editor.show("a/Old.md")
        for name in ("../x", "a\0b", "x" * 300, "a|b", "a]]", "", " ", "con", "\udcff", "[[x]]", "x\ny"):
            for place in ("[[Ol", "[[Go"):
                with pytest.raises(RequestRefused, match=r"[.;]"):
                    editor.rename("s.md", place, name)
        with pytest.raises(RequestRefused, match="There is a note 's' already"):
            editor.rename("s.md", "[[Ol", "/s")
        with pytest.raises(RequestRefused, match="cannot be the text of a heading"):
            editor.rename("s.md", "#A p", "x\ny")
        with pytest.raises(RequestRefused, match="cannot have the id"):
            editor.rename("s.md", "#^i", "]]")
        assert editor.prepare("s.md", "[[Ol")
    assert read(root) == read(root) | {path: str(text).encode() for path, text in FILES.items() if path != "p.png"}


def test_a_document_that_changes_meanwhile_keeps_its_text(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor, Memory(str(root), durable=False) as model:
        editor.show("s.md")
        edit = editor.ask(types.TEXT_DOCUMENT_RENAME, types.RenameParams(new_name="New", **editor.at("s.md", "[[Ol")))
        model.rename("a/Old", "a/Else")
        after = texts(root)
        editor.open(editor.uri("s.md"), after["s.md"], 2)  # as an editor does when the file has changed
        with pytest.raises(Refused):
            editor.carry_out(edit)
        assert texts(root) == after
        editor.rename("s.md", "[[El", "New")
        editor.save()
    assert texts(root)["closed.md"] == "[[a/New]] [[Gone#H]]\r\n"


def test_moves_in_the_tree_of_the_editor_update_links_and_the_index(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        editor.show("s.md")
        editor.show("closed.md", "unsaved [[Old]] ![[p.png]]")
        edit = editor.move({"a": "b/c", "p.png": "pictures/q.png"})
        assert edit
        assert not any(isinstance(one, types.RenameFile) for one in edit.document_changes or ())
        assert editor.texts[editor.uri("closed.md")] == "unsaved [[Old]] ![[q.png]]"
        assert "[t](b/c/Old.md#^id)" in editor.texts[editor.uri("s.md")]
        assert editor.prepare("s.md", "[[Ol").placeholder == "Old"
        assert editor.move({"s.md": "S.md", "b": "a"})
        assert "[t](a/c/Old.md#^id)" in editor.texts[editor.uri("S.md")]
        with pytest.raises(RequestRefused, match="exists"):
            editor.move({"S.md": "closed.md"})


def test_a_rename_that_the_client_repeats_as_a_move_changes_nothing_more(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        for path in ("s.md", "closed.md", "a/Old.md"):
            editor.show(path)
        edit = editor.ask(types.TEXT_DOCUMENT_RENAME, types.RenameParams(new_name="New", **editor.at("s.md", "[[Ol")))
        edit.document_changes = [one for one in edit.document_changes if not isinstance(one, types.RenameFile)]
        editor.carry_out(edit)
        assert editor.move({"a/Old.md": "a/New.md"}) is None


def test_a_client_that_asks_about_the_move_of_a_rename_too_early_gets_no_change_twice(root: pathlib.Path) -> None:
    with LanguageClient(root) as editor:
        editor.show("s.md")
        editor.ask(types.TEXT_DOCUMENT_RENAME, types.RenameParams(new_name="New", **editor.at("s.md", "[[Ol")))
        old, new = editor.uri("a/Old.md"), editor.uri("a/New.md")
        asked = types.RenameFilesParams([types.FileRename(old, new)])
        assert editor.ask(types.WORKSPACE_WILL_RENAME_FILES, asked) is None  # Helix has not told of its changes yet
        other = types.RenameFilesParams([types.FileRename(old, f"{new}.md")])
        assert editor.ask(types.WORKSPACE_WILL_RENAME_FILES, other)
        editor.tell(types.WORKSPACE_DID_RENAME_FILES, asked)
        assert editor.ask(types.WORKSPACE_WILL_RENAME_FILES, asked), "a person moves the file now"
