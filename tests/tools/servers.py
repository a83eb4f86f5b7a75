"""Real clients on real servers: in memory, over stdio, over HTTP; in both protocol eras."""

import os
import re
import subprocess
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.tools.forked import forked_serving, zkmem_program
from zkmem.memory import Memory
from zkmem.serve.mcp.server import McpServer
from zkmem.toolsets.table import chosen

ERAS = {"2025-11-25": "legacy", "2026-07-28": "auto"}

PARAMETERS = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": PARAMETERS}
MCP = {"Accept": "application/json, text/event-stream"}
"""The first message of a client of the older era, and the headers of each."""

WAYS = [
    pytest.param(way, id="-".join(way))
    for way in (("memory", "2025-11-25"), ("memory", "2026-07-28"), ("stdio", "2025-11-25"), ("http", "2026-07-28"))
]
"""Ways from a client to a server, with each transport and each era. `tests/conformance` tests their pairs."""

IN_MEMORY = WAYS[:2]
"""The ways for tests that hardly depend on the transport."""


@contextmanager
def http_server(vault: str, toolsets: str = "zettel", *options: str, **environ: str) -> Iterator[str]:
    """A server process over HTTP on a free port; yields the address of its MCP endpoint."""
    words = ("serve", vault, "--mode", "http", "--port", "0", "--toolsets", toolsets)
    with forked_serving([*words, *options], **environ) as url:
        yield url


@contextmanager
def serving(command: list[str], **environ: str) -> Iterator[str]:
    """A server process that says its address; yields that."""
    environ = {**os.environ, **environ}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ) as process:
        assert process.stderr
        try:
            addresses = (found[1] for line in process.stderr if (found := re.match(r"Address: (\S+)", line)))
            url = next(addresses, "")
            assert url, "the server said no address"
            with drained(process):
                yield url
        finally:
            process.terminate()


@contextmanager
def drained(process: subprocess.Popen[str]) -> Iterator[None]:
    """Read what a process writes to stderr, and forget it: a full pipe would stop the process. End the process then."""
    assert process.stderr
    reader = threading.Thread(target=deque, args=(process.stderr, 0))
    reader.start()
    try:
        yield
    finally:
        process.terminate()
        reader.join()


@asynccontextmanager
async def client(
    transport: str, era: str, vault: str, toolsets: str = "zettel", **options: object
) -> AsyncIterator[Client]:
    """A client of a server on the vault."""
    mode = ERAS[era]
    if transport == "memory":
        server = McpServer(Memory(vault), chosen(toolsets.split(","))).server()
        async with Client(server, mode=mode, **options) as connected:  # type: ignore[arg-type]
            yield connected
    elif transport == "stdio":
        parameters = StdioServerParameters(command=zkmem_program(), args=["serve", vault, "--toolsets", toolsets])
        async with Client(parameters, mode=mode, **options) as connected:  # type: ignore[arg-type]
            yield connected
    else:
        with http_server(vault, toolsets) as url:
            async with Client(url, mode=mode, **options) as connected:  # type: ignore[arg-type]
                yield connected
