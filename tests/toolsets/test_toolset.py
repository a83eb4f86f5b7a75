"""The zettel toolset below the protocol: its lines, its arguments, its bounds."""

import pathlib
import tomllib

import pytest

from tests.tools.vaults import write
from zkmem.config import load
from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.serve.mcp import types_map
from zkmem.serve.process import bind
from zkmem.settings import TOOLSET_ROWS, Settings
from zkmem.toolsets.table import TOOLSETS
from zkmem.toolsets.tool import Effects, Result, Tool

TOOLS = {tool.name: tool for tool in TOOLSETS["zettel"].tools}


@pytest.fixture
def memory(tmp_path: pathlib.Path) -> Memory:
    linked = {f"from {number:03}.md": "[[hub]]" for number in range(30)}
    missing = " ".join(f"[[missing number {number:03}]]" for number in range(40))
    m = Memory(write(tmp_path, {"hub.md": missing, **linked}))
    m.load()
    return m


def test_the_line_names_ten_then_counts_in_500_characters(memory: Memory) -> None:
    line = TOOLS["get_content"].call(memory, {"name": "hub"}).texts[1]
    assert len(line) <= 500
    assert line.startswith("etag ")
    assert "40 links; missing: missing number 000, " in line
    assert "missing number 009 and 30 more" in line
    assert line.endswith("from 009 and 20 more")


def test_long_names_are_counted_where_they_would_not_fit(memory: Memory) -> None:
    memory.write("long", " ".join(f"[[{'x' * 90}{number}]]" for number in range(12)))
    line = TOOLS["get_content"].call(memory, {"name": "long"}).texts[1]
    assert len(line) <= 500
    assert "and 8 more" in line


def test_what_was_cut_and_what_was_left_is_said(tmp_path: pathlib.Path) -> None:
    files = {"a.md": "line\n" * 400, "b.md": "[[big]] [[c]]" + " word" * 150, "big.md": "x" * 990}
    m = Memory(write(tmp_path, files), max_chars=1000)
    assert (
        "Cut at character 1000 of 2000: read on with offset=1000."
        in (TOOLS["get_content"].call(m, {"name": "a"}).texts[1])
    )
    assert TOOLS["get_content"].call(m, {"name": "b", "depth": 1}).texts[1].startswith("Left as links for length: big.")
    assert "There is nothing at offset 5000." in TOOLS["get_content"].call(m, {"name": "b", "offset": 5000}).texts[1]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_hints", {"count": True}),
        ("get_hints", {"count": 1.5}),
        ("get_hints", {"count": [1]}),
        ("get_suggestions", {"threshold": float("nan")}),
        ("get_suggestions", {"threshold": -1}),
        ("get_content", {"name": [1]}),
        ("set_content", {"name": "a", "content": "x", "append": 1}),
    ],
)
def test_values_of_another_type_or_out_of_range_are_refused(
    memory: Memory, tool: str, arguments: dict[str, object]
) -> None:
    with pytest.raises(BadArgument):
        TOOLS[tool].call(memory, arguments)


def test_values_as_models_send_them_are_taken(memory: Memory) -> None:
    assert len(TOOLS["get_hints"].call(memory, {"count": "3"}).texts[0].splitlines()) == 3
    assert TOOLS["get_hints"].call(memory, {"count": 3.0})
    assert TOOLS["get_suggestions"].call(memory, {"threshold": 10**400})
    given = {"name": "new", "content": "x", "old": None, "etag": "", "append": "false"}
    assert TOOLS["set_content"].call(memory, given).texts[0].startswith("created new; etag ")


def test_the_server_listens_to_this_machine_alone() -> None:
    with bind(Settings().host, 0) as sock:
        assert sock.getsockname()[0] == "127.0.0.1"


def test_a_flag_beats_the_environment_beats_the_file(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {".zkmem/config.toml": "port = 1\nmax_chars = 5000\n"})
    assert load(str(tmp_path), {"port": None}).port == 1
    monkeypatch.setenv("ZKMEM_PORT", "2")
    assert load(str(tmp_path), {"port": None}).port == 2
    settings = load(str(tmp_path), {"port": 3})
    assert (settings.port, settings.max_chars) == (3, 5000)


def test_what_no_message_can_hold_is_sent_as_a_sign_for_it() -> None:
    tool = Tool("t", "", {}, lambda: Result((), {}), Effects(), structured=True)
    sent = types_map.answer(tool, Result(("a\ud800b",), {"x": ["\udfffy", 1], "ok": "é"}))
    assert sent.content == [types_map.text("a\ufffdb")]
    assert sent.structured_content == {"x": ["\ufffdy", 1], "ok": "é"}


def test_every_toolset_is_in_the_contract_that_none_imports_another() -> None:
    project = tomllib.loads((pathlib.Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    contracts = {one["name"]: one for one in project["tool"]["importlinter"]["contracts"]}
    modules = {row.module.removesuffix(".tools") for row in TOOLSET_ROWS.values()}
    assert set(contracts["Toolsets do not import each other"]["modules"]) == modules
