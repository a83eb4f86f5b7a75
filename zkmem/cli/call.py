"""The command that calls a tool of any toolset without a client."""

import contextlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import click

from zkmem.cli.commands import suggestion
from zkmem.cli.group import cli, json_option, load, open_memory, print_result, text_of, vault_option
from zkmem.cli.serve import endpoint_of
from zkmem.errors import BadArgument
from zkmem.toolsets.arguments import Parameter
from zkmem.toolsets.question import Answer
from zkmem.toolsets.table import TOOLSETS, chosen
from zkmem.toolsets.tool import Tool

if TYPE_CHECKING:
    from zkmem.serve.mcp.endpoint import ChatEndpoint
    from zkmem.toolsets.question import Question


def _tool_names(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    names = (tool.name for toolset in TOOLSETS.values() for tool in toolset.tools)
    return [name for name in names if name.startswith(incomplete)]


@cli.command("call")
@vault_option
@json_option
@click.option("--toolsets", help=f"Toolsets to take the tool from: {', '.join(TOOLSETS)} (default: as configured).")
@click.argument("tool", shell_complete=_tool_names)
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...")
def call_(vault: str, as_json: bool, toolsets: str | None, tool: str, arguments: tuple[str, ...]) -> None:
    """Call a tool as a model does, and print its answer.

    VALUE is JSON where the tool takes a number, true or false, an array or an object; else it is the text itself.
    KEY=@FILE takes the value from a file and KEY=@- from standard input; KEY=@@TEXT is a text that begins with @.
    A tool that asks a model asks the one that is configured (llm_url), if any.
    """
    memory, settings = open_memory(vault, toolsets=toolsets)
    with contextlib.closing(memory):
        found = _tool(chosen(settings.toolsets, settings._asdict()).tools, tool, settings.toolsets)
        given = _given(found, arguments)
        load(memory)
        acting = memory.on_behalf(client="command line")
        answer = _answer(found.ask(acting, given), endpoint_of(settings))
        print_result(found.call(acting, given, answer), as_json)


def _tool(tools: Iterable[Tool], name: str, toolsets: Iterable[str]) -> Tool:
    known = {tool.name: tool for tool in tools}
    if name in known:
        return known[name]
    for toolset in TOOLSETS:
        if any(tool.name == name for tool in TOOLSETS[toolset].tools):
            raise BadArgument(f"The tool {name!r} is in the toolset {toolset}; add --toolsets {toolset}.")
    near = suggestion(name, known)
    raise BadArgument(f"There is no tool {name!r}.{near} {', '.join(toolsets)} has: {', '.join(known)}.")


def _given(tool: Tool, arguments: Iterable[str]) -> Mapping[str, object]:
    given: dict[str, object] = {}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals:
            raise BadArgument(f"{argument!r} is no argument of a tool; write KEY=VALUE.")
        if key not in tool.parameters:
            raise BadArgument(f"{tool.name} has no argument {key!r}; it has: {', '.join(tool.parameters) or 'none'}.")
        if key in given:
            raise BadArgument(f"The argument {key!r} is given twice.")
        given[key] = _value(tool.parameters[key], value)
    return given


def _value(parameter: Parameter, text: str) -> object:
    """Return the value that a text stands for; one that is not JSON stays a text, and the tool refuses or reads it."""
    if text.startswith("@"):
        text = text[1:] if text.startswith("@@") else text_of(text[1:])
    if parameter.type == "string":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _answer(question: "Question | None", endpoint: "ChatEndpoint | None") -> Answer:
    if question is None or endpoint is None:
        return Answer()
    import anyio  # noqa: PLC0415 - only a question to a model needs it

    return anyio.run(endpoint.ask, question)
