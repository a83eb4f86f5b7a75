"""The toolsets by name. To add one, add a line here and its name in `settings.Settings`."""

import importlib
from collections.abc import Iterable, Iterator, Mapping

from zkmem.errors import BadSettings
from zkmem.toolsets.toolset import Toolset, together

_MODULES = {
    "zettel": "zkmem.toolsets.zettel",
    "kg": "zkmem.toolsets.kg.tools",
    "think": "zkmem.toolsets.think.tools",
    "mirix": "zkmem.toolsets.mirix.tools",
    "text": "zkmem.toolsets.text.tools",
    "memory": "zkmem.toolsets.claude_memory",
    "vault": "zkmem.toolsets.vault",
    "history": "zkmem.toolsets.history",
    "connector": "zkmem.toolsets.connector",
}
"""The module that defines the `TOOLSET` of each."""

OF_A_FOLDER = ("zettel", "memory", "vault", "history", "connector")
"""The toolsets that work on one folder of a vault; the answers of the others depend on all notes."""


class _Table(Mapping[str, Toolset]):
    """The toolsets; each is imported when it is first used, since most commands and servers need one or none."""

    def __getitem__(self, name: str) -> Toolset:
        toolset: Toolset = importlib.import_module(_MODULES[name]).TOOLSET
        return toolset

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


TOOLSETS = _Table()


def chosen(names: Iterable[str], settings: Mapping[str, object] = {}) -> Toolset:
    """Combine toolsets into one, in the order of the table, with the settings that they use.

    Raises:
        BadSettings: when a name is no toolset's.
    """
    names = list(names)
    for name in names:
        if name not in _MODULES:
            raise BadSettings(f"There is no toolset {name!r}; there are: {', '.join(TOOLSETS)}.")
    return together(TOOLSETS[name].configured(settings) for name in TOOLSETS if name in names)
