"""The operations that zkmem needs from a system. `linux`, `macos` and `windows` each implement all of them.

Every file that zkmem opens or changes in a vault goes through these methods: a vault may come from anywhere, and
another program may replace a folder by a link while zkmem works. So no method follows a symbolic link (on Windows, a
symbolic link or a junction) on any part of a path, unless it says so.

Paths are absolute and `/`-separated on every system, and the path of the vault has no links in it (`Store` sees to
that).
"""

import abc
import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import ClassVar, Protocol

ASIDE = ".aside"
"""Added to the name of a slot: the file that an exchange in several steps puts aside. `files.settle` looks for it."""


class Linked(OSError):
    """A symbolic link is on the path of a file."""

    def __init__(self, full: str) -> None:
        super().__init__(errno.ELOOP, "a symbolic link is on its path, and is not followed", full)


class Unsupported(Exception):
    """The system or the file system cannot do this in one step."""


class DiskEntry(Protocol):
    """A file, folder or link in a folder, as `os.DirEntry` describes it."""

    @property
    def name(self) -> str:
        """The name in the folder."""

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Return whether it is a file."""

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Return whether it is a folder."""

    def is_symlink(self) -> bool:
        """Return whether it is a symbolic link."""

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Return its stat; that of a file equals the result of `Platform.info`."""


class WatchedChanges(Protocol):
    """Collects the changes that a watch reports."""

    def add(self, path: str) -> None:
        """Add the path in an event, relative to the folder."""

    def lose(self) -> None:
        """Note that events were lost, so that a new watch is needed."""


class Watch(Protocol):
    """A running watch of a folder."""

    def stop(self) -> None:
        """Stop the watch, and wait for its threads."""


class Platform(abc.ABC):
    """The operations of a system on files and folders.

    Each raises `OSError` if the disk refuses, with the whole path as its `filename`, and `Linked` if a symbolic link is
    on a path.
    """

    wait_free: ClassVar[int] = 0
    """A flag for `opened`: do not wait for the other end of a pipe."""

    has_modes: ClassVar[bool] = True
    """Whether a file has permissions, which say who may read and change it."""

    allow_writing: ClassVar[str] = "chmod u+w"
    """The command that makes a read-only file writable."""

    swaps_in_one_step: ClassVar[bool] = True
    """Whether `exchange` is one step, so that the name is never free."""

    rescan_s: float = 300.0
    """The seconds between two comparisons of a vault that is watched: events can be lost without notice."""

    @abc.abstractmethod
    def real(self, path: str) -> str:
        """Return the absolute path of a file or folder without links, `/`-separated. This follows links."""

    @abc.abstractmethod
    def longest(self, root: str) -> tuple[int, int]:
        """Return how many bytes a name and a path below `root` may have; -1 for no limit."""

    @abc.abstractmethod
    def is_remote(self, folder: str) -> bool:
        """Return whether a folder is on a file system that other machines write to; False if that is not known."""

    # --- looking

    @abc.abstractmethod
    def opened(self, full: str, flags: int, mode: int = 0o666) -> int:
        """Open a file as `os.open` does; return its descriptor. Usable as the `opener` of `open`."""

    @abc.abstractmethod
    def listed(self, full: str) -> AbstractContextManager[Iterator[DiskEntry]]:
        """Open a folder in a block; the block gets its entries."""

    @abc.abstractmethod
    def check_folder(self, full: str) -> None:
        """Check that a folder is at a path and may be listed."""

    @abc.abstractmethod
    def info(self, full: str) -> os.stat_result:
        """Return the stat of a file, a folder, or a symbolic link itself."""

    @abc.abstractmethod
    def info_of(self, handle: int, /) -> os.stat_result:
        """Return the stat of an open file. It equals the result of `info` for the file's path."""

    @abc.abstractmethod
    def exists(self, full: str) -> bool:
        """Return whether there is a file, folder or symbolic link at a path. This may follow links to its folder."""

    @abc.abstractmethod
    def is_one_file(self, one: str, other: str) -> bool:
        """Return whether two paths name the same file, or the same symlink. This may follow links to the folders."""

    @abc.abstractmethod
    def is_at(self, full: str, handle: int) -> bool:
        """Return whether an open file is the one at a path."""

    @abc.abstractmethod
    def folders_kept(self) -> AbstractContextManager[None]:
        """Open each folder at most once in a block and thread, if that makes work on many files faster here."""

    @abc.abstractmethod
    def replaced_folder(self) -> str | None:
        """Return a folder that this thread keeps open and that is no longer at its path; None if there is none."""

    # --- reading and writing through an open file

    @abc.abstractmethod
    def read_at(self, handle: int, count: int, begin: int) -> bytes:
        """Return at most `count` bytes from the byte `begin` on."""

    @abc.abstractmethod
    def write_at(self, handle: int, data: bytes, begin: int) -> None:
        """Replace the bytes from the byte `begin` on."""

    @abc.abstractmethod
    def take_after(self, handle: int, info: os.stat_result) -> None:
        """Give an open file the permissions and, if possible, the owner that a stat shows; on Windows, do nothing."""

    @abc.abstractmethod
    def set_mode(self, handle: int, mode: int) -> None:
        """Give an open file these permissions; on Windows, do nothing."""

    # --- changing

    @abc.abstractmethod
    def exchange(self, slot: str, full: str) -> None:
        """Swap two files. No version of `full` is lost, whoever saves it meanwhile.

        A system that cannot do that in one step (`swaps_in_one_step`) first puts the file at `full` aside. For a moment
        its name is free then; after a failure or a crash, `files.settle` repairs the files.
        """

    @abc.abstractmethod
    def rename_to_free(self, full: str, to: str) -> None:
        """Rename a file unless the new name is taken."""

    @abc.abstractmethod
    def rename(self, full: str, to: str) -> None:
        """Rename a file or folder; replace the file at `to`, if any."""

    @abc.abstractmethod
    def link(self, full: str, to: str) -> None:
        """Make a hard link to a file, or to a symbolic link itself."""

    @abc.abstractmethod
    def touch(self, full: str) -> None:
        """Set the times of a file to now."""

    @abc.abstractmethod
    def unlink(self, full: str) -> None:
        """Remove a file, or a symbolic link itself. The name is free at once."""

    @abc.abstractmethod
    def make_folder(self, full: str, mode: int | None = None) -> None:
        """Make a folder. `mode`: its permissions, of which the umask takes none away; None for the usual ones."""

    @abc.abstractmethod
    def remove_folder(self, full: str) -> None:
        """Remove an empty folder."""

    # --- making durable, locking, watching

    @abc.abstractmethod
    def sync(self, handles: Sequence[int]) -> None:
        """Make the bytes of some open files durable."""

    @abc.abstractmethod
    def sync_folder(self, folder: str) -> None:
        """Make the names in a folder durable, if they are not durable already and the file system supports that."""

    @abc.abstractmethod
    def try_lock(self, handle: int) -> bool:
        """Lock an open file for this process alone; return False if another process has locked it.

        All can still read the file. The system releases the lock when the process ends.
        """

    @abc.abstractmethod
    def unlock(self, handle: int) -> None:
        """Release the lock of an open file."""

    @abc.abstractmethod
    def watch(self, root: str, changes: WatchedChanges) -> Watch:
        """Watch a folder and its subfolders. Every change after this call is reported.

        A watch stays with the folder that was at `root` when it began: a folder put
        there later is not watched. Hidden files are not reported.
        """
