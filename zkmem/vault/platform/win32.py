r"""The calls of Windows that zkmem makes, one method for each. They decide nothing: that is the work of `windows`.

A path is a text that the system takes as it is: absolute, with backslashes and the prefix `\\?\`. A handle is the
system's, not a descriptor of Python. A test can put other methods in the place of these.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from ctypes import wintypes
from typing import Any, NamedTuple

# access
READ_DATA, WRITE_DATA, APPEND_DATA, READ_ATTRIBUTES, WRITE_ATTRIBUTES = 0x1, 0x2, 0x4, 0x80, 0x100
GENERIC_READ, GENERIC_WRITE = 0x8000_0000, 0x4000_0000

SHARE_ALL = 7  # others may read, write, and rename or delete it
SHARE_NO_RENAME = 3  # others may read and write it

CREATE_NEW, CREATE_ALWAYS, OPEN_EXISTING, OPEN_ALWAYS, TRUNCATE_EXISTING = 1, 2, 3, 4, 5

# flags of `create_file`
NORMAL = 0x80
OPEN_LINK = 0x0020_0000  # FILE_FLAG_OPEN_REPARSE_POINT: open a link itself
FOLDER_TOO = 0x0200_0000  # FILE_FLAG_BACKUP_SEMANTICS
OVERLAPPED = 0x4000_0000

REPLACE, THROUGH = 1, 8  # flags of `move_file`: replace the file at the new name; return when the disk has the new name

# bits of `FileFacts.attributes`
READ_ONLY, FOLDER, REPARSE = 0x1, 0x10, 0x400
_SURROGATE = 0x2000_0000  # a bit of the tags of symbolic links and junctions, which stand for another name

REMOTE_DRIVE = 4

# error codes
NO_FILE, NO_PATH, DENIED, BAD_FUNCTION, SHARED, LOCKED = 2, 3, 5, 1, 32, 33
NOT_SUPPORTED, EXISTS, ALREADY_EXISTS, NOT_EMPTY, ABORTED, NO_MORE_FILES = 50, 80, 183, 145, 995, 18
NOT_REMOVED, NOT_MOVED, HALF_REPLACED = 1175, 1176, 1177  # of `replace_file`; after the last, the backup is there
OVERFLOW = 1022  # the list of changes could not be kept

# actions of changes
ADDED, REMOVED, MODIFIED, OLD_NAME, NEW_NAME = 1, 2, 3, 4, 5

_CHANGES = 0x1 | 0x2 | 0x8 | 0x10  # of names of files, names of folders, sizes, times of the last write
_EPOCH = 116_444_736_000_000_000  # 1970, in units of 100 ns since 1601
_LIST_BYTES = 65_536


class Failed(Exception):
    """A call has failed with this error code of the system."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class FileFacts(NamedTuple):
    """What the system knows about a file or folder. The times are in nanoseconds since 1970."""

    attributes: int
    tag: int  # of a reparse point; 0 for others
    mtime_ns: int
    ctime_ns: int  # of the last change of the file or of its attributes
    size: int
    inode: int
    volume: int
    links: int

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, or a link to one."""
        return bool(self.attributes & FOLDER)

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link or a junction. A file in a cloud is a reparse point, too, but no link."""
        return bool(self.attributes & REPARSE) and bool(self.tag & _SURROGATE)


if sys.platform == "win32":
    import msvcrt

    _kernel32: Any = ctypes.WinDLL("kernel32", use_last_error=True)

    def _last_error() -> int:
        return ctypes.get_last_error()

else:  # this module can be imported everywhere, so that a test can put another class in the place of `Win32`
    msvcrt: Any = None
    _kernel32: Any = None

    def _last_error() -> int:
        return 0


class _Overlapped(ctypes.Structure):
    _fields_ = [
        ("internal", ctypes.c_void_p),
        ("internal_high", ctypes.c_void_p),
        ("offset", wintypes.DWORD),
        ("offset_high", wintypes.DWORD),
        ("event", wintypes.HANDLE),
    ]


class _FileInformation(ctypes.Structure):
    _fields_ = [
        ("attributes", wintypes.DWORD),
        ("created", wintypes.FILETIME),
        ("read", wintypes.FILETIME),
        ("written", wintypes.FILETIME),
        ("volume", wintypes.DWORD),
        ("size_high", wintypes.DWORD),
        ("size_low", wintypes.DWORD),
        ("links", wintypes.DWORD),
        ("index_high", wintypes.DWORD),
        ("index_low", wintypes.DWORD),
    ]


class Pending(NamedTuple):
    """A request for changes, which the system answers later; it must not be dropped before."""

    buffer: Any
    state: Any


class Win32:
    """The calls. Each raises `Failed` with the code of the system."""

    def create_file(self, path: str, access: int, share: int, disposition: int, flags: int) -> int:
        """Open or create a file or folder (`CreateFileW`); return its handle. No child process inherits it."""
        call = _kernel32.CreateFileW
        call.restype = wintypes.HANDLE
        handle = call(wintypes.LPCWSTR(path), access, share, None, disposition, flags, None)
        if handle is None or handle == ctypes.c_void_p(-1).value:
            raise Failed(_last_error())
        return int(handle)

    def close(self, handle: int) -> None:
        """Close a handle (`CloseHandle`)."""
        _check(_kernel32.CloseHandle(wintypes.HANDLE(handle)))

    def to_descriptor(self, handle: int, flags: int) -> int:
        """Return a descriptor of Python for a handle, which `os.close` closes; the bytes stay as they are."""
        return int(msvcrt.open_osfhandle(handle, flags | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)))

    def from_descriptor(self, descriptor: int) -> int:
        """Return the handle of a descriptor of Python, which keeps it."""
        return int(msvcrt.get_osfhandle(descriptor))

    def facts(self, handle: int) -> FileFacts:
        """Return the facts of an open file or folder (`GetFileInformationByHandle`, `GetFileInformationByHandleEx`)."""
        found, times, tags = _FileInformation(), (ctypes.c_int64 * 5)(), (wintypes.DWORD * 2)()
        _check(_kernel32.GetFileInformationByHandle(wintypes.HANDLE(handle), ctypes.byref(found)))
        _information(handle, 0, times)  # FileBasicInfo: created, read, written, changed, attributes
        if found.attributes & REPARSE:
            _information(handle, 9, tags)  # FileAttributeTagInfo: attributes, tag
        return FileFacts(
            found.attributes,
            tags[1],
            _since_1970(times[2]),
            _since_1970(times[3]),
            found.size_high << 32 | found.size_low,
            found.index_high << 32 | found.index_low,
            found.volume,
            found.links,
        )

    def final_path(self, handle: int) -> str:
        """Return the path of an open file or folder, without links (`GetFinalPathNameByHandleW`)."""
        size = 32_768
        buffer = ctypes.create_unicode_buffer(size)
        length = _kernel32.GetFinalPathNameByHandleW(wintypes.HANDLE(handle), buffer, size, 0)
        _check(0 < length < size)
        return buffer.value

    def entries(self, handle: int) -> Iterator[tuple[str, FileFacts]]:
        """Yield the names in an open folder, with their facts (`GetFileInformationByHandleEx`). `links` is always 1."""
        buffer = ctypes.create_string_buffer(_LIST_BYTES)
        while True:
            try:
                _information(handle, 10, buffer)  # FileIdBothDirectoryInfo
            except Failed as error:
                if error.code in {NO_MORE_FILES, NO_FILE}:  # of an empty root, the system says the latter
                    return
                raise
            yield from _entries(buffer.raw)

    def move_file(self, source: str, to: str, flags: int) -> None:
        """Rename a file or folder (`MoveFileExW`)."""
        _check(_kernel32.MoveFileExW(wintypes.LPCWSTR(source), wintypes.LPCWSTR(to), flags))

    def replace_file(self, replaced: str, replacement: str, backup: str) -> None:
        """Rename `replaced` to `backup`, then `replacement` to `replaced` (`ReplaceFileW`).

        After the error `HALF_REPLACED`, only the first of the two is done; after any other, none.
        """
        paths = (wintypes.LPCWSTR(path) for path in (replaced, replacement, backup))
        _check(_kernel32.ReplaceFileW(*paths, 0, None, None))

    def create_hard_link(self, new: str, existing: str) -> None:
        """Give a file a second name (`CreateHardLinkW`)."""
        _check(_kernel32.CreateHardLinkW(wintypes.LPCWSTR(new), wintypes.LPCWSTR(existing), None))

    def delete_file(self, path: str) -> None:
        """Delete a file, or a link to one (`DeleteFileW`). The name may be taken until the last handle is closed."""
        _check(_kernel32.DeleteFileW(wintypes.LPCWSTR(path)))

    def create_directory(self, path: str) -> None:
        """Make a folder (`CreateDirectoryW`)."""
        _check(_kernel32.CreateDirectoryW(wintypes.LPCWSTR(path), None))

    def remove_directory(self, path: str) -> None:
        """Remove an empty folder, or a link to a folder (`RemoveDirectoryW`)."""
        _check(_kernel32.RemoveDirectoryW(wintypes.LPCWSTR(path)))

    def set_times(self, handle: int, when_ns: int) -> None:
        """Set the times of the last read and the last write (`SetFileTime`)."""
        units = when_ns // 100 + _EPOCH
        time = wintypes.FILETIME(units & 0xFFFF_FFFF, units >> 32)
        _check(_kernel32.SetFileTime(wintypes.HANDLE(handle), None, ctypes.byref(time), ctypes.byref(time)))

    def flush(self, handle: int) -> None:
        """Write the bytes of an open file to the disk (`FlushFileBuffers`)."""
        _check(_kernel32.FlushFileBuffers(wintypes.HANDLE(handle)))

    def lock_file(self, handle: int, offset: int) -> None:
        """Lock one byte of an open file against others (`LockFileEx`), without waiting."""
        at = _Overlapped(offset=offset & 0xFFFF_FFFF, offset_high=offset >> 32)
        _check(_kernel32.LockFileEx(wintypes.HANDLE(handle), 0x3, 0, 1, 0, ctypes.byref(at)))  # exclusive, at once

    def unlock_file(self, handle: int, offset: int) -> None:
        """Release the lock of one byte (`UnlockFileEx`)."""
        at = _Overlapped(offset=offset & 0xFFFF_FFFF, offset_high=offset >> 32)
        _check(_kernel32.UnlockFileEx(wintypes.HANDLE(handle), 0, 1, 0, ctypes.byref(at)))

    def drive_type(self, root: str) -> int:
        r"""Return the type of a drive, as `C:\`, or of a share (`GetDriveTypeW`)."""
        return int(_kernel32.GetDriveTypeW(wintypes.LPCWSTR(root)))

    def begin_changes(self, handle: int, size: int) -> "Pending":
        """Ask for the changes below an open folder (`ReadDirectoryChangesW`). From now on, the system collects them.

        The handle must be opened with `OVERLAPPED`. The system collects at most `size` bytes between two requests.
        """
        event = _kernel32.CreateEventW
        event.restype = wintypes.HANDLE
        pending = Pending(ctypes.create_string_buffer(size), _Overlapped(event=event(None, True, False, None)))
        at = ctypes.byref(pending.state)
        try:
            _check(
                _kernel32.ReadDirectoryChangesW(
                    wintypes.HANDLE(handle), pending.buffer, size, True, _CHANGES, None, at, None
                )
            )
        except Failed:
            self.close(pending.state.event)
            raise
        return pending

    def finish_changes(self, handle: int, pending: "Pending") -> list[tuple[int, str]]:
        """Wait for changes, and return their actions and names (`GetOverlappedResult`).

        If there were too many, the list is empty, and all are lost. After `cancel`, this fails with `ABORTED`.
        """
        count = wintypes.DWORD()
        at = ctypes.byref(pending.state)
        try:
            _check(_kernel32.GetOverlappedResult(wintypes.HANDLE(handle), at, ctypes.byref(count), True))
        finally:
            self.close(pending.state.event)
        return list(_changes(pending.buffer.raw[: count.value]))

    def cancel(self, handle: int) -> None:
        """End the calls that wait for an open file or folder (`CancelIoEx`); do nothing if none waits."""
        _kernel32.CancelIoEx(wintypes.HANDLE(handle), None)


def _check(succeeded: object) -> None:
    if not succeeded:
        raise Failed(_last_error())


def _information(handle: int, kind: int, buffer: Any) -> None:
    size = ctypes.sizeof(buffer)
    _check(_kernel32.GetFileInformationByHandleEx(wintypes.HANDLE(handle), kind, ctypes.byref(buffer), size))


def _entries(data: bytes) -> Iterator[tuple[str, FileFacts]]:
    """Yield the entries in a buffer of structures `FILE_ID_BOTH_DIR_INFO`."""
    at = 0
    while True:
        to_next, _, _, _, written, changed, size, _, attributes, length, tag = struct.unpack_from(
            "<IIqqqqqqIII", data, at
        )
        (inode,) = struct.unpack_from("<Q", data, at + 96)
        name = data[at + 104 : at + 104 + length].decode("utf-16-le", "surrogatepass")
        if name not in {".", ".."}:
            tag = tag if attributes & REPARSE else 0
            yield name, FileFacts(attributes, tag, _since_1970(written), _since_1970(changed), size, inode, 0, 1)
        if not to_next:
            return
        at += to_next


def _changes(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the changes in a buffer of structures `FILE_NOTIFY_INFORMATION`."""
    at = 0
    while at + 12 <= len(data):
        to_next, action, length = struct.unpack_from("<III", data, at)
        yield action, data[at + 12 : at + 12 + length].decode("utf-16-le", "surrogatepass")
        if not to_next:
            return
        at += to_next


def _since_1970(units: int) -> int:
    return (units - _EPOCH) * 100
