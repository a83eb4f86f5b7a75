"""Serve several vaults, each below its own path: `/v/NAME/mcp`, `/v/NAME/api/…` and the page at `/v/NAME/`.

Each vault has its own application with its own tokens, which gets paths without `/v/NAME`. A vault that cannot be
opened does not stop the others. A later request to it tries again.
"""

import logging
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from time import monotonic

import anyio
import anyio.to_thread
from anyio import TASK_STATUS_IGNORED
from anyio.abc import TaskGroup, TaskStatus
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from zkmem.errors import ZkError
from zkmem.serve.access.gate import VAULT_KEY
from zkmem.serve.access.headers import check_host, headers_of
from zkmem.serve.access.public import LOOPBACK
from zkmem.serve.app import Application
from zkmem.serve.common import THIS_MACHINE, Reach

PREFIX = "/v/"
_WELL_KNOWN = re.compile(r"/\.well-known/[^/]+/v/([^/]+)(?:/.*)?", re.DOTALL)  # the path is last: RFC 8414 and 9728
_AGAIN_S = 5.0  # at least, between two tries to open a vault

_log = logging.getLogger(__name__)

Open = Callable[[], Application]
"""Opens a vault; raises a ZkError if that is not possible. It reads files."""


def path_of(name: str) -> str:
    """Return the path of the vault with this name, without a slash at the end."""
    return f"{PREFIX}{name}"


class _Vault:
    """A vault, open or not."""

    def __init__(self, name: str, open_: Open) -> None:
        self.name = name
        self._open = open_
        self._tried = 0.0  # when `open` last ended
        self._is_opening = False
        self.application: Application | None = None

    def open(self) -> Exception | None:
        """Open the vault. Return why it cannot be opened; None if it is open."""
        try:
            self.application = self._open()
        except (ZkError, OSError) as error:
            return error
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one vault, the others are served
            _log.exception("the vault %s cannot be opened", self.name)
            return error
        finally:
            self._tried = monotonic()
        return None

    async def ready(self, tasks: TaskGroup) -> Application | None:
        """Return the application; None if the vault cannot be opened. After a while, one request tries again."""
        if self._is_opening:
            return None
        if self.application or monotonic() - self._tried < _AGAIN_S:
            return self.application
        self._is_opening = True
        try:
            error = await anyio.to_thread.run_sync(self.open)
            if error is None:
                await tasks.start(self.live)
            else:
                _log.warning("the vault %s is not served: %s", self.name, error)
        finally:
            self._is_opening = False
        return self.application

    async def live(self, *, task_status: TaskStatus[None] = TASK_STATUS_IGNORED) -> None:
        """Keep the open vault alive. If it fails, the others go on, and a later request opens it again."""
        assert self.application  # noqa: S101 - the caller has opened it
        try:
            async with self.application.alive():
                task_status.started()
                await anyio.sleep_forever()
        except Exception:  # noqa: BLE001 - a fault in one vault must not end the others
            _log.exception("the vault %s has failed", self.name)
            self.application.prepare_end()  # the clients that listen must not wait for what never comes
            self.application, self._tried = None, monotonic()
            with suppress(RuntimeError):  # it had started
                task_status.started()


class Vaults:
    """An ASGI application that passes each request to the application of its vault."""

    def __init__(self, vaults: Mapping[str, Open], reach: Reach = THIS_MACHINE) -> None:
        """Serve these vaults, by name, on a server that others reach so. Open nothing yet."""
        self._reach = reach
        self._vaults = {name: _Vault(name, open_) for name, open_ in vaults.items()}
        self._starlette = Starlette(lifespan=self._alive)
        self._tasks: TaskGroup | None = None

    def open(self) -> dict[str, Exception]:
        """Open all vaults. Return the errors of those that cannot be opened, by name."""
        errors = {name: vault.open() for name, vault in self._vaults.items()}
        return {name: error for name, error in errors.items() if error}

    def prepare_end(self) -> None:
        """End event streams and long work in all vaults. A signal handler may call this."""
        for vault in self._vaults.values():
            if vault.application:
                vault.application.prepare_end()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or start and end all vaults."""
        if scope["type"] == "lifespan":
            await self._starlette(scope, receive, send)
            return
        name, path = _split(scope)
        vault = self._vaults.get(name)
        assert self._tasks  # noqa: S101 - `_alive` is entered before the first request
        if vault and path and (application := await vault.ready(self._tasks)):
            await application.serve({**scope, "path": path, VAULT_KEY: name}, receive, send)
        else:
            await self._own_answer(scope, vault, path)(scope, receive, send)

    @asynccontextmanager
    async def _alive(self, _: Starlette) -> AsyncIterator[None]:
        """Keep the open vaults alive inside this context."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            for vault in self._vaults.values():
                if vault.application:
                    await tasks.start(vault.live)
            try:
                yield
            finally:
                tasks.cancel_scope.cancel()

    def _own_answer(self, scope: Scope, vault: _Vault | None, path: str) -> Response:
        """Answer a request that no application answers. The page of the server is that of the first open vault."""
        try:
            check_host(headers_of(scope), scope["path"], [*LOOPBACK, *self._reach.names], self._reach.public)
        except ZkError as error:
            return _error(scope, error.http_status, str(error), type(error).__name__)
        first = next((name for name, one in self._vaults.items() if one.application), None)
        if vault:
            if not path:
                return RedirectResponse(f"{path_of(vault.name)}/")
            sentence = (
                f"The vault {vault.name!r} cannot be opened now; the log of the server says why. Try again later."
            )
            return _error(scope, 503, sentence, "NoVault")
        if scope["path"] == "/" and first:
            return RedirectResponse(f"{path_of(first)}/")
        if scope["path"] == "/mcp":
            several = f"This server has several vaults, each at an address of its own: {PREFIX}NAME/mcp"
            return _error(scope, 404, several, "NoVault")
        return _error(scope, 404, "This server has nothing at this path.", "NoRoute")


def _split(scope: Scope) -> tuple[str, str]:
    """Return the name of the vault in the path of a request, and the path that its application knows.

    "" stands for no vault, or for no path. A proxy may decide by the path as it was sent, so the beginning must not be
    encoded.
    """
    path: str = scope["path"]
    if hit := _WELL_KNOWN.fullmatch(path):
        return hit[1], path
    name, slash, rest = path.removeprefix(PREFIX).partition("/")
    beginning = f"{PREFIX}{name}{slash}"
    if not path.startswith(PREFIX) or not scope.get("raw_path", path.encode()).startswith(beginning.encode()):
        return "", ""
    return name, slash + rest


def _error(scope: Scope, status: int, sentence: str, kind: str) -> Response:
    """Return an error as the API has it or, for a person's browser, as plain text."""
    headers = {"Retry-After": str(int(_AGAIN_S))} if status == 503 else {}
    if b"text/html" in dict(scope["headers"]).get(b"accept", b""):
        return PlainTextResponse(f"{sentence}\n", status, headers)
    return JSONResponse({"error": {"kind": kind, "message": sentence}}, status, headers)
