"""Go to what a link means."""

from lsprotocol import types

from zkmem.lsp.features import Feature, Request
from zkmem.memory.editor import Meant


def meant_at(request: Request, position: types.Position) -> Meant | None:
    """Return the link at a position, and what it means; None if there is no link."""
    at = request.text.offset(position)
    links = request.notes.links(request.path, request.text.data)
    return next((one for one in links if one.link.start <= at <= one.link.end), None)


def location(request: Request, path: str, subpath: str, *, slugs: bool) -> types.Location:
    """Return the place that a link means: the heading or block in a file, else its beginning."""
    uri, span = request.workspace.uri(path), None
    if subpath:
        target = request.document(path)
        span = request.notes.part(target.data, subpath, slugs=slugs)
        if span:
            return types.Location(uri, target.range(*span))
    start = types.Position(0, 0)
    return types.Location(uri, types.Range(start, start))


def _definition(request: Request, params: types.DefinitionParams) -> list[types.Location]:
    """Return the place that the link at a position means; if the link is ambiguous, all that it could mean."""
    meant = meant_at(request, params.position)
    if meant is None or meant.path is None:
        return []
    link = meant.link
    return [
        location(request, path, link.subpath if meant.leads_to_note else "", slugs=link.kind != "wiki")
        for path in (meant.path, *meant.rivals)
    ]


FEATURES = (Feature(types.TEXT_DOCUMENT_DEFINITION, _definition, empty=[]),)
