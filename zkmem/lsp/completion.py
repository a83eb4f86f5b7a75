"""Complete links, headings, blocks, tags and properties while they are typed."""

from collections.abc import Iterable, Iterator

from lsprotocol import types

from zkmem.lsp.features import Feature, Request
from zkmem.memory.editor import Choice, Typed

MOST = 50  # choices in one answer; the editor asks again with every letter

_KINDS = {
    "note": types.CompletionItemKind.File,
    "missing": types.CompletionItemKind.Text,
    "file": types.CompletionItemKind.Color,
    "alias": types.CompletionItemKind.Reference,
    "heading": types.CompletionItemKind.Struct,
    "block": types.CompletionItemKind.Value,
}
_OPTIONS = types.CompletionOptions(trigger_characters=["[", "#", "^", "/", " "])


def _complete(request: Request, params: types.CompletionParams) -> types.CompletionList:
    """Return the choices for what is being typed."""
    typed = request.notes.typed(request.text.data, request.text.offset(params.position))
    if typed is None:
        return types.CompletionList(is_incomplete=False, items=[])
    choices, more = request.notes.choices(request.path, typed, MOST, lambda path: request.document(path).data)
    return types.CompletionList(is_incomplete=more, items=list(_items(request, typed, choices)))


def _items(request: Request, typed: Typed, choices: Iterable[Choice]) -> Iterator[types.CompletionItem]:
    place = request.text.range(typed.start, typed.end)
    for number, choice in enumerate(choices):
        yield types.CompletionItem(
            label=choice.label,
            kind=_KINDS.get(choice.kind),
            detail=choice.detail or None,
            sort_text=f"{number:03}",
            filter_text=typed.lead + choice.label,
            text_edit=types.TextEdit(place, f"{typed.before}{choice.written}{typed.after}"),
        )


FEATURES = (Feature(types.TEXT_DOCUMENT_COMPLETION, _complete, _OPTIONS),)
