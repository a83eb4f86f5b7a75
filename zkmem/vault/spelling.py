"""The spelling of names on a disk that ignores case, which finds a file under other spellings of its name, too."""

from collections.abc import Iterable

from zkmem.names import base_of, composed, fold, folders_of
from zkmem.vault import platform
from zkmem.vault.paths import is_hidden


class DiskNames:
    """The names below a folder as the disk spells them. Each folder is listed once."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._names: dict[str, list[str]] = {}

    def spelled(self, path: str) -> str | None:
        """Return the spelling that the disk has for a path; None if it lists no such name.

        A part that differs in its Unicode form alone stays as it is in the path.
        """
        spelled = ""
        for part in path.split("/"):
            names = self._in(spelled)
            name = part if composed(part) in map(composed, names) else _same(part, names)
            if name is None:
                return None
            spelled += f"/{name}" if spelled else name
        return spelled

    def _in(self, folder: str) -> list[str]:
        if folder not in self._names:
            try:
                with platform.current.listed(f"{self._root}/{folder}".rstrip("/")) as entries:
                    self._names[folder] = [entry.name for entry in entries]
            except OSError:  # it was removed a moment ago
                self._names[folder] = []
        return self._names[folder]


def _same(part: str, names: Iterable[str]) -> str | None:
    """Return the name that differs from a part of a path in case alone; None if there is none."""
    folded = fold(part)
    return next((name for name in names if fold(name) == folded), None)


def ignores_case(root: str, path: str) -> bool:
    """Return whether the disk also finds what is at a path with upper and lower case swapped.

    Letters that are two letters in the other case (İ, ß) stay as they are: no disk finds one by the other.
    """
    other = "".join(swapped if (swapped := one.swapcase()).swapcase() == one else one for one in path)
    return other != path and platform.current.is_one_file(f"{root}/{path}", f"{root}/{other}")


def respellings(root: str, paths: Iterable[str]) -> dict[str, str]:
    """Return new path -> present path of each folder of some new files that the disk spells otherwise.

    The outermost comes first. In both paths, the folders above have their new spelling.
    """
    disk, found = DiskNames(root), dict[str, str]()
    for folder in sorted({folder for path in paths for folder in folders_of(path) if not is_hidden(folder)}):
        spelled = disk.spelled(folder) if ignores_case(root, folder) else None
        if spelled is not None and base_of(spelled) != base_of(folder):
            found[folder] = folder.removesuffix(base_of(folder)) + base_of(spelled)
    return found
