"""The JSON API for the page and for programs: every operation of `openapi.json`, below `/api`."""

import re
from collections.abc import Callable, Mapping

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from zkmem.errors import BadType, Forbidden, NoMethod, NoRoute
from zkmem.memory import Memory
from zkmem.serve.access.caller import Caller
from zkmem.serve.access.gate import turn_of
from zkmem.serve.api.contract import Operation, operations
from zkmem.serve.api.feed import Feed
from zkmem.serve.api.graphs import Graphs
from zkmem.serve.api.operations import OPERATIONS, ApiRequest
from zkmem.serve.api.responses import error_response
from zkmem.serve.turns import Turns

Who = Callable[[Request], tuple[Memory, Caller]]
"""Who asks, and the memory that they may use."""

PREFIX = "/api"
_STREAM = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}


def api_routes(caller: Who, feed: Feed, turns: Turns) -> list[Route]:
    """The routes, all below `/api`, where nothing is left to others; `caller` tells who asks, or raises a ZkError."""
    graphs = Graphs()
    found = [
        Route(PREFIX + path.replace("}", ":path}"), _Resource(caller, feed, graphs, turns, methods))
        for path, methods in {**operations(), "/{rest}": {}}.items()
    ]
    for route in found:  # a name may hold a line end
        route.path_regex = re.compile(route.path_regex.pattern, re.DOTALL)
    return found


class _Resource:
    """The operations at one path, by method, as an ASGI application."""

    def __init__(self, caller: Who, feed: Feed, graphs: Graphs, turns: Turns, methods: Mapping[str, Operation]) -> None:
        self._caller = caller
        self._feed = feed
        self._graphs = graphs
        self._turns = turns
        self._methods = methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; whatever fails is answered, too."""
        request = Request(scope, receive)
        vault = ""
        try:
            memory, caller = self._caller(request)
            vault = memory.vault
            response = await self._answer(request, memory, caller)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - the client gets a sentence, the log the traceback
            headers = {"Allow": ", ".join(self._methods)} if isinstance(error, NoMethod) else {}
            response = error_response(error, vault, headers | getattr(error, "headers", {}))
        await response(scope, receive, send)

    async def _answer(self, request: Request, memory: Memory, caller: Caller) -> Response:
        operation = self._operation(request)
        if operation.writes and caller.grant.read_only:
            raise Forbidden("You may read here, but change nothing: your token is for reading only.")
        query = operation.arguments(request.query_params.multi_items())
        if operation.id == "listen":
            self._feed.check_room()
            stream = self._feed.events(caller.grant.folder)
            return StreamingResponse(stream, 200, _STREAM, "text/event-stream")
        body = operation.content(await _json(request)) if operation.body else {}
        name = next(iter(request.path_params.values()), "")
        asked = ApiRequest(memory, caller, name, query, body, request.headers, self._graphs)
        return await self._turns.run(turn_of(caller, request.scope), OPERATIONS[operation.id], asked)

    def _operation(self, request: Request) -> Operation:
        """The operation that is asked for; HEAD is GET, of which the server leaves out the body."""
        found = self._methods.get("GET" if request.method == "HEAD" else request.method)
        if not self._methods:
            raise NoRoute("There is nothing here; GET /api/openapi.json tells what there is.")
        if found is None or (found.id == "listen" and request.method == "HEAD"):
            raise NoMethod(f"{request.method[:20]} is not done here; known: {', '.join(self._methods)}.")
        return found


async def _json(request: Request) -> bytes:
    """The body of a request.

    Raises:
        BadType: when it is not called JSON: a form of another site could send it otherwise.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise BadType("Send the body as JSON, with Content-Type: application/json.")
    return await request.body()
