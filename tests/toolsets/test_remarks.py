"""What an edit says that matters to a memory: a note that nothing links to, and one of the same last name."""

import pathlib
from collections.abc import Callable, Sequence

import pytest

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.errors import BadArgument, Unwritable
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS

TOOLS = {tool.name: tool for tool in TOOLSETS["zettel"].tools}
FILES = {
    "hint.md": "[[in/a]]\n",
    "in/a.md": "[[in/b]] [[in/c]] [[in/gone]] [[out/Maria]]\n",
    "in/b.md": "[[in/b]]\n",
    "in/c.md": "[[in/c]]\n",
    "out/Maria.md": "xyzzy [[in/c]] [[in/new]]\n",
}


@pytest.fixture
def memory(tmp_path: pathlib.Path) -> Memory:
    return Memory(write(tmp_path, FILES), durable=False)


def said(memory: Memory, tool: str, **arguments: object) -> str:
    """Return what a tool says, without the etags."""
    text = TOOLS[tool].call(memory, arguments).texts[0]
    return "; ".join(part for part in text.split("; ") if "etag" not in part)


def test_a_note_that_nothing_links_to_is_said_to_be_one(memory: Memory) -> None:
    assert said(memory, "set_content", name="x", content="[[x]]") == "created x; nothing links to x yet"
    assert said(memory, "set_content", name="x", content="more", append=True) == "appended x; nothing links to x yet"
    assert said(memory, "set_content", name="hint", content=" [[x]]", append=True) == "appended hint"
    assert said(memory, "set_content", name="x", content="else") == "replaced x"
    assert said(memory, "set_content", name="in/new", content="a") == "created in/new", "Maria links to it"


def test_the_last_link_to_a_note_that_an_edit_takes_away_is_named(memory: Memory) -> None:
    change = {"name": "in/a", "content": "[[in/c]]", "old": "[[in/b]] [[in/c]] [[in/gone]] [[out/Maria]]"}
    assert said(memory, "set_content", **change) == "changed in/a; no longer linked: in/b, out/Maria"
    assert said(memory, "set_content", name="in/a", content="none") == "replaced in/a", "Maria links to c still"
    memory.undo(2)
    assert said(memory, "rename_content", name="in/a", new_name="in/d") == "moved in/a to in/d; links updated in: hint"
    gone = said(memory, "delete_content", name="in/d")
    assert gone == "moved in/d to .trash/d.md; now broken links in: hint; no longer linked: in/b, out/Maria"


def test_a_passage_that_is_moved_takes_no_link_away(memory: Memory) -> None:
    moved = said(memory, "extract_content", name="in/a", content="[[in/b]] [[in/c]]", new_name="in/e")
    assert moved.startswith("created in/e")
    assert "no longer" not in moved


def test_another_note_of_the_same_last_name_is_named(memory: Memory) -> None:
    write(memory.vault, {"people/maria.md": ""})
    memory.wait_ready()
    text = said(memory, "set_content", name="in/Maria", content="[[in/a]]")
    assert text.endswith("other notes are called Maria: out/Maria, people/maria")
    assert "called" not in said(memory, "set_content", name="in/Maria", content="again")
    assert said(memory, "set_content", name="k/b", content="x").endswith("another note is called b: in/b")


def test_a_caller_with_a_folder_learns_nothing_of_notes_outside(memory: Memory) -> None:
    confined = memory.restricted(Grant("in"))
    assert said(confined, "set_content", name="in/Maria", content="x") == (
        "created in/Maria; nothing links to in/Maria yet"
    )
    assert said(confined, "set_content", name="in/new", content="a") == "created in/new; nothing links to in/new yet"
    change = {"name": "in/a", "content": "none", "old": "[[in/b]] [[in/c]] [[in/gone]] [[out/Maria]]"}
    assert said(confined, "set_content", **change).endswith("no longer linked: in/b, in/c")


def test_suggestions_begin_with_the_notes_in_conflict(tmp_path: pathlib.Path) -> None:
    conflict = "x\n\n> [!conflict] laptop\n> y\n"
    files = {"hint.md": "[[b]] [[a]] [[in/c]]", "b.md": conflict, "a.md": conflict, "in/c.md": conflict}
    root = write(tmp_path, {**files, "code.md": f"```\n{conflict}```\n", "p.excalidraw.md": conflict})
    advice = "Two versions, keep what is right and delete the callout [!conflict]: "

    def suggested(memory: Memory, **arguments: object) -> list[str]:
        return TOOLS["get_suggestions"].call(memory, {"threshold": 9, **arguments}).texts[0].splitlines()

    for _ in range(2):  # the second time from the cache
        memory = Memory(root)
        first, second, *ranked = suggested(memory)
        assert (first, second) == (advice + "a, b, in/c", "Nothing links to: code")
        assert len(ranked) == 5, "those in conflict keep their places"
        assert suggested(memory, count=2)[0] == advice + "a, b and 1 more"
        assert suggested(memory.restricted(Grant("in")))[0] == advice + "in/c"
        assert TOOLS["get_suggestions"].call(memory, {}).data["conflicts"] == ["a", "b", "in/c"]
        memory.close()
    memory = Memory(root)
    memory.resolve("in/c")
    assert suggested(memory.restricted(Grant("in")))[0] == "Nothing links to: in/c"
    write(tmp_path, {"a.md": "x", "b.md": "y"})
    memory.wait_ready()
    assert suggested(memory)[0] == "Nothing links to: code"


def test_suggestions_begin_with_the_notes_that_nothing_links_to(tmp_path: pathlib.Path) -> None:
    files = {"hint.md": "[[a]]", "a.md": "x", "b.md": "[[b]]", "c.md": "long " * 9, "empty.md": "", "in/d.md": "x"}
    memory = Memory(write(tmp_path, {**files, "out.md": "[[in/d]]", "p.excalidraw.md": "{}"}))
    first, *rest = TOOLS["get_suggestions"].call(memory, {}).texts[0].splitlines()
    assert first == "Nothing links to: c, out, b"
    assert rest == []
    assert TOOLS["get_suggestions"].call(memory, {"count": 2}).texts[0] == "Nothing links to: c, out and 1 more"
    assert TOOLS["get_suggestions"].call(memory.restricted(Grant("in")), {}).texts[0] == "Nothing links to: in/d"
    write(tmp_path, {"z.md": "[[c]] [[out]] [[b]] [[z]]", "hint.md": "[[a]] [[z]]"})
    memory.wait_ready()
    assert TOOLS["get_suggestions"].call(memory, {}).texts[0] == "No note has a value below 0.001."


GOOD = "---\ntitle: Q3 Planning\nstatus: open\n---\n# Plan\n"
BAD = "the properties of in/n cannot be read now (line 2: mapping values are not allowed in this context): mend them"
WAYS: dict[str, Callable[[Memory], Sequence[str]]] = {
    "passage": lambda m: m.write("in/n", "title: Q3: Planning", old="title: Q3 Planning").remarks,
    "whole": lambda m: m.write("in/n", GOOD.replace("Q3 ", "Q3: ")).remarks,
    "save": lambda m: m.save("in/n", GOOD.replace("Q3 ", "Q3: "), m.read("in/n").etag).remarks,
    "file": lambda m: m.rewrite_file("in/n.md", lambda text: text.replace("Q3 ", "Q3: ")),
    "restored": lambda m: m.restore("in/n", m.log("in/n")[-1].rev).remarks,
}


@pytest.mark.parametrize("way", WAYS)
def test_an_edit_that_makes_properties_unreadable_says_so(memory: Memory, way: str) -> None:
    memory.write("in/n", GOOD.replace("Q3 ", "Q3: "))
    memory.write("in/n", GOOD)
    assert list(WAYS[way](memory)) == [BAD]


@pytest.mark.parametrize("source", ["title: Q3: Planning", "a:\n\t- b", "by: @x", "open: [a", 'k: "x'])
def test_a_new_note_with_unreadable_properties_is_told_until_they_are_mended(memory: Memory, source: str) -> None:
    made = said(memory, "set_content", name="n", content=f"---\n{source}\n---\n[[hint]]\n")
    assert "the properties of n cannot be read now (line " in made
    assert "cannot be read" not in said(memory, "set_content", name="n", content="More.\n", append=True)
    assert "cannot be read now (line " in said(memory, "set_content", name="n", content="@y", old=source)
    assert "cannot be read" not in said(memory, "set_content", name="n", content="---\nk: 1\n---\n")


def test_properties_that_no_line_ends_are_told_and_get_no_second_block(memory: Memory) -> None:
    text = "---\ntitle: X\nBody without end\n"
    assert "(line 1: no line `---` ends the properties" in said(memory, "set_content", name="x", content=text)
    with pytest.raises(Unwritable, match="add that line first"):
        memory.set_properties({"new": 1}, ["x"])
    assert memory.read("x").text == text
    assert [one.note for one in memory.check() if one.kind == "properties"] == ["x"]
    memory.write("x", "---\n\nA line across the page: no property.\n")
    assert memory.set_properties({"new": 1}, ["x"]).changed == ["x"]


@pytest.mark.parametrize(
    "given",
    [
        {"command": "create", "path": "/memories/m.md", "file_text": "---\nk: a: b\n---\n"},
        {"command": "str_replace", "path": "/memories/n.md", "old_str": "k: 1", "new_str": "k: a: b"},
        {"command": "insert", "path": "/memories/n.md", "insert_line": 1, "insert_text": "@x"},
    ],
)
def test_the_memory_tool_tells_of_unreadable_properties(memory: Memory, given: dict[str, object]) -> None:
    memory.write("memories/n", "---\nk: 1\n---\n")
    (tool,) = TOOLSETS["memory"].tools
    assert "cannot be read now (line " in tool.call(memory, given).texts[0].splitlines()[-1]


def test_a_changed_passage_is_not_said_to_replace_the_note(memory: Memory) -> None:
    assert said(memory, "set_content", name="in/c", content="[[in/b]]", old="[[in/c]]") == "changed in/c"
    assert memory.edit_section("in/c", "New", "text", "append", create=True).outcome == "appended"
    assert memory.edit_section("in/c", "New", "other text", "replace").outcome == "changed"
    assert memory.extract("in/c", "other text", "in/part").source.outcome == "changed"
    assert said(memory, "set_content", name="in/c", content="x").startswith("replaced in/c")


@pytest.mark.parametrize("content", ["", " \n"])
def test_a_model_cannot_empty_a_note(memory: Memory, content: str) -> None:
    for name in ("in/a", "new"):
        with pytest.raises(BadArgument, match="`content` is empty; nothing was changed"):
            said(memory, "set_content", name=name, content=content)
    assert memory.log() == []
    assert said(memory, "set_content", name="in/c", content=content, old="[[in/c]]\n") == "changed in/c"


def test_a_heading_takes_its_section_along_and_the_answer_says_so(memory: Memory) -> None:
    memory.write("x", "# X\n\n## Plan\n\nRome.\n\n### When\n\nMay.\n\n## Planning\n\nLater.\n")
    for passage in ("## Plan", "Planning"):
        moved = said(memory, "extract_content", name="x", content=passage, new_name=passage.strip("# "))
        assert "; the section below the heading was moved with it" in moved
    assert memory.read("Plan").text == "## Plan\n\nRome.\n\n### When\n\nMay.\n"
    assert memory.read("Planning").text == "## Planning\n\nLater.\n"
    assert memory.read("x").text == "# X\n\n[[Plan]]\n\n[[Planning]]\n"
