"""The rows of toolsets as the protocol has them."""

import json

import mcp_types as types

from zkmem.toolsets.tool import Result, Tool
from zkmem.toolsets.toolset import Prompt, Resource
from zkmem.util.halves import has_half, without_halves


def text(content: str) -> types.TextContent:
    """A text block; half a character, which no message can hold, becomes U+FFFD."""
    return types.TextContent(type="text", text=without_halves(content))


def answer(tool: Tool, result: Result, *, is_error: bool = False) -> types.CallToolResult:
    """What a call of a tool answers."""
    data = dict(result.data) if tool.structured and (result.data or not is_error) else None
    if data and not (result.is_json and not any(map(has_half, result.texts))):
        data = _whole(data)
    return types.CallToolResult(content=[text(one) for one in result.texts], structured_content=data, is_error=is_error)


def _whole(data: dict[str, object]) -> dict[str, object]:
    """The data with U+FFFD for any half of a character: it would end the connection."""
    written = json.dumps(data, ensure_ascii=False)
    if not has_half(written):
        return data
    sent: dict[str, object] = json.loads(without_halves(written))
    return sent


def described(tool: Tool) -> types.Tool:
    """A tool as it is listed."""
    return types.Tool(
        name=tool.name,
        title=tool.title or None,
        description=tool.description,
        input_schema=tool.schema,
        execution=types.ToolExecution(task_support="forbidden") if tool.drop_in else None,
        output_schema=dict(tool.output) if tool.output else None,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.effects.read_only,
            destructive_hint=tool.effects.destructive,
            idempotent_hint=tool.effects.idempotent,
            open_world_hint=tool.question is not None,  # it may ask a model
        ),
    )


def listed(resource: Resource) -> types.Resource:
    """A resource as it is listed."""
    return types.Resource(
        uri=resource.uri,
        name=resource.name,
        title=resource.title,
        description=resource.description,
        mime_type=resource.mime_type,
    )


def offered(prompt: Prompt) -> types.Prompt:
    """A prompt as it is listed."""
    arguments = [
        types.PromptArgument(name=one.name, description=one.description, required=False) for one in prompt.arguments
    ]
    return types.Prompt(name=prompt.name, description=prompt.description, arguments=arguments or None)
