"""The language server: it finds the vault, and answers each request by the table of features."""

import asyncio
import functools
import logging
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer

from zkmem import __version__
from zkmem.errors import ZkError
from zkmem.lsp import completion, navigation
from zkmem.lsp.features import Feature, Moment, Request, VaultFeature
from zkmem.lsp.protocol import Protocol
from zkmem.lsp.stream import Writer, start_reader
from zkmem.lsp.workspace import OpenVault, Spelling, Workspace, folder_of
from zkmem.util.collector import give_back

FEATURES: tuple[Feature | VaultFeature, ...] = (*completion.FEATURES, *navigation.FEATURES)

_THREADS = 4
_PATIENCE_S = 5.0  # how long the answer to `initialize` waits for the index: then the first completion need not
_LOOK_S = 5.0  # between two looks whether the editor still runs

_log = logging.getLogger(__name__)


class Server(LanguageServer):
    """The server of one editor. It has one vault, or none."""

    protocol: Protocol

    def __init__(self, open_vault: OpenVault) -> None:
        super().__init__("zkmem", __version__, protocol_cls=Protocol)
        self.files: Workspace | None = None
        self._open_vault = open_vault
        self._threads = ThreadPoolExecutor(_THREADS, "zkmem-lsp")
        self._ended = asyncio.Event()
        self.feature(types.INITIALIZE)(functools.partial(self._initialize))  # pygls marks the function
        for row in FEATURES:
            self.feature(row.method, row.options)(self._handler(row))

    async def run(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        """Serve until the editor closes the input. A request to exit raises `SystemExit`."""
        writer = Writer(stdout)
        self.protocol.set_writer(writer)
        loop = asyncio.get_running_loop()
        start_reader(stdin, lambda body: loop.call_soon_threadsafe(self._take, body))
        await self._ended.wait()
        writer.close()

    def _take(self, body: bytes | None) -> None:
        """Handle a message; end at the end of the input."""
        if body is None:
            self._ended.set()
        else:
            self.protocol.take(body)

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
        folder = next(filter(None, map(folder_of, folders)), None) or params.root_path
        client = f"{params.client_info.name} {params.client_info.version or ''}".strip() if params.client_info else ""
        try:
            await self._in_thread(self._open, folder, client)
        except ZkError as error:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, str(error)))
            return
        if params.process_id and os.name == "posix" and _runs(params.process_id):  # else it is not in this container
            self._editor = asyncio.ensure_future(self._watch(params.process_id))

    async def _watch(self, process: int) -> None:
        """End soon after the editor has ended, even if it has left its pipe to another process."""
        while _runs(process):
            await asyncio.sleep(_LOOK_S)
        self._ended.set()

    def _open(self, folder: str | None, client: str) -> None:
        memory = self._open_vault(folder).on_behalf(client=client or None)
        self.files = Workspace(memory, Spelling.of(folder) if folder else None)
        memory.start()
        self.files.notes.wait(_PATIENCE_S)
        self.files.notes.prepare()
        give_back()

    def _handler(self, row: Feature | VaultFeature) -> Callable[[Any], Awaitable[Any]]:
        """Return the function that answers a method in a thread."""

        async def answer(params: Any) -> Any:
            files = self.files
            if files is None:
                return row.empty
            documents = self.protocol.documents
            moment = Moment(files, documents, self.protocol.open)
            if isinstance(row, VaultFeature):
                return await self._in_thread(row.run, moment, params)
            return await self._in_thread(_answer, row, moment, params)

        return answer

    async def _in_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run work in a thread.

        Raises:
            ZkError: as the work does. JsonRpcException: for any other error.
        """
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)
        except (ZkError, JsonRpcException):
            raise
        except Exception as error:
            _log.exception("a request failed")
            raise JsonRpcInternalError("This failed inside zkmem; its log says why.") from error


def _answer(row: Feature, moment: Moment, params: Any) -> Any:
    """Answer a request about a file."""
    uri = params.text_document.uri
    path = moment.workspace.path(uri)
    if path is None:
        return row.empty
    try:
        text = moment.open.get(uri) or moment.document(path)
        return row.run(Request(moment.workspace, moment.documents, moment.open, path, text), params)
    except OSError as error:  # a file that is gone, or cannot be read
        _log.info("%s: %s", row.method, error)
        return row.empty
    except ZkError as error:
        raise JsonRpcException(str(error), types.LSPErrorCodes.RequestFailed) from error


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it belongs to another user
        return True
    return True


def serve(open_vault: OpenVault) -> int:
    """Serve an editor over standard input and output; return the exit code."""
    # streams of our own: at its end the interpreter would wait for the thread that reads `sys.stdin`
    stdin, stdout = open(0, "rb", closefd=False), open(os.dup(1), "wb")  # noqa: SIM115 - until the process ends
    os.dup2(2, 1)  # what any library or program prints must not get into the protocol
    server = Server(open_vault)
    try:
        asyncio.run(server.run(stdin, stdout))
    except SystemExit as ending:
        return int(ending.code or 0)
    finally:
        server.close()
    return 1  # the editor has ended without a word
