"""Links that open a client with an entry filled in, and the lines for Goose: the client adds the entry, or its user.

A link in the client's own scheme stays on this machine. A link to the vendor's web address leads to the client, too,
and works where only such links are allowed, as in a README; the vendor's server sees the entry.

zkmem does not edit Goose's file, which is YAML. Facts: goose-docs.ai/docs/guides/config-files,
goose-docs.ai/docs/getting-started/using-extensions.
"""

import base64
import json
import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from zkmem.clients.table import UserHome

GOOSE = "goose"
_GOOSE_ABOUT = "A memory in Markdown notes with links"
_GOOSE_TIMEOUT_S = 300

Query = Callable[[str, dict[str, Any]], str]


class InstallLink(NamedTuple):
    """The beginnings of a client's links, each with the function that writes the rest from a name and an entry."""

    own: tuple[str, Query] | None  # in the client's own scheme
    web: tuple[str, Query]  # at the vendor's address


def own_link(client: str, name: str, entry: dict[str, Any]) -> str | None:
    """Return the link in the scheme of a client; None if it has none."""
    link = LINKS.get(client)
    return link.own[0] + link.own[1](name, entry) if link and link.own else None


def web_link(client: str, name: str, entry: dict[str, Any]) -> str:
    """Return the link at the address of a client's vendor. The client must be one of `LINKS`."""
    start, query = LINKS[client].web
    return start + query(name, entry)


def _in_base64(name: str, entry: dict[str, Any]) -> str:
    return urlencode({"name": name, "config": base64.b64encode(_json(entry).encode()).decode()})


def _in_json(name: str, entry: dict[str, Any]) -> str:
    return urlencode({"name": name, "config": _json(entry)}, quote_via=quote)


def _with_name(name: str, entry: dict[str, Any]) -> str:
    return quote(_json({"name": name, **entry}), safe="")


def _json(entry: dict[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


LINKS = {
    # cursor.com/docs/mcp/install-links; the web address as in the README of microsoft/playwright-mcp
    "cursor": InstallLink(
        ("cursor://anysphere.cursor-deeplink/mcp/install?", _in_base64),
        ("https://cursor.com/en/install-mcp?", _in_base64),
    ),
    # code.visualstudio.com/api/extension-guides/ai/mcp; the web address as in the README of github/github-mcp-server
    "vscode": InstallLink(("vscode:mcp/install?", _with_name), ("https://vscode.dev/redirect/mcp/install?", _in_json)),
    # lmstudio.ai/docs/app/mcp/deeplink
    "lmstudio": InstallLink(("lmstudio://add_mcp?", _in_base64), ("https://lmstudio.ai/install-mcp?", _in_base64)),
    # kiro.dev/docs/mcp/share
    "kiro": InstallLink(None, ("https://kiro.dev/launch/mcp/add?", _in_json)),
}


def goose_file(home: UserHome) -> str:
    """Return the path of Goose's configuration."""
    folder = home.of_app("Block", "goose", "config") if home.platform == "win32" else home.of_config("goose")
    return home.join(folder, "config.yaml")


def goose_snippet(name: str, command: Sequence[str]) -> str:
    """Return the lines of Goose's configuration that make it run a command."""
    import yaml  # noqa: PLC0415 - 15 ms that no other client needs

    entry = {"name": name, "description": _GOOSE_ABOUT, "type": "stdio", "enabled": True, "timeout": _GOOSE_TIMEOUT_S}
    entry |= {"cmd": command[0], "args": list(command[1:])}
    return yaml.safe_dump({"extensions": {name: entry}}, sort_keys=False, allow_unicode=True, width=10_000)


def goose_link(name: str, command: Sequence[str]) -> str | None:
    """Return the link that opens Goose with the entry; None if the command is not uvx, since Goose refuses others."""
    first, *others = command
    if os.path.splitext(os.path.basename(first))[0] != "uvx":
        return None
    values = [("cmd", "uvx"), *(("arg", one) for one in others), ("timeout", str(_GOOSE_TIMEOUT_S)), ("id", name)]
    return f"goose://extension?{urlencode([*values, ('name', name), ('description', _GOOSE_ABOUT)], quote_via=quote)}"
