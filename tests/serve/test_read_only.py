"""Servers whose clients can only read, over stdio and over HTTP."""

import pathlib

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.cli.test_cli import zkmem
from tests.tools.forked import zkmem_program
from tests.tools.servers import http_server
from tests.tools.vaults import read, write

pytestmark = pytest.mark.anyio

READING = {"get_content", "get_hints", "get_suggestions"}
CHANGING = {"set_content", "delete_content", "rename_content", "extract_content"}


@pytest.mark.parametrize(
    ("option", "settings", "writes"),
    [
        ("--read-only", "", False),
        ("--no-git", "read_only = true", False),
        ("--propose", "read_only = true", False),
        ("--no-read-only", "read_only = true", True),
    ],
)
async def test_clients_of_a_server_can_only_read(
    tmp_path: pathlib.Path, option: str, settings: str, *, writes: bool
) -> None:
    vault = write(tmp_path, {"tea.md": "steeped", ".zkmem/config.toml": settings})
    command = StdioServerParameters(command=zkmem_program(), args=["serve", vault, option])
    with http_server(vault, "zettel", option) as url:
        for server in (command, url):
            async with Client(server) as model:
                names = {tool.name for tool in (await model.list_tools()).tools}
                assert names == READING | (CHANGING if writes else set())
                assert "steeped" in str((await model.call_tool("get_content", {"name": "tea"})).content)
                if not writes:
                    refused = await model.call_tool("set_content", {"name": "tea", "content": "x"})
                    assert refused.is_error
        assert read(vault) == {"tea.md": b"steeped"}
        page = f"{url.removesuffix('/mcp')}/api/notes/mug"
        assert httpx2.put(page, json={"content": "Big."}, headers={"If-None-Match": "*"}, timeout=30).is_success
        assert read(vault)["mug.md"] == b"Big."


async def test_what_a_model_is_told_is_about_reading(tmp_path: pathlib.Path) -> None:
    words = ["serve", str(tmp_path), "--read-only", "--toolsets", "zettel,memory"]
    async with Client(StdioServerParameters(command=zkmem_program(), args=words)) as model:
        told = model.instructions or ""
        assert told.startswith(
            "A long-term memory that you can only read.\nRecall before you answer what may be known: "
        )
        assert "get_hints" in told
        assert "set_content" not in told
        assert "/memories" not in told
        assert [prompt.name for prompt in (await model.list_prompts()).prompts] == ["recall"]


@pytest.mark.parametrize("mode", ["stdio", "http"])
def test_a_client_that_can_only_read_cannot_propose(tmp_path: pathlib.Path, mode: str) -> None:
    port = ["--port", "0"] if mode == "http" else []
    done = zkmem("serve", str(tmp_path), "--mode", mode, *port, "--propose", "--read-only")
    assert (done.returncode, done.stdout) == (2, "")
    assert "A client that can only read cannot propose; give either --read-only or --propose." in done.stderr


def test_a_setting_of_somebody_elses_vault_takes_no_protection_away(tmp_path: pathlib.Path) -> None:
    vault = write(tmp_path / "notes", {".zkmem/config.toml": "read_only = false"})
    own = write(tmp_path / "own", {"zkmem/config.toml": "read_only = true"})
    done = zkmem("trust", vault, XDG_CONFIG_HOME=own)
    assert "read_only = false in .zkmem/config.toml: clients over MCP can change notes" in done.stdout
