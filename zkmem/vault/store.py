"""Scan and read the files of a vault by path.

A path is relative to the vault, `/`-separated and in NFC. A file whose name on disk is spelled otherwise (in NFD, as
macOS writes it) keeps its spelling; the store remembers it.
"""

import contextlib
import functools
import os
import shlex
import stat
import threading
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from zkmem.errors import BadName, Changed, NoVault, Unwritable
from zkmem.names import base_of, below, composed, folders_of
from zkmem.util.spelling import exact
from zkmem.util.waiting import WouldWait, may_wait
from zkmem.vault import files, platform
from zkmem.vault.files import MOST_BYTES, Stamp, is_large
from zkmem.vault.paths import check_inside, ignores_case, is_hidden, locate

_LONGEST_S = 0.2  # an edit waits no longer than this for a program that saves a file
_PAUSE_S = 0.002


class SkippedFile(NamedTuple):
    """A file or folder that a scan leaves out."""

    reason: str
    unread: str = ""  # if the disk refuses to read it: its path, with a slash at the end if it is a folder


@dataclass(frozen=True, slots=True)
class Scan:
    """The result of a scan below a folder: stamps by path, and the files and folders that it left out."""

    stamps: dict[str, Stamp]
    faults: dict[str, SkippedFile] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)

    @property
    def unread(self) -> list[str]:
        """The folders, with a slash at their end, and the files that the disk refuses to read."""
        return unread_of(self.faults)


class _Staged(threading.local):
    """The files that this thread is about to write: their bytes, and stamps that no file on the disk has."""

    files: dict[str, tuple[bytes, Stamp]] | None = None


class Store:
    """The files of one vault."""

    def __init__(self, root: str, most_bytes: int = MOST_BYTES) -> None:
        """Open the vault at `root`; never read a file of more than `most_bytes`."""
        self.root = platform.current.real(os.path.expanduser(root))
        self.check()
        self._spelled: dict[str, str] = {}  # path -> its last component on disk, where that is not in NFC
        self.most_bytes = most_bytes
        self._staged = _Staged()

    @property
    def watched(self) -> str:
        """The folder whose files other programs change."""
        return self.root

    @functools.cached_property
    def is_remote(self) -> bool:
        """Whether another machine holds the files, so that any access to them may take long."""
        return platform.current.is_remote(self.root)

    def _check_may_wait(self) -> None:
        """Check that this thread may wait for another machine, if one holds the files."""
        if not may_wait() and self.is_remote:
            raise WouldWait

    def check(self) -> None:
        """Check that the vault exists: a folder that was unmounted or moved must not look like an empty memory."""
        self._check_may_wait()
        with contextlib.suppress(OSError):  # the usual case; if this fails, the checks below say why
            platform.current.check_folder(self.root)
            if os.access(self.root, os.X_OK):
                return
        if not os.path.exists(self.root):
            raise NoVault(f"The vault {self.root!r} does not exist. To create it: zkmem init {shlex.quote(self.root)}")
        if not os.path.isdir(self.root):
            raise NoVault(f"The vault {self.root!r} is a file; a vault is a folder.")
        if not os.access(self.root, os.R_OK | os.X_OK):
            raise NoVault(f"The vault {self.root!r} cannot be read: its permissions forbid it.")
        try:
            platform.current.check_folder(self.root)
        except platform.Linked:
            raise NoVault(
                f"The vault {self.root!r} was moved: there is a symbolic link on its path now. Start zkmem again."
            ) from None

    def has_more_files_than(self, limit: int) -> bool:
        """Return whether the vault has more than `limit` files that are not hidden. Stop at the first one beyond it."""
        count, folders = 0, [self.root]
        while folders:
            folder = folders.pop()
            with contextlib.suppress(OSError), platform.current.listed(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders += [] if is_hidden(entry.name) else [f"{folder}/{entry.name}"]
                    elif entry.is_file(follow_symlinks=False) and not is_hidden(entry.name):
                        count += 1
                    if count > limit:
                        return True
        return False

    def scan(self, under: str = "") -> Scan:
        """Return the files below the folder `under` that are not hidden, without symlinks: no file has two names."""
        self.check()
        scan = Scan({})
        folders = [under]
        while folders:
            folder = folders.pop()
            try:
                with platform.current.listed(self.full(folder)) as entries:
                    self._take_all(entries, folder, scan, folders)
            except OSError as error:
                scan.faults[folder] = SkippedFile(f"folder cannot be read: {error.strerror}", folder + "/")
        return scan

    def _take_all(self, entries: Iterable[platform.DiskEntry], folder: str, scan: Scan, folders: list[str]) -> None:
        """Add the files of a folder to `scan`, and its folders to `folders`. For speed, this is one loop."""
        above = folder + "/" if folder else ""
        stamps, others = scan.stamps, []
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
                scan.faults[path] = SkippedFile(f"cannot be read: {error.strerror}", path)
        for entry in sorted(others, key=lambda one: not unicodedata.is_normalized("NFC", one.name)):
            folders.extend(self._take(entry, folder, scan))

    def _take(self, entry: platform.DiskEntry, folder: str, scan: Scan) -> Iterator[str]:
        """Add one entry of a folder to `scan`; yield its path if it is a folder to enter."""
        path = self._path_of(entry.name, folder, scan)
        if path is None:
            return
        try:
            if entry.is_symlink():
                reason = "symbolic link: left out (what it leads to counts under its own name, if inside)"
                scan.faults[path] = SkippedFile(reason)
            elif entry.is_dir():
                if path not in scan.folders:  # else it is listed under its other spelling
                    scan.folders.add(path)
                    yield path
            elif entry.is_file():
                scan.stamps[path] = Stamp.of(entry.stat())
        except OSError as error:
            scan.faults[path] = SkippedFile(f"cannot be read: {error.strerror}", path)

    def _path_of(self, name: str, folder: str, scan: Scan) -> str | None:
        path = f"{folder}/{name}" if folder else name
        if path.isascii():
            return path
        try:
            path.encode()
        except UnicodeEncodeError:
            scan.faults[ascii(path)] = SkippedFile("name is not UTF-8: left out")
            return None
        proper = composed(path)
        if name == base_of(proper):
            self._spelled.pop(proper, None)
        elif base_of(proper).isascii() or proper in scan.stamps or proper in scan.folders or proper in scan.faults:
            spelled = f"{self.spelled(folder)}/{name}" if folder else name
            scan.faults[spelled] = _second_spelling(spelled, proper)
            return None
        else:
            self._spelled[proper] = name
        return proper

    def adopt(self, spelled: str) -> str | None:
        """Return the path of a file or folder with this spelling on disk, and remember the spelling.

        Return None if the spelling is not UTF-8, or if a component is left out as a second spelling of a name.
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
        """Remember how the last component of a path is spelled; return False if another spelling is already in use."""
        proper = composed(name)
        known = self._spelled.get(above + proper, proper)
        if name == known:
            return True
        if proper.isascii():  # e.g. the Kelvin sign, which is a different character than K on disk
            return False
        there = f"{self.root}/{self.spelled(above + proper)}".removesuffix(known)
        if platform.current.is_one_file(there + name, there + known):  # the file system accepts both spellings
            return True
        if platform.current.exists(there + proper):
            self._spelled.pop(above + proper, None)
            return name == proper
        if name != proper and platform.current.exists(there + name):
            if platform.current.exists(there + known):
                return False
            self._spelled[above + proper] = name
        return True

    def spelled(self, path: str) -> str:
        """Return a path with the known spelling of each component on disk."""
        if not self._spelled or path.isascii():
            return path
        folder, slash, name = path.rpartition("/")
        name = self._spelled.get(path, name)
        return f"{self.spelled(folder)}/{name}" if slash else name

    def is_spelled(self, path: str, spelled: str) -> bool:
        """Return whether the file or folder at a path has this spelling on disk."""
        now = self.spelled(path)
        return now == spelled or platform.current.is_one_file(f"{self.root}/{now}", f"{self.root}/{spelled}")

    def forget(self, spelled: Iterable[str]) -> None:
        """Forget the spellings of files that were moved away."""
        for other in spelled if self._spelled else ():
            path = composed(other)
            if self._spelled.get(path) == base_of(other):
                del self._spelled[path]

    def stage(self, texts: Mapping[str, bytes]) -> dict[str, tuple[bytes, Stamp]]:
        """Have this thread, and no other, see files as if they had these bytes already. Return them with their stamps.

        The thread holds the lock of the vault until it has written the files. It calls `unstage` before that.
        """
        now = time.time_ns()
        staged = {path: (data, Stamp(now, now, len(data), 0)) for path, data in texts.items()}
        self._staged.files = {**(self._staged.files or {}), **staged}
        return staged

    def unstage(self) -> None:
        """Have this thread see all files as they are on the disk."""
        self._staged.files = None

    def stamp(self, path: str) -> Stamp | None:
        """Return the stamp of the file at `path`; None if a scan would not find a file there."""
        return self.look(path)[0]

    def look(self, path: str) -> tuple[Stamp | None, bool]:
        """Return the stamp of the file at `path`, or None, and whether a folder is there that a scan enters."""
        if self._staged.files and path in self._staged.files:
            return self._staged.files[path][1], False
        self._check_may_wait()
        result = self._stat(path)
        is_file = result is not None and stat.S_ISREG(result.st_mode)
        return Stamp.of(result) if result and is_file else None, bool(result and stat.S_ISDIR(result.st_mode))

    def is_large(self, path: str, size: int) -> bool:
        """Return whether the file at `path` has more than `size` bytes."""
        stamp = self.stamp(path)
        return stamp is not None and stamp.size > size

    def ignores_case(self, path: str) -> bool:
        """Return whether the file system also finds the file at `path` with upper and lower case swapped."""
        return ignores_case(self.root, path)

    def _stat(self, path: str) -> os.stat_result | None:
        """Return the stat of the file or folder at `path`; None if there is none, or a symlink is on the path."""
        try:
            full = self.full(path).rstrip("/")
            return platform.current.info(full) if os.path.normpath(full) == full else None
        except (OSError, BadName):
            return None

    def read(self, path: str, most: int | None = None) -> tuple[bytes, Stamp]:
        """Return the bytes of the file at `path` and its stamp."""
        if self._staged.files and path in self._staged.files:
            return self._staged.files[path]
        self._check_may_wait()
        return files.read(self.full(path), self.most_bytes if most is None else most)

    def read_settled(self, path: str) -> tuple[bytes, Stamp]:
        """Return the bytes of a file and its stamp, once no program seems to be saving it.

        Some programs first empty a file and then write it. An edit that reads the file in between would
        take the empty text for the text that the person has written.

        No program seems to be saving a file that has not changed within the last tick of the clock, or one that has
        bytes and the same stamp before and after it is read: a program leaves a file empty only until it writes.
        The wait ends after `_LONGEST_S`.
        """
        deadline = time.monotonic() + _LONGEST_S
        while True:
            now = time.time_ns()
            data, stamp = self.read(path)
            if not stamp.is_racy(now) or not stamp.inode:  # a file without an inode is one that this thread will write
                return data, stamp
            if (data and self.stamp(path) == stamp) or time.monotonic() > deadline:
                return data, stamp
            time.sleep(_PAUSE_S)

    def read_part(self, path: str, begin: int, count: int) -> tuple[bytes, Stamp]:
        """Return at most `count` bytes of the file at `path` from the byte `begin` on, and its stamp.

        The file may be of any size.
        """
        return files.read_part(self.full(path), begin, count)

    def remove_empty_folders(self, path: str, within: str = "") -> None:
        """Remove the folder at a path and those below it if nothing is in them, and then those above it.

        Hidden folders stay, and so do the folder `within` and those above that. The caller holds the vault's lock, so
        that no edit has just made a folder for a new file.
        """
        inside = list[str]()
        for folder, names, _ in os.walk(self.full(path)):
            names[:] = [name for name in names if not name.startswith(".")]
            inside.append(folder)
        above = [self.full(folder) for folder in folders_of(path) if below(folder, within)]
        for folder in (*reversed(inside), *above):
            with contextlib.suppress(OSError):  # something is in it
                platform.current.remove_folder(folder)

    def full(self, path: str) -> str:
        """Return the full path of `path` on disk."""
        check_inside(path)
        return f"{self.root}/{self.spelled(path)}"

    def taken(self, path: str) -> bool:
        """Return whether there is a file, folder or link at `path`."""
        if self._staged.files and path in self._staged.files:
            return True
        full = locate(self.root, self.spelled(path))
        # `exists` would keep the folder open, under a spelling that the edit may be about to change
        return platform.current.is_one_file(full, full)

    def expect(self, path: str, base: str) -> bytes | None:
        """Return the bytes of the file at `path`, which must have the tag `base`; None if it is too large to read."""
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


def unread_of(faults: Mapping[str, SkippedFile]) -> list[str]:
    """Return those folders, with a slash at their end, and files that the disk refuses to read."""
    return sorted(one.unread for one in faults.values() if one.unread)


def _second_spelling(spelled: str, proper: str) -> SkippedFile:
    """Return the message about a file whose name looks like another name in the same folder."""
    return SkippedFile(
        f"left out: its name, spelled {exact(spelled)}, looks like that of {proper}, spelled "
        f"{exact(proper)}; rename one of the two"
    )
