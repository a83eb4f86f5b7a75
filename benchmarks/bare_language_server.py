"""A language server that does nothing: the floor of all that one on pygls can do. A hover is one word."""

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("bare", "1")


@server.feature(types.TEXT_DOCUMENT_HOVER)
def _hover(_: types.HoverParams) -> types.Hover:
    return types.Hover("Hover.")


if __name__ == "__main__":
    server.start_io()
