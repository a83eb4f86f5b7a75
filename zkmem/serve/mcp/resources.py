"""Notes, skills and views as resources, and the clients that want to be told when one of them changes."""

from typing import TYPE_CHECKING
from urllib.parse import quote, unquote
from weakref import WeakKeyDictionary

import anyio
import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.shared.exceptions import MCPError

from zkmem.errors import TooMany, UnknownNote, ZkError
from zkmem.names import ENTRY, URI
from zkmem.serve.mcp import types_map, views
from zkmem.serve.mcp.calls import Calls, Context, admitted_call
from zkmem.serve.mcp.skills import SCHEME, Skill, Skills
from zkmem.serve.shares import Streams
from zkmem.toolsets.toolset import Toolset

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream

_RESERVED = "/:?@!$&'()*+,;="  # the characters that {+name} does not encode, without "#" and brackets
_MOST_LISTENING = 1_000_000  # streams of changes; `Streams` has the limit for those of all servers
_MOST_LISTED = 50  # notes in a list of resources: the best ones to start from
_LINKS_S = 5.0  # how long that list waits for the links of a vault that was just opened
_MOST_READ = 8_000_000  # characters of a resource, which cannot be read in parts
_MOST_FOLLOWED, _LONGEST_URI = 1_000, 3_000  # subscriptions of one client that began with a handshake
_SLOW_S = 1.0  # for sending one change to a client
_FRESH = {"ttlMs": 0, "cacheScope": "private"}  # a note may change at any time, and callers see different ones


class SkillParams(types.RequestParams):
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


class Resources:
    """The resources of one server: those of its toolset, the notes, and the skills."""

    def __init__(self, calls: Calls, toolset: Toolset, skills: Skills, streams: Streams) -> None:
        """Serve the resources of `toolset`, and `skills`. `streams` counts the streams of changes of all servers."""
        self._calls = calls
        self._skills = skills
        self._of_toolset = {resource.uri: resource for resource in toolset.resources}
        self._views = {views.uri_of(tool.view): tool.view for tool in toolset.tools if tool.view}
        self._reads_parts = any(tool.name == "get_content" for tool in toolset.tools)
        self._streams = streams
        self._open_streams = 0
        self.bus = InMemorySubscriptionBus()
        self._listeners = ListenHandler(self.bus, max_subscriptions=_MOST_LISTENING)
        # clients with a handshake -> note's name -> URIs as the client wrote them; dropped with the connection
        self._subscribers: WeakKeyDictionary[Connection, dict[str, set[str]]] = WeakKeyDictionary()

    async def list_all(self, ctx: Context, _: object) -> types.ListResourcesResult:
        """List the notes to start from, for clients that offer a list to attach from; all others can be read, too."""
        memory = self._calls.memory_of(ctx)
        memory.start()
        names = await self._calls.look(ctx, memory.entries, _MOST_LISTED, wait_s=_LINKS_S)
        skills = await self._calls.look(ctx, self._skills.all, memory, with_links=False)
        listed = [types_map.listed(resource) for resource in self._of_toolset.values()]
        return types.ListResourcesResult(
            resources=[*listed, *map(_listed, names), *(types_map.listed_skill(skill) for skill in skills)]
        )

    async def list_skills(self, ctx: Context, _: types.PaginatedRequestParams) -> dict[str, object]:
        """List the skills with the digests of their files, as many as fit."""
        skills, others = await self._calls.look(ctx, self._skills.listed, self._calls.memory_of(ctx))
        meta = {"_meta": {"zkmem/left_out": others}} if others else {}
        return {"skills": [skill.entry for skill in skills], **_FRESH, **meta}

    async def get_skill(self, ctx: Context, params: SkillParams) -> dict[str, object]:
        """Return the entry of a skill at the address of its main file."""
        skill = await self._skill_at(ctx, params.uri)
        if params.uri != skill.uri:
            raise MCPError(types.INVALID_PARAMS, f"This is a file of the skill {skill.uri}.", {"uri": params.uri})
        return {"skill": skill.entry, **_FRESH}

    async def _skill_at(self, ctx: Context, uri: str) -> Skill:
        """Return the skill that a file belongs to."""
        skill = await self._calls.look(ctx, self._skills.get_at, self._calls.memory_of(ctx), uri)
        if skill is None:
            raise MCPError(types.INVALID_PARAMS, "There is no such skill, and no such file of a skill.", {"uri": uri})
        return skill

    async def list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        """List the template for the URI of any note."""
        note = types.ResourceTemplate(
            uri_template=URI + "{+name}", name="note", description="A note by its name", mime_type="text/markdown"
        )
        return types.ListResourceTemplatesResult(resource_templates=[note])

    async def read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """Return the text of a resource."""
        uri = str(params.uri)
        if uri.startswith(views.URI):
            content = self._view(uri)
        elif resource := self._of_toolset.get(uri):
            text = await self._calls.run(ctx, resource.read, self._calls.memory)
            content = types.TextResourceContents(uri=uri, mime_type=resource.mime_type, text=text)
        elif uri.startswith(SCHEME):
            (text,) = (file.text for file in (await self._skill_at(ctx, uri)).files if file.uri == uri)
            content = types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)
        else:
            text = await self._note(ctx, uri)
            content = types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)
        return types.ReadResourceResult(contents=[content])

    def _view(self, uri: str) -> types.TextResourceContents:
        if uri not in self._views:
            raise MCPError(types.INVALID_PARAMS, "There is no such view; list the tools again.", {"uri": uri})
        return views.resource(self._views[uri])

    async def _note(self, ctx: Context, uri: str) -> str:
        """Return the text of the note at a URI."""
        try:
            note = await self._calls.run(ctx, self._calls.memory_of(ctx).read, name_in(uri), bounded=False)
        except ZkError as error:
            code = types.INVALID_PARAMS if isinstance(error, UnknownNote) else types.INTERNAL_ERROR
            raise MCPError(code, str(error), {"uri": uri}) from error
        if note.large or len(note.text) > _MOST_READ:
            size = f"{note.characters:,} {'bytes' if note.large else 'characters'}"
            way = "; read it in parts with get_content" if self._reads_parts else ", too many for a resource"
            raise MCPError(types.INVALID_PARAMS, f"This note has {size}{way}.", {"uri": uri})
        return note.text

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Notify a client that began with a handshake whenever the resource changes."""
        followed, uri = self._subscribers.setdefault(_connection(ctx), {}), str(params.uri)
        if len(uri) > _LONGEST_URI or sum(map(len, followed.values())) >= _MOST_FOLLOWED:
            sentence = (
                f"A client can follow {_MOST_FOLLOWED} resources, with URIs of {_LONGEST_URI} characters at most."
            )
            raise MCPError(types.INVALID_PARAMS, sentence)
        followed.setdefault(self._key(uri), set()).add(uri)
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Notify the client no longer."""
        self._subscribers.get(_connection(ctx), {}).pop(self._key(str(params.uri)), None)
        return types.EmptyResult()

    async def listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve a stream of changes, which counts like one of the API."""
        try:
            stream = self._streams.enter(admitted_call(ctx).sender)
        except TooMany as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from error
        with self._streams.serving(stream):
            self._open_streams += 1
            try:
                return await self._listeners(ctx, params)
            finally:
                self._open_streams -= 1
        raise MCPError(types.INTERNAL_ERROR, "Another caller needs the place of this stream; try again later.")

    def _key(self, uri: str) -> str:
        """Return the key of a resource among the subscriptions: the note's name, or the URI of another resource."""
        return uri if uri in self._of_toolset else name_in(uri)

    async def publish(self, changed: "MemoryObjectReceiveStream[list[str]]") -> None:
        """Notify clients of the notes that change, until the stream ends."""
        async for names in changed:
            if not (self._open_streams or self._subscribers):
                continue  # the work would only delay the answer to an edit of many notes
            for name in names:
                await self._notify_subscribers(name, *dict.fromkeys((uri_of(name), URI + name)))
            await self.notify_of_toolset()
            if are_skills := any(map(self._skills.may_be, names)):
                await self.bus.publish(PromptsListChanged())
            if are_skills or ENTRY in names:  # `resources/list` names them; they may be new, or gone
                await self.bus.publish(ResourcesListChanged())

    async def notify_of_toolset(self) -> None:
        """Notify clients of the resources of the toolset: an edit may have changed them."""
        for uri in self._of_toolset:
            await self._notify_subscribers(uri, uri)

    def stop(self) -> None:
        """End all streams of changes in an orderly way."""
        self._listeners.close()

    async def _notify_subscribers(self, key: str, *uris: str) -> None:
        """Notify the clients that follow one of the URIs of a resource; see `_key` for `key`."""
        for uri in uris:
            await self.bus.publish(ResourceUpdated(uri))
        for connection, followed in list(self._subscribers.items()):
            for uri in list(followed.get(key, ())):
                with anyio.move_on_after(_SLOW_S):  # a client that does not read must not hold up the others
                    await connection.send_resource_updated(uri)


def _connection(ctx: Context) -> Connection:
    """Return the connection of a request; `ctx.session` is a new object for each request."""
    return ctx.session._connection  # noqa: SLF001 - the SDK has no public name for it
