"""Add each request over MCP to the audit log, without its contents: reads, searches and refused calls, too."""

import time
from collections.abc import Container, Mapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from zkmem.serve.access.audit import Audit
from zkmem.serve.access.gate import OVER_STDIO, Admitted, admitted_in
from zkmem.vault.journal.log import printable_name

_NOTIFICATION = "notifications/"
_UNKNOWN = "unknown"


def logging_requests(
    audit: Audit, server: Server[Any], arguments_of: Mapping[str, Mapping[str, Container[str]]]
) -> ServerMiddleware[Any]:
    """Return a middleware for a server of the SDK that adds each request to the audit log.

    `arguments_of`: the names of tools or prompts, and of the arguments of each, for the methods that call them. Only
    these names are logged: a caller may send a text of any length as a name.
    """

    async def log(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method.startswith(_NOTIFICATION):
            return await call_next(ctx)
        began, outcome = time.monotonic(), "failed"
        try:
            result = await call_next(ctx)
            data = result if isinstance(result, Mapping) else result.model_dump(by_alias=True) if result else {}
            outcome = "refused" if data.get("isError") else "done"
        except MCPError:
            outcome = "refused"
            raise
        finally:
            is_known = ctx.method == "initialize" or server.get_request_handler(ctx.method)
            method = ctx.method if is_known else _UNKNOWN
            details = _details(ctx.params or {}, arguments_of[method]) if method in arguments_of else {}
            _add(audit, ctx, outcome, time.monotonic() - began, method=method, **details)
        return result

    return log


def _details(given: Mapping[str, Any], arguments_of: Mapping[str, Container[str]]) -> dict[str, object]:
    """Return the name of what is called, the known names of given arguments, and how many others were given."""
    name, arguments = given.get("name"), given.get("arguments")
    name = name if isinstance(name, str) and name in arguments_of else _UNKNOWN
    given_names = list(arguments) if isinstance(arguments, Mapping) else []
    names = [one for one in given_names if one in arguments_of.get(name, ())]
    unknown = len(given_names) - len(names)
    return {"name": name, "arguments": names} | ({"unknown_arguments": unknown} if unknown else {})


def _add(audit: Audit, ctx: ServerRequestContext[Any, Any], outcome: str, seconds: float, **details: object) -> None:
    admitted = admitted_call(ctx)
    params = ctx.session.client_params
    client = printable_name(f"{params.client_info.name} {params.client_info.version}") if params else ""
    caller, took = admitted.caller.name, round(1_000 * seconds)
    audit.add_event(caller, admitted.address, "request", client=client, **details, outcome=outcome, milliseconds=took)


def admitted_call(ctx: ServerRequestContext[Any, Any]) -> Admitted:
    """Return the request of a call, as the gate has admitted it."""
    return admitted_in(ctx.request.scope) if ctx.request else OVER_STDIO
