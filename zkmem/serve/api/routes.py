"""The routes of the JSON API, for the page and for programs: every operation of `openapi.json`, below `/api`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from zkmem.errors import BadType, Forbidden, NoMethod, NoRoute
from zkmem.memory import Memory
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.gate import admitted_in
from zkmem.serve.access.signin.own import OwnSignIns
from zkmem.serve.access.tokens import Identity
from zkmem.serve.api.contract import Operation, operations
from zkmem.serve.api.exchange import ApiRequest, Graphs, VaultContext, error_response
from zkmem.serve.api.feed import Feed
from zkmem.serve.api.history import HISTORY
from zkmem.serve.api.lists import LISTS
from zkmem.serve.api.notes import NOTES
from zkmem.serve.common import Common
from zkmem.serve.shares import Sender, Streams

OPERATIONS = {**LISTS, **NOTES, **HISTORY}
"""The operations by the `operationId` of the description, without `listen`, which streams."""

PREFIX = "/api"
_VERSION = "Zkmem-Version"
_STREAM = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}


def api_routes(
    memory: Memory,
    audit: Audit,
    feed: Feed,
    common: Common,
    signins: OwnSignIns | None = None,
    name: str = "",
) -> list[Route]:
    """Return routes for every path below `/api`, known or not. Each edit is added to `audit`.

    `name`: that of the vault if the server has several.
    """
    context = VaultContext(Graphs(), signins or OwnSignIns(), name, common)
    listening = Listening(feed, common.streams)
    routes = [
        Route(PREFIX + path.replace("}", ":path}"), _Resource(memory, audit, listening, context, methods))
        for path, methods in {**operations(), "/{rest}": {}}.items()
    ]
    for route in routes:  # a name may have a line end
        route.path_regex = re.compile(route.path_regex.pattern, re.DOTALL)
    return routes


class Listening(NamedTuple):
    """The changes of a memory, and the streams that may be open for them."""

    feed: Feed
    streams: Streams

    def response(self, caller: Identity, sender: Sender) -> Response:
        """Return a stream of the changes that a caller may see."""
        return _Stream(self, caller, self.streams.enter(sender))


class _Stream(StreamingResponse):
    """A stream of changes, which ends when its scope is cancelled."""

    def __init__(self, listening: Listening, caller: Identity, scope: anyio.CancelScope) -> None:
        super().__init__(listening.feed.events(caller.grant), 200, _STREAM, "text/event-stream")
        self._streams, self._scope = listening.streams, scope

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._streams.serving(self._scope):
            await super().__call__(scope, receive, send)
        if self._scope.cancelled_caught:
            await send({"type": "http.response.body"})


@dataclass(eq=False, slots=True)
class _Resource:
    """The operations at one path, by method, as an ASGI application."""

    memory: Memory
    audit: Audit
    listening: Listening
    context: VaultContext
    methods: Mapping[str, Operation]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. An error becomes a response, too."""
        request = Request(scope, receive)
        version = self.memory.version  # later changes may be missing in the response
        try:
            response = await self._answer(request)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - the client gets a sentence, the log the traceback
            headers = {"Allow": ", ".join(self.methods)} if isinstance(error, NoMethod) else {}
            response = error_response(error, self.memory.vault, headers | getattr(error, "headers", {}))
        if not admitted_in(scope).caller.grant.folder:  # it counts the changes of all notes
            response.headers[_VERSION] = str(version)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        operation, admitted = self._operation(request), admitted_in(request.scope)
        caller = admitted.caller
        if operation.writes and caller.grant.read_only:
            raise Forbidden("Your token is for reading only: you cannot change anything.")
        query = operation.arguments(request.query_params.multi_items())
        if operation.id == "listen":
            return self.listening.response(caller, admitted.sender)
        body = operation.content(await _json(request)) if operation.body else {}
        name = next(iter(request.path_params.values()), "")
        memory = admitted.over_api(self.memory.restricted(caller.grant), self.audit, request.headers)
        api_request = ApiRequest(memory, caller, admitted.address, name, query, body, request.headers, self.context)
        threads = self.context.server.threads.of(writes=operation.writes, evaluates=operation.id == "listTable")
        return await threads.run(admitted.turn, OPERATIONS[operation.id], api_request)

    def _operation(self, request: Request) -> Operation:
        """Return the operation of a request. HEAD is answered like GET; the server leaves out the body."""
        operation = self.methods.get("GET" if request.method == "HEAD" else request.method)
        if not self.methods:
            raise NoRoute("There is nothing at this path; GET /api/openapi.json lists the paths.")
        if operation is None or (operation.id == "listen" and request.method == "HEAD"):
            raise NoMethod(
                f"{request.method[:20]} is not known at this path; the methods are: {', '.join(self.methods)}."
            )
        return operation


async def _json(request: Request) -> bytes:
    """Return the body of a request."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise BadType("Send the body as JSON, with Content-Type: application/json.")
    return await request.body()
