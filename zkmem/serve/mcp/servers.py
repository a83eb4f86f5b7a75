"""The MCP servers of one HTTP process: one for each set of rights, made for the first caller that has these rights."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

import anyio
from anyio.abc import TaskStatus
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from zkmem.caller import LOCAL, Grant, proposer
from zkmem.memory import Memory
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.gate import HookAccess, admitted_in
from zkmem.serve.common import Common
from zkmem.serve.mcp.client import Endpoint
from zkmem.serve.mcp.server import McpServer
from zkmem.serve.mcp.sessions import Sessions
from zkmem.serve.mcp.skills import FOLDER
from zkmem.toolsets.table import OF_A_FOLDER, chosen
from zkmem.toolsets.toolset import Toolset

_Rights = tuple[Grant, tuple[str, ...]]


class Offer(NamedTuple):
    """What a server offers its callers in a vault."""

    toolsets: Sequence[str]
    endpoint: Endpoint | None = None
    options: Mapping[str, object] = {}  # the settings that toolsets use, by name
    propose: bool = False  # edits over MCP are proposed
    read_only: bool = False  # clients over MCP can only read
    server_class: type[McpServer] = McpServer
    audit: bool = False  # the audit log has each request over MCP, not only each edit
    hooks: HookAccess | None = None  # admits the hooks of clients on this machine


class McpServers:
    """An ASGI application that serves MCP to admitted callers. Their rights alone decide which tools they see."""

    def __init__(self, memory: Memory, offer: Offer, audit: Audit, common: Common) -> None:
        """Serve what is offered. The toolsets are for callers whose token names none."""
        self._memory = memory
        self._offer = offer
        self._audit = audit
        self._common = common
        self._servers: dict[_Rights, tuple[McpServer, StreamableHTTPSessionManager]] = {}
        self._lock = anyio.Lock()  # so that no server is made twice
        self._sessions = Sessions(common.limits.sessions)

    @asynccontextmanager
    async def alive(self) -> AsyncIterator[None]:
        """Serve requests inside this context; end all servers when it is left."""
        async with anyio.create_task_group() as tasks:
            self._sessions.tasks = tasks
            try:
                yield
            finally:
                tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        admitted = admitted_in(scope)
        caller, grant = admitted.caller, admitted.caller.grant
        if self._offer.read_only:
            grant = grant._replace(read_only=True)
        if self._offer.propose and not grant.proposes_as:
            grant = grant._replace(proposes_as=proposer(caller.name) if caller.name else LOCAL)
        manager = await self._manager((grant, caller.toolsets or tuple(self._offer.toolsets)))
        await self._sessions.serve(manager, admitted.sender, scope, receive, send)

    def stop_listeners(self) -> None:
        """End all streams of changes. A signal handler may call this."""
        for server, _ in self._servers.values():
            server.stop_listeners()

    async def _manager(self, rights: _Rights) -> StreamableHTTPSessionManager:
        if rights in self._servers:  # nearly always; the lock would take longer than this
            return self._servers[rights][1]
        async with self._lock:
            if rights not in self._servers:
                await self._sessions.tasks.start(self._live, rights)
            return self._servers[rights][1]

    async def _live(self, rights: _Rights, *, task_status: TaskStatus[None]) -> None:
        (grant, toolsets), offer = rights, self._offer
        server = offer.server_class(
            self._memory.restricted(grant),
            allowed(grant, toolsets, offer.options),
            offer.endpoint,
            audit=self._audit,
            logs_requests=offer.audit,
            shares_memory=True,
            threads=self._common.threads,
            streams=self._common.streams,
            skills_folder=str(offer.options.get("skills_folder", FOLDER)),
        )
        manager = StreamableHTTPSessionManager(
            server.server(),
            max_sessions=2 * self._common.limits.sessions,  # a session that gives way ends a little later
            max_request_body_size=self._common.limits.body,
        )
        async with manager.run():
            self._servers[rights] = server, manager
            task_status.started()
            await anyio.sleep_forever()


def allowed(grant: Grant, toolsets: Sequence[str], options: Mapping[str, object] = {}) -> Toolset:
    """Return the tools that a caller may use. A token for a folder, or for reading only, allows fewer."""
    toolset = chosen([name for name in toolsets if not grant.folder or name in OF_A_FOLDER], options)
    return toolset.for_reading() if grant.read_only else toolset
