"""Turn an edit into the protocol's form: the smallest changes of texts, and operations on files.

The order matters. New files come first. Then the texts change under their old addresses; a client refuses the edit if
an open document has another version by then. The moves come last.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lsprotocol import types

from zkmem.errors import CannotInEditor
from zkmem.lsp.documents import Document
from zkmem.lsp.features import EditorContext
from zkmem.memory.editor import EditorEdit, TextChange
from zkmem.util.threeway import hunks

_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")

Operation = types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile


def workspace_edit(context: EditorContext, edit: EditorEdit, *, moves: bool = True) -> types.WorkspaceEdit | None:
    """Return what the client must change; None if that is nothing. `moves`: whether it must also move the files."""
    new = [change for change in edit.texts if change.before is None]
    moved = edit.moves if moves else {}
    if not edit.texts and not moved:
        return None
    abilities = _Abilities.of(context.client)
    changed = [(change, _before(context, change)) for change in edit.texts]
    texts = {document.uri: (document, text_edits(document, _after(change, document))) for change, document in changed}
    if not abilities.documents:
        _check(not new and not moved, "create or rename files")
        return types.WorkspaceEdit(changes={uri: edits for uri, (_, edits) in texts.items()})
    _check(not new or "create" in abilities.operations, "create files")
    _check(not moved or "rename" in abilities.operations, "rename files")
    if moved:
        context.workspace.expect_moves(moved)
    uri = context.workspace.uri
    operations: list[Operation] = [types.CreateFile(uri(change.path)) for change in new]
    for document, edits in texts.values():
        about = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
        operations.append(types.TextDocumentEdit(about, [*edits]))
    operations += [types.RenameFile(uri(old), uri(path)) for old, path in moved.items()]
    return types.WorkspaceEdit(document_changes=operations)


class _Abilities(NamedTuple):
    """What a client can do with an edit."""

    documents: bool  # whether it takes versions of documents
    operations: frozenset[str]  # create, rename, delete

    @classmethod
    def of(cls, client: types.ClientCapabilities) -> "_Abilities":
        """Return what a client says that it can do."""
        abilities = client.workspace.workspace_edit if client.workspace else None
        operations = abilities.resource_operations if abilities else None
        # Neovim names the operations alone. They exist only among the changes of documents.
        return cls(bool(operations or (abilities and abilities.document_changes)), frozenset(operations or ()))


def can_create(context: EditorContext) -> bool:
    """Return whether the client can create files."""
    abilities = _Abilities.of(context.client)
    return abilities.documents and "create" in abilities.operations


def _check(can: bool, what: str) -> None:
    if not can:
        raise CannotInEditor(f"This editor cannot {what} for a language server; do it with zkmem, or another editor.")


def _before(context: EditorContext, change: TextChange) -> Document:
    """Return the document of a change as the editor shows it, or will show it when it opens the file."""
    if change.path in context.unknown_paths:
        raise CannotInEditor(
            f"{change.path!r} must be changed, too. It is open, but zkmem does not know its text: it is too large, or "
            "the editor sent a malformed change. Save and close it, then try again."
        )
    data = (change.before or b"").removeprefix(_BOM)
    return context.opened.get(change.path) or context.documents.make(context.workspace.uri(change.path), data)


def _after(change: TextChange, document: Document) -> bytes:
    """Return the new text of a document."""
    try:
        change.after.decode()
    except UnicodeDecodeError:
        raise CannotInEditor(
            f"{change.path!r} must be changed, too, and is not UTF-8, so an editor may damage it. Convert it to UTF-8, "
            "or make this change with zkmem."
        ) from None
    return change.after if document.data.startswith(_BOM) else change.after.removeprefix(_BOM)


def text_edits(document: Document, after: bytes) -> list[types.TextEdit]:
    """Return the smallest changes, line by line, that turn a document into another text."""
    old, new = (_LINE.findall(data.decode(errors="surrogateescape")) for data in (document.data, after))
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(_encoded(line)))
    edits = []
    for first, last, lines in hunks(old, new):
        for start, before, text in _pairs(starts, old[first:last], first, lines):
            edits.append(_smallest(document, start, before, text))
    return edits


def _pairs(starts: Sequence[int], old: Sequence[str], first: int, new: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yield where a text begins, the text, and the new text: line by line if there are as many lines as before."""
    if len(old) == len(new):
        for number, (before, after) in enumerate(zip(old, new, strict=True), first):
            if before != after:
                yield starts[number], before, after
    else:
        yield starts[first], "".join(old), "".join(new)


def _smallest(document: Document, start: int, old: str, new: str) -> types.TextEdit:
    """Return the edit of a text, which begins at a byte, without what is equal at its beginning and at its end.

    No edit begins or ends between the two characters of a line end.
    """
    ahead = _equal(old, new)
    ahead -= old[ahead - 1 : ahead] == "\r"
    start, old, new = start + len(_encoded(old[:ahead])), old[ahead:], new[ahead:]
    behind = _equal(old[::-1], new[::-1])
    behind -= old[len(old) - behind - 1 :].startswith("\r\n")
    old, new = old[: len(old) - behind], new[: len(new) - behind]
    return types.TextEdit(document.range(start, start + len(_encoded(old))), new)


def _equal(one: str, other: str) -> int:
    """Return how many characters at the beginning of two texts are equal."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogateescape")
