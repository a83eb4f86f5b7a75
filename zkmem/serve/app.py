"""The HTTP face: what is served where, and to whom."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

import anyio
import anyio.to_thread
from mcp.server.auth.routes import build_resource_metadata_url, create_protected_resource_routes
from pydantic import AnyHttpUrl, ConfigDict, TypeAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from zkmem.errors import BadSettings
from zkmem.memory import Memory
from zkmem.serve import site
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.caller import Access, Caller
from zkmem.serve.access.gate import LOOPBACK, Gate, Limits, caller_in, on_behalf
from zkmem.serve.access.issuer import SCOPES, Issuer
from zkmem.serve.access.tokens import Tokens
from zkmem.serve.api.feed import Feed
from zkmem.serve.api.routes import api_routes
from zkmem.serve.mcp.sampling import Endpoint
from zkmem.serve.mcp.server import McpServer
from zkmem.serve.mcp.servers import McpServers
from zkmem.serve.turns import Turns
from zkmem.vault.journal.state import State

_CLIENT = "api"  # what the history calls a client that has no name of its own


class Reach(NamedTuple):
    """Who can reach a server, and how much it takes from them."""

    hosts: Sequence[str] = ()  # names it goes by besides the loopback ones
    issuer: str = ""  # of OAuth tokens
    resource: str = ""  # the address of the MCP endpoint that they are for
    limits: Limits = Limits()


def check_reach(tokens: Tokens, host: str, reach: Reach) -> None:
    """See that a vault is not served to others without a token and the names that it is served under.

    Raises:
        BadSettings: when it is.
    """
    if bool(reach.issuer) != bool(reach.resource):
        raise BadSettings(
            "oauth_issuer and oauth_resource belong together: the address of the MCP endpoint is the latter."
        )
    guarded = bool(reach.issuer) or tokens.held().guards
    abroad = host not in LOOPBACK
    if abroad and not reach.hosts:
        raise BadSettings(
            f"To serve on {host!r}, name what clients will call this server: --allow-host notes.example.org"
        )
    if (abroad or reach.hosts) and not guarded:
        raise BadSettings(
            "To serve beyond this machine, make a token first (zkmem token add NAME), or set oauth_issuer."
        )


def application(
    memory: Memory,
    tokens: Tokens,
    toolsets: Sequence[str],
    endpoint: Endpoint | None = None,
    reach: Reach = Reach(),
    face: type[McpServer] = McpServer,
    options: Mapping[str, object] = {},
) -> tuple[ASGIApp, Callable[[], None]]:
    """Return the ASGI application over a memory, which it starts and closes, and a function that prepares its end.

    That function ends event streams and long work, and may be called from a signal handler. `options`: the settings
    that toolsets may use, by name.
    """
    issuer = Issuer(reach.issuer, reach.resource) if reach.issuer else None
    audit, turns = Audit(State(memory.vault)), Turns()
    faces = McpServers(memory, toolsets, endpoint, audit, reach.limits, turns, face, options)
    feed = Feed(memory, reach.limits.sessions)
    running: list[asyncio.AbstractEventLoop] = []

    def caller(request: Request) -> tuple[Memory, Caller]:
        known = caller_in(request.scope)
        return on_behalf(known.grant.memory(memory), request.scope, audit, _CLIENT), known

    def prepare_end() -> None:
        faces.stop_listeners()
        feed.close()
        for loop in running:
            loop.call_soon_threadsafe(memory.stop)  # in the loop, since a signal handler must not wait for a lock

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        running.append(asyncio.get_running_loop())
        memory.start()
        try:
            async with faces.alive():
                yield
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(memory.close)

    mcp = Route("/mcp", endpoint=faces)
    mcp.path_regex = re.compile(r"/mcp\Z")  # its own ends with "$", which lets "/mcp\n" through as well
    routes: list[BaseRoute] = [
        mcp,
        *api_routes(caller, feed, turns),
        *_metadata(reach),
        *site.routes(),
    ]
    app = Gate(
        Starlette(routes=routes, lifespan=lifespan),
        Access(tokens, issuer, guarded=bool(reach.hosts)),
        hosts=[*LOOPBACK, *reach.hosts],
        limits=reach.limits,
        challenge=_challenge(reach),
    )
    return app, prepare_end


def _metadata(reach: Reach) -> Collection[BaseRoute]:
    """Where clients find the issuer: RFC 9728."""
    if not reach.issuer:
        return ()
    url = TypeAdapter(AnyHttpUrl, config=ConfigDict(url_preserve_empty_path=True)).validate_python  # no "/" at its end
    return create_protected_resource_routes(url(reach.resource), [url(reach.issuer)], SCOPES, "zkmem")


def _challenge(reach: Reach) -> str:
    if not reach.issuer:
        return ' realm="zkmem"'
    return f' resource_metadata="{build_resource_metadata_url(AnyHttpUrl(reach.resource))}"'
