"""Convert tools, results, resources and prompts of a toolset to the types of the protocol."""

import json
from contextvars import ContextVar
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from zkmem.serve.mcp import views
from zkmem.serve.mcp.skills import Skill
from zkmem.toolsets.tool import Result, Tool
from zkmem.toolsets.toolset import Prompt, Resource
from zkmem.util.characters import has_half, without_halves

_slot: ContextVar[list[Any] | None] = ContextVar("slot", default=None)  # a list of at most one value: the data


def text(content: str) -> types.TextContent:
    """Return a text block. Half a surrogate pair, which no message can hold, becomes U+FFFD."""
    return types.TextContent(type="text", text=without_halves(content))


def answer(
    tool: Tool, result: Result, *, is_error: bool = False, shown: dict[str, object] | None = None
) -> types.CallToolResult:
    """Return the result of a tool call. `shown`: the data for its view."""
    data = dict(result.data) if tool.structured and (result.data or not is_error) else None
    if data and not (result.is_json and not any(map(has_half, result.texts))):
        data = _without_halves(data)
    return types.CallToolResult(
        content=[text(one) for one in result.texts],
        structured_content=data,
        is_error=is_error,
        _meta={views.SHOWN: _without_halves(shown)} if shown else None,
    )


def carry(result: types.CallToolResult) -> types.CallToolResult:
    """Return a tool's result without its data, which `deliver` puts back. Call this in a handler of the same server.

    The SDK would copy the data twice, which takes longer than sending them. It converts the result, with an empty
    object in their place, to the client's version of the protocol. If that object is still there, it is replaced.
    """
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


def _without_halves(data: dict[str, object]) -> dict[str, object]:
    """Return the data with U+FFFD for each half of a surrogate pair, which would end the connection."""
    text = json.dumps(data, ensure_ascii=False)
    if not has_half(text):
        return data
    clean: dict[str, object] = json.loads(without_halves(text))
    return clean


def described(tool: Tool, *, shows_views: bool = False) -> types.Tool:
    """Return a tool as `tools/list` shows it to a client, which may show views."""
    return types.Tool(
        name=tool.name,
        title=tool.title or None,
        description=tool.description,
        input_schema=tool.schema,
        execution=types.ToolExecution(task_support="forbidden") if tool.drop_in else None,
        output_schema=dict(tool.output) if tool.output else None,
        _meta=_meta(tool, views.about(tool.view) if tool.view and shows_views else {}),
        annotations=types.ToolAnnotations(
            title=None if tool.drop_in else tool.title or None,  # Claude Code shows this one to the user
            read_only_hint=tool.effects.read_only,
            destructive_hint=tool.effects.destructive,
            idempotent_hint=tool.effects.idempotent,
            open_world_hint=tool.question is not None,  # it may ask a model
        ),
    )


def of_view(tool: Tool) -> types.Tool:
    """Return a tool that only its view calls, as `tools/list` shows it to a client that shows views."""
    about = _meta(tool, views.about(tool.view, visibility=["app"]))
    return described(tool).model_copy(update={"input_schema": views.with_ticket(tool.schema), "meta": about})


def _meta(tool: Tool, view: dict[str, object]) -> dict[str, object] | None:
    """Return what Claude Code, which loads most tools on demand, needs to know about a tool; and about its view."""
    values = {"anthropic/alwaysLoad": tool.always, "anthropic/searchHint": tool.finding, "ui": view}
    return {name: value for name, value in values.items() if value} or None


def listed(resource: Resource) -> types.Resource:
    """Return a resource as `resources/list` shows it."""
    return types.Resource(
        uri=resource.uri,
        name=resource.name,
        title=resource.title,
        description=resource.description,
        mime_type=resource.mime_type,
    )


def listed_skill(skill: Skill) -> types.Resource:
    """Return a skill as `resources/list` shows it."""
    return types.Resource(uri=skill.uri, name=skill.name, description=skill.description, mime_type="text/markdown")


def offered(prompt: Prompt) -> types.Prompt:
    """Return a prompt as `prompts/list` shows it."""
    arguments = [
        types.PromptArgument(name=one.name, description=one.description, required=False) for one in prompt.arguments
    ]
    return types.Prompt(name=prompt.name, description=prompt.description, arguments=arguments or None)
