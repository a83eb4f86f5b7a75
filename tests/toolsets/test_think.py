"""The toolset think: its 25 tools over real clients, and what they do, one by one."""

import json
import math
import os
import pathlib
import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from zlib import crc32

import anyio
import pytest
from mcp import Client
from mcp_types import TextContent

from tests.docs.test_docs import tokens
from tests.tools.counts import Counts
from tests.tools.servers import IN_MEMORY, client
from tests.tools.vaults import read, write
from zkmem.errors import AmbiguousName, BadArgument, BadName, Changed, Damaged, StaleEtag, Taken, UnknownNote, ZkError
from zkmem.memory import Memory
from zkmem.records.draft import Draft
from zkmem.records.pages import Page, Pages
from zkmem.toolsets.table import TOOLSETS, chosen
from zkmem.toolsets.think import memory_tools, patterns, raw_tools, summaries, transfer
from zkmem.toolsets.think.memories import ThinkMemories
from zkmem.toolsets.think.names import NamePath, shortened
from zkmem.toolsets.think.replacement import LineEdit
from zkmem.toolsets.think.transfer import import_think
from zkmem.vault.store import Store

pytestmark = pytest.mark.anyio

TOOLS = {tool.name: tool for tool in TOOLSETS["think"].tools}

THE_25 = [
    "addRawMemory",
    "addListMemory",
    "addGraphMemory",
    "deleteMemory",
    "searchMemory",
    "writeRaw",
    "replaceRawLines",
    "deleteRawLines",
    "insertRawLines",
    "summarizeRawLines",
    "desummarizeRawLines",
    "readRawLines",
    "searchRawLines",
    "appendListElement",
    "pushDequeElement",
    "pushStackElement",
    "insertListElement",
    "deleteListElement",
    "popDequeElement",
    "popStackElement",
    "clearList",
    "getListElement",
    "peekDequeElement",
    "peekStackElement",
    "searchListElements",
]

Call = tuple[str, dict[str, Any]]

READING = {
    "searchMemory",
    "readRawLines",
    "searchRawLines",
    "getListElement",
    "peekDequeElement",
    "peekStackElement",
    "searchListElements",
}


def call(memory: Memory, tool: str, **arguments: Any) -> Any:
    """The data of a tool's answer."""
    answer = TOOLS[tool].call(memory, arguments).data
    assert answer["success"] is True
    return answer.get("data")


@pytest.fixture
def memory(tmp_path: pathlib.Path) -> Memory:
    return Memory(str(tmp_path))


def text_of(memory: Memory, path: str) -> str:
    text: str = call(memory, "readRawLines", namePath=path)["data"]
    return text


def filled(memory: Memory, role: str, *texts: str, name: str = "l") -> None:
    tool = {"array": "appendListElement", "deque": "pushDequeElement", "stack": "pushStackElement"}[role]
    call(memory, "addListMemory", name=name, description="", role=role)
    for text in texts:
        position = {"position": "back"} if role == "deque" else {}
        call(memory, tool, name=name, data=text, description="", **position)


def texts(memory: Memory, name: str = "l") -> list[str]:
    return [one["data"]["data"] for one in call(memory, "searchListElements", name=name)["results"]]


# --- over the protocol


async def test_the_tools_are_those_of_the_document_and_within_their_budget() -> None:
    assert list(TOOLS) == THE_25
    counted = {
        name: tokens(json.dumps({"name": name, "description": tool.description, "inputSchema": tool.schema}))
        for name, tool in TOOLS.items()
    }
    assert sum(counted.values()) <= 2_000
    assert tokens(chosen(["think"]).guide) <= 120
    for name, tool in TOOLS.items():
        assert tool.effects.read_only == (name in READING)
        assert not any(word in json.dumps(tool.schema) for word in ("$ref", "title", "anyOf", "null"))


def test_the_document_names_every_tool_and_shows_notes_as_they_are(memory: Memory) -> None:
    document = (pathlib.Path(__file__).parents[2] / "docs" / "think.md").read_text("utf-8")
    for name, tool in TOOLS.items():
        assert f"| `{name}` |" in document
        assert all(f"`{argument}`" in document for argument in tool.parameters), name
    call(memory, "addRawMemory", name="r", description="a dream in three parts", data=(
        "The afternoon was long.\nShe closed her eyes.\n"
    ))  # fmt: skip
    call(memory, "summarizeRawLines", namePath="r", lineBeg=0, lineEnd=1, text="she falls asleep")
    call(memory, "addListMemory", name="tags", description="open tags", role="stack")
    for tag in ("html", "body"):
        call(memory, "pushStackElement", name="tags", data="", description=tag)
    for note in ("r.md", "tags.md"):
        assert f"```markdown\n{read(memory.vault)[note].decode()}```" in document


@pytest.mark.parametrize("where", IN_MEMORY)
async def test_a_session_of_all_25_tools(where: tuple[str, str], tmp_path: pathlib.Path) -> None:
    used = set()
    async with client(*where, str(tmp_path), "think") as connected:

        async def ask(tool: str, **arguments: object) -> Any:
            used.add(tool)
            result = await connected.call_tool(tool, arguments)
            assert not result.is_error, result.content
            assert all(isinstance(block, TextContent) for block in result.content)
            assert result.structured_content is not None
            assert result.structured_content["success"] is True
            return result.structured_content.get("data")

        await ask("addRawMemory", name="novel", description="a dream", data="one\ntwo\nthree\n")
        await ask("writeRaw", namePath="novel", data="four", isAppend=True)
        await ask("insertRawLines", namePath="novel", lineNo=0, text="zero")
        await ask("replaceRawLines", namePath="novel", lineBeg=1, lineEnd=2, pattern="o", text="0")
        await ask("deleteRawLines", namePath="novel", lineBeg=4, lineEnd=4)
        await ask("summarizeRawLines", namePath="novel", lineBeg=0, lineEnd=3, text="numbers")
        told = await ask("readRawLines", namePath="novel", summarize=True)
        assert told == {"summaries": [{"lineBeg": 0, "lineEnd": 3, "text": "numbers"}], "happyToSum": False}
        await ask("desummarizeRawLines", namePath="novel", lineBeg=0, lineEnd=3)
        assert await ask("readRawLines", namePath="novel") == {"data": "zero\n0ne\ntw0\nthree"}
        assert await ask("searchRawLines", namePath="novel", pattern="^t") == {
            "lines": [{"lineNo": 2, "text": "tw0"}, {"lineNo": 3, "text": "three"}]
        }

        await ask("addListMemory", name="plan", description="what to do", role="array")
        await ask("appendListElement", name="plan", data="b", description="second step")
        await ask("insertListElement", name="plan", index=0, data="a", description="first step")
        found = await ask("getListElement", name="plan", index=1)
        assert found["data"] == {
            "name": "second step", "type": "raw", "description": "second step", "data": "b", "summaries": [],
            "nLines": 1, "nChars": 1,
        }  # fmt: skip
        found = await ask("searchListElements", name="plan", pattern="first")
        assert [(one["index"], one["data"]["data"]) for one in found["results"]] == [(0, "a")]
        await ask("deleteListElement", name="plan", index=0)
        await ask("clearList", name="plan")

        await ask("addListMemory", name="queue", description="", role="deque")
        await ask("pushDequeElement", name="queue", data="x", description="", position="front")
        await ask("pushDequeElement", name="queue", data="y", description="", position="front")
        assert (await ask("peekDequeElement", name="queue", position="back"))["data"] == "x"
        assert (await ask("popDequeElement", name="queue", position="front"))["data"] == "y"

        await ask("addListMemory", name="tags", description="", role="stack")
        await ask("pushStackElement", name="tags", data="<p>", description="")
        assert (await ask("peekStackElement", name="tags"))["data"] == "<p>"
        assert (await ask("popStackElement", name="tags"))["name"] == "p"

        await ask("addGraphMemory", name="people", description="", role="graph")
        found = await ask("searchMemory", query={"type": "list", "pattern": "^(plan|queue)$"})
        assert found["results"] == [
            {"name": "plan", "type": "list", "description": "what to do", "role": "array", "nElements": 0},
            {"name": "queue", "type": "list", "description": "", "role": "deque", "nElements": 1},
        ]
        await ask("deleteMemory", name="queue")
    assert used == set(THE_25)
    assert sorted(read(tmp_path)) == ["novel.md", "people.md", "plan.md", "tags.md"]


async def test_a_refusal_has_the_shape_of_the_document(tmp_path: pathlib.Path) -> None:
    calls: list[Call] = [
        ("readRawLines", {"namePath": "nothing"}),
        ("addListMemory", {"name": "x", "description": "", "role": "queue"}),
        ("popStackElement", {}),
    ]
    async with client("memory", "2025-11-25", str(tmp_path), "think") as connected:
        for tool, arguments in calls:
            result = await connected.call_tool(tool, arguments)
            assert result.is_error
            assert result.structured_content is not None
            assert result.structured_content["success"] is False
            assert result.structured_content["error"] == result.content[0].text  # type: ignore[union-attr]
    assert read(tmp_path) == {}


@pytest.mark.slow
async def test_two_clients_at_once_lose_nothing(tmp_path: pathlib.Path) -> None:
    vault = str(tmp_path)
    setup = Memory(vault)
    call(setup, "addRawMemory", name="log", description="", data="")
    filled(setup, "deque", name="queue")

    async def fill(connected: Client, who: str) -> None:
        for number in range(25):
            line = f"{who}{number}\n"
            calls: list[Call] = [
                ("writeRaw", {"namePath": "log", "data": line, "isAppend": True}),
                ("pushDequeElement", {"name": "queue", "data": line, "description": "same", "position": "front"}),
                ("addRawMemory", {"name": f"own {who}{number}", "description": "", "data": line}),
            ]
            for tool, arguments in calls:
                result = await connected.call_tool(tool, arguments)
                assert not result.is_error, result.content

    async with (
        client("stdio", "2025-11-25", vault, "think") as one,
        client("stdio", "2026-07-28", vault, "think") as other,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(fill, one, "a")
        tasks.start_soon(fill, other, "b")
    wanted = sorted(f"{who}{number}\n" for who in "ab" for number in range(25))
    after = Memory(vault)
    assert sorted(text_of(after, "log").splitlines(keepends=True)) == wanted
    assert sorted(texts(after, "queue")) == wanted
    assert len(call(after, "searchMemory")["results"]) == 52


# --- raw memories


def test_a_raw_memory_is_a_note_whose_body_is_the_data(memory: Memory) -> None:
    call(memory, "addRawMemory", name="a/b", description="it: is", data="x\r\ny\n[[z]]")
    call(memory, "summarizeRawLines", namePath="a/b", lineBeg=0, lineEnd=1, text="both\nlines")
    assert read(memory.vault)["a%2Fb.md"].decode() == (
        '---\ntype: raw\ndescription: "it: is"\nsummaries:\n'
        '  - {"lineBeg": 0, "lineEnd": 1, "text": "both\\nlines", "hash": "e9290d69"}\n---\nx\r\ny\n[[z]]'
    )
    call(memory, "desummarizeRawLines", namePath="a/b", lineBeg=0, lineEnd=1)
    assert read(memory.vault)["a%2Fb.md"] == b'---\ntype: raw\ndescription: "it: is"\n---\nx\r\ny\n[[z]]'


@pytest.mark.parametrize(
    ("text", "at", "new", "wanted"),
    [
        ("", 0, "a", "a"),
        ("", 0, "a\n", "a\n"),
        ("", 0, "", "\n"),
        ("a", 0, "b", "b\na"),
        ("a", 1, "b", "a\nb"),
        ("a\n", 1, "b", "a\nb\n"),
        ("a\nc", 1, "b1\nb2\n", "a\nb1\nb2\nc"),
        ("a", 1, "", "a\n\n"),
        ("a\x0bb\u2028c", 1, "d", "a\x0bb\u2028c\nd"),
    ],
)
def test_lines_are_inserted_before_a_line(memory: Memory, text: str, at: int, new: str, wanted: str) -> None:
    call(memory, "addRawMemory", name="t", description="", data=text)
    call(memory, "insertRawLines", namePath="t", lineNo=at, text=new)
    assert text_of(memory, "t") == wanted


@pytest.mark.parametrize(
    ("pattern", "text", "wanted"),
    [
        ("", "x", "x\nd d\n"),
        ("", "x\ny\n", "x\ny\nd d\n"),
        ("", "", "\nd d\n"),
        ("b", "$$1", "a\n$1 c\nd d\n"),
        ("(b) (c)", "$2-$1-$3-$&-$", "a\nc-b-$3-b c-$\nd d\n"),
        ("(?<x>c)", "$<x>$<x>$10", "a\nb ccc0\nd d\n"),
        ("^", "> ", "> a\n> b c\nd d\n"),
        ("\\n", "+", "a+b c\nd d\n"),
        ("a|(z)", "[$1]", "[]\nb c\nd d\n"),
        ("B", "x", None),
        ("(?i)B", "x", "a\nx c\nd d\n"),
        ("d", "x", None),
        (".*", "WHOLE", "WHOLE\nWHOLE\nd d\n"),
        ("^.*$", "WHOLE", "WHOLE\nWHOLE\nd d\n"),
        (".*", "[$&]", "[a]\n[b c]\nd d\n"),
        ("(?s).*", "WHOLE", "WHOLE\nd d\n"),
        ("[a-c]*", "x", "x\nx x\nd d\n"),
        (" ?", "-", "-a-\n-b-c-\nd d\n"),
        (".*?", "-", "-a-\n-b- -c-\nd d\n"),
        ("(?r)[abc]", "$&!", "a!\nb! c!\nd d\n"),
    ],
)
def test_what_matches_in_a_range_is_replaced_as_in_javascript(
    memory: Memory, pattern: str, text: str, wanted: str | None
) -> None:
    call(memory, "addRawMemory", name="t", description="", data="a\nb c\nd d\n")
    given = {"namePath": "t", "lineBeg": 0, "lineEnd": 1, "pattern": pattern, "text": text}
    if wanted is None:
        with pytest.raises(BadArgument, match="matches nothing in the lines 0 to 1"):
            call(memory, "replaceRawLines", **given)
    else:
        call(memory, "replaceRawLines", **given)
    assert text_of(memory, "t") == (wanted or "a\nb c\nd d\n")


def test_a_change_drops_the_summaries_of_its_lines_and_moves_those_below(memory: Memory) -> None:
    call(memory, "addRawMemory", name="t", description="", data="0\n1\n2\n3\n4\n5\n6\n7\n")
    for first, last in [(0, 1), (2, 4), (3, 3), (5, 7), (0, 7)]:
        call(memory, "summarizeRawLines", namePath="t", lineBeg=first, lineEnd=last, text=f"{first}-{last}")
    call(memory, "replaceRawLines", namePath="t", lineBeg=0, lineEnd=7, pattern="4", text="4\n4.5")
    told = call(memory, "readRawLines", namePath="t", summarize=True)
    assert [(one["lineBeg"], one["lineEnd"], one["text"]) for one in told["summaries"]] == [
        (0, 1, "0-1"), (3, 3, "3-3"), (6, 8, "5-7"),
    ]  # fmt: skip
    call(memory, "insertRawLines", namePath="t", lineNo=1, text="in between")
    call(memory, "writeRaw", namePath="t", data="more", isAppend=True)
    call(memory, "deleteRawLines", namePath="t", lineBeg=0, lineEnd=2)
    told = call(memory, "readRawLines", namePath="t", summarize=True)
    assert [one["text"] for one in told["summaries"]] == ["3-3", "5-7"]
    assert told["data"].splitlines()[told["summaries"][1]["lineBeg"]] == "5"
    call(memory, "writeRaw", namePath="t", data="6.5", isAppend=True)
    assert [one["text"] for one in call(memory, "readRawLines", namePath="t", summarize=True)["summaries"]] == [
        "3-3", "5-7",
    ]  # fmt: skip
    call(memory, "writeRaw", namePath="t", data="all new")
    assert call(memory, "readRawLines", namePath="t", summarize=True)["summaries"] == []


def test_summaries_are_read_instead_of_the_text_where_they_cover_it(memory: Memory) -> None:
    call(memory, "addRawMemory", name="t", description="", data="".join(f"{number}\n" for number in range(30)))
    for first, last in [(0, 9), (8, 20), (25, 29)]:
        call(memory, "summarizeRawLines", namePath="t", lineBeg=first, lineEnd=last, text=f"{first}")

    def ask(first: int, last: int) -> Any:
        return call(memory, "readRawLines", namePath="t", lineBeg=first, lineEnd=last, summarize=True)

    assert "data" not in ask(5, 20)
    assert [one["text"] for one in ask(5, 20)["summaries"]] == ["0", "8"]
    assert ask(20, 21) == {
        "data": "20\n21\n",
        "summaries": [{"lineBeg": 8, "lineEnd": 20, "text": "8"}],
        "happyToSum": False,
    }
    assert ask(0, 29)["happyToSum"] is True
    assert ask(5, 24)["happyToSum"] is False  # 20 lines
    assert ask(4, 24)["happyToSum"] is True
    assert ask(22, 23)["summaries"] == []
    call(memory, "desummarizeRawLines", namePath="t", lineBeg=8, lineEnd=29)
    assert [one["text"] for one in ask(0, 29)["summaries"]] == ["0"]
    call(memory, "summarizeRawLines", namePath="t", lineBeg=0, lineEnd=9, text="again")
    assert [one["text"] for one in ask(0, 29)["summaries"]] == ["again"]


def test_lines_that_are_not_there_are_refused_with_the_number_of_lines(memory: Memory) -> None:
    call(memory, "addRawMemory", name="t", description="", data="a\nb\n")
    call(memory, "addRawMemory", name="empty", description="", data="")
    assert text_of(memory, "empty") == ""
    for first, last in [(0, 2), (1, 0), (-1, 0), (2, 2)]:
        given = {"namePath": "t", "lineBeg": first, "lineEnd": last}
        for tool, more in [
            ("readRawLines", {}),
            ("deleteRawLines", {}),
            ("desummarizeRawLines", {}),
            ("summarizeRawLines", {"text": "x"}),
            ("replaceRawLines", {"pattern": "a", "text": "x"}),
            ("replaceRawLines", {"pattern": "", "text": "x"}),
        ]:
            with pytest.raises(BadArgument, match="the text has the lines 0 to 1"):
                call(memory, tool, **given, **more)
    for number in (-1, 3):
        with pytest.raises(BadArgument, match="lineNo must be 0 to 2"):
            call(memory, "insertRawLines", namePath="t", lineNo=number, text="x")
    with pytest.raises(BadArgument, match="the text has no lines"):
        call(memory, "readRawLines", namePath="empty", lineBeg=0)
    with pytest.raises(BadArgument, match="no lines 5 to 5"):
        call(memory, "readRawLines", namePath="t", lineBeg=5)
    assert call(memory, "readRawLines", namePath="t", lineBeg=1) == {"data": "b\n"}
    assert call(memory, "readRawLines", namePath="t", lineEnd=0) == {"data": "a\n"}
    assert text_of(memory, "t") == "a\nb\n"


def test_a_read_says_which_of_how_many_lines_it_has(memory: Memory) -> None:
    call(memory, "addRawMemory", name="t", description="", data="".join(f"{number}\n" for number in range(40)))
    call(memory, "addRawMemory", name="empty", description="", data="")
    call(memory, "summarizeRawLines", namePath="t", lineBeg=3, lineEnd=9, text="some numbers")

    def told(**arguments: Any) -> tuple[str, ...]:
        return TOOLS["readRawLines"].call(memory, {"namePath": "t", **arguments}).texts

    assert told(lineBeg=3, lineEnd=4) == ("lines 3-4 of 40", "3\n4\n")
    assert told(lineBeg=38) == ("lines 38-39 of 40", "38\n39\n")
    assert told()[0] == "lines 0-39 of 40"
    assert told(lineBeg=3, lineEnd=9, summarize=True) == ("lines 3-9 of 40\nlines 3-9: some numbers",)
    assert told(lineBeg=9, lineEnd=10, summarize=True) == ("lines 9-10 of 40\nlines 3-9: some numbers", "9\n10\n")
    assert told(namePath="empty") == ("no lines", "")


# --- patterns


LINES = "zero\none\ntwo\nthree\nfour\n"
BY_LINES = [
    ("writeRaw", {"data": LINES.replace("three", "THREE"), "isAppend": False}, LINES.replace("three", "THREE")),
    ("replaceRawLines", {"lineBeg": 3, "lineEnd": 3, "pattern": "", "text": "THREE"}, LINES.replace("three", "THREE")),
    ("deleteRawLines", {"lineBeg": 3, "lineEnd": 3}, LINES.replace("three\n", "")),
    ("insertRawLines", {"lineNo": 4, "text": "3 1/2"}, LINES.replace("four", "3 1/2\nfour")),
]


READS: dict[str, Callable[[Memory], object]] = {
    "read": lambda m: call(m, "readRawLines", namePath="l<::>n"),
    "searched": lambda m: call(m, "searchRawLines", namePath="l<::>n", pattern="two"),
    "got": lambda m: call(m, "getListElement", name="l", index=0),
    "peeked": lambda m: call(m, "peekDequeElement", name="l", position="front"),
    "found": lambda m: call(m, "searchListElements", name="l", pattern="n"),
    "written": lambda m: [call(m, "writeRaw", namePath="l<::>n", data=one, isAppend=False) for one in ("x", LINES)],
}


@pytest.fixture
def listed(memory: Memory) -> tuple[Memory, pathlib.Path]:
    """A session that has read nothing, and a raw memory in a list, by its file."""
    call(memory, "addListMemory", name="l", description="", role="deque")
    call(memory, "pushDequeElement", name="l", position="front", description="n", data=LINES)
    return memory.on_behalf(client="me"), pathlib.Path(memory.vault, "l/n.md")


@pytest.mark.parametrize(("tool", "arguments", "alone"), BY_LINES)
@pytest.mark.parametrize("read", READS)
def test_lines_are_those_that_the_session_has_read_and_what_others_have_changed_since_stays(
    listed: tuple[Memory, pathlib.Path], tool: str, arguments: dict[str, Any], alone: str, read: str
) -> None:
    session, path = listed
    READS[read](session)
    path.write_text(path.read_text().replace("zero\n", "by hand\nzero\n"))
    result = TOOLS[tool].call(session, {"namePath": "l<::>n", **arguments})
    assert path.read_text().endswith("by hand\n" + alone)
    assert "others have changed it since you read it: read it again" in result.texts[0]


@pytest.mark.parametrize(("tool", "arguments"), [one[:2] for one in BY_LINES[:3]])
def test_lines_that_others_have_changed_since_they_were_read_are_neither_replaced_nor_deleted(
    listed: tuple[Memory, pathlib.Path], tool: str, arguments: dict[str, Any]
) -> None:
    session, path = listed
    READS["read"](session)
    path.write_text(path.read_text().replace("three", "by hand"))
    before = path.read_text()
    with pytest.raises(StaleEtag, match="by hand"):
        TOOLS[tool].call(session, {"namePath": "l<::>n", **arguments})
    assert path.read_text() == before
    call(session.on_behalf(client="you"), "writeRaw", namePath="l<::>n", data="all\n", isAppend=False)
    assert path.read_text().endswith("---\nall\n"), "by a session that has read nothing"


def test_a_query_with_an_unknown_property_is_refused(memory: Memory) -> None:
    with pytest.raises(BadArgument, match=r"`query` has no property 'name'; it has: pattern, type\."):
        call(memory, "searchMemory", query={"name": "novel"})


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern", ["(", "a**", "[", "(?P<x", "\\", "(?1)", "a{9999999999}", "(" * 999, "(?x)(?:a{ 99999 }){ 99999 }"]
)
def test_a_pattern_that_is_none_is_refused(memory: Memory, pattern: str) -> None:
    call(memory, "addRawMemory", name="t", description="d", data="a")
    filled(memory, "array", "a")
    calls: list[Call] = [
        ("searchMemory", {"query": {"pattern": pattern}}),
        ("searchRawLines", {"namePath": "t", "pattern": pattern}),
        ("searchListElements", {"name": "l", "pattern": pattern}),
        ("replaceRawLines", {"namePath": "t", "lineBeg": 0, "lineEnd": 0, "pattern": pattern, "text": ""}),
    ]
    for tool, arguments in calls:
        with pytest.raises(BadArgument, match="pattern"):
            call(memory, tool, **arguments)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", "a" * 5_000 + "b"),
        ("(a|aa)+$", "a" * 5_000 + "b"),
        ("(x+x+)+y", "x" * 50_000),
        ("(.*?,){11}P", "1," * 50_000),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 100_000),
        ("(?b)(xxxxxxxxxxxxxxxxxxxxxxxxx){e}", "abcdefgh" * 1_000),
        ("a(?R)?b", "a" * 100_000),
    ],
)
def test_a_hostile_pattern_ends_in_an_error(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, pattern: str, text: str
) -> None:
    call(memory, "addRawMemory", name="t", description="d", data=text)
    for patience in (patterns._PATIENCE_S, 0.01):
        monkeypatch.setattr(patterns, "_PATIENCE_S", patience)
        assert patience < 1
        with pytest.raises(BadArgument, match="The pattern was stopped after"):
            call(memory, "searchRawLines", namePath="t", pattern=pattern)
        with pytest.raises(BadArgument, match="The pattern was stopped after"):
            call(memory, "replaceRawLines", namePath="t", lineBeg=0, lineEnd=0, pattern=pattern, text="")
    assert text_of(memory, "t") == text


@pytest.mark.parametrize("pattern", ["(?x)(?:a{ 99999 }){ 99999 }", f"(?:{'a?' * 400}){{99999}}"])
def test_a_pattern_takes_no_memory_and_no_time_from_this_process(memory: Memory, pattern: str) -> None:
    call(memory, "addRawMemory", name="t", description="d", data="a")
    before, spent = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(BadArgument, match=r"The pattern (takes too much memory|was stopped after)"):
        call(memory, "searchRawLines", namePath="t", pattern=pattern)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kilobytes
    assert time.process_time() - spent < 1


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        (r"\(?555\)?", [0]),
        ("[(?1-9]", [0, 1, 2]),
        ("[.]{100}[.]{100}[.]{100}", []),
        (r'"id": ?\{1234567', [2]),
        ("x" * 5_000, []),
        ("^(?:(a)|b)+$", [3]),
    ],
)
def test_a_harmless_pattern_is_none_that_is_refused(memory: Memory, pattern: str, wanted: list[int]) -> None:
    call(memory, "addRawMemory", name="t", description="d", data='(555)\nwhat?1\n"id": {1234567}\naba\n')
    found = call(memory, "searchRawLines", namePath="t", pattern=pattern)["lines"]
    assert [one["lineNo"] for one in found] == wanted


def test_lines_share_the_time_of_one_pattern(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    call(memory, "addRawMemory", name="t", description="d", data="x\n" * 200_000)
    monkeypatch.setattr(patterns, "_PATIENCE_S", 60.0)  # more than they take on a busy machine
    assert call(memory, "searchRawLines", namePath="t", pattern="^y") == {"lines": []}
    monkeypatch.setattr(patterns, "_PATIENCE_S", 0.001)
    with pytest.raises(BadArgument, match="The pattern was stopped after"):
        call(memory, "searchRawLines", namePath="t", pattern="^y")


@pytest.mark.parametrize(
    ("pattern", "by"),
    [
        ("a", "b" * 10_000),
        (".", "$&" * 1_000),
        ("[a]", "b" * 1_000_000),
        ("(a*)", "$1" * 1_000),
        ("a" * 9_999, "$&" * 900_000),
    ],
)
def test_a_replacement_that_is_too_long_is_refused(memory: Memory, pattern: str, by: str) -> None:
    text = "a" * 20_000
    call(memory, "addRawMemory", name="t", description="d", data=text)
    with pytest.raises(BadArgument, match=r"more than 10,000,000 characters|too much memory|was stopped after"):
        call(memory, "replaceRawLines", namePath="t", lineBeg=0, lineEnd=0, pattern=pattern, text=by)
    assert text_of(memory, "t") == text


def test_others_work_while_a_pattern_is_tried_and_their_changes_count(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(memory, "addRawMemory", name="t", description="d", data="a\n")
    tried: list[str] = []

    def replacing(source: str, text: str, by: str) -> tuple[bool, list[LineEdit]]:
        tried.append(text)
        if len(tried) < 3:  # in another thread: the lock of the index is free
            with ThreadPoolExecutor() as other:
                other.submit(call, memory, "writeRaw", namePath="t", data="a again\n", isAppend=True).result()
        return patterns.replacing(source, text, by)

    monkeypatch.setattr(raw_tools, "replacing", replacing)
    call(memory, "replaceRawLines", namePath="t", lineBeg=0, lineEnd=0, pattern="^a", text="b")
    assert text_of(memory, "t") == "b\na again\na again\n"
    assert len(tried) == 3
    monkeypatch.setattr(raw_tools, "_ATTEMPTS", 0)
    with pytest.raises(Changed):
        call(memory, "replaceRawLines", namePath="t", lineBeg=0, lineEnd=0, pattern="b", text="c")


@pytest.mark.parametrize("pattern", ["b", "[b]"])
@pytest.mark.parametrize("data", ["abba\nb\n\nab b\nx", "\nb\nbx", "a\r\nb\r\n", "b\r\nb\n\r\nab\n"])
@pytest.mark.parametrize("by", ["", "b", "c\nd", "$$\n", "<$&>"])
def test_plain_patterns_and_others_replace_the_same(memory: Memory, pattern: str, data: str, by: str) -> None:
    call(memory, "addRawMemory", name="t", description="d", data=data)
    last = data.count("\n") - data.endswith("\n")
    call(memory, "replaceRawLines", namePath="t", lineBeg=0, lineEnd=last, pattern=pattern, text=by)
    by = by.replace("$$", "$").replace("$&", "b")
    by = by.replace("\n", "\r\n") if data.count("\n") == data.count("\r\n") else by
    if "\r\n" in data and data.count("\n") != data.count("\r\n"):
        assert text_of(memory, "t").replace("\r", "") == data.replace("b", by).replace("\r", "")
    else:
        assert text_of(memory, "t") == data.replace("b", by)


def test_lines_with_windows_line_ends_match_without_them_and_get_them(memory: Memory) -> None:
    call(memory, "addRawMemory", name="t", description="d", data="one\r\ntwo\r\nthree")
    assert call(memory, "searchRawLines", namePath="t", pattern=r"^\w+$") == {
        "lines": [{"lineNo": 0, "text": "one"}, {"lineNo": 1, "text": "two"}, {"lineNo": 2, "text": "three"}]
    }
    call(memory, "replaceRawLines", namePath="t", lineBeg=0, lineEnd=1, pattern="$", text=".")
    assert text_of(memory, "t") == "one.\r\ntwo.\r\nthree"
    call(memory, "insertRawLines", namePath="t", lineNo=3, text="four\nfive")
    assert text_of(memory, "t") == "one.\r\ntwo.\r\nthree\r\nfour\r\nfive"
    call(memory, "replaceRawLines", namePath="t", lineBeg=0, lineEnd=1, pattern="", text="1\n2\n")
    call(memory, "deleteRawLines", namePath="t", lineBeg=2, lineEnd=4)
    assert text_of(memory, "t") == "1\r\n2"
    call(memory, "writeRaw", namePath="t", data="1\r\n2\n3\r\n")
    call(memory, "replaceRawLines", namePath="t", lineBeg=0, lineEnd=2, pattern="$", text=".")
    assert text_of(memory, "t") == "1.\r\n2.\n3.\r\n"


# --- lists and paths


def test_a_list_is_a_note_that_lists_the_notes_in_its_folder(memory: Memory) -> None:
    call(memory, "addListMemory", name="to: do", description="d", role="array")
    call(memory, "appendListElement", name="to: do", data="1", description="Write: the [[tests]]/docs")
    call(memory, "appendListElement", name="to: do", data="Two.\nmore", description="")
    call(memory, "insertListElement", name="to: do", index=1, data="", description="")
    call(memory, "insertListElement", name="to: do", index=0, data="", description="写测试")
    files = read(memory.vault)
    assert files.pop("to%3A do.md").decode() == (
        "---\ntype: list\nrole: array\ndescription: d\n---\n"
        "- [[to%3A do/写测试]]\n- [[to%3A do/Write the tests docs]]\n- [[to%3A do/element]]\n- [[to%3A do/Two. more]]\n"
    )
    assert files["to%3A do/Two. more.md"] == b'---\ntype: raw\ndescription: ""\n---\nTwo.\nmore'
    assert len(files) == 4
    assert text_of(memory, "to: do<::>Two. more") == "Two.\nmore"
    assert memory.check() == []
    call(memory, "deleteMemory", name="to: do")
    assert read(memory.vault) == {}
    assert len([path for path in read(memory.vault, hidden=True) if path.startswith(".trash/")]) == 5


def test_elements_have_names_of_their_own(memory: Memory) -> None:
    filled(memory, "array")
    names = [
        call(memory, "appendListElement", name="l", data="", description=description)["name"]
        for description in ("step", "step", "Step", "step", "", "x" * 100, "con", "...", "a b " * 30)
    ]
    assert names[:5] == ["step", "step 2", "Step", "step 4", "element"]
    assert names[5:8] == ["x" * 40, "con", "element 8"]
    assert len(names[8]) <= 40
    for index, name in enumerate(names):
        call(memory, "writeRaw", namePath=f"l<::>{name}", data=str(index))
    assert texts(Memory(memory.vault)) == [str(index) for index in range(9)]


def test_text_written_by_hand_around_the_elements_is_kept(memory: Memory) -> None:
    filled(memory, "array", "one", "two")
    note = pathlib.Path(memory.vault, "l.md")
    head = note.read_text("utf-8").partition("- ")[0]
    note.write_text(f"{head}# Plan\n\nSee [[l]].\n- [x] [[l/one|1]] done\n- text\n- [[l/two]]\n\nThe end", "utf-8")
    assert texts(memory) == ["one", "two"]
    call(memory, "appendListElement", name="l", data="three", description="")
    call(memory, "insertListElement", name="l", index=1, data="mid", description="")
    call(memory, "insertListElement", name="l", index=0, data="zero", description="")
    call(memory, "deleteListElement", name="l", index=1)
    assert note.read_text("utf-8").removeprefix(head) == (
        "# Plan\n\nSee [[l]].\n- [[l/zero]]\n- text\n- [[l/mid]]\n- [[l/two]]\n- [[l/three]]\n\nThe end"
    )
    call(memory, "clearList", name="l")
    assert note.read_text("utf-8").removeprefix(head) == "# Plan\n\nSee [[l]].\n- text\n\nThe end"
    call(memory, "appendListElement", name="l", data="again", description="")
    assert note.read_text("utf-8").removeprefix(head).endswith("The end\n- [[l/again]]\n")


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        ("array", {"appendListElement", "insertListElement", "deleteListElement"}),
        ("deque", {"appendListElement", "pushDequeElement", "popDequeElement", "peekDequeElement"}),
        ("stack", {"pushStackElement", "popStackElement", "peekStackElement"}),
    ],
)
def test_a_role_forbids_what_it_cannot_do(memory: Memory, role: str, allowed: set[str]) -> None:
    filled(memory, role, "a")
    new: dict[str, Any] = {"data": "x", "description": ""}
    end: dict[str, Any] = {"position": "back"}
    calls: list[Call] = [
        ("appendListElement", new),
        ("insertListElement", {**new, "index": 0}),
        ("deleteListElement", {"index": 0}),
        ("pushDequeElement", {**new, **end}),
        ("peekDequeElement", end),
        ("popDequeElement", end),
        ("pushStackElement", new),
        ("peekStackElement", {}),
        ("popStackElement", {}),
    ]
    for tool, arguments in calls:
        if tool in allowed:
            call(memory, tool, name="l", **arguments)
        else:
            with pytest.raises(BadArgument, match=f"is of the role {role}"):
                call(memory, tool, name="l", **arguments)
    ends = {"stack": ["TOP"], "deque": ["FRONT", "BACK"], "array": []}[role]
    call(memory, "clearList", name="l")
    for mark in ("TOP", "FRONT", "BACK"):
        with pytest.raises(BadArgument, match="has no elements" if mark in ends else f"is of the role {role}"):
            text_of(memory, f"l<:{mark}:>")


def test_a_name_path_means_an_element_by_place_or_name(memory: Memory) -> None:
    filled(memory, "stack", "bottom", "top", name="s")
    filled(memory, "deque", "first", "last", name="d")
    filled(memory, "array", "zero", "one", name="a")
    paths = ["s<:0:>", "s<:TOP:>", "d<:FRONT:>", "d<:BACK:>", "a<:0:>", "a<:1:>", "a<::>one"]
    assert [text_of(memory, path) for path in paths] == ["bottom", "top", "first", "last", "zero", "one", "one"]
    call(memory, "writeRaw", namePath="a<:1:>", data=" more", isAppend=True)
    call(memory, "summarizeRawLines", namePath="s<:TOP:>", lineBeg=0, lineEnd=0, text="it")
    assert call(memory, "peekStackElement", name="s")["summaries"] == [{"lineBeg": 0, "lineEnd": 0, "text": "it"}]
    assert texts(memory, "a") == ["zero", "one more"]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("a<:2:>", "2 elements, 0 to 1"),
        ("a<:-1:>", "2 elements, 0 to 1"),
        ("a<::>three", "Nearest names: zero, one"),
        ("a", "its elements are a<:0:>"),
        ("a<:MIDDLE:>", "there are: name, list<:0:>, list<:TOP:>"),
        ("a<:0:>x", "is not a NamePath"),
        ("a<:VERTEX:>x", "its elements are"),
        ("raw<:0:>", "is a raw memory"),
        ("no<:0:>", "There is no memory 'no'. Nearest names: a, raw"),
        ("no", "There is no memory 'no'. Nearest names: a, raw"),
    ],
)
def test_a_name_path_that_means_nothing_is_refused_with_what_there_is(memory: Memory, path: str, says: str) -> None:
    filled(memory, "array", "zero", "one", name="a")
    call(memory, "addRawMemory", name="raw", description="", data="x")
    for tool, more in [("readRawLines", {}), ("writeRaw", {"data": "x"})]:
        with pytest.raises(ZkError) as error:
            call(memory, tool, namePath=path, **more)
        assert says in str(error.value)


def test_every_form_of_a_name_path_is_read() -> None:
    assert NamePath.of("a<::>b") == NamePath("a", "CHILD", child="b")
    assert NamePath.of("a<:12:>") == NamePath("a", "INDEX", at=12)
    assert NamePath.of("g<:EDGE:>a<:TO:>b") == NamePath("g", "EDGE", child="a", to="b")
    assert NamePath.of("") == NamePath("")
    assert NamePath.of("a<b:>c") == NamePath("a<b:>c")


def test_an_index_that_is_not_there_is_refused_with_the_length(memory: Memory) -> None:
    filled(memory, "array", "x", "y")
    for tool in ("getListElement", "deleteListElement"):
        for index in (-1, 2, 10**12):
            with pytest.raises(BadArgument, match="has 2 elements, 0 to 1"):
                call(memory, tool, name="l", index=index)
    with pytest.raises(BadArgument, match="index must be 0 to 2, which appends"):
        call(memory, "insertListElement", name="l", index=3, data="", description="")
    call(memory, "insertListElement", name="l", index=2, data="z", description="")
    assert texts(memory) == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("addListMemory", {"name": "n", "description": "", "role": "queue"}, "one of array, deque, stack"),
        ("addGraphMemory", {"name": "n", "description": "", "role": "net"}, "one of tree, graph"),
        ("searchMemory", {"query": {"type": "text"}}, "one of raw, list, graph"),
        ("popDequeElement", {"name": "l", "position": "left"}, "one of front, back"),
        ("clearList", {"name": "raw"}, "is of the type raw, not a list"),
        ("clearList", {"name": "plain"}, "is a note, but no memory"),
        ("deleteMemory", {"name": "plain"}, "is a note, but no memory"),
        ("addRawMemory", {"name": "raw", "description": "", "data": ""}, "There is a raw memory 'raw' already"),
        ("addListMemory", {"name": "plain", "description": "", "role": "array"}, "There is a note that is no memory"),
        ("addRawMemory", {"name": "a<::>b", "description": "", "data": ""}, "stands between the parts"),
        ("addRawMemory", {"name": "n", "description": "", "data": "\ud800"}, "`data` holds half a character"),
        ("writeRaw", {"namePath": "plain", "data": ""}, "can read but do not write"),
        ("writeRaw", {"namePath": "missing", "data": ""}, "There is no memory 'missing'"),
    ],
)
def test_bad_input_is_refused_with_what_there_is(
    tmp_path: pathlib.Path, tool: str, arguments: dict[str, object], says: str
) -> None:
    m = Memory(write(tmp_path, {"plain.md": "text"}))
    call(m, "addRawMemory", name="raw", description="", data="x")
    filled(m, "deque", "x")
    before = read(tmp_path)
    with pytest.raises((BadArgument, BadName, Taken, UnknownNote)) as error:
        call(m, tool, **arguments)
    assert says in str(error.value)
    assert read(tmp_path) == before


def test_notes_of_others_are_read_and_not_written(tmp_path: pathlib.Path) -> None:
    m = Memory(write(tmp_path, {"plain.md": "a\nb\n", "topics/vue.md": "---\ntype: topic\n---\nVue\n"}))
    assert text_of(m, "plain") == "a\nb\n"
    assert text_of(m, "topics/vue") == text_of(m, "vue") == "Vue\n"
    assert call(m, "searchRawLines", namePath="plain", pattern="b") == {"lines": [{"lineNo": 1, "text": "b"}]}


# --- graphs


def test_vertices_and_edges_are_raw_memories_in_the_folder_of_the_graph(memory: Memory) -> None:
    call(memory, "addGraphMemory", name="g", description="who knows whom", role="tree")
    with pytest.raises(UnknownNote, match="g<:ROOT:>"):
        text_of(memory, "g<:ROOT:>")
    for name in ("Ann", "Bob"):
        call(memory, "writeRaw", namePath=f"g<:VERTEX:>{name}", data=f"{name} is here")
    call(memory, "writeRaw", namePath="g<:EDGE:>Ann<:TO:>Bob", data="knows")
    assert text_of(memory, "g<:ROOT:>") == text_of(memory, "g<:VERTEX:>Ann") == "Ann is here"
    assert text_of(memory, "g<:EDGE:>Ann → Bob") == text_of(memory, "g<:EDGE:>Ann<:TO:>Bob") == "knows"
    call(memory, "writeRaw", namePath="g<:EDGE:>Ann<:TO:>Bob", data=" well", isAppend=True)
    assert read(memory.vault)["g/EDGE/Ann → Bob.md"].decode() == (
        '---\ntype: raw\ndescription: ""\nfrom: "[[g/VERTEX/Ann]]"\nto: "[[g/VERTEX/Bob]]"\n---\nknows well'
    )
    with pytest.raises(UnknownNote, match="Nearest names: Ann, Bob"):
        call(memory, "writeRaw", namePath="g<:EDGE:>Ann<:TO:>Cid", data="x")
    with pytest.raises(BadArgument, match="from<:TO:>to"):
        call(memory, "writeRaw", namePath="g<:EDGE:>new", data="x")
    with pytest.raises(UnknownNote):
        text_of(memory, "g<:EDGE:>Bob<:TO:>Ann")
    with pytest.raises(BadArgument, match="is a graph; what is in it"):
        text_of(memory, "g")
    assert [one["name"] for one in call(memory, "searchMemory")["results"]] == ["g"]
    call(memory, "deleteMemory", name="g")
    assert read(memory.vault) == {}


@pytest.mark.parametrize("weight", ["[1]", "{a: 1}", "1e999", "-.inf", ".nan", "nan", "heavy", "~", "9" * 400])
def test_a_weight_that_is_no_finite_number_does_not_count(memory: Memory, weight: str) -> None:
    edge = f'---\ntype: raw\nfrom: "[[g/VERTEX/Ann]]"\nto: "[[g/VERTEX/Ann]]"\nweight: {weight}\n---\nx'
    vertex = "---\ntype: raw\n---\n"
    write(
        pathlib.Path(memory.vault), {"g.md": "---\ntype: graph\n---\n", "g/VERTEX/Ann.md": vertex, "g/EDGE/e.md": edge}
    )
    found = call(memory, "searchListElements", name="g")["results"]
    assert ["weight" in one for one in found] == [False, False]


def test_a_weight_that_is_no_finite_number_is_not_imported() -> None:
    ends = {"from": "v", "to": "v", "data": ""}
    edges = [{"name": str(number), **ends, "weight": weight} for number, weight in enumerate([2.5, math.inf, math.nan])]
    graph = {"name": "g", "type": "graph", "role": "graph", "nodes": [{"name": "v", "data": ""}], "edges": edges}
    ((_, entry),) = transfer.entries(json.dumps(graph))
    memory = transfer.parsed(entry, "entry 1", transfer.Faults())
    assert memory is not None
    assert [edge.more for edge in memory.edges] == [{"weight": "2.5"}, {}, {}]


def test_a_plain_note_is_hidden_only_in_the_folders_of_a_graph(memory: Memory) -> None:
    files = dict.fromkeys(["work/EDGE/plan.md", "VERTEX/a.md", "x/VERTEX/b.md", "g/EDGE/note.md"], "Text.\n")
    write(pathlib.Path(memory.vault), {**files, "g.md": "---\ntype: graph\n---\n", "x.md": "Text.\n"})
    names = [one["name"] for one in call(memory, "searchMemory")["results"]]
    assert sorted(names) == ["VERTEX/a", "g", "work/EDGE/plan", "x", "x/VERTEX/b"]
    os.remove(os.path.join(memory.vault, "g.md"))
    assert "g/EDGE/note" in [one["name"] for one in call(memory, "searchMemory")["results"]]


def test_a_graph_is_looked_into_and_its_parts_are_deleted(memory: Memory) -> None:
    call(memory, "addGraphMemory", name="g", description="", role="tree")
    for name in ("Ann", "Bob", "Cid"):
        call(memory, "writeRaw", namePath=f"g<:VERTEX:>{name}", data=f"{name} is here")
    for ends in ("Ann<:TO:>Bob", "Bob<:TO:>Cid", "Cid<:TO:>Bob"):
        call(memory, "writeRaw", namePath=f"g<:EDGE:>{ends}", data=f"about {ends[0]}")
    note = pathlib.Path(memory.vault, "g/EDGE/Ann → Bob.md")
    note.write_text(note.read_text("utf-8").replace("---\n", "---\nweight: 2\nbidir: true\n", 1), "utf-8")
    memory.wait_ready()
    answer = TOOLS["searchListElements"].call(memory, {"name": "g"})
    assert answer.texts[0].splitlines() == [
        "VERTEX Ann", "VERTEX Bob", "VERTEX Cid", "EDGE (Ann <-> Bob, weight 2) Ann → Bob",
        "EDGE (Bob -> Cid) Bob → Cid", "EDGE (Cid -> Bob) Cid → Bob",
    ]  # fmt: skip
    found = call(memory, "searchListElements", name="g", pattern="about [AB]")["results"]
    assert [(one["namePath"], one["from"], one["to"], one.get("weight"), one["bidir"]) for one in found] == [
        ("g<:EDGE:>Ann → Bob", "Ann", "Bob", 2.0, True), ("g<:EDGE:>Bob → Cid", "Bob", "Cid", None, False)
    ]  # fmt: skip
    for one in call(memory, "searchListElements", name="g")["results"]:
        assert text_of(memory, one["namePath"]) == one["data"]["data"]
    assert text_of(memory, "g<:EDGE:>Bob<:TO:>Ann") == "about A"  # it goes both ways
    assert text_of(memory, "g<:EDGE:>Cid<:TO:>Bob") == "about C"
    call(memory, "writeRaw", namePath="g<:EDGE:>Bob<:TO:>Ann", data="both")
    assert text_of(memory, "g<:EDGE:>Ann<:TO:>Bob") == "both"

    for name, says in (("g<:VERTEX:>no", "Ann, Bob"), ("g<:EDGE:>Cid<:TO:>Ann", "Ann → Bob"), ("l<:EDGE:>x", "l")):
        with pytest.raises(UnknownNote, match=says):
            call(memory, "deleteMemory", name=name)
    answer = TOOLS["deleteMemory"].call(memory, {"name": "g<:EDGE:>Bob<:TO:>Ann"})
    assert answer.texts == ("moved g<:EDGE:>Bob<:TO:>Ann to the trash",)
    answer = TOOLS["deleteMemory"].call(memory, {"name": "g<:VERTEX:>Bob"})
    assert answer.texts == ("moved g<:VERTEX:>Bob and 2 edges of it to the trash",)
    assert text_of(memory, "g<:ROOT:>") == "Ann is here"
    call(memory, "deleteMemory", name="g<:VERTEX:>Ann")
    with pytest.raises(UnknownNote, match="the first"):
        text_of(memory, "g<:ROOT:>")
    assert sorted(read(memory.vault)) == ["g.md", "g/VERTEX/Cid.md"]
    filled(memory, "array", "x")
    with pytest.raises(BadArgument, match="of the type list, not a graph"):
        call(memory, "deleteMemory", name="l<:VERTEX:>x")


def test_only_a_tree_has_a_root(memory: Memory) -> None:
    call(memory, "addGraphMemory", name="g", description="", role="graph")
    with pytest.raises(BadArgument, match="only one of the role tree"):
        text_of(memory, "g<:ROOT:>")


# --- damage by hand


def test_a_damaged_note_is_told_of_and_left_alone(tmp_path: pathlib.Path) -> None:
    broken: dict[str, str | bytes] = {
        "bad.md": "---\ntype: raw\ndescription: [\n---\ntext",
        "latin.md": b"---\ntype: raw\n---\n\xff",
        "sums.md": "---\ntype: raw\nsummaries: none\n---\ntext\n",
        "role.md": "---\ntype: list\nrole: queue\n---\n",
    }
    m = Memory(write(tmp_path, {**broken, "good.md": "---\ntype: raw\n---\ntext"}))
    for path in ("bad", "latin", "sums", "role<:0:>"):
        with pytest.raises(Damaged):
            call(m, "readRawLines", namePath=path)
        with pytest.raises(Damaged):
            call(m, "writeRaw", namePath=path, data="x")
    with pytest.raises(Taken):
        call(m, "addRawMemory", name="bad", description="", data="")
    with pytest.raises(Damaged):
        call(m, "deleteMemory", name="bad")
    found = call(m, "searchMemory")
    assert [one["name"] for one in found["results"]] == ["good", "sums"]
    assert ["'bad'" in found["faults"][0], "'latin'" in found["faults"][1]] == [True, True]
    assert text_of(m, "good") == "text"
    assert {name: read(tmp_path)[name] for name in broken} == read(write(tmp_path / "twin", broken))


def test_an_element_that_is_missing_or_damaged_is_told_of_and_the_others_work(memory: Memory) -> None:
    filled(memory, "array", "zero", "one", "two", "three", name="a")
    filled(memory, "stack", "bottom", "top", name="s")
    pathlib.Path(memory.vault, "a/one.md").unlink()
    pathlib.Path(memory.vault, "s/top.md").unlink()
    write(memory.vault, {"a/two.md": "---\ntype: [\n---\ntwo", "a/stranger.md": "not in the list"})
    memory.load()
    m = Memory(memory.vault)
    for index in (1, 2):
        with pytest.raises(Damaged):
            call(m, "getListElement", name="a", index=index)
    for tool in ("peekStackElement", "popStackElement"):
        with pytest.raises(Damaged, match=r"is \[\[s/top\]\], a missing note"):
            call(m, tool, name="s")
    found = call(m, "searchListElements", name="a")
    assert [(one["index"], one["data"]["data"]) for one in found["results"]] == [(0, "zero"), (3, "three")]
    assert [fault[0] for fault in found["faults"]] == ["1", "2"]
    call(m, "appendListElement", name="a", data="four", description="")
    assert text_of(m, "a<:4:>") == "four"
    with pytest.raises(UnknownNote):
        text_of(m, "a<::>stranger")
    answer = TOOLS["deleteListElement"].call(m, {"name": "a", "index": 1})
    assert answer.texts == ("deleted element 1, a/one; its note was left: it was missing",)
    call(m, "pushStackElement", name="s", data="new top", description="")
    assert call(m, "popStackElement", name="s")["data"] == "new top"
    call(m, "deleteListElement", name="s", index=1)
    assert call(m, "peekStackElement", name="s")["data"] == "bottom"
    answer = TOOLS["deleteMemory"].call(m, {"name": "a"})
    assert "[[a/two]] was left: it is damaged" in answer.texts[0]
    assert set(read(m.vault)) == {"a/two.md", "a/stranger.md", "s.md", "s/bottom.md"}


def test_an_element_that_is_not_of_the_list_alone_is_only_taken_off_it(tmp_path: pathlib.Path) -> None:
    m = Memory(
        write(tmp_path, {"plain.md": "P", "l.md": "---\ntype: list\nrole: stack\n---\n- [[raw]]\n- [[plain]]\n"})
    )
    call(m, "addRawMemory", name="raw", description="", data="R")
    assert call(m, "popStackElement", name="l")["data"] == "P"
    assert call(m, "popStackElement", name="l")["data"] == "R"
    assert set(read(tmp_path)) == {"plain.md", "raw.md", "l.md"}
    filled(m, "array", "x", name="twice")
    pathlib.Path(tmp_path, "twice.md").write_text(
        "---\ntype: list\nrole: array\n---\n- [[twice/x]]\n- [[twice/x]]\n", "utf-8"
    )
    call(m, "deleteListElement", name="twice", index=0)
    assert texts(m, "twice") == ["x"]
    pathlib.Path(tmp_path, "twice.md").write_text(
        "---\ntype: list\nrole: array\n---\n- [[twice/x]]\n- [[x|the same]]\n", "utf-8"
    )
    call(m, "deleteListElement", name="twice", index=0)
    assert texts(Memory(str(tmp_path)), "twice") == ["x"]


def test_a_note_with_windows_line_ends_keeps_them(tmp_path: pathlib.Path) -> None:
    m = Memory(write(tmp_path, {"w.md": "---\r\ntype: raw\r\nx: 1\r\n---\r\na\r\nb\r\n"}))
    assert text_of(m, "w") == "a\r\nb\r\n"
    call(m, "writeRaw", namePath="w", data="c\n", isAppend=True)
    assert read(tmp_path)["w.md"] == b"---\r\ntype: raw\r\nx: 1\r\n---\r\na\r\nb\r\nc\n"
    call(m, "summarizeRawLines", namePath="w", lineBeg=0, lineEnd=0, text="s")
    assert text_of(m, "w") == "a\r\nb\r\nc\n"


def test_there_is_room_for_many_summaries(memory: Memory) -> None:
    lines = "".join(f"{number}\n" for number in range(500))
    call(memory, "addRawMemory", name="t", description="", data=lines)
    memory.edit(lambda draft: draft.write("t.md", {
        "summaries": [{"lineBeg": number, "lineEnd": number, "text": str(number)} for number in range(500)]
    }))  # fmt: skip
    told = call(memory, "readRawLines", namePath="t", summarize=True)
    assert len(told["summaries"]) == 500
    assert "data" not in told


LIST = "---\ntype: list\nrole: array\n---\n"


def test_a_line_that_names_the_folder_of_the_list_means_no_note_elsewhere(tmp_path: pathlib.Path) -> None:
    other = {"old/A/one.md": "---\ntype: raw\n---\nother", "A/two.md": "---\ntype: raw\n---\ntwo"}
    m = Memory(write(tmp_path, {**other, "A.md": LIST + "- [[A/one]]\n- [[a/ONE]]\n"}))
    for index in (0, 1):
        with pytest.raises(Damaged, match="a missing note"):
            call(m, "writeRaw", namePath=f"A<:{index}:>", data="overwritten")
        with pytest.raises(Damaged, match="a missing note"):
            call(m, "getListElement", name="A", index=index)
    with pytest.raises(UnknownNote):
        call(m, "writeRaw", namePath="A<::>one", data="overwritten")
    call(m, "clearList", name="A")
    write(tmp_path, {"A.md": LIST + "- [[A/one]]\n", "A/one.md": "---\ntype: raw\n---\nmine"})
    m = Memory(str(tmp_path))
    assert texts(m, "A") == ["mine"]
    assert read(tmp_path)["old/A/one.md"].endswith(b"other")


def test_an_element_with_a_remark_stays_when_it_or_the_list_is_renamed(memory: Memory) -> None:
    filled(memory, "array", "one", "two", "three", name="A")
    note = pathlib.Path(memory.vault, "A.md")
    note.write_text(note.read_text("utf-8").replace("- [[A/one]]", "- [x] [[A/one]] closed"), "utf-8")
    memory.rename("A", "Z")
    assert texts(memory, "Z") == ["one", "two", "three"]
    memory.rename("A/one", "archive/first")
    assert texts(memory, "Z") == ["one", "two", "three"]
    assert "closed" in pathlib.Path(memory.vault, "Z.md").read_text("utf-8")


@pytest.mark.parametrize(
    "hidden", ["<!--\n- [[L/b]]\n-->\n", "    - [[L/b]]\n", "%%\n- [[L/b]]\n%%\n", "<div>\n- [[L/b]]\n"]
)
def test_what_looks_like_an_element_in_code_or_a_comment_is_none(tmp_path: pathlib.Path, hidden: str) -> None:
    notes = {"L.md": f"{LIST}- [[L/a]]\n\ntext\n\n{hidden}", "L/a.md": "a", "L/b.md": "b"}
    m = Memory(write(tmp_path, notes))
    assert texts(m, "L") == ["a"]
    call(m, "appendListElement", name="L", data="new", description="")
    assert texts(m, "L") == ["a", "new"]
    call(m, "deleteListElement", name="L", index=1)
    assert read(tmp_path)["L.md"].decode() == notes["L.md"]


def test_what_looks_like_an_element_in_a_code_fence_is_none(tmp_path: pathlib.Path) -> None:
    body = "é\n```\n- [[L/a]]\n```\n- [[L/a]]\n~~~\n- [[L/b]]\n"
    m = Memory(write(tmp_path, {"L.md": LIST + body, "L/a.md": "a", "L/b.md": "b", "F.md": LIST + "```\nopen"}))
    assert texts(m, "L") == ["a"]
    assert call(m, "searchMemory", query={"pattern": "L"})["results"][0]["nElements"] == 1
    call(m, "appendListElement", name="L", data="new", description="")
    assert texts(m, "L") == ["a", "new"]
    before = read(tmp_path)
    with pytest.raises(Damaged, match="in code or a comment that is open"):
        call(m, "appendListElement", name="F", data="new", description="")
    assert read(tmp_path) == before


def test_a_damaged_role_is_told_of_and_the_other_memories_are_found(tmp_path: pathlib.Path) -> None:
    notes = {
        "l.md": "---\ntype: list\nrole: [a]\n---\n",
        "m.md": "---\ntype: list\nrole: {a: b}\n---\n",
        "g.md": "---\ntype: graph\nrole: [a]\n---\n",
        "none.md": "---\ntype: list\n---\n",
        "ok.md": "---\ntype: raw\n---\ntext",
    }
    m = Memory(write(tmp_path, notes))
    found = call(m, "searchMemory")
    assert [one["name"] for one in found["results"]] == ["none", "ok"]
    assert found["results"][0]["role"] == "array"
    assert len(found["faults"]) == 3
    assert "'g' is damaged: its role is ['a']" in found["faults"][0]
    for name in ("l", "m"):
        with pytest.raises(Damaged, match="The role of the list"):
            call(m, "getListElement", name=name, index=0)
    call(m, "appendListElement", name="none", data="x", description="")


def test_summaries_of_lines_that_a_hand_has_taken_out_are_dropped_and_told_of(tmp_path: pathlib.Path) -> None:
    head = (
        "---\ntype: raw\nsummaries:\n- {lineBeg: 0, lineEnd: 0, text: a}\n- {lineBeg: 2, lineEnd: 3, text: end}\n---\n"
    )
    calls: list[Call] = [
        ("writeRaw", {"data": "more\n", "isAppend": True}),
        ("summarizeRawLines", {"lineBeg": 1, "lineEnd": 1, "text": "b"}),
        ("desummarizeRawLines", {"lineBeg": 1, "lineEnd": 1}),
    ]
    for tool, arguments in calls:
        m = Memory(write(tmp_path / tool, {"r.md": head + "a\nb\nc\n"}))
        answer = TOOLS[tool].call(m, {"namePath": "r", **arguments})
        assert "dropped 1 summary of lines that were not there" in answer.texts[0]
        told = answer.data.get("data", {"summariesDropped": 1})
        assert isinstance(told, dict)
        assert told["summariesDropped"] == 1
        assert b"end" not in read(m.vault)["r.md"]
        assert "not there" not in TOOLS[tool].call(m, {"namePath": "r", **arguments}).texts[0]


@pytest.fixture
def summarized(memory: Memory) -> Memory:
    """A text with a summary of its first and of its last two lines."""
    call(memory, "addRawMemory", name="r", description="", data="She slept.\nIt rained.\nShe woke.\nShe left.\n")
    for first, text in [(0, "a rainy night"), (2, "a departure")]:
        call(memory, "summarizeRawLines", namePath="r", lineBeg=first, lineEnd=first + 1, text=text)
    return memory


STALE = {"lineBeg": 0, "lineEnd": 1, "text": "a rainy night", "stale": True}


def test_a_summary_of_lines_that_a_hand_has_changed_is_stale_and_the_text_is_read(summarized: Memory) -> None:
    note = pathlib.Path(summarized.vault, "r.md")
    assert "data" not in call(summarized, "readRawLines", namePath="r", summarize=True)
    note.write_text(note.read_text("utf-8").replace("rained", "snowed"), "utf-8")
    answer = TOOLS["readRawLines"].call(summarized, {"namePath": "r", "summarize": True})
    assert answer.texts[0].splitlines()[1:] == [
        "lines 0-1 (stale: these lines have changed since): a rainy night",
        "lines 2-3: a departure",
    ]
    told = call(summarized, "readRawLines", namePath="r", summarize=True)
    assert told["data"] == "She slept.\nIt snowed.\nShe woke.\nShe left.\n"
    assert told["summaries"] == [STALE, {"lineBeg": 2, "lineEnd": 3, "text": "a departure"}]
    assert "data" not in call(summarized, "readRawLines", namePath="r", lineBeg=2, lineEnd=3, summarize=True)
    call(summarized, "insertRawLines", namePath="r", lineNo=4, text="The end.")
    assert call(summarized, "readRawLines", namePath="r", summarize=True)["summaries"][0] == STALE
    note.write_text(note.read_text("utf-8").replace("snowed", "rained").replace("\n", "\r\n"), "utf-8", newline="")
    assert "stale" not in str(call(summarized, "readRawLines", namePath="r", summarize=True))
    call(summarized, "summarizeRawLines", namePath="r", lineBeg=0, lineEnd=4, text="all")
    assert "data" not in call(summarized, "readRawLines", namePath="r", summarize=True)


def test_a_summary_is_stale_after_an_extraction_from_its_lines(summarized: Memory) -> None:
    summarized.extract("r", "She slept.\nIt rained.", "night")
    told = call(summarized, "readRawLines", namePath="r", summarize=True)
    assert told["data"] == "[[night]]\nShe woke.\nShe left.\n"
    assert told["summaries"] == [STALE]


def test_a_summary_without_a_hash_counts_as_good_until_its_lines_are_changed_by_a_tool(tmp_path: pathlib.Path) -> None:
    head = '---\ntype: raw\nsummaries:\n  - {"lineBeg": 0, "lineEnd": 1, "text": "old"}\n---\n'
    m = Memory(write(tmp_path, {"r.md": head + "a\nb\n"}))
    old = {"lineBeg": 0, "lineEnd": 1, "text": "old"}
    assert call(m, "readRawLines", namePath="r", summarize=True) == {"summaries": [old], "happyToSum": False}
    call(m, "insertRawLines", namePath="r", lineNo=2, text="c")
    assert read(tmp_path)["r.md"].decode() == head + "a\nb\nc\n"
    call(m, "replaceRawLines", namePath="r", lineBeg=1, lineEnd=1, pattern="b", text="B")
    assert call(m, "readRawLines", namePath="r", summarize=True)["summaries"] == []


def test_a_line_is_hashed_once_however_many_summaries_cover_it(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    call(memory, "addRawMemory", name="t", description="", data="x\n" * 100)
    memory.edit(lambda draft: draft.write("t.md", {
        "summaries": [{"lineBeg": 0, "lineEnd": 99, "text": str(number), "hash": "0"} for number in range(100)]
    }))  # fmt: skip
    hashed: list[bytes] = []

    def counted(line: bytes) -> int:
        hashed.append(line)
        return crc32(line)

    monkeypatch.setattr(summaries, "crc32", counted)
    told = call(memory, "readRawLines", namePath="t", summarize=True)
    assert [one["stale"] for one in told["summaries"]] == [True] * 100
    assert len(hashed) == 100


def test_what_a_hand_has_added_to_a_summary_is_kept(tmp_path: pathlib.Path) -> None:
    head = "---\ntype: raw\nsummaries:\n- {lineBeg: 0, lineEnd: 0, text: a, by: [Ann, Bob]}\n---\n"
    m = Memory(write(tmp_path, {"r.md": head + "a\nb\n"}))
    call(m, "insertRawLines", namePath="r", lineNo=0, text="new")
    call(m, "summarizeRawLines", namePath="r", lineBeg=1, lineEnd=1, text="better")
    told = call(m, "readRawLines", namePath="r", summarize=True)
    assert told["summaries"] == [{"lineBeg": 1, "lineEnd": 1, "text": "better"}]
    assert (
        b'{"lineBeg": 1, "lineEnd": 1, "text": "better", "hash": "e8b7be44", "by": ["Ann", "Bob"]}'
        in read(tmp_path)["r.md"]
    )


def test_notes_whose_names_cannot_be_given_are_memories_too(tmp_path: pathlib.Path) -> None:
    m = Memory(
        write(
            tmp_path, {"a#b.md": "---\ntype: raw\n---\none", "a [1].md": LIST + "- [[x]]\n", "x.md": "x", "c#.md": LIST}
        )
    )
    assert [one["name"] for one in call(m, "searchMemory")["results"]] == ["a [1]", "a#b", "c#", "x"]
    call(m, "writeRaw", namePath="a#b", data=" more", isAppend=True)
    assert text_of(m, "a#b") == "one more"
    assert texts(m, "a [1]") == ["x"]
    with pytest.raises(Taken, match="There is a raw memory 'a#b' already"):
        call(m, "addRawMemory", name="a#b", description="", data="")
    before = read(tmp_path)
    with pytest.raises(BadName, match="a link cannot hold '#'"):
        call(m, "appendListElement", name="c#", data="new", description="")
    assert read(tmp_path) == before
    for name in ("a#b", "a [1]", "c#"):
        call(m, "deleteMemory", name=name)
    assert set(read(tmp_path)) == {"x.md"}


def test_a_refusal_names_the_tool_or_the_path_that_does_it(memory: Memory) -> None:
    for role in ("array", "deque", "stack"):
        filled(memory, role, "x", name=role)
    position = {"position": "back"}
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("popStackElement", {"name": "deque"}, "use popDequeElement"),
        ("popDequeElement", {"name": "stack", **position}, "use popStackElement"),
        ("popStackElement", {"name": "array"}, "use getListElement and deleteListElement"),
        ("peekStackElement", {"name": "deque"}, "use peekDequeElement"),
        ("peekDequeElement", {"name": "stack", **position}, "use peekStackElement"),
        ("peekDequeElement", {"name": "array", **position}, "use getListElement"),
        ("readRawLines", {"namePath": "array<:TOP:>"}, "use the NamePath array<:0:>"),
        ("readRawLines", {"namePath": "deque<:TOP:>"}, "use the NamePath deque<:FRONT:> or <:BACK:>"),
        ("readRawLines", {"namePath": "stack<:BACK:>"}, "use the NamePath stack<:TOP:>"),
    ]
    for tool, arguments, says in calls:
        with pytest.raises(BadArgument) as error:
            call(memory, tool, **arguments)
        assert str(error.value).endswith(f"; {says}.") or f"; {says}" in str(error.value)


def test_what_is_said_of_damage_and_of_notes_that_stay(tmp_path: pathlib.Path) -> None:
    m = Memory(
        write(tmp_path, {"bad.md": "---\ntype: list\nrole: [\n---\n", "away.md": "far", "s.md": (
            "---\ntype: list\nrole: stack\n---\n- [[away]]\n"
        )})
    )  # fmt: skip
    with pytest.raises(Taken, match="There is a damaged note"):
        call(m, "addRawMemory", name="bad", description="", data="")
    answer = TOOLS["popStackElement"].call(m, {"name": "s"})
    assert answer.texts == ("0 away", "far", "Its note was left: it is no raw memory.")
    filled(m, "array", "one", "two", name="A")
    write(tmp_path, {"B.md": LIST + "- [[A/one]]\n", "C.md": LIST + "- [[away]]\n", "D.md": LIST + "- [[x/one]]\n"})
    m = Memory(str(tmp_path))
    answer = TOOLS["deleteMemory"].call(m, {"name": "A"})
    assert answer.texts == (
        "moved the list memory A and 2 raw memories in it to the trash; the list B names some of them too",
    )
    empty = Memory(write(tmp_path / "empty", {"plain.md": ""}))
    with pytest.raises(UnknownNote, match=r"There is no memory 'no'\. There are none yet; make one with addRaw"):
        call(empty, "readRawLines", namePath="no")


def test_an_import_takes_both_lists_of_an_object(memory: Memory) -> None:
    raw = {"type": "raw", "description": "", "data": "x", "summaries": []}
    document = {"data": [{"name": "a", **raw}, 5], "memories": {"b": raw}}
    done = import_think(memory, json.dumps(document))
    assert (done.added, len(done.faults)) == (2, 1)
    assert done.faults[0].startswith("entry 2 of `data`")
    assert text_of(memory, "a") == text_of(memory, "b") == "x"


# --- memories that are moved or renamed


def moved(memory: Memory, *moves: tuple[str, str]) -> None:
    """Move files or folders of the vault by hand."""
    for old, new in moves:
        there = pathlib.Path(memory.vault, new)
        there.parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(memory.vault, old).rename(there)
    memory.wait_ready()  # as the watcher does


LIST_MOVES: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "note": ("A", [("A.md", "projects/A.md")]),
    "note renamed": ("Z", [("A.md", "Z.md")]),
    "folder": ("A", [("A", "projects/A")]),
    "folder renamed": ("A", [("A", "B")]),
    "folder moved and renamed": ("A", [("A", "projects/old/B")]),
    "both": ("A", [("A.md", "projects/A.md"), ("A", "projects/A")]),
    "both renamed": ("Z", [("A.md", "Z.md"), ("A", "Z")]),
    "both moved apart": ("Z", [("A.md", "x/Z.md"), ("A", "y/B")]),
}


@pytest.mark.parametrize("how", LIST_MOVES)
def test_a_list_that_a_hand_has_moved_is_reached_with_its_elements(memory: Memory, how: str) -> None:
    name, moves = LIST_MOVES[how]
    filled(memory, "array", "one", "two", "three", name="A")
    moved(memory, *moves)
    listed = call(memory, "searchMemory", query={"type": "list"})["results"]
    assert [(one["name"], one["nElements"]) for one in listed] == [(name, 3)]
    assert texts(memory, name) == ["one", "two", "three"]
    assert text_of(memory, f"{name}<::>two") == "two"
    call(memory, "writeRaw", namePath=f"{name}<:1:>", data="2")
    call(memory, "appendListElement", name=name, data="four", description="")
    assert texts(memory, name) == ["one", "2", "three", "four"]
    assert memory.check() == []
    call(memory, "deleteListElement", name=name, index=0)
    assert texts(Memory(memory.vault), name) == ["2", "three", "four"]
    with pytest.raises(Taken, match=f"There is a list memory '{name}' already"):
        call(memory, "addListMemory", name=name, description="", role="array")
    call(memory, "deleteMemory", name=name)
    assert read(memory.vault) == {}


def test_a_new_element_is_the_one_listed_though_another_note_had_its_path_before(memory: Memory) -> None:
    filled(memory, "array", "one", name="A")
    moved(memory, ("A", "d/A"))
    call(memory, "appendListElement", name="A", data="one", description="")
    call(memory, "writeRaw", namePath="A<:1:>", data="new")
    assert texts(memory, "A") == ["one", "new"]
    memory.rename("/A/one", "A/two")
    assert texts(memory, "A") == ["one", "new"]


@pytest.mark.parametrize(("new", "name"), [("archive/novel", "novel"), ("saga", "saga"), ("archive/saga", "saga")])
@pytest.mark.parametrize("by_hand", [True, False], ids=["hand", "tool"])
def test_a_raw_memory_that_is_moved_is_reached(memory: Memory, new: str, name: str, by_hand: bool) -> None:
    call(memory, "addRawMemory", name="novel", description="chapter 1", data="It was night.")
    call(memory, "summarizeRawLines", namePath="novel", lineBeg=0, lineEnd=0, text="night")
    if by_hand:
        moved(memory, ("novel.md", f"{new}.md"))
    else:
        memory.rename("novel", new)
    assert [one["name"] for one in call(memory, "searchMemory")["results"]] == [name]
    assert "data" not in call(memory, "readRawLines", namePath=name, summarize=True)
    for path in {name, new}:
        call(memory, "writeRaw", namePath=path, data="!", isAppend=True)
    assert text_of(memory, new) == "It was night." + "!" * len({name, new})
    with pytest.raises(Taken):
        call(memory, "addRawMemory", name=name, description="", data="")
    call(memory, "deleteMemory", name=new)
    assert read(memory.vault) == {}


def test_a_list_that_a_tool_has_renamed_keeps_its_elements_as_its_own(memory: Memory) -> None:
    filled(memory, "stack", "one", "two", "three", "four", name="A")
    memory.rename("A", "projects/Z")
    memory.rename("A/two", "projects/2")
    assert texts(memory, "Z") == ["one", "two", "three", "four"]
    assert [one["name"] for one in call(memory, "searchMemory")["results"]] == ["Z"]
    assert call(memory, "popStackElement", name="Z")["data"] == "four"
    call(memory, "pushStackElement", name="Z", data="five", description="")
    assert set(read(memory.vault)) == {"A/one.md", "A/three.md", "projects/2.md", "projects/Z.md", "projects/Z/five.md"}
    call(memory, "clearList", name="Z")
    assert set(read(memory.vault)) == {"projects/2.md", "projects/Z.md"}  # beside other notes it is not the list's


def test_memories_of_one_name_are_told_apart_by_their_folders(memory: Memory) -> None:
    filled(memory, "array", "one", name="A")
    moved(memory, ("A.md", "x/A.md"), ("A", "x/A"))
    filled_by_hand = {"y/A.md": LIST + "- [[y/A/one]]\n", "y/A/one.md": "---\ntype: raw\n---\nother"}
    write(memory.vault, filled_by_hand)
    memory.wait_ready()
    assert [one["name"] for one in call(memory, "searchMemory")["results"]] == ["x/A", "y/A"]
    assert [texts(memory, name) for name in ("x/A", "y/A")] == [["one"], ["other"]]
    for tool in ("clearList", "deleteMemory"):
        with pytest.raises(AmbiguousName, match="x/A"):
            call(memory, tool, name="A")
    with pytest.raises(AmbiguousName):
        call(memory, "addListMemory", name="A", description="", role="array")
    call(memory, "deleteMemory", name="x/A")
    assert texts(memory, "A") == ["other"]


def test_an_element_is_no_memory_of_its_own_until_no_list_names_it(memory: Memory) -> None:
    filled(memory, "array", "one", "two", name="A")
    assert [one["name"] for one in call(memory, "searchMemory")["results"]] == ["A"]
    for name in ("one", "A/one"):
        with pytest.raises(UnknownNote):
            call(memory, "deleteMemory", name=name)
    note = pathlib.Path(memory.vault, "A.md")
    note.write_text(note.read_text("utf-8").replace("- [[A/one]]\n", ""), "utf-8")
    memory.wait_ready()
    assert [one["name"] for one in call(memory, "searchMemory")["results"]] == ["A", "one"]
    assert text_of(memory, "one") == "one"
    memory.extract("A", "- [[A/two]]", "B")
    assert [one["name"] for one in call(memory, "searchMemory")["results"]] == ["A", "one", "two", "B"]


def test_a_folder_that_was_moved_is_not_guessed(tmp_path: pathlib.Path) -> None:
    raws = {"x/one.md": "---\ntype: raw\n---\nx", "y/one.md": "---\ntype: raw\n---\ny"}
    m = Memory(write(tmp_path / "two places", {"A.md": LIST + "- [[A/one]]\n", **raws}))
    with pytest.raises(Damaged, match="a missing note"):
        call(m, "getListElement", name="A", index=0)
    m = Memory(write(tmp_path / "no memory", {"A.md": LIST + "- [[A/one]]\n", "x/one.md": "a person's"}))
    with pytest.raises(Damaged, match="a missing note"):
        call(m, "getListElement", name="A", index=0)
    elements = {"A.md": LIST + "- [[A/one]]\n", "B.md": LIST + "- [[x/one]]\n", "x/one.md": raws["x/one.md"]}
    m = Memory(write(tmp_path / "another list's", elements))
    with pytest.raises(Damaged, match="a missing note"):
        call(m, "writeRaw", namePath="A<:0:>", data="overwritten")
    m = Memory(write(tmp_path / "not all", {"A.md": LIST + "- [[A/one]]\n- [[A/two]]\n", "x/one.md": raws["x/one.md"]}))
    with pytest.raises(Damaged, match="a missing note"):
        call(m, "getListElement", name="A", index=0)


MOVED_RAW = "---\ntype: raw\n---\n"
NOT_GUESSED: dict[str, tuple[dict[str, str], list[str]]] = {
    "the own folder or another one": ({"A/one.md": "", "q/one.md": ""}, ["old/one"]),
    "the end of a path or another folder": ({"x/old/one.md": "", "q/one.md": ""}, ["old/one"]),
    "two ends of paths": ({"x/old/one.md": "", "y/old/one.md": ""}, ["old/one"]),
    "a note of another line": ({"x/old/one.md": ""}, ["old/one", "x/old/one"]),
    "a note of another line in the own folder": ({"A/one.md": ""}, ["old/one", "A/one"]),
    "two missing folders": ({"q/one.md": ""}, ["old/one", "older/one"]),
}


@pytest.mark.parametrize("case", NOT_GUESSED)
def test_a_line_that_can_mean_two_notes_or_another_line_s_is_missing(tmp_path: pathlib.Path, case: str) -> None:
    notes, lines = NOT_GUESSED[case]
    body = "".join(f"- [[{line}]]\n" for line in lines)
    files = {path: MOVED_RAW + path for path in notes}
    before = {"A.md": LIST + body, **files}
    m = Memory(write(tmp_path, before))
    with pytest.raises(Damaged, match="a missing note"):
        call(m, "writeRaw", namePath="A<:0:>", data="overwritten")
    assert read(tmp_path) == {path: text.encode() for path, text in before.items()}
    for line in reversed(lines[1:]):
        if f"{line}.md" in notes:
            assert call(m, "getListElement", name="A", index=lines.index(line))["data"]["data"] == f"{line}.md"


def test_a_missing_folder_of_another_list_can_be_the_one_that_was_renamed(tmp_path: pathlib.Path) -> None:
    lists = {"A.md": LIST + "- [[A/one]]\n", "B.md": LIST + "- [[B/one]]\n- [[B/two]]\n"}
    m = Memory(write(tmp_path, {**lists, "q/one.md": MOVED_RAW + "1"}))
    assert texts(m, "A") == ["1"]  # B lacks a note there, so it was not renamed to q
    write(tmp_path, {"B.md": LIST + "- [[B/one]]\n"})
    m.wait_ready()
    for name in ("A", "B"):
        with pytest.raises(Damaged, match="a missing note"):
            call(m, "getListElement", name=name, index=0)


def test_the_error_lists_the_notes_that_a_missing_one_may_be_and_a_corrected_line_works(tmp_path: pathlib.Path) -> None:
    places = [f"p{number}" for number in range(7)]
    m = Memory(write(tmp_path, {"A.md": LIST + "- [[A/one]]\n", **{f"{p}/one.md": MOVED_RAW + p for p in places}}))
    shown = r"may be one of these: \[\[p0/one\]\], .*\[\[p4/one\]\] and 2 more\. Nothing was changed"
    with pytest.raises(Damaged, match=shown):
        call(m, "getListElement", name="A", index=0)
    write(tmp_path, {"A.md": LIST + "- [[p3/one]]\n"})
    m.wait_ready()
    assert texts(m, "A") == ["p3"]


def test_a_new_element_is_not_taken_for_a_missing_one(memory: Memory) -> None:
    write(memory.vault, {"A.md": LIST + "- [[A/one]]\n", "x/one.md": MOVED_RAW, "y/one.md": MOVED_RAW})
    memory.wait_ready()
    assert call(memory, "appendListElement", name="A", data="one", description="")["name"] == "one 2"
    with pytest.raises(Damaged, match="a missing note"):
        call(memory, "getListElement", name="A", index=0)


# --- how much work it is


def imported(memory: Memory, lists: int, elements: int) -> None:
    inside = [{"name": f"e {number}", "data": str(number)} for number in range(elements)]
    a_list = {"type": "list", "role": "array", "list": inside}
    import_think(memory, json.dumps({f"l {number}": a_list for number in range(lists)}))


def test_clearing_a_list_is_one_edit_and_reads_each_note_once(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    imported(memory, 1, 300)
    edits = len(memory.log(limit=100))
    pages = Counts(monkeypatch, Page, "__init__")
    plans = Counts(monkeypatch, Draft, "plan")
    assert pages.of(lambda: call(memory, "clearList", name="l 0")) <= 310
    assert plans.number == 1
    assert len(memory.log(limit=100)) == edits + 1
    assert memory.undo().edits
    assert texts(memory, "l 0") == [str(number) for number in range(300)]


def test_what_has_been_cleared_many_times_is_cleared_as_fast(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = Counts(monkeypatch, Store, "taken")
    filled(memory, "stack")

    def push_and_clear() -> None:
        call(memory, "pushStackElement", name="l", data="same", description="")
        call(memory, "clearList", name="l")

    first = taken.of(push_and_clear)
    for _ in range(60):
        push_and_clear()
    assert taken.of(push_and_clear) <= first + 15
    trash = sorted(os.listdir(os.path.join(memory.vault, ".trash")))
    assert trash == sorted(["same.md", *(f"same {number}.md" for number in range(1, 62))])


def test_notes_of_other_toolsets_are_found_as_raw_memories_that_are_only_read(tmp_path: pathlib.Path) -> None:
    files = {"tea.md": "Green.\nSee [[Ann]].\n", "people/Ann.md": "---\nentityType: person\n---\n- likes tea\n",
             "a/tea.md": "other", "bad.md": "---\nx: [\n---\n", "picture.png": "", ".hidden/x.md": ""}  # fmt: skip
    memory = Memory(write(tmp_path, files))
    filled(memory, "array", "one", "two")
    call(memory, "addGraphMemory", name="g", description="", role="graph")
    call(memory, "writeRaw", namePath="g<:VERTEX:>v", data="V")
    call(memory, "addRawMemory", name="mine", description="", data="x")
    before = read(tmp_path)
    plain: list[dict[str, Any]] = [
        {"name": "a/tea", "type": "raw", "description": "", "nLines": 1, "nChars": 5, "readOnly": True},
        {"name": "people/Ann", "type": "raw", "description": "", "nLines": 1, "nChars": 12, "readOnly": True},
        {"name": "tea", "type": "raw", "description": "", "nLines": 2, "nChars": 20, "readOnly": True},
    ]
    answer = TOOLS["searchMemory"].call(memory, {})
    data: Any = answer.data["data"]
    assert [one["name"] for one in data["results"]] == ["g", "l", "mine", "a/tea", "people/Ann", "tea"]
    assert data["results"][3:] == plain
    assert "tea (raw, 2 lines, read-only)" in answer.texts[0]
    assert call(memory, "searchMemory", query={"pattern": "^(tea|Ann|mine)$", "type": "raw"})["results"][1:] == plain
    assert call(memory, "searchMemory", query={"pattern": "people/"})["results"] == plain[1:2]
    assert [one["name"] for one in call(memory, "searchMemory", query={"type": "list"})["results"]] == ["l"]
    for one in plain:
        assert len(text_of(memory, one["name"])) == one["nChars"]
        with pytest.raises(BadArgument, match="can read but do not write"):
            call(memory, "writeRaw", namePath=one["name"], data="x")
    assert read(tmp_path) == before


def test_of_many_notes_of_other_toolsets_the_first_are_listed_and_the_others_counted(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {f"n{number:03}.md": "x" for number in range(250)}))
    answer = TOOLS["searchMemory"].call(memory, {})
    data: Any = answer.data["data"]
    assert [one["name"] for one in data["results"]] == [f"n{number:03}" for number in range(100)]
    assert data["notesLeftOut"] == 150
    assert answer.texts[0].endswith("and 150 other notes: give a pattern that matches their names")
    assert "notesLeftOut" not in call(memory, "searchMemory", query={"pattern": "^n24"})


def test_a_search_looks_at_memories_and_not_at_elements(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    imported(memory, 5, 40)
    moved(memory, ("l 4.md", "archive/l 4.md"), ("l 4", "archive/l 4"))
    query = {"query": {"pattern": "l .$"}}
    assert len(call(memory, "searchMemory", **query)["results"]) == 5
    groups: list[int] = []

    def matching(source: str, given: Sequence[Sequence[str]]) -> list[int]:
        groups.append(len(given))
        return patterns.matching(source, given)

    monkeypatch.setattr(memory_tools, "matching", matching)
    read_notes, meant = Counts(monkeypatch, ThinkMemories, "put"), Counts(monkeypatch, Pages, "resolve")

    def search() -> None:
        call(memory, "searchMemory", **query)

    assert (read_notes.of(search), meant.of(search), groups) == (0, 0, [5, 5])
    call(memory, "appendListElement", name="l 4", data="new", description="")
    assert read_notes.of(search) == 2  # the list and the element
    call(memory, "writeRaw", namePath="l 0<:3:>", data="other")
    assert meant.of(search) <= 10  # what lists name by the one base name
    assert groups == [5] * 4


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The token is ghp_Zq7Lw2Nx9Rt4Zq7Lw2Nx9Rt4Zq7Lw2Nx9Rt4", ""),
        ("Deploying\nghp_Zq7Lw2Nx9Rt4Zq7Lw2Nx9Rt4Zq7Lw2Nx9Rt4\nis the token", "Deploying"),
        ("password: Zq7Lw2Nx9Rt4\n" + "ghp_Zq7Lw2Nx9Rt4Zq7Lw2Nx9Rt4Zq7Lw2Nx9Rt4\n" * 20, ""),
        ("No \ud800 key", "No key"),
    ],
)
def test_a_name_made_of_words_has_no_key(text: str, name: str) -> None:
    assert shortened(text) == name
