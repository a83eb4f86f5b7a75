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
from zkmem.serve.app import Application

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
        self._tried = 0.0  # when `open` was last called
        self._lock = anyio.Lock()  # so that it is opened once
        self.application: Application | None = None

    def open(self) -> None:
        """Open the vault.

        Raises:
            ZkError, OSError: when it cannot be opened.
        """
        self._tried = monotonic()
        self.application = self._open()

    async def ready(self, tasks: TaskGroup) -> Application | None:
        """Return the application; None if the vault cannot be opened. After a while, try again."""
        if self.application:
            return self.application
        async with self._lock:
            if self.application is None and monotonic() - self._tried >= _AGAIN_S:
                try:
                    await anyio.to_thread.run_sync(self.open)
                except (ZkError, OSError) as error:
                    _log.warning("the vault %s is not served: %s", self.name, error)
                else:
                    await tasks.start(self.live)
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
            self.application, self._tried = None, monotonic()
            with suppress(RuntimeError):  # it had started
                task_status.started()


class Vaults:
    """An ASGI application that passes each request to the application of its vault."""

    def __init__(self, vaults: Mapping[str, Open]) -> None:
        """Serve these vaults, by name. Open nothing yet."""
        self._vaults = {name: _Vault(name, open_) for name, open_ in vaults.items()}
        self._starlette = Starlette(lifespan=self._alive)
        self._tasks: TaskGroup | None = None

    def open(self) -> dict[str, Exception]:
        """Open all vaults. Return the errors of those that cannot be opened, by name."""
        errors: dict[str, Exception] = {}
        for name, vault in self._vaults.items():
            try:
                vault.open()
            except (ZkError, OSError) as error:
                errors[name] = error
        return errors

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
        assert self._tasks  # noqa: S101 - `_alive` is entered before the first request
        name, path = _split(scope["path"])
        vault = self._vaults.get(name)
        if vault is None:
            answer = self._elsewhere(scope)
        elif not path:
            answer = RedirectResponse(f"{path_of(name)}/")
        elif application := await vault.ready(self._tasks):
            await application.serve({**scope, "path": path, VAULT_KEY: name}, receive, send)
            return
        else:
            sentence = f"The vault {name!r} cannot be opened now; the log of the server says why. Try again later."
            answer = _error(scope, 503, sentence)
        await answer(scope, receive, send)

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

    def _elsewhere(self, scope: Scope) -> Response:
        """Return the response to a request that is for no vault. The path `/` leads to the first vault that is open."""
        path = scope["path"]
        first = next((name for name, vault in self._vaults.items() if vault.application), None)
        if path == "/" and first:
            return RedirectResponse(f"{path_of(first)}/")
        if path == "/mcp":
            return _error(
                scope, 404, f"This server has several vaults, each at an address of its own: {PREFIX}NAME/mcp"
            )
        return _error(scope, 404, "This server has nothing at this path.")


def _split(path: str) -> tuple[str, str]:
    """Return the name of the vault in the path of a request, and the path that its application knows.

    "" stands for no vault, or for no path.
    """
    if hit := _WELL_KNOWN.fullmatch(path):
        return hit[1], path
    if not path.startswith(PREFIX):
        return "", ""
    name, slash, rest = path.removeprefix(PREFIX).partition("/")
    return name, slash + rest


def _error(scope: Scope, status: int, sentence: str) -> Response:
    """Return an error as the API has it or, for a person's browser, as plain text."""
    headers = {"Retry-After": str(int(_AGAIN_S))} if status == 503 else {}
    if b"text/html" in dict(scope["headers"]).get(b"accept", b""):
        return PlainTextResponse(f"{sentence}\n", status, headers)
    return JSONResponse({"error": {"kind": "NoVault", "message": sentence}}, status, headers)
