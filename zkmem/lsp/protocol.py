"""The protocol of pygls with documents of our own, and with an answer to each request that is malformed."""

import json
import logging
from collections.abc import Generator, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest, JsonRpcServerNotInitialized
from pygls.protocol import LanguageServerProtocol, lsp_method

from zkmem.lsp.documents import Document, Documents, Encoding

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.lsp.server import LanguageServer

_ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-32", "utf-16")  # the cheapest first
_ID = (str, int)  # the types of the id of a request; a bool, which Python takes for an int, is no id

_log = logging.getLogger(__name__)
_open: ContextVar[Mapping[str, Document]] = ContextVar("open")
_unknown: ContextVar[frozenset[str]] = ContextVar("unknown")


class Protocol(LanguageServerProtocol):
    """The protocol with documents of our own.

    Those of pygls end a line at characters at which no editor ends one, and are built anew for each change.
    """

    def __init__(self, server: "LanguageServer", converter: "Converter") -> None:
        super().__init__(server, converter)
        self.documents = Documents()
        self._is_greeted = False

    @property
    def open(self) -> Mapping[str, Document]:
        """The documents, by address, that were open when the message that is handled now came."""
        return _open.get({})

    @property
    def unknown(self) -> frozenset[str]:
        """The addresses of the documents whose texts were not known when the message that is handled now came."""
        return _unknown.get(frozenset())

    def take(self, body: bytes) -> None:
        """Handle a message. A malformed one gets an error for an answer if it is a request with an id."""
        try:
            raw = json.loads(body.decode(errors="surrogateescape"))
        except (ValueError, RecursionError):
            raw = None
        if not isinstance(raw, dict) or "jsonrpc" not in raw:
            _log.warning("a message is left out: it is not one of JSON-RPC")
            return
        try:
            if type(raw.get("id", 0)) not in _ID:
                raise JsonRpcInvalidRequest("The id of a request must be a string or a whole number.")
            self._check_turn(raw.get("method"), is_request="id" in raw)
            message = self.structure_message(raw)
        except JsonRpcException as error:
            _log.warning("a message is left out: %s", error)
            if self._is_greeted:
                self._forget_document(raw)
            if "method" in raw and type(raw.get("id")) in _ID:
                self._send_response(raw["id"], error=error.to_response_error())
            return
        self._is_greeted |= raw.get("method") == types.INITIALIZE
        _open.set(self.documents.open)
        _unknown.set(self.documents.unknown)
        self.handle_message(message)

    def _forget_document(self, raw: Mapping[str, Any]) -> None:
        """Treat the text of a document as unknown if a malformed message should have said what the text is."""
        method, params = raw.get("method"), raw.get("params")
        about = params.get("textDocument") if isinstance(params, dict) else None
        uri = about.get("uri") if isinstance(about, dict) else None
        if method not in {types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE} or not isinstance(uri, str):
            return
        self.documents.forget(uri, "a message about its text is malformed")
        if handler := self.fm.features.get(types.TEXT_DOCUMENT_DID_CHANGE):
            about = types.VersionedTextDocumentIdentifier(0, uri)
            handler(types.DidChangeTextDocumentParams(about, []))

    def _check_turn(self, method: object, *, is_request: bool) -> None:
        """Check that a message may come now: `initialize` is the first request, and `shutdown` is the last."""
        if method == types.INITIALIZE and self._is_greeted:
            raise JsonRpcInvalidRequest("This server is initialized already; start another one.")
        if not self._is_greeted and method not in {types.INITIALIZE, types.EXIT}:
            raise JsonRpcServerNotInitialized("The first request must be `initialize`.")
        if self._shutdown and is_request:
            raise JsonRpcInvalidRequest("This server is shut down; start another one.")

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Agree on the encoding of positions before anything else, and offer to serve one folder only."""
        general = params.capabilities.general
        offered = (general.position_encodings if general else None) or ["utf-16"]
        self.documents.encoding = next((one for one in _ENCODINGS if one in offered), "utf-16")
        result = yield from super().lsp_initialize(params)
        result.capabilities.position_encoding = self.documents.encoding
        if result.capabilities.workspace:  # pygls would offer to serve several
            result.capabilities.workspace.workspace_folders = None
        return result

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        """Keep a document that was opened."""
        item = params.text_document
        self.documents.put(item.uri, item.version, item.text)
        yield from self._after(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        """Change a document."""
        self.documents.change(params.text_document.uri, params.text_document.version, params.content_changes)
        yield from self._after(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        """Forget a document."""
        self.documents.close(params.text_document.uri)
        yield from self._after(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _after(self, method: str, params: object) -> Generator[Any, Any, None]:
        """Call the function that is registered for a notification."""
        if handler := self.fm.features.get(method):
            yield handler, (params,), None
