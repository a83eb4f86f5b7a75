"""Open and rename files without following a symbolic link on any part of their path.

Every file that zkmem opens or moves in a vault goes through this module: a vault may come from anywhere, and another
program may replace a folder by a link while zkmem works. Linux refuses links in one step with `openat2`, macOS with
`O_NOFOLLOW_ANY`. On other systems each folder of the path is opened in turn.

Paths are absolute, and the path of the vault has no links in it (`Store` sees to that).
"""

import contextlib
import ctypes
import errno
import functools
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator

_OPENAT2 = 437  # the number of the system call, on every architecture of Linux
_NO_SYMLINKS = 0x04
_AT_FDCWD = -100
_ANY = getattr(os, "O_NOFOLLOW_ANY", 0)  # macOS 11 and later
_MOST_KEPT = 64  # open handles of folders
_PATH = getattr(os, "O_PATH", os.O_RDONLY)  # passing through a folder needs no right to list it


class Linked(OSError):
    """A symbolic link is on the path of a file."""

    def __init__(self, full: str) -> None:
        super().__init__(errno.ELOOP, "a symbolic link is on its path, and is not followed", full)


class _How(ctypes.Structure):
    """The argument of `openat2` that says how to open a file."""

    _fields_ = [("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64)]


def opened(full: str, flags: int, mode: int = 0o666) -> int:
    """Open a file as `os.open` does. Usable as the `opener` of `open`.

    Raises:
        Linked: when the file, or a folder on its path, is a symbolic link. OSError: when it cannot be opened.
    """
    try:
        if _kept.folders is not None and not flags & os.O_DIRECTORY:
            sys.audit("open", full, None, flags)  # as `os.open` does for a whole path
            folder, name = _kept_folder(full, _kept.folders)
            return os.open(name, flags | os.O_NOFOLLOW, mode, dir_fd=folder)
        if _ANY:
            return os.open(full, flags | _ANY, mode)
        sys.audit("open", full, None, flags)
        if flags & os.O_CREAT:
            with in_folder(full) as (folder, name):
                return os.open(name, flags | os.O_NOFOLLOW, mode, dir_fd=folder)
        call = _openat2()
        return call(full, flags) if call else _by_parts(full, flags)
    except OSError as error:
        error.filename = full
        raise _linked(error, full) from None


def _linked(error: OSError, full: str) -> OSError:
    """Return the error to raise for an error of the system, which reports a symbolic link on the path as a loop."""
    return Linked(full) if error.errno == errno.ELOOP else error


class _Kept(threading.local):
    """The handles of folders that a thread keeps open, by path, the most recently used one last."""

    folders: dict[str, int] | None = None


_kept = _Kept()


@contextlib.contextmanager
def folders_kept() -> Iterator[None]:
    """Open each folder only once in this block and thread, which makes work on many files faster.

    If a folder is renamed meanwhile, its old path still leads to it, and not to the folder that replaces it.
    `replaced_folder` finds such a folder.
    """
    if _kept.folders is not None:
        yield
        return
    handles = _kept.folders = {}
    try:
        yield
    finally:
        _kept.folders = None
        with contextlib.ExitStack() as stack:
            for handle in handles.values():
                stack.callback(os.close, handle)


def replaced_folder() -> str | None:
    """Return a folder that this thread keeps open and that is no longer at its path; None if there is none."""
    for folder, handle in (_kept.folders or {}).items():
        try:
            there = opened(folder or "/", _PATH | os.O_DIRECTORY)
        except OSError:
            return folder
        try:
            if not os.path.samestat(os.fstat(there), os.fstat(handle)):
                return folder
        finally:
            os.close(there)
    return None


def exists(full: str) -> bool:
    """Return whether there is a file, folder or symbolic link at a path. Use the open handle of its folder, if any."""
    if _kept.folders is None:
        return os.path.lexists(full)
    try:
        info(full)
    except OSError:
        return False
    return True


def _kept_folder(full: str, handles: dict[str, int]) -> tuple[int, str]:
    """Return the handle of a file's folder, which stays open, and the file's name in that folder."""
    folder, _, name = full.rpartition("/")
    handle = handles.pop(folder, None)
    if handle is None:
        while len(handles) >= _MOST_KEPT:
            os.close(handles.pop(next(iter(handles))))
        handle = opened(folder or "/", _PATH | os.O_DIRECTORY)
    handles[folder] = handle
    return handle, name or "."


def info(full: str) -> os.stat_result:
    """Return the stat of a file, a folder, or a symbolic link itself.

    Raises:
        OSError: when nothing is at the path, or a folder on the path is a symbolic link.
    """
    call = _openat2()
    try:
        if _kept.folders is not None:  # without a context manager: an edit of many files calls this often
            folder, name = _kept_folder(full, _kept.folders)
            return os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not call:
            with in_folder(full) as (folder, name):
                return os.stat(name, dir_fd=folder, follow_symlinks=False)
        handle = call(full, _PATH | os.O_NOFOLLOW)  # of the link itself, if it is one
    except OSError as error:
        error.filename = full
        raise _linked(error, full) from None
    try:
        return os.fstat(handle)
    finally:
        os.close(handle)


def rename(full: str, to: str) -> None:
    """Rename a file; replace the file at `to`, if any.

    Raises:
        OSError: when the disk refuses, or a folder on a path is a symbolic link. The next five functions raise it too.
    """
    with in_folder(full, to) as (source, name), in_folder(to) as (goal, new):
        os.rename(name, new, src_dir_fd=source, dst_dir_fd=goal)


def link(full: str, to: str) -> None:
    """Make a hard link to a file, or to a symbolic link itself."""
    with in_folder(full, to) as (source, name), in_folder(to) as (goal, new):
        os.link(name, new, src_dir_fd=source, dst_dir_fd=goal, follow_symlinks=False)


def touch(full: str) -> None:
    """Set the times of a file to now."""
    with in_folder(full) as (folder, name):
        os.utime(name, dir_fd=folder, follow_symlinks=False)


def unlink(full: str) -> None:
    """Remove a file, or a symbolic link itself."""
    with in_folder(full) as (folder, name):
        os.unlink(name, dir_fd=folder)


def make_folder(full: str, mode: int | None = None) -> None:
    """Make a folder. `mode`: its permissions, of which the umask takes none away; None for the usual ones."""
    with in_folder(full) as (folder, name):
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


def remove_folder(full: str) -> None:
    """Remove an empty folder."""
    with in_folder(full) as (folder, name):
        os.rmdir(name, dir_fd=folder)


class in_folder:  # noqa: N801 - used as a function; a generator would cost more than some of the calls
    """A context manager that opens the folder of a file, and returns its handle and the file's name in it.

    An `OSError` in the block then names the whole path, and the path `to` if that is given.
    """

    __slots__ = ("_full", "_own", "_to")

    def __init__(self, full: str, to: str | None = None) -> None:
        self._full = full
        self._to = to
        self._own: int | None = None

    def __enter__(self) -> tuple[int, str]:
        """Return the handle and the name."""
        try:
            if _kept.folders is not None:
                return _kept_folder(self._full, _kept.folders)
            self._own = opened(os.path.dirname(self._full) or "/", _PATH | os.O_DIRECTORY)
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


def _by_parts(full: str, flags: int) -> int:
    """Open a file that exists, by opening each folder on its path in turn."""
    *folders, name = full.strip("/").split("/")
    above = os.open("/", _PATH | os.O_DIRECTORY)
    try:
        for part in folders:
            inner = _open_in(above, part, _PATH | os.O_DIRECTORY)
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
def _openat2() -> Callable[[str, int], int] | None:
    """Return `openat2` as (path, flags) -> handle; None if the system does not have it, or a sandbox forbids it."""
    if os.uname().sysname != "Linux":
        return None
    system_call, size = ctypes.CDLL(None, use_errno=True).syscall, ctypes.sizeof(_How)

    @functools.cache
    def how(flags: int) -> object:
        return ctypes.byref(_How(flags | os.O_CLOEXEC | getattr(os, "O_LARGEFILE", 0), 0, _NO_SYMLINKS))

    def call(full: str, flags: int) -> int:
        path, way = os.fsencode(full), how(flags)
        while (handle := system_call(_OPENAT2, _AT_FDCWD, path, way, size)) < 0:
            number = ctypes.get_errno()
            if number != errno.EINTR:
                raise OSError(number, os.strerror(number), full)
        return int(handle)

    try:
        os.close(call("/", _PATH | os.O_DIRECTORY))
    except OSError:
        return None
    return call
