"""Bytes on disk: read with an etag, created durably, exchanged, moved without overwriting."""

import contextlib
import errno
import functools
import hashlib
import os
import stat
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from zkmem.names import fold
from zkmem.vault import atomic_rename, nofollow
from zkmem.vault.nofollow import info, opened

MB = 1_000_000  # bytes
MOST_BYTES = 16 * MB
"""What is read of a file where no setting says otherwise."""

_BLOCK = 65_536
_ASIDE = ".aside"
_LARGE = "large-"  # begins the tag of a large file


class Stamp(NamedTuple):
    """What tells a file from its earlier self without reading it: nanoseconds, bytes, inode.

    The time of the last change of its inode is that of the system's clock, whatever a program that writes in place
    has set the other one to.
    """

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, info: os.stat_result) -> "Stamp":
        """The stamp in a stat result."""
        return cls(info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino)

    @property
    def day(self) -> str:
        """The local date of the last change of the file: YYYY-MM-DD."""
        return time.strftime("%Y-%m-%d", time.localtime(self.mtime_ns // 1_000_000_000))

    @property
    def tag(self) -> str:
        """What stands for the etag of a file that is too large to be read; a rename keeps it. No bytes have it."""
        return _LARGE + etag(f"{self.mtime_ns} {self.size} {self.inode}".encode())


class LargeFile(OSError):
    """A file has more bytes than may be read."""

    def __init__(self, full: str, most: int) -> None:
        super().__init__(errno.EFBIG, f"it is larger than {most // MB} MB, the bound max_note_mb", full)


def etag(data: bytes) -> str:
    """The first 12 hex digits of BLAKE2b over the bytes."""
    return hashlib.blake2b(data, digest_size=6).hexdigest()


def is_large(tag: str | None) -> bool:
    """Return whether a tag is that of a large file: see `Stamp.tag`."""
    return tag is not None and tag.startswith(_LARGE)


def tag_of(full: str, like: str | None) -> str:
    """Return the tag of a file, in the manner of the tag that it is compared with.

    Takes no more memory than a block, however large the file has become.

    Raises:
        OSError: when there is no regular file, or it cannot be read, or a symbolic link is on its path.
    """
    return tag_and_stamp_of(full, like)[0]


def tag_and_stamp_of(full: str, like: str | None) -> tuple[str, Stamp]:
    """Return the tag of a file as `tag_of` does, and its stamp as it was before the first byte was read.

    Raises:
        OSError: as `tag_of`.
    """
    digest = hashlib.blake2b(digest_size=6)
    handle, stamp = _opened(full)
    try:
        if is_large(like):
            return stamp.tag, stamp
        while block := os.read(handle, 16 * _BLOCK):
            digest.update(block)
        return digest.hexdigest(), stamp
    finally:
        os.close(handle)


def read(full: str, most: int = MOST_BYTES) -> tuple[bytes, Stamp]:
    """Return the bytes of a file, and its stamp as it was before the first byte was read.

    Raises:
        OSError: when there is no regular file, or it cannot be read, or a symbolic link is on its path.
        LargeFile: when it has more than `most` bytes, or grows beyond them meanwhile.
    """
    handle, stamp = _opened(full)
    try:
        if stamp.size > most:
            raise LargeFile(full, most)
        size = stamp.size + 1 if stamp.size < _BLOCK else _BLOCK
        data = os.read(handle, size)
        if len(data) == size:
            blocks, total = [data], size
            while total <= most and (block := os.read(handle, 1_048_576)):
                blocks.append(block)
                total += len(block)
            if total > most:
                raise LargeFile(full, most)
            data = b"".join(blocks)
        return data, stamp
    finally:
        os.close(handle)


def read_part(full: str, begin: int, count: int) -> tuple[bytes, Stamp]:
    """At most `count` bytes of a file from the byte `begin` on, and its stamp.

    Raises:
        OSError: when there is no regular file, or it cannot be read.
    """
    handle, stamp = _opened(full)
    try:
        return os.pread(handle, count, begin) if begin < stamp.size else b"", stamp
    finally:
        os.close(handle)


def _opened(full: str) -> tuple[int, Stamp]:
    """Open a file for reading; return its handle, which the caller closes, and its stamp.

    Raises:
        OSError: when there is no regular file, or it cannot be opened.
    """
    handle = opened(full, os.O_RDONLY | os.O_NONBLOCK)  # a FIFO must not hang the server
    try:
        found = os.fstat(handle)
    except BaseException:
        os.close(handle)
        raise
    if not stat.S_ISREG(found.st_mode):
        os.close(handle)
        raise OSError(f"not a regular file: {full}")
    return handle, Stamp.of(found)


def create(full: str, data: bytes, *, like: str | None = None, durable: bool, mode: int = 0o666) -> None:
    """Write a file that is not there yet; with the permissions and the owner of the file `like`, if given.

    Else with `mode`, less what the umask takes away.

    Raises:
        FileExistsError: when it is there.
        PermissionError: when the file `like` is read-only.
        OSError: when the disk refuses; nothing is left behind then.
    """
    handle = created(full, data, like=like, mode=mode)
    try:
        if durable:
            os.fsync(handle)
    except BaseException:
        nofollow.unlink(full)
        raise
    finally:
        os.close(handle)


def created(full: str, data: bytes, *, like: str | None = None, mode: int = 0o666) -> int:
    """Write a file as `create` does, but not durably; return its handle, for `sync` or `os.close`.

    Raises:
        OSError: as `create`.
    """
    handle = opened(full, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        if like is not None:
            _take_after(handle, info(like), like)
        write_all(handle, data)
    except BaseException:
        os.close(handle)
        nofollow.unlink(full)
        raise
    return handle


def _take_after(handle: int, info: os.stat_result, like: str) -> None:
    if not stat.S_ISREG(info.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", like)
    mode = stat.S_IMODE(info.st_mode)
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(errno.EACCES, "it is read-only (chmod u+w allows it)", like)
    mine = os.fstat(handle)
    if (mine.st_uid, mine.st_gid) != (info.st_uid, info.st_gid):
        with contextlib.suppress(PermissionError):  # only root may give a file away
            os.fchown(handle, info.st_uid, info.st_gid)
    if stat.S_IMODE(mine.st_mode) != mode:  # usually the umask gives both the same
        os.fchmod(handle, mode)


def write_all(handle: int, data: bytes) -> None:
    """Write all of some bytes; the system may take them in several goes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def exchange(slot: str, full: str) -> None:
    """Swap two files in one step.

    Where the file system has no such step, the file that is replaced gets a second name first: a save that lands
    between the two renames, a few microseconds, is lost then. A crash in between is mended by `settle(slot)`.
    """
    try:
        atomic_rename.exchange(slot, full)
    except atomic_rename.Unsupported:
        aside = slot + _ASIDE
        _second_name(full, aside)
        nofollow.rename(slot, full)
        nofollow.rename(aside, slot)


def settle(slot: str) -> None:
    """Finish or take back what a crash left of an exchange in steps."""
    aside = slot + _ASIDE
    if nofollow.exists(aside):
        if nofollow.exists(slot):
            nofollow.unlink(aside)
        else:
            nofollow.rename(aside, slot)


def _second_name(full: str, aside: str) -> None:
    try:
        nofollow.link(full, aside)
    except OSError:  # a file system without hard links
        data = read(full, sys.maxsize)[0]  # of a note that has just been read within its bound
        create(aside, data, like=full, durable=True)


def move(full: str, to: str) -> None:
    """Rename a file, never over another one; a rename that only changes the case of its name works everywhere.

    Raises:
        FileExistsError: when there is another file at `to`.
    """
    if fold(full) == fold(to) and (not nofollow.exists(to) or is_one_file(full, to)):
        nofollow.rename(full, to)
        return
    try:
        atomic_rename.rename_to_free(full, to)
    except atomic_rename.Unsupported:
        _link_and_unlink(full, to)


def settle_move(full: str, to: str, *, crashed: bool) -> None:
    """Mend what is left of a move in steps, or of its undoing: a file under both names, or after a crash a claim.

    A claim is an empty file; one that somebody else has made is taken for a claim, which loses no byte.
    """
    if fold(full) == fold(to) or not (nofollow.exists(full) and nofollow.exists(to)):
        return
    if is_one_file(full, to):
        nofollow.unlink(full)
        return
    infos = {name: os.lstat(name) for name in (full, to)}
    empty = [name for name, info in infos.items() if info.st_size == 0 and stat.S_ISREG(info.st_mode)]
    if crashed and len(empty) == 1:
        nofollow.unlink(empty[0])


def is_one_file(one: str, other: str) -> bool:
    """Whether two names are of one file, or one symlink; a symlink and what it leads to are two."""
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except OSError:  # one of them is not there, or cannot be
        return False


def _link_and_unlink(source: str, to: str) -> None:
    """Rename onto a free name: by a hard link, which fails if the name is taken, else by claiming it first.

    Raises:
        OSError: when it cannot be done; nothing is left behind at `to` then.
    """
    try:
        nofollow.link(source, to)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:  # a file system without hard links
        os.close(opened(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        finish = functools.partial(nofollow.rename, source, to)
    else:
        finish = functools.partial(nofollow.unlink, source)
    try:
        finish()
    except OSError:
        nofollow.unlink(to)
        raise


def sync(handles: Sequence[int]) -> None:
    """Make the bytes of some open files durable, and close all of them.

    Raises:
        OSError: when the disk refuses.
    """
    with contextlib.ExitStack() as stack:
        for handle in handles:
            stack.callback(os.close, handle)
        for handle in handles:
            os.fsync(handle)


def sync_folder(folder: str) -> None:
    """Make the names in a folder durable, where the file system can."""
    handle = opened(f"{folder}/", os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # some network file systems sync no folder
            raise
    finally:
        os.close(handle)
