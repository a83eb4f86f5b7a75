"""Check every HTTP request first: its host and origin, its token, its rate and its body.

The gate is an ASGI application around the others, so it guards MCP, the API and the page alike. It puts the caller of
an admitted request into the request's scope.
"""

import functools
import hmac
import json
import logging
import secrets
from collections import OrderedDict
from collections.abc import Collection, Hashable, Mapping
from contextlib import AsyncExitStack
from ipaddress import ip_address
from time import monotonic
from typing import NamedTuple

import anyio
import anyio.to_thread
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from zkmem.caller import PAGE, by_person, by_program
from zkmem.errors import BadSettings, TooMany, Unauthorized, ZkError
from zkmem.hooks.answers import HookParts
from zkmem.hooks.servers import PATH as HOOK_PATH
from zkmem.memory import Memory
from zkmem.records.outcome import Progress
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.body import Bodies, Body, Pace
from zkmem.serve.access.headers import bearer_in, check_host, headers_of, is_guarded
from zkmem.serve.access.public import PublicUrl
from zkmem.serve.access.tokens import Access, Identity
from zkmem.serve.shares import Sender
from zkmem.settings import Settings

_log = logging.getLogger(__name__)

HOOK = Sender("hook", "hook")
"""The sender of the requests of all hooks, for the limits of each sender."""

ADMITTED_KEY = "zkmem.admitted"  # in the scope: the request as the gate has admitted it
ADMIT_KEY = "zkmem.admit"  # in the scope: a function that counts the connection of the request as a caller's
VAULT_KEY = "zkmem.vault"  # in the scope: the name of the vault, if the server has several

_API = "api"  # the client name of any other program that uses the API
_MOST_CALLERS = 10_000  # the rates of so many callers are remembered
_CHECKS = 8  # tokens that are checked at once, if that takes long: others must not wait for it
_BURST_S = 4.0  # the requests of so many seconds may come at once
_OF_USER = 2  # all tokens of a user may send so many times the requests of one token


class HookAccess(NamedTuple):
    """The secret for hooks, which is in a file that only the server's user can read, and the answered parts."""

    secret: str
    parts: HookParts

    @classmethod
    def of(cls, settings: Settings) -> "HookAccess":
        """Return the access of a server with these settings, with a new secret."""
        return cls(secrets.token_urlsafe(), HookParts.of(settings))

    def check(self, headers: Mapping[str, str], address: str) -> None:
        """Check that a request comes from this machine and has the secret."""
        is_here = bool(address) and ip_address(address).is_loopback
        token = bearer_in(headers) or ""
        if not is_here or not hmac.compare_digest(token.encode(), self.secret.encode()):
            raise Unauthorized("This path is for the hooks of clients on the server's own machine.")


class Limits(NamedTuple):
    """The limits of one server."""

    body: int = 4_000_000  # bytes of a request
    rate: float = 50.0  # requests a second from one caller, if callers need a token
    sessions: int = 1_000  # MCP sessions that are open at once (older clients); also the limit of streams of changes
    pace: Pace = Pace()


class Admitted(NamedTuple):
    """An admitted request: its caller, the senders whose limits it counts against, and where it comes from."""

    caller: Identity
    address: str  # the IP address of the client; "" if none is known
    sender: Sender  # the token and the user that the request counts for
    turn: Sender  # the token and the user whose turn it takes in the worker threads
    program: str | None  # the MCP session of an older client, or the `User-Agent`

    @classmethod
    def of(cls, caller: Identity, scope: Scope, headers: Mapping[str, str]) -> "Admitted":
        """Return a request of a caller.

        All sign-ins of a person, in all vaults, count as one user; any other token counts as a user of its own. If the
        server needs no tokens, each MCP session takes turns of its own, and so does each `User-Agent` without one.
        """
        address, program = address_of(scope), headers.get("mcp-session-id") or headers.get("user-agent")
        if not caller.name:
            return cls(caller, address, Sender(), Sender(program, program), program)
        token, grant = (scope.get(VAULT_KEY), caller.issuer, caller.name), caller.grant
        user = ("user", caller.user) if caller.user else token
        sender = Sender(token, user, is_owner=not (grant.folder or grant.read_only or grant.proposes_as))
        return cls(caller, address, sender, sender, program)

    @property
    def person(self) -> str:
        """The name under which marks are kept: the user who has signed in, with any client, or else the token."""
        return self.caller.user or self.caller.name

    @property
    def _is_program(self) -> bool:
        """Whether it comes from a program that a user has allowed, and not from the user's own browser."""
        return self.caller.user != self.caller.person

    def over_api(self, memory: Memory, audit: Audit | None, headers: Headers) -> Memory:
        """Return the memory for a caller of the API.

        A program that a user has allowed has marks of its own: those of the user say what the user has looked at. Its
        edits are not those of the page, even if it sends the header `Zkmem-Client` of the page.
        """
        if self._is_program:
            return self.on_behalf(memory, audit, by_program(self.caller.name, _API)).on_behalf(person=self.caller.name)
        is_page = headers.get("zkmem-client") == PAGE
        client = by_person(self.person, PAGE) if is_page else by_program(self.caller.name, _API)
        return self.on_behalf(memory, audit, client)

    def on_behalf(self, memory: Memory, audit: Audit | None, client: str, progress: Progress | None = None) -> Memory:
        """Return the memory for the caller, who is called `client` in the log.

        Edits through it are added to the audit log.
        """
        on_edit = functools.partial(audit.add, self.caller.name, self.address) if audit else None
        session = self.caller.issuer, self.program
        return memory.on_behalf(client=client, person=self.person, session=session, progress=progress, on_edit=on_edit)


OVER_STDIO = Admitted(Identity(), "", Sender(), Sender(), None)
"""Each request of the one client over stdio, where there is no gate."""


class Gate:
    """An ASGI application that passes on the requests that are allowed."""

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        *,
        hosts: Collection[str],
        limits: Limits,
        bodies: Bodies,
        challenge: str = "",
        public: PublicUrl | None = None,
        hooks: HookAccess | None = None,
    ) -> None:
        """Guard `app`. `hosts`: the names of the server; `challenge`: the text after `Bearer` in a 401.

        `bodies` reads those of all requests to the server. `hooks`: admits the hooks of clients on this machine.
        """
        self._app = app
        self._access = access
        self._hosts = frozenset(host.lower() for host in hosts)
        self._bodies = bodies
        self._challenge = challenge
        self._public = public
        self._hooks = hooks
        self._buckets = _Buckets(limits.rate)
        self._checks = anyio.CapacityLimiter(_CHECKS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        async with AsyncExitStack() as until_answered:
            await self._serve(scope, receive, send, until_answered)

    async def _serve(self, scope: Scope, receive: Receive, send: Send, until_answered: AsyncExitStack) -> None:
        """Serve one request. The turn of a large body ends when `until_answered` is closed."""
        caller, body = Identity(), None
        try:
            headers = headers_of(scope)
            check_host(headers, scope["path"], self._hosts, self._public)
            if is_guarded(scope["path"]):
                caller = await self._caller(headers)
                scope[ADMITTED_KEY] = admitted = Admitted.of(caller, scope, headers)
                self._buckets.take(admitted.sender, caller.name)
                if ADMIT_KEY in scope:
                    scope[ADMIT_KEY](admitted.sender)
                body = Body(self._bodies, scope, headers, receive)
                receive = await body.read(admitted.turn, until_answered)
            elif self._hooks and scope["path"] == HOOK_PATH:
                self._hooks.check(headers, address_of(scope))
                body = Body(self._bodies, scope, headers, receive)
                receive = await body.read(HOOK, until_answered)
        except ZkError as error:
            _log.warning("%s from %s refused: %s", scope["method"], address_of(scope), error)
            await until_answered.aclose()
            await self._refuse(error, send, body)
            return
        if caller.name:  # the SDK lets only this principal use the session that it opens
            claims = {"iss": caller.issuer}
            principal = AccessToken(
                token="", client_id=caller.name, scopes=[], subject=caller.id or None, claims=claims
            )
            scope["user"] = AuthenticatedUser(principal)
            send = self._until_revoked(caller, bearer_in(headers), send)
        await self._app(scope, receive, send)

    async def _caller(self, headers: Mapping[str, str]) -> Identity:
        secret = bearer_in(headers)
        try:
            if self._access.may_wait(secret):
                return await anyio.to_thread.run_sync(self._access.caller, secret, limiter=self._checks)
            return self._access.caller(secret)
        except BadSettings as error:
            _log.error("%s", error)
            raise BadSettings("The server's tokens cannot be read; its log says why.") from error

    async def _refuse(self, error: ZkError, send: Send, unread: Body | None) -> None:
        """Answer with an error and close the connection. Before that, read the rest of `unread`, up to a limit."""
        body = json.dumps({"error": {"kind": type(error).__name__, "message": str(error)}}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),  # the body may not be read to its end
        ]
        if isinstance(error, Unauthorized):
            headers.append((b"www-authenticate", f"Bearer{self._challenge}".encode()))
        if isinstance(error, TooMany):
            headers.append((b"retry-after", b"1"))
        await send({"type": "http.response.start", "status": error.http_status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": True})
        if unread:
            await unread.discard()
        await send({"type": "http.response.body", "body": b""})

    def _until_revoked(self, caller: Identity, secret: str | None, send: Send) -> Send:
        """Return a `send` that ends a stream of changes once the caller's token no longer gives the same rights."""
        streams = ended = False

        async def sending(message: Message) -> None:
            nonlocal streams, ended
            if ended:
                return
            if message["type"] == "http.response.start":
                streams = any(value.startswith(b"text/event-stream") for _, value in message["headers"])
            elif streams and message.get("more_body"):
                try:
                    ended = await anyio.to_thread.run_sync(self._access.caller, secret) != caller
                except ZkError:
                    ended = True
                if ended:
                    message = {"type": "http.response.body", "body": b""}
            await send(message)

        return sending


class _Buckets:
    """Counts how many requests each caller may still send, in token buckets. Only the event loop uses this."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._left: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def take(self, sender: Sender, name: str) -> None:
        """Count a request for its token and its user, who may send twice as many. Without a token, count nothing."""
        rates = {sender.user: self._rate * _OF_USER, sender.token: self._rate}  # one rate, if the token is the user
        for key, rate in reversed(rates.items()):  # a request that is refused for its token costs its user none
            if key is not None and not self._has_left(key, rate):
                who = repr(name) if key == sender.token else f"The user of {name!r}"
                raise TooMany(f"{who} sends more than {rate:g} requests a second; try again in a second.")

    def _has_left(self, key: Hashable, rate: float) -> bool:
        most, now = rate * _BURST_S, monotonic()
        tokens_left, then = self._left.pop(key, (most, now))
        tokens_left = min(most, tokens_left + (now - then) * rate)
        self._left[key] = (max(0.0, tokens_left - 1), now)
        if len(self._left) > _MOST_CALLERS:
            self._left.popitem(last=False)
        return tokens_left >= 1


def admitted_in(scope: Scope) -> Admitted:
    """Return a request that the gate admitted. Raise KeyError for a path that the gate does not guard."""
    admitted: Admitted = scope[ADMITTED_KEY]
    return admitted


def address_of(scope: Scope) -> str:
    """Return the IP address of the client; "" if none is known. A proxy on this machine may have set it."""
    client = scope.get("client")
    return _normal_address(client[0]) if client else ""


@functools.lru_cache(1_000)  # parsing takes longer than looking up, and most clients return
def _normal_address(written: str) -> str:
    """Return an IP address in its usual form; "" for any other text."""
    try:
        return str(ip_address(written))
    except ValueError:
        return ""
