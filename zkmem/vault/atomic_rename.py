"""Swap two files, or rename a file only to a free name, in one step. Python offers neither.

Linux has both in `renameat2`, macOS in `renameatx_np`. Some file systems (NFS, some in user space) support neither; the
functions raise `Unsupported` there.
"""

import ctypes
import errno
import functools
import os
from collections.abc import Callable

from zkmem.vault.nofollow import in_folder

_FREE = {"linux": 1, "darwin": 4}  # RENAME_NOREPLACE, RENAME_EXCL
_SWAP = {"linux": 2, "darwin": 2}  # RENAME_EXCHANGE, RENAME_SWAP
_SYSTEM = os.uname().sysname.lower()
_REFUSALS = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


class Unsupported(Exception):
    """The system or the file system does not support the rename."""


def exchange(one: str, other: str) -> None:
    """Swap two files; neither name is free at any moment.

    Raises:
        Unsupported, OSError.
    """
    _rename(one, other, _SWAP)


def rename_to_free(source: str, to: str) -> None:
    """Rename a file unless the new name is taken.

    Raises:
        FileExistsError: when the name is taken. Unsupported, OSError.
    """
    _rename(source, to, _FREE)


def _rename(source: str, to: str, flags: dict[str, int]) -> None:
    call = _system_call()
    if call is None:
        raise Unsupported
    with in_folder(source) as (folder, name), in_folder(to) as (goal, new):
        failed = call(folder, os.fsencode(name), goal, os.fsencode(new), flags[_SYSTEM])
        number = ctypes.get_errno()
    if failed and number in _REFUSALS:
        raise Unsupported
    if failed:
        raise OSError(number, os.strerror(number), source, None, to)


@functools.cache
def _system_call() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """Return the system's function, as (folder, name, folder, name, flags) -> 0 or -1; None if it has none."""
    name = {"linux": "renameat2", "darwin": "renameatx_np"}.get(_SYSTEM, "")
    return getattr(ctypes.CDLL(None, use_errno=True), name, None) if name else None
