"""Locate a path of the vault on disk, and refuse every path that leads out of the vault. Match paths with patterns.

A disk that ignores case finds a file under other spellings of its name, too.
"""

import contextlib
import fnmatch
import functools
import os
import re
import stat
from collections.abc import Callable, Iterable

from zkmem.errors import BadName
from zkmem.names import base_of, composed, fold, folders_of, is_note
from zkmem.vault import platform

TRASH = ".trash"  # Obsidian's own

_NAME_MAX, _PATH_MAX = 255, 4096  # bytes, on most file systems; a path ends with a NUL


def check_inside(path: str) -> None:
    """Refuse a path whose text leads out of the vault. Symbolic links are refused later, when the path is opened."""
    if not is_inside(path):
        raise BadName(path, "it leads out of the vault")


def is_inside(path: str) -> bool:
    """Return whether the text of a path leads to a place in the vault."""
    return not path.startswith("/") and "\0" not in path and ".." not in path.split("/")


@functools.cache
def fits_on_disk(root: str) -> Callable[[str], bool]:
    """Return a function that tells whether the file system below the folder `root` can have a path of such a length."""
    longest_name, longest_path = _NAME_MAX, _PATH_MAX
    with contextlib.suppress(OSError, ValueError):  # not every file system knows its limits
        longest_name, longest_path = platform.current.longest(root)

    def fits(path: str) -> bool:
        names = os.fsencode(path).split(b"/")
        names_fit = longest_name < 0 or all(len(name) <= longest_name for name in names)  # -1 stands for no limit
        return names_fit and (longest_path < 0 or len(os.fsencode(f"{root}/{path}")) < longest_path)

    return fits


def locate(root: str, path: str) -> str:
    """Return the place of `path` on disk, with its folder resolved; `root` must be a real path, without symlinks.

    Another process can still put a symlink in place between this check and the use of the path.
    """
    check_inside(path)
    full, folder = f"{root}/{path}", os.path.dirname(path)
    if not folder or _is_plain(root, folder):
        return full
    head, tail = os.path.split(full)
    real = f"{platform.current.real(head)}/{tail}"
    if not inside(root, real):
        raise BadName(path, "a symbolic link leads it out of the vault")
    if is_hidden(real[len(root) :].lstrip("/")) and not is_hidden(path):
        raise BadName(path, "a symbolic link leads it to what is hidden in the vault")
    return real


def _is_plain(root: str, path: str) -> bool:
    """Return whether a path is a real path: all its components exist, and none of them is a symbolic link.

    Nearly all paths are real. This takes a fifth of the time of `realpath`, which also checks the root's components.
    """
    full = root
    for part in path.split("/"):
        if part in {"", "."}:
            return False
        full = f"{full}/{part}"
        try:
            if stat.S_ISLNK(os.lstat(full).st_mode):
                return False
        except OSError:
            return False
    return True


def inside(root: str, real: str) -> bool:
    """Return whether the real path `real` is `root` or below it."""
    return real == root or real.startswith(root.rstrip("/") + "/")


def path_below(full: str, folder: str) -> str:
    """Return the path of a file relative to a folder, `/`-separated on every system."""
    return os.path.relpath(full, folder).replace(os.sep, "/")


def is_hidden(path: str) -> bool:
    """Return whether a component starts with a dot: by Obsidian's rule, such a file is not part of the vault."""
    return path.startswith(".") or "/." in path


def is_visible_note(path: str) -> bool:
    """Return whether a path is that of a note that is not hidden, as one in the trash is."""
    return is_note(path) and not is_hidden(path)


class Patterns:
    """A set of patterns as in a shell: `*.excalidraw.md`, `logs/*`.

    A pattern with a slash is compared with the whole path, any other with its last component.

    Case does not count. `*` matches any characters including slashes, `?` one character, `[abc]` one of the characters.
    Matching takes time at most proportional to the length of the pattern times that of the path: `fnmatch` does not
    backtrack to an earlier `*`.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        folded = [fold(pattern) for pattern in patterns]
        self._of_paths = [_compiled(one.removeprefix("/")) for one in folded if "/" in one]
        self._of_bases = [_compiled(one) for one in folded if "/" not in one]

    def match(self, path: str) -> bool:
        """Return whether any of the patterns matches a path."""
        path = fold(path)
        base = base_of(path)
        return any(one.match(path) for one in self._of_paths) or any(one.match(base) for one in self._of_bases)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern))


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
    """Return the folders of new files that the disk spells otherwise: new path -> present path.

    The outermost comes first. In both paths, the folders above have their new spelling.
    """
    disk, respelled = DiskNames(root), dict[str, str]()
    for folder in sorted({folder for path in paths for folder in folders_of(path) if not is_hidden(folder)}):
        spelled = disk.spelled(folder) if ignores_case(root, folder) else None
        if spelled is not None and base_of(spelled) != base_of(folder):
            respelled[folder] = folder.removesuffix(base_of(folder)) + base_of(spelled)
    return respelled
