"""`zkmem call`: a tool of any toolset, without a client."""

import json
import os
import pathlib
import subprocess
from collections.abc import Iterator

import pytest

from tests.tools.exchanges import DOCS, SESSIONS, settled, toolsets_of
from tests.tools.forked import zkmem_command
from tests.tools.models import completion, endpoint
from tests.tools.vaults import read, write
from zkmem.cli.group import cli

ASKS = ("memory_chat", "extract_memory")


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    return write(tmp_path / "notes", {"hint.md": "[[a]]\n", "a.md": "alpha\n"})


def called(vault: str, *arguments: str, given: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    return zkmem_command("call", "-C", vault, *arguments, given=given, environ={**os.environ, **environ})


def words(arguments: dict[str, object]) -> Iterator[str]:
    for key, value in arguments.items():
        yield f"{key}={value if isinstance(value, str) else json.dumps(value)}"


@pytest.mark.parametrize("name", SESSIONS)
def test_each_exchange_of_the_documents_can_be_tried(
    name: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (DOCS / f"{name}.md").read_text("utf-8")
    toolsets = toolsets_of(name)
    for tool, arguments in SESSIONS[name]:
        if tool in ASKS or tool == "add_observations":  # asks a model; is refused
            continue
        command = ["call", "-C", str(tmp_path), "--toolsets", toolsets, "--", tool, *words(arguments)]
        cli.main(command, standalone_mode=False)
        assert settled(capsys.readouterr().out).rstrip() in page


@pytest.mark.slow
def test_a_value_is_json_where_the_tool_takes_more_than_text(vault: str) -> None:
    assert called(vault, "get_content", "name=hint", "depth=1").stdout.startswith("![[a]]start\n\nalpha")
    assert called(vault, "set_content", "name=2", "content=[1, 2]", "append=true").returncode == 0
    assert read(vault)["2.md"] == b"[1, 2]"
    data = json.loads(called(vault, "get_hints", "count=1", "--json").stdout)
    assert [hint["name"] for hint in data["hints"]] == ["a"]  # of equal weight, with a backlink


@pytest.mark.slow
def test_a_value_may_come_from_a_file_or_standard_input(vault: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "long.txt").write_text("from a file\n")
    assert called(vault, "set_content", "name=f", f"content=@{tmp_path}/long.txt").returncode == 0
    assert called(vault, "set_content", "name=s", "content=@-", given="from stdin\n").returncode == 0
    assert called(vault, "set_content", "name=t", "content=@@ann = a=b").returncode == 0
    assert {name: read(vault)[f"{name}.md"] for name in "fst"} == {
        "f": b"from a file\n", "s": b"from stdin\n", "t": b"@ann = a=b",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ("nosuch", 2, "There is no tool 'nosuch'. The tools of zettel are: get_content, "),
        ("get_contents", 2, "There is no tool 'get_contents'. Did you mean `get_content`"),
        ("read_graph", 2, "The tool 'read_graph' is in the toolset kg; add --toolsets kg."),
        ("get_content name", 2, "'name' is not an argument of a tool; write KEY=VALUE."),
        ("get_content nam=a", 2, "get_content has no argument 'nam'; it has: name, depth, offset."),
        ("read_graph x=1 --toolsets kg", 2, "read_graph has no argument 'x'; it has: none."),
        ("get_content name=a name=b", 2, "The argument 'name' is given twice."),
        ("get_content", 2, "get_content needs the argument `name`."),
        ("get_content name=a depth=x", 2, "`depth` must be of type integer, not 'x'."),
        ("get_content name=@nowhere", 2, "'nowhere' cannot be read"),
        ("get_content name=zzz", 3, "There is no note 'zzz'."),
        ("get_content name=a --toolsets nope", 2, "toolsets must be a list"),
    ],
)
def test_a_call_that_cannot_be_made_is_refused_with_one_sentence(
    vault: str, arguments: str, code: int, says: str
) -> None:
    before = read(vault)
    done = called(vault, *arguments.split())
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (code, "", 1)
    assert says in done.stderr
    assert read(vault) == before


@pytest.mark.slow
def test_a_tool_asks_the_model_that_is_configured(vault: str) -> None:
    answer = json.dumps({"reply": "Green tea.", "memories": []})
    with endpoint(lambda _: (200, json.dumps(completion(answer)).encode())) as (url, _):
        chat = ("memory_chat", "message=Tea?", "--toolsets", "mirix")
        assert "Green tea." in called(vault, *chat, ZKMEM_LLM_URL=url, ZKMEM_LLM_MODEL="m").stdout
        assert "Green tea." not in called(vault, *chat).stdout
