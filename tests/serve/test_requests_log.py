"""`zkmem serve --audit`: a line in the audit log for each request over MCP, without contents."""

import contextlib
import json
import pathlib
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import EmptyResult, Request

from tests.tools.forked import zkmem_program
from tests.tools.servers import ERAS, http_server
from tests.tools.vaults import write

pytestmark = pytest.mark.anyio

SECRET = "hunter2"


def lines(vault: str) -> list[dict[str, Any]]:
    path = pathlib.Path(vault, ".zkmem/audit.jsonl")
    assert SECRET not in path.read_text("utf-8")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


async def use(server: StdioServerParameters | str, era: str) -> None:
    async with Client(server, mode=ERAS[era]) as model:
        await model.call_tool("memory_search", {"query": SECRET, "limit": 3})
        assert (await model.call_tool("memory_search", {"query": " "})).is_error
        assert (await model.call_tool(f"no_tool_{SECRET}", {SECRET: SECRET})).is_error
        assert (await model.call_tool("memory_search", {"query": "tea", SECRET: 1, "x" * 9_000: 1})).is_error
        with pytest.raises(MCPError):
            await model.get_prompt(f"prompt_{SECRET}", {SECRET: SECRET})
        unknown = Request(method=SECRET * 500, params=None)
        with pytest.raises(MCPError):
            await model.session.send_request(unknown, EmptyResult)
        await model.call_tool("memory_add", {"content": f"tea {SECRET}", "memory_type": "knowledge_vault"})
        await model.read_resource("zkmem://note/note")
        with pytest.raises(MCPError):
            await model.read_resource(f"zkmem://note/{SECRET}")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_each_request_is_in_the_audit_log_without_contents(
    tmp_path: pathlib.Path, transport: str, era: str
) -> None:
    vault = write(tmp_path, {"note.md": SECRET})
    arguments = ["serve", vault, "--toolsets", "mirix", "--audit"]
    with http_server(vault, "mirix", "--audit") if transport == "http" else contextlib.nullcontext() as url:
        await use(url or StdioServerParameters(command=zkmem_program(), args=arguments), era)
    told = lines(vault)
    requests = [one for one in told if one.get("event") == "request"]
    calls = [one for one in requests if one["method"] == "tools/call"]
    assert [(one["name"], one["arguments"], one["outcome"]) for one in calls] == [
        ("memory_search", ["query", "limit"], "done"), ("memory_search", ["query"], "refused"),
        ("unknown", [], "refused"), ("memory_search", ["query"], "refused"),
        ("memory_add", ["content", "memory_type"], "done"),
    ]  # fmt: skip
    assert [one.get("unknown_arguments") for one in calls] == [None, None, 1, 2, None]
    unknown = [one["outcome"] for one in requests if one["method"] == "unknown"]
    assert unknown == ["refused"]
    prompts = [one for one in requests if one["method"] == "prompts/get"]
    assert [(one["name"], one["outcome"]) for one in prompts] == [("unknown", "refused")]
    assert all(len(json.dumps(one)) < 1_000 for one in requests)
    reads = [one["outcome"] for one in requests if one["method"] == "resources/read"]
    assert reads == ["done", "refused"]
    (edit,) = [one for one in told if "changes" in one]
    assert (edit["tool"], edit["address"]) == ("memory_add", "127.0.0.1" if transport == "http" else "")
    for one in requests:
        assert (one["caller"], one["address"]) == ("", edit["address"])
        assert one["milliseconds"] >= 0
        assert one["time"] > 0
    assert all(one["client"] == calls[0]["client"] != "" for one in calls)


async def test_a_prompt_and_its_arguments_are_logged_by_known_names(tmp_path: pathlib.Path) -> None:
    vault = write(tmp_path, {"note.md": SECRET})
    arguments = ["serve", vault, "--audit"]
    async with Client(StdioServerParameters(command=zkmem_program(), args=arguments)) as model:
        prompt = next(one for one in (await model.list_prompts()).prompts if one.arguments)
        names = [one.name for one in prompt.arguments or ()]
        await model.get_prompt(prompt.name, {**dict.fromkeys(names, SECRET), SECRET: SECRET})
        with pytest.raises(MCPError):
            await model.get_prompt(SECRET, {})
    told = [one for one in lines(vault) if one.get("method") == "prompts/get"]
    assert [(one["name"], one["arguments"], one.get("unknown_arguments")) for one in told] == [
        (prompt.name, names, 1), ("unknown", [], None)
    ]  # fmt: skip


async def test_without_the_option_there_is_no_log_over_stdio_and_only_edits_over_http(tmp_path: pathlib.Path) -> None:
    vault = write(tmp_path, {"note.md": SECRET})
    arguments = ["serve", vault, "--toolsets", "mirix"]
    await use(StdioServerParameters(command=zkmem_program(), args=arguments), "2026-07-28")
    assert not pathlib.Path(vault, ".zkmem/audit.jsonl").exists()
    with http_server(str(write(tmp_path / "other", {"note.md": SECRET})), "mirix") as url:
        await use(url, "2026-07-28")
    assert [one["tool"] for one in lines(str(tmp_path / "other"))] == ["memory_add"]
