"""Make the configured model, which answers the questions of some tools."""

from typing import TYPE_CHECKING

from zkmem import config
from zkmem.errors import BadSettings
from zkmem.settings import Settings
from zkmem.toolsets.toolset import Toolset

if TYPE_CHECKING:
    from zkmem.serve.mcp.endpoint import ChatEndpoint


def endpoint_of(settings: Settings) -> "ChatEndpoint | None":
    """Return the configured model; None if there is none."""
    if not settings.llm_url:
        return None
    if not settings.llm_model:
        raise BadSettings("llm_url also needs llm_model: the name of the model at that address.")
    from zkmem.serve.mcp.endpoint import ChatEndpoint  # noqa: PLC0415 - only a server with a model needs it

    return ChatEndpoint(settings.llm_url, settings.llm_model, config.llm_key())


def endpoint_for(toolset: Toolset, settings: Settings) -> "ChatEndpoint | None":
    """Return the configured model if a tool of a toolset asks one; else None. The errors are those of `endpoint_of`."""
    return endpoint_of(settings) if any(tool.question for tool in toolset.tools) else None
