"""Find the vault that a project's file `.zkmem-vault` names.

The file names one folder and nothing else. It may be somebody else's, as the project may: it could name notes that are
not for this project, or a folder in which the memories of the user would be published. So it has no effect until the
user has allowed this file to name this vault, which is remembered in the user's configuration folder.
"""

import os
import pathlib
import stat
from typing import NamedTuple

from zkmem.errors import NoVault
from zkmem.trust import store, stored

FILE = ".zkmem-vault"
_ALLOWED = "projects.json"
_MOST = 4_096  # bytes


class ProjectFile(NamedTuple):
    """A project's file, by its real path, and the real path of the vault that it names."""

    file: str
    vault: str

    @property
    def is_allowed(self) -> bool:
        """Whether the user has allowed this file to name this vault."""
        return allowed().get(self.file) == self.vault

    def allow(self) -> None:
        """Remember that the user allows it."""
        store(_ALLOWED, str, lambda known: {**known, self.file: self.vault})


def nearest(folder: pathlib.Path | None = None) -> ProjectFile | None:
    """Return the project whose file is in a folder (by default, the current one) or above it; None if there is none.

    The search ends at the home folder and at the root of a repository. Where the folder is in neither, only this folder
    is looked at.
    """
    try:
        here = folder or pathlib.Path.cwd()
    except OSError as error:
        raise NoVault("The current folder no longer exists; change to another one.") from error
    return next((_read(path) for path in _places(here) if os.path.lexists(path)), None)


def allowed() -> dict[str, str]:
    """Return the vaults that the user has allowed, by the projects' files."""
    return stored(_ALLOWED, str)


def forget(path: str) -> bool:
    """Forget what the user has allowed a file to name, or the file in a folder. Return whether there was any."""
    files = {path, os.path.join(path, FILE)} & allowed().keys()
    if files:
        store(_ALLOWED, str, lambda known: {file: vault for file, vault in known.items() if file not in files})
    return bool(files)


def _places(here: pathlib.Path) -> list[pathlib.Path]:
    """Return the paths at which the file of a project may be."""
    home = pathlib.Path(os.path.realpath(os.path.expanduser("~")))
    folders = [here, *here.parents]
    last = next((number for number, one in enumerate(folders) if one == home or os.path.lexists(one / ".git")), 0)
    return [one / FILE for one in folders[: last + 1]]


def _read(path: pathlib.Path) -> ProjectFile:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise NoVault(f"{str(path)!r} is not a file; it must be one line of text that names the folder of a vault.")
        with path.open("rb") as file:
            data = file.read(_MOST + 1)
        name = data.decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise NoVault(f"{str(path)!r} cannot be read: {error}.") from error
    if not name or len(data) > _MOST or not name.isprintable():
        raise NoVault(f"{str(path)!r} must be one line that names the folder of a vault, with at most {_MOST} bytes.")
    return ProjectFile(str(path), os.path.realpath(path.parent / os.path.expanduser(name)))
