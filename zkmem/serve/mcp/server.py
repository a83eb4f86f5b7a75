"""Serve a memory over MCP: tools, notes as resources, and prompts.

The SDK's low-level server sends the schemas of the toolset unchanged. The same public handlers serve both versions of
the protocol: 2025-11-25 and earlier, which begin with a handshake, and 2026-07-28.
"""

import asyncio
import functools
import logging
import math
from collections.abc import AsyncIterator, Callable, Container, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, unquote
from weakref import WeakKeyDictionary

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.shared.exceptions import MCPError

from zkmem import __version__
from zkmem.caller import CHAT, OF_A_PERSON, by_client
from zkmem.errors import TooMany, UnknownNote, ZkError
from zkmem.memory import Memory
from zkmem.names import ENTRY, URI
from zkmem.serve.access.audit import Audit
from zkmem.serve.mcp import types_map, views
from zkmem.serve.mcp.client import Endpoint, ProgressReporter, ask_client
from zkmem.serve.mcp.requests_log import admitted_call, logging_requests
from zkmem.serve.mcp.skills import FOLDER, SCHEME, Skill, Skills
from zkmem.serve.mcp.types_map import carry, deliver
from zkmem.serve.shares import Streams
from zkmem.serve.turns import THREADS, WorkerThreads
from zkmem.toolsets.question import Answer, Question
from zkmem.toolsets.tool import Tool
from zkmem.toolsets.toolset import Toolset
from zkmem.vault.journal.log import client_name, printable_name

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_RESERVED = "/:?@!$&'()*+,;="  # the characters that {+name} does not encode, without "#" and brackets
_HOUR = CacheHint(ttl_ms=3_600_000, scope="public")
_HOUR_OF_ONE = CacheHint(ttl_ms=3_600_000, scope="private")  # the list depends on what the client shows
_MOST_COMPLETIONS = 100
_MOST_LISTENING = 1_000_000  # streams of changes; `Streams` has the limit for those of all servers
_MOST_LISTED = 50  # notes in a list of resources: the best ones to start from
_LINKS_S = 5.0  # how long that list waits for the links of a vault that was just opened
_MOST_READ = 8_000_000  # characters of a resource, which cannot be read in parts
_MOST_FOLLOWED, _LONGEST_URI = 1_000, 3_000  # subscriptions of one client that began with a handshake
_HANDSHAKE_S = 0.1  # for the handshake, before indexing begins
_SLOW_S = 1.0  # for sending one change to a client

_PROPOSES = "Your edits are proposed: you read them as made; a person accepts or drops them later."

_SKILLS = "io.modelcontextprotocol/skills"
_FRESH = {"ttlMs": 0, "cacheScope": "private"}  # a note may change at any time, and callers see different ones

_Context = ServerRequestContext[Any]


class _SkillParams(types.RequestParams):
    """The parameters of `skills/get`."""

    uri: str


def uri_of(name: str) -> str:
    """Return the resource URI of a note."""
    return URI + quote(name, safe=_RESERVED)


def name_in(uri: str) -> str:
    """Return the name of the note at a resource URI."""
    if not uri.startswith(URI):
        raise MCPError(types.INVALID_PARAMS, f"Unknown resource: notes are {URI}{{name}}.", {"uri": uri})
    return unquote(uri.removeprefix(URI))


def _listed(name: str) -> types.Resource:
    about = "The entry to this memory" if name == ENTRY else None
    return types.Resource(uri=uri_of(name), name=name, description=about, mime_type="text/markdown")


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
        self.views = dict.fromkeys(tool.view for tool in toolset.tools if tool.view)
        self.tickets = views.Tickets()
        self.prompts = {prompt.name: prompt for prompt in toolset.prompts}
        self.skills = Skills(toolset.prompts, skills_folder)
        self.resources = {resource.uri: resource for resource in toolset.resources}
        self.endpoint = endpoint
        self.threads = threads or WorkerThreads(THREADS, THREADS)  # over stdio a process has one client
        self.streams = streams or Streams()
        self.bus = InMemorySubscriptionBus()
        self.streams_open = 0
        self.listeners = ListenHandler(self.bus, max_subscriptions=_MOST_LISTENING)
        # clients with a handshake -> note's name -> URIs as the client wrote them; dropped with the connection
        self.subscribers: WeakKeyDictionary[Connection, dict[str, set[str]]] = WeakKeyDictionary()
        self.loop: asyncio.AbstractEventLoop | None = None

    def server(self) -> Server[Any]:
        """Return the SDK's server. Its lifespan starts the memory and, unless it is shared, closes it."""
        server: Server[Any] = Server(
            "zkmem",
            version=__version__,
            title="zkmem",
            instructions=self.guide or None,
            lifespan=self._lifespan,
            cache_hints={"tools/list": _HOUR_OF_ONE if self.views else _HOUR, "resources/templates/list": _HOUR},
            get_tool_input_schema=lambda _: None,  # for headers that repeat arguments: no tool asks for any
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._listen,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
        )
        server.extensions[_SKILLS] = {}
        if self.views:
            server.extensions[views.EXTENSION] = {}
        server.add_request_handler("skills/list", types.PaginatedRequestParams, self._list_skills)
        server.add_request_handler("skills/get", _SkillParams, self._get_skill)
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
            tasks.start_soon(self._publish, changed)
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
            self.loop.call_soon_threadsafe(self.listeners.close)

    async def _publish(self, changed: "MemoryObjectReceiveStream[list[str]]") -> None:
        async for names in changed:
            if not (self.streams_open or self.subscribers):
                continue  # the work would only delay the answer to an edit of many notes
            for name in names:
                await self._notify_subscribers(name, *dict.fromkeys((uri_of(name), URI + name)))
            await self._notify_of_resources()
            if are_skills := any(map(self.skills.may_be, names)):
                await self.bus.publish(PromptsListChanged())
            if are_skills or ENTRY in names:  # `resources/list` names them; they may be new, or gone
                await self.bus.publish(ResourcesListChanged())

    async def _notify_of_resources(self) -> None:
        for uri in self.resources:
            await self._notify_subscribers(uri, uri)

    async def _notify_subscribers(self, key: str, *uris: str) -> None:
        """Notify the clients that follow one of the URIs of a resource; see `_key` for `key`."""
        for uri in uris:
            await self.bus.publish(ResourceUpdated(uri))
        for connection, followed in list(self.subscribers.items()):
            for uri in list(followed.get(key, ())):
                with anyio.move_on_after(_SLOW_S):  # a client that does not read must not hold up the others
                    await connection.send_resource_updated(uri)

    async def _list_tools(self, ctx: _Context, _: object) -> types.ListToolsResult:
        """List the tools for the model and, for a client that shows views, those that only a view calls."""
        shows_views = views.are_shown(ctx.session.client_capabilities)
        listed = [types_map.described(tool, shows_views=shows_views) for tool in self.tools.values()]
        of_views = map(types_map.of_view, self.of_views.values()) if shows_views else ()
        return types.ListToolsResult(tools=[*listed, *of_views])

    async def _call_tool(
        self, ctx: _Context, params: types.CallToolRequestParams
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
        self, tool: Tool, ctx: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        memory, arguments, answer = self._on_behalf(ctx), params.arguments or {}, Answer()
        if is_of_view := tool.name in self.of_views:
            self.tickets.check(arguments.get(views.TICKET), _holder(ctx))
            memory = memory.on_behalf(client=by_client(admitted_call(ctx).caller.name, CHAT))
            arguments = {name: value for name, value in arguments.items() if name != views.TICKET}
        question = await self._runner(ctx)(tool.ask, memory, arguments) if tool.question else None
        if question:
            reply = await ask_client(ctx, params, question)
            if isinstance(reply, types.InputRequiredResult):
                return reply
            answer = reply or await self._ask_endpoint(ctx, question)
        threads = self.threads.of(writes=not tool.effects.read_only, evaluates=tool.evaluates(arguments))
        run_tool = threads.try_in_loop if tool.quick else threads.run
        result = await run_tool(admitted_call(ctx).turn, tool.call, memory, arguments, answer)
        if not tool.effects.read_only:  # even if the call has changed nothing, as in server-memory
            await self._notify_of_resources()
        shown = dict(result.shown) if views.are_shown(ctx.session.client_capabilities) else {}
        if shown and self.of_views and not is_of_view:
            shown[views.TICKET] = self.tickets.make(_holder(ctx))
        return carry(types_map.answer(tool, result, shown=shown))

    async def _ask_endpoint(self, ctx: _Context, question: Question) -> Answer:
        """Return the answer of the configured model to a question when it is the client's turn; no answer without one.

        The turn is for the endpoint only: a client's own model may take its time.
        """
        if self.endpoint is None:
            return Answer()
        async with self.threads.questions.turn(admitted_call(ctx).turn):
            return await self.endpoint.ask(question)

    def _on_behalf(self, ctx: _Context) -> Memory:
        """Return the memory for a client; over HTTP, with the rights of the caller that the gate has identified."""
        params, progress = ctx.session.client_params, ProgressReporter(ctx.session.report_progress)
        client = f"{params.client_info.name} {params.client_info.version}".strip() if params else ""
        name = printable_name(client)
        if client_name(name).rpartition(": ")[2] in OF_A_PERSON:  # that is the name of a person's own edits
            client = f"{name} (MCP)"
        return admitted_call(ctx).on_behalf(self.memory, self.audit, client, progress)

    def _runner(self, ctx: _Context) -> "functools.partial[Any]":
        """Return a coroutine function that runs work in a thread when it is the client's turn."""
        return functools.partial(self.threads.of(writes=False).run, admitted_call(ctx).turn)

    async def _list_resources(self, ctx: _Context, __: object) -> types.ListResourcesResult:
        """List the notes to start from, for clients that offer a list to attach from; all others can be read, too."""
        self.memory.start()
        memory = self._on_behalf(ctx)
        names = await self._looked(ctx, functools.partial(memory.entries, _MOST_LISTED, wait_s=_LINKS_S))
        skills = await self._looked(ctx, functools.partial(self.skills.all, memory, with_links=False))
        listed = [types_map.listed(resource) for resource in self.resources.values()]
        return types.ListResourcesResult(
            resources=[*listed, *map(_listed, names), *(types_map.listed_skill(skill) for skill in skills)]
        )

    async def _looked(self, ctx: _Context, look: Callable[[], _T]) -> _T:
        """Return the result of `look`, run in a thread."""
        try:
            result: _T = await self._runner(ctx)(look)
        except ZkError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from error
        return result

    async def _list_skills(self, ctx: _Context, _: types.PaginatedRequestParams) -> dict[str, object]:
        skills, others = await self._looked(ctx, functools.partial(self.skills.listed, self._on_behalf(ctx)))
        meta = {"_meta": {"zkmem/left_out": others}} if others else {}
        return {"skills": [skill.entry for skill in skills], **_FRESH, **meta}

    async def _get_skill(self, ctx: _Context, params: _SkillParams) -> dict[str, object]:
        skill = await self._skill_at(ctx, params.uri)
        if params.uri != skill.uri:
            raise MCPError(types.INVALID_PARAMS, f"This is a file of the skill {skill.uri}.", {"uri": params.uri})
        return {"skill": skill.entry, **_FRESH}

    async def _skill_at(self, ctx: _Context, uri: str) -> Skill:
        """Return the skill that a file belongs to."""
        skill = await self._looked(ctx, functools.partial(self.skills.get_at, self._on_behalf(ctx), uri))
        if skill is None:
            raise MCPError(types.INVALID_PARAMS, "There is no such skill, and no such file of a skill.", {"uri": uri})
        return skill

    async def _list_templates(self, _: _Context, __: object) -> types.ListResourceTemplatesResult:
        note = types.ResourceTemplate(
            uri_template=URI + "{+name}", name="note", description="A note by its name", mime_type="text/markdown"
        )
        return types.ListResourceTemplatesResult(resource_templates=[note])

    async def _read_resource(self, ctx: _Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri.startswith(views.URI):
            return types.ReadResourceResult(contents=[self._view(uri)])
        if resource := self.resources.get(uri):
            text = await self._runner(ctx)(resource.read, self.memory)
            content = types.TextResourceContents(uri=uri, mime_type=resource.mime_type, text=text)
            return types.ReadResourceResult(contents=[content])
        if uri.startswith(SCHEME):
            (text,) = (file.text for file in (await self._skill_at(ctx, uri)).files if file.uri == uri)
            content = types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)
            return types.ReadResourceResult(contents=[content])
        read = functools.partial(self._on_behalf(ctx).read, name_in(uri), bounded=False)
        try:
            note = await self._runner(ctx)(read)
        except ZkError as error:
            code = types.INVALID_PARAMS if isinstance(error, UnknownNote) else types.INTERNAL_ERROR
            raise MCPError(code, str(error), {"uri": uri}) from error
        if note.large or len(note.text) > _MOST_READ:
            size = f"{note.characters:,} {'bytes' if note.large else 'characters'}"
            way = "; read it in parts with get_content" if "get_content" in self.tools else ", too many for a resource"
            sentence = f"This note has {size}{way}."
            raise MCPError(types.INVALID_PARAMS, sentence, {"uri": uri})
        content = types.TextResourceContents(uri=uri, mime_type="text/markdown", text=note.text)
        return types.ReadResourceResult(contents=[content])

    def _view(self, uri: str) -> types.TextResourceContents:
        for view in self.views:
            if views.uri_of(view) == uri:
                return views.resource(view)
        raise MCPError(types.INVALID_PARAMS, "There is no such view; list the tools again.", {"uri": uri})

    async def _subscribe(self, ctx: _Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        followed, uri = self.subscribers.setdefault(_connection(ctx), {}), str(params.uri)
        if len(uri) > _LONGEST_URI or sum(map(len, followed.values())) >= _MOST_FOLLOWED:
            sentence = (
                f"A client can follow {_MOST_FOLLOWED} resources, with URIs of {_LONGEST_URI} characters at most."
            )
            raise MCPError(types.INVALID_PARAMS, sentence)
        followed.setdefault(self._key(uri), set()).add(uri)
        return types.EmptyResult()

    async def _unsubscribe(self, ctx: _Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self.subscribers.get(_connection(ctx), {}).pop(self._key(str(params.uri)), None)
        return types.EmptyResult()

    async def _listen(
        self, ctx: _Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve a stream of changes, which counts like one of the API."""
        try:
            stream = self.streams.enter(admitted_call(ctx).sender)
        except TooMany as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from error
        with self.streams.serving(stream):
            self.streams_open += 1
            try:
                return await self.listeners(ctx, params)
            finally:
                self.streams_open -= 1
        raise MCPError(types.INTERNAL_ERROR, "Another caller needs the place of this stream; try again later.")

    def _key(self, uri: str) -> str:
        """Return the key of a resource among the subscriptions: the note's name, or the URI of another resource."""
        return uri if uri in self.resources else name_in(uri)

    async def _list_prompts(self, ctx: _Context, _: object) -> types.ListPromptsResult:
        """List the prompts of the toolsets, and the skills of notes, for clients that know no skills."""
        of_notes = functools.partial(self.skills.all, self._on_behalf(ctx), notes_only=True, with_links=False)
        skills = [types.Prompt(name=one.name, description=one.description) for one in await self._looked(ctx, of_notes)]
        return types.ListPromptsResult(prompts=[*map(types_map.offered, self.prompts.values()), *skills])

    async def _get_prompt(self, ctx: _Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt = self.prompts.get(params.name)
        if prompt is None:
            skill = await self._looked(ctx, functools.partial(self.skills.get, self._on_behalf(ctx), params.name))
            if skill is None:
                raise MCPError(types.INVALID_PARAMS, f"Unknown prompt {params.name!r}.")
            return _prompt_result(skill.description, skill.text)
        try:
            text = await self._runner(ctx)(prompt.render, self.memory, params.arguments or {})
        except ZkError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        return _prompt_result(prompt.description, text)

    async def _complete(self, ctx: _Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        if not isinstance(params.ref, types.ResourceTemplateReference) or params.argument.name != "name":
            return types.CompleteResult(completion=types.Completion(values=[]))
        names, total = await self._runner(ctx)(self.memory.complete, params.argument.value)
        completion = types.Completion(values=names, total=total, has_more=total > _MOST_COMPLETIONS)
        return types.CompleteResult(completion=completion)


def _prompt_result(description: str, text: str) -> types.GetPromptResult:
    message = types.PromptMessage(role="user", content=types_map.text(text))
    return types.GetPromptResult(description=description, messages=[message])


def _holder(ctx: _Context) -> object:
    """Return the caller and the session that a ticket of a view is for."""
    admitted, params = admitted_call(ctx), ctx.session.client_params
    caller = admitted.caller
    return caller.issuer, caller.id, caller.name, admitted.program, params and params.client_info.name


def _connection(ctx: _Context) -> Connection:
    """Return the connection of a request; `ctx.session` is a new object for each request."""
    return ctx.session._connection  # noqa: SLF001 - the SDK has no public name for it


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
