"""List the headings and blocks of a note as a tree, find notes, aliases and headings in the vault, and fold parts."""

import functools

from lsprotocol import types

from zkmem.lsp.features import EditorContext, Feature, FileRequest, VaultFeature
from zkmem.memory.editor import Symbol

_MOST = 50  # of the notes, of the aliases and of the headings of the vault
_LONGEST = 50  # characters of a query in a message

_KINDS = {
    "heading": types.SymbolKind.String,
    "block": types.SymbolKind.Key,
    "note": types.SymbolKind.File,
    "alias": types.SymbolKind.Variable,
}
_FOLDS = {"region": types.FoldingRangeKind.Region, "comment": types.FoldingRangeKind.Comment}


def _in_document(
    request: FileRequest, _: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """Return the headings and blocks of a note: as a tree, or as a list if the client does not take a tree."""
    abilities = request.client.text_document and request.client.text_document.document_symbol
    if abilities and abilities.hierarchical_document_symbol_support:
        return _tree(request)
    return [
        types.SymbolInformation(types.Location(request.text.uri, _shown(request, one)), _name(one), _KINDS[one.kind])
        for one in request.notes.symbols(request.text.data)
    ]


def _tree(request: FileRequest) -> list[types.DocumentSymbol]:
    """Return the headings of a note, each with the headings and blocks of its section."""
    tops: list[types.DocumentSymbol] = []
    above: list[tuple[int, list[types.DocumentSymbol]]] = [(0, tops)]
    for one in request.notes.symbols(request.text.data):
        symbol = types.DocumentSymbol(
            name=_name(one),
            kind=_KINDS[one.kind],
            range=request.text.range(one.start, one.end),
            selection_range=_shown(request, one),
            children=[],
        )
        while above[-1][0] >= one.level:
            above.pop()
        above[-1][1].append(symbol)
        if one.kind == "heading":
            above.append((one.level, symbol.children))  # type: ignore[arg-type] # it was made a list above
    return tops


def _name(one: Symbol) -> str:
    return one.name or "(no text)"


def _shown(request: FileRequest, one: Symbol) -> types.Range:
    return request.text.range(one.shown, one.shown_end)


def _in_vault(context: EditorContext, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    """Return the notes, aliases and headings that have the words of a text, or at least its letters in their order.

    Each has its range: editors such as Neovim and Eglot do not ask for it later, and leave out a symbol without one.
    """
    document = functools.cache(context.document)
    begin = types.Position(0, 0)
    symbols, are_cut = context.notes.find(params.query, lambda path: document(path).data, _MOST)
    if are_cut and params.query:
        text = f"zkmem shows only the first {_MOST} notes, aliases and headings for {params.query[:_LONGEST]!r}."
        context.tell(types.WINDOW_LOG_MESSAGE, text)
    return [
        types.SymbolInformation(
            name=one.text,
            kind=_KINDS[one.kind],
            location=types.Location(
                context.workspace.uri(one.path),
                document(one.path).range(one.start, one.end) if one.end else types.Range(begin, begin),
            ),
            container_name=one.path if one.kind != "note" else None,
        )
        for one in symbols
    ]


def _folding(request: FileRequest, _: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """Return the parts of a note that can be folded."""
    lines, folds = request.text.lines, request.notes.folds(request.text.data)
    ranges = ((one.kind, lines.position(one.start)[0], lines.position(one.end)[0]) for one in folds)
    return [types.FoldingRange(start, end, kind=_FOLDS[kind]) for kind, start, end in ranges if start < end]


FEATURES = (
    Feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _in_document, empty=[]),
    Feature(types.TEXT_DOCUMENT_FOLDING_RANGE, _folding, empty=[]),
    VaultFeature(types.WORKSPACE_SYMBOL, _in_vault, empty=[]),
)
