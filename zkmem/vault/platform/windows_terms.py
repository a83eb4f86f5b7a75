r"""Translate between the terms of Python and those of Windows: paths, names, flags, error codes, facts about files."""

import errno
import os
import stat

from zkmem.vault.platform import win32
from zkmem.vault.platform.interface import Linked
from zkmem.vault.platform.win32 import FileFacts

HALF_WAY = {win32.NOT_REMOVED, win32.NOT_MOVED, win32.HALF_REPLACED}  # a replacement may succeed when tried again
_MODES = {os.O_RDONLY: win32.GENERIC_READ, os.O_WRONLY: win32.GENERIC_WRITE}
_NUMBERS = {
    win32.NO_FILE: errno.ENOENT,
    win32.NO_PATH: errno.ENOENT,
    win32.DENIED: errno.EACCES,
    win32.SHARED: errno.EACCES,
    win32.LOCKED: errno.EACCES,
    **dict.fromkeys(HALF_WAY, errno.EACCES),
    win32.EXISTS: errno.EEXIST,
    win32.ALREADY_EXISTS: errno.EEXIST,
    win32.NOT_EMPTY: errno.ENOTEMPTY,
    win32.BAD_FUNCTION: errno.ENOTSUP,
    win32.NOT_SUPPORTED: errno.ENOTSUP,
    4: errno.EMFILE,
    17: errno.EXDEV,
    19: errno.EROFS,
    39: errno.ENOSPC,
    112: errno.ENOSPC,
    123: errno.EINVAL,
    206: errno.ENAMETOOLONG,
    267: errno.ENOTDIR,
}
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [port + digit for port in ("com", "lpt") for digit in "123456789¹²³"]
)
_FORBIDDEN = frozenset('<>:"|?*\\')


class FolderEntry:
    """An entry of a folder, with the facts that the folder has about it."""

    __slots__ = ("_facts", "name")

    def __init__(self, name: str, facts: FileFacts) -> None:
        self.name = name
        self._facts = facts

    def is_file(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002 - no link is followed here
        """Return whether it is a file."""
        return not self._facts.is_folder and not self._facts.is_link

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002
        """Return whether it is a folder."""
        return self._facts.is_folder and not self._facts.is_link

    def is_symlink(self) -> bool:
        """Return whether it is a symbolic link or a junction."""
        return self._facts.is_link

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:  # noqa: ARG002
        """Return its stat."""
        return stat_of(self._facts)


def native(full: str) -> str:
    r"""Return a path as the system takes it at any length: `\\?\C:\notes\a.md`, or `\\?\UNC\server\share\a.md`."""
    path = full.replace("/", "\\")
    if path.startswith("\\\\?\\"):
        return path
    return "\\\\?\\UNC" + path[1:] if path.startswith("\\\\") else "\\\\?\\" + path


def check_name(full: str) -> None:
    """Refuse a name that Windows reserves or cannot store."""
    name = os.path.basename(full)
    bad = next((char for char in name if char in _FORBIDDEN or char < " "), "")
    if bad:
        reason = f"Windows does not allow {bad!r} in a name"
    elif name.endswith((".", " ")):
        reason = "Windows does not allow a name that ends with a dot or a space"
    elif name.partition(".")[0].rstrip(" ").lower() in _DEVICES:
        reason = f"Windows keeps the name {name.partition('.')[0]!r} for a device"
    else:
        return
    raise OSError(errno.EINVAL, reason, full)


def check_file(facts: FileFacts, full: str) -> None:
    """Refuse a link, and a folder."""
    if facts.is_link:
        raise Linked(full)
    if facts.is_folder:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), full)


def error_for(code: int, full: str | None, to: str = "") -> OSError:
    """Return the error for a code of the system. Its text says what a person can do."""
    number = _NUMBERS.get(code, errno.EIO)
    if code in {win32.SHARED, win32.LOCKED} | HALF_WAY:
        text = f"another program has it open; close it there and try again (Windows error {code})"
    elif code == win32.DENIED:
        text = "Windows denies it: another program may have it open, or its rights forbid it (Windows error 5)"
    else:
        text = os.strerror(number) if number != errno.EIO else f"Windows error {code}"
    return OSError(number, text, full, None, to or None)


def stat_of(facts: FileFacts) -> os.stat_result:
    """Return the facts as a stat. The mode has the kind of the file, and whether it is read-only."""
    kind = stat.S_IFLNK if facts.is_link else stat.S_IFDIR if facts.is_folder else stat.S_IFREG
    may = 0o444 if facts.attributes & win32.READ_ONLY and kind == stat.S_IFREG else 0o666
    mode = kind | (0o777 if kind == stat.S_IFDIR else may)
    seconds = facts.mtime_ns // 1_000_000_000, facts.mtime_ns // 1_000_000_000, facts.ctime_ns // 1_000_000_000
    plain = (mode, facts.inode, facts.volume, facts.links, 0, 0, facts.size, *seconds)
    exact = {
        "st_atime": facts.mtime_ns / 1e9,
        "st_mtime": facts.mtime_ns / 1e9,
        "st_ctime": facts.ctime_ns / 1e9,
        "st_atime_ns": facts.mtime_ns,
        "st_mtime_ns": facts.mtime_ns,
        "st_ctime_ns": facts.ctime_ns,
    }
    return os.stat_result(plain, exact)


def access_of(flags: int) -> int:
    """Return the access to a file that some flags of `os.open` ask for."""
    kind = flags & (os.O_WRONLY | os.O_RDWR)
    return win32.GENERIC_READ | win32.GENERIC_WRITE if kind == os.O_RDWR else _MODES[kind]


def disposition_of(flags: int) -> int:
    """Return what is to happen if the file exists, or if it does not."""
    if flags & os.O_CREAT:
        if flags & os.O_EXCL:
            return win32.CREATE_NEW
        return win32.CREATE_ALWAYS if flags & os.O_TRUNC else win32.OPEN_ALWAYS
    return win32.TRUNCATE_EXISTING if flags & os.O_TRUNC else win32.OPEN_EXISTING
