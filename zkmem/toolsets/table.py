"""The toolsets, by name: adding one is one line."""

from collections.abc import Iterable

from zkmem.errors import BadSettings
from zkmem.toolsets import history, zettel
from zkmem.toolsets.kg import tools as kg
from zkmem.toolsets.mirix import tools as mirix
from zkmem.toolsets.text import tools as text
from zkmem.toolsets.think import tools as think
from zkmem.toolsets.toolset import Toolset, together

TOOLSETS: dict[str, Toolset] = {
    "zettel": zettel.TOOLSET,
    "kg": kg.TOOLSET,
    "think": think.TOOLSET,
    "mirix": mirix.TOOLSET,
    "text": text.TOOLSET,
    "history": history.TOOLSET,
}


def chosen(names: Iterable[str]) -> Toolset:
    """These toolsets as one, in the order of the table.

    Raises:
        BadSettings: when there is no such toolset.
    """
    names = list(names)
    for name in names:
        if name not in TOOLSETS:
            raise BadSettings(f"There is no toolset {name!r}; there are: {', '.join(TOOLSETS)}.")
    return together(toolset for name, toolset in TOOLSETS.items() if name in names)
