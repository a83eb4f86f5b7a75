"""The command `call`: call a tool of any toolset without a client."""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import click

from zkmem.cli.commands import suggestion
from zkmem.cli.group import load, open_memory, print_result, text_of, toolset_names, vault_command
from zkmem.cli.serve import endpoint_of
from zkmem.errors import BadArgument
from zkmem.model.question import Answer
from zkmem.toolsets.table import TOOLSETS, chosen
from zkmem.toolsets.tool import Parameter, Tool

if TYPE_CHECKING:
    from zkmem.model.endpoint import ChatEndpoint
    from zkmem.model.question import Question


def _tool_names(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    names = (tool.name for toolset in TOOLSETS.values() for tool in toolset.tools)
    return [name for name in names if name.startswith(incomplete)]


@vault_command("call")
@click.option(
    "--toolsets",
    shell_complete=toolset_names,
    help=f"Toolsets to take the tool from: {', '.join(TOOLSETS)} (default: as configured).",
)
@click.argument("tool", shell_complete=_tool_names)
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...")
def call_(vault: str, as_json: bool, toolsets: str | None, tool: str, arguments: tuple[str, ...]) -> None:
    """Call a tool as a model does, and print its answer.

    If the tool needs a number, true or false, an array or an object, VALUE is JSON; otherwise it is the text itself.
    KEY=@FILE takes the value from a file, and KEY=@- from standard input. KEY=@@TEXT is a text that begins with @.
    A tool with a question for a model uses the configured model (llm_url), if there is one.
    """
    memory, settings = open_memory(vault, toolsets=toolsets)
    with memory:
        tools = chosen(settings.toolsets, settings._asdict()).tools
        called = _tool(tools, tool, settings.toolsets)
        values = _values(called, arguments)
        load(memory)
        acting = memory.on_behalf(client="command line", tools={one.name for one in tools})
        answer = _answer(called.ask(acting, values), endpoint_of(settings))
        print_result(called.call(acting, values, answer), as_json)


def _tool(tools: Iterable[Tool], name: str, toolsets: Iterable[str]) -> Tool:
    by_name = {tool.name: tool for tool in tools}
    if name in by_name:
        return by_name[name]
    for toolset in TOOLSETS:
        if any(tool.name == name for tool in TOOLSETS[toolset].tools):
            raise BadArgument(f"The tool {name!r} is in the toolset {toolset}; add --toolsets {toolset}.")
    near = suggestion(name, by_name)
    raise BadArgument(f"There is no tool {name!r}.{near} The tools of {', '.join(toolsets)} are: {', '.join(by_name)}.")


def _values(tool: Tool, arguments: Iterable[str]) -> Mapping[str, object]:
    values: dict[str, object] = {}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals:
            raise BadArgument(f"{argument!r} is not an argument of a tool; write KEY=VALUE.")
        if key not in tool.parameters:
            raise BadArgument(f"{tool.name} has no argument {key!r}; it has: {', '.join(tool.parameters) or 'none'}.")
        if key in values:
            raise BadArgument(f"The argument {key!r} is given twice.")
        values[key] = _value(tool.parameters[key], value)
    return values


def _value(parameter: Parameter, text: str) -> object:
    """Return the value that a text stands for. A text that is not JSON stays a text, and the tool checks it."""
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
