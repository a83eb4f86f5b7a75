"""Choose paths in the trash for deleted and merged notes."""

from collections.abc import Callable, Iterable

from zkmem.edit.plan import Move, View
from zkmem.names import LONGEST, base_of
from zkmem.vault.paths import TRASH


def trash_path(path: str, taken: Callable[[str], bool]) -> str:
    """Return a free path for a file in the trash, with a number if its name is taken there.

    The number is found by doubling and halving, so the thousandth file of one name tries about twenty paths.
    """
    stem, dot, suffix = base_of(path).rpartition(".")

    def numbered(number: int) -> str:
        if not number:
            return f"{TRASH}/{base_of(path)}"
        ending = f" {number}{dot}{suffix}"
        short = stem.encode()[: LONGEST - len(ending.encode())].decode(errors="ignore")
        return f"{TRASH}/{short}{ending}"

    used, free = -1, 0
    while taken(numbered(free)):
        used, free = free, max(1, 2 * free)
    while free - used > 1:
        middle = (used + free) // 2
        used, free = (middle, free) if taken(numbered(middle)) else (used, middle)
    return numbered(free)


class TrashPaths:
    """Chooses paths in the trash for several files; no path is chosen twice."""

    def __init__(self, view: View) -> None:
        """Choose paths that are free in this view."""
        self._view = view
        self._chosen = set[str]()

    def choose(self, path: str) -> str:
        """Return a free path for the file at `path`."""
        place = trash_path(path, lambda place: place in self._chosen or self._view.store.taken(place))
        self._chosen.add(place)
        return place


def to_trash(view: View, paths: Iterable[str]) -> list[Move]:
    """Return the moves of some files to different paths in the trash."""
    trash = TrashPaths(view)
    return [Move(path, trash.choose(path), view.base(path)) for path in paths]
