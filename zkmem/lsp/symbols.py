"""List the headings and blocks of a note as a tree, find notes, aliases and headings in the vault, and fold parts."""

from lsprotocol import types

from zkmem.lsp.features import Context, Feature, Request, VaultFeature

_KINDS = {
    "heading": types.SymbolKind.String,
    "block": types.SymbolKind.Key,
    "note": types.SymbolKind.File,
    "alias": types.SymbolKind.Variable,
}
_FOLDS = {"region": types.FoldingRangeKind.Region, "comment": types.FoldingRangeKind.Comment}


def _in_document(request: Request, _: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    """Return the headings of a note, each with the headings and blocks of its section."""
    tops: list[types.DocumentSymbol] = []
    above: list[tuple[int, list[types.DocumentSymbol]]] = [(0, tops)]
    for one in request.notes.symbols(request.text.data):
        symbol = types.DocumentSymbol(
            name=one.name or "(no text)",
            kind=_KINDS[one.kind],
            range=request.text.range(one.start, one.end),
            selection_range=request.text.range(one.shown, one.shown_end),
            children=[],
        )
        while above[-1][0] >= one.level:
            above.pop()
        above[-1][1].append(symbol)
        if one.kind == "heading":
            above.append((one.level, symbol.children))  # type: ignore[arg-type] # it was made a list above
    return tops


def _in_vault(context: Context, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    """Return the notes, aliases and headings that contain a text."""
    return [
        types.WorkspaceSymbol(
            location=types.LocationUriOnly(context.workspace.uri(one.path)),
            name=one.text,
            kind=_KINDS[one.kind],
            container_name=one.path if one.kind != "note" else None,
            data=[one.path, one.subpath] if one.subpath else None,
        )
        for one in context.notes.find(params.query)
    ]


def _resolve(context: Context, symbol: types.WorkspaceSymbol) -> types.WorkspaceSymbol:
    """Add the range of a heading that was found."""
    match symbol.data:
        case [str(path), str(subpath)]:
            symbol.location = context.location(path, subpath)
    return symbol


def _folding(request: Request, _: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """Return the parts of a note that can be folded."""
    lines, folds = request.text.lines, request.notes.folds(request.text.data)
    ranges = ((one.kind, lines.position(one.start)[0], lines.position(one.end)[0]) for one in folds)
    return [types.FoldingRange(start, end, kind=_FOLDS[kind]) for kind, start, end in ranges if start < end]


FEATURES = (
    Feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _in_document, empty=[]),
    Feature(types.TEXT_DOCUMENT_FOLDING_RANGE, _folding, empty=[]),
    VaultFeature(types.WORKSPACE_SYMBOL, _in_vault, empty=[]),
    VaultFeature(types.WORKSPACE_SYMBOL_RESOLVE, _resolve),
)
