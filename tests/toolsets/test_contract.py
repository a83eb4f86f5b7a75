"""What every toolset that writes must do alike: one test class, run on each of them."""

import json
import pathlib
import re
import shutil
from collections.abc import Iterator

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from tests.tools.crashes import in_child, killed
from tests.tools.servers import client
from tests.tools.vaults import read, write
from tests.vault.test_lock import holder
from zkmem.caller import Grant
from zkmem.errors import BadArgument, Busy, Forbidden
from zkmem.memory import Memory
from zkmem.serve.mcp import resources
from zkmem.toolsets.table import TOOLSETS
from zkmem.toolsets.tool import Tool

WRITES: dict[str, tuple[str, dict[str, object]]] = {
    "zettel": ("set_content", {"name": "x", "content": "words"}),
    "kg": ("create_entities", {"entities": [{"name": "x", "entityType": "t", "observations": ["words"]}]}),
    "think": ("addRawMemory", {"name": "x", "description": "d", "data": "words"}),
    "mirix": ("memory_add", {"content": "words", "memory_type": "core"}),
    "text": ("create_topic", {"topic": "x", "content": "words"}),
    "memory": ("memory", {"command": "create", "path": "/memories/x.md", "file_text": "words"}),
    "vault": ("edit_section", {"name": "x", "section": "Top", "content": "words", "create": True}),
}
"""A call that writes, for each toolset."""


ALL_TOOLS = {tool.name for toolset in TOOLSETS.values() for tool in toolset.tools}
WORDS = {"daily", "diff", "fetch", "log", "memory", "query", "search", "show"}
"""Tools whose names are common words: a sentence names one only in backticks, as a call, or as "the tool NAME"."""

VALUES = ["gone", "hint", "nothing", "dup", "long", "note#None", "/memories/gone.md", "1", ""]


def named(text: str) -> set[str]:
    """The tools that a sentence names. Commands such as `zkmem undo 3` are no tools."""
    text = re.sub(r"zkmem \w+", "", text)
    names = set(re.findall(r"(?<![\w/.'-])\w+(?![\w-])", text)) & (ALL_TOOLS - WORDS)
    return names | {name for name in WORDS if re.search(rf"`{name}`|\btool {name}\b|\b{name}\(", text)}


def calls(tool: Tool, value: str) -> Iterator[dict[str, object]]:
    """Calls of a tool with a value as each text: with the arguments that it needs, with one more, and with all."""
    others = {"integer": 2, "number": 2, "boolean": True, "array": [value], "object": {value: value}}

    def given(name: str, choice: str = "") -> dict[str, object]:
        parameter = tool.parameters[name]
        if parameter.type != "string":
            return {name: others[parameter.type]}
        text = "4" if name == "rev" else value  # the deletion
        return {name: (choice or parameter.choices[0]) if parameter.choices else text}

    needed, every = dict[str, object](), dict[str, object]()
    for name, parameter in tool.parameters.items():
        needed |= given(name) if parameter.default is ... else {}
        every |= given(name)
    yield needed
    for name, parameter in tool.parameters.items():
        yield from (needed | given(name, choice) for choice in parameter.choices or [""])
    yield every


@pytest.mark.anyio
@pytest.mark.parametrize("served", [*((name,) for name in TOOLSETS), ("zettel", "history")], ids="+".join)
async def test_no_answer_and_no_error_names_a_tool_that_is_not_served(
    served: tuple[str, ...], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "_MOST_READ", 10_000)
    long = "".join(f"line {number}\n" for number in range(9_000))
    vault = write(tmp_path / "vault", {"gone.md": "Gone.\n", "x/dup.md": "", "y/dup.md": "", "note.md": "# N\n"})
    others = Memory(vault, durable=False)
    for name, text in (("b", long), ("a", f"[[b]]\n{long}"), ("long", "[[a]] [[b]]\n")):
        others.write(name, text)
    others.delete("gone")
    tools = [tool for name in served for tool in TOOLSETS[name].tools]
    answers = set()
    async with client("memory", "2026-07-28", vault, ",".join(served)) as connected:
        for name in ("b", "gone", "hint"):
            with pytest.raises(MCPError) as refused:
                await connected.read_resource(f"zkmem://note/{name}")
            answers.add(str(refused.value))
        for tool in sorted(tools, key=lambda one: one.effects.destructive):
            for arguments in (one for value in VALUES for one in calls(tool, value)):
                result = await connected.call_tool(tool.name, arguments)
                answers |= {block.text for block in result.content if isinstance(block, TextContent)}
    known = {tool.name for tool in tools} | {name for tool in tools for name in tool.parameters}
    assert {name for answer in answers for name in named(answer)} <= known
    assert any("'gone' was moved to the trash" in answer for answer in answers)
    assert any("There is no entry note yet" in answer for answer in answers)
    if {"zettel", "history"} & set(served):
        assert any("(Cut here" in answer for answer in answers)


def test_no_toolset_that_writes_is_left_out() -> None:
    writing = {name for name, toolset in TOOLSETS.items() if not all(tool.effects.read_only for tool in toolset.tools)}
    assert writing - {"history"} == set(WRITES), "undo and redo, of `history`, write nothing new"


@pytest.mark.parametrize("toolset", WRITES)
class TestAToolsetThatWrites:
    @pytest.fixture
    def vault(self, tmp_path: pathlib.Path) -> str:
        return write(tmp_path / "vault", {"old.md": "Old.\n"})

    @pytest.fixture
    def tool(self, toolset: str) -> Tool:
        name, _ = WRITES[toolset]
        (tool,) = (one for one in TOOLSETS[toolset].tools if one.name == name)
        return tool

    @pytest.fixture
    def given(self, toolset: str) -> dict[str, object]:
        return WRITES[toolset][1]

    def test_a_write_is_one_edit_in_the_log_with_its_tool_and_client(
        self, vault: str, tool: Tool, given: dict[str, object]
    ) -> None:
        memory = Memory(vault)
        tool.call(memory.on_behalf(client="tester 1"), given)
        (edit,) = memory.log()
        assert edit.tool == tool.name
        assert edit.author == "tester"
        assert b"words" in b"".join(data for path, data in read(vault).items() if path != "old.md")

    def test_an_undo_takes_back_every_byte_and_a_redo_brings_it_back(
        self, vault: str, tool: Tool, given: dict[str, object]
    ) -> None:
        memory = Memory(vault)
        before = read(vault)
        tool.call(memory, given)
        after = read(vault)
        memory.undo()
        assert read(vault) == before
        memory.redo()
        assert read(vault) == after != before

    def test_a_key_in_a_new_text_is_named_once_and_stays(
        self, vault: str, toolset: str, tool: Tool, given: dict[str, object], caplog: pytest.LogCaptureFixture
    ) -> None:
        key = "ghp_" + "Zq7Lw2Nx9Rt4" * 3
        memory = Memory(vault)
        result = tool.call(memory, json.loads(json.dumps(given).replace("words", f"words {'and more ' * 20} {key}")))
        said = "\n".join(result.texts)
        assert key.encode() in b"".join(read(vault).values())
        if toolset == "kg":  # its answers are those of the server that it replaces
            assert "looks like" not in said
            return
        assert said.count("this looks like a token (line ") == 1
        assert key not in said
        assert "ghp_" not in caplog.text

    def test_a_write_survives_the_kill_of_its_process(
        self, vault: str, tmp_path: pathlib.Path, tool: Tool, given: dict[str, object]
    ) -> None:
        assert in_child(lambda: tool.call(Memory(vault), given)) == 0  # it leaves without closing the memory
        (edit,) = Memory(vault).log()
        assert edit.tool == tool.name

    def test_a_write_that_is_killed_is_made_whole_or_not_at_all(
        self, vault: str, tmp_path: pathlib.Path, tool: Tool, given: dict[str, object]
    ) -> None:
        seen, alive, fatal = set(), False, 1
        while not alive:
            root = shutil.copytree(vault, tmp_path / str(fatal))
            alive = not killed(str(root), lambda m: tool.call(m, given), fatal)
            memory = Memory(str(root))
            memory.load()
            is_made = bool(memory.log())
            assert is_made == (read(root) != {"old.md": b"Old.\n"}), fatal
            seen.add(is_made)
            fatal += 4
        assert seen == {False, True}

    def test_a_caller_who_may_only_read_is_refused(self, vault: str, tool: Tool, given: dict[str, object]) -> None:
        before = read(vault, hidden=True)
        with pytest.raises(Forbidden):
            tool.call(Memory(vault).restricted(Grant(read_only=True)), given)
        assert read(vault, hidden=True) == before

    def test_while_another_process_has_the_lock_a_write_is_refused(
        self, vault: str, tool: Tool, given: dict[str, object]
    ) -> None:
        with holder(pathlib.Path(vault)) as process:
            with pytest.raises(Busy, match=f"process {process.pid}"):
                tool.call(Memory(vault, lock_timeout_s=0.05), given)
            assert read(vault) == {"old.md": b"Old.\n"}

    def test_an_argument_that_is_missing_is_refused_and_nothing_changes(
        self, vault: str, tool: Tool, given: dict[str, object]
    ) -> None:
        with pytest.raises(BadArgument, match=next(iter(given))):
            tool.call(Memory(vault), {})
        assert read(vault) == {"old.md": b"Old.\n"}
