"""Build the HTTP application for one vault: its routes, and the callers that may use them."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import NamedTuple

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from zkmem.memory import Memory
from zkmem.serve import site
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.caller import Access, Identity
from zkmem.serve.access.gate import Gate, Limits
from zkmem.serve.access.hooks import HookAccess
from zkmem.serve.access.issuer import Issuer
from zkmem.serve.access.public import LOOPBACK
from zkmem.serve.access.signin.own import OwnSignIns
from zkmem.serve.access.signin.users import Users
from zkmem.serve.access.tokens import Tokens
from zkmem.serve.api.feed import Feed
from zkmem.serve.api.routes import api_routes
from zkmem.serve.common import Common
from zkmem.serve.hook import hook_route
from zkmem.serve.mcp.sampling import Endpoint
from zkmem.serve.mcp.server import McpServer
from zkmem.serve.mcp.servers import McpServers
from zkmem.serve.reach import THIS_MACHINE, Reach, challenge, metadata_routes
from zkmem.serve.sign_in import SignIn
from zkmem.vault.journal.state import State


class Application(NamedTuple):
    """The HTTP application for one vault."""

    serve: ASGIApp  # starts and closes the memory at ASGI's lifespan events
    alive: Callable[[], AbstractAsyncContextManager[None]]  # does so for a block, where nobody sends these events
    prepare_end: Callable[[], None]  # ends event streams and long work; a signal handler may call it


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


def application(
    memory: Memory,
    tokens: Tokens,
    offer: Offer,
    reach: Reach = THIS_MACHINE,
    common: Common | None = None,
    name: str = "",
) -> Application:
    """Return the application for a memory.

    `common`: what it shares with the other vaults of the server; `name`: its name among them.
    """
    common = common or Common(reach.limits)
    audit = Audit(State(memory.vault))
    users = Users(common.store, memory.vault)
    sign_in = SignIn(reach.public, common, memory.vault, name, users, tokens, audit) if reach.public else None
    guarded = bool(reach.hosts) or common.was_guarded(name) or tokens.load().guards
    issuer = Issuer(reach.issuer, reach.resource) if reach.issuer else None
    access = Access(tokens, issuer, sign_in.signins if sign_in else None, guarded=guarded)
    life = _Life(memory, _mcp_servers(memory, offer, audit, reach.limits, common))

    def admits(caller: Identity) -> bool:
        return users.has(caller.person) if caller.person else not (caller.name or access.is_known_guarded)

    own, place = OwnSignIns(sign_in.ways if sign_in else None), common.place(name, memory.vault, access, admits)
    routes = [
        _mcp_route(life.mcp_servers),
        *([hook_route(memory, offer.hooks.parts, common.threads)] if offer.hooks else ()),
        *api_routes(memory, audit, life.feed, common.threads, own, place, common.streams),
        *metadata_routes(reach),
        *(sign_in.routes() if sign_in else ()),
        *site.routes(sign_in.kind if sign_in else lambda: site.SignIn.TOKEN),
    ]
    starlette = Starlette(routes=routes, lifespan=lambda _: life.alive())

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        """Pass MCP requests on at once: Starlette takes a twentieth of the time of a read."""
        await (life.mcp_servers if scope.get("path") == "/mcp" else starlette)(scope, receive, send)

    gate = Gate(
        served,
        access,
        hosts=[*LOOPBACK, *reach.names],
        limits=reach.limits,
        bodies=common.bodies,
        challenge=challenge(reach),
        public=reach.public,
        hooks=offer.hooks,
    )
    return Application(gate, life.alive, life.prepare_end)


class _Life:
    """What starts and ends with the application of one vault: its memory, its MCP servers and its event streams."""

    def __init__(self, memory: Memory, mcp_servers: McpServers) -> None:
        self.mcp_servers = mcp_servers
        self.feed = Feed(memory)
        self._memory = memory
        self._loop: asyncio.AbstractEventLoop | None = None

    @asynccontextmanager
    async def alive(self) -> AsyncIterator[None]:
        """Start the memory, and close it when the block ends."""
        self._loop = asyncio.get_running_loop()
        self._memory.start()
        try:
            async with self.mcp_servers.alive():
                yield
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._memory.close)

    def prepare_end(self) -> None:
        """End event streams and long work."""
        self.mcp_servers.stop_listeners()
        self.feed.close()
        if self._loop:  # in the loop, since a signal handler must not wait for a lock
            self._loop.call_soon_threadsafe(self._memory.stop)


def _mcp_servers(memory: Memory, offer: Offer, audit: Audit, limits: Limits, common: Common) -> McpServers:
    return McpServers(
        memory, offer.toolsets, offer.endpoint, audit, limits, common, offer.server_class, offer.options,
        propose=offer.propose, read_only=offer.read_only, logs_requests=offer.audit,
    )  # fmt: skip


def _mcp_route(mcp_servers: McpServers) -> BaseRoute:
    route = Route("/mcp", endpoint=mcp_servers)
    route.path_regex = re.compile(r"/mcp\Z")  # the default pattern ends with "$", which also matches "/mcp\n"
    return route
