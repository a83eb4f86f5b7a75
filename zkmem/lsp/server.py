"""The language server: it finds the vault, and answers each request by the table of features."""

import asyncio
import contextlib
import functools
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer

from zkmem import __version__
from zkmem.caller import by_program
from zkmem.errors import Closed, NoVault, ZkError
from zkmem.lsp import actions, completion, navigation, renames, symbols
from zkmem.lsp.diagnostics import Publisher
from zkmem.lsp.documents import Document
from zkmem.lsp.features import EditorContext, Feature, FileRequest, VaultFeature
from zkmem.lsp.protocol import Protocol
from zkmem.lsp.revisions import EarlierRequest, revision_in
from zkmem.lsp.stream import Backlog, MessageWriter, read_message
from zkmem.lsp.workspace import OpenVault, Spelling, Workspace, full_path_of
from zkmem.names import is_note
from zkmem.util.collector import give_back, hold_little

FEATURES: tuple[Feature | VaultFeature, ...] = (
    *actions.FEATURES,
    *completion.FEATURES,
    *navigation.FEATURES,
    *renames.FEATURES,
    *symbols.FEATURES,
)

_THREADS = 4
_MOST_UNANSWERED = 100  # messages; each request may hold another version of a document
_PATIENCE_S = 10.0  # how long the answer to `initialize` waits for the index, so that the first completion need not
_LOOK_S = 1.0  # between two looks whether the editor still runs

_log = logging.getLogger(__name__)


class Server(LanguageServer):
    """The server of one editor. It has one vault, or none."""

    protocol: Protocol

    def __init__(self, open_vault: OpenVault) -> None:
        super().__init__("zkmem", __version__, protocol_cls=Protocol)
        self.files: Workspace | None = None
        self._open_vault = open_vault
        self._threads = ThreadPoolExecutor(_THREADS, "zkmem-lsp")
        self._unanswered = Backlog(_MOST_UNANSWERED)  # while there are more, no message is read
        self._free_threads = asyncio.Semaphore(_THREADS)
        self._ended = asyncio.Event()
        self._news: asyncio.Future[Any] | None = None  # the last news of files, which later requests wait for
        self._publisher = Publisher(self)
        handlers: dict[str, Callable[[Any], Any]] = {
            types.INITIALIZE: self._initialize,
            types.TEXT_DOCUMENT_DID_OPEN: lambda params: self._publisher.opened(params.text_document.uri),
            types.TEXT_DOCUMENT_DID_CHANGE: lambda params: self._publisher.changed(params.text_document.uri),
            types.TEXT_DOCUMENT_DID_CLOSE: lambda params: self._publisher.closed(params.text_document.uri),
        }
        for method, handler in handlers.items():
            self.feature(method)(functools.partial(handler))  # pygls marks the function
        for row in FEATURES:
            self.feature(row.method, row.options)(self._handler(row))

    async def run(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        """Serve until the editor closes the input. A request to exit raises `SystemExit`."""
        writer = MessageWriter(stdout)
        self.protocol.set_writer(writer)
        loop = asyncio.get_running_loop()

        def read() -> None:
            with contextlib.suppress(RuntimeError, ValueError, OSError):  # the event loop or the stream was closed
                body: bytes | None = b""
                while body is not None:
                    body = read_message(stdin)
                    self._unanswered.add(1)
                    loop.call_soon_threadsafe(self._take, body)
                    self._unanswered.wait()
                    writer.backlog.wait()

        threading.Thread(target=read, name="zkmem-lsp-read", daemon=True).start()
        await self._ended.wait()
        writer.close()

    def _take(self, body: bytes | None) -> None:
        """Handle a message; end at the end of the input."""
        try:
            if body is None:
                self._ended.set()
            else:
                self.protocol.take(body)
        finally:
            self._unanswered.add(-1)

    def close(self) -> None:
        """Close the vault."""
        if self.files:
            self.files.memory.stop()
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self.files:
            self.files.memory.close()

    def report_server_error(self, error: Exception, source: object) -> None:
        """Write an error to the log. pygls would show it to the user, who has no use for it."""
        _log.warning("%s: %s", getattr(source, "__name__", source), error)

    async def _initialize(self, params: types.InitializeParams) -> None:
        """Open the vault. Wait a moment for its index, so that the first completion finds it."""
        folders = [*(one.uri for one in params.workspace_folders or ()), params.root_uri]
        folder = next(filter(None, map(full_path_of, folders)), None) or params.root_path
        client = f"{params.client_info.name} {params.client_info.version or ''}".strip() if params.client_info else ""
        # an editor whose process does not run here is in another container
        if params.process_id and os.name == "posix" and _runs(params.process_id):
            self._editor = asyncio.ensure_future(self._watch(params.process_id))
        try:
            files = await self.in_thread(self._open, folder, client)
        except ZkError as error:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, str(error)))
            return
        loop = asyncio.get_running_loop()
        self._preparing = asyncio.ensure_future(self.in_thread(_prepare, files, True))
        done, _ = await asyncio.wait([self._preparing], timeout=_PATIENCE_S)
        if not done:
            await self.in_thread(_prepare, files, False)
        files.memory.listen(lambda _: loop.call_soon_threadsafe(self._vault_changed))

    async def _watch(self, process: int) -> None:
        """End soon after the editor has ended, even if it has left its pipe to another process."""
        while _runs(process):
            await asyncio.sleep(_LOOK_S)
        self._ended.set()

    def _open(self, folder: str | None, client: str) -> Workspace:
        memory = self._open_vault(folder).on_behalf(client=by_program("", client))
        files = self.files = Workspace(memory, Spelling.of(folder) if folder else None)
        memory.start()
        return files

    def _vault_changed(self) -> None:
        self._publisher.vault_changed(list(self.protocol.documents.open))

    def _handler(self, row: Feature | VaultFeature) -> Callable[[Any], Awaitable[Any]]:
        """Return the function that answers a method in a thread."""

        async def answer(params: Any) -> Any:
            self._unanswered.add(1)
            try:
                return await self._answered(row, params)
            finally:
                self._unanswered.add(-1)

        return answer

    async def _answered(self, row: Feature | VaultFeature, params: Any) -> Any:
        """Answer a request in a thread, after the last news of files."""
        if self._news and not self._news.done():
            await asyncio.wait([self._news])
        if self.files is None:
            return row.empty
        context = self._context(self.files, self.protocol.open, self.protocol.unknown)
        if isinstance(row, VaultFeature):
            answering = asyncio.ensure_future(self.in_thread(_checked, row, context, params))
            self._news = answering if row.is_news else self._news
            return await answering
        return await self.in_thread(_answer, row, context, params)

    def _context(self, files: Workspace, documents: Mapping[str, Document], unknown: frozenset[str]) -> EditorContext:
        loop = asyncio.get_running_loop()

        def tell(method: str, text: str) -> None:
            params = types.ShowMessageParams(types.MessageType.Info, text)
            loop.call_soon_threadsafe(self.protocol.notify, method, params)

        return EditorContext(
            files, self.protocol.documents, documents, self.protocol.client_capabilities, unknown, tell
        )

    def request_now(self, uri: str) -> FileRequest | None:
        """Return a request about an open document as it is now; None if it is no note of the vault."""
        documents, unknown = self.protocol.documents.open, self.protocol.documents.unknown
        path = self.files.path(uri) if self.files else None
        if self.files is None or path is None or not is_note(path) or uri not in documents:
            return None
        return self._context(self.files, documents, unknown).about(path, documents[uri])

    async def in_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run work in a thread."""
        await self._free_threads.acquire()  # a request that is cancelled before is forgotten at once
        working = asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)
        working.add_done_callback(lambda _: self._free_threads.release())
        try:
            return await asyncio.shield(working)  # a thread cannot be cancelled
        except (ZkError, JsonRpcException):
            raise
        except Exception as error:
            _log.exception("a request failed")
            raise JsonRpcInternalError("This failed inside zkmem; its log says why.") from error


def _prepare(files: Workspace, complete: bool) -> None:
    """Make what a first completion needs, and give back the memory that this work used."""
    with contextlib.suppress(Closed, NoVault):  # a later request raises it
        files.notes.prepare(complete=complete)
    give_back()


def _answer(row: Feature, context: EditorContext, params: Any) -> Any:
    """Answer a request about a file."""
    uri = params.text_document.uri
    path = context.workspace.path(uri)
    if path is None and uri in context.open and (revision := revision_in(uri)):
        old_path = context.workspace.path_at(revision.full)
        earlier = EarlierRequest(context, old_path, context.open[uri], revision) if old_path else None
        return (earlier and earlier.answer(row.method, params)) or row.empty
    if path is None or path in context.unknown_paths or not row.is_about(path):
        return row.empty
    try:
        text = context.open.get(uri) or context.document(path)
        return _checked(row, context.about(path, text), params)
    except OSError as error:  # a file that is gone, or cannot be read
        _log.info("%s: %s", row.method, error)
        return row.empty


def _checked(row: Feature | VaultFeature, context: Any, params: Any) -> Any:
    """Answer a request; turn an error with a sentence into one of the protocol."""
    try:
        return row.run(context, params)
    except ZkError as error:
        raise JsonRpcException(str(error), types.LSPErrorCodes.RequestFailed) from error


def _runs(process: int) -> bool:
    if process <= 0:  # it would stand for a group of processes
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):  # no process has a number that is too large
        return False
    except OSError:  # it belongs to another user
        return True
    return True


def serve(open_vault: OpenVault) -> int:
    """Serve an editor over standard input and output; return the exit code.

    Requests that are not answered may still run in threads: end the process without waiting for them.
    """
    # streams of our own: at its end the interpreter would wait for the thread that reads `sys.stdin`
    stdin, stdout = open(0, "rb", closefd=False), open(os.dup(1), "wb")  # noqa: SIM115 - until the process ends
    hold_little()
    os.dup2(2, 1)  # what any library or program prints must not get into the protocol
    server = Server(open_vault)
    try:
        asyncio.run(server.run(stdin, stdout))
    except SystemExit as ending:
        return int(ending.code or 0)
    finally:
        server.close()
    _log.warning("The editor has ended, or closed the input, without a request to exit.")
    return 1
