"""What a tool of this toolset answers: text for a reader, and the document's `{success, error?, data?}`."""

from collections.abc import Mapping
from typing import Any

from zkmem.toolsets.think.raw import Raw
from zkmem.toolsets.tool import Result


def done(*texts: str, data: Mapping[str, Any] | None = None) -> Result:
    """It is done."""
    return Result(tuple(texts), {"success": True} | ({} if data is None else {"data": data}))


def refused(sentence: str) -> Result:
    """It is not, and why."""
    return Result((sentence,), {"success": False, "error": sentence})


def titled(name: str, description: str) -> str:
    """A name and a description in one line."""
    return " ".join(f"{name}: {description}".split()) if description else " ".join(name.split())


def shown(index: int, raw: Raw) -> tuple[str, ...]:
    """An element for a reader: its title, then its text."""
    title = f"{index} {titled(raw.name, raw.description)}"
    return (title, raw.data) if raw.data else (title,)
