"""The toolsets by name, and several of them as one."""

import importlib
from collections.abc import Iterable, Iterator, Mapping

from zkmem.errors import BadSettings
from zkmem.settings import TOOLSET_ROWS
from zkmem.toolsets.toolset import Toolset, together

OF_A_FOLDER = tuple(name for name, row in TOOLSET_ROWS.items() if row.of_a_folder)
"""The toolsets that work on one folder of a vault."""


class _Table(Mapping[str, Toolset]):
    """The toolsets; each is imported when it is first used, since most commands and servers need one or none."""

    def __getitem__(self, name: str) -> Toolset:
        toolset: Toolset = importlib.import_module(TOOLSET_ROWS[name].module).TOOLSET
        return toolset

    def __iter__(self) -> Iterator[str]:
        return iter(TOOLSET_ROWS)

    def __len__(self) -> int:
        return len(TOOLSET_ROWS)


TOOLSETS = _Table()


def chosen(names: Iterable[str], settings: Mapping[str, object] = {}) -> Toolset:
    """Combine toolsets into one, in the order of the table, with the settings that they use.

    Raises:
        BadSettings: when a name is no toolset's.
    """
    names = list(names)
    for name in names:
        if name not in TOOLSET_ROWS:
            raise BadSettings(f"There is no toolset {name!r}; there are: {', '.join(TOOLSETS)}.")
    return together(TOOLSETS[name].configured(settings) for name in TOOLSETS if name in names)
