"""Views: what a host shows a person with the answer of a tool (MCP Apps, SEP-1865), and who may call their tools.

A host hides the tools that only a view calls from the model. zkmem does not rely on that: the view gets a ticket with
the answer of its tool, where no model sees it, and each of its calls must have that ticket.
"""

import functools
import hashlib
import hmac
import os
import time
from typing import Any

import mcp_types as types

from zkmem.errors import Forbidden

EXTENSION = "io.modelcontextprotocol/ui"
SHOWN = "zkmem/view"
"""The key in `_meta` of a tool's answer under which the view finds its data."""

TICKET = "ticket"
"""The argument of a view's tools, and the field of the view's data, that has the ticket."""

URI = "ui://zkmem/"
_MIME = "text/html;profile=mcp-app"
_LASTS_S = 8 * 3600
_NO_TICKET = (
    "Only a person can call this tool, by a click in the view of `review`. If the view is old, ask for a new review."
)


def uri_of(view: str) -> str:
    """Return the URI of a view. It changes with the view, since hosts keep what they have read."""
    return f"{URI}{view}-{_digest(view)}.html"


def are_shown(client: types.ClientCapabilities | None) -> bool:
    """Return whether a client shows views."""
    settings = (client.extensions or {}).get(EXTENSION) if client else None
    kinds = settings.get("mimeTypes") if settings else None
    return isinstance(kinds, list) and _MIME in kinds


def resource(view: str) -> types.TextResourceContents:
    """Return a view as a resource: one HTML file, which may not load anything."""
    return types.TextResourceContents(
        uri=uri_of(view), mime_type=_MIME, text=_html(view).decode(), _meta={"ui": {"csp": {}, "prefersBorder": True}}
    )


def about(view: str, **more: object) -> dict[str, object]:
    """Return what a host must know of the view of a tool."""
    return {"resourceUri": uri_of(view), **more}


def with_ticket(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a view's tool with the argument that has the ticket."""
    properties, required = schema["properties"], schema.get("required", [])
    return schema | {"properties": {TICKET: {"type": "string"}, **properties}, "required": [TICKET, *required]}


@functools.cache
def _html(view: str) -> bytes:
    from importlib.resources import files  # noqa: PLC0415 - most clients show no view

    return (files("zkmem.serve") / "page" / "bundle" / "chat" / f"{view}.html").read_bytes()


@functools.cache
def _digest(view: str) -> str:
    return hashlib.blake2b(_html(view), digest_size=6).hexdigest()


class Tickets:
    """Makes and checks the tickets of views. Each is for one session of one caller, and ends."""

    def __init__(self, lasts_s: float = _LASTS_S) -> None:
        self._key = os.urandom(32)
        self._lasts_s = lasts_s

    def make(self, holder: object) -> str:
        """Return a new ticket. `holder`: the caller and its session, as plain values."""
        return self._signed(str(int(time.monotonic() + self._lasts_s)), holder)

    def check(self, given: object, holder: object) -> None:
        """Check the ticket of a call.

        Raises:
            Forbidden: when it is not one of this holder, or has ended.
        """
        end = given.partition(".")[0] if isinstance(given, str) and given.isascii() else ""
        is_own = bool(end) and hmac.compare_digest(self._signed(end, holder), str(given))
        if not is_own or int(end) <= time.monotonic():
            raise Forbidden(_NO_TICKET)

    def _signed(self, end: str, holder: object) -> str:
        return f"{end}.{hmac.new(self._key, repr((end, holder)).encode(), 'sha256').hexdigest()}"
