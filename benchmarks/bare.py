"""A server that does nothing: the floor of all that one with the `mcp` SDK can do. One tool answers one text.

Over stdio it answers one word. `python -m benchmarks.bare BYTES` serves over HTTP, on a port that it prints, and
answers so many bytes.
"""

import socket
import sys

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

_Context = ServerRequestContext[object]


async def _list_tools(_: _Context, __: object) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name="echo", description="Echo.", input_schema={"type": "object"})])


def _server(text: str) -> Server[object]:
    async def call_tool(_: _Context, __: types.CallToolRequestParams) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    return Server("bare", on_list_tools=_list_tools, on_call_tool=call_tool)


async def _run() -> None:
    server = _server("Echo.")
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


def _serve(text: str) -> None:
    import uvicorn  # noqa: PLC0415 - not over stdio

    sock = socket.socket(proto=socket.IPPROTO_TCP)  # without the protocol, asyncio would send 40 ms later
    sock.bind(("127.0.0.1", 0))
    sock.listen()
    print(sock.getsockname()[1], flush=True)
    config = uvicorn.Config(_server(text).streamable_http_app(), http="h11", log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[sock])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _serve("e" * int(sys.argv[1]))
    else:
        anyio.run(_run)
