"""Show and go to what a link means, and find all links to a note, a heading, a block, or a missing note."""

from functools import lru_cache

from lsprotocol import types

from zkmem.lsp.features import EditorContext, Feature, FileRequest, VaultFeature
from zkmem.memory.editor import Meant, harmless
from zkmem.util.spelling import number_of

MOST_SHOWN = 4_000  # characters
_MOST = 1_000  # places in one answer
_RESOLVED = types.DocumentLinkOptions(resolve_provider=True)


def meant_at(request: FileRequest, position: types.Position) -> Meant | None:
    """Return the link at a position, and what it means; None if there is no link."""
    return request.notes.link_at(request.path, request.text.data, request.text.offset(position))


def _hover(request: FileRequest, params: types.HoverParams) -> types.Hover | None:
    """Return the text that the link at a position means."""
    meant = meant_at(request, params.position)
    text = _text(request, meant) if meant else None
    if not meant or text is None:
        return None
    return types.Hover(content(request, text), request.text.range(meant.link.start, meant.link.end))


def _text(request: FileRequest, meant: Meant) -> str | None:
    """Return what a link means: a text, or that there is none yet; None for a link to another file."""
    link = meant.link
    if meant.path is None:
        if not meant.is_missing:
            return None
        count = request.notes.links_to_missing(request.path, link.target)
        return f"No note has this name yet. Links to it: {number_of(count, 'note')}."
    if not meant.leads_to_note:
        return f"The file {meant.path}"
    preview = request.notes.preview(meant.path, link.subpath, MOST_SHOWN, request.data, slugs=link.kind != "wiki")
    others = f"\n\n*It could also mean: {', '.join(meant.rivals)}*" if meant.rivals else ""
    return f"**{preview.name}**\n\n{preview.text}{'…' if preview.is_cut else ''}{others}"


def content(context: EditorContext, text: str) -> types.MarkupContent:
    """Return a text of the vault as a client shows it: harmless Markdown, or plain text."""
    hover = context.client.text_document and context.client.text_document.hover
    formats = (hover and hover.content_format) or [types.MarkupKind.Markdown]
    kind = types.MarkupKind.Markdown if types.MarkupKind.Markdown in formats else types.MarkupKind.PlainText
    return types.MarkupContent(kind, harmless(text) if kind is types.MarkupKind.Markdown else text)


def _definition(request: FileRequest, params: types.DefinitionParams) -> list[types.Location]:
    """Return the place that the link at a position means; if the link is ambiguous, all that it could mean."""
    meant = meant_at(request, params.position)
    if meant is None:
        return _footnote(request, params.position)
    if meant.path is None:
        return []
    link = meant.link
    subpath = link.subpath if meant.leads_to_note else ""
    return [request.location(path, subpath, slugs=link.kind != "wiki") for path in (meant.path, *meant.rivals)]


def _footnote(request: FileRequest, position: types.Position) -> list[types.Location]:
    """Return the definition of the footnote at a position; at a definition, the references to it."""
    text = request.text
    footnotes = request.notes.footnote(text.data, text.offset(position))
    return [types.Location(text.uri, text.range(one.start, one.end)) for one in footnotes[:_MOST]]


def _references(request: FileRequest, params: types.ReferenceParams) -> list[types.Location]:
    """Return the uses of what is at a position: a tag, a link, a heading, a block; anywhere else, the note itself."""
    document = lru_cache(maxsize=1)(request.document)  # not more: there may be thousands of large texts
    at, notes = request.text.offset(params.position), request.notes
    subject = notes.subject(request.path, request.text.data, at, lambda path: document(path).data)
    references, are_cut = notes.references(
        subject, lambda path: document(path).data, [*request.opened, request.path], _MOST
    )
    places = [types.Location((text := document(one.path)).uri, text.range(one.start, one.end)) for one in references]
    if are_cut:
        request.tell(types.WINDOW_SHOW_MESSAGE, f"zkmem shows {len(places):,} references; there may be more.")
    if params.context.include_declaration and not subject.missing and not subject.tag:
        places.insert(0, request.location(subject.path, subject.subpath))
    return places


def _links(request: FileRequest, _: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """Return the links of a text. The place of a heading or block is found when somebody follows the link."""
    links = []
    for meant in request.notes.links(request.path, request.text.data)[:_MOST]:
        link = meant.link
        if meant.path is not None and link.target:
            start, end = (link.path_at, link.sub_end) if link.path_at >= 0 else (link.start, link.end)
            has_part = bool(link.subpath) and meant.leads_to_note
            target = None if has_part else request.workspace.uri(meant.path)
            data = [meant.path, link.subpath, link.kind != "wiki"] if has_part else None
            links.append(types.DocumentLink(request.text.range(start, end), target, data=data))
    return links


def _resolve_link(context: EditorContext, link: types.DocumentLink) -> types.DocumentLink:
    """Add the address of a heading or block, with the number of its line."""
    match link.data:
        case [str(path), str(subpath), bool(slugs)]:
            place = context.location(path, subpath, slugs=slugs)
            link.target = f"{place.uri}#L{place.range.start.line + 1}"
    return link


FEATURES = (
    Feature(types.TEXT_DOCUMENT_HOVER, _hover, canvases=True),
    Feature(types.TEXT_DOCUMENT_DEFINITION, _definition, empty=[], canvases=True),
    Feature(types.TEXT_DOCUMENT_REFERENCES, _references, empty=[]),
    Feature(types.TEXT_DOCUMENT_DOCUMENT_LINK, _links, _RESOLVED, empty=[], canvases=True),
    VaultFeature(types.DOCUMENT_LINK_RESOLVE, _resolve_link),
)
