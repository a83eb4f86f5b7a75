"""A memory for language models that a person can read: Markdown notes in a folder, links between them, MCP."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zkmem.memory import Memory

__all__ = ["Memory", "__version__"]
__version__ = "0.1.0"


def __dir__() -> list[str]:
    """Return the names of the package, with `Memory`, which may not be imported yet."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> "type[Memory]":
    """Import `Memory` when somebody asks for it: most commands need only a part of what it imports."""
    if name != "Memory":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from zkmem.memory import Memory  # noqa: PLC0415 - see above

    return Memory
