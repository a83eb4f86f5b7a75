"""Replace a small file in one step: a reader finds the old bytes or the new ones, never a part."""

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable

from zkmem.util.portable import CLOSED_FIRST, NO_LINK, NO_WAIT, binary, replace, set_mode, try_lock

_NEW = ".zkmem-new"
_PATIENCE_S, _PAUSE_S = 10.0, 0.005

Opener = Callable[[str, int, int], int]


def replace_file(
    path: str,
    data: bytes,
    *,
    mode: int = 0o666,
    like: str | None = None,
    durable: bool = True,
    opener: Opener = binary,
    unless: Callable[[], bool] = lambda: False,
) -> bool:
    """Write a new file beside the old one, and rename it. Return False if `unless` is true just before that.

    The new file has the permissions of the file `like`, or else `mode` less the umask. A process that is killed may
    leave it; the next call removes it. Calls for the same path wait for each other.
    """
    new = path + _NEW
    if CLOSED_FIRST:
        return _replace_closed(path, new, data, durable=durable, opener=opener, unless=unless)
    handle = _create(new, mode, opener)
    try:
        if like is not None:
            with contextlib.suppress(FileNotFoundError):
                set_mode(handle, stat.S_IMODE(os.stat(like).st_mode))
        _fill(handle, data, durable=durable)
        if unless():
            os.unlink(new)
            return False
        replace(new, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(new)
        raise
    finally:
        os.close(handle)
    return True


def _replace_closed(
    path: str, new: str, data: bytes, *, durable: bool, opener: Opener, unless: Callable[[], bool]
) -> bool:
    """Replace a file on a system that renames no open file: a lock of its own shows that the new file is in use."""
    import filelock  # noqa: PLC0415 - too slow to import for a hook; only Windows needs it

    with filelock.FileLock(new + ".lock", timeout=_PATIENCE_S):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(new)  # a killed process has left it
        try:
            handle = opener(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            try:
                _fill(handle, data, durable=durable)
            finally:
                os.close(handle)
            if not unless():
                replace(new, path)
                return True
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(new)
            raise
        os.unlink(new)
        return False


def _fill(handle: int, data: bytes, *, durable: bool) -> None:
    written = 0
    while written < len(data):
        written += os.write(handle, data[written:])
    if durable:
        os.fsync(handle)


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
    """Wait until no process writes a file, then remove it if it is still there."""
    try:
        handle = opener(new, os.O_RDONLY | NO_LINK | NO_WAIT, 0)
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
        while not try_lock(handle):
            time.sleep(_PAUSE_S)
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False
