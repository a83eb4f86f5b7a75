"""The table of THINK-MEM's 25 tools."""

import re
from collections.abc import Callable
from typing import Any

from zkmem.memory import Memory
from zkmem.toolsets.think import list_tools, memory_tools, raw_tools
from zkmem.toolsets.think.graphs import GRAPH_ROLES, KINDS
from zkmem.toolsets.think.lists import ROLES
from zkmem.toolsets.tool import READS, Effects, Parameter, Result, Tool
from zkmem.toolsets.toolset import Guide, Toolset

GUIDE = Guide(
    purpose="addRawMemory and addListMemory for texts, plans and queues that you are working on",
    about="""\
Working memory: raw texts, and lists of them (array, deque, stack) for plans, queues and nesting; read only the lines \
you need of a long text.""",
    use="""\
A namePath is a raw memory's name, or for an element list<:0:>, list<:TOP:>, list<:FRONT:>, list<:BACK:> or \
list<::>element. Lines and indexes count from 0, ranges include both ends, patterns are regular expressions. Changing \
a line drops the summaries that cover it.""",
)

_ADDS = Effects()
_SETS = Effects(idempotent=True)
_CHANGES = Effects(destructive=True)

_TEXT = Parameter("string")
_NUMBER = Parameter("integer")
_NAME = {"name": _TEXT}
_PATH = {"namePath": _TEXT}
_RANGE = {**_PATH, "lineBeg": _NUMBER, "lineEnd": _NUMBER}
_NEW = {**_NAME, "description": _TEXT}
_ELEMENT = {**_NAME, "data": _TEXT, "description": _TEXT}
_POSITION = {"position": Parameter("string", choices=("front", "back"))}
_QUERY = {"pattern": {"type": "string"}, "type": {"type": "string", "enum": list(KINDS)}}


def _tool(
    name: str, title: str, does: str, parameters: dict[str, Parameter], run: Callable[..., Result], effects: Effects
) -> Tool:
    def call(memory: Memory, **given: Any) -> Result:
        return run(memory, **{_snake(argument): value for argument, value in given.items()})

    always = name in {"addRawMemory", "searchMemory"}
    return Tool(name, does, parameters, call, effects, structured=True, says_success=True, title=title, always=always)


def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda match: "_" + match[0].lower(), name)


TOOLS = (
    _tool(
        "addRawMemory",
        "Add a text to the working memory",
        "New text in the working memory, as soon as a text, plan or queue takes several steps of work.",
        {**_NEW, "data": _TEXT},
        memory_tools.add_raw,
        _ADDS,
    ),
    _tool(
        "addListMemory",
        "Add a list to the working memory",
        "New empty list.",
        {**_NEW, "role": Parameter("string", choices=ROLES)},
        memory_tools.add_list,
        _ADDS,
    ),
    _tool(
        "addGraphMemory",
        "Add a graph to the working memory",
        "New empty graph; writeRaw then makes graph<:VERTEX:>a and edges graph<:EDGE:>a<:TO:>b.",
        {**_NEW, "role": Parameter("string", choices=GRAPH_ROLES)},
        memory_tools.add_graph,
        _ADDS,
    ),
    _tool(
        "deleteMemory",
        "Delete from the working memory",
        "Move it to the trash, with its elements.",
        _NAME,
        memory_tools.delete,
        _CHANGES,
    ),
    _tool(
        "searchMemory",
        "Search the working memory",
        "Find in the working memory, by name and description, before you go on with earlier work.",
        {"query": Parameter("object", default=None, inner=_QUERY)},
        memory_tools.search,
        READS,
    ),
    _tool(
        "writeRaw",
        "Write a text",
        "Replace the whole text, or add at its very end.",
        {**_PATH, "data": _TEXT, "isAppend": Parameter("boolean", default=False)},
        raw_tools.write,
        _CHANGES,
    ),
    _tool(
        "replaceRawLines",
        "Replace lines of a text",
        "Replace every match in these lines; $1 and $& work. An empty pattern replaces the lines.",
        {**_RANGE, "pattern": _TEXT, "text": _TEXT},
        raw_tools.replace_lines,
        _CHANGES,
    ),
    _tool("deleteRawLines", "Delete lines of a text", "Delete lines.", _RANGE, raw_tools.delete_lines, _CHANGES),
    _tool(
        "insertRawLines",
        "Insert lines into a text",
        "Insert lines before lineNo; the number of lines appends.",
        {**_PATH, "lineNo": _NUMBER, "text": _TEXT},
        raw_tools.insert_lines,
        _ADDS,
    ),
    _tool(
        "summarizeRawLines",
        "Summarise lines of a text",
        "Add a summary of lines.",
        {**_RANGE, "text": _TEXT},
        raw_tools.summarize,
        _SETS,
    ),
    _tool(
        "desummarizeRawLines",
        "Drop summaries of a text",
        "Drop the summaries within lines.",
        _RANGE,
        raw_tools.desummarize,
        _CHANGES,
    ),
    _tool(
        "readRawLines",
        "Read a text",
        "Read all, or lines; with summarize, only their summaries if these cover them all.",
        {
            **_PATH,
            "lineBeg": Parameter("integer", default=None),
            "lineEnd": Parameter("integer", default=None),
            "summarize": Parameter("boolean", default=False),
        },
        raw_tools.read,
        READS,
    ),
    _tool("searchRawLines", "Search a text", "Lines that match.", {**_PATH, "pattern": _TEXT}, raw_tools.search, READS),
    _tool(
        "appendListElement",
        "Append to a list",
        "Add at the end of an array or deque.",
        _ELEMENT,
        list_tools.append,
        _ADDS,
    ),
    _tool(
        "pushDequeElement",
        "Push onto a deque",
        "Add at an end of a deque.",
        {**_ELEMENT, **_POSITION},
        list_tools.push_deque,
        _ADDS,
    ),
    _tool("pushStackElement", "Push onto a stack", "Add on top of a stack.", _ELEMENT, list_tools.push_stack, _ADDS),
    _tool(
        "insertListElement",
        "Insert into a list",
        "Insert into an array before index.",
        {**_NAME, "index": _NUMBER, "data": _TEXT, "description": _TEXT},
        list_tools.insert,
        _ADDS,
    ),
    _tool(
        "deleteListElement",
        "Delete from a list",
        "Delete from an array.",
        {**_NAME, "index": _NUMBER},
        list_tools.remove,
        _CHANGES,
    ),
    _tool(
        "popDequeElement",
        "Pop from a deque",
        "Take from an end of a deque.",
        {**_NAME, **_POSITION},
        list_tools.pop,
        _CHANGES,
    ),
    _tool("popStackElement", "Pop from a stack", "Take from the top of a stack.", _NAME, list_tools.pop, _CHANGES),
    _tool("clearList", "Clear a list", "Delete all elements.", _NAME, list_tools.clear, _CHANGES),
    _tool(
        "getListElement", "Read a list element", "Read an element.", {**_NAME, "index": _NUMBER}, list_tools.get, READS
    ),
    _tool(
        "peekDequeElement",
        "Look at an end of a deque",
        "Read an end of a deque.",
        {**_NAME, **_POSITION},
        list_tools.peek,
        READS,
    ),
    _tool(
        "peekStackElement",
        "Look at the top of a stack",
        "Read the top of a stack.",
        _NAME,
        list_tools.peek,
        READS,
    ),
    _tool(
        "searchListElements",
        "Search a list",
        "Elements whose name, description or text matches, or all.",
        {**_NAME, "pattern": Parameter("string", default=None)},
        list_tools.search,
        READS,
    ),
)

TOOLSET = Toolset(TOOLS, (GUIDE,))
