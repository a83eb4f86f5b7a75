"""zkmem and its toolsets as servers under test: how they are started, and how each thing is asked of them."""

import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import zkmem
from benchmarks.memories import Agents, Entities, Memories, Notes, Raws
from benchmarks.place import ROOT

Call = tuple[str, dict[str, object]]
"""A tool and its arguments, in which `$` stands for a token: the line, the note or the new name that a call makes."""


def with_token(value: str, template: Any) -> Any:
    """A template with a value in the place of every `$`."""
    return json.loads(json.dumps(template).replace("$", json.dumps(value)[1:-1]))


class Subject(NamedTuple):
    """A server under test. In command and environment `$` stands for the memory's folder; `$-home` is beside it."""

    name: str
    memory: type[Notes]
    command: list[str]
    environment: dict[str, str]
    calls: dict[str, Call]  # by round
    by_hand: bool = True  # whether a person may edit what is shared
    uses: Mapping[str, Call] = {}  # "read", "write", "search": `$` stands for the note, or for what is searched
    keeps: Mapping[str, str] = {}  # more of the environment: where its index is kept, if it keeps one


ZKMEM = Subject(
    f"zkmem {zkmem.__version__}",
    Notes,
    [sys.executable, "-m", "zkmem", "serve", "$"],
    {"PYTHONPATH": ROOT, "XDG_CACHE_HOME": "$-home"},
    {
        "appends": ("set_content", {"name": "log", "content": "$", "append": True}),
        "creations": ("set_content", {"name": "made/$", "content": "$"}),
        "renames": ("rename_content", {"name": "was $", "new_name": "$"}),
    },
    uses={
        "read": ("get_content", {"name": "$"}),
        "write": ("set_content", {"name": "$", "content": "More.", "append": True}),
    },
)
SEARCHING = ZKMEM._replace(
    name=f"{ZKMEM.name}, zettel and mirix",
    command=[*ZKMEM.command, "--toolsets", "zettel,mirix"],
    uses={**ZKMEM.uses, "search": ("memory_search", {"query": "$"})},
)
"""With a toolset that searches: the default one does not."""


def _of_toolset(name: str, memory: type[Notes], calls: dict[str, Call], *, by_hand: bool = True) -> Subject:
    command = [*ZKMEM.command, "--toolsets", name]
    return Subject(f"{ZKMEM.name} {name}", memory, command, ZKMEM.environment, calls, by_hand)


TOOLSETS = [
    _of_toolset(
        "kg",
        Entities,
        {
            "appends": ("add_observations", {"observations": [{"entityName": "log", "contents": ["$"]}]}),
            "creations": ("create_entities", {"entities": [{"name": "$", "entityType": "n", "observations": ["$"]}]}),
        },
    ),
    _of_toolset(
        "think",
        Raws,
        {
            "appends": ("writeRaw", {"namePath": "log", "data": "$\n", "isAppend": True}),
            "creations": ("appendListElement", {"name": "made", "data": "$", "description": "$"}),
        },
    ),
    _of_toolset(
        "mirix",
        Memories,
        {"creations": ("memory_add", {"content": "the same words\n$", "memory_type": "episodic"})},
        by_hand=False,
    ),
    _of_toolset(
        "text",
        Agents,
        {
            "appends": ("add_agent_memory", {"agent_id": "log", "memory": "$"}),
            "creations": ("create_topic", {"topic": "$", "content": "$"}),
        },
    ),
]
