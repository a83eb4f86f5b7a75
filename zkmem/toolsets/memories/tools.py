"""The toolset `memory`: Claude's memory tool as one MCP tool."""

from collections.abc import Callable, Mapping

from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.toolsets.arguments import Parameter
from zkmem.toolsets.memories.commands import FOLDER, Memories
from zkmem.toolsets.tool import Effects, Result, Tool
from zkmem.toolsets.toolset import Guide, Toolset

_NEEDED = {
    "view": ("path",),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str", "new_str"),
    "insert": ("path", "insert_line", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
}
_OPTIONAL = {"view": ("view_range",)}
_INSTEAD = {"insert_text": "new_str", "old_path": "path"}  # what models also send
_MAY_BE_LEFT_OUT = {"new_str": ""}  # to remove a passage


def run(memory: Memory, command: str, memories_folder: str, **given: object) -> Result:
    """Run one of the six commands.

    Raises:
        BadArgument: when an argument of the command is missing, and as the commands do.
    """
    return Result((execute(Memories.of(memory, memories_folder), command, given),), {})


def execute(memories: Memories, command: str, given: Mapping[str, object]) -> str:
    """Call the method of a command with its arguments; None stands for one that is missing."""
    values = {name: given.get(name) for name in (*_NEEDED[command], *_OPTIONAL.get(command, ()))}
    for name, other in _INSTEAD.items():
        if name in values and values[name] is None:
            values[name] = given.get(other)
    values |= {name: value for name, value in _MAY_BE_LEFT_OUT.items() if name in values and values[name] is None}
    for name, value in values.items():
        if value is None and name in _NEEDED[command]:
            raise BadArgument(f"The command {command} needs `{name}`.")
        if value is not None:
            PARAMETERS[name].check(name, value)
    method: Callable[..., str] = getattr(memories, command)
    return method(**values)


_TEXT = Parameter("string", default=None)

PARAMETERS = {
    "command": Parameter("string", choices=tuple(_NEEDED)),
    "path": Parameter("string", "such as /memories/name.md", default=None),
    "view_range": Parameter("array", default=None, inner={"type": "integer"}),
    "file_text": _TEXT,
    "old_str": Parameter("string", "must be in the file exactly once", default=None),
    "new_str": _TEXT,
    "insert_line": Parameter("integer", "the line to insert after; 0 is the beginning", default=None),
    "insert_text": _TEXT,
    "old_path": _TEXT,
    "new_path": _TEXT,
}

TOOLSET = Toolset(
    (
        Tool(
            "memory",
            "Your long-term memory, the directory /memories: view it before you answer, and write into it as soon as "
            "you learn what will matter later.",
            PARAMETERS,
            run,
            Effects(destructive=True),
            title="Memory",
            always=True,
            options={"memories_folder": FOLDER},
        ),
    ),
    (
        Guide(
            "memory for your own files in /memories",
            start="view /memories with memory",
            use="Keep the files in /memories short and current; name them after their topic, as /memories/topic.md.",
        ),
    ),
)
