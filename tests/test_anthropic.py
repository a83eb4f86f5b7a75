"""Claude's memory tool in a Python program, beside the file tool of the package `anthropic`."""

import asyncio
import itertools
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.tools.vaults import read
from zkmem.caller import Grant
from zkmem.errors import BadSettings
from zkmem.memory import Memory
from zkmem.util.lazy import LazyModule

if TYPE_CHECKING:
    from anthropic import tools as theirs

    from zkmem import anthropic as ours
else:  # each process that collects the tests would wait two seconds for the package
    ours, theirs = LazyModule("zkmem.anthropic"), LazyModule("anthropic.tools")

NAMES = ("a", "b", "tea", "Green tea", "Ünïcode", "x.y")
ENDINGS = (".md", ".md", ".md", ".txt", ".json", "")
LINES = ("one", "two words", "", "- item", "# Heading", "日本語", "one", "tab\there", "```", "end.")


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> pathlib.Path:
    root = tmp_path / "vault"
    root.mkdir()
    return root


@pytest.fixture
def tool(vault: pathlib.Path) -> Iterator["ours.MemoryTool"]:
    with ours.MemoryTool(vault) as opened:
        yield opened


def said(tool: Any, **command: Any) -> str:
    """What a tool answers, or the sentence of its refusal."""
    try:
        return str(tool.call(command))
    except theirs.ToolError as error:
        return f"refused: {error}"


def commands(rng: random.Random) -> Iterator[dict[str, Any]]:
    """Endless commands on few files and folders, so that many of them meet what others have left."""

    def path() -> str:
        folders = [rng.choice(NAMES[:3]) + "-f" for _ in range(rng.choice((0, 0, 1, 1, 2)))]
        return "/".join(["/memories", *folders, rng.choice(NAMES) + rng.choice(ENDINGS)])

    def folder() -> str:
        return "/".join(["/memories", *(rng.choice(NAMES[:3]) + "-f" for _ in range(rng.choice((0, 1, 2))))])

    def text() -> str:
        return "\n".join(rng.choices(LINES, k=rng.randint(0, 6))) + rng.choice(("", "\n", "\n\n"))

    def some() -> str:
        return path() if rng.random() < 0.7 else folder()

    while True:
        kind = rng.choices(("view", "create", "str_replace", "insert", "delete", "rename"), (3, 4, 4, 4, 1, 2))[0]
        if kind == "view":
            ranged = {"view_range": [rng.randint(0, 5), rng.choice((-1, 1, 3, 99))]} if rng.random() < 0.5 else {}
            yield {"command": kind, "path": some(), **ranged}
        elif kind == "create":
            yield {"command": kind, "path": path(), "file_text": text()}
        elif kind == "str_replace":
            yield {"command": kind, "path": some(), "old_str": rng.choice(LINES) or "e", "new_str": text()}
        elif kind == "insert":
            yield {"command": kind, "path": some(), "insert_line": rng.randint(-1, 5), "insert_text": text()}
        elif kind == "delete":
            yield {"command": kind, "path": some()}
        else:
            old, new = some(), some()
            if not new.startswith(old + "/"):
                yield {"command": kind, "old_path": old, "new_path": new}


def without_sizes_of_folders(text: str) -> str:
    """A list in which a folder has no size: that of a directory depends on the file system."""
    if not text.startswith("Here're the files"):
        return text
    head, root, *lines = text.split("\n")
    shown = [line.partition("\t")[2] if line.endswith("/") else line for line in lines]
    return "\n".join([head, root.partition("\t")[2], *shown])


def drop_empty_folders(root: pathlib.Path) -> None:
    for folder, _, _ in sorted(os.walk(root), reverse=True):
        if pathlib.Path(folder) != root and not os.listdir(folder):
            os.rmdir(folder)


@pytest.mark.parametrize("seed", range(2))
def test_500_commands_get_the_answers_of_the_package_and_leave_the_same_files(
    tool: "ours.MemoryTool", vault: pathlib.Path, tmp_path: pathlib.Path, seed: int
) -> None:
    package = theirs.BetaLocalFilesystemMemoryTool(str(tmp_path / "package"))
    there = tmp_path / "package" / "memories"
    refused = 0
    for number, command in enumerate(itertools.islice(commands(random.Random(seed)), 500)):
        # the package does not say that another note is like a new one
        ours, expected = said(tool, **command).partition("\nlike: ")[0], said(package, **command)
        assert without_sizes_of_folders(ours) == without_sizes_of_folders(expected), (number, command)
        refused += ours.startswith("refused")
        drop_empty_folders(there)
        drop_empty_folders(vault)
    kept = {path.removeprefix("memories/"): data for path, data in read(str(vault)).items() if path[0] != "."}
    assert kept == read(str(there))
    assert 100 < refused < 400


def test_a_command_is_an_edit_that_can_be_undone(tool: "ours.MemoryTool", vault: pathlib.Path) -> None:
    said(tool, command="create", path="/memories/tea.md", file_text="Green.\n")
    said(tool, command="create", path="/memories/f/x.md", file_text="x\n")
    said(tool, command="str_replace", path="/memories/tea.md", old_str="Green", new_str="Black")
    said(tool, command="delete", path="/memories/f")
    assert tool.clear_all_memory() == "All memory cleared"
    memory = Memory(str(vault))
    assert [(edit.tool, edit.author) for edit in memory.log()][:1] == [("memory", "memory tool")]
    memory.undo()
    memory.undo()
    assert (vault / "memories/tea.md").read_text() == "Black.\n"
    assert (vault / "memories/f/x.md").read_text() == "x\n"


def test_an_edit_in_an_open_memory_has_its_client(vault: pathlib.Path) -> None:
    memory = Memory(str(vault))
    said(ours.MemoryTool(memory.on_behalf(client="bot")), command="create", path="/memories/a.md", file_text="x\n")
    said(ours.MemoryTool(memory), command="create", path="/memories/b.md", file_text="x\n")
    assert [(edit.tool, edit.author) for edit in memory.log()] == [("memory", ""), ("memory", "bot")]


def test_a_rename_updates_links_in_all_notes_and_never_merges(tool: "ours.MemoryTool", vault: pathlib.Path) -> None:
    (vault / "index.md").write_text("See [[memories/tea]] and [x](memories/f/x.md).\n")
    said(tool, command="create", path="/memories/tea.md", file_text="See [[x]].\n")
    said(tool, command="create", path="/memories/f/x.md", file_text="x\n")
    said(tool, command="rename", old_path="/memories/tea.md", new_path="/memories/drinks/green.md")
    said(tool, command="rename", old_path="/memories/f", new_path="/memories/g/h")
    assert (vault / "index.md").read_text() == "See [[memories/drinks/green]] and [x](memories/g/h/x.md).\n"
    answer = said(tool, command="rename", old_path="/memories/g/h/x.md", new_path="/memories/drinks/green.md")
    assert answer == "refused: The destination /memories/drinks/green.md already exists"


@pytest.mark.parametrize(
    "command",
    [
        {"command": "view", "path": "/memories/../secret.md"},
        {"command": "view", "path": "/memoriesx/secret.md"},
        {"command": "view", "path": "memories/tea.md"},
        {"command": "view", "path": "/memories/a\0b.md"},
        {"command": "view", "path": "/memories/.zkmem/log"},
        {"command": "view", "path": "/memories/x.png"},
        {"command": "view", "path": "/memories/tea.md", "view_range": [1, -5]},
        {"command": "create", "path": "/memories/../secret2.md", "file_text": "x"},
        {"command": "create", "path": "/memories/.hidden.md", "file_text": "x"},
        {"command": "create", "path": "/memories/Tea.md", "file_text": "x"},
        {"command": "create", "path": "/memories/tea.md/x.md", "file_text": "x"},
        {"command": "create", "path": "/memories/a?.md", "file_text": "x"},
        {"command": "create", "path": "/memories/" + "x" * 300 + ".md", "file_text": "x"},
        {"command": "create", "path": "/memories/half.md", "file_text": "\ud800"},
        {"command": "create", "path": "/memories/x.md"},
        {"command": "create", "path": "/memories/x.md", "file_text": 5},
        {"command": "view", "path": "/memories/linked.md"},
        {"command": "view", "path": "/memories/linked/secret.md"},
        {"command": "view", "path": "/memories/" + "x" * 300 + ".md"},
        {"command": "view", "path": "/memories/" + "x/" * 3_000 + "x.md"},
        {"command": "view", "path": "/memories/half\ud800.md"},
        {"command": "view", "path": "/memories/empty"},
        {"command": "str_replace", "path": "/memories/x.png", "old_str": "PNG", "new_str": "x"},
        {"command": "insert", "path": "/memories/x.png", "insert_line": 0, "insert_text": "x"},
        {"command": "str_replace", "path": "/memories/tea.md", "old_str": "", "new_str": "x"},
        {"command": "str_replace", "path": "/memories/tea.md", "old_str": "Green", "new_str": "\ud800"},
        {"command": "insert", "path": "/memories/tea.md", "insert_text": "x"},
        {"command": "rename", "old_path": "/memories/f", "new_path": "/memories/f/g"},
        {"command": "rename", "old_path": "/memories", "new_path": "/memories/g"},
        {"command": "delete", "path": "/memories"},
    ],
    ids=str,
)
def test_bad_input_is_refused_with_a_sentence_and_changes_nothing(
    tool: "ours.MemoryTool", vault: pathlib.Path, command: dict[str, Any]
) -> None:
    (vault / "secret.md").write_text("secret")
    (vault / "memories/f").mkdir(parents=True)
    (vault / "memories/f/x.md").write_text("x")
    (vault / "memories/x.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\xff")
    (vault / "memories/empty").mkdir()
    (vault / "memories/linked.md").symlink_to(vault / "secret.md")
    (vault / "memories/linked").symlink_to(vault)
    said(tool, command="create", path="/memories/tea.md", file_text="Green.\n")
    before = read(str(vault))
    with pytest.raises(theirs.ToolError) as caught:
        tool.call(command)
    assert len(str(caught.value)) > 20
    assert "secret" not in str(caught.value).replace(str(command["path"]) if "path" in command else "", "")
    assert read(str(vault)) == before


def test_every_refusal_names_files_by_their_paths_below_memories(vault: pathlib.Path) -> None:
    parts = ("a.md", "A.md", "f", "F", "f/x.md", "f/g/y.txt", "a.md/x", "b?.md", ".h", "CON.md", "x" * 300, "p.png", "")
    paths = [
        "/memories",
        "/memories/",
        "/memories/../a.md",
        "models/claude/a.md",
        *(f"/memories/{one}" for one in parts),
    ]
    texts = ("x", "x\n", "", "\ud800", "y" * 3_000_000, "[[a]] [[models/claude/f/x]]")
    rng = random.Random(1)
    refusals: set[str] = set()
    (vault / "models/claude").mkdir(parents=True)
    (vault / "models/claude/p.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\xff")
    with Memory(str(vault), max_note_bytes=2_000_000) as memory, ours.MemoryTool(memory, "models/claude") as tool:
        for _ in range(600):
            text = rng.choice(texts)
            given = {"path": rng.choice(paths), "old_path": rng.choice(paths), "new_path": rng.choice(paths)}
            kind = rng.choice(("view", "create", "create", "str_replace", "insert", "delete", "rename", "rename"))
            names = {"rename": ("old_path", "new_path")}.get(kind, ("path",))
            command = {"command": kind, **{name: given[name] for name in names}, "insert_line": 0}
            answer = said(tool, **command, file_text=text, old_str="x", new_str=text, insert_text=text)
            if answer.startswith("refused"):
                for path in given.values():
                    answer = answer.replace(path, "")
                assert "models" not in answer, (command, answer)
                refusals.add(re.sub(r"\d+|'.*?'", "", answer))
    assert len(refusals) > 20


def test_a_refusal_about_another_note_does_not_name_it(vault: pathlib.Path) -> None:
    (vault / "models/claude").mkdir(parents=True)
    (vault / "models/claude/a.md").write_text("x")
    (vault / "Plan B.md").write_text("[[models/claude/a]]")
    (vault / "Plan B.md").chmod(0o444)
    with Memory(str(vault), max_note_bytes=2_000) as memory, ours.MemoryTool(memory, "models/claude") as tool:
        answer = said(tool, command="rename", old_path="/memories/a.md", new_path="/memories/b.md")
        assert answer.startswith("refused: a file outside of /memories cannot be written: it is read-only")
        long = said(tool, command="create", path="/memories/c.md", file_text="x" * 3_000)
        assert long.startswith("refused: '/memories/c.md' would have 3,000 bytes")
        echoed = said(tool, command="str_replace", path="/memories/a.md", old_str="'models/claude/a'", new_str="")
        assert "old_str `'models/claude/a'` did not appear" in echoed


def test_a_folder_is_listed_without_the_slash_at_the_end_of_its_path(tool: "ours.MemoryTool") -> None:
    said(tool, command="create", path="/memories/f/x.md", file_text="x")
    for path in ("/memories", "/memories/f"):
        assert said(tool, command="view", path=f"{path}/") == said(tool, command="view", path=path)


def test_a_folder_without_files_is_gone(tool: "ours.MemoryTool", vault: pathlib.Path) -> None:
    for name in ("f/g/x.md", "h/y.md", "k/z.md"):
        said(tool, command="create", path=f"/memories/{name}", file_text="x")
    said(tool, command="delete", path="/memories/f")
    said(tool, command="rename", old_path="/memories/h", new_path="/memories/i")
    said(tool, command="delete", path="/memories/k/z.md")
    assert sorted(path.name for path in (vault / "memories").iterdir()) == ["i"]
    assert said(tool, command="view", path="/memories/f").startswith("refused: The path /memories/f does not exist")
    for name in "fhk":
        assert said(tool, command="create", path=f"/memories/{name}", file_text="x").startswith("File created")


def test_folders_that_are_hidden_or_outside_of_the_caller_stay(vault: pathlib.Path) -> None:
    for folder in ("memories/ann/f/.git/refs", "memories/ann/f/g"):
        (vault / folder).mkdir(parents=True)
    (vault / "memories/ann/f/x.md").write_text("x")
    with Memory(str(vault)) as memory:
        own = memory.restricted(Grant("memories/ann"))
        own.delete_files("memories/ann/f")
        assert sorted(path.name for path in (vault / "memories/ann/f").iterdir()) == [".git"]
        assert (vault / "memories/ann/f/.git/refs").is_dir()
        own.create_files({"memories/ann/y.md": b"y"})
        shutil.rmtree(vault / "memories/ann/f")
        own.delete_files("memories/ann/y.md")
        assert (vault / "memories/ann").is_dir()


def test_files_that_others_have_just_made_are_seen(tool: "ours.MemoryTool", vault: pathlib.Path) -> None:
    said(tool, command="create", path="/memories/f/a.md", file_text="x")
    (vault / "memories/f/b.md").write_text("one")
    (vault / "memories/f/c.txt").write_text("one")
    assert "/memories/f/c.txt" in said(tool, command="view", path="/memories/f")
    assert "edited" in said(tool, command="str_replace", path="/memories/f/b.md", old_str="one", new_str="two")
    (vault / "memories/f/d.md").write_text("one")
    assert "deleted" in said(tool, command="delete", path="/memories/f")
    assert not (vault / "memories/f").exists()
    (vault / "memories").mkdir(exist_ok=True)
    (vault / "memories/e.md").write_text("one")
    assert tool.clear_all_memory() == "All memory cleared"
    assert not (vault / "memories").exists()


def test_no_answer_is_long_whatever_the_lines(tool: "ours.MemoryTool", vault: pathlib.Path) -> None:
    line = "x" * 100_000
    said(tool, command="create", path="/memories/a.md", file_text=f"{line}\nshort\n{line}")
    assert len(said(tool, command="view", path="/memories/a.md")) < 25_000
    assert len(said(tool, command="str_replace", path="/memories/a.md", old_str="short", new_str="y")) < 5_000
    assert len(said(tool, command="str_replace", path="/memories/a.md", old_str=line + "z", new_str="y")) < 5_000
    assert len(said(tool, command="str_replace", path="/memories/a.md", old_str="x", new_str="y")) < 10_000


def test_the_lines_of_many_places_are_counted_once(tool: "ours.MemoryTool") -> None:
    text = "".join(f"{number % 7} a\n\n" for number in range(500)) + "aXaXa"
    said(tool, command="create", path="/memories/a.md", file_text=text)
    places = [text.count("\n", 0, at) + 1 for at in range(len(text)) if text.startswith("a", at)]
    answer = said(tool, command="str_replace", path="/memories/a.md", old_str="a", new_str="b")
    assert f"in lines: {', '.join(map(str, places))}. " in answer


def test_what_models_send_instead_is_taken(tool: "ours.MemoryTool", vault: pathlib.Path) -> None:
    said(tool, command="create", path="/memories/tea.md", file_text="Green.\n")
    assert "edited" in said(tool, command="insert", path="/memories/tea.md", insert_line=1, new_str="Black.")
    assert "renamed" in said(tool, command="rename", path="/memories/tea.md", new_path="/memories/b.md")
    assert "edited" in said(tool, command="str_replace", path="/memories/b.md", old_str="Green.\n")
    assert (vault / "memories/b.md").read_text() == "Black.\n"


def test_a_file_keeps_its_line_ends_and_the_bytes_that_are_not_utf8(
    tool: "ours.MemoryTool", vault: pathlib.Path
) -> None:
    (vault / "memories").mkdir()
    (vault / "memories/dos.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    (vault / "memories/old.md").write_bytes(b"caf\xe9\nrest\n")
    assert "\r" not in said(tool, command="view", path="/memories/dos.md")
    said(tool, command="str_replace", path="/memories/dos.md", old_str="one\ntwo", new_str="1\n2\n3")
    said(tool, command="insert", path="/memories/old.md", insert_line=2, insert_text="end")
    said(tool, command="str_replace", path="/memories/old.md", old_str="rest", new_str="REST").encode()
    said(tool, command="str_replace", path="/memories/old.md", old_str="REST", new_str="rest")
    assert (vault / "memories/dos.md").read_bytes() == b"\xef\xbb\xbf1\r\n2\r\n3\r\n"
    assert (vault / "memories/old.md").read_bytes() == b"caf\xe9\nrest\nend\n"


def test_a_long_text_and_a_long_list_end_with_what_to_do(vault: pathlib.Path) -> None:
    (vault / "memories/many").mkdir(parents=True)
    for number in range(1_100):
        (vault / f"memories/many/{number}.md").write_text("x")
    (vault / "memories/long.md").write_text("a line of text\n" * 2_000)
    with Memory(str(vault), max_chars=5_000) as memory, ours.MemoryTool(memory) as tool:
        shown = said(tool, command="view", path="/memories/long.md")
        assert len(shown) < 5_200
        assert shown.endswith("more lines; view them with view_range [228, 2001]")
        assert "   228\ta line of text" in said(tool, command="view", path="/memories/long.md", view_range=[228, -1])
        listed = said(tool, command="view", path="/memories")
        assert len(listed.split("\n")) == 1_003
        assert "more than 1,000" in listed
    with Memory(str(vault)) as memory:
        ours.MemoryTool(memory).close()
        assert memory.read("memories/many/7").text == "x"  # the memory is still open


def test_another_folder_and_an_open_memory_can_be_used(vault: pathlib.Path) -> None:
    with Memory(str(vault)) as memory:
        tool = ours.MemoryTool(memory, "models/claude/")
        tool.call({"command": "create", "path": "/memories/tea.md", "file_text": "Green.\n"})
        assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}
        for folder in ("", "..", "a/../b", ".hidden"):
            with pytest.raises(BadSettings, match="memories_folder"):
                ours.MemoryTool(memory, folder)
    assert (vault / "models/claude/tea.md").read_text() == "Green.\n"


def test_the_tool_for_an_asynchronous_client_is_the_same(vault: pathlib.Path) -> None:
    async def use() -> tuple[str, str, str]:
        async with ours.AsyncMemoryTool(vault) as tool:
            created = await tool.call({"command": "create", "path": "/memories/a.md", "file_text": "x"})
            with pytest.raises(theirs.ToolError, match="already exists"):
                await tool.call({"command": "create", "path": "/memories/a.md", "file_text": "x"})
            shown = await tool.call({"command": "view", "path": "/memories/a.md"})
            return str(created), str(shown), str(await tool.clear_all_memory())

    created, shown, cleared = asyncio.run(use())
    assert created == "File created successfully at: /memories/a.md"
    assert shown.endswith("     1\tx")
    assert cleared == "All memory cleared"
    assert not (vault / "memories/a.md").exists()


INSERTS = """
import sys
from zkmem.anthropic import MemoryTool
with MemoryTool(sys.argv[1]) as tool:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(25):
        text = sys.argv[2] + str(number)
        tool.call({"command": "insert", "path": "/memories/log.md", "insert_line": 0, "insert_text": text})
        print("acknowledged", flush=True)
"""


def test_two_processes_lose_no_edit_of_one_file(tool: "ours.MemoryTool", vault: pathlib.Path) -> None:
    said(tool, command="create", path="/memories/log.md", file_text="")

    def start(name: str) -> subprocess.Popen[str]:
        arguments = [sys.executable, "-c", INSERTS, str(vault), name]
        return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    processes = [start("a"), start("b")]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:  # both are ready: they write at the same time
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        out, _ = process.communicate(timeout=120)
        assert out.count("acknowledged") == 25
    lines = (vault / "memories/log.md").read_text().split()
    assert sorted(lines) == sorted(f"{name}{number}" for name in "ab" for number in range(25))
