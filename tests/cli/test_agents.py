"""`zkmem install --agents`: a section in AGENTS.md, CLAUDE.md or GEMINI.md, and every other byte as it was."""

import json
import pathlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tools.configurations import Desk
from zkmem.cli import agents
from zkmem.errors import BadClientFile, Unwritable

LINES = agents.section("zkmem", "One.\n\nTwo.")
WORDS = st.sampled_from(["# Rules", "\n", "\n\n", "\r\n", " ", "é", "<!-- other:begin -->", "zkmem:end", "\ufeff"])


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "AGENTS.md"


@given(before=st.lists(WORDS).map("".join), after=st.sampled_from(["", "more", "\nmore\n"]))
@example(before="", after="")
@example(before="# Rules\n", after="")
@example(before="# Rules", after="")
@example(before="# Rules\r\n", after="")
def test_a_section_is_added_and_removed_and_every_other_byte_stays(
    tmp_path_factory: pytest.TempPathFactory, before: str, after: str
) -> None:
    path = tmp_path_factory.mktemp("project") / "AGENTS.md"
    path.write_bytes(before.encode())
    assert agents.write(str(path), LINES) == "added"
    added = path.read_bytes().decode()
    assert added.startswith(before)
    assert added.replace("\r\n", "\n").count(LINES) == 1
    assert agents.write(str(path), LINES) == "unchanged"
    assert agents.write(str(path), LINES.replace("Two", "Three")) == "replaced"
    assert path.read_bytes().decode() == added.replace("Two", "Three")
    if after and added.endswith("\n"):
        path.write_bytes((added + after).encode())
        assert agents.remove(str(path)) == "removed"
        assert path.read_bytes().decode() == before + after
        return
    assert agents.remove(str(path)) == "removed"
    assert path.read_bytes().decode() == before
    assert agents.remove(str(path)) == "not there"


def test_a_file_with_the_section_alone_is_made_and_removed_again(path: pathlib.Path) -> None:
    assert agents.write(str(path), LINES) == "added"
    assert path.read_text() == LINES + "\n"
    assert agents.remove(str(path)) == "removed"
    assert not path.exists()
    assert agents.remove(str(path)) == "not there"


@pytest.mark.parametrize(
    "text",
    [
        "<!-- zkmem:begin -->\n",
        "a\n<!-- zkmem:end -->\n<!-- zkmem:begin -->\n",
        "<!-- zkmem:begin -->\n<!-- zkmem:end -->\n" * 2,
    ],
)
def test_marks_that_are_no_pair_are_refused(path: pathlib.Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(BadClientFile, match=r"no pair, the first in line \d\. Nothing was changed"):
        agents.write(str(path), LINES)
    with pytest.raises(BadClientFile, match="no pair"):
        agents.remove(str(path))
    assert path.read_text() == text


@pytest.mark.parametrize("fence", ["```", "~~~~html"])
def test_marks_in_a_code_block_are_no_section(path: pathlib.Path, fence: str) -> None:
    close = fence.removesuffix("html")
    before = f"# é\n{fence}\n{LINES}\n{close}\n"
    path.write_text(before)
    assert agents.remove(str(path)) == "not there"
    assert agents.write(str(path), LINES) == "added"
    assert path.read_text() == f"{before}\n{LINES}\n"
    assert agents.write(str(path), LINES) == "unchanged"
    assert agents.remove(str(path)) == "removed"
    assert path.read_text() == before
    path.write_text(f"{fence}\nno end\n")
    with pytest.raises(BadClientFile, match="ends inside a code block"):
        agents.write(str(path), LINES)
    assert path.read_text() == f"{fence}\nno end\n"


def test_a_file_that_is_read_only_or_no_text_stays(path: pathlib.Path) -> None:
    path.write_bytes(b"\xff")
    with pytest.raises(BadClientFile, match="not UTF-8"):
        agents.write(str(path), LINES)
    path.write_text("x")
    path.chmod(0o444)
    with pytest.raises(Unwritable, match="read-only"):
        agents.write(str(path), LINES)
    assert path.read_text() == "x"


def test_the_command_shows_the_section_before_it_writes_it(tmp_path: pathlib.Path) -> None:
    desk = Desk(tmp_path / "home")
    path = desk.folder / "AGENTS.md"
    shown = desk.run("install", "--agents", "--print")
    assert (shown.returncode, path.exists(), "get_hints" in shown.stdout) == (0, False, True)
    done = desk.run("install", "--agents")
    assert (done.returncode, path.read_text()) == (0, done.stdout)
    assert done.stdout == shown.stdout
    assert done.stderr.splitlines() == [f"Writes this section ({path}):", f"The section of zkmem: added ({path})"]
    again = desk.run("install", "--agents")
    assert (again.stdout, again.stderr) == ("", f"The section of zkmem: unchanged ({path})\n")
    told = json.loads(
        desk.run("install", "--agents", "CLAUDE.md", "--name", "work", "--toolsets", "kg", "--json").stdout
    )
    assert (told["change"], told["file"]) == ("added", str(desk.folder / "CLAUDE.md"))
    assert "`work`" in told["section"]
    assert "create_entities" in told["section"]
    reading = desk.run("install", "--agents", "--read-only").stdout
    assert "set_content" not in reading
    assert desk.run("uninstall", "--agents").stdout == f"The section of zkmem: removed ({path})\n"
    assert not path.exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["install", "codex", "--agents"], "leave out codex"),
        (["install", "--agents", "codex"], "a Markdown file"),
        (["install", "--agents", "--toolsets", "zettle"], "zettle"),
        (["install", "--agents", "--name", "x\n<!-- zkmem:end -->"], "--name must be"),
        (["uninstall"], "Name a client"),
        (["uninstall", "codex", "--agents"], "leave out codex"),
    ],
)
def test_bad_input_gets_one_sentence(words: list[str], says: str, tmp_path: pathlib.Path) -> None:
    desk = Desk(tmp_path / "home")
    done = desk.run(*words)
    assert (done.returncode, done.stdout, says in done.stderr, done.stderr.count("\n")) == (2, "", True, 1), done.stderr
    assert not (desk.folder / "AGENTS.md").exists()
