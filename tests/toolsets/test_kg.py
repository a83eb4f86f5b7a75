"""The toolset kg against what was recorded from the server that it stands in for, and against that server itself."""

import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import warnings
from typing import Any, cast

import anyio
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, TextResourceContents

from tests.tools import npm
from tests.tools.forked import zkmem_command
from tests.tools.inner import engine
from tests.tools.servers import ERAS, client
from tests.tools.vaults import read, write
from zkmem.errors import BadArgument, Damaged, UnknownEntity, Unwritable
from zkmem.memory import Memory
from zkmem.records.pages import Pages
from zkmem.serve.mcp.server import McpServer
from zkmem.toolsets.kg import answers
from zkmem.toolsets.kg.graph import Graph
from zkmem.toolsets.kg.layout import Layout
from zkmem.toolsets.kg.transfer import export_graph
from zkmem.toolsets.table import TOOLSETS, chosen

CASES = pathlib.Path(__file__).parents[1] / "cases"
RECORDED = [json.loads(line) for line in (CASES / "server_memory_golden.jsonl").read_text("utf-8").splitlines()]
CALLS = [one for one in RECORDED if one["session"] == "main" and one["request"]["method"] == "tools/call"]
TWINS = {15, 28}  # recorded calls with twins in one batch, of which we keep one: a difference that the docs state
SCHEMAS = {one["name"]: one for one in json.loads((CASES / "server_memory_tools.json").read_text("utf-8"))["tools"]}
TOOLS = {tool.name: tool for tool in TOOLSETS["kg"].tools}
PACKAGE = "@modelcontextprotocol/server-memory@2026.8.31"

pytestmark = pytest.mark.anyio


def call(memory: Memory, tool: str, **arguments: Any) -> Any:
    return dict(TOOLS[tool].call(memory, arguments).data)


def entity(name: str, *observations: str, kind: str = "t") -> dict[str, Any]:
    return {"name": name, "entityType": kind, "observations": list(observations)}


def relation(source: str, kind: str, target: str) -> dict[str, str]:
    return {"from": source, "to": target, "relationType": kind}


def comparable(answer: dict[str, Any]) -> Any:
    """An answer without the wording of an error, and without the order of relations and of twins."""
    if answer.get("isError"):
        return "error"
    (block,) = answer["content"]
    data = answer["structuredContent"]
    try:
        text = json.loads(block["text"])
    except ValueError:
        text = block["text"]
    if isinstance(text, list):
        assert list(data.values()) == [text]
    elif isinstance(text, dict):
        assert text == data
    return _sorted(data)


def _sorted(data: Any) -> Any:
    if "relations" not in data:
        return data
    relations = {json.dumps(one, sort_keys=True) for one in data["relations"]}
    entities = [one for one in data.get("entities", []) if one["name"] != "Twin"]
    return {**data, "relations": sorted(relations), **({"entities": entities} if "entities" in data else {})}


def answered(result: CallToolResult) -> dict[str, Any]:
    return result.model_dump(by_alias=True, exclude_none=True, mode="json")


# --- as recorded


async def test_the_recorded_session_gets_the_recorded_answers(tmp_path: pathlib.Path) -> None:
    async with client("stdio", "2026-07-28", str(tmp_path), "kg") as connected:
        for one in CALLS:
            params = one["request"]["params"]
            got = answered(await connected.call_tool(params["name"], params.get("arguments") or {}))
            wanted = one["response"]["result"]
            if one["n"] in TWINS:
                (stored,) = got["structuredContent"].values()
                assert stored == [wanted["structuredContent"][next(iter(wanted["structuredContent"]))][0]]
            else:
                assert comparable(got) == comparable(wanted), one["note"]
    assert len([one for one in RECORDED if one["request"]["method"] == "tools/call"]) == 64


@pytest.mark.parametrize("era", ERAS)
async def test_tools_and_resource_are_described_as_recorded(tmp_path: pathlib.Path, era: str) -> None:
    async with client("memory", era, str(tmp_path), "kg") as connected:
        tools = [one.model_dump(by_alias=True, exclude_none=True) for one in (await connected.list_tools()).tools]
        (resource,) = (await connected.list_resources()).resources
        listed = resource.model_dump(by_alias=True, exclude_none=True)
    for tool in tools:
        recorded = dict(SCHEMAS[tool["name"]])
        if era != "2025-11-25":  # later versions of the protocol have no such member
            recorded.pop("execution")
        if tool.pop("_meta", None):  # the tools that a client loads at the start
            assert tool["description"].startswith(f"{recorded['description']}: the user's long-term memory. ")
            tool["description"] = recorded["description"]
        assert tool == recorded
    assert [tool["name"] for tool in tools] == list(SCHEMAS)
    (wanted,) = next(one for one in RECORDED if one["note"] == "list resources")["response"]["result"]["resources"]
    assert listed == wanted


@pytest.mark.parametrize("era", ERAS)
async def test_the_resource_is_the_graph_and_tells_of_every_change(tmp_path: pathlib.Path, era: str) -> None:
    async with client("memory", era, str(tmp_path), "kg") as connected:
        (empty,) = (await connected.read_resource("memory://knowledge-graph")).contents
        assert isinstance(empty, TextResourceContents)
        assert empty.text == '{\n  "entities": [],\n  "relations": []\n}'
        await connected.call_tool("create_entities", {"entities": [entity("A", "x")]})
        (full,) = (await connected.read_resource("memory://knowledge-graph")).contents
        assert isinstance(full, TextResourceContents)
        assert json.loads(full.text) == {"entities": [entity("A", "x")], "relations": []}


async def test_subscribers_hear_of_calls_that_change_nothing_too(tmp_path: pathlib.Path) -> None:
    heard: list[str] = []
    news = anyio.Event()

    async def hear(message: object) -> None:
        if uri := getattr(getattr(message, "params", None), "uri", None):
            heard.append(str(uri))
            news.set()

    async with client("stdio", "2025-11-25", str(tmp_path), "kg", message_handler=hear) as connected:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            await connected.subscribe_resource("memory://knowledge-graph")
        await connected.call_tool("delete_entities", {"entityNames": ["nobody"]})
        with anyio.fail_after(20):
            await news.wait()
    assert heard == ["memory://knowledge-graph"]


# --- what comes back

# fmt: off
ODD = ["", " ", "\n", "-", "- x", "a\n\nb", " lead", "trail ", "a\n  b", '"quoted"', '"', "[[Acme]]", "%%",
       "<!--", "```", "# h", "## Relations", "## Observations", "- [ ] x", "a\r\nb", "\ttab", "$$",
       "a\u2028b", "---", "\ufeff", "~~~\nx", "1. x", "[x]: y", "![[a]]start", "\x00", "CON", "a/b", "..", "x"
       * 300, "Acme", "acme", "ACME", "%41", "a.md", "e\u0301", "é", "a|b", "a#b", "a]]b", "日本 語", "\\", "`a",
       "<b>", "{{x}}", "null", "2020-01-01", "a: b", "- [[Acme]] %%{}%%", '{"a": 1}', '%%{"to": "x"}%%']
# fmt: on
ANY = (
    st.sampled_from(ODD)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    | st.text('aA -\n#[]|%`"', max_size=8)
)


@settings(max_examples=40, deadline=None)
@given(
    name=ANY,
    kind=ANY,
    observations=st.lists(ANY, max_size=5),
    more=st.lists(ANY, max_size=3),
    targets=st.lists(ANY, max_size=3),
)
@example(name="x", kind="t", observations=ODD, more=["", "```", "%%"], targets=ODD)
@example(name="", kind="", observations=[""], more=[], targets=["", "x"])
def test_any_strings_come_back_exactly_over_a_restart(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    kind: str,
    observations: list[str],
    more: list[str],
    targets: list[str],
) -> None:
    root = str(tmp_path_factory.mktemp("v"))
    memory = Memory(root, durable=False)
    call(memory, "create_entities", entities=[entity(name, *observations, kind=kind)])
    added = call(memory, "add_observations", observations=[{"entityName": name, "contents": more}])
    relations = [relation(name, kind, target) for target in dict.fromkeys(targets)]
    relations += [relation(target, name, name) for target in dict.fromkeys(targets) if target != name]
    relations = list({json.dumps(one): one for one in relations}.values())
    call(memory, "create_relations", relations=relations)
    new = [text for text in more if text not in observations]
    assert added["results"] == [{"entityName": name, "addedObservations": new}]
    for one in (memory, Memory(root)):
        graph = call(one, "read_graph")
        assert graph["entities"] == [entity(name, *observations, *new, kind=kind)]
        assert sorted(map(json.dumps, graph["relations"])) == sorted(map(json.dumps, relations))
    call(memory, "delete_observations", deletions=[{"entityName": name, "observations": observations}])
    (left,) = call(memory, "open_nodes", names=[name])["entities"]
    assert left["observations"] == [text for text in new if text not in observations]
    call(memory, "delete_relations", relations=relations)
    assert call(Memory(root), "read_graph")["relations"] == []


@settings(max_examples=25, deadline=None)
@given(names=st.lists(ANY, min_size=1, max_size=8, unique=True))
@example(names=["Acme", "acme", "ACME", "%41cme", "%61cme", "a/b", "A/B", "a%2Fb", "e\u0301", "é", "É"])
@example(names=ODD)
def test_entities_of_any_names_live_side_by_side(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    root = str(tmp_path_factory.mktemp("v"))
    memory = Memory(root, durable=False)
    circle = [relation(name, "next", names[(at + 1) % len(names)]) for at, name in enumerate(names)]
    call(memory, "create_relations", relations=circle[: len(names) // 2])  # some before there are entities
    call(memory, "create_entities", entities=[entity(name, name) for name in names])
    call(memory, "create_relations", relations=circle)
    graph = call(Memory(root), "read_graph")
    assert graph["entities"] == [entity(name, name) for name in names]
    assert sorted(map(json.dumps, graph["relations"])) == sorted(map(json.dumps, circle))
    call(memory, "delete_entities", entityNames=names[:1])
    graph = call(Memory(root), "read_graph")
    assert graph["entities"] == [entity(name, name) for name in names[1:]]
    kept = [one for one in circle if names[0] not in {one["from"], one["to"]}]
    assert sorted(map(json.dumps, graph["relations"])) == sorted(map(json.dumps, kept))


# --- on disk


def test_an_ordinary_entity_looks_like_a_note_that_a_person_wrote(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    call(memory, "create_entities", entities=[entity("Ann", "likes tea", "plays chess", kind="person")])
    call(memory, "create_relations", relations=[relation("Ann", "works_at", "Acme")])
    head, created, *rest = read(str(tmp_path))["Ann.md"].decode().splitlines(keepends=True)[1:]
    assert head == "entityType: person\n"
    assert created.startswith("created: 20")
    assert "".join(rest) == "---\n- likes tea\n- plays chess\n\n## Relations\n- works_at [[Acme]]\n"


def test_relations_are_links_that_count(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    call(memory, "create_entities", entities=[entity("a"), entity("b"), entity("c/d")])
    call(
        memory,
        "create_relations",
        relations=[relation("a", "x", "b"), relation("a", "x", "c/d"), relation("a", "x", "gone")],
    )
    hints = {hint.name: (hint.links, hint.backlinks) for hint in memory.hints()}
    assert hints == {"a": (3, 0), "b": (0, 1), "c%2Fd": (0, 1)}
    assert memory.read("a", depth=1).text.count("start\n") == 2


@pytest.mark.parametrize("text", [*ODD, "%% a", "<!-- a", "$$ a", "``` a", "<script>", "[a]: <"])
def test_no_observation_hides_a_relation_from_the_links(tmp_path: pathlib.Path, text: str) -> None:
    memory = Memory(str(tmp_path), durable=False)
    call(memory, "create_entities", entities=[entity("a", text), entity("b")])
    call(memory, "create_relations", relations=[relation("a", "x", "b")])
    assert {hint.name: hint.backlinks for hint in memory.hints()}["b"] == 1


def test_no_observation_begins_a_comment_that_would_hide_the_rest_from_readers(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    call(memory, "create_entities", entities=[entity("a", "%% x", "<!-- y", "$$ z")])
    text = read(str(tmp_path))["a.md"]
    assert not any(mark in text for mark in (b"%%", b"<!--", b"$$"))
    assert call(memory, "read_graph")["entities"] == [entity("a", "%% x", "<!-- y", "$$ z")]


def test_a_relation_to_nobody_does_not_become_one_to_another_case(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    call(memory, "create_relations", relations=[relation("x", "knows", "acme")])
    call(memory, "create_entities", entities=[entity("Acme")])
    assert call(memory, "read_graph")["relations"] == [relation("x", "knows", "acme")]
    call(memory, "create_entities", entities=[entity("acme")])
    assert call(memory, "open_nodes", names=["acme"]) == {
        "entities": [entity("acme")],
        "relations": [relation("x", "knows", "acme")],
    }
    assert {hint.name: hint.backlinks for hint in memory.hints()}["acme"] == 1


def test_a_rename_in_the_zettelkasten_is_a_rename_in_the_graph(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    call(memory, "create_entities", entities=[entity("a"), entity("b")])
    call(memory, "create_relations", relations=[relation("a", "x", "b")])
    memory.rename("b", "people/Bea")
    graph = call(memory, "read_graph")
    assert [one["name"] for one in graph["entities"]] == ["a", "Bea"]
    assert graph["relations"] == [relation("a", "x", "Bea")]
    assert call(memory, "create_entities", entities=[entity("Bea")]) == {"entities": []}


def test_what_a_person_wrote_stays_byte_for_byte(tmp_path: pathlib.Path) -> None:
    mine = "---\r\ntags: [x]  # mine\r\n---\r\nAbout it.\r\n\r\n- my item\r\n\r\n## Later\r\n* mine too\r\n"
    memory = Memory(write(tmp_path, {"topics/Acme.md": mine}))
    call(memory, "create_entities", entities=[entity("Acme", "makes anvils")])
    call(memory, "create_relations", relations=[relation("Acme", "in", "Rome")])
    assert call(memory, "read_graph") == {
        "entities": [entity("Acme", "makes anvils")],
        "relations": [relation("Acme", "in", "Rome")],
    }
    text = read(str(tmp_path))["topics/Acme.md"].decode()
    assert list(read(str(tmp_path))) == ["topics/Acme.md"]
    assert "\r\nAbout it.\r\n\r\n- my item\r\n\r\n## Later\r\n* mine too\r\n" in text
    assert text.startswith("---\r\ntags: [x]  # mine\r\nentityType: t\r\n")
    call(memory, "delete_entities", entityNames=["Acme"])
    assert read(str(tmp_path))["topics/Acme.md"].decode() == mine


@pytest.mark.parametrize(
    "text", ["Start [[x]]\n\n- my item\n", "# Head\n\ntext\n", "---\ntags: [a]\n---\nText\n", "- only\n"]
)
def test_a_note_that_was_an_entity_for_a_while_is_as_it_was(tmp_path: pathlib.Path, text: str) -> None:
    memory = Memory(write(tmp_path, {"a.md": text}))
    call(memory, "create_entities", entities=[entity("a", "x", "y")])
    assert call(memory, "read_graph")["entities"] == [entity("a", "x", "y")]
    assert read(str(tmp_path))["a.md"].decode().endswith("\n## Observations\n- x\n- y\n")
    call(memory, "create_relations", relations=[relation("a", "knows", "b")])
    call(memory, "delete_entities", entityNames=["a"])
    assert read(str(tmp_path)) == {"a.md": text.encode()}


def test_items_written_by_hand_are_observations(tmp_path: pathlib.Path) -> None:
    head = "---\nentityType: person\n---\nA friend.\n"
    items = "* likes tea\n  - green\n\n  and black\n+ \n\n"
    text = head + items + "## Relations\n- knows [[Bob]]\n- met [[Cy]] in 2020\n- not one\n"
    memory = Memory(write(tmp_path, {"Ann.md": text}))
    graph = call(memory, "read_graph")
    assert graph["entities"] == [entity("Ann", "likes tea\n- green\n\nand black", "", kind="person")]
    assert graph["relations"] == [relation("Ann", "knows", "Bob")]
    call(memory, "add_observations", observations=[{"entityName": "Ann", "contents": ["new"]}])
    assert read(str(tmp_path))["Ann.md"].decode() == text.replace("+ \n", "+ \n- new\n")


@pytest.mark.parametrize("broken", ["---\nentityType: [\n---\n- x\n", "---\nentityType: t\n---\n- \udcff\n"])
def test_a_damaged_note_is_reported_and_left_alone(tmp_path: pathlib.Path, broken: str) -> None:
    write(tmp_path, {"good.md": "---\nentityType: t\n---\n- [[bad]]\n"})
    (tmp_path / "bad.md").write_bytes(broken.encode(errors="surrogateescape"))
    memory = Memory(str(tmp_path))
    assert call(memory, "read_graph")["entities"] == [entity("good", "[[bad]]")]
    with pytest.raises(Damaged, match="'bad' is damaged"):
        call(memory, "create_entities", entities=[entity("new"), entity("bad", "y")])
    call(memory, "create_entities", entities=[entity("other")])
    assert set(read(str(tmp_path))) == {"good.md", "bad.md", "other.md"}
    assert (tmp_path / "bad.md").read_bytes() == broken.encode(errors="surrogateescape")
    assert "bad" in {one.note for one in memory.check() if one.kind in {"properties", "unreadable"}}


def test_a_call_is_whole_or_not_at_all(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    call(memory, "create_entities", entities=[entity("a")])
    before = read(str(tmp_path))
    both = [{"entityName": "a", "contents": ["x"]}, {"entityName": "nobody", "contents": ["y"]}]
    with pytest.raises(UnknownEntity, match=r"^Entity with name nobody not found$"):
        call(memory, "add_observations", observations=both)
    assert read(str(tmp_path)) == before


def test_one_undo_takes_a_whole_call_back(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    call(memory, "create_entities", entities=[entity("a"), entity("b")])
    call(memory, "create_relations", relations=[relation("a", "x", "b")])
    before = read(str(tmp_path))
    call(memory, "delete_entities", entityNames=["b"])
    memory.undo()
    assert read(str(tmp_path)) == before


@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from(["- a", "- b\n  c", "", "text", "## Relations", "## Observations", "# H", "```", "* x", "  y"]),
        max_size=9,
    )
)
def test_the_parts_of_a_body_leave_nothing_out(lines: list[str]) -> None:
    body = "\n".join(lines)
    layout = Layout.of(body)
    assume(lines.count("```") % 2 == 0)
    assert layout.without(()) == body or layout.relations is not None
    grown = layout.with_observations(["- new"])
    assert [item.text for item in Layout.of(grown).observations.items] == [
        *(i.text for i in layout.observations.items),
        "new",
    ]
    rest = grown.split("\n")
    for line in body.split("\n"):
        rest.remove(line)
    assert "- new" in rest


# --- names that no file name tells


LONG = ["long " * 60 + "name", "[long] " * 60, "é" * 200, "two\nlines " * 40]


@pytest.mark.parametrize("name", LONG)
def test_a_relation_knows_the_long_name_at_its_end_when_the_note_is_gone(tmp_path: pathlib.Path, name: str) -> None:
    memory = Memory(str(tmp_path))
    call(memory, "create_entities", entities=[entity("Ann"), entity(name)])
    knows = relation("Ann", "knows", name)
    call(memory, "create_relations", relations=[knows])
    (gone,) = (path for path in read(str(tmp_path)) if path != "Ann.md")
    os.remove(tmp_path / gone)
    for one in (memory, Memory(str(tmp_path))):
        one.load()
        one.check()
        assert call(one, "read_graph")["relations"] == [knows]
        assert call(one, "open_nodes", names=["Ann"])["relations"] == [knows]
        assert call(one, "search_nodes", query="ann")["relations"] == [knows]
        assert json.dumps({"type": "relation", **knows}, ensure_ascii=False, separators=(",", ":")) in export_graph(one)
        assert call(one, "create_relations", relations=[knows])["relations"] == []
    assert call(memory, "create_relations", relations=[relation("Bob", "knows", name)])["relations"]
    call(memory, "create_entities", entities=[entity(name, "is back")])
    assert call(memory, "open_nodes", names=[name])["relations"] == [relation("Bob", "knows", name), knows]
    os.remove(tmp_path / gone)
    call(memory, "delete_relations", relations=[knows])
    assert call(memory, "read_graph")["relations"] == [relation("Bob", "knows", name)]
    call(memory, "delete_entities", entityNames=[name])
    assert call(memory, "read_graph")["relations"] == []


def test_an_alias_that_a_person_wrote_is_not_taken_for_a_name(tmp_path: pathlib.Path) -> None:
    links = "- knows [[~0123456789abcdef01|Bob]]\n- met [[Bob|my friend]]\n"
    memory = Memory(write(tmp_path, {"Ann.md": f"---\nentityType: t\n---\n\n## Relations\n{links}"}))
    wanted = [relation("Ann", "knows", "~0123456789abcdef01"), relation("Ann", "met", "Bob")]
    assert call(memory, "read_graph")["relations"] == wanted


@pytest.mark.parametrize("name", ["con", ".net", "/a", " b", "lpt1.txt"])
def test_names_that_differ_in_case_alone_are_made_in_one_batch(tmp_path: pathlib.Path, name: str) -> None:
    spellings = {"".join(chars) for chars in itertools.product(*({char, char.upper()} for char in name))}
    entities = [entity(one, one) for one in sorted(spellings)]
    memory = Memory(str(tmp_path), durable=False)
    assert call(memory, "create_entities", entities=entities)["entities"] == entities
    circle = [relation(one["name"], "next", two["name"]) for one, two in itertools.pairwise(entities)]
    call(memory, "create_relations", relations=circle)
    graph = call(Memory(str(tmp_path)), "read_graph")
    assert graph["entities"] == entities
    assert sorted(map(json.dumps, graph["relations"])) == sorted(map(json.dumps, circle))


# --- side by side


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The server-memory of npm, where there is node."""
    return str(npm.installed(tmp_path_factory, PACKAGE) / "mcp-server-memory")


NAMES = ["Ann", "ann", "Bob", "Acme Corp", "a/b", "", " x ", "日本", "CON", "e\u0301", "[[Ann]]", "last\nfirst", "100%"]
TEXTS = [
    "likes tea",
    "plays chess",
    "",
    "two\nlines",
    "- dash",
    " blank ",
    '"q"',
    "Ännchen",
    "[[Bob]] knows",
    "```",
    "# head",
]
KINDS = ["person", "Company", "", "a b", "is [[x]]", "line\nbreak", "%%"]


def random_call(rng: random.Random) -> tuple[str, dict[str, Any]]:
    def names(most: int) -> list[str]:
        return rng.sample(NAMES, rng.randint(0, most))

    def texts(most: int) -> list[str]:
        return [rng.choice(TEXTS) for _ in range(rng.randint(0, most))]

    def relations(most: int) -> list[dict[str, str]]:
        some = [relation(rng.choice(NAMES), rng.choice(KINDS), rng.choice(NAMES)) for _ in range(rng.randint(0, most))]
        return list({json.dumps(one): one for one in some}.values())  # twins in one batch are kept once: stated

    tool = rng.choice([*TOOLS, "create_entities", "create_relations", "add_observations"])
    arguments: dict[str, dict[str, Any]] = {
        "create_entities": {"entities": [entity(name, *texts(3), kind=rng.choice(KINDS)) for name in names(4)]},
        "create_relations": {"relations": relations(4)},
        "add_observations": {"observations": [{"entityName": name, "contents": texts(3)} for name in names(2)]},
        "delete_entities": {"entityNames": names(2)},
        "delete_observations": {"deletions": [{"entityName": name, "observations": texts(2)} for name in names(2)]},
        "delete_relations": {"relations": relations(2)},
        "read_graph": {},
        "search_nodes": {"query": rng.choice([*TEXTS, *NAMES, "TEA", "ä", "a", "person"])},
        "open_nodes": {"names": names(4)},
    }
    given = arguments[tool]
    if rng.random() < 0.03 and given:  # what no client should send
        key = rng.choice(list(given))
        given = rng.choice([{}, {key: None}, {key: 5}, {key: [5]}, {key: [{}]}, {key: "[]"}, {**given, "extra": 1}])
        if tool in {"open_nodes", "delete_entities", "search_nodes"} and given == {key: [{}]}:
            given = {key: [["x"]]}
    return tool, given


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.node
async def test_random_calls_get_what_the_reference_answers(tmp_path: pathlib.Path, reference: str) -> None:
    rng = random.Random(4)
    theirs_at = StdioServerParameters(command=reference, env={"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")})
    vault = str(tmp_path / "vault")
    os.mkdir(vault)
    ours_at = StdioServerParameters(
        command=sys.executable,
        args=["-m", "zkmem", "serve", vault, "--toolsets", "kg"],
        env={**os.environ, "ZKMEM_DURABILITY": "normal"},
    )
    async with Client(theirs_at, mode="legacy") as theirs, Client(ours_at, mode="legacy") as ours:
        for number in range(400):
            tool, arguments = random_call(rng)
            wanted = comparable(answered(await theirs.call_tool(tool, arguments)))
            got = comparable(answered(await ours.call_tool(tool, arguments)))
            assert got == wanted, (number, tool, arguments)


@pytest.mark.slow
async def test_two_clients_lose_nothing(tmp_path: pathlib.Path) -> None:
    vault = str(tmp_path)

    async def fill(connected: Client, who: str) -> None:
        for number in range(30):
            await connected.call_tool("create_entities", {"entities": [entity(f"{who}{number}"), entity("log")]})
            contents = [{"entityName": "log", "contents": [f"{who}{number}"]}]
            result = await connected.call_tool("add_observations", {"observations": contents})
            assert not result.is_error
            relations = [relation("log", "saw", f"{who}{number}")]
            await connected.call_tool("create_relations", {"relations": relations})

    async with client("stdio", "2025-11-25", vault, "kg") as one, client("stdio", "2026-07-28", vault, "kg") as other:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(fill, one, "a")
            tasks.start_soon(fill, other, "b")
        seen = answered(await one.call_tool("open_nodes", {"names": ["log"]}))["structuredContent"]
    assert len(seen["entities"][0]["observations"]) == 60
    assert len(seen["relations"]) == 60
    assert len(call(Memory(vault), "read_graph")["entities"]) == 61


# --- the work that calls do


class Counted:
    """Pages that count how many links are looked up."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self.looked_up = 0

    def meaning(self, target: str, source: str) -> tuple[str | None, str | None]:
        self.looked_up += 1
        return self._pages.meaning(target, source)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pages, name)


def looked_up(memory: Memory) -> int:
    """How many links are looked up to tell all relations; that they are right is checked, too."""

    def look(pages: Pages) -> int:
        counted = Counted(pages)
        found = list(pages.table(Graph).relations(cast("Pages", counted)))
        fresh = Graph()
        for path in pages.below(""):
            fresh.put(path, (pathlib.Path(memory.vault) / path).read_bytes())
        assert found == list(fresh.relations(pages))
        return counted.looked_up

    return memory.look(look)


def test_a_link_is_looked_up_again_only_when_a_note_of_its_name_comes_or_goes(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path), durable=False)
    names = [f"n{number}" for number in range(50)]
    call(memory, "create_entities", entities=[entity(name) for name in names])
    call(memory, "create_relations", relations=[relation(name, "x", "hub") for name in names])
    call(memory, "create_relations", relations=[relation("n0", "x", name) for name in names])
    looked_up(memory)
    assert looked_up(memory) == 0
    call(memory, "create_entities", entities=[entity("other")])
    assert looked_up(memory) == 0
    call(memory, "create_entities", entities=[entity("hub")])
    assert looked_up(memory) == 1
    memory.rename("n1", "people/Nan")
    assert looked_up(memory) <= 3
    write(tmp_path, {"people/hub.md": "---\nentityType: t\n---\n"})
    memory.wait_ready()
    assert looked_up(memory) == 1
    os.remove(tmp_path / "hub.md")
    memory.wait_ready()
    assert looked_up(memory) == 1
    write(tmp_path, {"topics/hub.md": "---\nentityType: t\n---\n"})
    memory.wait_ready()
    assert looked_up(memory) == 50  # which one it is depends on the note that the link is in


def test_one_note_that_cannot_be_written_leaves_all_as_they_were(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))  # durable: many notes are written by several threads
    names = [f"n{number}" for number in range(30)]
    call(memory, "create_entities", entities=[entity("hub"), *(entity(name) for name in names)])
    call(memory, "create_relations", relations=[relation(name, "x", "hub") for name in names])
    before = read(str(tmp_path))
    os.chmod(tmp_path / "n17.md", 0o444)
    with pytest.raises(Unwritable, match=r"n17\.md"):
        call(memory, "delete_entities", entityNames=["hub"])
    assert read(str(tmp_path)) == before
    assert os.listdir(tmp_path / ".zkmem/journal") == []
    os.chmod(tmp_path / "n17.md", 0o644)
    call(memory, "delete_entities", entityNames=["hub"])
    assert call(Memory(str(tmp_path)), "read_graph") == {"entities": [entity(name) for name in names], "relations": []}


def test_records_stay_in_the_order_of_their_creation(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path), durable=False)
    rng = random.Random(7)
    names: list[str] = []
    for number in range(60):
        names.append(f"{rng.random()}-{number}")
        call(memory, "create_entities", entities=[entity(names[-1], "x")])
        if number % 7 == 3:
            call(memory, "delete_entities", entityNames=[names.pop(rng.randrange(len(names)))])
        if number % 5 == 2:
            contents = [{"entityName": rng.choice(names), "contents": [str(number)]}]
            call(memory, "add_observations", observations=contents)
        for tool, arguments in (("read_graph", {}), ("search_nodes", {"query": "x"}), ("open_nodes", {"names": names})):
            assert [one["name"] for one in call(memory, tool, **arguments)["entities"]] == names


@settings(max_examples=100)
@given(
    st.lists(st.tuples(ANY, ANY, st.lists(ANY, max_size=3)), max_size=3), st.lists(st.tuples(ANY, ANY, ANY), max_size=3)
)
def test_the_text_of_a_graph_is_its_data_as_json(
    entities: list[tuple[str, str, list[str]]], relations: list[tuple[str, str, str]]
) -> None:
    data = {
        "entities": [answers.entity(*one) for one in entities],
        "relations": [answers.relation(*one) for one in relations],
    }
    texts = [answers.entity_text(*one) for one in entities], [answers.relation_text(*one) for one in relations]
    assert answers.graph_text(*texts) == json.dumps(data, ensure_ascii=False, indent=2)


@pytest.mark.parametrize("query", ["x\ny", "b\nx", "y\nb", "Y"])
def test_a_search_is_within_one_text(tmp_path: pathlib.Path, query: str) -> None:
    memory = Memory(str(tmp_path))
    call(memory, "create_entities", entities=[entity("A", "b", "X\ny", "b")])
    found = call(memory, "search_nodes", query=query)["entities"]
    assert bool(found) == any(query.lower() in text for text in ("a", "t", "b", "x\ny"))


@pytest.mark.parametrize("era", ERAS)
async def test_the_sdk_does_not_copy_the_data_of_an_answer(tmp_path: pathlib.Path, era: str) -> None:
    face = McpServer(Memory(str(tmp_path)), chosen(["kg"]))
    server = face.server()
    given: list[object] = []

    async def look(ctx: Any, call_next: Any) -> Any:
        result = await call_next(ctx)
        given.append(result.get("structuredContent") if isinstance(result, dict) else None)
        return result

    server.middleware.append(look)  # below the one that puts the data back
    async with Client(server, mode=ERAS[era]) as connected:
        got = await connected.call_tool("create_entities", {"entities": [entity("A", "b")]})
        refused = await connected.call_tool("add_observations", {"observations": 5})
    assert got.structured_content == {"entities": [entity("A", "b")]}
    assert refused.is_error
    assert refused.structured_content is None
    assert [one for one in given if one is not None] == [{}]


# --- in and out


def jsonl(*records: dict[str, Any]) -> str:
    return "\n".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in records)


def zkmem(*arguments: str, given: str = "", cwd: str = "") -> subprocess.CompletedProcess[str]:
    return zkmem_command(*arguments, given=given, cwd=cwd)


RECORDS = [
    {"type": "entity", **entity("Ann", "likes tea", "", " x\n", kind="person")},
    {"type": "entity", **entity("a/b")},
    {"type": "entity", **entity("", "", kind="")},
    {"type": "relation", **relation("Ann", "knows", "a/b")},
    {"type": "relation", **relation("Ghost", "", "Ann")},
]


def test_a_memory_of_the_reference_server_goes_in_and_out_without_loss(tmp_path: pathlib.Path) -> None:
    file, vault = tmp_path / "memory.jsonl", str(tmp_path / "vault")
    (tmp_path / "vault").mkdir()
    file.write_text(jsonl(*RECORDS), "utf-8")
    done = zkmem("import", "-C", vault, str(file))
    assert (done.returncode, done.stdout) == (0, "added 5, unchanged 0, not imported 0\n")
    before = read(vault)
    again = zkmem("import", "-C", vault, "--json", str(file))
    assert json.loads(again.stdout) == {"added": 0, "unchanged": 5, "faults": []}
    assert read(vault) == before
    out = zkmem("export", "-C", vault).stdout
    assert sorted(out.split("\n")) == sorted(jsonl(*RECORDS).split("\n"))
    assert out.split("\n")[:3] == jsonl(*RECORDS).split("\n")[:3]
    zkmem("export", "-C", vault, "-o", str(tmp_path / "out.jsonl"))
    assert (tmp_path / "out.jsonl").read_text("utf-8") == out


def test_an_export_replaces_no_file_unless_it_must(tmp_path: pathlib.Path) -> None:
    vault = write(tmp_path / "vault", {"hint.md": "precious", "a.md": "---\nentityType: tea\n---\n"})
    note = os.path.join(vault, "hint.md")
    done = zkmem("export", "-C", vault, "-o", note)
    told = f"Error: The file {note!r} exists; nothing was written. --force replaces it.\n"
    assert (done.returncode, done.stdout, done.stderr) == (4, "", told)
    assert read(vault)["hint.md"] == b"precious"
    assert zkmem("export", "-C", vault, "-o", note, "--force").returncode == 0
    assert b"tea" in read(vault)["hint.md"]


def test_an_export_goes_where_it_can_be_written_and_leaves_nothing_else(tmp_path: pathlib.Path) -> None:
    vault, pipe, folder = (
        write(tmp_path / "vault", {"a.md": "---\nentityType: tea\n---\n"}),
        tmp_path / "pipe",
        tmp_path / "folder",
    )
    folder.mkdir()
    for output, why in [
        (folder / "none" / "x", "No such file or directory"),
        (folder, "Is a directory"),
        ("", "No such file or directory"),
    ]:
        done = zkmem("export", "-C", vault, "-o", str(output), cwd=str(folder))
        told = f"Error: {str(output)!r} cannot be written: {why}.\n"
        assert (done.returncode, done.stdout, done.stderr) == (5, "", told)
    assert list(folder.iterdir()) == []
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert zkmem("export", "-C", vault, "-o", str(pipe)).returncode == 0
    assert pipe.is_fifo()
    assert os.read(end, 1000) != b""
    os.close(end)


def test_bad_lines_are_listed_with_their_numbers_and_the_good_ones_imported(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"bad.md": "---\nentityType: [\n---\n"})
    lines = [
        jsonl(RECORDS[0]),
        "not json",
        "",
        '{"type": "entity", "name": "x"}\r',
        '{"type": "thing"}',
        jsonl({"type": "entity", **entity("bad", "y")}),
        jsonl({"type": "entity", **entity("Ann", "new", "likes tea")}),
    ]
    done = zkmem("import", "-C", str(tmp_path), "-", given="\n".join(lines))
    assert done.returncode == 1
    assert done.stdout == "added 2, unchanged 0, not imported 4\n"
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["line 2", "line 4", "line 5", "line 6"]
    assert "'entityType' is missing" in done.stderr
    graph = call(Memory(str(tmp_path)), "read_graph")
    assert graph["entities"] == [entity("Ann", "likes tea", "", " x\n", "new", kind="person")]


def test_nothing_is_added_where_an_open_fence_would_hide_it(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "---\nentityType: t\n---\n- x\n\n# Code\n```\n- no item\n"}))
    with pytest.raises(Unwritable, match="open code fence"):
        call(memory, "create_relations", relations=[relation("a", "knows", "b")])
    call(memory, "add_observations", observations=[{"entityName": "a", "contents": ["y"]}])
    assert call(memory, "read_graph")["entities"] == [entity("a", "x", "y")]


@pytest.mark.parametrize(
    ("body", "tool", "arguments"),
    [
        (
            "- three %% c\n- four\n%%hidden\n",
            "delete_observations",
            {"deletions": [{"entityName": "a", "observations": ["three %% c"]}]},
        ),
        (
            "- three %% c\n\n## Relations\n\n%%hidden\n- knows [[b]]\n",
            "delete_observations",
            {"deletions": [{"entityName": "a", "observations": ["three %% c"]}]},
        ),
        (
            "## Relations\n- knows %% c [[b]]\n- likes [[c]]\n\n%%hidden\n- likes [[d]]\n",
            "delete_relations",
            {"relations": [relation("a", "knows %% c", "b")]},
        ),
        (
            "## Relations\n- knows %% c [[b]]\n\n## Observations\n\n%%hidden\n- x\n",
            "delete_entities",
            {"entityNames": ["b"]},
        ),
        (
            "- three %% c\n\n%%hidden\n\n## Relations\nno relation:\n- mine\n",
            "delete_entities",
            {"entityNames": ["a"]},
        ),
    ],
)
def test_nothing_is_deleted_if_that_would_hide_or_change_another_item(
    tmp_path: pathlib.Path, body: str, tool: str, arguments: dict[str, Any]
) -> None:
    files = {"a.md": f"---\nentityType: t\n---\n{body}", "b.md": "---\nentityType: t\n---\n- x\n"}
    memory = Memory(write(tmp_path, files))
    before = read(str(tmp_path)), call(memory, "read_graph")
    with pytest.raises(Unwritable, match="hide or change its other items"):
        call(memory, tool, **arguments)
    assert (read(str(tmp_path)), call(memory, "read_graph")) == before


# --- notes that people change


@pytest.mark.parametrize(
    "title", ["# Ann\n", "# Ann\n\n", "\n# Ann Smith #\n\n", "Ann\n===\n\n", "# Ann\n\nA friend.\n\n"]
)
def test_a_title_above_the_observations_hides_none(tmp_path: pathlib.Path, title: str) -> None:
    text = f"---\nentityType: t\n---\n{title}- likes tea\n\n## Relations\n- knows [[Bob]]\n"
    memory = Memory(write(tmp_path, {"Ann.md": text}))
    graph = call(memory, "read_graph")
    assert graph == {"entities": [entity("Ann", "likes tea")], "relations": [relation("Ann", "knows", "Bob")]}
    call(memory, "add_observations", observations=[{"entityName": "Ann", "contents": ["plays chess"]}])
    assert read(str(tmp_path))["Ann.md"].decode() == text.replace("tea\n", "tea\n- plays chess\n")
    observations = ["likes tea", "plays chess"]
    call(memory, "delete_observations", deletions=[{"entityName": "Ann", "observations": observations}])
    call(memory, "add_observations", observations=[{"entityName": "Ann", "contents": ["is new"]}])
    assert call(memory, "open_nodes", names=["Ann"])["entities"] == [entity("Ann", "is new")]
    assert title.strip() in read(str(tmp_path))["Ann.md"].decode()


def test_only_the_first_heading_of_a_part_is_its_title(tmp_path: pathlib.Path) -> None:
    head = "---\nentityType: t\n---\n"
    parts = "# A\n- one\n\n# Later\n- mine\n\n---\n# B\n- two\n"
    memory = Memory(write(tmp_path, {"A.md": head + parts, "C.md": head + "## C\n- mine\n"}))
    assert call(memory, "read_graph")["entities"] == [entity("A", "one", "two"), entity("C")]


@pytest.mark.parametrize("heading", ["## relations", "# Relations", "#### RELATIONS", "##  Relations  ##"])
@pytest.mark.parametrize("above", ["", "- likes tea\n\n", "## observations\n- likes tea\n\n"])
def test_relations_stand_below_their_heading_in_any_case_and_level(
    tmp_path: pathlib.Path, heading: str, above: str
) -> None:
    text = f"---\nentityType: t\n---\n{above}{heading}\n- knows [[Bob]]\n"
    memory = Memory(write(tmp_path, {"Ann.md": text, "Plain.md": f"{heading}\n- knows [[Ann]]\n"}))
    observations = ["likes tea"] if above else []
    graph = call(memory, "read_graph")
    assert graph["entities"] == [entity("Ann", *observations)]
    assert graph["relations"] == [relation("Ann", "knows", "Bob"), relation("Plain", "knows", "Ann")]
    call(memory, "create_relations", relations=[relation("Ann", "met", "Cy")])
    assert read(str(tmp_path))["Ann.md"].decode() == text + "- met [[Cy]]\n"
    call(memory, "delete_relations", relations=[relation("Ann", "met", "Cy"), relation("Ann", "knows", "Bob")])
    assert heading.strip() not in read(str(tmp_path))["Ann.md"].decode()
    assert call(memory, "read_graph")["entities"] == [entity("Ann", *observations)]


# --- notes of others


RAW = "---\ntype: raw\ndescription: d\nentityType: t\n---\n- line 0\n\n## Relations\n- knows [[Bob]]\n\n\n"


def test_a_raw_text_is_no_part_of_the_graph_and_keeps_its_bytes(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"novel.md": RAW}))
    call(memory, "create_entities", entities=[entity("Bob")])
    call(memory, "create_relations", relations=[relation("Bob", "wrote", "novel")])
    for tool, arguments in (
        ("create_entities", {"entities": [entity("Ann"), entity("novel", "x")]}),
        ("create_relations", {"relations": [relation("novel", "about", "Bob")]}),
    ):
        with pytest.raises(Unwritable, match="'novel' is a raw text"):
            call(memory, tool, **arguments)
    with pytest.raises(UnknownEntity):
        call(memory, "add_observations", observations=[{"entityName": "novel", "contents": ["x"]}])
    call(memory, "delete_observations", deletions=[{"entityName": "novel", "observations": ["line 0"]}])
    call(memory, "delete_relations", relations=[relation("novel", "knows", "Bob")])
    wrote = [relation("Bob", "wrote", "novel")]
    assert call(memory, "read_graph") == {"entities": [entity("Bob")], "relations": wrote}
    call(memory, "delete_entities", entityNames=["novel", "Bob"])
    assert read(str(tmp_path)) == {"novel.md": RAW.encode()}


def test_a_note_that_was_changed_by_hand_a_moment_ago_is_not_what_it_was(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    call(memory, "create_entities", entities=[entity("Ann", "x"), entity("Bob", "y")])
    diary = {"Ann.md": "- plain diary\n- of mine\n"}
    write(tmp_path, diary)
    with pytest.raises(Unwritable, match="read-only"):
        call(memory, "delete_observations", deletions=[{"entityName": "Ann", "observations": ["of mine"]}])
    with pytest.raises(Unwritable, match="read-only"):
        call(memory, "delete_entities", entityNames=["Ann"])
    assert read(str(tmp_path))["Ann.md"].decode() == diary["Ann.md"]
    os.remove(tmp_path / "Bob.md")
    assert call(memory, "create_entities", entities=[entity("Bob", "keep me")])["entities"] == [
        entity("Bob", "keep me")
    ]
    assert call(memory, "open_nodes", names=["Bob"])["entities"] == [entity("Bob", "keep me")]
    write(tmp_path, {"Bob.md": "---\nentityType: t\n---\n- by hand\n"})
    assert call(memory, "open_nodes", names=["Bob"])["entities"] == [entity("Bob", "by hand")]
    write(tmp_path, {"Bob.md": "---\nentityType: [\n---\n- by hand\n"})
    call(memory, "delete_entities", entityNames=["Bob"])
    with pytest.raises(UnknownEntity):
        call(memory, "add_observations", observations=[{"entityName": "Bob", "contents": ["z"]}])
    assert b"by hand" in read(str(tmp_path))["Bob.md"]


def test_the_time_of_creation_that_a_person_gave_stays(tmp_path: pathlib.Path) -> None:
    text = "---\ncreated: 2019-05-04\ntags: [x]\n---\nMy friend.\n"
    memory = Memory(write(tmp_path, {"Ann.md": text}))
    call(memory, "create_entities", entities=[entity("Ann", "x")])
    assert b"created: 2019-05-04\n" in read(str(tmp_path))["Ann.md"]
    call(memory, "delete_entities", entityNames=["Ann"])
    assert read(str(tmp_path)) == {"Ann.md": text.encode()}


def test_lines_that_are_no_relations_are_never_taken_for_any(tmp_path: pathlib.Path) -> None:
    mine = [
        "Mum phoned about [[Bob]] and I cried\n  (never told)",
        "knows [[Bob]] ^id",
        "[[Bob]], [[Cy]]",
        "a [Bob](Bob.md)",
    ]
    lines = "".join(f"- {line}\n" for line in mine)
    memory = Memory(write(tmp_path, {"Diary.md": f"## Relations\n{lines}- knows [[Bob]]\n"}))
    call(memory, "create_entities", entities=[entity("Bob")])
    assert call(memory, "read_graph")["relations"] == [relation("Diary", "knows", "Bob")]
    call(memory, "delete_entities", entityNames=["Bob"])
    assert read(str(tmp_path)) == {"Diary.md": f"## Relations\n{lines}".encode()}


@pytest.mark.parametrize(
    ("body", "observations"),
    [
        ("- a\n- b\n\t- child of b\n", ["a", "b\n- child of b"]),
        ("- b is\nlong line\n", ["b is\nlong line"]),
        ("````\n```\n- code\n````\n- a\n", ["a"]),
        ("```\n```python\n- code\n```\n- a\n", ["a"]),
        ("%%\n- hidden\n%%\n\n- a\n", ["a"]),
        ("<!--\n- hidden\n-->\n\n- a\n", ["a"]),
        ("- a\n\nTitle\n=====\n- other\n", ["a"]),
        ("- a\n\nText\n-\n", ["a"]),
        ("- a\n\n1. one\n---\n- b\n", ["a", "b"]),
        ("- a\n - b\n", ["a", "b"]),
        ("<div>\n- hidden\n\n- a\n", ["a"]),
        ("Observations\n---\n- a\n", ["a"]),
        ("- a\n\n* * *\n\n- - -\n", ["a"]),
        ("- a\r\n- b\n", ["a", "b"]),
        ("1. one\n2. two\n", []),
    ],
)
def test_only_list_items_are_observations_and_new_ones_stand_below_them(
    tmp_path: pathlib.Path, body: str, observations: list[str]
) -> None:
    memory = Memory(write(tmp_path, {"a.md": f"---\nentityType: t\n---\n{body}"}))
    assert call(memory, "read_graph")["entities"] == [entity("a", *observations)]
    call(memory, "add_observations", observations=[{"entityName": "a", "contents": ["new"]}])
    assert call(memory, "read_graph")["entities"] == [entity("a", *observations, "new")]
    call(memory, "delete_observations", deletions=[{"entityName": "a", "observations": ["new"]}])
    text = read(str(tmp_path))["a.md"].decode()
    assert [line for line in text.split("\n") if line] == [
        line for line in f"---\nentityType: t\n---\n{body}".split("\n") if line
    ]


def test_two_entities_that_are_merged_are_one_with_all_that_both_had(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    call(memory, "create_entities", entities=[entity("A", "a1", "met [[C]]"), entity("B", "b1"), entity("C")])
    call(memory, "create_relations", relations=[relation("A", "knows", "C"), relation("B", "likes", "C")])
    memory.rename("A", "B", merge=True)
    graph = call(memory, "read_graph")
    assert graph["entities"] == [entity("B", "b1", "a1", "met [[C]]"), entity("C")]
    assert sorted(map(json.dumps, graph["relations"])) == sorted(
        map(json.dumps, [relation("B", "likes", "C"), relation("B", "knows", "C")])
    )


def test_the_name_property_of_a_persons_note_is_not_ours(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"recipe.md": "---\nname: Pancakes\n---\nyum\n", "T1.md": "---\nname:\n---\nx\n"}))
    call(memory, "create_entities", entities=[entity("recipe"), entity("T1"), entity("a/b")])
    assert set(read(str(tmp_path))) == {"recipe.md", "T1.md", "a%2Fb.md"}
    memory.rename("a%2Fb", "Nice")
    names = [one["name"] for one in call(memory, "read_graph")["entities"]]
    assert names == ["recipe", "T1", "Nice"]


def test_one_note_that_nobody_understands_leaves_out_no_other(tmp_path: pathlib.Path) -> None:
    files = {f"F{number}.md": "---\nentityType: t\n---\n- fine\n" for number in range(6)}
    files["F2.md"] = "---\nx: " + "[" * 900 + "]" * 900 + "\nentityType: t\n---\n"
    files["F3.md"] = '---\nentityType: t\n---\n\n## Relations\n- x [[y]] %%{"a":' + "[" * 100_000 + "}%%\n"
    files["F4.md"] = '---\nentityType: t\n---\n- "\\ud800"\n'
    memory = Memory(write(tmp_path, files))
    memory.load()
    os.remove(tmp_path / "F0.md")
    os.symlink("/etc/passwd", tmp_path / "F0.md")
    for _ in range(2):
        names = [one["name"] for one in call(memory, "read_graph")["entities"]]
        assert [name for name in names if name not in {"F0", "F2"}] == ["F1", "F3", "F4", "F5"]
    assert json.dumps(call(memory, "read_graph"), ensure_ascii=False).encode()


def test_notes_without_a_type_are_entities_of_the_type_note(tmp_path: pathlib.Path) -> None:
    files = {
        "tea.md": "---\ntags: [x]\n---\n# Tea\n\nGreen tea,\nsteeped with [[Ann]].\n- a\n  b\n",
        "people/Ann.md": "Drinks oolong.\n",
        "raw.md": "---\ntype: raw\n---\noolong\n",
        "bad.md": "---\nx: [\n---\noolong\n",
        "empty.md": "\n",
    }
    memory = Memory(write(tmp_path, files))
    call(memory, "create_entities", entities=[entity("Bob", "likes oolong")])
    call(memory, "create_relations", relations=[relation("Bob", "knows", "Ann"), relation("Nobody", "is", "here")])
    before = read(tmp_path)
    tea = entity("tea", "# Tea", "Green tea,", "steeped with [[Ann]].", "a\nb", kind="note")
    ann = entity("Ann", "Drinks oolong.", kind="note")
    bob = entity("Bob", "likes oolong")
    knows = relation("Bob", "knows", "Ann")
    assert call(memory, "search_nodes", query="OOLONG") == {"entities": [bob, ann], "relations": [knows]}
    assert call(memory, "open_nodes", names=["Ann", "tea", "Nobody", "raw"]) == {
        "entities": [ann, tea], "relations": [knows]
    }  # fmt: skip
    assert call(memory, "open_nodes", names=["people/Ann"])["entities"] == [ann]
    graph = call(memory, "read_graph")
    assert graph["entities"][0] == bob
    assert sorted(one["name"] for one in graph["entities"][1:]) == ["Ann", "tea"]
    assert sorted(graph["relations"], key=str) == sorted([knows, relation("Nobody", "is", "here")], key=str)
    assert call(memory, "search_nodes", query="")["entities"] == graph["entities"]
    exported = [json.loads(line)["name"] for line in export_graph(memory) if '"entity"' in line]
    assert exported == ["Bob"]
    with pytest.raises(Unwritable, match="read-only here"):
        call(memory, "delete_entities", entityNames=["Bob", "tea"])
    with pytest.raises(Unwritable, match="read-only here"):
        call(memory, "delete_observations", deletions=[{"entityName": "tea", "observations": ["Green tea,"]}])
    call(memory, "delete_observations", deletions=[{"entityName": "tea", "observations": ["not there"]}])
    assert read(tmp_path) == before


def test_a_name_of_several_notes_without_a_type_is_refused_where_one_would_change(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a/Bank.md": "Of a river.\n", "b/Bank.md": "Of money.\n"}))
    before = read(tmp_path)
    with pytest.raises(Unwritable, match="several notes without `entityType`: a/Bank, b/Bank"):
        call(memory, "add_observations", observations=[{"entityName": "Bank", "contents": ["closes at 5 pm"]}])
    assert read(tmp_path) == before


def test_a_note_without_a_type_gets_observations_and_stays_one(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"tea.md": "Green.\n"}))
    new = {"entityName": "tea", "contents": ["hot", "Green.", "cold"]}
    added = call(memory, "add_observations", observations=[new])
    assert added == {"results": [{"entityName": "tea", "addedObservations": ["hot", "cold"]}]}
    assert read(tmp_path)["tea.md"] == b"Green.\n\n## Observations\n- hot\n- cold\n"
    call(memory, "create_relations", relations=[relation("tea", "is", "nice")])
    assert call(memory, "open_nodes", names=["tea"]) == {
        "entities": [entity("tea", "Green.", "hot", "cold", kind="note")], "relations": [relation("tea", "is", "nice")]
    }  # fmt: skip
    with pytest.raises(Unwritable):
        call(memory, "delete_observations", deletions=[{"entityName": "tea", "observations": ["hot", "Green."]}])
    call(memory, "delete_observations", deletions=[{"entityName": "tea", "observations": ["hot"]}])
    assert b"\n- cold\n" in read(tmp_path)["tea.md"]
    assert b"hot" not in read(tmp_path)["tea.md"]
    assert call(memory, "create_entities", entities=[entity("tea", kind="drink")])["entities"]
    assert call(memory, "open_nodes", names=["tea"])["entities"] == [entity("tea", "cold", kind="drink")]


def test_of_many_notes_without_a_type_an_answer_has_few(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {f"n{number}.md": "tea\n" * 5_000 for number in range(50)}))
    for tool, arguments in (
        ("read_graph", {}), ("search_nodes", {"query": "tea"}),
        ("open_nodes", {"names": [f"n{number}" for number in range(50)]}),
    ):  # fmt: skip
        answer = TOOLS[tool].call(memory, arguments)
        entities: Any = answer.data["entities"]
        assert len(entities) == 20
        assert entities[0]["observations"][-1] == "(cut here: the note is longer)"
        assert len(answer.texts[0]) < 500_000


def test_of_a_long_note_without_a_type_the_beginning_is_read(tmp_path: pathlib.Path) -> None:
    relations = "- knows [[Bob]]\n" * 2_000
    files = {
        "long.md": "- item\n" * 300_000,
        "hub.md": f"## Relations\n{relations}\n# Text\nbelow\n",
        "line.md": "x" * 20_000,
        "item.md": "- first\n" + "  more\n" * 3_000 + "- last\n",
    }
    memory = Memory(write(tmp_path, files))
    long, hub, line, item = call(memory, "open_nodes", names=["long", "hub", "line", "item"])["entities"]
    cut = "(cut here: the note is longer)"
    assert long["observations"] == ["item"] * 1_000 + [cut]
    assert hub["observations"] == ["# Text", "below"]
    assert line["observations"] == ["x" * 4_000 + " (cut here)", cut]
    assert (item["observations"][0][:10], item["observations"][1:]) == ("first\nmore", [cut])
    call(memory, "add_observations", observations=[{"entityName": "item", "contents": ["last", "new"]}])
    assert read(tmp_path)["item.md"].decode() == files["item.md"] + "\n## Observations\n- new\n"


def test_a_time_at_the_end_of_the_world_stops_nobody(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "---\nentityType: t\ncreated: 9999-12-31T23:59:59.999999Z\n---\n"}))
    assert call(memory, "create_entities", entities=[entity("b")])["entities"]


def test_a_property_that_cannot_be_set_alone_is_not_set(tmp_path: pathlib.Path) -> None:
    text = "---\nentityType: &d t\nmodified: *d\n---\ntext\n"
    memory = Memory(write(tmp_path, {"a.md": text}))
    with pytest.raises(Unwritable, match="'a' cannot be edited"):
        call(memory, "delete_entities", entityNames=["a"])
    assert read(str(tmp_path))["a.md"].decode() == text


def test_a_busy_vault_is_no_fault_of_the_lines(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZKMEM_LOCK_TIMEOUT", "0")
    memory = Memory(str(tmp_path))
    with engine(memory).journal.hold():
        done = zkmem("import", "-C", str(tmp_path), "-", given=jsonl(*RECORDS))
    assert done.returncode == 4
    assert "line 1" not in done.stderr


def test_a_disk_that_refuses_is_no_fault_of_the_lines(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {".zkmem/journal": "no folder\n"})
    done = zkmem("import", "-C", str(tmp_path), "-", given=jsonl(*RECORDS))
    assert done.returncode == 5
    assert "line 1" not in done.stderr


def test_half_a_character_is_refused_or_listed(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    with pytest.raises(BadArgument, match="half a character"):
        call(memory, "create_entities", entities=[entity("\ud800")])
    lines = ['{"type":"entity","name":"\\ud800","entityType":"t","observations":[]}', jsonl(RECORDS[0])]
    done = zkmem("import", "-C", str(tmp_path), "-", given="\n".join(lines))
    assert (done.returncode, done.stdout) == (1, "added 1, unchanged 0, not imported 1\n")
    assert "line 1: it holds half a character" in done.stderr


_PLAIN_LINES = ["- a", "- b", "- r [[x]]", "- s [[y]]", "", "## Relations", "### relations", "## Observations"]


@given(st.lists(st.sampled_from(_PLAIN_LINES)), st.sets(st.integers(0, 5)))
def test_no_item_of_a_plain_note_changes_when_relations_go(lines: list[str], picked: set[int]) -> None:
    layout = Layout.of("\n".join(lines))
    if not layout.is_plain:
        return
    gone = [item for number, item in enumerate(layout.relations.items) if number in picked]
    rest = Layout.of(layout.without(gone))
    assert [item.text for item in rest.observations.items] == [item.text for item in layout.observations.items]
    left = [item.text for item in layout.relations.items if item not in gone]
    assert [item.text for item in rest.relations.items] == left
