"""What Linux, macOS and other systems of the POSIX family share. No call follows a link.

Some systems have a call that refuses a link anywhere on a path. On the others, each folder of the path is opened in
turn.
"""

import contextlib
import ctypes
import errno
import fcntl
import functools
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from zkmem.vault.platform.interface import Linked, Platform, Unsupported, Watch, WatchedChanges

assert sys.platform != "win32"  # noqa: S101 - a type checker for Windows skips the rest

PASS = getattr(os, "O_PATH", os.O_RDONLY)
"""A flag to open a folder only to pass through it, which needs no right to list it."""

_MOST_OPEN = 64  # open handles of folders
_REFUSALS = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


class _OpenFolders(threading.local):
    """The handles of folders that a thread keeps open, by path, the most recently used one last."""

    handles: dict[str, int] | None = None


_open_folders = _OpenFolders()


class Posix(Platform):
    """A POSIX system, with the calls that all of them have."""

    wait_free = os.O_NONBLOCK
    _rename_call: ClassVar[str] = ""  # the system's function for a rename with flags, if it has one
    _free: ClassVar[int] = 0  # its flag for a rename that fails if the new name is taken
    _swap: ClassVar[int] = 0  # its flag to swap two files

    def real(self, path: str) -> str:
        return os.path.realpath(path)

    def longest(self, root: str) -> tuple[int, int]:
        return os.pathconf(root, "PC_NAME_MAX"), os.pathconf(root, "PC_PATH_MAX")

    def is_remote(self, folder: str) -> bool:  # noqa: ARG002
        return False

    def opened(self, full: str, flags: int, mode: int = 0o666) -> int:
        try:
            if _open_folders.handles is not None and not flags & os.O_DIRECTORY:
                sys.audit("open", full, None, flags)  # as `os.open` does for a whole path
                folder, name = self._folder_handle(full, _open_folders.handles)
                return os.open(name, flags | os.O_NOFOLLOW, mode, dir_fd=folder)
            return self._open(full, flags, mode)
        except OSError as error:
            error.filename = full
            raise linked(error, full) from None

    def _open(self, full: str, flags: int, mode: int) -> int:
        """Open a file whose folder is not kept open. A link on the path is an `OSError` with `ELOOP`."""
        sys.audit("open", full, None, flags)
        if flags & os.O_CREAT:
            with self.in_folder(full) as (folder, name):
                return os.open(name, flags | os.O_NOFOLLOW, mode, dir_fd=folder)
        return _by_parts(full, flags)

    @contextlib.contextmanager
    def listed(self, full: str) -> Iterator[Iterator[os.DirEntry[str]]]:
        handle = self.opened(full, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with os.scandir(handle) as entries:
                yield entries
        finally:
            os.close(handle)

    def check_folder(self, full: str) -> None:
        os.close(self.opened(full, os.O_RDONLY | os.O_DIRECTORY))

    def info(self, full: str) -> os.stat_result:
        try:
            if _open_folders.handles is not None:  # without a context manager: an edit of many files calls this often
                folder, name = self._folder_handle(full, _open_folders.handles)
                return os.stat(name, dir_fd=folder, follow_symlinks=False)
            return self._info(full)
        except OSError as error:
            error.filename = full
            raise linked(error, full) from None

    def _info(self, full: str) -> os.stat_result:
        """Return the stat of a file whose folder is not kept open."""
        with self.in_folder(full) as (folder, name):
            return os.stat(name, dir_fd=folder, follow_symlinks=False)

    info_of = staticmethod(os.fstat)

    def exists(self, full: str) -> bool:
        if _open_folders.handles is None:
            return os.path.lexists(full)
        try:
            self.info(full)
        except OSError:
            return False
        return True

    def is_one_file(self, one: str, other: str) -> bool:
        try:
            return os.path.samestat(os.lstat(one), os.lstat(other))
        except OSError:  # one of them does not exist, or has an impossible name
            return False

    def is_at(self, full: str, handle: int) -> bool:
        return os.path.samestat(os.lstat(full), os.fstat(handle))

    @contextlib.contextmanager
    def folders_kept(self) -> Iterator[None]:
        """Open each folder only once in this block and thread, which makes work on many files faster.

        If a folder is renamed meanwhile, its old path still leads to it, and not to the folder that replaces it.
        `replaced_folder` finds such a folder.
        """
        if _open_folders.handles is not None:
            yield
            return
        handles = _open_folders.handles = {}
        try:
            yield
        finally:
            _open_folders.handles = None
            with contextlib.ExitStack() as stack:
                for handle in handles.values():
                    stack.callback(os.close, handle)

    def replaced_folder(self) -> str | None:
        for folder, handle in (_open_folders.handles or {}).items():
            try:
                new_handle = self.opened(folder or "/", PASS | os.O_DIRECTORY)
            except OSError:
                return folder
            try:
                if not os.path.samestat(os.fstat(new_handle), os.fstat(handle)):
                    return folder
            finally:
                os.close(new_handle)
        return None

    def _folder_handle(self, full: str, handles: dict[str, int]) -> tuple[int, str]:
        """Return the handle of a file's folder, which stays open, and the file's name in that folder."""
        folder, _, name = full.rpartition("/")
        handle = handles.pop(folder, None)
        if handle is None:
            while len(handles) >= _MOST_OPEN:
                os.close(handles.pop(next(iter(handles))))
            handle = self.opened(folder or "/", PASS | os.O_DIRECTORY)
        handles[folder] = handle
        return handle, name or "."

    def in_folder(self, full: str, to: str | None = None) -> "InFolder":
        """Return a context manager that opens the folder of a file."""
        return InFolder(self, full, to)

    def read_at(self, handle: int, count: int, begin: int) -> bytes:
        return os.pread(handle, count, begin)

    def write_at(self, handle: int, data: bytes, begin: int) -> None:
        os.pwrite(handle, data, begin)

    def take_after(self, handle: int, info: os.stat_result) -> None:
        own, mode = os.fstat(handle), stat.S_IMODE(info.st_mode)
        if (own.st_uid, own.st_gid) != (info.st_uid, info.st_gid):
            with contextlib.suppress(PermissionError):  # only root may give a file away
                os.fchown(handle, info.st_uid, info.st_gid)
        if stat.S_IMODE(own.st_mode) != mode:  # usually both have the mode that the umask gives
            os.fchmod(handle, mode)

    def set_mode(self, handle: int, mode: int) -> None:
        os.fchmod(handle, mode)

    def exchange(self, slot: str, full: str) -> None:
        self._rename(slot, full, self._swap)

    def rename_to_free(self, full: str, to: str) -> None:
        self._rename(full, to, self._free)

    def _rename(self, full: str, to: str, flags: int) -> None:
        call = _with_flags(self._rename_call)
        if call is None:
            raise Unsupported
        with self.in_folder(full) as (folder, name), self.in_folder(to) as (goal, new):
            failed = call(folder, os.fsencode(name), goal, os.fsencode(new), flags)
            number = ctypes.get_errno()
        if failed and number in _REFUSALS:
            raise Unsupported
        if failed:
            raise OSError(number, os.strerror(number), full, None, to)

    def rename(self, full: str, to: str) -> None:
        with self.in_folder(full, to) as (source, name), self.in_folder(to) as (goal, new):
            os.rename(name, new, src_dir_fd=source, dst_dir_fd=goal)

    def link(self, full: str, to: str) -> None:
        with self.in_folder(full, to) as (source, name), self.in_folder(to) as (goal, new):
            os.link(name, new, src_dir_fd=source, dst_dir_fd=goal, follow_symlinks=False)

    def touch(self, full: str) -> None:
        with self.in_folder(full) as (folder, name):
            os.utime(name, dir_fd=folder, follow_symlinks=False)

    def unlink(self, full: str) -> None:
        with self.in_folder(full) as (folder, name):
            os.unlink(name, dir_fd=folder)

    def make_folder(self, full: str, mode: int | None = None) -> None:
        with self.in_folder(full) as (folder, name):
            if mode is None:
                os.mkdir(name, dir_fd=folder)
                return
            os.mkdir(name, mode, dir_fd=folder)
            handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            try:
                with contextlib.suppress(PermissionError):  # a file system without permissions
                    os.fchmod(handle, mode)
            finally:
                os.close(handle)

    def remove_folder(self, full: str) -> None:
        with self.in_folder(full) as (folder, name):
            os.rmdir(name, dir_fd=folder)

    def sync(self, handles: Sequence[int]) -> None:
        for handle in handles:
            self._flush(handle)

    def _flush(self, handle: int) -> None:
        os.fsync(handle)

    def sync_folder(self, folder: str) -> None:
        handle = self.opened(f"{folder}/", os.O_RDONLY)
        try:
            self._flush(handle)
        except OSError as error:
            if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # some network file systems cannot sync a folder
                raise
        finally:
            os.close(handle)

    def try_lock(self, handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock(self, handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)

    def watch(self, root: str, changes: WatchedChanges) -> Watch:
        from zkmem.vault.platform.observed import ObservedFolder  # noqa: PLC0415 - only a server imports watchdog

        return ObservedFolder(root, changes)


class InFolder:
    """A context manager that opens the folder of a file, and returns its handle and the file's name in it.

    An `OSError` in the block then names the whole path, and the path `to` if that is given. `contextlib.contextmanager`
    would take longer than some of the calls.
    """

    __slots__ = ("_full", "_own", "_platform", "_to")

    def __init__(self, platform: Posix, full: str, to: str | None) -> None:
        self._platform = platform
        self._full = full
        self._to = to
        self._own: int | None = None

    def __enter__(self) -> tuple[int, str]:
        """Return the handle and the name."""
        try:
            if _open_folders.handles is not None:
                return self._platform._folder_handle(self._full, _open_folders.handles)  # noqa: SLF001 - a part of that class
            self._own = self._platform.opened(os.path.dirname(self._full) or "/", PASS | os.O_DIRECTORY)
        except OSError as error:
            self._name(error)
            raise
        return self._own, os.path.basename(self._full) or "."

    def __exit__(self, _: object, error: object, __: object) -> None:
        """Close the folder, unless this thread keeps it open."""
        if self._own is not None:
            os.close(self._own)
        if isinstance(error, OSError):
            self._name(error)

    def _name(self, error: OSError) -> None:
        error.filename, error.filename2 = self._full, self._to


def linked(error: OSError, full: str) -> OSError:
    """Return the error to raise for an error of the system, which reports a symbolic link on the path as a loop."""
    return Linked(full) if error.errno == errno.ELOOP else error


def _by_parts(full: str, flags: int) -> int:
    """Open a file that exists, by opening each folder on its path in turn."""
    *folders, name = full.strip("/").split("/")
    above = os.open("/", PASS | os.O_DIRECTORY)
    try:
        for part in folders:
            inner = _open_in(above, part, PASS | os.O_DIRECTORY)
            os.close(above)
            above = inner
        return _open_in(above, name or ".", flags)
    except OSError as error:
        error.filename = full
        raise
    finally:
        os.close(above)


def _open_in(folder: int, name: str, flags: int) -> int:
    try:
        return os.open(name, flags | os.O_NOFOLLOW, dir_fd=folder)
    except NotADirectoryError:  # Linux raises this for a link in the place of a folder
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise Linked(name) from None
        raise


@functools.cache
def _with_flags(name: str) -> Callable[[int, bytes, int, bytes, int], int] | None:
    """Return the system's rename as (folder, name, folder, name, flags) -> 0 or -1; None if it has none."""
    return getattr(ctypes.CDLL(None, use_errno=True), name, None) if name else None
