"""Serve a memory over MCP: tools, notes as resources, and prompts.

The SDK's low-level server sends the schemas of the toolset unchanged. The same public handlers serve both versions of
the protocol: 2025-11-25 and earlier, which begin with a handshake, and 2026-07-28.
"""

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Container, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from zkmem import __version__
from zkmem.caller import CHAT, by_person
from zkmem.clients.events import call_in
from zkmem.errors import ZkError
from zkmem.memory import Memory
from zkmem.model.question import Answer, Question
from zkmem.serve.access.audit import Audit
from zkmem.serve.mcp import types_map, views
from zkmem.serve.mcp.calls import Calls, Context, admitted_call, logging_requests
from zkmem.serve.mcp.client import Endpoint, ask_client
from zkmem.serve.mcp.resources import Resources, SkillParams
from zkmem.serve.mcp.skills import FOLDER, Skills
from zkmem.serve.mcp.types_map import carry, deliver
from zkmem.serve.shares import Streams
from zkmem.serve.turns import THREADS, WorkerThreads
from zkmem.toolsets.tool import Tool
from zkmem.toolsets.toolset import Toolset

_log = logging.getLogger(__name__)

_HOUR = CacheHint(ttl_ms=3_600_000, scope="public")
_HOUR_OF_ONE = CacheHint(ttl_ms=3_600_000, scope="private")  # the list depends on what the client shows
_MOST_COMPLETIONS = 100
_HANDSHAKE_S = 0.1  # for the handshake, before indexing begins

_PROPOSES = "Your edits are proposed: you read them as made; a person accepts or drops them later."

_SKILLS = "io.modelcontextprotocol/skills"


class McpServer:
    """The handlers of one server over one memory."""

    def __init__(
        self,
        memory: Memory,
        toolset: Toolset,
        endpoint: Endpoint | None = None,
        *,
        audit: Audit | None = None,
        logs_requests: bool = False,
        shares_memory: bool = False,
        threads: WorkerThreads | None = None,
        streams: Streams | None = None,
        skills_folder: str = FOLDER,
    ) -> None:
        """Serve the tools, prompts and resources of `toolset`. `endpoint` answers for clients that offer no model.

        Each edit is added to `audit`, and with `logs_requests` each request. The server closes the memory at its end
        unless `shares_memory`. `threads` and `streams` are the worker threads and the streams of changes that it shares
        with other servers. The notes below `skills_folder` are skills.
        """
        self.memory = memory.on_behalf(tools=frozenset(tool.name for tool in toolset.tools))
        self.audit = audit
        self.logs_requests = logs_requests
        self.shares_memory = shares_memory
        self.guide = " ".join(filter(None, (toolset.guide, _PROPOSES if memory.proposes else "")))
        self.tools = {tool.name: tool for tool in toolset.tools}
        self.of_views = {tool.name: tool for tool in toolset.of_views}
        self.has_views = any(tool.view for tool in toolset.tools)
        self.tickets = views.Tickets()
        self.prompts = {prompt.name: prompt for prompt in toolset.prompts}
        self.skills = Skills(toolset.prompts, skills_folder)
        self.endpoint = endpoint
        self.threads = threads or WorkerThreads(THREADS, THREADS)  # over stdio a process has one client
        self.calls = Calls(self.memory, self.threads, audit)
        self.resources = Resources(self.calls, toolset, self.skills, streams or Streams())
        self.loop: asyncio.AbstractEventLoop | None = None

    def server(self) -> Server[Any]:
        """Return the SDK's server. Its lifespan starts the memory and, unless it is shared, closes it."""
        server: Server[Any] = Server(
            "zkmem",
            version=__version__,
            title="zkmem",
            instructions=self.guide or None,
            lifespan=self._lifespan,
            cache_hints={"tools/list": _HOUR_OF_ONE if self.has_views else _HOUR, "resources/templates/list": _HOUR},
            get_tool_input_schema=lambda _: None,  # for headers that repeat arguments: no tool asks for any
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self.resources.list_all,
            on_list_resource_templates=self.resources.list_templates,
            on_read_resource=self.resources.read,
            on_subscribe_resource=self.resources.subscribe,
            on_unsubscribe_resource=self.resources.unsubscribe,
            on_subscriptions_listen=self.resources.listen,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
        )
        server.extensions[_SKILLS] = {}
        if self.has_views:
            server.extensions[views.EXTENSION] = {}
        server.add_request_handler("skills/list", types.PaginatedRequestParams, self.resources.list_skills)
        server.add_request_handler("skills/get", SkillParams, self.resources.get_skill)
        if self.audit and self.logs_requests:
            arguments_of: dict[str, Mapping[str, Container[str]]] = {
                "tools/call": {name: tool.parameters for name, tool in (self.tools | self.of_views).items()},
                "prompts/get": {name: {one.name for one in prompt.arguments} for name, prompt in self.prompts.items()},
            }
            server.middleware.append(logging_requests(self.audit, server, arguments_of))
        server.middleware.append(deliver)
        return server

    @asynccontextmanager
    async def _lifespan(self, _: Server[Any]) -> AsyncIterator[None]:
        self.loop = loop = asyncio.get_running_loop()
        changes, changed = anyio.create_memory_object_stream[list[str]](math.inf)
        self.memory.listen(lambda names: loop.call_soon_threadsafe(changes.send_nowait, names))
        async with changes, changed, anyio.create_task_group() as tasks:
            tasks.start_soon(self._start_memory)
            tasks.start_soon(self.resources.publish, changed)
            try:
                yield
            finally:
                tasks.cancel_scope.cancel()
                if not self.shares_memory:
                    with anyio.CancelScope(shield=True):
                        await anyio.to_thread.run_sync(self.memory.close)

    async def _start_memory(self) -> None:
        """Begin to index a moment after the handshake, which a busy thread would slow down."""
        await anyio.sleep(_HANDSHAKE_S)
        self.memory.start()

    def stop_listeners(self) -> None:
        """End all streams of changes in an orderly way. A signal handler may call this."""
        if self.loop:
            self.loop.call_soon_threadsafe(self.resources.stop)

    async def _list_tools(self, ctx: Context, _: object) -> types.ListToolsResult:
        """List the tools for the model and, for a client that shows views, those that only a view calls."""
        shows_views = views.are_shown(ctx.session.client_capabilities)
        listed = [types_map.described(tool, shows_views=shows_views) for tool in self.tools.values()]
        of_views = map(types_map.of_view, self.of_views.values()) if shows_views else ()
        return types.ListToolsResult(tools=[*listed, *of_views])

    async def _call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        shows_views = views.are_shown(ctx.session.client_capabilities)
        tool = self.tools.get(params.name) or (self.of_views.get(params.name) if shows_views else None)
        if tool is None:
            sentence = f"Unknown tool {params.name!r}; the tools are: {', '.join(self.tools)}."
            return types.CallToolResult(content=[types_map.text(sentence)], is_error=True)
        self.memory.start()
        try:
            return await self._run(tool, ctx, params)
        except ZkError as error:
            return types_map.answer(tool, tool.refusal(str(error)), is_error=True)
        except Exception:  # noqa: BLE001 - the model gets a sentence, the log the traceback
            _log.exception("%s failed", tool.name)
            sentence = f"{tool.name} failed inside zkmem; its log on stderr says why. Nothing is known to have changed."
            return types_map.answer(tool, tool.refusal(sentence), is_error=True)

    async def _run(
        self, tool: Tool, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        call = call_in(params.meta or {})
        memory = self.calls.memory_of(ctx).on_behalf(call=call if isinstance(call, str) else None)
        arguments, answer = params.arguments or {}, Answer()
        if is_of_view := tool.name in self.of_views:
            self.tickets.check(arguments.get(views.TICKET), _holder(ctx))
            memory = memory.on_behalf(client=by_person(memory.person, CHAT))
            arguments = {name: value for name, value in arguments.items() if name != views.TICKET}
        question = await self.calls.run(ctx, tool.ask, memory, arguments) if tool.question else None
        if question:
            reply = await ask_client(ctx, params, question)
            if isinstance(reply, types.InputRequiredResult):
                return reply
            answer = reply or await self._ask_endpoint(ctx, question)
        threads = self.threads.of(writes=not tool.effects.read_only, evaluates=tool.evaluates(arguments))
        run_tool = threads.try_in_loop if tool.quick else threads.run
        result = await run_tool(admitted_call(ctx).turn, tool.call, memory, arguments, answer)
        if not tool.effects.read_only:  # even if the call has changed nothing, as in server-memory
            await self.resources.notify_of_toolset()
        shown = dict(result.shown) if views.are_shown(ctx.session.client_capabilities) else {}
        if shown and self.of_views and not is_of_view:
            shown[views.TICKET] = self.tickets.make(_holder(ctx))
        return carry(types_map.answer(tool, result, shown=shown))

    async def _ask_endpoint(self, ctx: Context, question: Question) -> Answer:
        """Return the answer of the configured model to a question when it is the client's turn; no answer without one.

        The turn is for the endpoint only: a client's own model may take its time.
        """
        if self.endpoint is None:
            return Answer()
        async with self.threads.questions.turn(admitted_call(ctx).turn):
            return await self.endpoint.ask(question)

    async def _list_prompts(self, ctx: Context, _: object) -> types.ListPromptsResult:
        """List the prompts of the toolsets, and the skills of notes, for clients that know no skills."""
        memory = self.calls.memory_of(ctx)
        of_notes = await self.calls.look(ctx, self.skills.all, memory, notes_only=True, with_links=False)
        skills = [types.Prompt(name=skill.name, description=skill.description) for skill in of_notes]
        return types.ListPromptsResult(prompts=[*map(types_map.offered, self.prompts.values()), *skills])

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt = self.prompts.get(params.name)
        if prompt is None:
            skill = await self.calls.look(ctx, self.skills.get, self.calls.memory_of(ctx), params.name)
            if skill is None:
                raise MCPError(types.INVALID_PARAMS, f"Unknown prompt {params.name!r}.")
            return _prompt_result(skill.description, skill.text)
        try:
            text = await self.calls.run(ctx, prompt.render, self.memory, params.arguments or {})
        except ZkError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        return _prompt_result(prompt.description, text)

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        if not isinstance(params.ref, types.ResourceTemplateReference) or params.argument.name != "name":
            return types.CompleteResult(completion=types.Completion(values=[]))
        names, total = await self.calls.run(ctx, self.memory.complete, params.argument.value)
        completion = types.Completion(values=names, total=total, has_more=total > _MOST_COMPLETIONS)
        return types.CompleteResult(completion=completion)


def _prompt_result(description: str, text: str) -> types.GetPromptResult:
    message = types.PromptMessage(role="user", content=types_map.text(text))
    return types.GetPromptResult(description=description, messages=[message])


def _holder(ctx: Context) -> object:
    """Return the caller and the session that a ticket of a view is for."""
    admitted, params = admitted_call(ctx), ctx.session.client_params
    caller = admitted.caller
    return caller.issuer, caller.id, caller.name, admitted.program, params and params.client_info.name


def serve_stdio(
    memory: Memory,
    toolset: Toolset,
    endpoint: Endpoint | None = None,
    audit: Audit | None = None,
    skills_folder: str = FOLDER,
) -> None:
    """Serve over stdin and stdout until stdin ends. Each request and each edit is added to `audit`."""
    served = McpServer(memory, toolset, endpoint, audit=audit, logs_requests=True, skills_folder=skills_folder)
    server = served.server()

    async def run() -> None:
        async with stdio_server() as (reader, writer):
            await server.run(reader, writer, server.create_initialization_options())

    anyio.run(run)
