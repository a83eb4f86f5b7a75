"""The toolsets, by name: adding one is one line here, and its name in `settings.Settings`."""

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
    "history": "zkmem.toolsets.history",
}
"""Where each one's `TOOLSET` is."""

OF_A_FOLDER = ("zettel", "history")
"""Those that can be used on a part of the vault: the others derive what they tell from all notes."""


class _Table(Mapping[str, Toolset]):
    """Loads a toolset when it is asked for: most commands and most servers need one or none."""

    def __getitem__(self, name: str) -> Toolset:
        found: Toolset = importlib.import_module(_MODULES[name]).TOOLSET
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


TOOLSETS = _Table()


def chosen(names: Iterable[str], settings: Mapping[str, object] = {}) -> Toolset:
    """Combine toolsets into one, in the order of the table, with the settings that they use.

    Raises:
        BadSettings: when there is no such toolset.
    """
    names = list(names)
    for name in names:
        if name not in _MODULES:
            raise BadSettings(f"There is no toolset {name!r}; there are: {', '.join(TOOLSETS)}.")
    return together(TOOLSETS[name].configured(settings) for name in TOOLSETS if name in names)
