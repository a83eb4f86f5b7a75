"""Rename notes, headings, blocks and missing notes; update links when files are renamed in the editor's tree."""

import posixpath
from collections.abc import Iterable

from lsprotocol import types

from zkmem.lsp.features import EditorContext, Feature, FileRequest, VaultFeature
from zkmem.lsp.workspace_edit import workspace_edit
from zkmem.memory.editor import EditorEdit, Renamable
from zkmem.names import base_of, placed


def _subject(request: FileRequest, position: types.Position) -> Renamable | None:
    """Return what can be renamed at a position."""
    text = request.text
    return request.notes.renamable(request.path, text.data, text.offset(position), request.data)


def _prepare(request: FileRequest, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    """Return where the name of something that can be renamed is written, and the name; None if nothing is there."""
    subject = _subject(request, params.position)
    if subject is None:
        return None
    return types.PrepareRenamePlaceholder(request.text.range(subject.start, subject.end), subject.shown)


def _rename(request: FileRequest, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """Return the edit that renames what is at a position."""
    subject = _subject(request, params.position)
    if subject is None:
        return None
    return workspace_edit(request, _renamed(request, subject, params.new_name))


def _renamed(request: FileRequest, subject: Renamable, name: str) -> EditorEdit:
    notes, texts = request.notes, request.texts
    if subject.kind == "heading":
        return notes.rename_heading(subject.path, subject.number, name, texts=texts)
    if subject.kind == "block":
        return notes.rename_block(subject.path, subject.shown, name, texts=texts)
    if subject.kind == "missing":
        return notes.rename_missing(subject.path, subject.shown, name, texts=texts)
    if subject.kind == "file":
        to = placed(subject.path, name)
        suffix = "" if "." in base_of(to) else posixpath.splitext(subject.path)[1]
        return notes.rename_file(subject.path, to + suffix, texts=texts)
    return notes.rename(subject.path, name, titles=subject.kind == "title", texts=texts)


def _will_rename(context: EditorContext, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
    """Return the changes of links that go with moves of files and folders."""
    moves = {}
    for file in params.files:
        old, new = context.workspace.path(file.old_uri), context.workspace.path(file.new_uri)
        if old is not None and new is not None:
            moves[old] = new
    if not moves or context.workspace.expects_moves(moves):
        return None
    return workspace_edit(context, context.notes.move(moves, texts=context.texts), moves=False)


def _did_rename(context: EditorContext, params: types.RenameFilesParams) -> None:
    context.workspace.expect_moves({})
    _take_in(context, (uri for file in params.files for uri in (file.old_uri, file.new_uri)))


def _did_create_or_delete(context: EditorContext, params: types.CreateFilesParams | types.DeleteFilesParams) -> None:
    _take_in(context, (file.uri for file in params.files))


def _did_save(context: EditorContext, params: types.DidSaveTextDocumentParams) -> None:
    _take_in(context, [params.text_document.uri])


def _take_in(context: EditorContext, uris: Iterable[str]) -> None:
    """Compare some files with the index at once: the next request must not find their old names."""
    paths = {path for uri in uris if (path := context.workspace.path(uri)) is not None}
    if paths:
        context.notes.take_in(paths)


_FILES = types.FileOperationRegistrationOptions([types.FileOperationFilter(types.FileOperationPattern("**"), "file")])

FEATURES = (
    Feature(types.TEXT_DOCUMENT_PREPARE_RENAME, _prepare),
    Feature(types.TEXT_DOCUMENT_RENAME, _rename, types.RenameOptions(prepare_provider=True)),
    VaultFeature(types.WORKSPACE_WILL_RENAME_FILES, _will_rename, _FILES),
    VaultFeature(types.WORKSPACE_DID_RENAME_FILES, _did_rename, _FILES, is_news=True),
    VaultFeature(types.WORKSPACE_DID_CREATE_FILES, _did_create_or_delete, _FILES, is_news=True),
    VaultFeature(types.WORKSPACE_DID_DELETE_FILES, _did_create_or_delete, _FILES, is_news=True),
    VaultFeature(types.TEXT_DOCUMENT_DID_SAVE, _did_save, is_news=True),
)
