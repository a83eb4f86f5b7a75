"""Read what a client sends to a hook. Nothing in it is trusted: any text, or none, may come on the standard input.

Which tools write is known here without importing them; a test compares it with the toolsets.
"""

import contextlib
import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from zkmem.clients.events import START
from zkmem.errors import BadArgument
from zkmem.vault.journal.log import MALFORMED
from zkmem.vault.journal.origins import hash_of, session_of

MOST_BYTES = 4_000_000  # of an input; a longer one is no request

_MOST = 20_000  # characters of a prompt; the rest is dropped
_READ_BY = ("get", "read", "search", "open", "peek", "load", "list", "query", "log", "show", "diff", "fetch")
"""The beginnings of the names of tools that only read."""

_READING = {"memory_search", "memory_get_profile", "review", "why"}
_NAMING = ("name", "new_name", "names", "entityNames", "namePath", "path", "new_path", "id")
_MOST_NAMES = 50
_LONGEST_NAME = 300  # characters of a name


class HookEvent(NamedTuple):
    """An event of a session. Fields that the client does not send are empty."""

    event: str  # one of `clients.events.EVENTS`
    client: str  # a key of `clients.events.HOOK_CLIENTS`
    session: str  # a hash: the client's own name for it may be any text
    source: str  # why a session starts: "startup", "resume", "clear" or "compact"
    cwd: str
    prompt: str
    tool: str  # without the name of its server
    arguments: Mapping[str, Any]  # of the tool
    call: str  # the hash of the id of the call of the tool; "" if the client gives it none
    continues: bool  # whether a hook has kept the turn from ending already

    @classmethod
    def of(cls, event: str, client: str, data: bytes) -> "HookEvent":
        """Return the request in the input of a hook."""
        values = None
        with contextlib.suppress(*MALFORMED):
            values = json.loads(data or b"{}") if len(data) <= MOST_BYTES else None
        if not isinstance(values, dict):
            raise BadArgument(f"The input of the hook is no JSON object of at most {MOST_BYTES:,} bytes.")
        context, arguments = values.get("mcp_context"), values.get("tool_input")
        named = _text(context, "tool_name") or _text(values, "tool_name")
        return cls(
            event,
            client,
            session_of(client, _text(values, "session_id")),
            _text(values, "source"),
            _text(values, "cwd"),
            _text(values, "prompt")[:_MOST],
            _without_server(named),
            arguments if isinstance(arguments, dict) else {},
            hash_of(_text(values, "tool_use_id")),
            values.get("stop_hook_active") is True,
        )

    @property
    def is_after_compaction(self) -> bool:
        """Whether a session goes on with a summary of itself."""
        return self.event == START and self.source == "compact"

    @property
    def key(self) -> str:
        """A short text that two hooks for the same event of a session have in common."""
        about = f"{self.event}\0{self.source}\0{self.prompt}"
        return hashlib.blake2b(about.encode(), digest_size=8).hexdigest()


def _without_server(tool: str) -> str:
    """Return the name of a tool without that of its server: `get_content` for `mcp__zkmem__get_content`.

    Gemini CLI writes `mcp_zkmem_get_content`.
    """
    last = tool.rpartition("__")[2]
    return last.removeprefix("mcp_").partition("_")[2] if last.startswith("mcp_") else last


def _text(values: object, name: str) -> str:
    """Return a text in an object; "" if it has none, or a value of another type. A lone surrogate becomes `?`."""
    value = values.get(name) if isinstance(values, dict) else None
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""


def writes(tool: str, arguments: Mapping[str, Any] = {}) -> bool:
    """Return whether a tool of zkmem changes notes."""
    is_view = tool == "memory" and arguments.get("command") == "view"
    return not (is_view or tool in _READING or tool.startswith(_READ_BY))


def names_in(arguments: Mapping[str, Any]) -> list[str]:
    """Return the names of notes in the arguments of a tool, without headings and without `.md`."""
    values = [value for key in _NAMING if (value := arguments.get(key)) is not None]
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    return [
        name
        for text in texts[:_MOST_NAMES]
        if isinstance(text, str) and len(text) <= _LONGEST_NAME
        if (name := text.partition("#")[0].strip().removeprefix("/").removesuffix(".md"))
    ]
