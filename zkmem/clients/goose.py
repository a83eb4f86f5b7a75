"""What a user needs to add zkmem to Goose, whose file zkmem does not edit: it is YAML.

Facts: goose-docs.ai/docs/guides/config-files, goose-docs.ai/docs/getting-started/using-extensions.
"""

import os
from collections.abc import Sequence
from urllib.parse import quote, urlencode

from zkmem.clients.table import Home

NAME = "goose"
_ABOUT = "A memory in Markdown notes with links"
_TIMEOUT_S = 300


def file(home: Home) -> str:
    """Return the path of Goose's configuration."""
    folder = home.of_app("Block", "goose", "config") if home.platform == "win32" else home.of_config("goose")
    return home.join(folder, "config.yaml")


def snippet(name: str, command: Sequence[str]) -> str:
    """Return the lines of Goose's configuration that make it run a command."""
    import yaml  # noqa: PLC0415 - 15 ms that no other client needs

    entry = {"name": name, "description": _ABOUT, "type": "stdio", "enabled": True, "timeout": _TIMEOUT_S}
    entry |= {"cmd": command[0], "args": list(command[1:])}
    return yaml.safe_dump({"extensions": {name: entry}}, sort_keys=False, allow_unicode=True, width=10_000)


def link(name: str, command: Sequence[str]) -> str | None:
    """Return the link that opens Goose with the entry; None if the command is not uvx, since Goose refuses others."""
    first, *others = command
    if os.path.splitext(os.path.basename(first))[0] != "uvx":
        return None
    values = [("cmd", "uvx"), *(("arg", one) for one in others), ("timeout", str(_TIMEOUT_S)), ("id", name)]
    return f"goose://extension?{urlencode([*values, ('name', name), ('description', _ABOUT)], quote_via=quote)}"
