"""The HTTP face: what is served where, and to whom."""

import re
from collections.abc import AsyncIterator, Callable, Collection, Sequence
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
from zkmem.serve import api, site
from zkmem.serve.access import Access, Caller
from zkmem.serve.audit import Audit
from zkmem.serve.faces import Faces
from zkmem.serve.feed import Feed
from zkmem.serve.gate import LOOPBACK, Gate, Limits, caller_in, on_behalf
from zkmem.serve.issuer import SCOPES, Issuer
from zkmem.serve.mcp_server import Face
from zkmem.serve.model import Endpoint
from zkmem.vault.state import State
from zkmem.vault.tokens import Tokens

_CLIENT = "api"  # what the history calls a client that has no name of its own


class Reach(NamedTuple):
    """Who can reach a server, and how much it takes from them."""

    hosts: Sequence[str] = ()  # names it goes by besides the loopback ones
    issuer: str = ""  # of OAuth tokens
    resource: str = ""  # the address of the MCP endpoint that they are for
    limits: Limits = Limits()


def check_reach(vault: str, host: str, reach: Reach) -> None:
    """See that a vault is not served to others without a token and the names that it is served under.

    Raises:
        BadSettings: when it is.
    """
    if bool(reach.issuer) != bool(reach.resource):
        raise BadSettings(
            "oauth_issuer and oauth_resource belong together: the address of the MCP endpoint is the latter."
        )
    guarded = bool(reach.issuer or Tokens(State(vault)).all())
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
    toolsets: Sequence[str],
    endpoint: Endpoint | None = None,
    reach: Reach = Reach(),
    face: type[Face] = Face,
) -> tuple[ASGIApp, Callable[[], None]]:
    """The ASGI application over a memory, which it starts and closes; and what ends its streams of news."""
    state = State(memory.vault)
    issuer = Issuer(reach.issuer, reach.resource) if reach.issuer else None
    audit = Audit(state)
    faces, feed = Faces(memory, toolsets, endpoint, audit, reach.limits, face), Feed(memory, reach.limits.sessions)

    def caller(request: Request) -> tuple[Memory, Caller]:
        known = caller_in(request.scope)
        return on_behalf(known.grant.memory(memory), request.scope, audit, _CLIENT), known

    def stop_listeners() -> None:
        faces.stop_listeners()
        feed.close()

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
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
        *api.routes(caller, feed),
        *_metadata(reach),
        *site.routes(),
    ]
    app = Gate(
        Starlette(routes=routes, lifespan=lifespan),
        Access(Tokens(state), issuer, guarded=bool(reach.hosts)),
        hosts=[*LOOPBACK, *reach.hosts],
        limits=reach.limits,
        challenge=_challenge(reach),
    )
    return app, stop_listeners


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
