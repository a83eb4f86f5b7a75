"""Bytes on disk: read with an etag, replaced atomically, moved without overwriting."""

import contextlib
import errno
import functools
import hashlib
import os
import secrets
import stat
from typing import NamedTuple

TEMP_PREFIX = ".zkmem-"  # hidden, so that neither index nor watcher nor Obsidian sees a half-written file
_BLOCK = 65_536


class Stamp(NamedTuple):
    """What tells a file from its earlier self without reading it: nanoseconds, bytes, inode."""

    mtime_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, info: os.stat_result) -> "Stamp":
        """The stamp in a stat result."""
        return cls(info.st_mtime_ns, info.st_size, info.st_ino)


def etag(data: bytes) -> str:
    """The first 12 hex digits of BLAKE2b over the bytes."""
    return hashlib.blake2b(data, digest_size=6).hexdigest()


def read(full: str) -> tuple[bytes, Stamp]:
    """The bytes of a file, and its stamp as it was before the first byte was read.

    Raises:
        OSError: when there is no regular file, or it cannot be read.
    """
    handle = os.open(full, os.O_RDONLY | os.O_NONBLOCK)  # a FIFO must not hang the server
    try:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(f"not a regular file: {full}")
        size = info.st_size + 1 if info.st_size < _BLOCK else _BLOCK
        data = os.read(handle, size)
        if len(data) == size:
            blocks = [data]
            while block := os.read(handle, 1_048_576):
                blocks.append(block)
            data = b"".join(blocks)
        return data, Stamp.of(info)
    finally:
        os.close(handle)


def replace(full: str, data: bytes, *, new: bool) -> None:
    """Write a file whole or not at all, durably; `new` insists that no file is there.

    Raises:
        FileExistsError: when `new` and there is one.
        OSError: when the disk refuses; the old file is untouched then.
    """
    folder = os.path.dirname(full)
    temp = os.path.join(folder, f"{TEMP_PREFIX}{secrets.token_hex(6)}.tmp")
    handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            if not new:
                os.fchmod(file.fileno(), _mode_to_keep(full))
            file.flush()
            os.fsync(file.fileno())
        if new:
            _move_exclusively(temp, full)
        else:
            os.replace(temp, full)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temp)
        raise
    sync_folder(folder)


def _mode_to_keep(full: str) -> int:
    mode = stat.S_IMODE(os.stat(full).st_mode)
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(errno.EACCES, "it is read-only (chmod u+w allows it)")
    return mode


def move(full: str, to: str) -> None:
    """Rename a file, never over another one; a rename that only changes the case of its name works everywhere.

    Raises:
        FileExistsError: when there is another file at `to`.
    """
    if os.path.exists(to) and os.path.samefile(full, to):
        os.rename(full, to)
    else:
        _move_exclusively(full, to)
    sync_folder(os.path.dirname(to))
    if os.path.dirname(full) != os.path.dirname(to):
        sync_folder(os.path.dirname(full))


def _move_exclusively(source: str, to: str) -> None:
    """Rename onto a free name: by a hard link, which fails if the name is taken, else by claiming it first.

    Raises:
        OSError: when it cannot be done; nothing is left behind at `to` then.
    """
    try:
        os.link(source, to, follow_symlinks=False)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:  # a file system without hard links
        os.close(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        finish = functools.partial(os.replace, source, to)
    else:
        finish = functools.partial(os.unlink, source)
    try:
        finish()
    except OSError:
        os.unlink(to)
        raise


def sync_folder(folder: str) -> None:
    """Make the names in a folder durable, where the file system can."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # some network file systems sync no folder
            raise
    finally:
        os.close(handle)
