"""What a search does with links: the notes that its hits link to, and hits near a note."""

import json
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import httpx2
import networkx as nx
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks import linked
from tests.tools.servers import http_server
from tests.tools.vaults import read, write
from zkmem.caller import Caller, Grant
from zkmem.cli.group import cli
from zkmem.cli.tokens import tokens_of
from zkmem.errors import AmbiguousName, BadArgument, UnknownNote
from zkmem.index.graph import LinkGraph
from zkmem.memory import Memory
from zkmem.search.search import best_linked, within_two_links
from zkmem.toolsets.table import TOOLSETS

FAR = "padding " * 60  # so that a link stands in no snippet
VAULT = {
    "first.md": f"quince quince quince {FAR} [[once]] [[twice]] [[gone]] [[second]] ![[a.png]]\n",
    "second.md": f"quince quince {FAR} [[twice]] [[first]] [a table](data.csv)\n",
    "third.md": f"quince jelly [[shown]] {FAR} [[last]] [[folder/inside]] [[shown]]\n",
    "once.md": "1\n",
    "twice.md": "2\n",
    "shown.md": "3\n",
    "last.md": "4\n",
    "folder/inside.md": "5\n",
    "a.png": "",
    "data.csv": "",
}


@pytest.fixture(name="memory")
def opened(tmp_path: pathlib.Path) -> Memory:
    return Memory(write(tmp_path / "vault", VAULT))


def names(memory: Memory, query: str, **arguments: object) -> list[str]:
    return [hit.name for hit in memory.search(query, **arguments)]  # type: ignore[arg-type]


def test_an_answer_names_the_notes_that_its_hits_link_to(memory: Memory) -> None:
    hits = memory.search("quince", linked=8)
    assert [hit.name for hit in hits] == ["first", "second", "third"]
    assert hits.linked == ["twice", "once", "last", "folder/inside"], "no hit, no missing note, no file, none shown"
    assert memory.search("quince", linked=2).linked == ["twice", "once"]
    assert memory.search("quince").linked == []
    assert memory.search("quince", 1, linked=8).linked == ["once", "twice", "second"]
    assert memory.search("nothing of this", linked=8).linked == []
    with pytest.raises(BadArgument):
        memory.search("quince", linked=-1)


def test_where_no_text_is_shown_all_links_are_named(memory: Memory) -> None:
    assert memory.linked([("third.md", "")]) == ["shown", "last", "folder/inside"]
    assert memory.linked([("third.md", "jelly [[shown]]")]) == ["last", "folder/inside"]
    assert memory.linked([("third.md", "jelly [[show")]) == ["shown", "last", "folder/inside"], "a cut link names none"


def test_linked_notes_are_in_the_folders_of_the_search(memory: Memory, tmp_path: pathlib.Path) -> None:
    write(tmp_path / "vault", {"folder/hit.md": f"medlar {FAR} [[once]] [[folder/inside]] [[last]]\n"})
    assert memory.search("medlar", linked=8).linked == ["once", "folder/inside", "last"]
    assert memory.search("medlar", folders=["Folder"], linked=8).linked == ["folder/inside"]
    assert memory.search("quince", without=["folder"], linked=8).linked == ["twice", "once", "last"]


def test_only_the_first_links_of_a_hit_are_looked_at() -> None:
    links = graph({"hub": [f"n{number}" for number in range(10_000)], "b": ["n9999", "n5"]})
    assert best_linked(links, ["hub.md", "b.md"])[0] == "n5.md"
    assert len(best_linked(links, ["hub.md"])) == 100
    assert best_linked(links, ["unknown.md"]) == []


def test_a_link_of_a_better_hit_counts_more() -> None:
    links = graph({"a": ["x"], "b": ["y"], "c": ["z", "y", "w"], "d": ["z", "w"]})
    assert best_linked(links, [f"{one}.md" for one in "abcd"]) == ["y.md", "z.md", "w.md", "x.md"]


def graph(links: dict[str, list[str]]) -> LinkGraph:
    made = LinkGraph()
    nodes = dict.fromkeys([*links, *(target for targets in links.values() for target in targets)])
    made.fill(
        [f"{node}.md" for node in nodes], [(f"{node}.md", [f"{one}.md" for one in links[node]]) for node in links]
    )
    return made


def test_a_note_with_very_many_links_is_near_some_of_them() -> None:
    links = graph({f"n{number}": ["hub"] for number in range(20_000)} | {"hub": ["a"], "a": ["b"]})
    near = within_two_links(links, "hub.md", lambda _: True)
    assert {"hub.md", "a.md", "b.md"} < near
    assert len(near) < 5_000
    assert {"a.md", "hub.md", "b.md"} < within_two_links(links, "a.md", lambda _: True)


LETTERS = "abcdefgh"
EDGES = st.lists(st.tuples(st.sampled_from(LETTERS), st.sampled_from([*LETTERS, "m", "p.png"])), max_size=14)


def texts(edges: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Notes that link to each other, to the missing note `m` and to a picture; those early in the alphabet are best."""
    links = {one: " ".join(f"[[{target}]]" for source, target in edges if source == one) for one in LETTERS}
    notes = {f"{one}.md": f"{'plum ' * (9 - place)}{links[one]}\n" for place, one in enumerate(LETTERS)}
    return notes | {"p.png": ""}


@given(EDGES, st.sampled_from(LETTERS), st.integers(1, 9), st.sampled_from(["plum", "path:md", "plum -path:d.", "zzz"]))
@example([("h", "p.png"), ("g", "p.png")], "h", 9, "plum")
def test_hits_near_a_note_come_first_and_each_group_keeps_its_order(
    folder_of_test: pathlib.Path, edges: list[tuple[str, str]], near: str, limit: int, query: str
) -> None:
    memory = Memory(write(folder_of_test, texts(edges)), durable=False)
    whole = names(memory, query, limit=9)
    links = nx.Graph([(near, near), *(edge for edge in edges if edge[1] != "p.png")])  # a picture makes no notes near
    close = set(nx.ego_graph(links, near, radius=2))
    expected = [one for one in whole if one in close] + [one for one in whole if one not in close]
    assert names(memory, query, limit=limit, near=near) == expected[:limit]
    memory.close()


@pytest.fixture(name="folder_of_test", scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return tmp_path_factory.mktemp("near") / "vault"


def test_a_note_near_is_found_though_very_many_match_better(tmp_path: pathlib.Path) -> None:
    files = {f"n{number}.md": "plum plum plum\n" for number in range(200)}
    memory = Memory(write(tmp_path, files | {"a.md": "[[z]]\n", "z.md": f"one plum {FAR}\n"}))
    assert "z" not in names(memory, "plum")
    assert names(memory, "plum", near="a")[0] == "z"


def test_links_of_notes_that_are_left_out_make_no_note_near(tmp_path: pathlib.Path) -> None:
    files = {
        "a.md": "plum plum plum",
        "b.md": "plum tree",
        "home.md": "start",
        "knowledge_vault/s.md": "[[home]] [[b]]",
    }
    memory = Memory(write(tmp_path, files))
    tool = next(tool for tool in TOOLSETS["mirix"].tools if tool.name == "memory_search")
    for near in ("home", "knowledge_vault/s"):
        assert names(memory, "plum", near=near) == ["b", "a"]
        assert names(memory, "plum", near=near, without=["knowledge_vault"]) == ["a", "b"]
        assert tool.call(memory, {"query": "plum", "near": near}).texts[0].startswith("a ")


def test_a_name_for_near_that_does_not_exist_gets_the_usual_sentence(memory: Memory, tmp_path: pathlib.Path) -> None:
    with pytest.raises(UnknownNote, match=r"There is no note 'twise'. Nearest names: twice"):
        memory.search("quince", near="twise")
    write(tmp_path / "vault", {"x/n.md": "", "y/n.md": ""})
    with pytest.raises(AmbiguousName):
        memory.search("quince", near="n")
    assert names(memory, "quince", near="[[once]]") == ["first", "second", "third"], "a link is a name, too"


FOLDERS = st.lists(
    st.tuples(st.sampled_from(LETTERS), st.sampled_from([*LETTERS, *(f"out/{one}" for one in LETTERS)])), max_size=20
)


@settings(max_examples=40)
@given(FOLDERS, FOLDERS, st.sampled_from(LETTERS))
def test_a_caller_with_a_folder_gets_what_a_vault_of_that_folder_gives(
    folder_of_test: pathlib.Path, inside: list[tuple[str, str]], outside: list[tuple[str, str]], near: str
) -> None:
    def notes(folder: str, edges: list[tuple[str, str]]) -> dict[str, str]:
        texts_of = {one: " ".join(f"[[/{_placed(to)}]]" for source, to in edges if source == one) for one in LETTERS}
        return {f"{folder}/{one}.md": f"{'plum ' * (ord('i') - ord(one))}{FAR}{texts_of[one]}" for one in LETTERS}

    alone = write(folder_of_test.parent / "alone", notes("in", inside))
    both = write(folder_of_test.parent / "both", notes("in", inside) | notes("out", outside))
    whole, part = Memory(alone, durable=False), Memory(both, durable=False)
    limited = part.restricted(Grant("in"))
    for name in ("", near, f"in/{near}"):
        hits, same = (one.search("plum", 3, near=name, linked=8) for one in (limited, whole))
        assert [hit.name for hit in hits] == [hit.name for hit in same]
        assert hits.linked == same.linked
        assert all(name.startswith("in/") for name in hits.linked)
    with pytest.raises(UnknownNote, match=r"There is no note 'out/a'(?!.*: .*out/a)"):
        limited.search("plum", near="out/a")
    whole.close()
    part.close()


def _placed(name: str) -> str:
    return name if "/" in name else f"in/{name}"


def test_the_command_shows_linked_notes_and_takes_near(memory: Memory) -> None:
    def run(*arguments: str) -> str:
        return CliRunner().invoke(cli, ["search", "--vault", str(memory.vault), *arguments]).output

    assert run("quince").endswith("\nLinked from these: twice, once, last, folder/inside\n")
    assert "Linked" not in run("quince", "--linked", "0")
    assert json.loads(run("quince", "--linked", "1", "--json"))["linked"] == ["twice"]
    assert re.findall(r"(?m)^\w+", run("quince", "--near", "last"))[0] == "third"
    refused = CliRunner().invoke(cli, ["search", "--vault", str(memory.vault), "quince", "--near", "lasst"])
    assert "There is no note 'lasst'. Nearest names: last" in str(refused.exception)


def test_the_tools_name_linked_notes(memory: Memory) -> None:
    tools = {tool.name: tool for one in ("mirix", "connector") for tool in TOOLSETS[one].tools}
    said = tools["memory_search"].call(memory, {"query": "quince"})
    assert said.texts[0].splitlines()[-1] == "linked from these: twice, once, last, folder/inside"
    assert said.data["linked"] == ["twice", "once", "last", "folder/inside"]
    near = tools["memory_search"].call(memory, {"query": "quince", "near": "last"})
    assert near.texts[0].startswith("third ")
    with pytest.raises(UnknownNote, match="Nearest names: last"):
        tools["memory_search"].call(memory, {"query": "quince", "near": "lasst"})
    found = tools["search"].call(memory, {"query": "quince"})
    assert found.data["linked"] == ["twice", "once", "shown", "last", "folder/inside"], "its answers show no text"
    for name in ("memory_search", "search"):
        silent = tools[name].configured({"search_linked": 0}).call(memory, {"query": "quince"})
        assert "linked" not in silent.data
        assert "linked from" not in silent.texts[0]


def test_memory_search_names_no_note_of_a_type_that_it_does_not_search(tmp_path: pathlib.Path) -> None:
    files = {
        "semantic/hit.md": f"quince {FAR} [[secret]] [[entry]] [[episodic/day]] [[plain]]\n",
        "elsewhere/secret.md": "---\nmemory_type: knowledge_vault\n---\nx\n",
        "knowledge_vault/entry.md": "x\n",
        "episodic/day.md": "x\n",
        "plain.md": "x\n",
    }
    tool = next(tool for tool in TOOLSETS["mirix"].tools if tool.name == "memory_search")
    memory = Memory(write(tmp_path, files))

    def linked(*types: str) -> object:
        return tool.call(memory, {"query": "quince", "memory_types": [*types]}).data.get("linked", [])

    assert linked() == ["episodic/day", "plain"]
    assert linked("semantic", "episodic") == ["episodic/day"]
    assert linked("semantic", "knowledge_vault") == ["elsewhere/secret", "knowledge_vault/entry"]


def test_search_topics_names_the_other_topics_that_those_found_link_to(tmp_path: pathlib.Path) -> None:
    text = (
        "## Pests\n- quince moths, [[shown]]\n## More\n- [[pears]] [[plain]] [[agents/bob/topics/secret]] [[shown]]\n"
    )
    files = {"topics/trees.md": text, "topics/pears.md": "p\n", "topics/shown.md": "s\n", "plain.md": "x\n"}
    memory = Memory(
        write(tmp_path, files | {"agents/bob/topics/secret.md": "b\n", "agents/bob/relationship.md": "r\n"})
    )
    tool = next(tool for tool in TOOLSETS["text"].tools if tool.name == "search_topics")
    said = tool.call(memory, {"keywords": ["quince"]})
    assert said.texts[1:] == ("linked from these: pears",)
    assert tool.call(memory, {"keywords": ["quince"], "agent_id": "bob"}).data["linked"] == [
        "pears",
        "agents/bob/topics/secret",
    ]
    assert tool.configured({"search_linked": 0}).call(memory, {"keywords": ["quince"]}).texts[1:] == ()


def test_the_connector_names_a_caller_with_a_folder_no_note_outside(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"in/a.md": f"quince {FAR} [[out/b]] [[in/c]]\n", "in/c.md": "", "out/b.md": ""})
    memory = Memory(str(tmp_path), Caller(Grant("in")))
    tool = next(tool for tool in TOOLSETS["connector"].tools if tool.name == "search")
    assert tool.call(memory, {"query": "quince"}).data["linked"] == ["in/c"]


def test_a_token_for_a_folder_gets_no_name_outside_of_it_over_http(tmp_path: pathlib.Path) -> None:
    files = {
        "in/a.md": f"quince medlar {FAR} [[out/b]] [[in/c]]\n",
        "in/c.md": "quince\n",
        "out/b.md": f"{FAR} [[in/c]]\n",
    }
    vault = write(tmp_path / "vault", files | {"in/d.md": "quince quince\n"})
    tokens = {"": tokens_of(vault).add("all"), "in": tokens_of(vault).add("some", folder="in")}
    with http_server(vault, "zettel,connector") as url:

        def answer(folder: str, **query: str | int) -> dict[str, Any]:
            path, headers = url.replace("/mcp", "/api/search"), {"Authorization": f"Bearer {tokens[folder]}"}
            got: dict[str, Any] = httpx2.get(path, params={"q": "quince", **query}, headers=headers, timeout=30).json()
            return got

        assert answer("", q="medlar")["linked"] == ["out/b", "in/c"]
        assert answer("in", q="medlar")["linked"] == ["in/c"]
        assert answer("in", q="medlar", linked=0)["linked"] == []
        assert [hit["name"] for hit in answer("in", near="c")["hits"]][-1] == "in/d"
        refused = answer("in", near="b")["error"]
        assert (refused["kind"], "out/b" in refused["message"]) == ("UnknownNote", False)


def test_the_benchmark_of_linked_notes_asks_what_it_says(tmp_path: pathlib.Path) -> None:
    files = {
        "source.md": "Our old medlar tree is described in [[answer]].\n",
        "hit.md": f"A medlar tree, old and tall. {FAR} [[answer]] [[source]]\n",
        "seen.md": "One old tree, [[shown]].\n",
        "other.md": "The old tree is in another note, [[shown]].\n",
        "answer.md": "Mespilus germanica.\n",
        "shown.md": "Tilia.\n",
    }
    vault = write(tmp_path, files)
    with Memory(vault) as memory:
        asked = {(one.source, *one.answers): one for one in linked.questions(memory)}
        assert asked["source", "answer"].text == "Our old medlar tree is described in  ."
        outcomes = linked.ask(memory, [asked["source", "answer"], asked["other", "shown"]])
    answered = {str(kind): [one.answered for one in of] for kind, of in zip(linked.KINDS, outcomes, strict=True)}
    assert answered["10 hits, no passages"] == [False, False]
    assert answered["10 hits"] == [False, True]
    assert answered["10 hits, 5 names"] == answered["10 hits, no passages, 5 names"] == [True, True]
    lines = list(linked.report("a vault", outcomes))
    assert "2 questions" in lines[0]
    assert "50.0%" in lines[5]
    assert "+50.0" in lines[6]


def test_the_benchmark_of_linked_notes_runs_from_the_command_line(tmp_path: pathlib.Path) -> None:
    write(tmp_path / "vault", {"a.md": "One two three four [[b]].\n", "b.md": "two\n"})
    write(tmp_path / "plain", {"documents.jsonl": '{"id": "1", "title": "t", "text": "one"}\n'})
    write(tmp_path / "plain", {"questions.jsonl": '{"question": "one?", "category": "c", "gold": ["1"]}\n'})
    command = [sys.executable, "-m", "benchmarks.linked", str(tmp_path / "vault"), "--plain", str(tmp_path / "plain")]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert told.count(": 1 questions") == 2
    assert read(tmp_path / "vault").keys() == {"a.md", "b.md"}
