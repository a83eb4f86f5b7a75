"""Wrap the endpoints of the sign-in: bound the request, read its form, and answer errors as its sender needs them."""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, request_response

from zkmem.errors import BadArgument, Unauthorized, ZkError
from zkmem.serve.access.gate import address_of
from zkmem.serve.access.signin import page

NO_STORE = {"Cache-Control": "no-store"}
_MOST_BODY = 16_000  # bytes of a request

_log = logging.getLogger(__name__)

Endpoint = Callable[[Request], Awaitable[Response]]


def route(path: str, endpoint: Endpoint, method: str) -> Route:
    """Return a route whose requests have a bound."""
    return Route(path, RequestBodyLimitMiddleware(request_response(endpoint), _MOST_BODY), methods=[method])


def as_page(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint with its errors as pages, for a person."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except ZkError as error:
            _log.warning("%s from %s refused: %s", request.url.path[:20], address_of(request.scope), error)
            return page.message("The sign-in cannot go on", str(error), error.http_status)

    return answer


def in_json(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint with its errors as OAuth wants them, for a client."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except BadArgument as error:
            return oauth_error("invalid_request", str(error))
        except ZkError as error:
            _log.warning("%s from %s refused: %s", request.url.path[:20], address_of(request.scope), error)
            return oauth_error("temporarily_unavailable", str(error), error.http_status)

    return answer


def for_the_page(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint with its errors as the API has them. It has no 401, after which the page would ask again."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except ZkError as error:
            _log.warning("%s from %s refused: %s", request.url.path[:20], address_of(request.scope), error)
            status = 403 if isinstance(error, Unauthorized) else error.http_status
            return JSONResponse({"error": {"kind": type(error).__name__, "message": str(error)}}, status, NO_STORE)

    return answer


def oauth_error(error: str, description: str, status: int = 400) -> Response:
    """Return an error as OAuth wants it."""
    return JSONResponse({"error": error, "error_description": description}, status, NO_STORE)


async def form_of(request: Request) -> FormData:
    """Return the form in a request. Starlette keeps it for the SDK's handlers."""
    form = await request.form()
    check_once(form.multi_items())
    return form


def check_once(items: Sequence[tuple[str, object]]) -> None:
    """Check that no parameter is there twice: two readers might choose different ones."""
    counts = Counter(name for name, _ in items)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise BadArgument(f"The request has the parameter {twice[0][:50]!r} twice; send it once.")
