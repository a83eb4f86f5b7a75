"""Pass the data of tool results around the SDK. It would copy them twice, which takes longer than sending them.

A handler returns an empty object in place of the data. The SDK converts the result to the client's protocol version.
If the converted result still has that object, `deliver` replaces it by the data.
"""

from contextvars import ContextVar
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

_slot: ContextVar[list[Any] | None] = ContextVar("slot", default=None)  # a list of at most one value: the data


def carry(result: types.CallToolResult) -> types.CallToolResult:
    """Return a tool's result without its data, which `deliver` puts back. Call this in a handler of the same server."""
    slot = _slot.get()
    if slot is None or not isinstance(result.structured_content, dict):
        return result
    slot[:] = [result.structured_content]
    return result.model_copy(update={"structured_content": {}})


async def deliver(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Put the data back into a tool's result. This is a middleware for the SDK's server."""
    slot: list[Any] = []
    token = _slot.set(slot)
    try:
        result = await call_next(ctx)
    finally:
        _slot.reset(token)
    if slot and isinstance(result, dict) and result.get("structuredContent") == {}:
        result["structuredContent"] = slot[0]
    return result
