"""Build the HTTP application: its routes, and the callers that may use them."""

import asyncio
import os
import re
import shlex
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import NamedTuple

import anyio
import anyio.to_thread
from mcp.server.auth.routes import build_resource_metadata_url, create_protected_resource_routes
from pydantic import AnyHttpUrl, ConfigDict, TypeAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from zkmem.errors import BadSettings
from zkmem.memory import Memory
from zkmem.serve import site
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.caller import Access, Identity
from zkmem.serve.access.gate import Gate, Limits, api_client, caller_in, on_behalf
from zkmem.serve.access.issuer import SCOPES, Issuer
from zkmem.serve.access.public import LOOPBACK, PublicUrl
from zkmem.serve.access.signin.own import OwnSignIns, Ways
from zkmem.serve.access.signin.page_routes import PageRoutes
from zkmem.serve.access.signin.page_sessions import PageSessions
from zkmem.serve.access.signin.passkeys import Passkeys
from zkmem.serve.access.signin.provider import Desk
from zkmem.serve.access.signin.routes import SignInRoutes
from zkmem.serve.access.signin.signins import SignIns
from zkmem.serve.access.signin.users import Users
from zkmem.serve.access.tokens import Tokens
from zkmem.serve.api.feed import Feed
from zkmem.serve.api.routes import api_routes
from zkmem.serve.common import Common
from zkmem.serve.mcp.sampling import Endpoint
from zkmem.serve.mcp.server import McpServer
from zkmem.serve.mcp.servers import McpServers
from zkmem.vault.journal.state import State


class Reach(NamedTuple):
    """Who can reach a server, and the limits for their requests."""

    hosts: Sequence[str] = ()  # names of the server besides the loopback ones
    issuer: str = ""  # the address of the OAuth issuer; empty for none
    resource: str = ""  # the address of the MCP endpoint, the audience of OAuth tokens
    limits: Limits = Limits()
    public: PublicUrl | None = None  # the address at which users sign in; None if they cannot

    @property
    def names(self) -> list[str]:
        """Return the names of the server besides the loopback ones, with that of the public address."""
        return [*self.hosts, *([self.public.host] if self.public else [])]


def check_reach(tokens: Tokens, host: str, reach: Reach, vault: str, *, has_users: bool = False) -> None:
    """Check that a server that others can reach requires tokens and has host names. `has_users`: some can sign in.

    Raises:
        BadSettings: when it does not, when only one of the two OAuth settings is set, or when users cannot sign in.
    """
    named = f" --vault {shlex.quote(vault)}"
    if reach.public and reach.issuer:
        raise BadSettings(
            "public_url and oauth_issuer exclude each other: with public_url, users sign in to zkmem itself."
        )
    if reach.public and not has_users:
        raise BadSettings(
            f"With public_url, users sign in with a name and a password; add one: zkmem user add NAME{named}"
        )
    if bool(reach.issuer) != bool(reach.resource):
        raise BadSettings(
            "oauth_issuer and oauth_resource belong together: set oauth_resource to the address of the MCP endpoint."
        )
    guarded = bool(reach.issuer) or reach.public is not None or tokens.load().guards
    beyond = host not in LOOPBACK
    if beyond and not reach.names:
        raise BadSettings(
            f"To serve on {host!r}, give the host name that clients will use: --allow-host notes.example.org"
        )
    if (beyond or reach.hosts) and not guarded:
        raise BadSettings(
            f"To serve beyond this machine, make a token first (zkmem token add NAME{named}), or set oauth_issuer."
        )


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
    server_class: type[McpServer] = McpServer


def application(
    memory: Memory, tokens: Tokens, offer: Offer, reach: Reach = Reach(), common: Common | None = None, name: str = ""
) -> Application:
    """Return the application for a memory.

    `common`: what it shares with the other vaults of the server; `name`: its name among them.
    """
    common = common or Common(reach.limits)
    issuer = Issuer(reach.issuer, reach.resource) if reach.issuer else None
    audit = Audit(State(memory.vault))
    users = Users(common.store, memory.vault)
    signins = SignIns(common.store, memory.vault, reach.public.base) if reach.public else None
    passkeys = Passkeys(common.store, memory.vault, reach.public) if reach.public else None
    ways = Ways(signins, passkeys, audit) if signins and passkeys else None
    guarded = bool(reach.hosts) or common.was_guarded(name) or tokens.load().guards
    access = Access(tokens, issuer, signins, guarded=guarded)
    mcp_servers = McpServers(
        memory, offer.toolsets, offer.endpoint, audit, reach.limits, common.threads, offer.server_class, offer.options,
        propose=offer.propose,
    )  # fmt: skip
    feed = Feed(memory, reach.limits.sessions)
    loops: list[asyncio.AbstractEventLoop] = []

    def identify(request: Request) -> tuple[Memory, Identity]:
        caller = caller_in(request.scope)
        client = api_client(request.headers)
        return on_behalf(memory.restricted(caller.grant), request.scope, audit, client), caller

    def admits(caller: Identity) -> bool:
        return users.has(caller.person) if caller.person else not (caller.name or access.is_known_guarded)

    def sign_in() -> site.SignIn:
        if passkeys is None:
            return site.SignIn.TOKEN
        return site.SignIn.PASSKEY if passkeys.are_used() else site.SignIn.PASSWORD

    def prepare_end() -> None:
        mcp_servers.stop_listeners()
        feed.close()
        for loop in loops:
            loop.call_soon_threadsafe(memory.stop)  # in the loop, since a signal handler must not wait for a lock

    @asynccontextmanager
    async def alive() -> AsyncIterator[None]:
        loops.append(asyncio.get_running_loop())
        memory.start()
        try:
            async with mcp_servers.alive():
                yield
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(memory.close)

    shown = name or os.path.basename(memory.vault)
    signin_routes: list[BaseRoute] = []
    if reach.public and signins and passkeys:
        desk = Desk(reach.public, common.store, signins, audit, common.documents, common.counters, passkeys)
        signin_routes += SignInRoutes(desk, users, tokens, memory.vault, shown).routes()
        sessions = PageSessions(desk, users, tokens, name)
        if name:
            common.sessions[name] = sessions
        signin_routes += PageRoutes(desk, sessions, common.sessions).routes()
    place = common.place(name, memory.vault, access, admits)
    routes = [
        _mcp_route(mcp_servers),
        *api_routes(identify, feed, common.threads, OwnSignIns(ways), place),
        *_metadata(reach),
        *signin_routes,
        *site.routes(sign_in),
    ]
    starlette = Starlette(routes=routes, lifespan=lambda _: alive())

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        """Pass MCP requests on at once: Starlette takes a twentieth of the time of a read."""
        await (mcp_servers if scope.get("path") == "/mcp" else starlette)(scope, receive, send)

    gate = Gate(
        served,
        access,
        hosts=[*LOOPBACK, *reach.names],
        limits=reach.limits,
        bodies=common.bodies,
        challenge=_challenge(reach),
        public=reach.public,
    )
    return Application(gate, alive, prepare_end)


def _mcp_route(mcp_servers: McpServers) -> BaseRoute:
    route = Route("/mcp", endpoint=mcp_servers)
    route.path_regex = re.compile(r"/mcp\Z")  # the default pattern ends with "$", which also matches "/mcp\n"
    return route


def _metadata(reach: Reach) -> Collection[BaseRoute]:
    """Return the routes at which clients look up the issuer (RFC 9728); none without an issuer."""
    resource, issuer = _resource_and_issuer(reach)
    if not issuer:
        return ()
    # without the option, it would add "/" at the end
    url = TypeAdapter(AnyHttpUrl, config=ConfigDict(url_preserve_empty_path=True)).validate_python
    return create_protected_resource_routes(url(resource), [url(issuer)], SCOPES, "zkmem")


def _resource_and_issuer(reach: Reach) -> tuple[str, str]:
    """Return the address of the MCP endpoint and that of its OAuth issuer; empty texts without an issuer."""
    return (reach.public.resource, reach.public.base) if reach.public else (reach.resource, reach.issuer)


def _challenge(reach: Reach) -> str:
    resource, issuer = _resource_and_issuer(reach)
    if not issuer:
        return ' realm="zkmem"'
    return f' resource_metadata="{build_resource_metadata_url(AnyHttpUrl(resource))}"'
