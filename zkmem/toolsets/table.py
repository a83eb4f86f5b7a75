"""The toolsets, by name: adding one is one line."""

from collections.abc import Iterable

from zkmem.errors import BadSettings
from zkmem.toolsets import history, zettel
from zkmem.toolsets.tool import Tool

TOOLSETS: dict[str, tuple[Tool, ...]] = {
    "zettel": zettel.TOOLS,
    "history": history.TOOLS,
}


def chosen(names: Iterable[str]) -> tuple[Tool, ...]:
    """The tools of these toolsets, in the order of the table.

    Raises:
        BadSettings: when there is no such toolset.
    """
    names = list(names)
    for name in names:
        if name not in TOOLSETS:
            raise BadSettings(f"There is no toolset {name!r}; there are: {', '.join(TOOLSETS)}.")
    return tuple(tool for name, tools in TOOLSETS.items() if name in names for tool in tools)
