"""Code actions: mend a link to nothing or to several notes, decide a conflict, extract a passage, merge, make a link.

An action is offered with its title alone. Its edit is planned when the client resolves the action; a client that
resolves no actions gets the edit at once.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from zkmem.errors import CannotInEditor, ZkError
from zkmem.lsp.features import EditorContext, Feature, FileRequest, VaultFeature
from zkmem.lsp.workspace_edit import can_create, workspace_edit
from zkmem.memory.editor import EditorEdit, Meant
from zkmem.names import name_of

_KINDS = (
    types.CodeActionKind.QuickFix,
    types.CodeActionKind.RefactorExtract,
    types.CodeActionKind.Refactor,
    types.CodeActionKind.RefactorRewrite,
)
_FIX, _EXTRACT, _REFACTOR, _REWRITE = _KINDS
_MOST_LINKS = 10  # in the range of a request
_LONGEST = 200  # bytes of a passage that may be the name of a note


class OfferedAction(NamedTuple):
    """A change that is offered. `change` and `arguments` say which edit `_planned` plans."""

    title: str
    kind: types.CodeActionKind
    change: str
    arguments: tuple[str | int, ...]
    preferred: bool = False
    mends: tuple[str, int, int] = ("", 0, 0)  # the code of a diagnostic, and the range of bytes that it begins in


def _links(request: FileRequest, start: int, end: int) -> list[Meant]:
    """Return the first links in a range, or around it."""
    links = request.notes.links(request.path, request.text.data)
    return [one for one in links if one.link.start <= end and start <= one.link.end][:_MOST_LINKS]


def _offers(request: FileRequest, start: int, end: int) -> Iterator[OfferedAction]:
    """Yield all changes that a person may want at a range of bytes."""
    links = _links(request, start, end)
    for meant in links:
        if meant.is_missing:
            yield from _for_missing(request, meant)
        elif meant.rivals:
            yield from _for_ambiguous(meant)
        elif meant.leads_to_note:
            yield from _for_part(request, meant)
    yield from _for_conflict(request, start)
    if request.text.data[start:end].strip():
        yield from _for_passage(request, start, end, links)
    elif links:
        yield from _merges(request, [meant.path for meant in links if meant.path and meant.leads_to_note])
    else:
        yield from _merges(request, request.notes.namesakes(request.path))


def _for_missing(request: FileRequest, meant: Meant) -> Iterator[OfferedAction]:
    """Yield the changes that mend a link to a missing note."""
    target, mends = meant.link.target, ("missing", meant.link.start, meant.link.end)
    if can_create(request):
        yield OfferedAction(f"Create the note {target!r}", _FIX, "create", (target,), False, mends)
    for number, path in enumerate(request.notes.notes_like(target)):
        yield OfferedAction(f"Link to {name_of(path)!r}", _FIX, "repoint", (target, path), not number, mends)


def _for_ambiguous(meant: Meant) -> Iterator[OfferedAction]:
    """Yield the changes that make a link mean one note alone, the one that it means now first."""
    mends = ("ambiguous", meant.link.start, meant.link.end)
    for path in (meant.path, *meant.rivals):
        if path is not None:
            arguments, is_now = (meant.link.target, path), path == meant.path
            yield OfferedAction(f"Link to {name_of(path)!r}", _FIX, "repoint", arguments, is_now, mends)


def _for_part(request: FileRequest, meant: Meant) -> Iterator[OfferedAction]:
    """Yield the changes that mend a link to a heading or a block that its note does not have."""
    link = meant.link
    if not link.subpath.strip("#^ ") or meant.path is None:
        return
    data = request.data(meant.path)
    if request.notes.part(data, link.subpath, slugs=link.kind != "wiki"):
        return
    mends = ("missing-block" if link.subpath.startswith("#^") else "missing-heading", link.start, link.end)
    if subpath := request.notes.part_like(data, link.subpath):
        arguments = (link.target, link.subpath, subpath)
        yield OfferedAction(f"Link to {subpath!r}", _FIX, "repoint_part", arguments, True, mends)


def _for_conflict(request: FileRequest, at: int) -> Iterator[OfferedAction]:
    """Yield the two decisions about a conflict callout."""
    conflict = request.notes.conflict_at(request.text.data, at)
    if conflict is not None:
        mends = ("conflict", conflict.start, conflict.end)
        yield OfferedAction("Keep this version", _FIX, "resolve", (conflict.number, False), False, mends)
        if conflict.has_place:
            yield OfferedAction("Use the other version", _FIX, "resolve", (conflict.number, True), False, mends)


def _for_passage(request: FileRequest, start: int, end: int, links: list[Meant]) -> Iterator[OfferedAction]:
    """Yield the changes of a passage that is selected."""
    data, version = request.text.data, request.text.version or 0
    passage = data[start:end]
    if can_create(request):
        name = request.notes.passage_name(request.path, data, start, end)
        yield OfferedAction(f"Extract to the note {name!r}", _EXTRACT, "extract", (version, start, end, name))
    if len(passage) <= _LONGEST and b"\n" not in passage and not links:
        path = request.notes.note_named(passage.decode(errors="replace"))
        if path is not None and path != request.path:
            yield OfferedAction(f"Make it a link to {name_of(path)!r}", _REWRITE, "link", (version, start, end, path))


def _merges(request: FileRequest, paths: list[str]) -> Iterator[OfferedAction]:
    for path in dict.fromkeys(paths):
        if path != request.path:
            yield OfferedAction(f"Merge this note into {name_of(path)!r}", _REFACTOR, "merge", (path,))


def _check_version(context: EditorContext, path: str, version: int) -> None:
    """Check that an open document is still the one for which an action was offered."""
    document = context.opened.get(path)
    if document is not None and document.version != version:
        raise CannotInEditor("The document has changed since this was offered; select the passage again.")


def _planned(context: EditorContext, change: object, path: str, arguments: Any) -> EditorEdit:
    """Return the edit of an action in a document. `change` and `arguments`: as in `OfferedAction`."""
    notes, texts = context.notes, context.texts
    match change, arguments:
        case "create", [target]:
            edit = notes.create_missing(path, target, texts=texts)
        case "repoint", [target, to]:
            edit = notes.repoint(path, target, to, texts=texts)
        case "repoint_part", [target, subpath, new_subpath]:
            edit = notes.repoint_part(path, target, subpath, new_subpath, texts=texts)
        case "resolve", [number, other]:
            edit = notes.resolve(path, number, other=other, texts=texts)
        case "merge", [into]:
            edit = notes.merge(path, into, texts=texts)
        case "extract", [version, start, end, name]:
            _check_version(context, path, version)
            edit = notes.extract(path, start, end, name, texts=texts)
        case "link", [version, start, end, to]:
            _check_version(context, path, version)
            edit = notes.link(path, start, end, to, texts=texts)
        case _:
            raise JsonRpcInvalidParams("This is no action of zkmem.")
    return edit


def _actions(request: FileRequest, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the actions for a range of a document."""
    only = params.context.only
    kinds = [kind for kind in _KINDS if only is None or any(_is_below(kind, one) for one in only)]
    offers = _offers(request, *request.text.span(params.range)) if kinds else ()
    actions = [_action(request, offer, params.context.diagnostics) for offer in offers if offer.kind in kinds]
    return actions if _resolves(request.client) else [*filter(None, (_with_edit(request, one) for one in actions))]


def _action(request: FileRequest, offer: OfferedAction, diagnostics: Sequence[types.Diagnostic]) -> types.CodeAction:
    code, start, end = offer.mends
    return types.CodeAction(
        offer.title,
        offer.kind,
        [one for one in diagnostics if one.code == code and start <= request.text.offset(one.range.start) < end],
        is_preferred=offer.preferred or None,
        data={"change": offer.change, "path": request.path, "arguments": [*offer.arguments]},
    )


def _is_below(kind: str, wanted: str) -> bool:
    return (kind + ".").startswith(wanted + "." if wanted else "")


def _resolves(client: types.ClientCapabilities) -> bool:
    """Return whether a client asks for the edit of an action when the person chooses it."""
    actions = client.text_document.code_action if client.text_document else None
    return bool(actions and actions.resolve_support and "edit" in actions.resolve_support.properties)


def _with_edit(context: EditorContext, action: types.CodeAction) -> types.CodeAction | None:
    """Return an action with its edit; None if it is impossible."""
    try:
        return _resolve(context, action)
    except ZkError:  # the client would show an action that does nothing
        return None


def _resolve(context: EditorContext, action: types.CodeAction) -> types.CodeAction:
    """Return an action with its edit, which is planned from the present documents."""
    data: Any = action.data
    try:
        change, path, arguments = data["change"], data["path"], data["arguments"]
    except (KeyError, TypeError):
        raise JsonRpcInvalidParams("This is no action of zkmem.") from None
    action.edit = workspace_edit(context, _planned(context, change, path, arguments))
    return action


FEATURES = (
    Feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        _actions,
        types.CodeActionOptions([*_KINDS], resolve_provider=True),
        empty=[],
    ),
    VaultFeature(types.CODE_ACTION_RESOLVE, _resolve),
)
