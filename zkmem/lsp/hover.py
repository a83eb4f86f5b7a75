"""Show the note that a link leads to: its beginning, with the notes that it links to."""

from lsprotocol import types

from zkmem.lsp.features import Context, Feature, Request
from zkmem.lsp.navigation import meant_at
from zkmem.memory.editor import Meant, harmless
from zkmem.util.spelling import number_of

MOST = 4_000  # characters


def _hover(request: Request, params: types.HoverParams) -> types.Hover | None:
    """Return the text that the link at a position means."""
    meant = meant_at(request, params.position)
    text = _text(request, meant) if meant else None
    if not meant or text is None:
        return None
    return types.Hover(content(request, text), request.text.range(meant.link.start, meant.link.end))


def _text(request: Request, meant: Meant) -> str | None:
    """Return what a link means: a text, or that there is none yet; None for a link to another file."""
    link = meant.link
    if meant.path is None:
        if not meant.is_missing:
            return None
        count = request.notes.links_to_missing(request.path, link.target)
        return f"No note has this name yet. Links to it: {number_of(count, 'note')}."
    if not meant.leads_to_note:
        return f"The file {meant.path}"
    preview = request.notes.preview(
        meant.path, link.subpath, MOST, lambda path: request.document(path).data, slugs=link.kind != "wiki"
    )
    others = f"\n\n*It could also mean: {', '.join(meant.rivals)}*" if meant.rivals else ""
    return f"**{preview.name}**\n\n{preview.text}{'…' if preview.is_cut else ''}{others}"


def content(context: Context, text: str) -> types.MarkupContent:
    """Return a text of the vault as a client shows it: harmless Markdown, or plain text."""
    hover = context.client.text_document and context.client.text_document.hover
    formats = (hover and hover.content_format) or [types.MarkupKind.Markdown]
    kind = types.MarkupKind.Markdown if types.MarkupKind.Markdown in formats else types.MarkupKind.PlainText
    return types.MarkupContent(kind, harmless(text) if kind is types.MarkupKind.Markdown else text)


FEATURES = (Feature(types.TEXT_DOCUMENT_HOVER, _hover, canvases=True),)
