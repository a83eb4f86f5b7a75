"""Pass the data of tools' answers around the SDK, which would copy them twice: that takes longer than sending them.

A handler leaves an empty object in the place of the data. The SDK gives the answer the form of the client's protocol
version. If that form has a place for data, the data are put there.
"""

from contextvars import ContextVar
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

_carried: ContextVar[list[Any] | None] = ContextVar("carried", default=None)


def carry(result: types.CallToolResult) -> types.CallToolResult:
    """Return the answer without its data, which `deliver` puts back. Call this in a handler below that middleware."""
    carried = _carried.get()
    if carried is None or not isinstance(result.structured_content, dict):
        return result
    carried[:] = [result.structured_content]
    return result.model_copy(update={"structured_content": {}})


async def deliver(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Put the data of a tool's answer back: a middleware of the SDK's server."""
    carried: list[Any] = []
    before = _carried.set(carried)
    try:
        result = await call_next(ctx)
    finally:
        _carried.reset(before)
    if carried and isinstance(result, dict) and result.get("structuredContent") == {}:
        result["structuredContent"] = carried[0]
    return result
