"""Check what clients may do, and make the configured model, which answers the questions of some tools."""

import os
import shlex
from typing import TYPE_CHECKING

from zkmem import config
from zkmem.errors import BadArgument, BadSettings
from zkmem.settings import Settings
from zkmem.toolsets.toolset import Toolset

if TYPE_CHECKING:
    from zkmem.serve.mcp.endpoint import ChatEndpoint


def check_ways(settings: Settings, *, propose: bool) -> None:
    """Check what the clients of a server may do.

    Raises:
        BadArgument: when they can only read, and propose edits.
    """
    if settings.read_only and propose:
        raise BadArgument(
            "A client that can only read cannot propose; leave out --propose, or --read-only and its setting."
        )


def check_memory_file(settings: Settings, vault: str) -> None:
    """Check that nobody who serves the tools of server-memory expects its file to be read.

    Raises:
        BadSettings: when the environment names that file.
    """
    if "kg" in settings.toolsets and (file := os.environ.get("MEMORY_FILE_PATH")):
        raise BadSettings(
            "MEMORY_FILE_PATH names a file of server-memory, which zkmem does not use: its memory is in the vault. "
            f"Remove the variable; this adds the memory of the file: zkmem import --vault {shlex.quote(vault)} "
            f"{shlex.quote(file)}"
        )


def endpoint_of(settings: Settings) -> "ChatEndpoint | None":
    """Return the configured model; None if there is none.

    Raises:
        BadSettings: when the name of the model, or the library for its protocol, is missing.
    """
    if not settings.llm_url:
        return None
    if not settings.llm_model:
        raise BadSettings("llm_url also needs llm_model: the name of the model at that address.")
    from zkmem.serve.mcp.endpoint import ChatEndpoint  # noqa: PLC0415 - only a server with a model needs it

    return ChatEndpoint(settings.llm_url, settings.llm_model, config.llm_key())


def endpoint_for(toolset: Toolset, settings: Settings) -> "ChatEndpoint | None":
    """Return the configured model if a tool of a toolset asks one; else None. The errors are those of `endpoint_of`."""
    return endpoint_of(settings) if any(tool.question for tool in toolset.tools) else None
