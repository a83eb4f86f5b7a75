r"""Windows: the same promises as on the other systems, kept by other calls.

- Another program that has a file open can forbid to rename, replace or delete it, or to open it. zkmem tries again, for
  a bounded time. It forbids others nothing about a file: it opens files so that all can read, write, rename and delete
  them.
- No call swaps two files, or replaces one in one step. `ReplaceFileW` renames the old file and then the new one; it can
  fail in between, and for that moment the name is free. Whatever was at the path is put aside, and is then renamed to
  the slot, so no text is lost.
- No call refuses links on a whole path. The folder of a file is opened first, and its path is compared with the one
  that was meant. While it is open, neither it nor a folder above it can be renamed.
- The disk has a new name when `MoveFileExW` with `MOVEFILE_WRITE_THROUGH` returns. Folders cannot be flushed, and
  `ReplaceFileW` has no such flag: after a power cut, a replaced file may have its old text again.
- Names that Windows reserves are refused: with the prefix `\\?\`, which long paths need, it would make such files,
  and other programs could not open them.
"""

import contextlib
import errno
import os
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from zkmem.vault.platform import win32
from zkmem.vault.platform.interface import ASIDE, Linked, Platform, Unsupported, Watch, WatchedChanges
from zkmem.vault.platform.win32 import Failed, FileFacts, Win32
from zkmem.vault.platform.windows_terms import (
    HALF_WAY,
    FolderEntry,
    access_of,
    check_file,
    check_name,
    disposition_of,
    error_for,
    native,
    stat_of,
)

_PATIENCE_S = 2.0  # the longest time for which a change is tried again
_BRIEF_PATIENCE_S = 0.25  # how long to try to read, or to remove a folder
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.001, 0.1
_IN_USE = {win32.DENIED, win32.SHARED, win32.LOCKED}  # deleting a file that others have open gives the first, too
_LOCKED_BYTE = 0x7FFF_FFFF_0000_0000  # far behind the end: a locked byte cannot be read by others

_Result = TypeVar("_Result")


class Windows(Platform):
    """Windows 10 and later, on NTFS or another file system."""

    has_modes = False
    allow_writing = "attrib -r"
    swaps_in_one_step = False
    rescan_s = 60.0  # the list of changes can overflow without notice

    def __init__(self, calls: Win32) -> None:
        self._calls = calls

    # --- paths

    def real(self, path: str) -> str:
        return os.path.realpath(path).replace("\\", "/") if os.sep == "\\" else os.path.realpath(path)

    def longest(self, root: str) -> tuple[int, int]:  # noqa: ARG002
        return -1, 32_000  # a name has at most 255 UTF-16 units, which the system checks

    def is_remote(self, folder: str) -> bool:
        if folder.startswith("//"):
            return True
        drive, colon, _ = folder.partition(":")
        return bool(colon) and self._calls.drive_type(f"{drive}:\\") == win32.REMOTE_DRIVE

    # --- looking

    def opened(self, full: str, flags: int, mode: int = 0o666) -> int:  # noqa: ARG002
        with self._folder_of(full):
            if flags & os.O_CREAT:
                check_name(full)
            handle = self._open(full, access_of(flags), disposition_of(flags), win32.NORMAL | win32.OPEN_LINK)
            try:
                facts = self._calls.facts(handle)
                check_file(facts, full)
                if facts.attributes & win32.REPARSE:  # its bytes are elsewhere, as in a cloud: have the system get them
                    again = self._open(full, access_of(flags), win32.OPEN_EXISTING, win32.NORMAL)
                    self._calls.close(handle)
                    handle = again
                return self._calls.to_descriptor(handle, flags & os.O_APPEND)
            except BaseException:
                self._calls.close(handle)
                raise

    @contextlib.contextmanager
    def listed(self, full: str) -> Iterator[Iterator[FolderEntry]]:
        with self._folder(full) as handle:
            yield (FolderEntry(name, facts) for name, facts in self._calls.entries(handle))

    def check_folder(self, full: str) -> None:
        with self._folder(full):
            pass

    def info(self, full: str) -> os.stat_result:
        with self._folder_of(full):
            return stat_of(self._facts(full))

    def info_of(self, handle: int) -> os.stat_result:
        return stat_of(self._calls.facts(self._calls.from_descriptor(handle)))

    def exists(self, full: str) -> bool:
        try:
            self._facts(full)
        except OSError:
            return False
        return True

    def is_one_file(self, one: str, other: str) -> bool:
        try:
            first, second = self._facts(one), self._facts(other)
        except OSError:  # one of them is not there, or cannot be
            return False
        return (first.volume, first.inode) == (second.volume, second.inode)

    def is_at(self, full: str, handle: int) -> bool:
        there, mine = self._facts(full), self._calls.facts(self._calls.from_descriptor(handle))
        return (there.volume, there.inode) == (mine.volume, mine.inode)

    def folders_kept(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()  # an open folder could not be renamed by others

    def replaced_folder(self) -> str | None:
        return None

    # --- reading and writing through an open file

    def read_at(self, handle: int, count: int, begin: int) -> bytes:
        os.lseek(handle, begin, os.SEEK_SET)
        return os.read(handle, count)

    def write_at(self, handle: int, data: bytes, begin: int) -> None:
        os.lseek(handle, begin, os.SEEK_SET)
        os.write(handle, data)

    def take_after(self, handle: int, info: os.stat_result) -> None:
        """Do nothing: a file takes its rights from its folder, and `ReplaceFileW` keeps those of the old file."""

    def set_mode(self, handle: int, mode: int) -> None:
        """Do nothing: no file has such permissions."""

    # --- changing

    def exchange(self, slot: str, full: str) -> None:
        aside = slot + ASIDE
        with self._folder_of(full), self._folder_of(slot):
            try:
                self._patiently(full, self._replace, full, slot, aside)
            except OSError as error:
                if error.errno == errno.ENOTSUP:
                    raise Unsupported from None
                raise
            self._move(aside, slot, 0)

    def _replace(self, full: str, slot: str, aside: str) -> None:
        """Put a file aside, and the slot in its place; if that fails half way, put the file back."""
        try:
            self._calls.replace_file(native(full), native(slot), native(aside))
        except Failed as error:
            if error.code == win32.HALF_REPLACED:
                self._move(aside, full, 0)
            raise

    def rename_to_free(self, full: str, to: str) -> None:
        self._rename(full, to, 0)

    def rename(self, full: str, to: str) -> None:
        self._rename(full, to, win32.REPLACE)

    def _rename(self, full: str, to: str, flags: int) -> None:
        with self._folder_of(full, to), self._folder_of(to):
            check_name(to)
            self._move(full, to, flags)

    def _move(self, full: str, to: str, flags: int) -> None:
        self._patiently(full, self._calls.move_file, native(full), native(to), flags | win32.THROUGH, to=to)

    def link(self, full: str, to: str) -> None:
        with self._folder_of(full, to), self._folder_of(to):
            check_name(to)
            self._patiently(full, self._calls.create_hard_link, native(to), native(full), to=to)

    def touch(self, full: str) -> None:
        with self._folder_of(full), self._attributes(full, win32.WRITE_ATTRIBUTES) as handle:
            self._calls.set_times(handle, time.time_ns())

    def unlink(self, full: str) -> None:
        with self._folder_of(full):
            facts = self._facts(full)
            if facts.is_folder and not facts.is_link:
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), full)
            # the system may keep the name until all others have closed the file, so another name goes with the file
            aside = f"{os.path.dirname(full)}/.zkmem-gone-{secrets.token_hex(6)}"
            self._move(full, aside, 0)
            delete = self._calls.remove_directory if facts.is_folder else self._calls.delete_file
            try:
                self._patiently(full, delete, native(aside))
            except OSError:
                with contextlib.suppress(OSError):
                    self._move(aside, full, 0)
                raise

    def make_folder(self, full: str, mode: int | None = None) -> None:  # noqa: ARG002
        with self._folder_of(full):
            check_name(full)
            self._patiently(full, self._calls.create_directory, native(full))

    def remove_folder(self, full: str) -> None:
        with self._folder_of(full):
            self._patiently(full, self._calls.remove_directory, native(full), is_brief=True)

    # --- making durable, locking, watching

    def sync(self, handles: Sequence[int]) -> None:
        for handle in handles:
            try:
                self._calls.flush(self._calls.from_descriptor(handle))
            except Failed as error:
                raise error_for(error.code, None) from None

    def sync_folder(self, folder: str) -> None:
        """Do nothing: no call flushes a folder. Each rename has made its name durable; a replacement may not have."""

    def try_lock(self, handle: int) -> bool:
        try:
            self._calls.lock_file(self._calls.from_descriptor(handle), _LOCKED_BYTE)
        except Failed as error:
            if error.code == win32.LOCKED:
                return False
            raise error_for(error.code, None) from None
        return True

    def unlock(self, handle: int) -> None:
        try:
            self._calls.unlock_file(self._calls.from_descriptor(handle), _LOCKED_BYTE)
        except Failed as error:
            raise error_for(error.code, None) from None

    def watch(self, root: str, changes: WatchedChanges) -> Watch:
        from zkmem.vault.platform.windows_watch import WindowsWatch  # noqa: PLC0415 - only a server watches

        try:
            return WindowsWatch(self._calls, native(root), lambda path: self._is_folder(f"{root}/{path}"), changes)
        except Failed as error:
            raise error_for(error.code, root) from None

    # --- parts

    def _patiently(
        self, full: str, call: Callable[..., _Result], *arguments: object, to: str = "", is_brief: bool = False
    ) -> _Result:
        """Make a call; while another program has the file open, try again for some time."""
        deadline, pause_s = time.monotonic() + (_BRIEF_PATIENCE_S if is_brief else _PATIENCE_S), _FIRST_PAUSE_S
        while True:
            try:
                return call(*arguments)
            except Failed as error:
                if error.code not in _IN_USE | HALF_WAY or time.monotonic() + pause_s > deadline:
                    raise error_for(error.code, full, to) from None
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _open(self, full: str, access: int, disposition: int, flags: int) -> int:
        call, is_brief = self._calls.create_file, access == win32.GENERIC_READ
        try:
            return self._patiently(
                full, call, native(full), access, win32.SHARE_ALL, disposition, flags, is_brief=is_brief
            )
        except PermissionError:
            if self._facts(full).is_folder:
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), full) from None
            raise

    @contextlib.contextmanager
    def _attributes(self, full: str, more: int = 0) -> Iterator[int]:
        """Open a file, folder or link itself, for its attributes alone: no other program can forbid that."""
        access, flags = win32.READ_ATTRIBUTES | more, win32.FOLDER_TOO | win32.OPEN_LINK
        arguments = native(full), access, win32.SHARE_ALL, win32.OPEN_EXISTING, flags
        handle = self._patiently(full, self._calls.create_file, *arguments, is_brief=True)
        try:
            yield handle
        except Failed as error:
            raise error_for(error.code, full) from None
        finally:
            self._calls.close(handle)

    def _facts(self, full: str) -> FileFacts:
        with self._attributes(full) as handle:
            return self._calls.facts(handle)

    def _is_folder(self, full: str) -> bool:
        try:
            return self._facts(full).is_folder
        except OSError:
            return False

    def _folder_of(self, full: str, to: str = "") -> contextlib.AbstractContextManager[int]:
        return self._folder(os.path.dirname(full), full, to)

    @contextlib.contextmanager
    def _folder(self, folder: str, full: str = "", to: str = "") -> Iterator[int]:
        """Open a folder in this block, and check that no link led there. Meanwhile nobody can rename it.

        An error names the path `full` in it, if that is given, and the path `to`.
        """
        flags = win32.FOLDER_TOO | win32.OPEN_LINK
        access = win32.READ_DATA | win32.READ_ATTRIBUTES
        arguments = native(folder), access, win32.SHARE_NO_RENAME, win32.OPEN_EXISTING, flags
        try:
            handle = self._patiently(full or folder, self._calls.create_file, *arguments, to=to)
        except FileNotFoundError:
            self._check_parts(folder, full or folder)
            raise
        try:
            facts = self._calls.facts(handle)
            if facts.is_link or not self._is_at(handle, folder):
                self._check_parts(folder, full or folder)
            if not facts.is_folder:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), full or folder)
            yield handle
        except Failed as error:
            raise error_for(error.code, full or folder, to) from None
        finally:
            self._calls.close(handle)

    def _is_at(self, handle: int, folder: str) -> bool:
        """Return whether the path of an open folder is the one that was meant; case does not count."""
        try:
            path = self._calls.final_path(handle)
        except Failed:  # some network drives know no such path
            return False
        return path.rstrip("\\").casefold() == native(folder).rstrip("\\").casefold()

    def _check_parts(self, folder: str, full: str) -> None:
        """Refuse a path if a folder on it is a link or a file. Short names and drive letters of shares are no links."""
        while folder.rstrip("/") and os.path.dirname(folder) != folder:
            with contextlib.suppress(FileNotFoundError):
                facts = self._facts(folder)
                if facts.is_link:
                    raise Linked(full)
                if not facts.is_folder:
                    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), full)
            folder = os.path.dirname(folder)
