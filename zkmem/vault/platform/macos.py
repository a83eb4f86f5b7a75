"""macOS: `O_NOFOLLOW_ANY` refuses links on a whole path, `renameatx_np` swaps files or renames to a free name."""

import errno
import fcntl
import os
import sys

assert sys.platform == "darwin"  # noqa: S101 - a type checker for another system skips the rest

from zkmem.vault.platform.posix import Posix  # noqa: E402

_NO_LINKS = getattr(os, "O_NOFOLLOW_ANY", 0)  # macOS 11 and later
_NO_FULL_FLUSH = {errno.ENOTSUP, errno.EINVAL, errno.ENOTTY}


class MacOS(Posix):
    """macOS."""

    _rename_call = "renameatx_np"
    _free = 4  # RENAME_EXCL
    _swap = 2  # RENAME_SWAP

    def _open(self, full: str, flags: int, mode: int) -> int:
        if not _NO_LINKS:
            return super()._open(full, flags, mode)
        return os.open(full, flags | _NO_LINKS, mode)

    def _flush(self, handle: int) -> None:
        """Write the bytes to the disk itself. `fsync` leaves them in the drive's memory, which a power cut empties."""
        try:
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
        except OSError as error:
            if error.errno not in _NO_FULL_FLUSH:  # else the file system, such as a network drive, has no such call
                raise
            super()._flush(handle)
