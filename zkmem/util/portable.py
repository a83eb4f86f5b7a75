"""What the lowest layer needs of the operating system. Files of a vault go through `zkmem.vault.platform` instead."""

import contextlib
import errno
import io
import os
import sys
import time
from typing import TextIO

_PATIENCE_S = 2.0
_PAUSE_S = 0.02
_FAR = 1 << 40  # behind the end of each file: on Windows, a locked byte cannot be read by others

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Flags to open no link, and not to wait for a pipe; 0 on Windows, which has neither."""

CLOSED_FIRST = os.name == "nt"
"""Whether a file must be closed before it is renamed."""

if sys.platform == "win32":
    import msvcrt

    def try_lock(handle: int) -> bool:
        """Lock an open file; return False if another process has locked it."""
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
        return True

    def open_to_lock(folder: str) -> int:
        """Open a file in a folder, for a lock of the folder; Windows can lock no folder."""
        return os.open(os.path.join(folder, ".zkmem-turn"), os.O_RDWR | os.O_CREAT | os.O_BINARY | os.O_NOINHERIT)

    def opened(path: str, flags: int, mode: int = 0o666) -> int:
        """Open a file as `os.open` does, unless it is a link, which may lead anywhere. Do not wait for a pipe."""
        if os.path.islink(path):
            raise OSError(errno.ELOOP, "it is a symbolic link", path)
        return os.open(path, flags | os.O_BINARY | os.O_NOINHERIT, mode)

    def set_mode(handle: int, mode: int) -> None:
        """Do nothing: no file has such permissions."""

    def is_locked(handle: int) -> bool:
        """Return whether another process has locked an open file. If not, the file is locked until it is closed."""
        return not try_lock(handle)

else:
    import fcntl

    def try_lock(handle: int) -> bool:
        """Lock an open file or folder; return False if another process has locked it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def open_to_lock(folder: str) -> int:
        """Open a folder, for a lock of the folder."""
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)

    def opened(path: str, flags: int, mode: int = 0o666) -> int:
        """Open a file as `os.open` does, unless it is a link, which may lead anywhere. Do not wait for a pipe."""
        return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, mode)

    def set_mode(handle: int, mode: int) -> None:
        """Give an open file these permissions."""
        os.fchmod(handle, mode)

    def is_locked(handle: int) -> bool:
        """Return whether another process has locked an open file. If not, this takes a lock that others can share."""
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def binary(path: str, flags: int, mode: int = 0o666) -> int:
    """Open a file as `os.open` does; its bytes stay as they are on every system."""
    return os.open(path, flags | getattr(os, "O_BINARY", 0), mode)


def write_utf8(*streams: TextIO | None) -> None:
    """Have text streams write UTF-8 in place of a code page of Windows, which has few characters and no emoji."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower().startswith("cp"):
            stream.reconfigure(encoding="utf-8", errors="replace")


def replace(source: str, to: str) -> None:
    """Rename a file, over the one at `to`. On Windows, try again for some time if another program has one open."""
    deadline = time.monotonic() + (_PATIENCE_S if CLOSED_FIRST else 0)
    while time.monotonic() < deadline:
        with contextlib.suppress(PermissionError):
            os.replace(source, to)
            return
        time.sleep(_PAUSE_S)
    os.replace(source, to)
