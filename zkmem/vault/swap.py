"""Two renames that the system makes in one step and Python does not offer: swap two files, take only a free name.

Linux has them in `renameat2`, macOS in `renamex_np`. Some file systems refuse (NFS, some in user space): `Unsupported`.
"""

import ctypes
import errno
import functools
import os
from collections.abc import Callable

_AT_FDCWD = -100
_FREE = {"linux": 1, "darwin": 4}  # RENAME_NOREPLACE, RENAME_EXCL
_SWAP = {"linux": 2, "darwin": 2}  # RENAME_EXCHANGE, RENAME_SWAP
_SYSTEM = os.uname().sysname.lower()
_REFUSALS = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


class Unsupported(Exception):
    """The system or the file system cannot do it."""


def exchange(one: str, other: str) -> None:
    """Swap two files, so that no moment exists in which either name is free.

    Raises:
        Unsupported, OSError.
    """
    _rename(one, other, _SWAP)


def rename_to_free(source: str, to: str) -> None:
    """Rename a file unless the new name is taken.

    Raises:
        FileExistsError: when it is. Unsupported, OSError.
    """
    _rename(source, to, _FREE)


def _rename(source: str, to: str, flags: dict[str, int]) -> None:
    call = _system_call()
    if call is None:
        raise Unsupported
    if call(os.fsencode(source), os.fsencode(to), flags[_SYSTEM]):
        number = ctypes.get_errno()
        if number in _REFUSALS:
            raise Unsupported
        raise OSError(number, os.strerror(number), source, None, to)


@functools.cache
def _system_call() -> Callable[[bytes, bytes, int], int] | None:
    """The call of this system, as (source, destination, flags) -> 0 or -1; None where there is none."""
    library = ctypes.CDLL(None, use_errno=True)
    if _SYSTEM == "linux" and hasattr(library, "renameat2"):
        return lambda source, to, flags: int(library.renameat2(_AT_FDCWD, source, _AT_FDCWD, to, flags))
    if _SYSTEM == "darwin" and hasattr(library, "renamex_np"):
        return lambda source, to, flags: int(library.renamex_np(source, to, flags))
    return None
