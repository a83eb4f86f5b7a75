"""Check that a server starts and answers, with a real MCP client."""

import os
import time
from typing import TYPE_CHECKING

from zkmem.cli.checks.target import Target, Trouble, Warned
from zkmem.clients import launch
from zkmem.util.spelling import number_of

if TYPE_CHECKING:
    from mcp import Client

_PATIENCE_S = 30.0  # enough for a cold start on a slow disk


def handshake(target: Target) -> str:
    """Start a server on the vault, connect to it over stdio and list its tools."""
    import anyio  # noqa: PLC0415 - no other command needs these
    from mcp import Client  # noqa: PLC0415
    from mcp.client.stdio import StdioServerParameters  # noqa: PLC0415

    command = [*launch.command(), "serve", target.vault, "--mode", "stdio"]
    answers: list[str] = []

    async def connect() -> None:
        with anyio.fail_after(_PATIENCE_S):
            parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
            async with Client(parameters) as client:
                answers.append(await _tools(client))

    fix = f"read its error: {' '.join(command)} < /dev/null"
    began = time.monotonic()
    try:
        anyio.run(connect)
    except TimeoutError as error:
        raise Trouble(f"the server gave no answer in {_PATIENCE_S:g} s", fix) from error
    except Exception as error:  # any reason why a server does not start is the finding
        raise Trouble(f"the server does not answer: {_reason(error)}", fix) from error
    found = f"{answers[0]} after {time.monotonic() - began:.1f} s"
    if (mode := os.environ.get("ZKMEM_MODE", "stdio")) != "stdio":
        raise Warned(
            f"{found} over stdio, but a client that is started here gets no answer, because ZKMEM_MODE is {mode!r}",
            "set ZKMEM_MODE only for the server",
        )
    return found


async def _tools(client: "Client") -> str:
    listed = await client.list_tools()
    names = [tool.name for tool in listed.tools]
    return f"{number_of(len(names), 'tool')} over protocol {client.protocol_version}"


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__
