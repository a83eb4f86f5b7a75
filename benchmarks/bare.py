"""A server that does nothing: the floor of all that one with the `mcp` SDK can do. One tool answers one word."""

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

_Context = ServerRequestContext[object]


async def _list_tools(_: _Context, __: object) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name="echo", description="Echo.", input_schema={"type": "object"})])


async def _call_tool(_: _Context, __: types.CallToolRequestParams) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text="Echo.")])


async def _run() -> None:
    server: Server[object] = Server("bare", on_list_tools=_list_tools, on_call_tool=_call_tool)
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(_run)
