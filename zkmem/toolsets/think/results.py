"""Make the answers of this toolset: text for a reader, and `{success, error?, data?}` as in the specification."""

from collections.abc import Mapping
from typing import Any

from zkmem.toolsets.think.raw import Raw
from zkmem.toolsets.tool import Result


def done(*texts: str, data: Mapping[str, Any] | None = None) -> Result:
    """Return the result of a successful call."""
    return Result(tuple(texts), {"success": True} | ({} if data is None else {"data": data}))


def titled(name: str, description: str) -> str:
    """Return a name and a description in one line."""
    return " ".join(f"{name}: {description}".split()) if description else " ".join(name.split())


def shown(index: int, raw: Raw) -> tuple[str, ...]:
    """Return an element as texts for a reader: its title, then its data."""
    title = f"{index} {titled(raw.name, raw.description)}"
    return (title, raw.data) if raw.data else (title,)
