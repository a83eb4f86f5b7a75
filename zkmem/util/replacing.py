"""Replace a small file in one step: a reader finds the old bytes or the new ones, never a part."""

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Callable

_NEW = ".zkmem-new"

Opener = Callable[[str, int, int], int]


def replace_file(
    path: str,
    data: bytes,
    *,
    mode: int = 0o666,
    like: str | None = None,
    durable: bool = True,
    opener: Opener = os.open,
    unless: Callable[[], bool] = lambda: False,
) -> bool:
    """Write a new file beside the old one, and rename it. Return False if `unless` is true just before that.

    The new file has the permissions of the file `like`, or else `mode` less the umask. A process that is killed may
    leave it; the next call removes it. Calls for the same path wait for each other.

    Raises:
        OSError: when the disk refuses.
    """
    new = path + _NEW
    handle = _create(new, mode, opener)
    try:
        if like is not None:
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(handle, stat.S_IMODE(os.stat(like).st_mode))
        written = 0
        while written < len(data):
            written += os.write(handle, data[written:])
        if durable:
            os.fsync(handle)
        if unless():
            os.unlink(new)
            return False
        os.replace(new, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(new)
        raise
    finally:
        os.close(handle)
    return True


def _create(new: str, mode: int, opener: Opener) -> int:
    """Create a file and lock it, so that nobody takes it for one that a killed process has left."""
    while True:
        try:
            handle = opener(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        except FileExistsError:
            _remove_abandoned(new, opener)
            continue
        if _lock(handle, new):
            return handle
        os.close(handle)


def _remove_abandoned(new: str, opener: Opener) -> None:
    """Wait until no process writes a file, then remove it if it is still there.

    Raises:
        OSError: when it is no regular file.
    """
    try:
        handle = opener(new, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, 0)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EEXIST, "it is in the way; remove it", new)
        if _lock(handle, new):
            os.unlink(new)
    finally:
        os.close(handle)


def _lock(handle: int, path: str) -> bool:
    """Lock an open file. Return whether it is still the one at the path."""
    with contextlib.suppress(OSError):  # a disk that has no locks
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False
