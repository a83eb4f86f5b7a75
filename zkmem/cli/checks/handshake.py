"""A real handshake with a server of our own, as a client makes it."""

import os
import time
from typing import TYPE_CHECKING

from zkmem.cli.checks.target import Target, Trouble
from zkmem.clients import launch
from zkmem.util.spelling import number_of

if TYPE_CHECKING:
    from mcp import Client

_PATIENCE_S = 30.0  # a slow disk and a cold start


def handshake(place: Target) -> str:
    """Start a server on the vault, greet it over stdio and ask for its tools."""
    import anyio  # noqa: PLC0415 - no other command needs these
    from mcp import Client  # noqa: PLC0415
    from mcp.client.stdio import StdioServerParameters  # noqa: PLC0415

    command = [*launch.command(), "serve", place.vault]
    asked: list[str] = []

    async def greet() -> None:
        with anyio.fail_after(_PATIENCE_S):
            parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
            async with Client(parameters) as client:
                asked.append(await _tools(client))

    fix = f"see what it says: {' '.join(command)} < /dev/null"
    began = time.monotonic()
    try:
        anyio.run(greet)
    except TimeoutError as error:
        raise Trouble(f"the server gave no answer in {_PATIENCE_S:g} s", fix) from error
    except Exception as error:  # whatever keeps a server from starting is the finding
        raise Trouble(f"the server does not answer: {_reason(error)}", fix) from error
    return f"{asked[0]} after {time.monotonic() - began:.1f} s"


async def _tools(client: "Client") -> str:
    listed = await client.list_tools()
    names = [tool.name for tool in listed.tools]
    return f"{number_of(len(names), 'tool')} over protocol {client.protocol_version}"


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__
