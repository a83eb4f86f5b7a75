"""Linux: `openat2` refuses links on a whole path, `renameat2` swaps files or renames to a free name in one step.

A folder may be on a file system of another machine: the system reports no events for changes made there. Some file
systems (NFS, some in user space) do not support `renameat2`, and some sandboxes forbid `openat2`.
"""

import contextlib
import ctypes
import errno
import functools
import os
import re
import sys
from collections.abc import Callable, Sequence

assert sys.platform == "linux"  # noqa: S101 - a type checker for another system skips the rest

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
        return is_remote(folder)

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


REMOTE = frozenset(
    {
        "9p",  # WSL, QEMU, containers in a virtual machine
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "fuse.ceph",
        "fuse.ceph-fuse",
        "fuse.davfs2",
        "fuse.glusterfs",
        "fuse.gvfsd-fuse",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "fuse.vmhgfs-fuse",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "prl_fs",  # Parallels
        "smb3",
        "smbfs",
        "vboxsf",  # VirtualBox
        "virtiofs",
        "vmhgfs",  # VMware
    }
)
"""The Linux names of the types of file systems that other machines, or the host of this machine, write to."""

_MOUNTS = "/proc/self/mountinfo"
_ESCAPED = re.compile(rb"\\([0-7]{3})")


def is_remote(folder: str) -> bool:
    """Return whether the folder at this real path is on a file system that other machines write to.

    Return False on a system without `/proc`.
    """
    try:
        with open(_MOUNTS, "rb") as mounts:
            return kind_of(os.fsencode(folder), mounts.read()) in REMOTE
    except OSError:
        return False


def kind_of(folder: bytes, mountinfo: bytes) -> str:
    """Return the type of the file system that a folder is on, from the text of `mountinfo` (see proc(5)).

    The deepest mount point above the folder counts. If several mounts share that point, the last one counts.
    """
    deepest, kind = b"", ""
    for line in mountinfo.splitlines():
        before, _, after = line.partition(b" - ")
        fields = before.split(b" ")
        if len(fields) < 5:
            continue
        point = _ESCAPED.sub(lambda match: bytes([int(match[1], 8)]), fields[4])
        if len(point) >= len(deepest) and (folder + b"/").startswith(point.rstrip(b"/") + b"/"):
            deepest, kind = point, os.fsdecode(after.split(b" ")[0])
    return kind
