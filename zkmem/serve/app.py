"""Build the HTTP application for one vault: its routes, and the callers that may use them."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import NamedTuple

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from zkmem.caller import Grant
from zkmem.errors import ZkError
from zkmem.hooks.answers import HookParts
from zkmem.hooks.servers import PATH
from zkmem.memory import Memory
from zkmem.serve import site
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.gate import HOOK, Gate
from zkmem.serve.access.issuer import Issuer
from zkmem.serve.access.public import LOOPBACK, PublicUrl
from zkmem.serve.access.signin.desk import Desk
from zkmem.serve.access.signin.own import OwnSignIns
from zkmem.serve.access.signin.page_routes import PageRoutes, PageSessions
from zkmem.serve.access.signin.passkeys import Passkeys
from zkmem.serve.access.signin.routes import SignInRoutes
from zkmem.serve.access.signin.signins import SignIns
from zkmem.serve.access.signin.users import Users
from zkmem.serve.access.tokens import Access, Tokens
from zkmem.serve.api.feed import Feed
from zkmem.serve.api.routes import api_routes
from zkmem.serve.common import THIS_MACHINE, Common, Reach, challenge, metadata_routes
from zkmem.serve.mcp.servers import McpServers, Offer
from zkmem.serve.turns import WorkerThreads
from zkmem.vault.journal.state import StateFolder


class Application(NamedTuple):
    """The HTTP application for one vault."""

    serve: ASGIApp  # starts and closes the memory at ASGI's lifespan events
    alive: Callable[[], AbstractAsyncContextManager[None]]  # starts and closes it around a `with` block instead
    prepare_end: Callable[[], None]  # ends event streams and long work; a signal handler may call it


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
    audit = Audit(StateFolder(memory.vault))
    users = Users(common.store, memory.vault)
    sign_in = _SignIn(reach.public, common, memory.vault, name, users, tokens, audit) if reach.public else None
    guarded = bool(reach.hosts) or common.was_guarded(name) or tokens.load().guards
    issuer = Issuer(reach.issuer, reach.resource) if reach.issuer else None  # excludes a public address
    access = Access(tokens, sign_in.desk.signins if sign_in else issuer, guarded=guarded)
    life = _Life(memory, McpServers(memory, offer, audit, common))
    own = OwnSignIns(sign_in.desk if sign_in else None)
    if name:
        common.add(name, memory.vault, access, users)
    routes = [
        _mcp_route(life.mcp_servers),
        *([_hook_route(memory, offer.hooks.parts, common.threads)] if offer.hooks else ()),
        *api_routes(memory, audit, life.feed, common, own, name),
        *metadata_routes(reach),
        *(sign_in.routes() if sign_in else ()),
        *site.routes(sign_in.desk.passkeys if sign_in else None, modules=common.page_modules),
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


def _mcp_route(mcp_servers: McpServers) -> BaseRoute:
    route = Route("/mcp", endpoint=mcp_servers)
    route.path_regex = re.compile(r"/mcp\Z")  # the default pattern ends with "$", which also matches "/mcp\n"
    return route


class _SignIn:
    """The sign-in to one vault."""

    def __init__(
        self, public: PublicUrl, common: Common, vault: str, name: str, users: Users, tokens: Tokens, audit: Audit
    ) -> None:
        """`name`: the vault's name if the server has several, else ""; `vault`: its real path."""
        store, signins = common.store, SignIns(common.store, vault, public.base)
        self.desk = Desk(
            public,
            store,
            signins,
            Passkeys(store, vault, public),
            users,
            tokens,
            audit,
            common.documents,
            common.counters,
        )
        sessions = PageSessions(self.desk, name)
        if name:
            common.sessions[name] = sessions
        self._of_clients = SignInRoutes(self.desk, name or os.path.basename(vault))
        self._of_page = PageRoutes(sessions, common.sessions)

    def routes(self) -> list[BaseRoute]:
        """Return the routes for clients and for the page."""
        return [*self._of_clients.routes(), *self._of_page.routes()]


def _hook_route(memory: Memory, parts: HookParts, threads: WorkerThreads) -> Route:
    """Return the route that answers hooks. The gate has checked the request."""

    def answer(query: Mapping[str, str], data: bytes) -> bytes:
        folder, toolsets = query.get("folder", "").strip("/"), query.get("toolsets")
        allowed = memory.restricted(Grant(folder)) if folder else memory
        own = parts.of_entry(toolsets.split(",") if toolsets else (), read_only="read_only" in query)
        return allowed.answer_hook(query.get("event", ""), query.get("client", ""), data, own)

    async def respond(request: Request) -> Response:
        try:
            body = await threads.of(writes=False).run(HOOK, answer, request.query_params, await request.body())
        except (ZkError, OSError) as error:  # the hook answers by itself then
            return Response(str(error), getattr(error, "http_status", 500), media_type="text/plain")
        return Response(body, media_type="application/json")

    return Route(PATH, respond, methods=["POST"])
