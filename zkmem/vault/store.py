"""The vault as a store of files: scanned and read by path.

A path is relative to the vault, `/`-separated and NFC; a file whose name on disk is spelled otherwise (NFD, as
macOS writes it) keeps its spelling, which the store remembers.
"""

import os
import shlex
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from zkmem.errors import BadName, Changed, NoVault, Unwritable
from zkmem.vault import files
from zkmem.vault.files import Stamp
from zkmem.vault.paths import locate


@dataclass(frozen=True, slots=True)
class Found:
    """What a scan found below a folder: stamps by path, and a sentence for each thing it had to leave out."""

    stamps: dict[str, Stamp]
    faults: dict[str, str] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)


class Store:
    """The files of one vault."""

    def __init__(self, root: str) -> None:
        """Open the vault at `root`.

        Raises:
            NoVault: when it is not a folder.
        """
        self.root = os.path.realpath(os.path.expanduser(root))
        self.check()
        self._spelled: dict[str, str] = {}

    def check(self) -> None:
        """See that the vault is there: a folder that was unmounted must not look like an empty memory.

        Raises:
            NoVault: when it is not.
        """
        if not os.path.exists(self.root):
            raise NoVault(f"The vault {self.root!r} does not exist. Create it with: mkdir -p {shlex.quote(self.root)}")
        if not os.path.isdir(self.root):
            raise NoVault(f"The vault {self.root!r} is a file; a vault is a folder.")
        if not os.access(self.root, os.R_OK | os.X_OK):
            raise NoVault(f"The vault {self.root!r} cannot be read: its permissions forbid it.")

    def scan(self, under: str = "") -> Found:
        """Every file below the folder `under` that is not hidden. Symlinks are left out: no file has two names."""
        self.check()
        found = Found({})
        folders = [under]
        while folders:
            folder = folders.pop()
            try:
                with os.scandir(os.path.join(self.root, self.spelled(folder))) as entries:
                    self._take_all(entries, folder, found, folders)
            except OSError as error:
                found.faults[folder] = f"folder cannot be read: {error.strerror}"
        return found

    def _take_all(self, entries: Iterable[os.DirEntry[str]], folder: str, found: Found, folders: list[str]) -> None:
        """Add what is in a folder to what was found, and the folders to enter to a list; in a loop, for speed."""
        above = folder + "/" if folder else ""
        stamps = found.stamps
        for entry in entries:
            if entry.name[0] == ".":
                continue
            path = above + entry.name
            try:
                if path.isascii() and entry.is_file(follow_symlinks=False):  # nearly all
                    stamps[path] = Stamp.of(entry.stat(follow_symlinks=False))
                else:
                    folders.extend(self._take(entry, folder, found))
            except OSError as error:
                found.faults[path] = f"cannot be read: {error.strerror}"

    def _take(self, entry: os.DirEntry[str], folder: str, found: Found) -> Iterator[str]:
        """Add one entry of a folder to what was found; yields it when it is a folder to enter."""
        path = self._path_of(entry.name, folder, found)
        if path is None:
            return
        try:
            if entry.is_symlink():
                found.faults[path] = "symbolic link: left out (what it leads to counts under its own name, if inside)"
            elif entry.is_dir():
                if path not in found.folders:  # else it is on the list, under its other spelling
                    found.folders.add(path)
                    yield path
            elif entry.is_file():
                found.stamps[path] = Stamp.of(entry.stat())
        except OSError as error:
            found.faults[path] = f"cannot be read: {error.strerror}"

    def _path_of(self, name: str, folder: str, found: Found) -> str | None:
        path = f"{folder}/{name}" if folder else name
        if path.isascii():
            return path
        try:
            path.encode()
        except UnicodeEncodeError:
            found.faults[ascii(path)] = "name is not UTF-8: left out"
            return None
        proper = unicodedata.normalize("NFC", path)
        spelled = f"{self.spelled(folder)}/{name}" if folder else name
        if proper == spelled:
            other = self._spelled.pop(proper, None)
            if other and (proper in found.stamps or proper in found.folders):
                found.faults[other] = f"another spelling of the same name as {proper!r}: left out"
        elif proper in found.stamps or proper in found.folders:
            found.faults[spelled] = f"another spelling of the same name as {proper!r}: left out"
            return None
        else:
            self._spelled[proper] = spelled
        return proper

    def adopt(self, spelled: str) -> str | None:
        """The path of a file or folder with this spelling on disk, which is remembered; None if it is not UTF-8."""
        if spelled.isascii():
            return spelled
        try:
            spelled.encode()
        except UnicodeEncodeError:
            return None
        proper = unicodedata.normalize("NFC", spelled)
        if os.path.lexists(os.path.join(self.root, proper)):
            self._spelled.pop(proper, None)
        elif proper != spelled:
            self._spelled[proper] = spelled
            folder = os.path.dirname(spelled)
            if folder:
                self.adopt(folder)
        return proper

    def spelled(self, path: str) -> str:
        """How a path is spelled on disk, as far as that is known."""
        if not self._spelled or path.isascii():
            return path
        folder, slash, name = path.rpartition("/")
        return self._spelled.get(path) or (f"{self.spelled(folder)}/{name}" if slash else path)

    def forget(self, spelled: Iterable[str]) -> None:
        """Files that were moved away are not spelled in any way any more."""
        gone = set(spelled)
        if self._spelled and gone:
            self._spelled = {path: other for path, other in self._spelled.items() if other not in gone}

    def full(self, path: str, *, follow: bool = True) -> str:
        """Where `path` is on disk; without `follow`, the symlink itself where there is one.

        Raises:
            BadName: when it leads out of the vault.
        """
        return locate(self.root, self.spelled(path), follow=follow)

    def stamp(self, path: str) -> Stamp | None:
        """The stamp of the file at `path`; None where there is none, or none that a scan would find."""
        return self.look(path)[0]

    def look(self, path: str) -> tuple[Stamp | None, bool]:
        """The stamp of the file at `path`, if there is one; and whether there is a folder that a scan enters."""
        info = self._stat(path)
        is_file = info is not None and stat.S_ISREG(info.st_mode)
        return Stamp.of(info) if info and is_file else None, bool(info and stat.S_ISDIR(info.st_mode))

    def is_large(self, path: str, size: int) -> bool:
        """Whether what is at `path` has more bytes, wherever that leads."""
        try:
            return os.stat(self.found(path)).st_size > size
        except (OSError, ValueError):
            return False

    def ignores_case(self, path: str) -> bool:
        """Whether the file system finds the file at `path` under another spelling, too."""
        other = path.swapcase()
        return other != path and files.is_one_file(f"{self.root}/{path}", f"{self.root}/{other}")

    def _stat(self, path: str) -> os.stat_result | None:
        """The stat of what is at `path`; None where there is nothing, or a symlink is on the way."""
        try:
            full = self.full(path)
            return os.stat(full) if full == os.path.join(self.root, self.spelled(path)).rstrip("/") else None
        except (OSError, BadName):
            return None

    def read(self, path: str) -> tuple[bytes, Stamp]:
        """The bytes at `path` and their stamp.

        Raises:
            OSError: when it cannot be read.
        """
        return files.read(self.full(path))

    def read_found(self, path: str) -> tuple[bytes, Stamp]:
        """The same for a path that a scan has just found: it need not be shown again that it stays inside."""
        return files.read(self.found(path))

    def found(self, path: str) -> str:
        """Where a path that a scan has just found is on disk."""
        return f"{self.root}/{self.spelled(path)}"

    def taken(self, path: str) -> bool:
        """Whether there is anything at `path`.

        Raises:
            BadName: when it leads out of the vault.
        """
        return os.path.lexists(self.full(path, follow=False))

    def expect(self, path: str, base: str) -> bytes:
        """The bytes of the file at `path`, which must still have the etag `base`.

        Raises:
            Changed: when it has not. Unwritable: when it cannot be read.
        """
        try:
            data, _ = self.read(path)
        except (FileNotFoundError, NotADirectoryError):
            raise Changed(f"{path!r} was removed while it was being edited.") from None
        except OSError as error:
            raise Unwritable(f"{path!r} cannot be read: {error.strerror or error}.") from error
        if files.etag(data) != base:
            raise Changed(f"{path!r} was changed while it was being edited (now etag {files.etag(data)}).")
        return data
