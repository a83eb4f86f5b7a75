"""Add each request over MCP to the audit log, without its contents: reads, searches and refused calls, too."""

import time
from collections.abc import Mapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.shared.exceptions import MCPError

from zkmem.serve.access.audit import Audit
from zkmem.serve.access.gate import SCOPE_KEY, address_of, caller_in
from zkmem.vault.journal.log import printable_name

_NOTIFICATION = "notifications/"
_MOST_ARGUMENTS = 20


def logging_requests(audit: Audit) -> ServerMiddleware[Any]:
    """Return a middleware for the SDK's server that adds each request to the audit log."""

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
            _add(audit, ctx, outcome, time.monotonic() - began)
        return result

    return log


def _add(audit: Audit, ctx: ServerRequestContext[Any, Any], outcome: str, seconds: float) -> None:
    scope = ctx.request.scope if ctx.request else {}
    caller, address = (caller_in(scope).name, address_of(scope)) if SCOPE_KEY in scope else ("", "")
    given, known = ctx.params or {}, ctx.session.client_params
    details: dict[str, object] = {"name": printable_name(str(given["name"]))} if "name" in given else {}
    if isinstance(arguments := given.get("arguments"), Mapping):
        details["arguments"] = [printable_name(name) for name in list(arguments)[:_MOST_ARGUMENTS]]
    client = printable_name(f"{known.client_info.name} {known.client_info.version}") if known else ""
    audit.add_event(
        caller, address, "request", client=client, method=ctx.method, **details, outcome=outcome,
        milliseconds=round(1_000 * seconds),
    )  # fmt: skip
