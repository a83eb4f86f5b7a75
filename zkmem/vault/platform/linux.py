"""Linux: `openat2` refuses links on a whole path, `renameat2` swaps files or renames to a free name in one step.

Some file systems (NFS, some in user space) do not support `renameat2`, and some sandboxes forbid `openat2`.
"""

import contextlib
import ctypes
import errno
import functools
import os
import sys
from collections.abc import Callable, Sequence

assert sys.platform == "linux"  # noqa: S101 - a type checker for another system skips the rest

from zkmem.vault.platform import mounts  # noqa: E402
from zkmem.vault.platform.posix import PASS, Posix  # noqa: E402

_OPENAT2 = 437  # the number of the system call, on every architecture
_NO_SYMLINKS = 0x04
_AT_FDCWD = -100


class Linux(Posix):
    """Linux, with or without `openat2`."""

    _rename_call = "renameat2"
    _free = 1  # RENAME_NOREPLACE
    _swap = 2  # RENAME_EXCHANGE

    def __init__(self) -> None:
        self._call = openat2()

    def is_remote(self, folder: str) -> bool:
        return mounts.is_remote(folder)

    def _open(self, full: str, flags: int, mode: int) -> int:
        if self._call is None or flags & os.O_CREAT:
            return super()._open(full, flags, mode)
        sys.audit("open", full, None, flags)
        return self._call(full, flags)

    def _info(self, full: str) -> os.stat_result:
        if self._call is None:
            return super()._info(full)
        handle = self._call(full, PASS | os.O_NOFOLLOW)  # of the link itself, if it is one
        try:
            return os.fstat(handle)
        finally:
            os.close(handle)

    def sync(self, handles: Sequence[int]) -> None:
        if len(handles) > 1:  # this begins to write all of them, so that few flushes of the disk follow
            with contextlib.suppress(OSError):  # it is only a hint
                for handle in handles:
                    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        super().sync(handles)


class _How(ctypes.Structure):
    """The argument of `openat2` that says how to open a file."""

    _fields_ = [("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64)]


def openat2() -> Callable[[str, int], int] | None:
    """Return `openat2` as (path, flags) -> handle; None if the system does not have it, or a sandbox forbids it."""
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
        os.close(call("/", PASS | os.O_DIRECTORY))
    except OSError:
        return None
    return call
