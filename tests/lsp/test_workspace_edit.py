"""Edits in the protocol's form: what an editor makes of them is what the tool does to the files."""

import dataclasses
import pathlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from tests.tools.editor import Editor, Refused, changed
from tests.tools.renames import choose
from tests.tools.vaults import Files, random_files, read, write
from zkmem.errors import CannotInEditor, ZkError
from zkmem.lsp.documents import Document, Documents, Lines
from zkmem.lsp.features import EditorContext
from zkmem.lsp.workspace import Workspace
from zkmem.lsp.workspace_edit import text_edits, workspace_edit
from zkmem.memory import Memory
from zkmem.names import name_of

SEEDS = st.integers(0, 2**32)
EVERYTHING = types.WorkspaceEditClientCapabilities(
    document_changes=True, resource_operations=[*types.ResourceOperationKind]
)


def context(memory: Memory, known: types.WorkspaceEditClientCapabilities | None = EVERYTHING) -> EditorContext:
    client = types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(workspace_edit=known))
    return EditorContext(Workspace(memory, None), Documents(), {}, client, frozenset(), lambda *_: None)


def with_open(about: EditorContext, texts: dict[str, str]) -> EditorContext:
    documents = {about.workspace.uri(path): text for path, text in texts.items()}
    shown = {uri: about.documents.make(uri, text.encode(), 1) for uri, text in documents.items()}
    return EditorContext(about.workspace, about.documents, shown, about.client, frozenset(), about.tell)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_a_rename_by_an_editor_is_a_rename_by_the_tool(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng, folder = random.Random(seed), tmp_path_factory.mktemp("v")
    files: dict[str, str | bytes] = dict(random_files(rng, 10))
    with_bom = rng.choice(sorted(files))
    files[with_bom] = b"\xef\xbb\xbf" + str(files[with_bom]).encode()
    root, other = write(folder / "one", files), write(folder / "other", files)
    old, new = choose(rng, sorted(files))
    about = context(Memory(root, durable=False))
    shown = rng.sample(sorted(path for path in files if path != with_bom), 3)
    about, editor = with_open(about, {path: str(files[path]) for path in shown}), Editor()
    for uri, document in about.open.items():
        editor.open(uri, document.data.decode())
    try:
        edit = workspace_edit(about, about.notes.rename(old, name_of(new), texts=about.texts))
    except ZkError as error:
        with pytest.raises(type(error)):
            Memory(other, durable=False).rename("/" + name_of(old), name_of(new), merge=False)
        return
    editor.carry_out(edit)
    editor.save()
    Memory(other, durable=False).rename("/" + name_of(old), name_of(new), merge=False)
    assert read(root, hidden=True) == read(other, hidden=True)


TEXTS = st.lists(st.sampled_from(["a", "b", "é", "😀", "\n", "\r\n", "\r", " ", "\u2028"]), max_size=30).map("".join)


@settings(max_examples=500, deadline=None)
@given(TEXTS, TEXTS)
def test_the_edits_of_a_text_make_the_new_text(old: str, new: str) -> None:
    document = Document("file:///x", 1, Lines(old.encode(), "utf-16"))
    assert changed(old, text_edits(document, new.encode())) == new


def small(tmp_path: pathlib.Path, files: Files) -> Memory:
    return Memory(write(tmp_path, files), durable=False)


def test_only_the_bytes_of_a_link_change(tmp_path: pathlib.Path) -> None:
    about = context(small(tmp_path, {"old.md": "", "s.md": "one\r\n😀 [[old]] and [[old|x]]\r\nlast"}))
    edit = workspace_edit(about, about.notes.rename("old.md", "new", texts={}))
    assert edit
    assert edit.document_changes
    change, move = edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document == types.OptionalVersionedTextDocumentIdentifier(about.workspace.uri("s.md"), None)
    assert change.edits == [types.TextEdit(types.Range(types.Position(1, 5), types.Position(1, 20)), "new]] and [[new")]
    assert move == types.RenameFile(about.workspace.uri("old.md"), about.workspace.uri("new.md"))


def test_an_open_document_has_its_version_and_its_unsaved_text(tmp_path: pathlib.Path) -> None:
    files = {"old.md": "", "s.md": "saved"}
    about = with_open(context(small(tmp_path, files)), {"s.md": "unsaved [[old]]"})
    edit = workspace_edit(about, about.notes.rename("old.md", "new", texts=about.texts))
    editor = Editor()
    editor.open(about.workspace.uri("s.md"), "typed meanwhile", 2)
    with pytest.raises(Refused):
        editor.carry_out(edit)
    editor.open(about.workspace.uri("s.md"), "unsaved [[old]]", 1)
    editor.carry_out(edit)
    editor.save()
    assert read(tmp_path) == {"new.md": b"", "s.md": b"unsaved [[new]]"}


def test_a_client_that_cannot_rename_files_gets_a_sentence_or_plain_changes(tmp_path: pathlib.Path) -> None:
    m = small(tmp_path, {"old.md": "# H\n", "s.md": "[[old#H]]"})
    for known in (None, types.WorkspaceEditClientCapabilities(document_changes=True, resource_operations=[])):
        about = context(m, known)
        with pytest.raises(CannotInEditor, match=r"cannot .*rename files"):
            workspace_edit(about, about.notes.rename("old.md", "new"))
        with pytest.raises(CannotInEditor, match="cannot create"):
            workspace_edit(about, about.notes.extract("old.md", 0, 3, "new"))
        Editor().carry_out(workspace_edit(about, about.notes.rename_heading("old.md", 0, "New")))
        assert read(tmp_path) == {"old.md": b"# New\n", "s.md": b"[[old#New]]"}
        Editor().carry_out(workspace_edit(about, about.notes.rename_heading("old.md", 0, "H")))


def test_a_client_that_names_only_operations_gets_them(tmp_path: pathlib.Path) -> None:
    neovim = types.WorkspaceEditClientCapabilities(resource_operations=[*types.ResourceOperationKind])
    about = context(small(tmp_path, {"old.md": "", "s.md": "[[old]]"}), neovim)
    editor = Editor()
    editor.carry_out(workspace_edit(about, about.notes.rename("old.md", "new")))
    editor.save()
    assert read(tmp_path) == {"new.md": b"", "s.md": b"[[new]]"}


def test_a_file_that_is_not_utf8_is_not_given_to_an_editor(tmp_path: pathlib.Path) -> None:
    about = context(small(tmp_path, {"old.md": "", "s.md": b"caf\xe9 [[old]]", "t.md": b"caf\xe9"}))
    with pytest.raises(CannotInEditor, match=r"'s\.md' must be changed, too, and is not UTF-8"):
        workspace_edit(about, about.notes.rename("old.md", "new"))
    assert workspace_edit(about, about.notes.rename("t.md", "new"))


def test_a_document_whose_text_is_not_known_is_not_changed(tmp_path: pathlib.Path) -> None:
    about = context(Memory(write(tmp_path, {"n.md": "", "s.md": "[[n]]"}), durable=False))
    about = dataclasses.replace(about, unknown=frozenset({about.workspace.uri("s.md")}))
    with pytest.raises(CannotInEditor, match=r"'s\.md' must be changed, too\. It is open"):
        workspace_edit(about, about.notes.rename("n.md", "m", texts=about.texts))


def test_an_edit_that_changes_nothing_is_none(tmp_path: pathlib.Path) -> None:
    about = context(small(tmp_path, {"old.md": "", "s.md": "[[old]]"}))
    assert workspace_edit(about, about.notes.rename("old.md", "old")) is None
    assert workspace_edit(about, about.notes.move({"s.md": "t.md"}), moves=False) is None


def test_a_new_note_is_made_before_its_text(tmp_path: pathlib.Path) -> None:
    about = context(small(tmp_path, {"a.md": "one\n\ntwo\n"}))
    Editor().carry_out(workspace_edit(about, about.notes.extract("a.md", 5, 8, "b/new")))
    assert read(tmp_path) == {"a.md": b"one\n\n[[b/new]]\n", "b/new.md": b"two\n"}
