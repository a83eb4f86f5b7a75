"""The MCP servers of one process over HTTP: one for all callers with the same rights, made when the first one comes."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from zkmem.confined import Grant
from zkmem.memory import Memory
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.gate import Limits, caller_in
from zkmem.serve.mcp.sampling import Endpoint
from zkmem.serve.mcp.server import McpServer
from zkmem.serve.turns import Turns
from zkmem.toolsets.table import OF_A_FOLDER, chosen
from zkmem.toolsets.toolset import Toolset

_Rights = tuple[Grant, tuple[str, ...]]


class McpServers:
    """An ASGI application: MCP for whoever the gate let in. What it lists depends on the caller's rights alone."""

    def __init__(
        self,
        memory: Memory,
        toolsets: Sequence[str],
        endpoint: Endpoint | None,
        audit: Audit,
        limits: Limits,
        turns: Turns,
        face: type[McpServer] = McpServer,
        options: Mapping[str, object] = {},
    ) -> None:
        """Serve `toolsets`, with the settings in `options`, to callers whose token names none."""
        self._turns = turns
        self._face = face
        self._memory = memory
        self._toolsets = tuple(toolsets)
        self._options = options
        self._endpoint = endpoint
        self._audit = audit
        self._limits = limits
        self._faces: dict[_Rights, tuple[McpServer, StreamableHTTPSessionManager]] = {}
        self._making = anyio.Lock()
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def alive(self) -> AsyncIterator[None]:
        """Serve as long as this is entered."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        caller = caller_in(scope)
        manager = await self._manager((caller.grant, caller.toolsets or self._toolsets))
        await manager.handle_request(scope, receive, send)

    def stop_listeners(self) -> None:
        """End all streams of news; from a signal handler too."""
        for face, _ in self._faces.values():
            face.stop_listeners()

    async def _manager(self, rights: _Rights) -> StreamableHTTPSessionManager:
        async with self._making:
            if rights not in self._faces:
                assert self._tasks is not None  # noqa: S101 - the lifespan comes first
                await self._tasks.start(self._live, rights)
            return self._faces[rights][1]

    async def _live(self, rights: _Rights, *, task_status: TaskStatus[None]) -> None:
        grant, toolsets = rights
        memory = grant.memory(self._memory)
        face = self._face(
            memory,
            allowed(grant, toolsets, self._options),
            self._endpoint,
            audit=self._audit,
            passing=True,
            turns=self._turns,
        )
        manager = StreamableHTTPSessionManager(
            face.server(), max_sessions=self._limits.sessions, max_request_body_size=self._limits.body
        )
        async with manager.run():
            self._faces[rights] = face, manager
            task_status.started()
            await anyio.sleep_forever()


def allowed(grant: Grant, toolsets: Sequence[str], options: Mapping[str, object] = {}) -> Toolset:
    """What a caller is offered: of a folder, what needs no other note; for reading, what changes none."""
    found = chosen([name for name in toolsets if not grant.folder or name in OF_A_FOLDER], options)
    if grant.read_only:
        return found._replace(tools=tuple(tool for tool in found.tools if tool.effects.read_only))
    return found
