"""Links that open a client with an entry filled in: what the client reads in them, and those in the documents."""

import base64
import json
import pathlib
import re
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import yaml

from tests.tools.configurations import Desk
from tests.tools.vaults import write
from zkmem.clients import entry
from zkmem.clients.links import LINKS, goose_link, own_link, web_link
from zkmem.clients.table import CLIENTS

ROOT = pathlib.Path(__file__).parents[2]
COMMAND = ["/opt/my bin/zkmem", "serve", "/home/é me/a+b&c=d%?#\"'"]
PUBLIC = ["zkmem", "serve", "~/notes"]


def opened(link: str) -> tuple[str, Any]:
    """The name and the entry that a client reads in a link, by the description of its vendor."""
    parts = urlsplit(link)
    if link.startswith("vscode:"):
        config = json.loads(unquote(parts.query))
        return config.pop("name"), config
    query = parse_qs(parts.query, strict_parsing=True)
    [name], [config] = query["name"], query["config"]
    is_plain = parts.netloc in {"kiro.dev", "vscode.dev"}
    return name, json.loads(config if is_plain else base64.b64decode(config, validate=True))


@pytest.mark.parametrize("client", LINKS)
def test_a_client_reads_in_a_link_what_install_would_write(client: str) -> None:
    wanted = entry.made(CLIENTS[client], COMMAND)
    links = [own_link(client, "my-notes", wanted), web_link(client, "my-notes", wanted)]
    assert (links[0] is None) is (client == "kiro")
    for link in filter(None, links):
        assert opened(link) == ("my-notes", wanted)
        assert re.fullmatch(r"[!-~]+", link)


def test_install_prints_the_link_and_changes_nothing(tmp_path: pathlib.Path) -> None:
    desk = Desk(tmp_path / "home")
    vault = write(tmp_path / "my notes", {"hint.md": ""})
    done = desk.run("install", "lmstudio", "--vault", vault, "--link", "--name", "mine")
    assert done.returncode == 0, done.stderr
    name, found = opened(done.stdout.strip())
    assert (name, found["args"][-2:]) == ("mine", ["serve", vault])
    assert list(desk.folder.iterdir()) == []
    told = json.loads(desk.run("install", "vscode", "--vault", vault, "--link", "--json").stdout)
    assert told["link"].startswith("vscode:mcp/install?")
    done = desk.run("install", "kiro", "--vault", vault, "--link")
    assert (done.returncode, "cursor, vscode, lmstudio" in done.stderr) == (2, True)


def test_for_goose_the_entry_is_printed_and_a_link_if_uvx_runs_zkmem(tmp_path: pathlib.Path) -> None:
    desk = Desk(tmp_path / "home")
    vault = write(tmp_path / "my notes", {"hint.md": ""})
    done = desk.run("install", "goose", "--vault", vault, "--name", "mine")
    assert (done.returncode, f"{desk.folder}/.config/goose/config.yaml" in done.stderr) == (0, True)
    found = yaml.safe_load(done.stdout)["extensions"]["mine"]
    assert (found["name"], found["type"], found["args"][-2:]) == ("mine", "stdio", ["serve", vault])
    told = json.loads(desk.run("install", "goose", "--vault", vault, "--json").stdout)
    assert (yaml.safe_load(told["snippet"])["extensions"].keys(), told["link"]) == ({"zkmem"}, None)
    for order in (["install", "goose", "--vault", vault, "--link"], ["uninstall", "goose"]):
        refused = desk.run(*order)
        assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert list(desk.folder.iterdir()) == []

    link = goose_link("mine", ["/opt/bin/uvx", "--from", "git+https://x/y", *COMMAND[1:]])
    assert link is not None
    query = parse_qs(urlsplit(link).query, strict_parsing=True)
    assert (query["cmd"], query["id"], query["name"]) == (["uvx"], ["mine"], ["mine"])
    assert query["arg"] == ["--from", "git+https://x/y", *COMMAND[1:]]
    assert re.fullmatch(r"goose://extension\?[!-~]+", link)


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/install.md"])
def test_the_links_of_the_documents_have_the_entry_that_they_name(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for client in LINKS:
        link = web_link(client, "zkmem", entry.made(CLIENTS[client], PUBLIC))
        assert text.count(f"[{CLIENTS[client].title}]({link})") == 1
