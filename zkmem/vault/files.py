"""Read files with an etag, create them durably, exchange them, and move them without overwriting others."""

import contextlib
import errno
import functools
import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from zkmem.names import fold, folder_of, folders_of
from zkmem.util.waiting import check_may_wait
from zkmem.vault import platform

MB = 1_000_000  # bytes
MOST_BYTES = 16 * MB
"""How many bytes of a file are read if no setting says otherwise."""

_BLOCK = 65_536
_LARGE = "large-"  # the prefix of the tag of a large file
_RACY_WHOLE_NS = 2_000_000_000  # FAT's clock ticks every two seconds; its stamps have no fraction
_SECOND_NS = 1_000_000_000

RACY_NS = 20_000_000
"""The longest tick of a file system's clock: two writes within one tick can have the same stamp."""


Read = Callable[[str], bytes]
"""Returns the bytes of the file at a path; raises OSError when it cannot be read."""


class Stamp(NamedTuple):
    """The values that show that a file has changed, without reading it: nanoseconds, bytes, inode.

    A program can set `mtime_ns` to any time. The system sets `ctime_ns` by its own clock.
    """

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, info: os.stat_result) -> "Stamp":
        """Return the stamp in a stat result."""
        # not `cls(...)`, which is written in Python: a scan of a vault makes a stamp of each file
        return tuple.__new__(cls, (info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino))

    def is_racy(self, now: int) -> bool:
        """Return whether the file may have been written to after `now`, in nanoseconds, without getting a new stamp."""
        return any(abs(now - when) < _tick_ns(when) for when in (self.mtime_ns, self.ctime_ns))

    @property
    def written(self) -> float:
        """The latest time, in seconds since 1970, at which the file got its bytes, if no program has set the time."""
        return (self.mtime_ns + _tick_ns(self.mtime_ns)) / _SECOND_NS

    @property
    def changed(self) -> float:
        """The latest time, in seconds since 1970, at which the file was written, moved or got other permissions."""
        return (self.ctime_ns + _tick_ns(self.ctime_ns)) / _SECOND_NS

    @property
    def day(self) -> str:
        """The local date of the last change of the file: YYYY-MM-DD."""
        return day_of(self.mtime_ns)

    @property
    def tag(self) -> str:
        """The substitute for the etag of a file that is too large to be read. A rename keeps it; no etag equals it."""
        return _LARGE + etag(f"{self.mtime_ns} {self.size} {self.inode}".encode())


def _tick_ns(when: int) -> int:
    """Return the longest tick of a clock that shows such a time."""
    return RACY_NS if when % _SECOND_NS else _RACY_WHOLE_NS


def day_of(nanoseconds: int) -> str:
    """Return the local date of a time in nanoseconds since 1970: YYYY-MM-DD."""
    return _day_of_quarter(nanoseconds // (900 * _SECOND_NS))


@functools.lru_cache(4096)
def _day_of_quarter(number: int) -> str:
    """Return the local date of a quarter of an hour since 1970. In every time zone, days begin with one."""
    return time.strftime("%Y-%m-%d", time.localtime(number * 900))


class Version(NamedTuple):
    """A version of a file: its tag (see `tag_of`), and a stamp that the file had with this tag."""

    tag: str
    stamp: Stamp


class LargeFile(OSError):
    """A file is larger than the bound on reading."""

    def __init__(self, full: str, most: int) -> None:
        super().__init__(errno.EFBIG, f"it is larger than {most // MB} MB, the bound max_note_mb", full)


def etag(data: bytes) -> str:
    """Return the first 12 hex digits of the BLAKE2b hash of some bytes."""
    return hashlib.blake2b(data, digest_size=6).hexdigest()


def is_large(tag: str | None) -> bool:
    """Return whether a tag belongs to a large file: see `Stamp.tag`."""
    return tag is not None and tag.startswith(_LARGE)


def tag_of(full: str, like: str | None) -> str:
    """Return the tag of a file: its `Stamp.tag` if `like` is the tag of a large file, else its etag.

    Reading takes the memory of one block, however large the file is.
    """
    return version_of(full, like).tag


def version_of(full: str, like: str | None) -> Version:
    """Return the tag of a file as `tag_of` does, with its stamp as it was before the first byte was read."""
    digest = hashlib.blake2b(digest_size=6)
    handle, stamp = _opened(full)
    try:
        if is_large(like):
            return Version(stamp.tag, stamp)
        size = _BLOCK if stamp.size < _BLOCK else 16 * _BLOCK
        while block := os.read(handle, size):
            digest.update(block)
            if len(block) < size:  # the end of the file: this saves a call of the system
                break
        return Version(digest.hexdigest(), stamp)
    finally:
        os.close(handle)


def read(full: str, most: int = MOST_BYTES) -> tuple[bytes, Stamp]:
    """Return the bytes of a file, and its stamp as it was before the first byte was read."""
    handle, stamp = _opened(full)
    try:
        if stamp.size > most:
            raise LargeFile(full, most)
        if stamp.size > _BLOCK:
            check_may_wait()
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
    """Return at most `count` bytes of a file from the byte `begin` on, and its stamp."""
    handle, stamp = _opened(full)
    try:
        return platform.current.read_at(handle, count, begin) if begin < stamp.size else b"", stamp
    finally:
        os.close(handle)


def _opened(full: str) -> tuple[int, Stamp]:
    """Open a file for reading; return its handle, which the caller closes, and its stamp."""
    handle = platform.current.opened(full, os.O_RDONLY | platform.current.wait_free)  # a FIFO must not hang the server
    try:
        info = platform.current.info_of(handle)
    except BaseException:
        os.close(handle)
        raise
    if not stat.S_ISREG(info.st_mode):
        os.close(handle)
        raise OSError(f"not a regular file: {full}")
    return handle, Stamp.of(info)


def create(full: str, data: bytes, *, like: str | None = None, durable: bool, mode: int = 0o666) -> None:
    """Create a file. It gets the permissions and the owner of the file `like`, or else `mode` less the umask."""
    handle = created(full, data, like=like, mode=mode)
    try:
        if durable:
            platform.current.sync([handle])
    except BaseException:
        platform.current.unlink(full)
        raise
    finally:
        os.close(handle)


def created(full: str, data: bytes, *, like: str | None = None, mode: int = 0o666) -> int:
    """Create a file as `create` does, but not durably; return its handle, for `sync` or `os.close`."""
    handle = platform.current.opened(full, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        if like is not None:
            _take_after(handle, platform.current.info(like), like)
        write_all(handle, data)
    except BaseException:
        os.close(handle)
        platform.current.unlink(full)
        raise
    return handle


def folder_modes(root: str, moves: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Return the permissions of the folders that files are moved to, as the folders have them that they come from.

    `moves`: the old and the new paths of the files, relative to `root`. `diary/x/a.md` that was `private/x/a.md` gives
    `diary` the permissions of `private`. If files come from several folders, only the permissions count that all have.
    """
    modes: dict[str, int] = {}
    for old, new in {(folder_of(old), folder_of(new)) for old, new in moves}:
        for source, folder in zip([old, *folders_of(old)], [new, *folders_of(new)], strict=False):
            if source and folder:
                with contextlib.suppress(OSError):
                    mode = stat.S_IMODE(platform.current.info(f"{root}/{source}").st_mode)
                    modes[folder] = modes.get(folder, mode) & mode | stat.S_IRWXU
    return modes


def _take_after(handle: int, info: os.stat_result, like: str) -> None:
    if not stat.S_ISREG(info.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", like)
    if not info.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(errno.EACCES, f"it is read-only ({platform.current.allow_writing} allows it)", like)
    platform.current.take_after(handle, info)


def write_all(handle: int, data: bytes) -> None:
    """Write all of the bytes; one call of the system may write only a part of them."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def exchange(slot: str, full: str) -> None:
    """Swap two files, so that no save of another program is lost.

    If the system cannot do that, the file at `full` is put aside, the file at `slot` gets its name, and the old file
    becomes the slot. For some microseconds there is no file at `full`. After a failure or a crash, call `settle`.
    """
    try:
        platform.current.exchange(slot, full)
    except platform.Unsupported:
        aside = slot + platform.ASIDE
        platform.current.rename(full, aside)
        _put_back(slot, full)
        platform.current.rename(aside, slot)


def settle(slot: str, full: str) -> bool:
    """Finish or undo an exchange in several steps that was interrupted.

    Return False if another program made a file at `full` meanwhile: it stays, and so do the slot and the file aside.
    """
    aside = slot + platform.ASIDE
    if not platform.current.exists(aside):
        return True
    if platform.current.is_one_file(aside, full):  # it was being put back
        platform.current.unlink(aside)
    elif not platform.current.exists(slot) or platform.current.is_one_file(slot, full):  # the new file is in place
        platform.current.rename(aside, slot)
    else:
        try:
            _put_back(aside, full)
        except FileExistsError:
            return False
    return True


def _put_back(full: str, to: str) -> None:
    """Rename a file to a name that was its own, or another version's, a moment ago."""
    try:
        platform.current.rename_to_free(full, to)
    except platform.Unsupported:
        try:
            platform.current.link(full, to)
        except (FileExistsError, FileNotFoundError):
            raise
        except OSError:
            if platform.current.exists(to):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), to) from None
            platform.current.rename(full, to)
        else:
            platform.current.unlink(full)


def move(full: str, to: str) -> None:
    """Rename a file, never over another one. A rename that only changes the case of the name works on every system."""
    if fold(full) == fold(to) and (not platform.current.exists(to) or platform.current.is_one_file(full, to)):
        platform.current.rename(full, to)
        return
    try:
        platform.current.rename_to_free(full, to)
    except platform.Unsupported:
        _link_and_unlink(full, to)


def settle_move(full: str, to: str, *, crashed: bool) -> None:
    """Repair a move in several steps, or its undoing, that was interrupted.

    It may have left the file under both names or, after a crash, an empty file that claims the new name. If both files
    are empty, either may be the claim; the one at `to` is removed, so that the move is made again or was not made. An
    empty file that somebody else made is removed too, which loses no bytes.
    """
    if fold(full) == fold(to) or not (platform.current.exists(full) and platform.current.exists(to)):
        return
    if platform.current.is_one_file(full, to):
        platform.current.unlink(full)
        return
    infos = {name: platform.current.info(name) for name in (full, to)}
    empty = [name for name, info in infos.items() if info.st_size == 0 and stat.S_ISREG(info.st_mode)]
    if crashed and empty:
        platform.current.unlink(empty[-1])


def _link_and_unlink(source: str, to: str) -> None:
    """Rename a file to a free name by a hard link, or on a file system without links, by claiming the name first."""
    try:
        platform.current.link(source, to)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:  # a file system without hard links
        os.close(platform.current.opened(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        finish = functools.partial(platform.current.rename, source, to)
    else:
        finish = functools.partial(platform.current.unlink, source)
    try:
        finish()
    except OSError:
        platform.current.unlink(to)
        raise


def sync(handles: Sequence[int]) -> None:
    """Make the bytes of some open files durable, and close all of them."""
    with contextlib.ExitStack() as stack:
        for handle in handles:
            stack.callback(os.close, handle)
        platform.current.sync(handles)
