"""zkmem's own server with the suite's fixtures beside what it has: `python -m tests.conformance.server VAULT`.

Whatever is not a fixture is answered by zkmem's handlers, and all of it goes over zkmem's HTTP server.
"""

import sys
import warnings
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPDeprecationWarning
from pydantic import BaseModel

from tests.conformance import content, questions
from tests.conformance.questions import Context
from zkmem.cli.tokens import tokens_of
from zkmem.memory import Memory
from zkmem.serve.app import application
from zkmem.serve.mcp.server import McpServer
from zkmem.serve.mcp.servers import Offer
from zkmem.serve.process import bind, run
from zkmem.toolsets.toolset import Toolset, together


class Fitted(McpServer):
    """The handlers of zkmem's server, and before them those of the fixtures that are no rows of zkmem."""

    def __init__(self, memory: Memory, toolset: Toolset, *rest: Any, **options: Any) -> None:
        super().__init__(memory, together([toolset, content.TOOLSET]), *rest, **options)

    def server(self) -> Server[Any]:
        server = super().server()
        names = [*content.ANSWERS, *questions.RUNS]
        _also(server, "tools/list", "tools", [_described(name) for name in names])
        _also(server, "prompts/list", "prompts", [*content.PROMPTS.values(), questions.ASKING_PROMPT])
        _also(server, "resources/list", "resources", [content.BINARY])
        _also(server, "resources/templates/list", "resource_templates", [content.TEMPLATE])
        _first(server, "tools/call", self._fixture)
        _first(server, "prompts/get", _prompt)
        _first(server, "resources/read", _resource)
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, _any_level)
        _know_schemas(server)
        # No tool of zkmem keeps state with the client; those of the suite that do want it sealed.
        server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="zkmem"))
        return server

    async def _fixture(self, ctx: Context, params: types.CallToolRequestParams) -> questions.Answer | None:
        if run := questions.RUNS.get(params.name):
            return await run(ctx, params, self.resources.bus)
        blocks = content.ANSWERS.get(params.name)
        return types.CallToolResult(content=blocks) if blocks else None


def _described(name: str) -> types.Tool:
    schema = content.SCHEMAS.get(name, {"type": "object"})
    return types.Tool(name=name, description="A fixture of the conformance suite.", input_schema=schema)


async def _prompt(
    ctx: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult | None:
    if params.name == questions.ASKING_PROMPT.name:
        return questions.prompted(params.input_responses)
    return content.prompted(params.name, params.arguments or {}) if params.name in content.PROMPTS else None


async def _resource(ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult | None:
    return content.read(str(params.uri))


async def _any_level(ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
    return types.EmptyResult()


def _first(server: Server[Any], method: str, answer: Callable[[Context, Any], Awaitable[BaseModel | None]]) -> None:
    """Let a fixture answer a method; where it has nothing to say, zkmem does."""
    zkmem = server.get_request_handler(method)
    assert zkmem

    async def handler(ctx: Context, params: Any) -> Any:
        found = await answer(ctx, params)
        return await zkmem.handler(ctx, params) if found is None else found

    server.add_request_handler(method, zkmem.params_type, handler)


def _also(server: Server[Any], method: str, field: str, fixtures: Sequence[BaseModel]) -> None:
    """List fixtures after what zkmem lists."""
    zkmem = server.get_request_handler(method)
    assert zkmem

    async def handler(ctx: Context, params: Any) -> Any:
        result: Any = await zkmem.handler(ctx, params)
        return result.model_copy(update={field: [*getattr(result, field), *fixtures]})

    server.add_request_handler(method, zkmem.params_type, handler)


def _know_schemas(server: Server[Any]) -> None:
    """Let the SDK check `Mcp-Param` headers against the fixtures' schemas too."""
    zkmem = server.get_tool_input_schema
    assert zkmem
    server.get_tool_input_schema = lambda name: content.SCHEMAS.get(name) or zkmem(name)


def main() -> None:
    """Serve the vault that is named on a free port, and say where, as `zkmem serve` does."""
    warnings.simplefilter("ignore", MCPDeprecationWarning)  # log messages are on their way out, and still in the suite
    sock = bind("127.0.0.1", 0)
    print(f"Address: http://127.0.0.1:{sock.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
    memory = Memory(sys.argv[1])
    served = application(memory, tokens_of(memory.vault), Offer(["zettel"], server_class=Fitted))
    run(served.serve, sock, served.prepare_end)


if __name__ == "__main__":
    main()
