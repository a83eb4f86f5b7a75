"""Real exchanges for the pages in docs/: each is a session of a client with a server, run anew and compared by a test.

`python -m tests.tools.exchanges` writes them into the pages.
"""

import json
import pathlib
import re
import tempfile
from collections.abc import Sequence
from typing import Any

import anyio
from mcp_types import TextContent

from tests.tools.models import Sampled
from tests.tools.servers import client

DOCS = pathlib.Path(__file__).parents[2] / "docs"
PLACE = re.compile(r"(<!-- exchange -->\n).*?(<!-- end -->)", re.DOTALL)
_TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_DAY = re.compile(r"20\d\d-\d\d-\d\d")

Call = tuple[str, dict[str, Any]]

SESSIONS: dict[str, tuple[Call, ...]] = {
    "zettel": (
        ("set_content", {"name": "hint", "content": "Start with [[green tea]].\n"}),
        ("set_content", {"name": "green tea", "content": "It is steeped at 80 °C. See [[hint]].\n"}),
        ("get_content", {"name": "hint", "depth": 1}),
        ("set_content", {"name": "green tea", "content": "75 °C", "old": "80 °C"}),
        ("rename_content", {"name": "green tea", "new_name": "tea/green"}),
        ("get_hints", {}),
    ),
    "history": (
        ("set_content", {"name": "tea", "content": "Steep it at 80 °C.\n"}),
        ("set_content", {"name": "tea", "content": "75", "old": "80"}),
        ("diff", {"name": "tea"}),
        ("undo", {}),
    ),
    "connector": (
        ("set_content", {"name": "tea/green tea", "content": "Steep it at 75 °C. See [[hint]].\n"}),
        ("search", {"query": "green tea"}),
        ("fetch", {"id": "green tea"}),
    ),
    "vault": (
        ("daily", {"date": "2026-11-20", "content": "- Steeped [[green tea]] at 75 °C", "section": "Log"}),
        ("edit_section", {"name": "green tea", "section": "How", "content": "At 75 °C.", "create": True}),
        ("set_properties", {"name": "green tea", "properties": {"tags": ["tea"], "rating": 4, "tried": "2026-11-20"}}),
        (
            "query",
            {
                "filter": 'file.hasTag("tea") && rating > 3',
                "columns": ["rating", 'tried.format("D MMMM")', "file.backlinks"],
            },
        ),
        ("query", {"filter": "rating > 4"}),
    ),
    "memory": (
        ("memory", {"command": "view", "path": "/memories"}),
        (
            "memory",
            {"command": "create", "path": "/memories/tea.md", "file_text": "# Tea\n\nAnn likes [[green tea]].\n"},
        ),
        (
            "memory",
            {"command": "insert", "path": "/memories/tea.md", "insert_line": 3, "insert_text": "She has no sugar."},
        ),
        ("memory", {"command": "str_replace", "path": "/memories/tea.md", "old_str": "likes", "new_str": "prefers"}),
        ("memory", {"command": "rename", "old_path": "/memories/tea.md", "new_path": "/memories/people/Ann.md"}),
        ("memory", {"command": "view", "path": "/memories"}),
    ),
    "kg": (
        (
            "create_entities",
            {
                "entities": [
                    {"name": "Ann", "entityType": "person", "observations": ["likes green tea", "plays chess"]},
                    {"name": "Acme", "entityType": "company", "observations": ["makes anvils"]},
                ]
            },
        ),
        ("create_relations", {"relations": [{"from": "Ann", "to": "Acme", "relationType": "works_at"}]}),
        ("search_nodes", {"query": "CHESS"}),
        ("add_observations", {"observations": [{"entityName": "Bob", "contents": ["x"]}]}),
    ),
    "think": (
        ("addListMemory", {"name": "tags", "description": "open JSX tags", "role": "stack"}),
        ("pushStackElement", {"name": "tags", "data": "<div>", "description": "line 3"}),
        ("pushStackElement", {"name": "tags", "data": "<span>", "description": "line 4"}),
        ("popStackElement", {"name": "tags"}),
        ("addRawMemory", {"name": "novel", "description": "chapter 1", "data": "It was night.\nIt rained.\nShe left."}),
        ("summarizeRawLines", {"namePath": "novel", "lineBeg": 0, "lineEnd": 1, "text": "A rainy night."}),
        ("readRawLines", {"namePath": "novel", "summarize": True}),
    ),
    "mirix": (
        ("memory_add", {"content": "Ann prefers [[green tea]].", "memory_type": "core"}),
        ("memory_add", {"content": "Ann visited Kyoto in May.", "memory_type": "episodic", "context": "travels"}),
        ("memory_search", {"query": "What does she drink? Tea?"}),
        ("memory_chat", {"message": "What shall I offer Ann?"}),
        ("memory_get_profile", {}),
    ),
    "text": (
        ("update_profile", {"section": "Basic Info", "content": "- Name: Ann\n- Location: Kyoto"}),
        ("create_topic", {"topic": "vue", "content": "## Performance\n- memoize list items\n"}),
        ("add_agent_memory", {"agent_id": "tutor", "memory": "likes short answers"}),
        ("load_memory", {"message": "帮我优化 Vue 组件的性能", "agent_id": "tutor"}),
    ),
}
SHOWN = {
    "kg": "Ann.md",
    "mirix": "episodic/Ann visited Kyoto in May.md",
    "think": "novel.md",
    "text": "_core/profile.md",
    "vault": "green tea.md",
    "memory": "memories/people/Ann.md",
}
"""A note to show after the session."""

_MODEL = json.dumps({"reply": "Green tea: she prefers it.", "memories": []})


def toolsets_of(name: str) -> str:
    """The toolsets that are served for the session of one."""
    return f"zettel,{name}" if name in {"history", "connector"} else name


async def exchange(name: str) -> str:
    """The session of a toolset, as Markdown."""
    toolsets = toolsets_of(name)
    parts = []
    with tempfile.TemporaryDirectory() as vault:
        async with client("memory", "2026-07-28", vault, toolsets, sampling_callback=Sampled(_MODEL)) as connected:
            for tool, arguments in SESSIONS[name]:
                result = await connected.call_tool(tool, arguments)
                texts = [block.text for block in result.content if isinstance(block, TextContent)]
                parts.append(_shown(tool, arguments, texts, failed=bool(result.is_error)))
        if name in SHOWN:
            note = pathlib.Path(vault, SHOWN[name]).read_text("utf-8")
            parts.append(f"The note `{SHOWN[name]}` is then:\n\n```markdown\n{settled(note).rstrip()}\n```\n")
    return "\n".join(parts)


def _shown(tool: str, arguments: dict[str, Any], texts: Sequence[str], *, failed: bool) -> str:
    given = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    answer = settled("\n".join(texts)).rstrip()
    said = "is refused:" if failed else "answers:"
    return f"`{tool}({given})` {said}\n\n```text\n{answer}\n```\n"


def settled(text: str) -> str:
    """A text without the time of the run."""
    return _DAY.sub("2026-11-20", _TIME.sub("2026-11-20T09:30:00.123456Z", text))


async def page(name: str) -> str:
    """A page of the docs with its exchange as it is."""
    text = (DOCS / f"{name}.md").read_text("utf-8")
    new = await exchange(name)
    return PLACE.sub(lambda match: f"{match[1]}{new}{match[2]}", text)


async def _write() -> None:
    for name in SESSIONS:
        (DOCS / f"{name}.md").write_text(await page(name), "utf-8")


if __name__ == "__main__":
    anyio.run(_write)
