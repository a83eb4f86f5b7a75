"""The vault as a store of files: scanned and read by path.

A path is relative to the vault, `/`-separated and NFC; a file whose name on disk is spelled otherwise (NFD, as
macOS writes it) keeps its spelling, which the store remembers.
"""

import os
import shlex
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from zkmem.errors import BadName, Changed, NoVault, Unwritable
from zkmem.names import base_of, composed
from zkmem.util.spelling import exact
from zkmem.vault import files
from zkmem.vault.files import MOST_BYTES, Stamp, is_large
from zkmem.vault.nofollow import Linked, info, opened
from zkmem.vault.paths import check_inside, locate


@dataclass(frozen=True, slots=True)
class Found:
    """What a scan found below a folder: stamps by path, and a sentence for each thing it had to leave out."""

    stamps: dict[str, Stamp]
    faults: dict[str, str] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)


class Store:
    """The files of one vault."""

    def __init__(self, root: str, most_bytes: int = MOST_BYTES) -> None:
        """Open the vault at `root`; no file of it is read that has more than `most_bytes`.

        Raises:
            NoVault: when it is not a folder.
        """
        self.root = os.path.realpath(os.path.expanduser(root))
        self.check()
        self._spelled: dict[str, str] = {}  # path -> its last component on disk, where that is not in NFC
        self.most_bytes = most_bytes

    def check(self) -> None:
        """See that the vault is there: a folder that was unmounted, or moved, must not look like an empty memory.

        Raises:
            NoVault: when it is not.
        """
        if not os.path.exists(self.root):
            raise NoVault(f"The vault {self.root!r} does not exist. Create it with: mkdir -p {shlex.quote(self.root)}")
        if not os.path.isdir(self.root):
            raise NoVault(f"The vault {self.root!r} is a file; a vault is a folder.")
        if not os.access(self.root, os.R_OK | os.X_OK):
            raise NoVault(f"The vault {self.root!r} cannot be read: its permissions forbid it.")
        try:
            os.close(opened(self.root, os.O_RDONLY | os.O_DIRECTORY))
        except Linked:
            raise NoVault(
                f"The vault {self.root!r} was moved: there is a symbolic link on its path now. Start zkmem again."
            ) from None

    def scan(self, under: str = "", counted: Callable[[int], object] = lambda _: None) -> Found:
        """Every file below the folder `under` that is not hidden. Symlinks are left out: no file has two names.

        `counted` is called after each folder, with the number of files so far.
        """
        self.check()
        found = Found({})
        folders = [under]
        while folders:
            folder = folders.pop()
            try:
                handle = opened(self.full(folder), os.O_RDONLY | os.O_DIRECTORY)
                try:
                    with os.scandir(handle) as entries:
                        self._take_all(entries, folder, found, folders)
                finally:
                    os.close(handle)
            except OSError as error:
                found.faults[folder] = f"folder cannot be read: {error.strerror}"
            counted(len(found.stamps))
        return found

    def _take_all(self, entries: Iterable[os.DirEntry[str]], folder: str, found: Found, folders: list[str]) -> None:
        """Add what is in a folder to what was found, and the folders to enter to a list; in a loop, for speed."""
        above = folder + "/" if folder else ""
        stamps, others = found.stamps, []
        for entry in entries:
            if entry.name[0] == ".":
                continue
            path = above + entry.name
            try:
                if path.isascii() and entry.is_file(follow_symlinks=False):  # nearly all
                    stamps[path] = Stamp.of(entry.stat(follow_symlinks=False))
                else:
                    others.append(entry)
            except OSError as error:
                found.faults[path] = f"cannot be read: {error.strerror}"
        for entry in sorted(others, key=lambda one: not unicodedata.is_normalized("NFC", one.name)):
            folders.extend(self._take(entry, folder, found))

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
        proper = composed(path)
        if name == base_of(proper):
            self._spelled.pop(proper, None)
        elif base_of(proper).isascii() or proper in found.stamps or proper in found.folders or proper in found.faults:
            spelled = f"{self.spelled(folder)}/{name}" if folder else name
            found.faults[spelled] = _left_out(spelled, proper)
            return None
        else:
            self._spelled[proper] = name
        return proper

    def adopt(self, spelled: str) -> str | None:
        """Return the path of a file or folder with this spelling on disk, and remember the spelling.

        None if it is not UTF-8, or if it, or a folder above it, is a second spelling of a name and so left out.
        """
        if spelled.isascii():
            return spelled
        try:
            spelled.encode()
        except UnicodeEncodeError:
            return None
        path = ""
        for name in spelled.split("/"):
            above = f"{path}/" if path else ""
            if not self._adopt_name(above, name):
                return None
            path = above + composed(name)
        return path

    def _adopt_name(self, above: str, name: str) -> bool:
        """Remember how the last component of a path is spelled; return False if another spelling has its place."""
        proper = composed(name)
        known = self._spelled.get(above + proper, proper)
        if name == known:
            return True
        if proper.isascii():  # e.g. the Kelvin sign, which is a different character than K on disk
            return False
        there = f"{self.root}/{self.spelled(above + proper)}".removesuffix(known)
        if files.is_one_file(there + name, there + known):  # the file system finds it under both
            return True
        if os.path.lexists(there + proper):
            self._spelled.pop(above + proper, None)
            return name == proper
        if name != proper and os.path.lexists(there + name):
            if os.path.lexists(there + known):
                return False
            self._spelled[above + proper] = name
        return True

    def spelled(self, path: str) -> str:
        """How a path is spelled on disk, as far as that is known."""
        if not self._spelled or path.isascii():
            return path
        folder, slash, name = path.rpartition("/")
        name = self._spelled.get(path, name)
        return f"{self.spelled(folder)}/{name}" if slash else name

    def is_spelled(self, path: str, spelled: str) -> bool:
        """Return whether the file or folder at a path has this spelling on disk."""
        now = self.spelled(path)
        return now == spelled or files.is_one_file(f"{self.root}/{now}", f"{self.root}/{spelled}")

    def forget(self, spelled: Iterable[str]) -> None:
        """Files that were moved away are not spelled in any way any more."""
        for other in spelled if self._spelled else ():
            path = composed(other)
            if self._spelled.get(path) == base_of(other):
                del self._spelled[path]

    def stamp(self, path: str) -> Stamp | None:
        """The stamp of the file at `path`; None where there is none, or none that a scan would find."""
        return self.look(path)[0]

    def look(self, path: str) -> tuple[Stamp | None, bool]:
        """The stamp of the file at `path`, if there is one; and whether there is a folder that a scan enters."""
        found = self._stat(path)
        is_file = found is not None and stat.S_ISREG(found.st_mode)
        return Stamp.of(found) if found and is_file else None, bool(found and stat.S_ISDIR(found.st_mode))

    def is_large(self, path: str, size: int) -> bool:
        """Return whether the file at `path` has more than `size` bytes."""
        stamp = self.stamp(path)
        return stamp is not None and stamp.size > size

    def ignores_case(self, path: str) -> bool:
        """Whether the file system finds the file at `path` under another spelling, too."""
        other = path.swapcase()
        return other != path and files.is_one_file(f"{self.root}/{path}", f"{self.root}/{other}")

    def _stat(self, path: str) -> os.stat_result | None:
        """The stat of what is at `path`; None where there is nothing, or a symlink is on the way."""
        try:
            full = self.full(path).rstrip("/")
            return info(full) if os.path.normpath(full) == full else None
        except (OSError, BadName):
            return None

    def read(self, path: str, most: int | None = None) -> tuple[bytes, Stamp]:
        """The bytes at `path` and their stamp.

        Raises:
            OSError: when it cannot be read, or a symlink is on the way. BadName: when it leads out of the vault.
            LargeFile: when it has more than `most` bytes (None: `most_bytes`).
        """
        return files.read(self.full(path), self.most_bytes if most is None else most)

    def read_part(self, path: str, begin: int, count: int) -> tuple[bytes, Stamp]:
        """At most `count` bytes at `path` from the byte `begin` on, however large the file is, and its stamp.

        Raises:
            OSError: when it cannot be read, or a symlink is on the way.
        """
        return files.read_part(self.full(path), begin, count)

    def full(self, path: str) -> str:
        """Return where `path` is on disk.

        Raises:
            BadName: when it leads out of the vault.
        """
        check_inside(path)
        return f"{self.root}/{self.spelled(path)}"

    def taken(self, path: str) -> bool:
        """Whether there is anything at `path`.

        Raises:
            BadName: when it leads out of the vault.
        """
        return os.path.lexists(locate(self.root, self.spelled(path)))

    def expect(self, path: str, base: str) -> bytes | None:
        """The bytes of the file at `path`, which must still have the etag `base`; None if it is too large to be read.

        Raises:
            Changed: when it has not. Unwritable: when it cannot be read.
        """
        try:
            if is_large(base):
                tag, data = files.tag_of(self.full(path), base), None
            else:
                data, _ = self.read(path)
                tag = files.etag(data)
        except (FileNotFoundError, NotADirectoryError):
            raise Changed(f"{path!r} was removed while it was being edited.") from None
        except OSError as error:
            raise Unwritable(f"{path!r} cannot be read: {error.strerror or error}.") from error
        if tag != base:
            raise Changed(f"{path!r} was changed while it was being edited (now etag {tag}).")
        return data


def _left_out(spelled: str, proper: str) -> str:
    """Return the message about a file whose name looks like another one in the same folder."""
    return (
        f"left out: its name, spelled {exact(spelled)}, looks like that of {proper}, spelled "
        f"{exact(proper)}; rename one of the two"
    )
