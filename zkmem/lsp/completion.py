"""Complete links, headings, blocks, tags and properties while they are typed."""

import re
from collections.abc import Iterable, Iterator

from lsprotocol import types

from zkmem.lsp.features import Feature, FileRequest
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
_SPECIAL = re.compile(r"[\\$}]")  # in a snippet
_OPTIONS = types.CompletionOptions(trigger_characters=["[", "(", "#", "^", "/", " "])


def _complete(request: FileRequest, params: types.CompletionParams) -> types.CompletionList:
    """Return the choices for what is being typed."""
    typed = request.notes.typed(request.text.data, request.text.offset(params.position))
    if typed is None:
        return types.CompletionList(is_incomplete=False, items=[])
    choices, more = request.notes.choices(request.path, typed, MOST, request.data)
    return types.CompletionList(is_incomplete=more, items=list(_items(request, typed, choices)))


def _items(request: FileRequest, typed: Typed, choices: Iterable[Choice]) -> Iterator[types.CompletionItem]:
    takes = _abilities(request.client)
    # The cursor must be after the brackets that an editor has put there by itself. Neovim replaces only what is typed.
    data, closing = request.text.data, typed.closing
    closes = bool(takes.insert_replace_support) and not typed.after and data.startswith(closing.encode(), typed.end)
    place = request.text.range(typed.start, typed.end + len(closing) * closes)
    after = closing if closes else typed.after
    is_encoded = bool(typed.markdown) and b"%" in data[typed.start : typed.end]
    for number, choice in enumerate(choices):
        text = f"{typed.before}{choice.written}{after}"
        yield types.CompletionItem(
            label=choice.label,
            kind=_KINDS.get(choice.kind),
            detail=choice.detail or None,
            sort_text=f"{number:03}",
            filter_text=typed.lead + (choice.written if is_encoded else choice.label),
            # Neovim inserts a plain text only up to its first space.
            insert_text_format=types.InsertTextFormat.Snippet if takes.snippet_support else None,
            text_edit=types.TextEdit(place, _SPECIAL.sub(r"\\\g<0>", text) if takes.snippet_support else text),
        )


def _abilities(client: types.ClientCapabilities) -> types.ClientCompletionItemOptions:
    """Return what a client can do with a choice."""
    completion = client.text_document.completion if client.text_document else None
    return (completion and completion.completion_item) or types.ClientCompletionItemOptions()


FEATURES = (Feature(types.TEXT_DOCUMENT_COMPLETION, _complete, _OPTIONS),)
