"""Links that open a client with an entry filled in: the client shows it, and adds it once its user agrees.

A link in the client's own scheme stays on this machine. A link to the vendor's web address leads to the client, too,
and works where only such links are allowed, as in a README; the vendor's server sees the entry.
"""

import base64
import json
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

Query = Callable[[str, dict[str, Any]], str]


class Link(NamedTuple):
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
    "cursor": Link(
        ("cursor://anysphere.cursor-deeplink/mcp/install?", _in_base64),
        ("https://cursor.com/en/install-mcp?", _in_base64),
    ),
    # code.visualstudio.com/api/extension-guides/ai/mcp; the web address as in the README of github/github-mcp-server
    "vscode": Link(("vscode:mcp/install?", _with_name), ("https://vscode.dev/redirect/mcp/install?", _in_json)),
    # lmstudio.ai/docs/app/mcp/deeplink
    "lmstudio": Link(("lmstudio://add_mcp?", _in_base64), ("https://lmstudio.ai/install-mcp?", _in_base64)),
    # kiro.dev/docs/mcp/share
    "kiro": Link(None, ("https://kiro.dev/launch/mcp/add?", _in_json)),
}
