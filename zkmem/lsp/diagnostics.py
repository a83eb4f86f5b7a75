"""Publish the faults of the open documents: soon after they are opened or changed, and after the vault has changed."""

import asyncio
import contextvars
from typing import TYPE_CHECKING

from lsprotocol import types

from zkmem.lsp.features import FileRequest
from zkmem.memory.editor import Fault

if TYPE_CHECKING:
    from zkmem.lsp.server import Server

_MOST = 500  # of one document
_TYPING_S = 0.3  # after a change: more may follow
_SAVING_S = 0.5  # after a change of the vault

_SEVERITIES = {
    "missing": types.DiagnosticSeverity.Information,
    "ambiguous": types.DiagnosticSeverity.Information,
}


def diagnostic(request: FileRequest, fault: Fault) -> types.Diagnostic:
    """Return a fault as the protocol has it: the code is its kind, and the data are what a correction needs."""
    data = {"target": fault.target, "subpath": fault.subpath, "path": fault.path, "choices": list(fault.choices)}
    return types.Diagnostic(
        range=request.text.range(fault.start, fault.end),
        message=fault.sentence,
        severity=_SEVERITIES.get(fault.kind, types.DiagnosticSeverity.Warning),
        code=fault.kind,
        source="zkmem",
        data=data,
    )


def diagnostics(request: FileRequest) -> tuple[list[types.Diagnostic], frozenset[str]]:
    """Return the faults of a document, and the addresses of the documents that were read to find them."""
    read: set[str] = set()

    def text_of(path: str) -> bytes:
        document = request.document(path)
        read.add(document.uri)
        return document.data

    faults = request.notes.faults(request.path, request.text.data, text_of)
    shown = [diagnostic(request, fault) for fault in faults[:_MOST]]
    if len(faults) > _MOST:
        text = f"Only the first {_MOST} of {len(faults)} problems of this note are shown; zkmem check lists all."
        shown.append(
            types.Diagnostic(request.text.range(0, 0), text, types.DiagnosticSeverity.Information, source="zkmem")
        )
    return shown, frozenset(read)


class Publisher:
    """Publishes the faults of the open documents. Its methods are called in the event loop."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._read: dict[str, frozenset[str]] = {}  # for each document, those whose headings or blocks its links name

    def opened(self, uri: str) -> None:
        """Publish the faults of a document now."""
        self._later(uri, 0)

    def changed(self, uri: str) -> None:
        """Publish the faults of a document when nobody has typed for a moment."""
        self._later(uri, _TYPING_S)
        self._recheck_readers_of(uri)

    def vault_changed(self, uris: list[str]) -> None:
        """Publish the faults of some documents soon, unless that will happen anyway."""
        for uri in uris:
            if uri not in self._waiting:
                self._later(uri, _SAVING_S)

    def closed(self, uri: str) -> None:
        """Remove the faults of a document."""
        if waiting := self._waiting.pop(uri, None):
            waiting.cancel()
        if task := self._tasks.pop(uri, None):
            task.cancel()
        self._read.pop(uri, None)
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        self._recheck_readers_of(uri)

    def _recheck_readers_of(self, uri: str) -> None:
        """Publish the faults of the documents with links to parts of one that has changed."""
        self.vault_changed([other for other, read in self._read.items() if uri in read and other != uri])

    def _later(self, uri: str, seconds: float) -> None:
        if waiting := self._waiting.pop(uri, None):
            waiting.cancel()
        # In an empty context: that of this message would keep all present documents in memory until the timer ends.
        loop, context = asyncio.get_running_loop(), contextvars.Context()
        self._waiting[uri] = loop.call_later(seconds, self._start, uri, context=context)

    def _start(self, uri: str) -> None:
        self._waiting.pop(uri, None)
        if uri in self._tasks:  # one at a time
            self._later(uri, _TYPING_S)
            return
        task = self._tasks[uri] = asyncio.ensure_future(self._run(uri))
        task.add_done_callback(lambda _: self._tasks.pop(uri, None))

    async def _run(self, uri: str) -> None:
        request = self._server.request_now(uri)
        if request is None:  # its text is not known, or it is no note of the vault
            self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
            return
        diagnostics_now, self._read[uri] = await self._server.in_thread(diagnostics, request)
        version = request.text.version
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics_now, version))
